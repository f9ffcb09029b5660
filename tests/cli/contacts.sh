#!/bin/sh
# Runs with contacts from the user's side: measured, exported, rendered.
#   tests/cli/contacts.sh PROGRAM MAKER
set -eu
repose=$1
maker=$2
. "$(dirname "$0")/expect.sh"

"$maker" run
"$maker" half without

# --- measuring
expect 0 "$repose" measure run contacts --frames 2; prints "coordination  *7.5 "; prints "contacts  *8640 "
expect 0 "$repose" measure run contacts --csv; prints "^frame,time \[s\],grains \[\],contacts \[\]"
[ "$(wc -l <out)" -eq 4 ] || fail "three frames make three rows and a head"
expect 0 "$repose" measure run stress --region :,:,0.05:0.1 --frames 2 --json
grep '"name": "zz"' out | grep -q '"value": \(10000\|9999\.\)' || fail "144 N on 0.0144 m2 are no 10 kPa: $(cat out)"
cp out metres.txt
expect 0 "$repose" measure run stress --region :,:,5cm:100mm --frames 2 --json
cmp out metres.txt || fail "--region in centimetres"
expect 0 "$repose" measure run forces; prints "normal Silbert beta"; prints "shear mean  *0 "
expect 0 "$repose" measure run force-distribution; prints "normal error"
expect 0 "$repose" measure run fabric --frames 0; prints "from upright"
expect 0 "$repose" measure run contact-angles --csv; prints "^2,0.2"
expect 0 "$repose" measure run force-correlation; prints "correlation"
expect 2 "$repose" measure run stress --region :,:,0:1kg; says "a mass, but a length is wanted"
expect 2 "$repose" measure run stress --region 0:1; says "open"
expect 2 "$repose" measure run stress --region 1:0,:,:; says "open"
expect 2 "$repose" measure run stress --region 0:1,:,:,; says "open"
expect 2 "$repose" measure run energy --region :,:,0:1; says "applies to contacts"
expect 8 "$repose" measure half contacts --frames 2; says "output: {contacts: yes}"
expect 0 "$repose" measure half contacts; prints " nan "
"$maker" none without all
for kind in stress contacts fabric forces force-distribution; do
    for form in "" --csv --json "--plot none.svg"; do
        # shellcheck disable=SC2086
        expect 8 "$repose" measure none $kind $form; says "output: {contacts: yes}"
        [ "$(wc -l <err)" -eq 1 ] || fail "$kind $form of a run without contacts says more: $(head -c 300 err)"
        [ "$form" = --json ] || [ ! -s out ] || fail "$kind $form of a run without contacts has a table: $(head -c 300 out)"
        [ ! -e none.svg ] || fail "$kind of a run without contacts is drawn"
    done
done
if command -v gnuplot >/dev/null; then
    for kind in forces force-distribution contact-angles force-correlation stress; do
        expect 0 "$repose" measure run $kind --plot "$kind.svg"
        grep -q "</svg>" "$kind.svg" || fail "$kind.svg is no picture"
        [ ! -s err ] || fail "plotting $kind complains: $(head -c 300 err)"
    done
    # A panel per unit: numbers of different units share no axis.
    for kind in contacts fabric stress; do
        expect 0 "$repose" measure run $kind --plot panels.svg
        units=$("$repose" measure run $kind --frames 2 --json | sed 's/.*"unit": "\(.*\)".*/\1/' | sort -u | wc -l)
        panels=$(grep -c 'rotate(270)' panels.svg || true)
        [ "$panels" -ge "$units" ] || fail "$kind has $units units and $panels panels"
    done
fi

# --- exporting
expect 0 "$repose" export run --only contacts --format csv --frames 1
[ "$(ls run/export)" = contacts-000001.csv ] || fail "more than contacts are written: $(ls run/export)"
[ "$(wc -l <run/export/contacts-000001.csv)" -eq 8785 ] || fail "not a row a contact"
expect 0 "$repose" export run --only contacts,bodies -o vtp
[ "$(ls vtp | wc -l)" -eq 8 ] || fail "three frames of two kinds and two series: $(ls vtp)"
grep -q contacts-000002.vtp vtp/contacts.pvd || fail "the series lacks a frame"
expect 0 "$repose" export run -o usual --frames 0
[ ! -e usual/contacts-000000.vtp ] || fail "contacts are written without a request"
expect 8 "$repose" export run --only contacts --format ply; says "vtp or csv"
expect 8 "$repose" export half --only contacts; says "output: {contacts: yes}"
expect 2 "$repose" export run --only contcats; says "did you mean 'contacts'"

# --- rendering
if "$repose" version --json | grep -q '"pictures": true'; then
    expect 0 "$repose" render run --chains -o chains.png --size 96x64 --samples 2 -q
    expect 0 "$repose" render run --color chains -o same.png --size 96x64 --samples 2 -q
    cmp chains.png same.png || fail "--chains is not --color chains"
    expect 0 "$repose" render run -o plain.png --size 96x64 --samples 2 -q
    ! cmp -s chains.png plain.png || fail "chains do not show"
    expect 2 "$repose" render run --chains --color speed -o no.png; says "choose one"
    expect 8 "$repose" render half --chains -o no.png --size 96x64; says "{contacts: yes}"
    [ ! -e no.png ] || fail "a picture of nothing"
    expect 0 "$repose" render half --chains --frames 0:1 -o pictures --size 96x64 --samples 1 -q
    [ "$(ls pictures/*.png | wc -l)" -eq 2 ] || fail "two frames are two pictures"
fi

end_well
