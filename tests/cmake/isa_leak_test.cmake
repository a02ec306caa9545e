# No function compiled with the flags of one ISA may replace the same function of another ISA: in an ISA's object, every
# symbol that the linker may merge with another file's (weak, unique) must have the architecture in its name. Only the
# tables of kernels may be visible to other files. __clang_call_terminate has no arithmetic.
#
# cmake -DNM=<nm> -DOBJECTS=<object> -DISA=<name> -DMARK=<regular expression> -P isa_leak_test.cmake
# A target lists its precompiled header among its objects.
list(FILTER OBJECTS EXCLUDE REGEX "\\.gch$")
execute_process(COMMAND ${NM} --demangle --defined-only --extern-only ${OBJECTS} OUTPUT_VARIABLE symbols
                RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "nm could not read ${OBJECTS}")
endif()
string(REPLACE ";" "," symbols "${symbols}")
string(REPLACE "\n" ";" symbols "${symbols}")
set(seen_table FALSE)
foreach(symbol IN LISTS symbols)
  if(symbol MATCHES "carom::kernel::${ISA}::[a-z0-9_]+$")
    set(seen_table TRUE)
  elseif(symbol STREQUAL "" OR symbol MATCHES "\\.o:$|__clang_call_terminate$|DW\\.ref\\.__gxx_personality|\\.gxx_personality|__odr_asan|__asan|__ubsan|__tsan")
  elseif(NOT symbol MATCHES "${MARK}")
    message(SEND_ERROR "leaks out of the object for ${ISA}: ${symbol}")
  endif()
endforeach()
if(NOT seen_table)
  message(SEND_ERROR "the object for ${ISA} has no table of kernels")
endif()
