#!/bin/sh
# The program from the user's side: verbs, exit codes, messages, a run that is interrupted and resumed.
#   tests/cli/cli.sh PROGRAM SOURCE
set -eu
repose=$1
source=$2
. "$(dirname "$0")/expect.sh"

# --- words
expect 2 "$repose"
expect 2 "$repose" rnu; says "did you mean 'run'"
expect 2 "$repose" run; says "SCENE"
expect 2 "$repose" run --fraems 3 x; says "did you mean '--frames'"
expect 2 "$repose" run --frames x first-fall; says "whole number"
expect 2 "$repose" run --frames -3 first-fall; says "whole number"
expect 2 "$repose" run --set nonsense first-fall; says "key.path=value"
expect 2 "$repose" run first-fal; says "did you mean 'first-fall'"
expect 2 "$repose" check a b; says "one word too many"
expect 2 "$repose" help nothing
expect 0 "$repose" --version; prints "repose [0-9]"
expect 0 "$repose" version --json; prints '"instructions"'
expect 0 "$repose" help; prints "verbs:"; prints "repose run column-collapse "
expect 0 "$repose" run --help; prints "--resume"
expect 0 "$repose" help exit-codes; prints "130"
expect 0 "$repose" help scenes; prints "first-fall"
# Sand is proposed first, grains that pass through each other last.
"$repose" help scenes | head -n 1 | grep -q '^column-collapse ' || fail "help scenes does not begin with sand"
"$repose" help scenes | tail -n 1 | grep -q '^first-fall ' || fail "help scenes does not end with first-fall"
expect 0 "$repose" help units; prints "kg/m3"
expect 0 "$repose" help scene; prints "spacing"
expect 0 "$repose" help scene materials; prints "density"
expect 0 "$repose" help manual; prints "^.TH REPOSE"
for shell in bash zsh fish; do expect 0 "$repose" completion $shell; done
"$repose" completion bash >completion.bash
bash -n completion.bash || fail "bash completion does not parse"
# What completion offers for the last of the words.
offers() {
    PATH="$(dirname "$repose"):$PATH" bash -c 'source ./completion.bash; compopt() { :; }
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _repose; echo "${COMPREPLY[@]}"' - "$@" 2>&1
}
[ "$(offers repose render x --quality "")" = "draft good final" ] || fail "no values of --quality"
[ "$(offers repose run --set particles.sp)" = "particles.spacing=" ] || fail "no keys for --set"
offers repose check "" | grep -q "column-collapse" || fail "no scenes for check"
"$repose" completion zsh | grep -q "(draft good final)" || fail "zsh: no values of --quality"
"$repose" completion fish | grep -q "'draft good final'" || fail "fish: no values of --quality"
expect 2 "$repose" completion tcsh

# --- every verb has help, and every scene is in order
for verb in run resume check info refine render measure sample export validate bench help version completion; do
    expect 0 "$repose" help $verb
