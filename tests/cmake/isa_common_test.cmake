# Checks that every object, except objects for ISAs with AVX, runs on a CPU without AVX.
#
# cmake -DOBJDUMP=<objdump> "-DOBJECTS=<objects>" -P isa_common_test.cmake
list(FILTER OBJECTS EXCLUDE REGEX "\\.[gp]ch$")
list(LENGTH OBJECTS number)
if(number LESS 5)
  message(FATAL_ERROR "too few objects to be the library: ${OBJECTS}")
endif()
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND ${OBJDUMP} --disassemble --no-show-raw-insn ${object} OUTPUT_VARIABLE text
                  RESULT_VARIABLE failed)
  if(failed OR NOT text MATCHES "\t(ret|jmp)")
    message(FATAL_ERROR "objdump could not read ${object}")
  endif()
  # Instructions of AVX begin with v.
  if(text MATCHES "\n *([0-9a-f]+:\tv[a-z0-9]+ [^\n]*)")
    message(SEND_ERROR "${object} has instructions of AVX: ${CMAKE_MATCH_1}")
  endif()
endforeach()
