#!/bin/sh
# Every relative link in the documentation leads to a file that is there, and every anchor to a heading;
# so does every `docs/….md` that is named.
#   tests/links.sh SOURCE
set -eu
cd "$1"
failures=0
links=0

fail() {
    echo "FAIL: $*" >&2
    failures=$((failures + 1))
}

# Lines outside of blocks of code.
prose() { awk '/^ *```/ {inside = !inside; next} !inside' "$1"; }

# The anchors of a file's headings, as GitHub and others make them.
anchors() {
    prose "$1" | awk '/^#+ / {
        sub(/^#+ +/, ""); gsub(/\[|\]\([^)]*\)/, "")
        slug = tolower($0); gsub(/[^a-z0-9 _-]/, "", slug); gsub(/ /, "-", slug)
        print slug (seen[slug] ? "-" seen[slug] : ""); seen[slug]++
    }'
}

# check FILE TARGET: a link as it stands in FILE.
check() {
    links=$((links + 1))
    path=${2%%#*}
    case $2 in *#*) anchor=${2#*#} ;; *) anchor= ;; esac
    goal=$1
    if [ -n "$path" ]; then goal=$(dirname "$1")/$path; fi
    if [ ! -e "$goal" ]; then
        fail "$1 links to $2, which is not there"
    elif [ -n "$anchor" ] && ! anchors "$goal" | grep -qxF -- "$anchor"; then
        fail "$1 links to $2, but no heading there has that anchor"
    fi
}

for file in $(find . -name '*.md' ! -path './build*' ! -path './runs/*' ! -path './demo/*' | sort); do
    for target in $(prose "$file" | grep -o '\](\([^() ]\|([^() ]*)\)*)' | sed 's/^](//; s/)$//'); do
        case $target in
        http:* | https:* | mailto:*) ;;
        *) check "$file" "$target" ;;
        esac
    done
    # shellcheck disable=SC2016
    for named in $(prose "$file" | grep -o '`docs/[A-Za-z0-9_/-]*\.md`' | tr -d '`' | sort -u); do
        links=$((links + 1))
        [ -e "$named" ] || fail "$file names $named, which is not there"
    done
done

[ "$links" -ge 40 ] || fail "only $links links were found"
[ "$failures" -eq 0 ] || exit 1
echo "all $links links lead somewhere"
