# A room is one object library of src/. It sees its own headers, those of the rooms it uses and
# theirs in turn, and nothing else: its include path is a folder of links to just those rooms.
# So a backward include does not build. Headers are written "room/header.h" everywhere.
#
#   rp_room(neighbor SOURCES grid.c USES base math [HIDES x] [PUBLIC view.h]
#           [LIBRARIES PkgConfig::X])
#
# HIDES names rooms that it may include itself but does not pass on to those that use it.
# PUBLIC names the headers of include/repose that belong to the room's stage.
function(rp_room name)
  cmake_parse_arguments(ROOM "" "FOLDER" "SOURCES;USES;HIDES;PUBLIC;LIBRARIES" ${ARGN})
  if(NOT ROOM_FOLDER)
    set(ROOM_FOLDER ${name})
  endif()

  set(rooms ${name})  # passed on
  set(hidden)
  foreach(used IN LISTS ROOM_USES ROOM_HIDES)
    if(NOT TARGET rp_${used})
      message(FATAL_ERROR "room '${name}' uses '${used}', which is not a room below it")
    endif()
    get_target_property(below rp_${used} RP_ROOMS)
    if(used IN_LIST ROOM_HIDES)
      list(APPEND hidden ${below})
    else()
      list(APPEND rooms ${below})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES rooms)
  set(seen ${rooms} ${hidden})
  list(REMOVE_DUPLICATES seen)

  list(TRANSFORM ROOM_SOURCES PREPEND "${PROJECT_SOURCE_DIR}/src/${ROOM_FOLDER}/")
  if(NOT ROOM_SOURCES) # headers only
    add_library(rp_${name} INTERFACE)
    set_target_properties(rp_${name} PROPERTIES
      RP_ROOMS "${rooms}" RP_FOLDER "${ROOM_FOLDER}" RP_PUBLIC "${ROOM_PUBLIC}")
    return()
  endif()
  add_library(rp_${name} OBJECT ${ROOM_SOURCES})
  set_target_properties(rp_${name} PROPERTIES
    RP_ROOMS "${rooms}" RP_FOLDER "${ROOM_FOLDER}" RP_PUBLIC "${ROOM_PUBLIC}")
  target_link_libraries(rp_${name} PRIVATE rp_flags ${ROOM_LIBRARIES})
  rp_see_rooms(rp_${name} ${seen})
  rp_forbid_relative_includes(${ROOM_SOURCES})

  set_property(GLOBAL APPEND PROPERTY RP_ALL_ROOMS ${name})
  set_property(GLOBAL APPEND PROPERTY RP_ALL_LIBRARIES ${ROOM_LIBRARIES})
endfunction()

# A method: a room in src/solver that sees the seam, and that the registry alone sees.
function(rp_solver_room name)
  rp_room(${name} FOLDER solver/${name} USES solver ${ARGN})
  set_property(GLOBAL APPEND PROPERTY RP_SOLVER_ROOMS ${name})
endfunction()

function(rp_solver_rooms variable)
  get_property(rooms GLOBAL PROPERTY RP_SOLVER_ROOMS)
  set(${variable} ${rooms} PARENT_SCOPE)
endfunction()

# Gives a target an include folder of links to the rooms named.
function(rp_see_rooms target)
  set(links "${PROJECT_BINARY_DIR}/include-of/${target}")
  file(REMOVE_RECURSE "${links}")
  file(MAKE_DIRECTORY "${links}/repose" "${links}/solver")
  foreach(room IN LISTS ARGN)
    get_target_property(folder rp_${room} RP_FOLDER)
    get_target_property(public rp_${room} RP_PUBLIC)
    if(folder STREQUAL "solver") # its inner rooms stay out of sight: link the files, not the folder
      file(GLOB headers "${PROJECT_SOURCE_DIR}/src/solver/*.h")
      foreach(header IN LISTS headers)
        get_filename_component(file "${header}" NAME)
        file(CREATE_LINK "${header}" "${links}/solver/${file}" SYMBOLIC)
      endforeach()
    else()
      file(CREATE_LINK "${PROJECT_SOURCE_DIR}/src/${folder}" "${links}/${folder}" SYMBOLIC)
    endif()
    foreach(header IN LISTS public)
      file(CREATE_LINK "${PROJECT_SOURCE_DIR}/include/repose/${header}" "${links}/repose/${header}" SYMBOLIC)
    endforeach()
  endforeach()
  target_include_directories(${target} PRIVATE "${links}")
endfunction()

function(rp_forbid_relative_includes)
  foreach(source IN LISTS ARGN)
    get_filename_component(folder "${source}" DIRECTORY)
    file(GLOB headers "${folder}/*.h")
    foreach(file IN LISTS source headers)
      file(STRINGS "${file}" bad REGEX "#include \"\\.\\.")
      if(bad)
        message(FATAL_ERROR "${file}: ${bad}\n  name the room instead: #include \"room/header.h\"")
      endif()
    endforeach()
  endforeach()
endfunction()
