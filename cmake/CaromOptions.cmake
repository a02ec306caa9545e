# carom_options(target): the language, the warnings and the arithmetic of everything in this project.
function(carom_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # One answer on every machine: a product and a sum are fused only where the code says fma.
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -ffp-contract=off
                                             -fno-fast-math)
  # g++ would clear and copy some hundred bytes with a string instruction, which takes as long to begin as a stage of a
  # small call takes.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i[3-6]86")
    target_compile_options(${target} PRIVATE -mstringop-strategy=libcall)
  endif()
  if(CAROM_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CAROM_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${CAROM_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${CAROM_SANITIZE})
    # What these find the address sanitizer finds where it does harm; they take a quarter of the time to compile.
    if(CAROM_SANITIZE MATCHES "address" AND CAROM_SANITIZE MATCHES "undefined")
      target_compile_options(${target} PRIVATE -fno-sanitize=null,object-size,vptr)
    endif()
  endif()
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()

# carom_precompile(target headers...): compiled once for all files of the target. Builds without CAROM_PRECOMPILE show that
# every file includes what it uses.
function(carom_precompile target)
  if(CAROM_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# carom_together(target [files...]): with CAROM_PRECOMPILE its texts are compiled eight at a time, all but the files, whose
# names clash with those of others.
function(carom_together target)
  if(CAROM_PRECOMPILE)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    # A name of another file is shadowed by a local one.
    target_compile_options(${target} PRIVATE -Wno-shadow)
  endif()
endfunction()

# carom_names(library): the names of the file of a carom that is shared, and those that it shows.
function(carom_names library)
  # Below 1.0 a minor version may break the binary interface.
  set_target_properties(${library} PROPERTIES
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  # Templates of the standard library are visible whatever is said about carom's own symbols.
  get_target_property(type ${library} TYPE)
  if(type STREQUAL "SHARED_LIBRARY" AND CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF")
    set(map ${PROJECT_SOURCE_DIR}/cmake/carom.map)
    target_link_options(${library} PRIVATE "LINKER:--version-script=${map}")
    set_property(TARGET ${library} APPEND PROPERTY LINK_DEPENDS ${map})
  endif()
endfunction()