done
expect 0 "$repose" help measure; prints "  angle  *slope of a pile"; prints "--plane AXIS=LENGTH"
expect 0 "$repose" help validate; prints "  bounce  *A grain bounces"
for scene in "$source"/scenes/*.yaml; do expect 0 "$repose" check --strict "$scene"; done

# --- the manual equals the output of the program
"$repose" help scene --markdown | cmp - "$source/docs/guide/scene.md" ||
    fail "docs/guide/scene.md is out of date; run make docs"

# --- samples of a mesh
cat >corner.obj <<'OBJ'
v 0 0 0
v 100 0 0
v 0 100 0
v 0 0 100
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
OBJ
export XDG_CACHE_HOME="$work/cache"
expect 2 "$repose" sample corner.obj; says "--spacing is missing"
expect 2 "$repose" sample corner.obj --spacing 5kg; says "a mass, but a length is wanted"
expect 2 "$repose" sample corner.obj --spacing 0; says "above 0"
expect 2 "$repose" sample corner.obj --spacing 5mm --scale x; says "is not a number"
expect 2 "$repose" sample corner.obj --spacing 5mm -o samples.doc; says "\.vtp"
expect 4 "$repose" sample missing.obj --spacing 5mm; says "missing.obj"
sed '$d' corner.obj >open.obj
expect 2 "$repose" sample open.obj --spacing 5mm; says "open.obj:5: .*is open"
if "$repose" version --json | grep -q '"pictures": true'; then
    sample="$repose sample corner.obj --spacing 3mm --scale 0.001"
    expect 2 "$repose" sample corner.obj --spacing 3mm --scale 1mm; says "a plain number is wanted"
    # shellcheck disable=SC2086
    expect 0 $sample -o corner.csv; prints "samples:    25[0-9][0-9]$"; prints "triangles:  4"
    [ "$(wc -l <corner.csv)" -gt 2500 ] || fail "samples are missing from corner.csv"
    [ -s corner.png ] || fail "there is no picture of the samples"
    # shellcheck disable=SC2086
    expect 0 $sample -o again.csv --threads 1; prints "from the cache"
    cmp corner.csv again.csv || fail "samples from the cache are others"
    # shellcheck disable=SC2086
    expect 0 $sample -o again.csv --threads 1 --no-cache; prints "samples:    25[0-9][0-9]$"
    cmp corner.csv again.csv || fail "samples of one thread are others"
    echo damage >>"$(find cache -name 'samples-*')"
    # shellcheck disable=SC2086
    expect 0 $sample --json; prints '"cached": false'; prints '"volume": 0.00016666'
    [ -s corner-samples.png ] || fail "a picture without -o is here"
    mkdir both
    # shellcheck disable=SC2086
    expect 0 $sample -o both; prints "from the cache"
    [ -s both/corner-samples.ply ] && [ -s both/corner-samples.png ] || fail "a folder gets both"
    # shellcheck disable=SC2086
    expect 0 $sample -o corner.vtp
fi
unset XDG_CACHE_HOME

# --- mistakes in scenes: all at once, with place and nearest word
cat >bad.yaml <<'YAML'
time: {duration: -1 s}
particles:
  spacing: 5 kg
materials:
  sand: {densty: 1600}
YAML
expect 2 "$repose" check bad.yaml
says "bad.yaml:1:"; says "bad.yaml:3:"; says "bad.yaml:5:"
says "materials.sand.densty"; says "density"; says "3 mistakes"
expect 2 "$repose" check bad.yaml --json; prints '"ok": false'; prints '"line": 5'
expect 2 "$repose" run bad.yaml -o never
[ ! -e never ] || fail "a bad scene left a folder behind"
expect 2 "$repose" check first-fall --set particles.spacing=-1; says "--set"
expect 4 "$repose" check missing.yaml
expect 4 "$repose" check .
expect 3 "$repose" run first-fall --set particles.spacing=0.01mm -o never; says "GB"
expect 3 "$repose" check first-fall --set particles.spacing=0.01mm; says "GB"
expect 0 "$repose" check first-fall --set bodies.stone.motion=dynamic --set bodies.stone.density=2500
expect 0 "$repose" run first-fall --frames 0 -o one --set particles.spacing=5cm
[ "$(find one/frames -name '*.h5' | wc -l)" -eq 1 ] || fail "--frames 0 is one frame"
[ ! -e never ] || fail "a scene that does not fit left a folder behind"

# --- a run, and what can be done with it
small="--set particles.spacing=4cm --set time.duration=0.5s"
# shellcheck disable=SC2086
expect 0 "$repose" run first-fall -o whole $small; says "of memory (limit:"; says "done:"
says "^steps: .* ms on average, .* limited by"; says "^    .* ([0-9.]* %)"; says "dt .* ms"
[ "$(awk '{ if (length($0) > longest) longest = length($0) } END { print longest }' err)" -le 80 ] ||
    fail "lines of a log are long"
# shellcheck disable=SC2086
expect 2 "$repose" run first-fall -o whole $small; says "--overwrite.*--resume.* -o"
# shellcheck disable=SC2086
expect 0 "$repose" run first-fall -o json $small --json; prints '"hash"'; prints '"reason"'
prints '"density_error": null'; prints '"stages": {"fly": '
prints '"step": {"count": [1-9][0-9]*, "shortest": .*"mean": .*"longest": .*"speed: distance that the fastest grain travels"'
hash_of() { grep -o '"hash": "[0-9a-f]*"' "$1"; }
cp out whole.json
# The same end without the processor's fused multiply-add, which the C library uses where it can;
# the ramp stands at an angle whose sine it gives in two ways.
for turn in "" "--set bodies.ramp.rotation=[0,52.4deg,0]"; do
    # shellcheck disable=SC2086
    expect 0 "$repose" run first-fall -o fused $small $turn --json
    cp out fused.json
    # shellcheck disable=SC2086
    expect 0 env GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4 \
        "$repose" run first-fall -o plain $small $turn --json
    [ "$(hash_of out)" = "$(hash_of fused.json)" ] || fail "another processor ends in another state: $turn"
    rm -r fused plain
done
expect 0 "$repose" info whole; prints "frames:  16 (the scene asks for 16)"
expect 0 "$repose" info whole --json; prints '"grains"'
expect 0 "$repose" measure whole energy; prints "kinetic"
expect 0 "$repose" measure whole energy --json; prints '"uncertainty"'
expect 2 "$repose" measure whole enrgy; says "did you mean 'energy'"

# --- a pile that is there from the start, and a stream that falls on it
cat >cone.yaml <<'YAML'
title: "A cone; `touch owned` 'of' {/=40 grains} & <sand>"
time: {duration: 0.4 s, frame_rate: 20}
particles: {spacing: 1 cm, jitter: 0.3}
domain: {low: [-1, -1, 0], high: [1, 1, inf]}
sources: {pile: {shape: cone, radius: 30 cm, height: 17.32 cm}}
solver: {method: null}
emitters: {spout: {radius: 5 cm, position: [0, 0, 1], direction: [0, 0, -1], speed: 1 m/s}}
bodies: {lift: {shape: box, size: [10 cm, 10 cm, 10 cm], motion: keys, interpolation: linear,
  keys: [{time: 0, position: [-0.8, 0, 1]}, {time: 0.4, position: [-0.8, 0, 2], rotation: [0, 90, 0]}]}}
measurements: {pile: {what: angle}, squeeze: {what: density-error}}
YAML
expect 0 "$repose" run cone.yaml -o cone -q
expect 0 "$repose" measure cone body lift; prints "^     4 .* position  *-0.8  *0  *1.5  m$"
prints " rotation  *0  *45  *0  deg$"; prints " velocity  *0  *0  *2.5  m/s$"; prints " contact-torque "
expect 0 "$repose" measure cone body lift --only spin --frames 3 --json
prints '"name": "spin y", "value": 22[45]'
[ "$(wc -l <out)" -eq 3 ] || fail "--only gives more than one vector"
expect 0 "$repose" measure cone body lift --only position --csv
prints '^frame,time \[s\],position x \[m\],position y \[m\],position z \[m\]$'
[ "$(wc -l <out)" -eq 10 ] || fail "nine frames make nine rows and a head, also with --csv"
expect 0 "$repose" measure cone energy --csv; prints "^frame,time \[s\],kinetic \[J\]"
expect 0 "$repose" measure cone height-profile --frames 0:1 --csv
[ "$(grep -c radius out)" -eq 1 ] || fail "a table of two frames has one head"
expect 0 "$repose" measure cone flow --plane z=0.9 --csv; [ "$(grep -c steady out)" -eq 0 ] || fail "steady in a CSV"
expect 2 "$repose" measure cone body; says "there are: lift"
expect 2 "$repose" measure cone body lfit; says "did you mean 'lift'"
expect 2 "$repose" measure cone body lift --only spni; says "did you mean 'spin'"
expect 2 "$repose" measure cone body lift --json --csv; says "not both"
expect 2 "$repose" measure cone energy lift; says "one word too many"
[ "$(wc -l <cone/measurements/pile.csv)" -eq 10 ] || fail "nine frames make nine rows and a head"
grep -q '^8,.*nan' cone/measurements/pile.csv || fail "a frame without a pile is no nan in the series"
expect 0 "$repose" measure cone angle --frames 0 --json
angle=$(sed -n 's/.*"name": "angle", "value": \([0-9.]*\).*/\1/p' out)
awk "BEGIN {exit !($angle > 29.3 && $angle < 30.7)}" || fail "a cone of 30 degrees reads $angle"
expect 2 "$repose" measure cone angle; says "no pile"
expect 0 "$repose" measure cone angle --frames 0:8; prints " nan "; [ ! -s err ] || fail "it complains about nan"
expect 0 "$repose" measure cone height-profile --frames 0; prints "radius \[m\]"
expect 0 "$repose" measure cone height-profile --frames 0 --along x --json; prints '"x": '
expect 2 "$repose" measure cone height-profile --along z; says "write x or y"
expect 0 "$repose" measure cone volume-profile --frames 0 --along y --csv; prints "^frame,time \[s\],y \[m\],volume \[m3\],thickness \[m\],grains \[\]$"
expect 0 "$repose" measure cone velocity-profile --frames 2 --json; prints '"volume fraction": '
expect 0 "$repose" measure cone front; prints "farthest grain"
expect 0 "$repose" measure cone front --along x --frames 0 --region :,:,0:9; prints "rearmost grain"
expect 0 "$repose" measure cone volume-profile --centre 0,10cm; prints "radius \[m\]"
expect 2 "$repose" measure cone front --centre 0; says "x and y in metres"
expect 2 "$repose" measure cone front --along x --centre 0,0; says "without --along"
expect 2 "$repose" measure cone front --along z; says "write x or y"
expect 8 "$repose" measure cone density-error; says "computes none"; [ ! -s out ] || fail "a table of nothing"
expect 0 "$repose" measure cone flow --plane z=0.9; prints "^steady  mass  *-1[23]"
[ "$(sed -n 's/^steady.*, from/from/p' out | sort -u | wc -l)" -eq 1 ] || fail "one flow has several steady parts: $(grep steady out)"
expect 0 "$repose" measure cone flow --plane z=0.9 --frames 0:2; prints "^no steady part$"
! grep -q "^steady" out || fail "no steady part, and yet one: $(grep steady out)"
expect 0 "$repose" measure cone flow --plane=z=0.9 --json; prints '"steady_from"'; prints '"name": "appeared"'
expect 2 "$repose" measure cone flow; says "--plane"
expect 2 "$repose" measure cone flow --plane q=1; says "in metres"
expect 2 "$repose" measure cone flow --plane z=1kg; says "a mass, but a length is wanted"
"$repose" measure cone flow --plane z=0.9 >metres.txt
"$repose" measure cone flow --plane z=90cm | cmp - metres.txt || fail "--plane in centimetres"
expect 2 "$repose" measure cone flow --plane z=1 --frames 3; says "between frames"
expect 2 "$repose" measure cone energy --frames 90; says "no such frame"
expect 2 "$repose" measure cone energy --plot energy.jpg; says "svg"
expect 8 env PATH=/nowhere "$repose" measure cone energy --plot energy.svg; says "gnuplot-nox"
if command -v gnuplot >/dev/null; then
    for kind in energy momentum count bounds height-profile volume-profile velocity-profile front angle "flow --plane z=0.9" "body lift" \
        "body lift --only force"; do
        # shellcheck disable=SC2086
        expect 0 "$repose" measure cone $kind --frames 0:3 --plot "plot.svg"
        if command -v xmllint >/dev/null; then xmllint --noout plot.svg || fail "the plot of $kind is no XML"; fi
        grep -q "</svg>" plot.svg || fail "the plot of $kind is not whole"
    done
    expect 0 "$repose" measure cone angle --frames 0 --plot angle.png
    [ "$(head -c 4 angle.png | tail -c 3)" = PNG ] || fail "angle.png is no picture"
    [ ! -e owned ] || fail "gnuplot ran what a title says"
