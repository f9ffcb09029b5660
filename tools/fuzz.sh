#!/bin/sh
# Runs every fuzz target of a build folder for some seconds each; stops at the first crash.
#   tools/fuzz.sh BUILD SECONDS
set -eu
build=$1
seconds=$2
for target in "$build"/fuzz_*; do
    [ -x "$target" ] || continue
    name=$(basename "$target")
    corpus=$build/corpus/$name
    mkdir -p "$corpus"
    case $name in
    fuzz_scene) cp -n scenes/*.yaml "$corpus" 2>/dev/null || true ;;
    fuzz_mesh) tests/fuzz/seeds/mesh.sh "$corpus" ;;
    esac
    echo "$name: $seconds s"
    "$target" -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=20 -print_final_stats=1 \
        -artifact_prefix="$build/crash-$name-" "$corpus" 2>"$build/$name.log" ||
        { tail -40 "$build/$name.log"; exit 1; }
    grep -E 'number_of_executed_units|peak_rss_mb' "$build/$name.log"
done
