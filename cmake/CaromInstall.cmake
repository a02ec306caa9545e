# What `cmake --install` brings: the libraries and their headers, the package that find_package(carom) finds, the licence, the
# command.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# carom_install_description(library exports libdir arguments...): the headers and how to find the library that stands in
# libdir: by the targets of the export set in CMake, by pkg-config elsewhere. The arguments are further ones of install().
function(carom_install_description library exports libdir)
  set(package_dir ${libdir}/cmake/carom)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${exports})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/carom DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${ARGN})
  install(EXPORT ${exports} FILE caromTargets.cmake NAMESPACE carom:: DESTINATION ${package_dir} ${ARGN})

  get_target_property(carom_library_type ${library} TYPE)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/caromConfig.cmake.in ${folder}/caromConfig.cmake
                                INSTALL_DESTINATION ${package_dir})
  # Below 1.0 a minor version may break its users.
  write_basic_package_version_file(${folder}/caromConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${folder}/caromConfig.cmake ${folder}/caromConfigVersion.cmake DESTINATION ${package_dir} ${ARGN})

  # For builds without CMake. A static library leaves what it needs to whoever links, which may be a compiler of C.
  cmake_path(ABSOLUTE_PATH libdir BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE full_libdir)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${full_libdir}/pkgconfig OUTPUT_VARIABLE carom_pc_to_prefix)
  set(carom_pc_libdir ${libdir})
  set(carom_pc_libs "")
  set(carom_pc_requires "")
  if(carom_library_type STREQUAL "STATIC_LIBRARY")
    foreach(needed IN LISTS CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
      if(needed MATCHES "^(stdc\\+\\+|c\\+\\+|m)$")
        string(APPEND carom_pc_libs " -l${needed}")
      endif()
    endforeach()
    if(CAROM_TBB)
      set(carom_pc_requires "Requires: tbb")
    endif()
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/carom.pc.in ${folder}/carom.pc @ONLY)
  install(FILES ${folder}/carom.pc DESTINATION ${libdir}/pkgconfig ${ARGN})
endfunction()

install(TARGETS carom carom_reference EXPORT caromTargets)
set_target_properties(carom_reference PROPERTIES INSTALL_RPATH "$ORIGIN")  # where it finds a shared carom
carom_install_description(carom caromTargets ${CMAKE_INSTALL_LIBDIR})
# A host that has carom as a folder may have named CMAKE_INSTALL_DOCDIR after itself.
if(PROJECT_IS_TOP_LEVEL)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
else()
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/carom)
endif()

if(TARGET carom_command)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR}
             OUTPUT_VARIABLE carom_to_lib)
  set_target_properties(carom_command PROPERTIES INSTALL_RPATH "$ORIGIN/${carom_to_lib}")
  install(TARGETS carom_command)
endif()
