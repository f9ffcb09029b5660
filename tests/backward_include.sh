#!/bin/sh
# A lower room that includes a higher one must not build; one that includes a lower one must.
#   tests/backward_include.sh BUILD
set -eu
links=$1/include-of
try() { echo "#include \"$2\"" | cc -std=c17 -D_GNU_SOURCE -fsyntax-only -I"$links/rp_$1" -x c - 2>/dev/null; }

try world base/report.h
try world solver/solver.h
try null solver/solver.h
try registry solver/null/null.h
try run solver/solver.h
for backward in "base math/vec.h" "base repose/world.h" "math neighbor/neighbor.h" "scene solver/solver.h" \
    "neighbor scene/scene.h" "null world/world.h" "measure world/world.h" "measure plot/plot.h" "plot scene/scene.h" "plot measure/measure.h" "render world/world.h" \
    "couple solver/null/null.h" "files record/record.h" "measure system/atomic.h" "record world/world.h" "record solver/solver.h" \
    "record solver/null/null.h" "world solver/null/null.h" "run solver/null/null.h"; do
    # shellcheck disable=SC2086
    if try $backward; then
        echo "room and header: $backward: this include goes backward and builds" >&2
        exit 1
    fi
done
