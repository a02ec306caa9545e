# carom.hpp includes every public header, and every one of them its own needs. Engines build without exceptions and type
# information, so that no header may need these.
#
# cmake -DFOLDER=<include/carom> -DCOMPILERS=<c++>[;<c++>...] -P headers_test.cmake
function(compile file)
  foreach(compiler IN LISTS COMPILERS)
    foreach(flags IN ITEMS "-fexceptions" "-fno-exceptions;-fno-rtti")
      execute_process(COMMAND ${compiler} -std=c++20 ${flags} -fsyntax-only -I${FOLDER}/.. -x c++ ${file}
                      RESULT_VARIABLE failed ERROR_VARIABLE errors)
      if(failed)
        message(SEND_ERROR "${compiler} ${flags} can't compile ${file} alone:\n${errors}")
      endif()
    endforeach()
  endforeach()
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
  if(found EQUAL -1)
    message(SEND_ERROR "carom.hpp does not include ${header}")
  endif()
  compile(${FOLDER}/${header})
endforeach()
compile(${CMAKE_CURRENT_LIST_DIR}/headers_test.cpp)
