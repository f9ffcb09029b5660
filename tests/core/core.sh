#!/bin/sh
# The core archive needs neither HDF5 nor files nor processes nor sockets, and a program that is linked
# with it alone computes the same bits as with the whole library.
#   tests/core/core.sh ARCHIVE PROGRAM-OF-CORE PROGRAM-OF-ALL
set -eu
archive=$1
core=$2
all=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Undefined symbols of all objects that no object of the archive defines.
nm --defined-only -P "$archive" 2>/dev/null | awk 'NF > 1 { print $1 }' | sort -u >"$work/defined"
nm --undefined-only -P "$archive" 2>/dev/null | awk 'NF > 1 { print $1 }' | sort -u | comm -23 - "$work/defined" >"$work/wanted"
[ -s "$work/defined" ] && [ -s "$work/wanted" ] || { echo "$archive: nm finds no symbols" >&2; exit 1; }

# Of our own nothing may be missing; of the system nothing that reaches a disk, a process or a network.
own='rp_.*'
files='_*(open|open64|openat|creat|fopen|fopen64|freopen|fdopen|tmpfile|tmpfile64|mkstemp|mkostemp|mkdtemp|mkdir|rmdir|unlink|unlinkat|remove|rename|renameat|opendir|fdopendir|readdir|readdir64|stat|stat64|fstat|fstat64|lstat|lstat64|statx|access|realpath|realpath_chk|getcwd|getcwd_chk|chdir|flock|fsync|ftruncate|truncate|read|read_chk|write|pread|pread64|pwrite|pwrite64|mmap|mmap64)'
processes='_*(fork|vfork|clone|posix_spawn.*|exec[lv].*|system|popen|waitpid|wait4|kill|pipe|pipe2)'
network='_*(socket|socketpair|connect|bind|listen|accept|accept4|send|sendto|sendmsg|recv|recvfrom|recvmsg|poll|select|getaddrinfo)'
if grep -xE "H5.*|$own|$files|$processes|$network" "$work/wanted" >"$work/forbidden"; then
    echo "the core archive wants symbols that it must do without:" >&2
    while read -r symbol; do
        echo "  $symbol, wanted by: $(nm --undefined-only -P -A "$archive" 2>/dev/null |
            awk -v s="$symbol" '$2 == s { sub(/.*\[/, "", $1); sub(/\].*/, "", $1); printf "%s ", $1 }')" >&2
    done <"$work/forbidden"
    exit 1
fi

"$core" >"$work/core"
"$all" >"$work/all"
grep -q 'hash' "$work/core"
diff "$work/core" "$work/all" || { echo "the core archive and the whole library differ" >&2; exit 1; }
cat "$work/core"
