#!/bin/sh
# Hostile texts in files, misbehaving programs and resource limits: neither terminal nor program suffer.
#   tests/cli/terminal.sh PROGRAM
set -eu
repose=$1
. "$(dirname "$0")/expect.sh"

# --- a file beyond `ulimit -f` is a fault, not the end of the program
code=0
(ulimit -f 20 && exec "$repose" run first-fall -o large --frames 3 --threads 1 --quiet) >out 2>err || code=$?
[ "$code" -eq 4 ] || fail "a run beyond ulimit -f ends with $code"
says "File too large"
expect 0 "$repose" resume large --frames 1 --threads 1 --quiet

# --- Ctrl-C while ffmpeg does not read
if "$repose" version --json | grep -q '"pictures": true'; then
    expect 0 "$repose" run first-fall -o run --frames 2 --threads 1 --quiet --set particles.spacing=8cm
    mkdir bin
    printf '#!/bin/sh\nexec /bin/sleep 600\n' >bin/ffmpeg
    chmod +x bin/ffmpeg
    # Pictures of noise, so that they do not fit into what the system keeps for ffmpeg.
    PATH="$work/bin:$PATH" "$repose" render run -o stuck.mp4 --size 640x480 --samples 1 --threads 1 >out 2>err &
    pid=$!
    tries=0
    until grep -q "encoding the film" err || [ "$tries" -ge 600 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    kill -INT $pid
    tries=0
    while kill -0 $pid 2>/dev/null && [ "$tries" -lt 60 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    [ "$tries" -lt 60 ] || fail "Ctrl-C has no effect while ffmpeg does not read"
    code=0
    wait $pid || code=$?
    [ "$code" -eq 130 ] || fail "a film that was interrupted ends with $code"
    says "3 of 3 pictures are done"
fi

# --- nothing that a file says moves the cursor, rings or turns the text around
# clean FILE: no control characters but line ends and tabs, none of C1, no marks of direction.
clean() {
    LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" "$1" && fail "control characters in $1: $2"
    LC_ALL=C grep -q "$(printf '\302[\200-\237]')" "$1" && fail "C1 control characters in $1: $2"
    LC_ALL=C grep -q "$(printf '\342\200[\252-\256]')" "$1" && fail "marks of direction in $1: $2"
    return 0
}
cat >title.yaml <<'YAML'
title: "red \e[31m bell \a line\nnext csi \x9b31m turned \u202e daed ünï ×"
particles: {spacing: 20 cm}
domain: {low: [-1, -1, 0], high: [1, 1, inf]}
sources: {block: {shape: box, size: [40 cm, 40 cm, 40 cm], position: [0, 0, 50 cm]}}
time: {duration: 0.04 s, frame_rate: 50}
YAML
say_nothing_odd() { clean out "$*"; clean err "$*"; }
expect 0 "$repose" run title.yaml -o titled --threads 1; says 'red .x1b.31m bell .x07 line.x0anext csi .x9b31m turned .u202e daed ünï ×'
say_nothing_odd run
expect 0 "$repose" info titled; prints 'red .x1b.31m bell'; say_nothing_odd info
expect 0 "$repose" info titled --json; prints '"red .u001b'; say_nothing_odd info --json
expect 0 "$repose" check title.yaml --json; say_nothing_odd check
odd=$(printf 'odd\033[31m\302\233m\342\200\256name')
expect 4 "$repose" check "$odd.yaml"; says 'odd.x1b'; say_nothing_odd check odd
expect 2 "$repose" "$odd"; say_nothing_odd odd
expect 2 "$repose" run title.yaml "--$odd"; say_nothing_odd option
expect 0 "$repose" run title.yaml -o "$odd" --threads 1; say_nothing_odd run odd
expect 2 "$repose" run title.yaml -o "$odd" --threads 1; say_nothing_odd run again
expect 2 "$repose" check title.yaml --set "sources.$odd={shape: box}"; say_nothing_odd names
expect 2 "$repose" measure titled body "$odd"; say_nothing_odd body
if command -v gnuplot >/dev/null; then
    expect 0 "$repose" measure titled energy --plot titled.svg
    clean titled.svg plot
fi
if [ -d bin ]; then # another program's words
    printf '#!/bin/sh\ncat >/dev/null\nprintf "bad \\033[31mthing\\n" >&2\nexit 1\n' >bin/ffmpeg
    PATH="$work/bin:$PATH"
    export PATH
    expect 4 "$repose" render run -o stuck.mp4 --size 640x480 --samples 1 --threads 1 --quiet; says 'bad .x1b'
    say_nothing_odd ffmpeg
fi

end_well
