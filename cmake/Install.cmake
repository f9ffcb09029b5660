# make install: program, library, headers, scenes, docs, the add-on for Blender, manual page, completion,
# pkg-config and CMake files.
include(CMakePackageConfigHelpers)

install(TARGETS repose_program RUNTIME)
install(TARGETS repose EXPORT repose-targets LIBRARY)
install(DIRECTORY include/repose DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/repose)
install(DIRECTORY validation DESTINATION ${CMAKE_INSTALL_DATADIR}/repose
  FILES_MATCHING PATTERN "*.yaml" PATTERN "*.md" PATTERN "*.obj")
install(FILES tools/blender/repose_import.py DESTINATION ${CMAKE_INSTALL_DATADIR}/repose/blender)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
target_include_directories(repose INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(EXPORT repose-targets NAMESPACE repose:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/repose)

configure_package_config_file(cmake/repose-config.cmake.in
  ${PROJECT_BINARY_DIR}/generated/repose-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/repose)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/repose-config-version.cmake
  COMPATIBILITY SameMinorVersion)
# Relative, so that the installed tree may be moved.
file(RELATIVE_PATH RP_PREFIX_FROM_PC
  /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" RP_PREFIX_FROM_PC "${RP_PREFIX_FROM_PC}")
configure_file(cmake/repose.pc.in ${PROJECT_BINARY_DIR}/generated/repose.pc @ONLY)
install(FILES
  ${PROJECT_BINARY_DIR}/generated/repose-config.cmake
  ${PROJECT_BINARY_DIR}/generated/repose-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/repose)
install(FILES ${PROJECT_BINARY_DIR}/generated/repose.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Written by the program itself: see apps/repose/CMakeLists.txt.
install(FILES ${PROJECT_BINARY_DIR}/generated/repose.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/generated/repose.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME repose)
install(FILES ${PROJECT_BINARY_DIR}/generated/_repose
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${PROJECT_BINARY_DIR}/generated/repose.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
