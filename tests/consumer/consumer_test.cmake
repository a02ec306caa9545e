# Builds and runs main.cpp, reference.cpp and threads.cpp in a project whose CMakeLists.txt follows README.md and
# docs/reference.md. With the sources in a folder, builds carom again: shared, without optimisation and without oneTBB,
# for an application with its own threads.
#
# cmake -DWAY=static|shared|subdirectory -DROOT=<sources> -DBUILD=<build to install from> -DSCRATCH=<folder>
#       -DVERSION=<of carom> -DGENERATOR=<name> -DCOMPILER=<C++ compiler> "-DISAS=<for the folder>" -P consumer_test.cmake
#
# -DWAY=packages uses the installation under -DPREFIX=<folder>, from Debian's packages.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

# Debug, because it compiles faster and this test does not depend on optimisation.
function(configure_and_build source build)
  run(${CMAKE_COMMAND} -S ${source} -B ${build} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
      -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG= ${ARGN})
  run(${CMAKE_COMMAND} --build ${build})
endfunction()

file(REMOVE_RECURSE ${SCRATCH}/prefix ${SCRATCH}/project ${SCRATCH}/build)
set(prefix ${SCRATCH}/prefix)
if(WAY STREQUAL "static")
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
elseif(WAY STREQUAL "shared")
  run(${CMAKE_COMMAND} --install ${SCRATCH}/../subdirectory/build --prefix ${prefix})
elseif(WAY STREQUAL "packages")
  set(prefix ${PREFIX})
endif()

file(READ ${ROOT}/README.md readme)
if(WAY STREQUAL "subdirectory")
  set(first_word add_subdirectory)
else()
  set(first_word find_package)
endif()
if(NOT readme MATCHES "```cmake\n(${first_word}[^`]*)```")
  message(FATAL_ERROR "README.md does not show ${first_word}")
endif()
set(with_carom "${CMAKE_MATCH_1}")
file(READ ${ROOT}/docs/reference.md page)
if(NOT page MATCHES "```cmake\n(target_link_libraries[^`]*)```")
  message(FATAL_ERROR "docs/reference.md does not show how to link the reference")
endif()
set(with_reference "${CMAKE_MATCH_1}")
file(WRITE ${SCRATCH}/project/CMakeLists.txt
     "cmake_minimum_required(VERSION 3.25)\nproject(your_engine LANGUAGES CXX)\nset(CAROM_ISAS \"${ISAS}\")\n"
     "add_executable(your_engine \"${ROOT}/tests/consumer/main.cpp\")\n${with_carom}"
     "add_executable(your_tests \"${ROOT}/tests/consumer/reference.cpp\")\n${with_reference}"
     "find_package(Threads REQUIRED)\nadd_executable(your_threads \"${ROOT}/tests/consumer/threads.cpp\")\n"
     "target_link_libraries(your_threads PRIVATE carom::carom Threads::Threads)\n")
file(CREATE_LINK ${ROOT} ${SCRATCH}/project/carom SYMBOLIC)

set(options -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_DISABLE_FIND_PACKAGE_xsimd=ON
            -DCMAKE_DISABLE_FIND_PACKAGE_TBB=ON)
if(WAY STREQUAL "static")
  list(REMOVE_ITEM options -DCMAKE_DISABLE_FIND_PACKAGE_TBB=ON)
elseif(WAY STREQUAL "subdirectory")
  list(REMOVE_ITEM options -DCMAKE_DISABLE_FIND_PACKAGE_xsimd=ON)
  list(APPEND options -DBUILD_SHARED_LIBS=ON -DCAROM_INSTALL=ON -DCAROM_TBB=OFF -DCAROM_PRECOMPILE=ON)
endif()
configure_and_build(${SCRATCH}/project ${SCRATCH}/build ${options})

run(${SCRATCH}/build/your_engine)
if(NOT output STREQUAL "carom ${VERSION} resolved 1 contact\n")
  message(FATAL_ERROR "main.cpp printed: ${output}")
endif()
run(${SCRATCH}/build/your_tests)
if(NOT output STREQUAL "carom and its reference agree\n")
  message(FATAL_ERROR "reference.cpp printed: ${output}")
endif()
run(${SCRATCH}/build/your_threads)
file(WRITE ${SCRATCH}/bits.txt "${output}")

file(READ ${SCRATCH}/build/compile_commands.json commands)
string(REGEX MATCHALL "\"command\": \"[^\n]*tests/consumer/main.cpp\"" own "${commands}")
if(NOT own)
  message(FATAL_ERROR "no command that compiles main.cpp")
endif()
if(own MATCHES " (-m[a-z0-9]+|-ffp-contract[^ ]*|-W[a-z]+)")
  message(FATAL_ERROR "carom's own flags reached its user: ${CMAKE_MATCH_1}")
endif()

if(WAY MATCHES "^(static|shared)$")
  file(SHA256 ${ROOT}/LICENSE licence)
  file(SHA256 ${prefix}/share/doc/carom/LICENSE installed)
  if(NOT installed STREQUAL licence)
    message(FATAL_ERROR "not the licence: ${prefix}/share/doc/carom/LICENSE")
  endif()
endif()

# An application in C without CMake.
if(NOT WAY STREQUAL "subdirectory")
  find_program(pkg_config pkg-config REQUIRED)
  find_program(c_compiler cc REQUIRED)
  file(GLOB description ${prefix}/lib*/pkgconfig/carom.pc ${prefix}/lib*/*/pkgconfig/carom.pc)
  cmake_path(GET description PARENT_PATH folder)
  set(ENV{PKG_CONFIG_PATH} ${folder})
  run(${pkg_config} --cflags --libs carom)
  string(STRIP "${output}" flags)
  separate_arguments(flags)
  file(GLOB library ${prefix}/lib*/libcarom.* ${prefix}/lib*/*/libcarom.*)
  list(GET library 0 library)
  cmake_path(GET library PARENT_PATH folder)
  run(${c_compiler} -std=c99 ${ROOT}/examples/c/contacts.c -o ${SCRATCH}/in_c ${flags} -Wl,-rpath,${folder})
  run(${SCRATCH}/in_c)
  if(NOT output MATCHES "^2 resolved, impulse")
    message(FATAL_ERROR "contacts.c printed: ${output}")
  endif()
endif()

if(WAY STREQUAL "static" AND EXISTS ${prefix}/bin/carom)
  run(${prefix}/bin/carom --version)
endif()
if(WAY STREQUAL "shared")
  foreach(name IN ITEMS libcarom libcarom_reference)
    file(GLOB library ${prefix}/lib*/${name}.so.${VERSION} ${prefix}/lib*/*/${name}.so.${VERSION})
    if(NOT library)
      message(FATAL_ERROR "no ${name}.so.${VERSION} under ${prefix}")
    endif()
  endforeach()
endif()
