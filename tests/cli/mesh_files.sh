#!/usr/bin/env bash
# Mesh files through the program: formats that are not read, parts that are turned or overlap, sizes in millimetres,
# bodies that cannot move, and meshes of a run that were changed.
#   tests/cli/mesh_files.sh PROGRAM
set -eu
repose=$1
. "$(dirname "$0")/expect.sh"
export XDG_CACHE_HOME=$work/cache

# box X EDGE TURNED FIRST: an OBJ cube; vertices are numbered from FIRST.
box() {
    for z in 0 "$2"; do
        for xy in "$1 0" "$(($1 + $2)) 0" "$(($1 + $2)) $2" "$1 $2"; do echo "v $xy $z"; done
    done
    for face in '3 2 1 0' '4 5 6 7' '0 1 5 4' '1 2 6 5' '2 3 7 6' '3 0 4 7'; do
        # shellcheck disable=SC2086
        set -- "$1" "$2" "$3" "$4" $face
        if [ "$3" = turned ]; then set -- "$1" "$2" "$3" "$4" "$8" "$7" "$6" "$5"; fi
        echo "f $(($4 + $5)) $(($4 + $6)) $(($4 + $7)) $(($4 + $8))"
    done
}
scene() { echo "particles: {spacing: 2}
time: {duration: 0.1 s, frame_rate: 10}
domain: {low: [-500, -500, 0], high: [500, 500, inf]}
bodies: {b: {shape: mesh, file: $1, density: 1000, motion: dynamic, position: [0, 0, 1]${2:-}}}" >scene.yaml; }

for ending in 3mf assbin dae x3d fbx blend; do
    echo "any bytes" >"cube.$ending"
    expect 2 "$repose" sample "cube.$ending" --spacing 1
    says 'OBJ, STL, PLY, OFF, glTF (.gltf) and GLB files can be read'
    scene "cube.$ending"
    expect 2 "$repose" check scene.yaml
    says 'can be read; export it'
done

# One of two cubes is inside out.
{ box 0 2 plain 1; box 4 2 turned 9; } >mixed.obj
expect 0 "$repose" sample mixed.obj --spacing 1 --json
says 'inside out, and so flipped: part 2 of 2'
prints '"volume": 16,'
scene mixed.obj
expect 0 "$repose" check scene.yaml
says 'part 2 of 2'

# They share half.
{ box 0 2 plain 1; box 1 2 plain 9; } >half.obj
expect 0 "$repose" sample half.obj --spacing 1
prints '12 m3 (parts overlap; the error is about'

# Millimetres.
box 0 254 plain 1 >large.obj
expect 0 "$repose" sample large.obj --spacing 100
says '254 m long; is it in mm? try --scale 0.001'
scene large.obj
expect 0 "$repose" check scene.yaml
says '254 m long; is it in mm? try `scale: 0.001`'
scene large.obj ', scale: 0.001'
expect 0 "$repose" check scene.yaml
! grep -q 'in mm' err || fail "a scale that is given is doubted"

# A run knows its meshes by their content.
scene mixed.obj
expect 0 "$repose" run scene.yaml -o run
expect 0 "$repose" info run
kept=$(ls run/meshes/*.obj)
sed 's/^v 0 0 0/v 0 0 0.5/' "$kept" >changed && cp changed "$kept"
expect 6 "$repose" info run
says 'changed or damaged since the run was made'
end_well
