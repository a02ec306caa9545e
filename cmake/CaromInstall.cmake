# What `cmake --install` brings: the libraries and their headers, the package that find_package(carom) finds, the licence, the
# command.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(carom_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/carom)

install(TARGETS carom carom_reference EXPORT caromTargets)
set_target_properties(carom_reference PROPERTIES INSTALL_RPATH "$ORIGIN")  # where it finds a shared carom
install(DIRECTORY include/carom DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# A host that has carom as a folder may have named CMAKE_INSTALL_DOCDIR after itself.
if(PROJECT_IS_TOP_LEVEL)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
else()
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/carom)
endif()
install(EXPORT caromTargets NAMESPACE carom:: DESTINATION ${carom_package_dir})

get_target_property(carom_library_type carom TYPE)
configure_package_config_file(cmake/caromConfig.cmake.in caromConfig.cmake INSTALL_DESTINATION ${carom_package_dir})
# Below 1.0 a minor version may break its users.
write_basic_package_version_file(caromConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/caromConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/caromConfigVersion.cmake
        DESTINATION ${carom_package_dir})

# For builds without CMake. A static library leaves what it needs to whoever links, which may be a compiler of C.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
           OUTPUT_VARIABLE carom_pc_to_prefix)
set(carom_pc_libs "")
set(carom_pc_requires "")
if(carom_library_type STREQUAL "STATIC_LIBRARY")
  foreach(library IN LISTS CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
    if(library MATCHES "^(stdc\\+\\+|c\\+\\+|m)$")
      string(APPEND carom_pc_libs " -l${library}")
    endif()
  endforeach()
  if(CAROM_TBB)
    set(carom_pc_requires "Requires: tbb")
  endif()
endif()
configure_file(cmake/carom.pc.in carom.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/carom.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET carom_command)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR}
             OUTPUT_VARIABLE carom_to_lib)
  set_target_properties(carom_command PROPERTIES INSTALL_RPATH "$ORIGIN/${carom_to_lib}")
  install(TARGETS carom_command)
endif()
