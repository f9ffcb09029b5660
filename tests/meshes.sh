#!/bin/sh
# The meshes of the scenes are what their generator makes, byte for byte. Without Python: skipped (77).
#   tests/meshes.sh SOURCE
set -eu
source=$1
command -v python3 >/dev/null || { echo "python3 is missing"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 "$source/tools/make-meshes.py" "$work"
for file in "$work"/*.obj "$source"/scenes/meshes/*.obj; do
    name=$(basename "$file")
    cmp "$work/$name" "$source/scenes/meshes/$name"
    [ "$(wc -c <"$file")" -lt 120000 ] || { echo "$name is too large"; exit 1; }
done
[ "$(cat "$work"/*.obj | wc -c)" -lt 400000 ] || { echo "together they are too large"; exit 1; }
