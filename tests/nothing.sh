#!/bin/sh
# tests/run/nothing.c calls every public function with NULL for each pointer argument, except for reports, which may
# always be NULL: this checks that there is a line for each.
#   tests/nothing.sh SOURCE
set -eu
source=$1

# The public headers, with what RP_DEFAULTS declares in place of the macro.
headers() {
    cat "$source"/include/repose/*.h | sed '/RP_API void name##_fill/d' |
        sed -E 's/^RP_DEFAULTS\((.*), (.*)\)$/RP_API void \2_fill(\1 *options, size_t size);/'
}

# "NAME POINTERS" for every function of them.
headers | tr '\n' ' ' | sed 's/RP_API/\n&/g' | sed -n 's/^RP_API *\([^;{]*)\);.*/\1/p' |
    awk '{
        open = index($0, "(")
        name = substr($0, 1, open - 1)
        sub(/.*[ *]/, "", name)
        rest = substr($0, open)
        sub(/rp_report \*report\)/, ")", rest)
        if (name ~ /^rp_report_/) rest = substr($0, open)
        print name, gsub(/\*+/, "", rest)
    }' >"${TMPDIR:-/tmp}/repose-public.$$"
trap 'rm -f "${TMPDIR:-/tmp}/repose-public.$$"' EXIT

failures=0
functions=0
while read -r name pointers; do
    functions=$((functions + 1))
    [ "$pointers" -gt 0 ] || pointers=1 # HAS_NONE
    lines=$(grep -cE "(REFUSES|ALLOWS|GIVES|IGNORES|HAS_NONE)\(${name}[,)]" "$source/tests/run/nothing.c" || true)
    [ "$lines" -ge "$pointers" ] || {
        echo "$name has $pointers places for NULL, tests/run/nothing.c tries $lines" >&2
        failures=$((failures + 1))
    }
done <"${TMPDIR:-/tmp}/repose-public.$$"
declared=$(headers | grep -c '^RP_API')
[ "$functions" -eq "$declared" ] || { echo "$functions functions were understood, $declared are declared" >&2; exit 1; }
[ "$failures" -eq 0 ] || exit 1
echo "$functions functions"
