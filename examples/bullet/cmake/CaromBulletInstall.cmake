# Installs the library, its one public header, and the package that find_package(carom COMPONENTS bullet) and
# find_package(carom_bullet) find. It has the version of the carom that it was built with.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# carom_bullet_install(exports libdir arguments...): all of it into that folder of libraries; the arguments are further ones
# of install().
function(carom_bullet_install exports libdir)
  get_target_property(source_dir carom_bullet SOURCE_DIR)
  cmake_path(GET source_dir PARENT_PATH source_dir)
  set(package_dir ${libdir}/cmake/carom_bullet)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${exports})
  install(TARGETS carom_bullet EXPORT ${exports} DESTINATION ${libdir} ${ARGN})
  install(FILES ${source_dir}/carom_bullet/constraint_solver.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/carom_bullet ${ARGN})
  install(EXPORT ${exports} FILE carom_bulletTargets.cmake NAMESPACE carom:: DESTINATION ${package_dir} ${ARGN})

  get_target_property(carom_bullet_needs carom_bullet INTERFACE_LINK_LIBRARIES)
  configure_package_config_file(${source_dir}/cmake/carom_bulletConfig.cmake.in ${folder}/carom_bulletConfig.cmake
                                INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(${folder}/carom_bulletConfigVersion.cmake VERSION ${carom_VERSION}
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${folder}/carom_bulletConfig.cmake ${folder}/carom_bulletConfigVersion.cmake
                ${source_dir}/cmake/CaromBulletEngine.cmake
          DESTINATION ${package_dir} ${ARGN})
endfunction()

carom_bullet_install(carom_bulletTargets ${CMAKE_INSTALL_LIBDIR})
