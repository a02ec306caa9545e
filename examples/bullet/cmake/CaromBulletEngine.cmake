# carom_bullet_find_engine(<double>): defines the target carom::bullet_engine, Bullet in this precision. Sets
# CAROM_BULLET_ENGINE_MISSING to the missing parts. Debian's package of Bullet has a BulletConfig.cmake without targets,
# with paths that are only valid in its prefix.
function(carom_bullet_find_engine double)
  set(missing "")
  set(definitions "")
  # Debian has both precisions; other systems have one, under the plain names.
  set(suffix "")
  set(kind FLOAT)
  if(double)
    set(suffix -float64)
    set(kind DOUBLE)
    set(definitions BT_USE_DOUBLE_PRECISION)
  endif()
  find_path(CAROM_BULLET_INCLUDE btBulletDynamicsCommon.h PATH_SUFFIXES bullet)
  mark_as_advanced(CAROM_BULLET_INCLUDE)
  if(NOT CAROM_BULLET_INCLUDE)
    list(APPEND missing btBulletDynamicsCommon.h)
  endif()
  set(libraries "")
  foreach(part IN ITEMS BulletDynamics BulletCollision LinearMath)
    find_library(CAROM_BULLET_${kind}_${part} NAMES ${part}${suffix} ${part})
    mark_as_advanced(CAROM_BULLET_${kind}_${part})
    if(CAROM_BULLET_${kind}_${part})
      list(APPEND libraries ${CAROM_BULLET_${kind}_${part}})
    else()
      list(APPEND missing ${part}${suffix})
    endif()
  endforeach()
  if(NOT missing)
    # Headers serve both precisions. A library of the other one links too, and its classes have other layouts; only a
    # function with a number among its arguments has another name.
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_INCLUDES ${CAROM_BULLET_INCLUDE})
    set(CMAKE_REQUIRED_LIBRARIES ${libraries})
    set(CMAKE_REQUIRED_DEFINITIONS "")
    set(CMAKE_REQUIRED_QUIET ON)
    if(definitions)
      set(CMAKE_REQUIRED_DEFINITIONS -D${definitions})
    endif()
    check_cxx_source_compiles("
#include <btBulletDynamicsCommon.h>
int main() {
  void (btRigidBody::*damp)(btScalar, btScalar) = &btRigidBody::setDamping;
  btRigidBody body(0, nullptr, nullptr);
  (body.*damp)(0, 0);
}" CAROM_BULLET_${kind}_FITS)
    if(NOT CAROM_BULLET_${kind}_FITS)
      string(TOLOWER ${kind} precision)
      list(APPEND missing "a Bullet of the precision ${precision} (these are not: ${libraries})")
    endif()
  endif()
  if(NOT missing AND NOT TARGET carom::bullet_engine)
    add_library(carom::bullet_engine INTERFACE IMPORTED GLOBAL)
    set_target_properties(carom::bullet_engine PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${CAROM_BULLET_INCLUDE}"
      INTERFACE_COMPILE_DEFINITIONS "${definitions}"
      INTERFACE_LINK_LIBRARIES "${libraries}")
  endif()
  list(JOIN missing ", " missing)
  set(CAROM_BULLET_ENGINE_MISSING "${missing}" PARENT_SCOPE)
endfunction()
