#!/bin/sh
# Writes small meshes of every form into a folder, as fuzz_mesh takes them: a digit for the format,
# then the file.   tests/fuzz/seeds/mesh.sh FOLDER
set -eu
cd "$1"
printf '0v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1/1 2/2 4/3\nf -4 -1 -2\nf 2//1 3//1 4//1\n' > obj
printf '0# box\no b\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1e0\nv 1 0 1\nv 1 1 1.\nv 0 1 .1e1\nvn 0 0 1\nf 4 3 2 1\nf 5 6 7 8\nf 1 2 6 \\\n5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\nl 1 2\n' > obj-box
{
    printf '1solid a\n'
    for face in '0 0 0 0 1 0 1 0 0' '0 0 0 1 0 0 0 0 1' '0 0 0 0 0 1 0 1 0' '1 0 0 0 1 0 0 0 1'; do
        # shellcheck disable=SC2086
        set -- $face
        printf 'facet normal 0 0 0\nouter loop\nvertex %s %s %s\nvertex %s %s %s\nvertex %s %s %s\nendloop\nendfacet\n' "$@"
    done
    printf 'endsolid a\n'
} > stl-text
{
    printf '1'
    head -c 80 /dev/zero
    printf '\004\000\000\000'
    for face in 000010100 000100001 000001010 100010001; do
        head -c 12 /dev/zero
        for digit in $(echo $face | sed 's/./& /g'); do
            if [ "$digit" = 1 ]; then printf '%b' "\\0000\\0000\\0200\\0077"; else printf '%b' "\\0000\\0000\\0000\\0000"; fi
        done
        printf '\000\000'
    done
} > stl-bytes
header='element vertex 4\nproperty uchar x\nproperty uchar y\nproperty uchar z\nelement face 4\nproperty list uchar uchar vertex_indices\nend_header\n'
# shellcheck disable=SC2059
printf "2ply\nformat ascii 1.0\ncomment c\n${header}0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n" > ply-text
for order in little big; do
    # shellcheck disable=SC2059
    printf "2ply\nformat binary_${order}_endian 1.0\n${header}\000\000\000\001\000\000\000\001\000\000\000\001\003\000\002\001\003\000\001\003\003\000\003\002\003\001\002\003" > "ply-$order"
    # shellcheck disable=SC2059
    printf "2ply\nformat binary_${order}_endian 1.0\nelement vertex 1\nproperty float x\nproperty double y\nproperty short z\nelement other 1\nproperty list int int l\nend_header\n\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000" > "ply-types-$order"
done
