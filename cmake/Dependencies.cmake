# Every library, in one place. tools/install-packages.sh installs them; each is used by one room.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(FYAML REQUIRED IMPORTED_TARGET libfyaml)     # scene
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial)   # record
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)          # record
pkg_check_modules(ODE IMPORTED_TARGET ode)                     # body, optional: dynamic bodies
pkg_check_modules(PNG IMPORTED_TARGET libpng)                  # picture, optional: PNG files
# Debian's Embree 3 comes without files for pkg-config; the newer versions have another interface.
find_library(EMBREE_LIBRARY embree3)                           # render, optional: rays
find_path(EMBREE_INCLUDE embree3/rtcore.h)
if(EMBREE_LIBRARY AND EMBREE_INCLUDE)
  set(EMBREE_FOUND ON)
  file(STRINGS "${EMBREE_INCLUDE}/embree3/rtcore_config.h" EMBREE_VERSION
    REGEX "#define RTC_VERSION_STRING")
  string(REGEX REPLACE ".*\"(.*)\".*" "\\1" EMBREE_VERSION "${EMBREE_VERSION}")
endif()
pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)               # tests

set(RP_BUILD_TEXT "${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}, ${CMAKE_BUILD_TYPE}")
string(APPEND RP_BUILD_TEXT "; libfyaml ${FYAML_VERSION}, HDF5 ${HDF5_VERSION}")
foreach(library ODE PNG EMBREE)
  string(TOLOWER ${library} lower)
  if(${library}_FOUND)
    string(APPEND RP_BUILD_TEXT ", ${lower} ${${library}_VERSION}")
  else()
    string(APPEND RP_BUILD_TEXT ", without ${lower}")
  endif()
endforeach()
