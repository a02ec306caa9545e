# Installs the library, its one public header, and the package that find_package(carom COMPONENTS bullet) and
# find_package(carom_bullet) find. It has the version of the carom that it was built with.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/carom_bullet)

install(TARGETS carom_bullet EXPORT carom_bulletTargets)
install(FILES carom_bullet/constraint_solver.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/carom_bullet)
install(EXPORT carom_bulletTargets NAMESPACE carom:: DESTINATION ${package_dir})

get_target_property(carom_bullet_needs carom_bullet INTERFACE_LINK_LIBRARIES)
configure_package_config_file(cmake/carom_bulletConfig.cmake.in carom_bulletConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(carom_bulletConfigVersion.cmake VERSION ${carom_VERSION}
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/carom_bulletConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/carom_bulletConfigVersion.cmake cmake/CaromBulletEngine.cmake
        DESTINATION ${package_dir})
