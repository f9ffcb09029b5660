#!/bin/sh
# A scene that is run again: replacing the earlier run, or continuing where that was interrupted.
#   tests/cli/again.sh PROGRAM
# shellcheck disable=SC2086 # lists of options
set -eu
repose=$1
. "$(dirname "$0")/expect.sh"

set_it="--set particles.spacing=8cm --set materials.sand.restitution=0.9 --set output.checkpoint_every=4 --set detail.factor=8"
quietly="--threads 1 --quiet"

# --- resume needs nothing but the folder
expect 0 "$repose" run first-fall -o whole $set_it --frames 9 $quietly
# stop_at N: a run of which N frames are done and the rest is lost, as after a kill.
stop_at() {
    rm -rf cut
    expect 0 "$repose" run first-fall -o cut $set_it --frames "$1" $quietly
    sed -i 's/^--frames=.*/--frames=9/' cut/command.txt
}
for frames in 0 3 6; do
    stop_at $frames
    expect 0 "$repose" resume cut --threads 2 --quiet
    for folder in frames checkpoints fine measurements; do
        diff -r whole/$folder cut/$folder >/dev/null || fail "resumed at $frames, cut/$folder differs"
    done
    cmp whole/scene.yaml cut/scene.yaml || fail "the resumed run has another scene"
done
expect 0 "$repose" resume cut; says "cut is finished: 10 frames"
expect 0 "$repose" resume cut --frames 11 --quiet
[ -e cut/frames/000011.h5 ] || fail "resume --frames does not go further"
expect 0 "$repose" resume cut; says "cut is finished: 12 frames"
expect 4 "$repose" resume nowhere; says "nowhere"
mkdir bare
expect 2 "$repose" resume bare; says "not the folder of a run"
expect 2 "$repose" resume cut --size 64x36; says "add --film"

# --- Ctrl-C, and what it says
"$repose" run first-fall -o stopped --set particles.spacing=4cm $quietly 2>err &
process=$!
tries=0
until [ -e stopped/frames/000002.h5 ] || [ "$tries" -ge 400 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
kill -INT $process
code=0
wait $process || code=$?
[ "$code" -eq 130 ] || fail "an interrupted run ends with $code"
says "repose resume 'stopped'"

# --- a film is continued with its own options
if command -v ffmpeg >/dev/null && "$repose" version --json | grep -q '"pictures": true'; then
    film="--film --size 32x18 --samples 2 --orbit 7 --camera automatic"
    expect 0 "$repose" run first-fall -o film $set_it $film --frames 5 $quietly
    expect 0 "$repose" run first-fall -o begun $set_it $film --frames 2 $quietly
    rm begun/film.mp4
    sed -i 's/^--frames=.*/--frames=5/' begun/command.txt
    expect 0 "$repose" resume begun --threads 1; says "film: begun/film.mp4"
    ffmpeg -v error -i film/film.mp4 -f md5 film.md5 && ffmpeg -v error -i begun/film.mp4 -f md5 begun.md5
    cmp film.md5 begun.md5 || fail "the film of a resumed run looks otherwise"
    touch -d '+1 hour' begun/film.mp4
    before=$(stat -c %Y begun/film.mp4)
    expect 0 "$repose" resume begun --threads 1; says "is finished"
    [ "$before" = "$(stat -c %Y begun/film.mp4)" ] || fail "a film that is there is made again"
fi

# --- after an edit: --overwrite
cat >edited.yaml <<'YAML'
particles: {spacing: 10 cm}
domain: {low: [-1, -1, 0], high: [1, 1, inf]}
sources: {block: {shape: box, size: [40 cm, 40 cm, 40 cm], position: [0, 0, 50 cm]}}
time: {duration: 0.1 s, frame_rate: 50}
measurements: {first: {what: energy}}
output: {formats: [csv]}
YAML
expect 0 "$repose" run edited.yaml $quietly
echo mine >runs/edited/notes.txt
touch runs/edited/film.mp4
sed -i 's/0.1 s/0.06 s/; s/first:/second:/; s/10 cm/20 cm/' edited.yaml
expect 2 "$repose" run edited.yaml; says "--overwrite.*--resume.* -o"
expect 2 "$repose" run edited.yaml --overwrite --resume; says "choose one"
expect 0 "$repose" run edited.yaml --overwrite $quietly
expect 0 "$repose" run edited.yaml -o fresh $quietly
for part in frames checkpoints measurements export scene.yaml; do
    diff -r fresh/$part runs/edited/$part >/dev/null || fail "--overwrite leaves other $part than a new run"
done
[ "$(cat runs/edited/notes.txt)" = mine ] || fail "--overwrite took a file that is not the run's"
[ ! -e runs/edited/film.mp4 ] || fail "--overwrite left the film of the old run"
expect 0 "$repose" run edited.yaml -o fresh2 --overwrite $quietly
# never another folder, nor a run in progress
mkdir photos && echo mine >photos/000001.h5
expect 2 "$repose" run edited.yaml -o photos --overwrite; says "not empty"
echo '{"program": "another"}' >photos/manifest.json
expect 6 "$repose" run edited.yaml -o photos --overwrite; says "not a complete manifest"
[ "$(cat photos/000001.h5)" = mine ] || fail "--overwrite took a folder that is no run"
# a scene with mistakes costs nothing
sed 's/20 cm}/20 kg}/' edited.yaml >wrong.yaml
expect 2 "$repose" run wrong.yaml -o fresh --overwrite
[ -e fresh/frames/000002.h5 ] || fail "a scene that cannot run cost the run of before"
if command -v flock >/dev/null; then
    code=0
    flock fresh/lock "$repose" run edited.yaml -o fresh --overwrite >out 2>err || code=$?
    [ "$code" -eq 2 ] || fail "--overwrite of a run in progress ends with $code"
    says "another repose"
    [ -e fresh/frames/000002.h5 ] || fail "--overwrite took a run in progress"
fi

end_well