else
    echo "no gnuplot: plots are not tested"
fi
cp -r cone broken
printf 'x' | dd of=broken/frames/000003.h5 bs=1 seek=3000 conv=notrunc 2>/dev/null
expect 6 "$repose" measure broken energy; says "000003.h5"
expect 6 "$repose" measure broken flow --plane z=0.9; says "000003.h5"
expect 0 "$repose" measure broken energy --frames 0:2
expect 0 "$repose" export whole --format csv --frames 2:3 -o some
[ "$(find some -name 'grains-*.csv' | wc -l)" -eq 2 ] || fail "two tables were asked for"
expect 0 "$repose" export whole --format csv --frames 1:4 --every 2 --only coarse -o sparse
[ "$(cd sparse && echo *)" = "grains-000001.csv grains-000003.csv" ] || fail "wrong frames: $(ls sparse)"
expect 0 "$repose" export whole --format csv --frames 2 --only bodies -o alone
[ "$(cd alone && echo *)" = "bodies-000002.csv" ] || fail "bodies alone were asked for: $(ls alone)"
expect 0 "$repose" export whole --format csv --frames 2 --only bodies,coarse -o pair
[ "$(cd pair && echo *)" = "bodies-000002.csv grains-000002.csv" ] || fail "both were asked for: $(ls pair)"
expect 2 "$repose" export whole --only bodeis; says "did you mean 'bodies'"
expect 2 "$repose" export whole --frames 1000:2000; says "holds no such frame"
for format in vtp ply csv usda usda-instances; do expect 0 "$repose" export whole --format $format -o "$format"; done
[ -s vtp/grains.pvd ] || fail "no series for ParaView"
[ -s usda/grains.usda ] && [ -s usda/bodies.usda ] || fail "no series in USD"
[ -s usda-instances/grains-instances.usda ] || fail "no series of instances in USD"
expect 2 "$repose" export whole --format obj; says "usda-instances"

