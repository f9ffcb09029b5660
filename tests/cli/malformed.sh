#!/usr/bin/env bash
# More than 200 malformed scenes through the program: each ends with a message and a nonzero exit code,
# within 1 GiB of address space and ten seconds; none crashes.
#   tests/cli/malformed.sh PROGRAM [unlimited]    (sanitizers need more address space)
set -eu
repose=$1
[ "${2:-}" = unlimited ] || ulimit -v 1048576
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
count=0

refused() {
    count=$((count + 1))
    code=0
    timeout 10 "$repose" check "$@" >out 2>err || code=$?
    if [ "$code" -ne 2 ] && [ "$code" -ne 4 ]; then
        echo "exit $code for: repose check $*" >&2
        head -c 400 "$1" >&2 || true
        exit 1
    fi
    grep -q ': ' err || { echo "no message for: repose check $*" >&2; exit 1; }
}

good='particles: {spacing: 1 cm}'
file() { printf '%b' "$1" >bad.yaml; refused bad.yaml; }

# Every kind of wrong value for keys of every kind.
for key in time.duration time.frame_rate gravity domain.friction particles.spacing particles.jitter \
    materials.sand.density materials.sand.angle materials.sand.wet_cohesion moisture.m.value light.strength output.checkpoint_every seed; do
    for value in nan .nan 1e999 -1e300 'five' '5 parsec' '{a: 1}' '[1, 2]' '!!float 3' '*nothing' '"' \
        '[[[' '5 5' '--3' '0x' 'yes please'; do
        printf '%s\n' "$good" >bad.yaml
        refused bad.yaml --set "$key=$value"
    done
done
for key in tim.duration time.duraton materials.sand.densty sources.a.shap bodies.b.motin nothing solver.methd \
    time..duration .time time. 0; do
    refused bad.yaml --set "$key=1"
done

# Cut off, twice the same, not YAML, not text.
file 'particles: {spacing: 1 cm'
file 'particles: {spacing: "1 cm'
file 'particles: [1, 2'
file "particles:\n  spacing: 1 cm\n spacing: 2 cm\n"
file "$good\nparticles: {spacing: 2 cm}\n"
file "$good\nsources:\n  a: {shape: box, size: [1, 1, 1]}\n  a: {shape: sphere, radius: 1}\n"
file "$good\nsources: {a: {shape: box}}\n"
file "$good\nsources: {a: {shape: blob, size: [1, 1, 1]}}\n"
file "$good\nsources: {a: {shape: mesh, file: nowhere.obj}}\n"
file "$good\nbodies: {b: {shape: sphere, radius: 1, motion: keys}}\n"
file "$good\nbodies: {b: {shape: sphere, radius: -1}}\n"
file "$good\nbodies: {b: {shape: sphere, radius: 1, motion: keys, keys: [{time: 1}, {time: 0}]}}\n"
file "$good\nemitters: {e: {radius: 1, start: 3, stop: 2}}\n"
file "$good\ngravity_keys: [{time: 1, gravity: [0, 0, -1]}, {time: 0, gravity: [0, 0, -1]}]\n"
file "$good\ngravity_keys: [{time: 0, gravity: [0, 0, -1]}, {time: 1, gravity: [0, 0, 1]}]\n"
file "$good\nmoisture: {m: {shape: box, value: 1}}\n"
file "$good\nmoisture: {m: {start: 1 s}}\n"
file "$good\ndomain: {low: [1, 1, 1], high: [0, 0, 0]}\n"
file "$good\ndomain: {periodic: [x]}\n"
file "$good\ndomain: {open: [sideways]}\n"
file "$good\n---\n$good\n"
file "\t$good\n"
file "$good\n\tseed: 1\n"
file '%YAML 9.9\n---\na: b\n'
file '- a\n- list\n'
file 'just words\n'
file ''
file '\n\n\n'
file '# nothing but a comment\n'
file 'a: \0377\0376\n'
file 'a: \0001\0002\n'
file 'a: "\\0000"\n'
printf 'a\0b: c\n' >bad.yaml
refused bad.yaml
printf '\211HDF\r\n\032\n\0\0\0\0\0\010\010\0' >bad.yaml
refused bad.yaml
printf '\177ELF\002\001\001\0\0\0\0\0' >bad.yaml
refused bad.yaml
printf 'include: bad.yaml\n' >bad.yaml
refused bad.yaml
printf 'include: missing.yaml\n' >bad.yaml
refused bad.yaml
printf 'include: /\n' >bad.yaml
refused bad.yaml
refused missing.yaml
refused .
ln -s loop.yaml loop.yaml
refused loop.yaml

# Deep, long, huge, and aliases that explode.
for open in '[' '{a: ' '- '; do
    awk -v open="$open" 'BEGIN { for (i = 0; i < 20000; i++) printf "%s", open; print "" }' >bad.yaml
    refused bad.yaml
done
awk 'BEGIN { for (i = 0; i < 3000; i++) { for (j = 0; j < i; j++) printf " "; print "a:" } }' >bad.yaml
refused bad.yaml
awk 'BEGIN { print "a0: &a0 [x, x, x, x, x, x, x, x, x]"
    for (i = 1; i < 30; i++) { printf "a%d: &a%d [*a%d", i, i, i - 1; for (j = 0; j < 8; j++) printf ", *a%d", i - 1; print "]" } }' \
    >bad.yaml
refused bad.yaml
awk 'BEGIN { for (i = 0; i < 200000; i++) printf "k%d: %d\n", i, i }' >bad.yaml
refused bad.yaml
awk 'BEGIN { printf "title: "; for (i = 0; i < 2000000; i++) printf "aaaaaaaaaa"; print "" }' >bad.yaml
refused bad.yaml

[ "$count" -ge 200 ] || { echo "only $count scenes were tried" >&2; exit 1; }
echo "$count malformed scenes, each refused with a message"
