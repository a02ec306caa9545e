# carom.hpp includes every public header but those of the reference, and every one includes its own needs. Engines build
# without exceptions and type information, so that no header may need these. Compilers share the headers of the standard
# library, so that the first one looks for own needs, and all see the whole text.
#
# cmake -DFOLDER=<include/carom> -DCOMPILERS=<c++>[;<c++>...] -P headers_test.cmake
function(compile file)
  foreach(compiler IN LISTS ARGN)
    execute_process(COMMAND ${compiler} -std=c++20 -fno-exceptions -fno-rtti -fsyntax-only -I${FOLDER}/.. -x c++ ${file}
                    RESULT_VARIABLE failed ERROR_VARIABLE errors)
    if(failed)
      message(SEND_ERROR "${compiler} can't compile ${file} alone, without exceptions:\n${errors}")
    endif()
  endforeach()
endfunction()

file(GLOB headers RELATIVE ${FOLDER} ${FOLDER}/*.hpp)
list(REMOVE_ITEM headers carom.hpp)
list(LENGTH headers number)
if(number LESS 5)
  message(FATAL_ERROR "no headers in ${FOLDER}")
endif()
file(READ ${FOLDER}/carom.hpp umbrella)
list(GET COMPILERS 0 first)
foreach(header IN LISTS headers)
  string(FIND "${umbrella}" "#include <carom/${header}>\n" found)
  if(header MATCHES "^reference" AND NOT found EQUAL -1)
    message(SEND_ERROR "carom.hpp includes ${header}, which is of another library")
  elseif(NOT header MATCHES "^reference" AND found EQUAL -1)
    message(SEND_ERROR "carom.hpp does not include ${header}")
  endif()
  compile(${FOLDER}/${header} ${first})
endforeach()
compile(${CMAKE_CURRENT_LIST_DIR}/headers_test.cpp ${COMPILERS})
