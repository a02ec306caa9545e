# carom.hpp includes every public header, and every one of them its own needs.
#
# cmake -DFOLDER=<include/carom> -DCOMPILER=<c++> -P headers_test.cmake
file(GLOB headers RELATIVE ${FOLDER} ${FOLDER}/*.hpp)
list(REMOVE_ITEM headers carom.hpp)
list(LENGTH headers number)
if(number LESS 5)
  message(FATAL_ERROR "no headers in ${FOLDER}")
endif()
file(READ ${FOLDER}/carom.hpp umbrella)
foreach(header IN LISTS headers)
  string(FIND "${umbrella}" "#include <carom/${header}>\n" found)
  if(found EQUAL -1)
    message(SEND_ERROR "carom.hpp does not include ${header}")
  endif()
  execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${FOLDER}/.. -x c++ ${FOLDER}/${header}
                  RESULT_VARIABLE failed ERROR_VARIABLE errors)
  if(failed)
    message(SEND_ERROR "${header} can't be included alone:\n${errors}")
  endif()
endforeach()
