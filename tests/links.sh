#!/bin/sh
# Every relative link and picture in Markdown files leads to a file that exists, and every anchor to a heading;
# so does every `docs/….md` that is named. Covers README, CONTRIBUTING, docs and all other *.md files; links as
# [text](target), ![picture](target), [name]: target, and HTML attributes src and href.
#   tests/links.sh SOURCE
set -eu
cd "$1"
failures=0
links=0

fail() {
    echo "FAIL: $*" >&2
    failures=$((failures + 1))
}

# Lines outside of code blocks.
prose() { awk '/^ *```/ {inside = !inside; next} !inside' "$1"; }

# The anchors of the headings of a file, as GitHub makes them.
anchors() {
    prose "$1" | awk '/^#+ / {
        sub(/^#+ +/, ""); gsub(/\[|\]\([^)]*\)/, "")
        slug = tolower($0); gsub(/[^a-z0-9 _-]/, "", slug); gsub(/ /, "-", slug)
        print slug (seen[slug] ? "-" seen[slug] : ""); seen[slug]++
    }'
}

# The targets of all links of a file, one per line. Code in backquotes is not searched.
targets() {
    # shellcheck disable=SC2016
    prose "$1" | sed 's/`[^`]*`//g' >"$text"
    grep -o '\](\([^()]\|([^()]*)\)*)' "$text" | sed 's/^](//; s/)$//; s/ *"[^"]*"$//'
    sed -n 's/^\[[^]]*\]: *\([^ ]*\).*/\1/p' "$text"
    grep -oE '(src|href)="[^"]*"' "$text" | sed 's/^[a-z]*="//; s/"$//'
}

# check FILE TARGET: a link in FILE.
check() {
    links=$((links + 1))
    path=${2%%#*}
    case $2 in *#*) anchor=${2#*#} ;; *) anchor= ;; esac
    goal=$1
    if [ -n "$path" ]; then goal=$(dirname "$1")/$path; fi
    if [ ! -e "$goal" ]; then
        fail "$1 links to $2, which does not exist"
    elif [ -n "$anchor" ] && ! anchors "$goal" | grep -qxF -- "$anchor"; then
        fail "$1 links to $2, but no heading there has that anchor"
    fi
}

text=$(mktemp)
list=$(mktemp)
trap 'rm -f "$text" "$list"' EXIT
for file in $(find . -name '*.md' ! -path './build*' ! -path './runs/*' ! -path './demo/*' | sort); do
    targets "$file" >"$list" || true
    while IFS= read -r target; do
        case $target in
        http:* | https:* | mailto:* | '') ;;
        *) check "$file" "$target" ;;
        esac
    done <"$list"
    # shellcheck disable=SC2016
    for named in $(prose "$file" | grep -o '`docs/[A-Za-z0-9_/-]*\.md`' | tr -d '`' | sort -u); do
        links=$((links + 1))
        [ -e "$named" ] || fail "$file names $named, which does not exist"
    done
done

[ "$links" -ge 40 ] || fail "only $links links were found"
[ "$failures" -eq 0 ] || exit 1
echo "all $links links are valid"