# --- fine grains
expect 2 "$repose" export whole --only fine; says "no fine frames; make them with"
expect 0 "$repose" refine whole --factor 2 -o refined --json
prints '^{"frame": 1, .*"steps": [0-9]*, "seconds": '; prints '"done": true'
expect 0 "$repose" export refined --format csv --frames 2 -o refined-tables
[ "$(cd refined-tables && echo *)" = "bodies-000002.csv fine-000002.csv" ] ||
    fail "fine grains were asked for: $(ls refined-tables)"
expect 2 "$repose" export refined --only coarse; says "refined holds no frames$"
expect 2 "$repose" export refined --frames 1000; says "holds no such frame; it has [0-9]* fine frames"
expect 2 "$repose" render refined --frames 1000; says "holds no such frame; it has [0-9]* fine frames, 0 to 15"

# --- pictures and films
tiny="--samples 1 --size 64x36"
expect 0 "$repose" render whole -o last.png --size 320x180; prints "^last.png$"; says "done: 1 picture in"
expect 0 "$repose" render whole --sheet 3x3 -o sheet.png --size 160x90; says "picture 9/9"
# shellcheck disable=SC2086
{
expect 0 "$repose" render whole --sheet 12x12 $tiny --json; prints '"pictures": 16'; [ -s whole/sheet.png ] || fail "no sheet"
expect 0 "$repose" render whole --frames 2:3 -o pictures $tiny
[ "$(find pictures -name '*.png' | wc -l)" -eq 2 ] || fail "two pictures were asked for"
expect 0 "$repose" render whole --frames 2:3 -o pictures $tiny; says "2 existed already"
expect 0 "$repose" render whole --frames 2:3 -o pictures $tiny --quality final; says "2 existed already"
expect 0 "$repose" render whole --frames 2:3 -o pictures --size 64x36 --quality draft; says "2 existed already"
expect 0 "$repose" render whole --frames 2:3 -o pictures $tiny --grain-size 0.5; ! grep -q "existed already" err || fail "grain size"
expect 0 "$repose" render whole --frames 2:3 -o pictures $tiny --orbit -20; ! grep -q "existed already" err || fail "orbit"
for colour in material speed density moisture id velocity_x; do
    expect 0 "$repose" render whole --frames 2 -o new/folder/$colour.png $tiny --color $colour
    expect 0 "$repose" render whole --frames 2 -o $colour.png $tiny --colour $colour --range -1:2.5e0 -q
    [ ! -s err ] && [ ! -s out ] || fail "--quiet is not quiet"
done
expect 0 "$repose" render whole whole --split -o both.png $tiny
expect 2 "$repose" render whole whole -o both.png; says "add --split"
expect 2 "$repose" render whole --split -o both.png; says "needs two runs"
expect 2 "$repose" render whole whole whole --split; says "one word too many"
expect 0 "$repose" render whole -o timed.png --size 320x180 --time; ! cmp -s timed.png last.png || fail "--time shows nothing"
# one picture has a camera and colours of its own, not those of the whole run
expect 0 "$repose" render whole -o automatic.png $tiny --camera automatic --color speed
expect 0 "$repose" render whole --frames 15 -o alone.png $tiny --camera automatic --color speed
cmp automatic.png alone.png || fail "the last picture depends on the frames before it"
mkdir empty
expect 8 env PATH="$work/empty" "$repose" render whole -o film.mp4 $tiny; says "apt-get install ffmpeg"
[ ! -e film.mp4.frames ] || fail "a film that cannot be made leaves a folder behind"
expect 0 env PATH="$work/empty" "$repose" render whole $tiny --frames 2:3; says "Rendering single pictures instead"; prints "whole/pictures"
# long rendering prints a hint about faster qualities, once
"$repose" render whole -o long --size 320x180 --samples 2000 2>long.err &
pid=$!
for i in $(seq 600); do grep -q "faster" long.err && break; kill -0 $pid 2>/dev/null || break; sleep 0.05; done
kill $pid 2>/dev/null; wait $pid || true
[ "$(grep -c 'draft are faster' long.err)" -eq 1 ] || fail "no hint about drafts: $(cat long.err)"
if command -v ffmpeg >/dev/null; then
    expect 0 "$repose" render whole $tiny; prints "^whole/film.mp4$"; says "encoding the film"; says "done: 16 pictures"
    expect 0 "$repose" render whole $tiny -o made/here/film.webm --fps 12.5 --frames 3:5 --json
    prints '"file": "made/here/film.webm", "pictures": 3'
    expect 0 "$repose" render whole whole --split $tiny --frames 0:1; prints "^whole/split.mp4$"
    [ -s whole/film.mp4 ] && [ -s made/here/film.webm ] && [ -s whole/split.mp4 ] || fail "films are missing"
    [ ! -e whole/film.mp4.frames ] || fail "pictures of a finished film were left behind"
    if command -v ffprobe >/dev/null; then
        found=$(ffprobe -v error -count_frames -show_entries stream=width,height,r_frame_rate,nb_read_frames -of csv=p=0 made/here/film.webm)
        [ "$found" = "64,36,25/2,3" ] || fail "not the film that was asked for: $found"
    fi
    # Ctrl-C keeps finished pictures and prints how to continue
    "$repose" render whole --samples 1 --size 1280x720 --threads 1 -o cut.mp4 >/dev/null 2>cut.err &
    pid=$!
    while [ ! -e cut.mp4.frames/000002.png ] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
    kill -INT $pid
    code=0; wait $pid || code=$?
    [ "$code" -eq 130 ] || fail "exit $code after an interrupt"
    grep -q "pictures are done. The same command continues" cut.err || fail "no message on how to continue: $(cat cut.err)"
    expect 0 "$repose" render whole --samples 1 --size 1280x720 --threads 1 -o cut.mp4; says "existed already)"
    # a run with its film
    expect 0 "$repose" run first-fall -o filmed $small $tiny --film --camera automatic; says "^film: filmed/film.mp4"
    [ -s filmed/film.mp4 ] && [ ! -e filmed/film.mp4.frames ] || fail "no film of the run"
    cmp filmed/frames/000015.h5 whole/frames/000015.h5 || fail "a film changes the run"
    expect 0 "$repose" run first-fall -o unhurried $small --set output.checkpoint_every=2 $tiny --film --frames 5
    rm unhurried/film.mp4
    expect 0 "$repose" run first-fall -o unhurried $small --set output.checkpoint_every=2 $tiny --film --frames 5 --resume
    [ -s unhurried/film.mp4 ] || fail "no film of a run that was done"
    expect 0 "$repose" run first-fall -o finely $small $tiny --film --frames 3 --set detail.factor=4 --json
    prints '"film": "finely/film.mp4", "done": true'
    # a run that is stopped, or killed, and resumed makes the same film
    for signal in INT KILL; do
        rm -rf halved
        "$repose" run first-fall -o halved $small --set output.checkpoint_every=4 $tiny --film --camera automatic >/dev/null 2>&1 &
        pid=$!
        while [ ! -e halved/film.mp4.frames/000005.png ] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
        kill -$signal $pid 2>/dev/null || true
        wait $pid 2>/dev/null || true
        expect 0 "$repose" run first-fall -o halved $small --set output.checkpoint_every=4 $tiny --film --camera automatic --resume
        for run in filmed halved; do ffmpeg -v error -i $run/film.mp4 -f md5 - >$run.md5; done
        cmp filmed.md5 halved.md5 || fail "a run ended by $signal and resumed makes another film"
    done
    # trouble with pictures does not end the run
    expect 0 "$repose" run first-fall -o hindered $small --frames 2
    touch hindered/film.mp4.frames
    expect 4 "$repose" run first-fall -o hindered $small $tiny --film --frames 4 --resume
    says "the film waits for the end of the run"; says "done: 5 frames"; says "its film is not"
    rm hindered/film.mp4.frames
    expect 0 "$repose" run first-fall -o hindered $small $tiny --film --frames 4 --resume; says "^film:"
    mkdir -p blocked/bin
    printf '#!/bin/sh\necho broken >&2\nexit 1\n' >blocked/bin/ffmpeg
    chmod +x blocked/bin/ffmpeg
    expect 4 env PATH="$work/blocked/bin:$PATH" "$repose" run first-fall -o unfilmed $small $tiny --film --frames 3
    says "ffmpeg failed: broken"; says "done: 4 frames"
    [ "$(find unfilmed/film.mp4.frames -name '*.png' | wc -l)" -eq 4 ] || fail "pictures were lost"
    expect 0 "$repose" run first-fall -o unfilmed $small $tiny --film --frames 3 --resume; says "^film:"
else
    echo "no ffmpeg: films are not tested"
fi
}
expect 2 "$repose" run first-fall -o x --size 64x36; says "add --film"
expect 2 "$repose" run first-fall -o x --film --samples 0; says "0 samples"
expect 2 "$repose" run first-fall -o x --film --camera missing; says "no camera"
expect 2 "$repose" run first-fall -o x --film --color speed; says "--range"
[ ! -e x ] || fail "a film that was refused left a run behind"
# which fields there are is known by the first frame: the run stops there
expect 2 "$repose" run first-fall -o misnamed $small $tiny --film --color denstiy --range 0:1
says "did you mean 'density'"; says "stopped because its film cannot be made"
[ ! -e misnamed/frames/000001.h5 ] || fail "a film that cannot be rendered did not stop the run"
expect 2 "$repose" render whole --size wide; says "1280x720"
expect 2 "$repose" render whole --size 0x0; says "0 x 0 pixels"
expect 2 "$repose" render whole --size 10000x10000; says "8192"
expect 2 "$repose" render whole --size 99999999999x3
expect 2 "$repose" render whole --samples 0; says "0 samples"
expect 2 "$repose" render whole --samples 99999; says "4096"
expect 2 "$repose" render whole --quality goood; says "did you mean 'good'"
expect 2 "$repose" render whole --range 3:1; says "above the first"
expect 2 "$repose" render whole --range 0:1; says "Add --color"
expect 2 "$repose" render whole --range nan:1
expect 2 "$repose" render whole --range 3; says "0:2.5"
expect 2 "$repose" render whole --color nosuch; says "nosuch"
expect 2 "$repose" render whole --orbit fast; says "a number"
expect 2 "$repose" render whole --orbit inf; says "a finite number"
expect 2 "$repose" render whole --orbit 1e300; says "10000 are allowed"
expect 2 "$repose" render whole --grain-size 0; says "grain size"
expect 2 "$repose" render whole --fps 0; says "--fps"
expect 2 "$repose" render whole --sheet; says "CxR"
expect 2 "$repose" render whole --sheet 3; says "3x3"
expect 2 "$repose" render whole --sheet 0x3; says "12x12"
expect 2 "$repose" render whole --sheet 13x3; says "12x12"
expect 2 "$repose" render whole --sheet 12x12 --size 1280x720; says "--size"
expect 2 "$repose" render whole --sheet 3x3 -o sheet.mp4; says "PNG"
expect 2 "$repose" render whole -o picture.jpg; says "PNG"; says "picture.jpg/ for a folder"
expect 0 "$repose" render whole -o folder.v2/ $tiny --frames 1
expect 0 "$repose" render whole -o folder.v2 $tiny --frames 1; says "1 existed already"
expect 2 "$repose" render whole -o whole; says "such as whole/pictures"
mkdir holiday && cp last.png holiday/000003.png
expect 2 "$repose" render whole -o holiday; says "000003.png"
cmp last.png holiday/000003.png || fail "pictures of somebody else were overwritten"
expect 2 "$repose" render whole --frames 900:901
expect 2 "$repose" render whole --camera missing -o x.png
expect 4 "$repose" render whole -o whole/manifest.json/film.mp4; says "manifest.json"
expect 4 "$repose" render whole -o whole/manifest.json/last.png; says "manifest.json"
expect 4 "$repose" render nowhere
# a refinement that was stopped shows what it has
cp -r refined partly
cp -r whole/frames partly/
rm -f partly/fine/000004.h5 partly/fine/000004-*.h5
expect 0 "$repose" render partly -o partly.png --samples 1 --size 64x36; says "fine grains of 15 of 16 frames are there"
expect 2 "$repose" render partly -o partly.png $tiny --color density; says "--grains coarse"
# a damaged frame is named, and finished pictures stay
cp -r whole spoilt
printf 'x' | dd of=spoilt/frames/000005.h5 bs=1 seek=3000 conv=notrunc 2>/dev/null
expect 6 "$repose" render spoilt -o spoilt-pictures --samples 1 --size 64x36; says "000005.h5"; says "selects frames that are not damaged"
# a missing frame is reported
rm spoilt/frames/000005.h5
expect 0 "$repose" render spoilt -o spoilt.png --samples 1 --size 64x36; says "1 frame is missing between 0 and 15"
expect 4 "$repose" info nowhere
expect 0 "$repose" validate bounce free-flight; prints "ok"
expect 0 "$repose" validate bounce --json; prints '"ok": true'
expect 2 "$repose" validate nothing
expect 2 "$repose" validate bounce free-fligth; says "did you mean 'free-flight'"
expect 0 "$repose" validate bounce free-flight -o report.html --quick
prints "ok   bounce"; prints "ok   free-flight"; says "^bounce: "
if command -v xmllint >/dev/null; then xmllint --noout report.html || fail "the report is not well-formed"; fi
grep -q "2 of 2 cases" report.html || fail "the report lacks its summary"
expect 0 "$repose" validate bounce -q; [ ! -s err ] || fail "--quiet is not quiet"
expect 4 "$repose" validate bounce -q -o no/such/folder.html; says "folder.html"
expect 0 "$repose" validate bounce -q -o results.md
expect 0 "$repose" validate free-flight -q --quick -o results.md
grep -q "^### bounce, full form$" results.md || fail "results of a case that was not run again are gone"
grep -q "^### free-flight, quick form$" results.md || fail "results of the case that ran are not there"
# a case that cannot run is reported, and the others still run
mkdir data
cp -r "$source/validation" data/validation
echo "particles: {spacing: wide}" >data/validation/free-flight/scene.yaml
expect 2 env REPOSE_DATA="$work/data" "$repose" validate bounce free-flight -o report.html
prints "FAIL free-flight"; prints "ok   bounce"; says "spacing"
grep -q "did not run" report.html || fail "the report does not show the case that did not run"
# a number that misses its limit is exit code 1
cp "$source/validation/free-flight/scene.yaml" data/validation/free-flight/scene.yaml
sed 's/restitution: 0.64/restitution: 0.5/' "$source/validation/bounce/scene.yaml" >data/validation/bounce/scene.yaml
expect 1 env REPOSE_DATA="$work/data" "$repose" validate bounce free-flight
prints "MISS bounce"; prints "ok   free-flight"
# all are all but those that take hours; without their scenes they end at once
mkdir -p none/validation none/scenes
expect 4 env REPOSE_DATA="$work/none" "$repose" validate all -q
prints "FAIL bounce"; prints "FAIL tilting-bed"; prints "FAIL published"
! grep -q "pile-angle-fine" out || fail "'all' ran a case that takes hours"
expect 4 env REPOSE_DATA="$work/none" "$repose" validate pile-angle-fine -q; prints "FAIL pile-angle-fine"
expect 0 "$repose" bench neighbor --size 5000 --json; prints '"limit"'
expect 0 "$repose" bench sph --size 1000 --json; prints "sph-flowing-default"
expect 0 "$repose" bench mesh --size 1000 --json; prints "mesh-near"
expect 2 "$repose" bench nothing

