#!/bin/sh
# Every public header compiles alone, as C and as C++; every inner header compiles alone as its room
# sees it.
#   tests/headers.sh SOURCE BUILD
set -eu
source=$1
build=$2
flags="-Wall -Wextra -Werror -fsyntax-only"

for header in "$source"/include/repose/*.h; do
    name=repose/$(basename "$header")
    # shellcheck disable=SC2086
    echo "#include \"$name\"" | cc -std=c17 -pedantic $flags -I"$source/include" -x c -
    # shellcheck disable=SC2086
    echo "#include \"$name\"" | c++ -std=c++17 -pedantic $flags -I"$source/include" -x c++ -
done

hdf5=$(pkg-config --cflags-only-I hdf5-serial)
for header in "$source"/src/*/*.h "$source"/src/solver/*/*.h; do
    name=${header#"$source"/src/}
    room=$(basename "$(dirname "$name")")
    [ "$room" != solver ] || room=registry
    # shellcheck disable=SC2086
    echo "#include \"$name\"" |
        cc -std=c17 -D_GNU_SOURCE -Wno-psabi -Wno-unused-function $flags -I"$build/include-of/rp_$room" $hdf5 -x c - ||
        { echo "$name does not compile alone" >&2; exit 1; }
done
