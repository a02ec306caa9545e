# Metadata of the Debian packages. Debian's policy requires the licence and the changelog in each of them.
set(documents ${CMAKE_CURRENT_BINARY_DIR}/documents)
file(READ ${PROJECT_SOURCE_DIR}/LICENSE licence)
string(REGEX MATCH "Copyright \\(c\\) ([^\n]+)\n\n(.*)" unused "${licence}")
set(copyright "${CMAKE_MATCH_1}")
string(STRIP "${CMAKE_MATCH_2}" licence)
string(REGEX REPLACE "\n\n" "\n.\n" licence "${licence}")
string(REGEX REPLACE "\n" "\n " licence "${licence}")
set(CAROM_PACKAGE_CONTACT "The carom authors <carom@example.org>" CACHE STRING "Maintainer of the packages")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # of SOURCE_DATE_EPOCH, where it is set
file(WRITE ${documents}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: carom

Files: *
Copyright: ${copyright}
License: Expat
 ${licence}
")
file(WRITE ${documents}/changelog.Debian
"carom (${PROJECT_VERSION}-1) unstable; urgency=medium

  * Version ${PROJECT_VERSION}; CHANGELOG.md has what changed.

 -- ${CAROM_PACKAGE_CONTACT}  ${date}
")
execute_process(COMMAND ${CAROM_GZIP} -9nkf ${documents}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)

set(CPACK_COMPONENTS_ALL "")
# carom_package(component name section text NEEDS components... DEPENDS packages...): the first line of the text is a summary.
function(carom_package component name section text)
  cmake_parse_arguments(PARSE_ARGV 4 package "" "" "NEEDS;DEPENDS")
  install(FILES ${documents}/copyright ${documents}/changelog.Debian.gz DESTINATION share/doc/${name} COMPONENT ${component})
  string(TOUPPER ${component} of)
  list(JOIN package_DEPENDS ", " depends)
  set(CPACK_DEBIAN_${of}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${of}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${of}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${of}_DESCRIPTION "${text}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${of}_DEPENDS ${package_NEEDS} PARENT_SCOPE)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_COMPONENTS_ALL "${CPACK_COMPONENTS_ALL}" PARENT_SCOPE)
endfunction()

get_target_property(soversion carom_packaged SOVERSION)
set(library libcarom${soversion})
set(all "It resolves collisions of rigid bodies with friction in batches, on SIMD
lanes and threads, under many laws of contact, and steps of scenes with
contacts and joints.")
carom_package(library ${library} libs "collision response of rigid bodies in batches
${all}
.
This package has the shared library, for C++ and C.")
carom_package(development libcarom-dev libdevel "collision response of rigid bodies in batches (development)
${all}
.
This package has the headers for C++ and C, examples, and what CMake and
pkg-config need. The scalar reference is in it, too, as a static library." NEEDS library)
carom_package(tools carom science "collision response of rigid bodies, for files of contacts
${all}
.
This package has the command, which solves CSV and HDF5 files of contacts
and of scenes, checks the results and compares the laws." NEEDS library)
math(EXPR next_minor "${Python3_VERSION_MINOR} + 1")
carom_package(python python3-carom python "collision response of rigid bodies in batches (Python 3)
${all}
.
This package has the module for Python, which takes NumPy's arrays." NEEDS library
  DEPENDS "python3 (>= 3.${Python3_VERSION_MINOR}~)" "python3 (<< 3.${next_minor})" python3-numpy)
carom_package(bullet libcarom-bullet-dev libdevel "collision response of rigid bodies in Bullet worlds (development)
${all}
.
This package has a constraint solver for the worlds of the Bullet physics
library, as a static library." NEEDS development DEPENDS libbullet-dev libtbb-dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/c/ DESTINATION share/doc/libcarom-dev/examples COMPONENT development)

# Control files: the scripts of the Python package compile and remove its bytecode; shlibs names the package on which programs
# linked with the library depend.
set(control ${CMAKE_CURRENT_BINARY_DIR}/control)
file(WRITE ${control}/postinst "#!/bin/sh\nset -e\nif [ \"$1\" = configure ]; then\n  py3compile -p python3-carom\nfi\n")
file(WRITE ${control}/prerm "#!/bin/sh\nset -e\npy3clean -p python3-carom\n")
file(CHMOD ${control}/postinst ${control}/prerm PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
     WORLD_READ WORLD_EXECUTE)
file(WRITE ${control}/triggers "activate-noawait ldconfig\n")
file(WRITE ${control}/shlibs "libcarom ${soversion} ${library} (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${control}/postinst ${control}/prerm)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${control}/triggers ${control}/shlibs)

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_CURRENT_BINARY_DIR};carom;ALL;/")
set(CPACK_OUTPUT_CONFIG_FILE ${CMAKE_CURRENT_BINARY_DIR}/CPackConfig.cmake)
set(CPACK_SOURCE_OUTPUT_CONFIG_FILE ${CMAKE_CURRENT_BINARY_DIR}/CPackSourceConfig.cmake)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)
set(CPACK_PACKAGE_NAME carom)
set(CPACK_PACKAGE_CONTACT "${CAROM_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${linked})
include(CPack)