# --- fine grains for a run
cp -r whole grained
expect 2 "$repose" refine; says "RUN"
expect 2 "$repose" refine grained; says "--factor 100"
expect 2 "$repose" refine grained --factor 0; says "--factor 100"
expect 2 "$repose" refine grained --factor many; says "whole number"
expect 2 "$repose" refine grained --fator 8; says "did you mean '--factor'"
expect 2 "$repose" refine grained --factor 8 --set detail.contrast=2; says "detail.contrast"
expect 2 "$repose" refine grained --factor 8 --set detail.kep_apart=no; says "keep_apart"
expect 2 "$repose" refine grained again --factor 8; says "one word too many"
expect 4 "$repose" refine nowhere --factor 8; says "nowhere"
expect 2 "$repose" refine cache --factor 8; says "manifest.json"
[ ! -e grained/fine ] || fail "a refinement that was refused left something behind"
cat >real.yaml <<'YAML'
time: {duration: 1 ms, frame_rate: 1000}
particles: {spacing: 1 cm}
sources: {all: {shape: box, size: [2 cm, 2 cm, 2 cm]}}
solver: {method: dem}
YAML
expect 0 "$repose" run real.yaml -o real
expect 2 "$repose" refine real --factor 8; says "detail.factor: .* every grain is a real one"
[ ! -e real/fine ] || fail "single grains were refined"
expect 2 "$repose" render grained --grains fine -o x.png; says "repose refine"
expect 2 "$repose" export grained --only fine; says "repose refine"
expect 0 "$repose" info grained; ! grep -q "^fine:" out || fail "info shows fine grains that are not there"
expect 0 "$repose" refine grained --factor 8; says "done: 16 frames"; says "repose render 'grained'"
coarse_count=$("$repose" info grained --json | sed -n 's/.*"grains": \([0-9]*\).*/\1/p')
expect 0 "$repose" info grained; prints "^fine:  *16 frames"
expect 0 "$repose" info grained --json; prints '"fine_frames": 16'
expect 0 "$repose" export grained --format csv --only fine --frames 15 -o fine-csv
[ "$(cd fine-csv && echo *)" = "fine-000015.csv" ] || fail "fine grains alone were asked for: $(ls fine-csv)"
[ "$(wc -l <fine-csv/fine-000015.csv)" -eq $((8 * coarse_count + 1)) ] ||
    fail "eight fine grains for each of $coarse_count: $(wc -l <fine-csv/fine-000015.csv) lines"
