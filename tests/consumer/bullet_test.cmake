# Tests carom::bullet in the build of an application.
#
#   installed    the instructions of examples/bullet/README.md and docs/engines.md with this installed build; both ways to
#                find it, and errors
#   folder       a copy of examples/bullet with an installed carom: as a part of the application's build, and built and
#                installed separately
#   double       the copy with Bullet in double precision: its tests, installed and found
#
# cmake -DWAY=<one of them> -DROOT=<sources> -DPREFIX=<where this build was installed> -DSCRATCH=<folder>
#       -DGENERATOR=<name> -DCOMPILER=<C++ compiler> -P bullet_test.cmake
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

set(fast -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG= -DCMAKE_UNITY_BUILD=ON)
function(configure source build)
  run(${CMAKE_COMMAND} -S ${source} -B ${build} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER} ${ARGN})
  set(output "${output}" PARENT_SCOPE)
endfunction()

# project_of(name text): a project of an application with `text` after its executable.
function(project_of name text)
  file(WRITE ${SCRATCH}/${name}/CMakeLists.txt
       "cmake_minimum_required(VERSION 3.25)\nproject(your_game LANGUAGES CXX)\n"
       "add_executable(your_game \"${ROOT}/tests/consumer/bullet.cpp\")\n${text}")
endfunction()

function(expect_host build bytes)
  run(${CMAKE_COMMAND} --build ${build})
  run(${build}/your_game)
  if(NOT output STREQUAL "a box rests on carom, in numbers of ${bytes} bytes\n")
    message(FATAL_ERROR "${build}/your_game printed: ${output}")
  endif()
endfunction()

# expect_refusal(source text arguments...): CMake ends with that text.
function(expect_refusal source text)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${SCRATCH}/refused -G ${GENERATOR}
                          -DCMAKE_CXX_COMPILER=${COMPILER} ${ARGN}
                  RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE errors)
  string(REGEX REPLACE "[ \n]+" " " errors "${errors}")
  string(FIND "${errors}" "${text}" at)
  if(NOT failed OR at EQUAL -1)
    message(FATAL_ERROR "not refused with \"${text}\": ${errors}")
  endif()
  file(REMOVE_RECURSE ${SCRATCH}/refused)
endfunction()

function(expect_cached build text)
  file(STRINGS ${build}/CMakeCache.txt lines REGEX "^${text}$")
  if(NOT lines)
    message(FATAL_ERROR "no ${text} in ${build}/CMakeCache.txt")
  endif()
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
set(link "target_link_libraries(your_game PRIVATE carom::bullet)\n")
project_of(by_package "find_package(carom_bullet REQUIRED)\n${link}")
project_of(by_component "find_package(carom REQUIRED COMPONENTS bullet)\n${link}")

