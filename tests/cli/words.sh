#!/bin/sh
# Input of users: units, synonyms of keys and values, many mistakes at once, scenes from standard input.
#   tests/cli/words.sh PROGRAM
set -eu
repose=$1
. "$(dirname "$0")/expect.sh"

# --- all mistakes at once, a missing mesh among them, and synonyms
cat >wrong.yaml <<'YAML'
domain: {min: [-1, -1, 0], max: [1, 1, inf]}
particles: {spacing: 2 parsec}
sources: {heap: {shape: cube, size: [1, 1, 1]}}
bodies: {wall: {shape: mesh, file: absent.stl, motion: static}}
materials: {sand: {mu: 0.5}}
YAML
for verb in check run; do
    expect 2 "$repose" $verb wrong.yaml
    says "unknown key 'min'.*did you mean 'low'"
    says "unknown key 'max'.*did you mean 'high'"
    says "'parsec' is not a unit"
    says "'cube'.*did you mean 'box'"
    says "'static'.*did you mean 'fixed'"
    says "unknown key 'mu'.*did you mean 'friction'"
    says "absent.stl.*No such file"
    says "^repose: 7 mistakes"
    says "more may follow"
done

# --- scenes from standard input, in units of several trades
cat >good.yaml <<'YAML'
domain: {low: [-1 m, -1 m, 0], high: [1, 1, inf]}
time: {duration: 0.1 s, frame_rate: 20}
particles: {spacing: 4 in}
materials: {sand: {density: 100 lb/ft3, angle: 33°}}
sources: {heap: {shape: box, size: [1 foot, 2 ft, 12 inches], position: [0, 0, 1], rotation: [0, 0, 30°]}}
YAML
expect 0 "$repose" check - <good.yaml; prints "^stdin is in order"
expect 0 "$repose" run - --quiet <good.yaml
expect 0 "$repose" run good.yaml --quiet
cmp runs/stdin/frames/000002.h5 runs/good/frames/000002.h5 || fail "standard input gives another run"
echo "domain: {lwo: 1}" >lwo.yaml
expect 2 "$repose" check - <lwo.yaml; says "^repose: stdin:1:10: domain.lwo.*did you mean 'low'"
expect 2 "$repose" check - </dev/null; says "empty"

# --- units on the command line
expect 0 "$repose" render runs/good --orbit 1rpm --color speed --range 0:2m/s --size 32x18 --samples 1 -o a.png
expect 0 "$repose" render runs/good --orbit 6 --color speed --range 0:200cm/s --size 32x18 --samples 1 -o b.png
cmp a.png b.png || fail "units of --orbit and --range"
expect 2 "$repose" render runs/good --color speed --range 0:2kg; says "a mass, but a speed is wanted"
expect 2 "$repose" render runs/good --orbit 3m; says "a length, but a rate of turning is wanted"
expect 0 "$repose" run good.yaml -o limited --quiet --memory 1.5GB
expect 3 "$repose" run good.yaml -o small --quiet --memory 1000kB
expect 2 "$repose" run good.yaml --memory 4parsec; says "such as 4GB"

end_well
