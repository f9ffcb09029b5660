#!/bin/sh
# Warnings of `repose check` about valid scenes that would disappoint; a run prints the same ones.
#   tests/cli/check.sh PROGRAM
set -eu
repose=$1
. "$(dirname "$0")/expect.sh"

# scene NAME: writes a scene with sand, and what standard input adds
scene() {
    { printf 'particles: {spacing: 5 cm}\ntime: {duration: 0.05 s, frame_rate: 20}\n'; cat; } >"$1.yaml"
}
room='domain: {low: [-1, -1, 0], high: [1, 1, 2]}'
sand='sources: {sand: {shape: box, size: [0.4, 0.4, 0.4], position: [0, 0, 0.3]}}'

# --- a sound scene
printf '%s\n' "$room" "$sand" | scene sound
expect 0 "$repose" check --strict sound.yaml; prints "is in order"
[ ! -s err ] || fail "a sound scene is warned of: $(cat err)"

# --- a source outside the domain is a mistake, as it is for a run
printf '%s\nsources: {sand: {shape: sphere, radius: 0.2, position: [5, 0, 1]}}\n' "$room" | scene outside
expect 2 "$repose" check outside.yaml; says "sources.sand: .*behind a wall of the domain"
expect 2 "$repose" run outside.yaml -o outside; says "sources.sand: .*behind a wall of the domain"

# --- warnings: exit 0, with --strict 2, and the run says the same
warned() {
    expect 0 "$repose" check "$1.yaml"; says "warning: $2"; prints "can run, with 1 warning"
    expect 2 "$repose" check --strict "$1.yaml"; says "warning: $2"
    expect 0 "$repose" check --json "$1.yaml"; prints '"ok": true'; prints '"warnings": \[{"key": '
    expect 0 "$repose" run -q "$1.yaml" -o "$1"; says "warning: $2"
    expect 0 "$repose" run -q "$1.yaml" -o "$1" --resume
    [ ! -s err ] || fail "a resumed run is warned of again: $(cat err)"
}
printf '%s\n' "$room" | scene empty
warned empty "sources: there are no grains"
printf '%s\n' "$sand" | scene bottomless
warned bottomless "domain: there is nothing for the grains to rest on"
printf '%s\n%s\nemitters: {e: {radius: 0.2, position: [0, 0, 1.5]}}\nbodies: {stone: {shape: sphere, radius: 0.5, position: [0, 0, 0.4]}}\n' \
    "$room" "$sand" | scene buried
warned buried "sources.sand: stays empty: bodies fill all of it"
printf '%s\n%s\nbodies: {%s}\n' "$room" "$sand" \
    'hopper: {shape: funnel, radius: 0.8, neck: 0.08, height: 0.5, thickness: 0.1, position: [0, 0, 0.6]}' |
    sed 's/0, 0, 0.3/0, 0, 1.05/' | scene narrow
warned narrow "bodies.hopper: the opening at .* 3.* spacings"
if "$repose" version --json | grep -q 'ode [0-9]'; then
    block='shape: box, size: [0.2, 0.2, 0.2], motion: dynamic, density: 1000'
    printf '%s\nbodies: {a: {%s, position: [0, 0, 0.1]}, b: {%s, position: [0.05, 0, 0.2]}}\n' \
        "$room" "$block" "$block" | scene inside
    warned inside "bodies.a: starts .* m inside 'b'"
fi

# --- an emitter that emits more grains in a step than there is space for
cat >crowded.yaml <<'YAML'
domain: {low: [-100, -100, -100], high: [100, 100, 100], periodic: [x, y, z]}
particles: {spacing: 10}
emitters: {e: {radius: 39, speed: 100000, position: [-40, -40, 9], direction: [-0.94, 0.33, 0]}}
time: {step: 1, duration: 4 s, frame_rate: 1}
YAML
expect 2 "$repose" check crowded.yaml; says "emitters.e: in one step of 1 s it lets out"
expect 2 "$repose" run crowded.yaml -o crowded; says "emitters.e: in one step of 1 s it lets out"
expect 2 "$repose" run crowded.yaml -o crowded --memory 4000; says "emitters.e: in one step of 1 s it lets out"

end_well