if(WAY STREQUAL "installed")
  foreach(page IN ITEMS examples/bullet/README.md docs/engines.md)
    file(READ ${ROOT}/${page} text)
    if(NOT text MATCHES "```cmake\n(find_package[^`]*)```")
      message(FATAL_ERROR "${page} does not show find_package")
    endif()
    list(APPEND shown "${CMAKE_MATCH_1}")
  endforeach()
  list(REMOVE_DUPLICATES shown)
  list(LENGTH shown count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "the pages show different things:\n${shown}")
  endif()
  project_of(shown "${shown}")
  configure(${SCRATCH}/shown ${SCRATCH}/build ${fast} -DCMAKE_PREFIX_PATH=${PREFIX} -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
  expect_host(${SCRATCH}/build 4)
  file(READ ${SCRATCH}/build/compile_commands.json commands)
  if(commands MATCHES " (-m[a-z0-9]+|-ffp-contract[^ ]*|-W[a-z]+)")
    message(FATAL_ERROR "carom's own flags reached its user: ${CMAKE_MATCH_1}")
  endif()

  configure(${SCRATCH}/by_package ${SCRATCH}/build_by_package ${fast} -DCMAKE_PREFIX_PATH=${PREFIX})
  expect_host(${SCRATCH}/build_by_package 4)
  expect_refusal(${SCRATCH}/by_component "there is no carom::bullet: carom_bullet needs Bullet, which lacks"
                 -DCMAKE_PREFIX_PATH=${PREFIX} -DCAROM_BULLET_FLOAT_BulletDynamics=${SCRATCH}/nothing.so)
  project_of(by_other_component "find_package(carom REQUIRED COMPONENTS marbles)\n${link}")
  expect_refusal(${SCRATCH}/by_other_component "there is no component marbles" -DCMAKE_PREFIX_PATH=${PREFIX})

  file(GLOB headers RELATIVE ${PREFIX}/include/carom_bullet ${PREFIX}/include/carom_bullet/*)
  if(NOT headers STREQUAL "constraint_solver.hpp")
    message(FATAL_ERROR "installed headers: ${headers}")
  endif()
  return()
endif()

file(COPY ${ROOT}/examples/bullet DESTINATION ${SCRATCH}/elsewhere)
set(copy ${SCRATCH}/elsewhere/bullet)
# The folder needs only an installed carom without carom::bullet.
file(COPY ${PREFIX}/ DESTINATION ${SCRATCH}/carom)
file(GLOB_RECURSE own ${SCRATCH}/carom/*)
list(FILTER own INCLUDE REGEX "carom_bullet[^/]*(/[^/]*)?$")
file(REMOVE ${own})
set(options -DCMAKE_PREFIX_PATH=${SCRATCH}/carom -DCAROM_BULLET_SCENES=OFF)

if(WAY STREQUAL "folder")
  expect_refusal(${SCRATCH}/by_component "there is no carom::bullet" -DCMAKE_PREFIX_PATH=${SCRATCH}/carom)

  # The line that links is the same.
  project_of(by_folder "find_package(carom REQUIRED)\nadd_subdirectory(\"${copy}\" carom_bullet)\n${link}")
  configure(${SCRATCH}/by_folder ${SCRATCH}/build_by_folder ${fast} -DCMAKE_PREFIX_PATH=${SCRATCH}/carom)
  expect_host(${SCRATCH}/build_by_folder 4)
  expect_cached(${SCRATCH}/build_by_folder CAROM_BULLET_SCENES:BOOL=OFF)

  # The build type defaults to Release; a given one is kept.
  configure(${copy} ${SCRATCH}/build ${options} -DCAROM_BULLET_TESTS=OFF)
  expect_cached(${SCRATCH}/build CMAKE_BUILD_TYPE:STRING=Release)
  expect_cached(${SCRATCH}/build CAROM_BULLET_SCENES:BOOL=OFF)
  run(${CMAKE_COMMAND} --build ${SCRATCH}/build --target help)
  if(output MATCHES "bullet_stack|carom_tests_bullet")
    message(FATAL_ERROR "scenes or tests although they are off:\n${output}")
  endif()
  configure(${copy} ${SCRATCH}/build_debug ${options} ${fast})
  expect_cached(${SCRATCH}/build_debug CMAKE_BUILD_TYPE:STRING=Debug)

  # Within carom's build the command line is kept too.
  configure(${ROOT} ${SCRATCH}/build_of_carom -DCAROM_BUILD_BULLET=ON -DCAROM_BULLET_SCENES=OFF -DCAROM_BULLET_TESTS=OFF
            -DCAROM_BUILD_BENCHMARKS=OFF)
  run(${CMAKE_COMMAND} --build ${SCRATCH}/build_of_carom --target help)
  if(NOT output MATCHES "carom_bullet" OR output MATCHES "bullet_stack|carom_tests_bullet")
    message(FATAL_ERROR "carom's build has scenes or tests of carom_bullet although they are off:\n${output}")
  endif()

  # Installed into a separate prefix, it is a component of the carom in another prefix.
  run(${CMAKE_COMMAND} --build ${SCRATCH}/build_debug)
  run(${CMAKE_COMMAND} --install ${SCRATCH}/build_debug --prefix ${SCRATCH}/prefix)
  configure(${SCRATCH}/by_component ${SCRATCH}/build_by_component ${fast}
            -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix -Dcarom_ROOT=${SCRATCH}/carom)
  expect_host(${SCRATCH}/build_by_component 4)
  return()
endif()

# Without unity builds, each file must include all headers that it uses.
configure(${copy} ${SCRATCH}/build ${options} ${fast} -DCMAKE_UNITY_BUILD=OFF -DCAROM_BULLET_DOUBLE=ON
          -DCAROM_BULLET_TESTS=ON)
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
run(${SCRATCH}/build/tests/carom_tests_bullet --gtest_brief=1)
run(${CMAKE_COMMAND} --install ${SCRATCH}/build --prefix ${SCRATCH}/prefix)
configure(${SCRATCH}/by_package ${SCRATCH}/build_by_package ${fast}
          -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix -Dcarom_ROOT=${SCRATCH}/carom)
expect_host(${SCRATCH}/build_by_package 8)
# A library of the other precision would link, and crash.
get_filename_component(float_library ${FLOAT_LIBRARY} REALPATH)
expect_refusal(${copy} "a Bullet of the precision double" ${options} ${fast} -DCAROM_BULLET_DOUBLE=ON
               -DCAROM_BULLET_DOUBLE_BulletDynamics=${float_library})
