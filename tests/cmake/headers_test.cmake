# carom.hpp and experimental.hpp together include every public header except the headers of the reference, each once. They
# compile without exceptions and type information, because engines build without these. With ALONE every header is also compiled by itself.
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
list(REMOVE_ITEM headers carom.hpp experimental.hpp)
list(LENGTH headers number)
if(number LESS 5)
  message(FATAL_ERROR "no headers in ${FOLDER}")
endif()
file(READ ${FOLDER}/carom.hpp stable)
file(READ ${FOLDER}/experimental.hpp experimental)
foreach(header IN LISTS headers)
  string(REGEX MATCHALL "#include <carom/${header}>\n" found "${stable}${experimental}")
  list(LENGTH found times)
  if(header MATCHES "^reference" AND NOT times EQUAL 0)
    message(SEND_ERROR "${header} is of another library, but carom.hpp or experimental.hpp includes it")
  elseif(NOT header MATCHES "^reference" AND NOT times EQUAL 1)
    message(SEND_ERROR "carom.hpp and experimental.hpp include ${header} ${times} times instead of once")
  endif()
  if(ALONE)
    compile(${FOLDER}/${header})
  endif()
endforeach()
compile(${CMAKE_CURRENT_LIST_DIR}/headers_test.cpp)