expect 0 "$repose" export grained --format ply --frames 15 -o all-ply
[ -s all-ply/fine-000015.ply ] && [ -s all-ply/grains-000015.ply ] || fail "all were asked for: $(ls all-ply)"
expect 0 "$repose" render grained -o fine.png --size 320x180
expect 0 "$repose" render grained --grains fine -o fine-again.png --size 320x180
expect 0 "$repose" render grained --grains coarse -o coarse.png --size 320x180
cmp fine.png fine-again.png || fail "fine grains are not what render shows"
! cmp -s fine.png coarse.png || fail "fine and coarse grains make the same picture"
cmp -s coarse.png last.png || fail "fine grains change the picture of coarse ones"
expect 2 "$repose" render grained --grains fien -o x.png; says "did you mean 'fine'"
expect 0 "$repose" refine grained --factor 8 --json; prints '"done": true'; prints '"resumed": 15'
expect 2 "$repose" refine grained --factor 9; says "factor: 8"; says "factor: 9"; says "-o"
expect 0 "$repose" refine grained --factor 9 -o nine -q; [ ! -s err ] || fail "--quiet is not quiet"
expect 0 "$repose" refine grained --factor 9 -o nine --threads 1 --memory 1; says "resumed after frame 15"
expect 0 "$repose" render nine -o nine.png --size 320x180
# live, afterwards, and afterwards from a run that was killed: the same files
# shellcheck disable=SC2086
expect 0 "$repose" run first-fall -o live $small --set detail.factor=8 --set output.checkpoint_every=4
for file in live/fine/*.h5; do
    cmp "$file" "grained/fine/${file##*/}" || fail "live and afterwards differ: $file"
