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
printf '3OFF\n# box\n8 6 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n4 3 2 1 0\n4 4 5 6 7 255 0 0\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n' > off-box
# Two boxes that share an edge, the second inside out; one in another; two that overlap.
second='f 9 10 11 12\nf 16 15 14 13\nf 13 14 10 9\nf 14 15 11 10\nf 15 16 12 11\nf 16 13 9 12\n'
first='v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 0 0 2\nv 2 0 2\nv 2 2 2\nv 0 2 2\n'
faces='f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n'
for at in 2:4:0:2 .5:1.5:.5:1.5 1:3:0:2; do
    # shellcheck disable=SC2086
    set -- $(echo $at | tr : ' ')
    corners=
    for z in $3 $4; do
        for xy in "$1 $1" "$2 $1" "$2 $2" "$1 $2"; do corners="${corners}v $xy $z\n"; done
    done
    # shellcheck disable=SC2059
    printf "0$first$corners$faces$second" > "obj-two-$1"
done
# A tetrahedron in glTF: two nodes, one mirrored, as text, as bytes, and as a strip; then animated.
bytes='AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAACAAEAAAABAAMAAAADAAIAAQACAAMA'
head='{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,1]}],"nodes":[{"mesh":0,"children":[2]},{"mesh":0,"scale":[-2,1,1],"translation":[-1,0,0]},{"name":"a","matrix":[1,0,0,0,0,1,0,0,0,0,1,0,5,0,0,1],"mesh":0}],'
views='"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":24}],"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},{"bufferView":1,"componentType":5123,"count":12,"type":"SCALAR"}'
mesh='"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,"mode":4}]}],'
text="$head$mesh$views],\"buffers\":[{\"byteLength\":72,\"uri\":\"data:application/octet-stream;base64,$bytes\"}]}"
printf '4%s' "$text" > gltf
sparse=',"sparse":{"count":1,"indices":{"bufferView":1,"componentType":5123},"values":{"bufferView":0}}'
printf '4%s' "$text" | sed "s|\"VEC3\"|\"VEC3\"$sparse|" > gltf-sparse
printf '4%s' "$text" | sed 's|"mode":4|"mode":5|' > gltf-strip
packed="$head$mesh$views],\"buffers\":[{\"byteLength\":72}]}"
while [ $((${#packed} % 4)) != 0 ]; do packed="$packed "; done
little() { printf '%b' "$(printf '\\%03o\\%03o\\000\\000' $(($1 % 256)) $(($1 / 256)))"; }
{
    printf '4glTF\002\000\000\000'
    little $((28 + ${#packed} + 72))
    little ${#packed}
    printf 'JSON%s' "$packed"
    little 72
    printf 'BIN\000'
    echo $bytes | base64 -d
} > glb
samplers='"animations":[{"channels":[{"sampler":0,"target":{"node":1,"path":"translation"}},{"sampler":0,"target":{"node":0,"path":"scale"}}],"samplers":[{"input":2,"output":0,"interpolation":"LINEAR"}]}],'
printf '5%s' "$text" | sed "s|\"bufferViews\"|$samplers&|;s|\"SCALAR\"}|&,{\"bufferView\":0,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"}|" > animation
