#!/bin/sh
# The program and the examples use the public interface alone: no file of theirs includes a private
# header, the program's include path has none, and it links against the shared library, which hides
# what is not public.
#   tests/private_includes.sh SOURCE BUILD PROGRAM
set -eu
source=$1
build=$2
program=$3

bad=$(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<][^">]*/[^">]*[">]' \
    "$source/apps" "$source/examples" --include='*.[ch]' | grep -vE '["<](repose|sys)/' || true)
[ -z "$bad" ] || {
    echo "private headers: $bad" >&2
    exit 1
}

# As the build compiles a verb: every folder that it looks into.
folders=$(sed -n 's/.*"command": "\(.*apps\/repose\/main\.c\)".*/\1/p' "$build/compile_commands.json" |
    tr ' ' '\n' | grep '^-I')
# shellcheck disable=SC2086
try() { echo "#include \"$1\"" | cc -std=c17 -D_GNU_SOURCE -fsyntax-only $folders -x c - 2>/dev/null; }
try repose/repose.h || {
    echo "the program's include path is not understood: $folders" >&2
    exit 1
}
for header in base/report.h scene/scene.h measure/measure.h bench/bench.h validation/validation.h; do
    [ -f "$source/src/$header" ] || [ -f "$source/$header" ] || {
        echo "$header is gone" >&2
        exit 1
    }
    if try "$header"; then
        echo "a verb that includes $header builds" >&2
        exit 1
    fi
done

"$program" version | grep -q '^repose '