done
cp -r whole halted
"$repose" refine halted --factor 8 --threads 1 --set detail.step=1ms >/dev/null 2>&1 &
pid=$!
while [ ! -e halted/fine/000003.h5 ] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
kill -9 $pid 2>/dev/null || true
wait $pid 2>/dev/null || true
cp -r whole unhalted
expect 0 "$repose" refine unhalted --factor 8 --set detail.step=1ms
expect 0 "$repose" refine halted --factor 8 --set detail.step=1ms
for file in unhalted/fine/*.h5; do
    cmp "$file" "halted/fine/${file##*/}" || fail "killed and gone on with differ: $file"
done
# a coarse frame that is damaged is named, and what came before can be seen
cp -r whole torn
printf 'x' | dd of=torn/frames/000004.h5 bs=1 seek=3000 conv=notrunc 2>/dev/null
expect 6 "$repose" refine torn --factor 8; says "000004.h5"
expect 0 "$repose" render torn --grains fine --frames 3 -o torn.png --size 160x90
cp whole/frames/000004.h5 torn/frames
expect 0 "$repose" refine torn --factor 8; says "resumed after frame 3"
for file in grained/fine/*.h5; do
    cmp "$file" "torn/fine/${file##*/}" || fail "a torn frame that was repaired leaves traces: $file"
done

