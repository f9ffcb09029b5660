#!/bin/sh
# Installs the library to a folder of its own and builds the example outside the tree against it, once
# with pkg-config and once with CMake; runs both. The README shows the same example, line by line.
#   tests/install.sh SOURCE BUILD
set -eu
source=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >/dev/null
cp -r "$source/examples/pour" "$work/pour"

libdir=$(dirname "$(find "$work/prefix" -name repose.pc)")
export PKG_CONFIG_PATH="$libdir"
export LD_LIBRARY_PATH="$libdir/.."
cd "$work"
# shellcheck disable=SC2046
cc -std=c17 -Wall -Wextra -Werror pour/pour.c \
    $(pkg-config --cflags --libs repose) -o pour-pkg-config
./pour-pkg-config >pkg-config.txt

cmake -S pour -B pour-build -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build pour-build >/dev/null
./pour-build/pour >cmake.txt

# With the rpath that the README names, the program finds the library by itself.
# shellcheck disable=SC2046
cc -std=c17 pour/pour.c $(pkg-config --cflags --libs repose) \
    "-Wl,-rpath,$(pkg-config --variable=libdir repose)" -o pour-rpath
env -u LD_LIBRARY_PATH ./pour-rpath | cmp - pkg-config.txt

cmp pkg-config.txt cmake.txt
grep -q '^1.00 s: [1-9][0-9]* grains' cmake.txt
test -s pour.h5
"$work/prefix/bin/repose" check first-fall
test -s "$work/prefix/share/man/man1/repose.1"
test -s "$work/prefix/share/repose/blender/repose_import.py"
test -s "$work/prefix/share/doc/repose/docs/guide/scene.md"
test -s "$work/prefix/share/repose/scenes/meshes/bulldozer.obj"

# The example in the README is the one that was just built.
# shellcheck disable=SC2016
sed -n '/^```c$/,/^```$/p' "$source/README.md" | sed '1d;$d' >readme.c
cmp readme.c "$source/examples/pour/pour.c"
