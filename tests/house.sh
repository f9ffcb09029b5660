#!/bin/sh
# The rules of the house that a compiler does not check, one by one:
#   private  no header of src/ is included outside of src/, but by tests, benchmarks and validation;
#            programs and examples see include/repose only
#   system   no system header in src/ outside of src/base: rooms use the C library of C17, compilers'
#            intrinsics and the libraries that they are made for
#   types    every rp_ type has one definition in src/ and include/
#   tests/house.sh RULE SOURCE
set -eu
rule=$1
cd "$2"
found=$(mktemp)
trap 'rm -f "$found"' EXIT

# Folders that still break the first rule, as a pattern; the list may only become shorter.
private_exceptions='apps/repose/'

case $rule in
private)
    rooms=$(cd src && echo * | tr ' ' '|')
    find apps examples -name '*.[ch]' 2>/dev/null | xargs grep -nE "#include \"($rooms)/" |
        grep -vE "^(${private_exceptions:-none})" >"$found" || true
    advice='programs include "repose/..." only: what they need belongs in include/repose'
    ;;
system)
    standard='assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|math|setjmp|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|string|tgmath|time|uchar|wchar|wctype'
    libraries='hdf5|zlib|png|ode/ode|libfyaml|embree3/rtcore|xmmintrin|immintrin'
    grep -rnE '#include <' --include='*.[ch]' src | grep -v '^src/base/' |
        grep -vE "#include <($standard|$libraries)\\.h>" >"$found" || true
    advice='system calls stand in src/base only: see base/files.h, disk.h, program.h, locale.h, threads.h'
    ;;
types)
    grep -rnE '^(typedef )?(struct|enum|union) rp_[a-z0-9_]+ \{' --include='*.[ch]' src include |
        sed -E 's/^([^:]+:[0-9]+):(typedef )?(struct|enum|union) (rp_[a-z0-9_]+).*/\4 \1/' | sort |
        awk '{ n[$1]++; at[$1] = at[$1] " " $2 } END { for (name in n) if (n[name] > 1) print name ":" at[name] }' >"$found"
    advice='one name, one thing: call the private ones what they are'
    ;;
*)
    echo "unknown rule: $rule" >&2
    exit 2
    ;;
esac
[ ! -s "$found" ] || { cat "$found" >&2; echo "$advice" >&2; exit 1; }
