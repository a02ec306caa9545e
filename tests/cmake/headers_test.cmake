# carom.hpp includes every public header except the headers of the reference. It compiles without exceptions and type
# information, because engines build without these. With ALONE every header is also compiled by itself.
#
# cmake -DFOLDER=<include/carom> -DCOMPILER=<c++> [-DALONE=ON] -P headers_test.cmake
function(compile file)
  execute_process(COMMAND ${COMPILER} -std=c++20 -fno-exceptions -fno-rtti -fsyntax-only -I${FOLDER}/.. -x c++ ${file}
                  RESULT_VARIABLE failed ERROR_VARIABLE errors)
  if(failed)
    message(SEND_ERROR "${COMPILER} can't compile ${file} alone, without exceptions:\n${errors}")
  endif()
endfunction()

file(GLOB headers RELATIVE ${FOLDER} ${FOLDER}/*.hpp)
list(REMOVE_ITEM headers carom.hpp)
list(LENGTH headers number)
if(number LESS 5)
  message(FATAL_ERROR "no headers in ${FOLDER}")
endif()
file(READ ${FOLDER}/carom.hpp umbrella)
foreach(header IN LISTS headers)
  string(FIND "${umbrella}" "#include <carom/${header}>\n" found)
  if(header MATCHES "^reference" AND NOT found EQUAL -1)
    message(SEND_ERROR "carom.hpp includes ${header}, which is of another library")
  elseif(NOT header MATCHES "^reference" AND found EQUAL -1)
    message(SEND_ERROR "carom.hpp does not include ${header}")
  endif()
  if(ALONE)
    compile(${FOLDER}/${header})
  endif()
endforeach()
compile(${CMAKE_CURRENT_LIST_DIR}/headers_test.cpp)
