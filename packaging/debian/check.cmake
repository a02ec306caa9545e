# Tests the packages: lintian finds no fault. Projects in C++ and in C, the command, its manual and the module for Python work
# with the files of the packages, unpacked into a folder or, with INSTALL, installed. pip installs the wheel.
#
# cmake -DPACKAGES=<folder> -DROOT=<sources> -DSCRATCH=<folder> -DVERSION=<of carom> -DGENERATOR=<name>
#       -DCOMPILER=<C++ compiler> -DPYTHON=<python3> -DFLOAT_LIBRARY=<libBulletDynamics> [-DINSTALL=ON] -P check.cmake
include(${ROOT}/tests/consumer/run.cmake)

file(GLOB packages ${PACKAGES}/*.deb)
list(LENGTH packages count)
if(NOT count EQUAL 5)
  message(FATAL_ERROR "not five packages in ${PACKAGES}: ${packages}")
endif()
# Suppressed tags: CPack's scripts call ldconfig in addition to the trigger, and no package here closes a Debian bug.
run(lintian --allow-root --fail-on=error,warning --suppress-tags=maintscript-calls-ldconfig,initial-upload-closes-no-bugs
    ${packages})

file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
string(TIMESTAMP begin %s)
if(INSTALL)
  set(root "")
  run(apt-get -qq -y --no-install-recommends install ${packages})
else()
  set(root ${SCRATCH}/root)
  foreach(package IN LISTS packages)
    run(dpkg -x ${package} ${root})
  endforeach()
endif()

file(GLOB library ${root}/usr/lib/*/libcarom.so)
cmake_path(GET library PARENT_PATH libdir)
if(NOT INSTALL)
  set(ENV{LD_LIBRARY_PATH} ${libdir})
  set(ENV{PYTHONPATH} ${root}/usr/lib/python3/dist-packages)
  set(ENV{PKG_CONFIG_PATH} ${libdir}/pkgconfig)
endif()

# From the packages to contacts of one's own.
run(pkg-config --cflags --libs carom)
separate_arguments(flags UNIX_COMMAND "${output}")
run(cc ${root}/usr/share/doc/libcarom-dev/examples/contacts.c -o ${SCRATCH}/contacts ${flags})
run(${SCRATCH}/contacts)
string(TIMESTAMP end %s)
math(EXPR seconds "${end} - ${begin}")
string(STRIP "${output}" output)
message("${seconds} s from the packages to solved contacts: ${output}")

run(${CMAKE_COMMAND} -DNM=nm -DHEADERS=${root}/usr/include/carom/c -DLIBRARY=${library} -P
    ${ROOT}/tests/cmake/exported_names_test.cmake)
run(${root}/usr/bin/carom --version)
if(NOT output STREQUAL "carom ${VERSION}\n")
  message(FATAL_ERROR "the command printed: ${output}")
endif()
foreach(page IN ITEMS carom carom-compare-laws)
  run(man --warnings -l ${root}/usr/share/man/man1/${page}.1.gz)
endforeach()
run(${PYTHON} -B ${ROOT}/tests/python/docs_test.py ${ROOT}/README.md)
run(${PYTHON} -c "import carom\nprint(carom.__file__)")
if(NOT output MATCHES "^${root}/usr/lib/python3/dist-packages/carom/")
  message(FATAL_ERROR "Python imports carom from elsewhere: ${output}")
endif()

unset(ENV{LD_LIBRARY_PATH})
file(GLOB wheel ${PACKAGES}/*.whl)
run(${PYTHON} -B ${ROOT}/tests/python/wheel_test.py ${wheel})
set(arguments -DPREFIX=${root}/usr -DROOT=${ROOT} -DVERSION=${VERSION} -DGENERATOR=${GENERATOR} -DCOMPILER=${COMPILER}
              -DFLOAT_LIBRARY=${FLOAT_LIBRARY})
run(${CMAKE_COMMAND} -DWAY=packages -DSCRATCH=${SCRATCH}/consumer ${arguments} -P ${ROOT}/tests/consumer/consumer_test.cmake)
run(${CMAKE_COMMAND} -DWAY=installed -DSCRATCH=${SCRATCH}/bullet ${arguments} -P ${ROOT}/tests/consumer/bullet_test.cmake)