# --- damage is named
cp -r whole damaged
printf 'x' | dd of=damaged/frames/000015.h5 bs=1 seek=3000 conv=notrunc 2>/dev/null
expect 6 "$repose" info damaged; says "000015.h5"; prints "frames:"
rm damaged/manifest.json
expect 2 "$repose" info damaged; says "manifest.json"

# --- Ctrl-C ends the run at its last step and prints how to continue; the end is the same
long="--set particles.spacing=2cm --set time.duration=0.6s"
# shellcheck disable=SC2086
"$repose" run first-fall -o uncut $long --json >uncut.json
# Commands in the background ignore Ctrl-C in a shell without job control; a closed terminal (HUP) and
# TERM are handled in the same manner.
for signal in TERM HUP; do
    # shellcheck disable=SC2086
    "$repose" run first-fall -o cut-$signal $long >cut.out 2>cut.err &
    pid=$!
    while [ ! -e cut-$signal/frames/000002.h5 ] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
    kill -$signal $pid
    code=0
    wait $pid || code=$?
    [ "$code" -eq 130 ] || fail "a run that got $signal ends with $code"
    grep -q "repose resume 'cut-$signal'" cut.err || fail "an interrupted run does not print how to continue"
    expect 0 "$repose" resume cut-$signal --json
    [ "$(hash_of out)" = "$(hash_of uncut.json)" ] || fail "the resumed run ends in another state"
    diff -r uncut/frames cut-$signal/frames >/dev/null || fail "the resumed run's frames differ"
done

# --- killed at any moment, it can be resumed to the same end
for moment in 1 4 9; do
    # shellcheck disable=SC2086
    "$repose" run first-fall -o killed-$moment $long >/dev/null 2>&1 &
    pid=$!
    while [ ! -e killed-$moment/frames/00000$moment.h5 ] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
    kill -9 $pid
    wait $pid 2>/dev/null || true
    # shellcheck disable=SC2086
    expect 0 "$repose" run first-fall -o killed-$moment $long --resume --json
    [ "$(hash_of out)" = "$(hash_of uncut.json)" ] || fail "the killed run ends in another state"
    diff -r uncut/frames killed-$moment/frames >/dev/null || fail "the killed run's frames differ"
    diff uncut/measurements/energy.csv killed-$moment/measurements/energy.csv >/dev/null ||
        fail "the killed run's measurements differ"
done

# --- frames without a checkpoint are not thrown away
rm uncut/checkpoints/*
# shellcheck disable=SC2086
expect 2 "$repose" run first-fall -o uncut $long --resume; says "no checkpoint"
[ "$(find uncut/frames -name '*.h5' | wc -l)" -eq 19 ] || fail "frames were lost"

# --- a run keeps its meshes: it stands when they go, and is not mixed with others
cat >cube.obj <<'OBJ'
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
f 4 3 2 1
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
OBJ
cat >lift.gltf <<'GLTF'
{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"name": "lift"}],
"buffers": [{"byteLength": 32, "uri": "data:application/octet-stream;base64,AAAAAAAAgD8AAAAAAAAAAAAAQEAAAAAAAAAAAAAAgEA="}],
"bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 8}, {"buffer": 0, "byteOffset": 8, "byteLength": 24}],
"accessors": [{"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1]},
{"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3"}],
"animations": [{"samplers": [{"input": 0, "output": 1}],
"channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}]}
GLTF
cat >mesh.yaml <<'YAML'
time: {duration: 0.2 s, frame_rate: 20}
particles: {spacing: 10 cm}
sources: {cube: {shape: mesh, file: cube.obj, position: [0, 0, 2]}}
bodies:
  stone: {shape: mesh, file: cube.obj, scale: 0.5}
  lift: {shape: box, size: [10 cm, 10 cm, 10 cm], motion: keys, animation: lift.gltf, position: [5, 0, 0]}
YAML
if "$repose" version | grep -q "missing:.*mesh"; then
    echo "no mesh files in this build"
else
    expect 0 "$repose" run mesh.yaml -o mesh --frames 2
    prints_count=$("$repose" measure mesh count --json | grep -c '"value": 1000,')
    [ "$prints_count" -eq 3 ] || fail "a cube of ten spacings holds 1000 grains"
    sed 's/^v 1/v 2/' cube.obj >wide.obj
    cp cube.obj kept.obj
    cp wide.obj cube.obj
    expect 2 "$repose" run mesh.yaml -o mesh --resume; says "another scene"
    rm cube.obj
    mv lift.gltf kept.gltf
    expect 0 "$repose" info mesh
    expect 0 "$repose" measure mesh body lift --only position; prints "^     2 .* position  *5  *0  *3.1  m$"
    expect 0 "$repose" export mesh --format ply
    mv kept.obj cube.obj
    mv kept.gltf lift.gltf
    mkdir elsewhere
    mv mesh.yaml cube.obj lift.gltf elsewhere
    mv mesh moved
    expect 0 "$repose" run elsewhere/mesh.yaml -o moved --resume
fi

# --- two runs cannot share a folder
# shellcheck disable=SC2086
"$repose" run first-fall -o shared $small --set time.duration=20s >/dev/null 2>&1 &
pid=$!
while [ ! -e shared/frames/000001.h5 ] && kill -0 $pid 2>/dev/null; do sleep 0.02; done
# shellcheck disable=SC2086
expect 2 "$repose" run first-fall -o shared $small --set time.duration=20s --resume; says "another repose"
kill -9 $pid 2>/dev/null || true
wait $pid 2>/dev/null || true

# --- output that cannot be written is a failure
if [ -e /dev/full ]; then
    code=0
    "$repose" help >/dev/full 2>/dev/null || code=$?
    [ "$code" -eq 4 ] || fail "a full standard output gives exit $code"
fi

end_well
