#!/bin/sh
# Runs of methods that compute on grids from the user's side: listed, exported, rendered.
#   tests/cli/grids.sh PROGRAM MAKER
set -eu
repose=$1
maker=$2
. "$(dirname "$0")/expect.sh"

"$maker" run

expect 0 "$repose" info run; prints "height  *m  *33 x 33 x 1 nodes"; prints "flux  *m2/s"
expect 0 "$repose" info run --json; prints '"grids": {"height": {"unit": "m", "size": \[33, 33, 1\]}'

# --- exporting
expect 0 "$repose" export run --only grids
[ "$(ls run/export | wc -l)" -eq 8 ] || fail "three frames of two grids and two series: $(ls run/export)"
grep -q grid-height-000002.vti run/export/grid-height.pvd || fail "the series lacks a frame"
expect 0 "$repose" export run --only grids --format ply -o mesh --frames 2
[ "$(ls mesh)" = grid-height-000002.ply ] || fail "more than the surface is written: $(ls mesh)"
expect 0 "$repose" export run --only grids --format csv -o table --frames 1
[ "$(wc -l <table/grid-height-000001.csv)" -eq 1090 ] || fail "not a row a node"
expect 8 "$repose" export run --only grids --format usda; says "vtp, ply or csv"
expect 2 "$repose" export run --only girds; says "did you mean 'grids'"

# --- painting
if "$repose" version --json | grep -q '"pictures": true'; then
    for frame in 0 2; do
        expect 0 "$repose" render run -o "$frame.png" --frames $frame --size 96x64 --samples 2 -q
    done
    ! cmp -s 0.png 2.png || fail "the cone does not grow"
fi
