# Refuses a shared library where export.hpp cannot mark what the library shows.
include(CheckCXXSourceCompiles)
block()
  set(CMAKE_REQUIRED_INCLUDES ${PROJECT_SOURCE_DIR}/include)
  check_cxx_source_compiles("
#include <carom/export.hpp>
#define CAROM_TEXT_OF(...) #__VA_ARGS__
#define CAROM_TEXT(...) CAROM_TEXT_OF(__VA_ARGS__)
static_assert(sizeof CAROM_TEXT(CAROM_EXPORT) > 1, \"empty\");
int main() {}
" CAROM_HAS_VISIBILITY)
endblock()
if(NOT CAROM_HAS_VISIBILITY)
  message(FATAL_ERROR "carom can be a shared library only where GCC or Clang give symbols a visibility, which "
                      "${CMAKE_CXX_COMPILER_ID} for ${CMAKE_SYSTEM_NAME} does not: set BUILD_SHARED_LIBS to OFF")
endif()
