#!/bin/sh
# What other people's files, other programs and limits can do to the terminal and to the program.
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
    until grep -q "making the film" err || [ "$tries" -ge 600 ]; do
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
    says "3 of 3 pictures are there"
fi

end_well
