#!/bin/sh
# Nothing is written through symbolic links, and pipes in place of files do not block the program.
#   tests/cli/links.sh PROGRAM
set -eu
repose=$1
. "$(dirname "$0")/expect.sh"

echo mine >mine
mkdir elsewhere
untouched() {
    [ "$(cat mine)" = mine ] || fail "a file outside was changed: $1"
    [ -z "$(ls elsewhere)" ] || fail "a folder outside was written to: $1"
}

expect 0 "$repose" run first-fall -o whole --frames 2 --quiet --set particles.spacing=8cm --set output.formats=[vtp] --threads 1
# again CODE: a run that has one frame to go.
again() { expect "$1" timeout 20 "$repose" run first-fall -o run --frames 3 --resume --quiet --set particles.spacing=8cm --set output.formats=[vtp] --threads 1; }
fresh() { rm -rf run && cp -r whole run; }

# --- tables, locks and folders of a run
for file in measurements/energy.csv lock; do
    fresh && rm -f run/$file && ln -s "$work/mine" run/$file
    again 2; says "this is a link"; untouched "run/$file is a link"
    fresh && rm -f run/$file && ln mine run/$file
    again 2; says "hard link"; untouched "run/$file is a hard link"
    fresh && rm -f run/$file && mkfifo run/$file
    again 2; says "plain file"
done
for folder in measurements checkpoints fine; do
    fresh && rm -rf run/$folder && ln -s "$work/elsewhere" run/$folder
    again 2; says "run/$folder: this is a link"; untouched "run/$folder is a link"
done
fresh && rm run/export/grains.pvd run/export/grains-000001.vtp && mkfifo run/export/grains-000001.vtp
again 0
fresh && ln -s "$work/mine" run/frames/000003.h5
again 0; untouched "a frame is a link"
expect 0 "$repose" refine run --factor 2 --quiet --threads 1
rm run/fine/counts.csv && ln -s "$work/mine" run/fine/counts.csv
expect 2 timeout 20 "$repose" refine run --factor 2 --quiet --threads 1; says "this is a link"
untouched "fine/counts.csv is a link"

# --- plots and films
if command -v gnuplot >/dev/null; then
    ln -s "$work/mine" energy.svg.partial
    ln -s "$work/mine" energy.svg
    expect 0 "$repose" measure whole energy --plot energy.svg
    untouched "a plot is a link"
    [ -L energy.svg ] && fail "the plot did not take the place of the link"
fi
if command -v ffmpeg >/dev/null && "$repose" version --json | grep -q '"pictures": true'; then
    film() { expect "$1" "$repose" render whole -o film.mp4 --size 32x18 --samples 1 --threads 1 --quiet; }
    ln -s "$work/mine" film.mp4
    film 0; untouched "a film is a link"
    [ -L film.mp4 ] && fail "the film did not take the place of the link"
    ln -s "$work/elsewhere" film.mp4.frames
    film 2; says "this is a link"; untouched "the folder of pictures is a link"
    rm film.mp4.frames && mkdir film.mp4.frames && ln -s "$work/mine" film.mp4.frames/.repose-lock
    film 2; says "this is a link"; untouched "the lock of pictures is a link"
fi

end_well
