# A page shows the part of an example between two lines "// [docs]".
#
# cmake -DEXAMPLE=<file> -DPAGE=<file> -P example_in_docs.cmake
foreach(file IN ITEMS EXAMPLE PAGE)
  file(READ ${${file}} ${file}_text)
endforeach()
string(REGEX MATCH "// \\[docs\\]\n(.*)// \\[docs\\]\n" found "${EXAMPLE_text}")
if(CMAKE_MATCH_1 STREQUAL "")
  message(FATAL_ERROR "${EXAMPLE} marks no part")
endif()
string(FIND "${PAGE_text}" "```cpp\n${CMAKE_MATCH_1}```" place)
if(place EQUAL -1)
  message(FATAL_ERROR "${PAGE} does not show:\n${CMAKE_MATCH_1}")
endif()
