#!/bin/sh
# Every command of the README is run as written and in order, but made small: coarse grains, short times, small
# pictures. A command without a rule below fails, so that no new command is forgotten. The scene of
# docs/guide/first-scene.md is checked.
#   tests/cli/readme.sh PROGRAM SOURCE
set -eu
repose=$1
source=$2
. "$(dirname "$0")/expect.sh"
readme=$source/README.md
export XDG_CACHE_HOME="$work/cache"

has() { "$repose" version --json | grep -q "\"$1\": true"; }
pictures=no films=no plots=no
if has pictures; then pictures=yes; fi
if [ $pictures = yes ] && command -v ffmpeg >/dev/null; then films=yes; fi
if command -v gnuplot >/dev/null; then plots=yes; fi

# --- its scenes, by their titles
awk '/^```yaml$/ {inside = 1; n++; next} /^```$/ {inside = 0} inside {print > ("block-" n ".yaml")}' "$readme"
for block in block-*.yaml; do
    case $(head -n 1 "$block") in
    "title: Gravel in a bin") mv "$block" bin.yaml ;;
    "title: A handful of grains") mv "$block" handful.yaml ;;
    *) fail "no rule for the scene that begins with '$(head -n 1 "$block")'" ;;
    esac
done

# --- the scene of the tutorial, whose blocks are parts of one file
awk '/^```yaml$/ {inside = 1; next} /^```$/ {inside = 0} inside' "$source/docs/guide/first-scene.md" >first.yaml
expect 0 "$repose" check --strict first.yaml; prints "is in order: 3848 grains"

# --- what it assumes: a mesh, and two runs to show side by side
# square A B C D: two triangles, seen from outside against the clock.
square() {
    printf 'facet normal 0 0 0\nouter loop\nvertex %s\nvertex %s\nvertex %s\nendloop\nendfacet\n' "$1" "$2" "$3"
    printf 'facet normal 0 0 0\nouter loop\nvertex %s\nvertex %s\nvertex %s\nendloop\nendfacet\n' "$1" "$3" "$4"
}
{
    echo "solid stone"
    square "0 0 0" "0 .1 0" ".1 .1 0" ".1 0 0"
    square "0 0 .1" ".1 0 .1" ".1 .1 .1" "0 .1 .1"
    square "0 0 0" ".1 0 0" ".1 0 .1" "0 0 .1"
    square "0 .1 0" "0 .1 .1" ".1 .1 .1" ".1 .1 0"
    square "0 0 0" "0 0 .1" "0 .1 .1" "0 .1 0"
    square ".1 0 0" ".1 .1 0" ".1 .1 .1" ".1 0 .1"
    echo "endsolid stone"
} >stone.stl
expect 0 "$repose" check handful.yaml
for twin in dry wet; do
    expect 0 "$repose" run handful.yaml -o runs/$twin -q --frames 3 --set particles.spacing=5cm
done

# What makes a scene small. Where a later command asks for frame 112, there must be one: so many a second.
small() {
    case $1 in
    bulldozer) echo "particles.spacing=16cm time.duration=0.113s time.frame_rate=1000" ;;
    splash) echo "particles.spacing=10cm time.duration=0.018s time.frame_rate=1000" ;;
    rope-ladder) echo "particles.spacing=10cm time.duration=0.201s time.frame_rate=1000" ;;
    hourglass) echo "particles.spacing=5cm time.duration=0.101s time.frame_rate=1000" ;;
    column-collapse) echo "particles.spacing=7cm time.frame_rate=10" ;; # it has an angle in the end
    bin.yaml) echo "particles.spacing=16mm time.duration=0.3s materials.stone.young=1MPa" ;;
    *) return 1 ;;
    esac
}

# The value of an option among words: value_of -o WORDS…
value_of() {
    option=$1
    shift
    while [ $# -gt 1 ]; do
        if [ "$1" = "$option" ]; then echo "$2"; fi
        shift
    done
}

there() { [ -s "$1" ] || fail "'$command' left no $1"; }

run_scene() {
    name=$(basename "$2" .yaml)
    if ! settings=$(small "$2"); then
        fail "no rule for the scene of '$command'"
        return
    fi
    for setting in $settings; do set -- "$@" --set "$setting"; done
    rm -rf "runs/$name" # a section of the README begins with a run of its own
    case " $* " in
    *" --film "*)
        [ $films = yes ] || return 0
        set -- "$@" --size 64x36 --samples 1 ;;
    esac
    expect 0 "$repose" "$@" -q
    there "runs/$name/frames/000001.h5"
    case " $* " in *" --film "*) there "runs/$name/film.mp4" ;; esac
}

render() {
    out=$(value_of -o "$@")
    case $out in
    *.png) [ $pictures = yes ] || return 0 ;;
    *) [ $films = yes ] || return 0 ;;
    esac
    expect 0 "$repose" "$@" --size 64x36 --samples 1 -q
    there "${out:-$2/film.mp4}"
}

measure() {
    plot=$(value_of --plot "$@")
    if [ -n "$plot" ] && [ $plots = no ]; then return; fi
    expect 0 "$repose" "$@"
    there out
    [ -z "$plot" ] || there "$plot"
}

# Two fine grains for each will do.
refine() {
    # shellcheck disable=SC2046
    set -- $(echo "$*" | sed 's/ --factor [0-9]*//') --factor 2
    out=$(value_of -o "$@")
    expect 0 "$repose" "$@" -q
    [ -n "$(find "${out:-$2}" -name '*.h5' -path '*fine*')" ] || fail "'$command' left no fine frames"
}

validate() {
    # shellcheck disable=SC2046
    set -- $(echo "$*" | sed 's/ all / bounce /')
    expect 0 "$repose" "$@" -q
    there "$(value_of -o "$@")"
}

# The words of one command of the program.
try() {
    case $1 in
    run) run_scene "$@" ;;
    render) render "$@" ;;
    measure) measure "$@" ;;
    refine) refine "$@" ;;
    validate) validate "$@" ;;
    export) expect 0 "$repose" "$@" -q; there "$2/export/grains.pvd" ;;
    sample) [ $pictures = no ] || { expect 0 "$repose" "$@"; prints "samples"; there stone-samples.png; } ;;
    help) expect 0 "$repose" "$@"; there out ;;
    *) fail "no rule for '$command'" ;;
    esac
}

# --- the lines of its blocks without their comments, a command a line; and what stands in a sentence
awk '/^```sh$/ {inside = 1; next} /^```$/ {inside = 0} inside' "$readme" |
    sed 's/ *#.*//' | tr ';' '\n' | sed 's/^ *//; s/ *$//; /^$/d' >commands
# shellcheck disable=SC2016
grep -o '`repose help[^`]*`\|`make [^`]*`' "$readme" | tr -d '`' >>commands
[ "$(grep -c repose commands)" -ge 25 ] || fail "only $(grep -c repose commands) commands were found"

while read -r command <&3; do
    # shellcheck disable=SC2086
    set -- $command
    program=$1
    shift
    case $program in
    repose | build/repose) try "$@" ;;
    make) grep -q "^$1:" "$source/Makefile" || fail "there is no target for '$command'" ;;
    *) fail "no rule for '$command'" ;;
    esac
done 3<commands

end_well
