#!/bin/sh
# The rules of the house that a compiler does not check, one by one:
#   system   no system header in src/ outside of src/base and src/system: rooms use the C library of C17, compilers'
#            intrinsics and the libraries that they are made for
#   types    every rp_ type has one definition in src/ and include/
#   prefixes every function that a room exports begins with rp_ and the name of its room, of a file of
#            the room, or of a type that the room, `base` or include/repose declares (its name, the
#            plural or the singular of it, without _spec, _options and the like); those of
#            include/repose may have names of their own; CONTRIBUTING.md says why
#   files    a room of src/ has at most 15 files, a file at most 650 lines, and no two .c files of src/
#            have one name
#   words    words that docs/glossary.md has a better one for ("Words that are not used")
#   tests/house.sh RULE SOURCE [BUILD]
set -eu
build=${3:-}
rule=$1
cd "$2"
found=$(mktemp)
trap 'rm -f "$found"' EXIT

case $rule in
system)
    standard='assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|math|setjmp|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|string|tgmath|time|uchar|wchar|wctype'
    libraries='hdf5|zlib|png|ode/ode|libfyaml|embree3/rtcore|xmmintrin|immintrin'
    grep -rnE '#include <' --include='*.[ch]' src | grep -vE '^src/(base|system)/' |
        grep -vE "#include <($standard|$libraries)\\.h>" >"$found" || true
    advice='system calls stand in src/base and src/system only: see base/file.h, text.h, threads.h, system/atomic.h, disk.h, program.h'
    ;;
types)
    grep -rnE '^(typedef )?(struct|enum|union) rp_[a-z0-9_]+ \{' --include='*.[ch]' src include |
        sed -E 's/^([^:]+:[0-9]+):(typedef )?(struct|enum|union) (rp_[a-z0-9_]+).*/\4 \1/' | sort |
        awk '{ n[$1]++; at[$1] = at[$1] " " $2 } END { for (name in n) if (n[name] > 1) print name ":" at[name] }' >"$found"
    advice='one name, one thing: call the private ones what they are'
    ;;
prefixes)
    # Words of everyday: memory, texts, faults and loops in base, functions of a calculator in math.
    words='base:allocate base:release base:reserve base:text base:character base:fail base:log base:assert base:parallel base:memory base:build base:set base:default base:hash base:clock base:options base:locale math:v3 math:m3 math:exp math:ln math:sin math:cos math:atan2 math:cube math:fifth'
    {
        cat include/repose/*.h | tr '\n' ' ' | sed 's/RP_API/\n&/g' | sed -nE 's/^RP_API [^(;]*\b(rp_[a-z0-9_]+)\(.*/public \1/p'
        echo
        echo "$words" | tr ' :' '\n ' | sed 's/^/word /'
        find src -name '*.[ch]' | sed -E 's|^src/(.*)/([^/]*)\.[ch]$|file \1 \2|'
        grep -rhoHE '(struct|enum|union) rp_[a-z0-9_]+|^\} rp_[a-z0-9_]+;|^typedef [^{}]*;' --include='*.h' src include |
            sed -E 's|^(include/repose)/[^:]*:|\1 |; s|^src/([^:]*)/[^/:]*:|\1 |' |
            awk '{ folder = $1; while (match($0, /rp_[a-z0-9_]+/)) { print "type", folder, substr($0, RSTART + 3, RLENGTH - 3); $0 = substr($0, RSTART + RLENGTH) } }'
        (cd "$build/src/CMakeFiles" && find . -path './rp_*.dir/*' -name '*.c.o' | xargs nm -A --defined-only -P |
            sed -nE 's|^\./rp_[a-z_]+\.dir/(.*)/([^/]*)\.c\.o: (rp_[a-z0-9_]+) [Ti] .*|symbol \1 \2 \3|p' | sort -u)
    } | awk '
        function allow(folder, name) {
            ok[folder " " name] = 1
            ok[folder " " name "s"] = 1
            if (sub(/s$/, "", name)) ok[folder " " name] = 1
        }
        $1 == "public" { public[$2] = 1 }
        $1 == "word" { allow($2, $3) }
        $1 == "file" { allow($2, $3); word = $3; if (sub(/_.*/, "", word)) allow($2, word); n = split($2, part, "/"); allow($2, part[n]) }
        $1 == "type" { allow($2, $3); word = $3; if (sub(/_(spec|options|def|fn|kind|type|file|info|view|state)$/, "", word)) allow($2, word) }
        $1 == "symbol" {
            word = substr($4, 4)
            for (known = 0; !known && word != "";) {
                known = ($2 " " word in ok) || ("base " word in ok) || ("include/repose " word in ok)
                if (!sub(/_[^_]*$/, "", word)) word = ""
            }
            if (!known && !($4 in public) && $4 !~ /^rp_(default|set)_/) print "src/" $2 "/" $3 ".c: " $4
        }' | while IFS= read -r line; do # objects of sources that are gone may still lie about
        [ ! -f "${line%%:*}" ] || echo "$line"
    done >"$found"
    advice='a name says its room, its file or its object: see "Names" in CONTRIBUTING.md'
    ;;
files)
    {
        find src -name '*.[ch]' | sed 's|/[^/]*$||' | sort | uniq -c | awk '$1 > 15 { print $2 ": " $1 " files" }'
        find src -name '*.[ch]' -exec wc -l {} + | awk '$2 != "total" && $1 > 650 { print $2 ": " $1 " lines" }'
        find src -name '*.c' | awk -F/ '{ n[$NF]++; at[$NF] = at[$NF] " " $0 } END { for (name in n) if (n[name] > 1) print name ":" at[name] }'
    } >"$found"
    advice='few, full files: see "Files" in docs/style.md'
    ;;
words)
    # Each of these stands for one word of the glossary; ordinary uses are written in another way.
    private='[Cc]ame along|[Nn]obody|[Nn]ought|[Aa]new|a trifle|to and fro|[Bb]orne|[Aa]side|told of|[Ss]eals?|[Ss]ealed|[Dd]ice|[Ff]ullness'
    grep -rnwE "$private" --include='*.[ch]' --include='*.md' --include='*.sh' --include='*.py' --include='*.yaml' --include='*.txt' \
        --include='*.cmake' --include='Makefile' --exclude=house.sh --exclude=glossary.md \
        src include apps bench docs examples scenes tests tools validation cmake Makefile README.md CONTRIBUTING.md CHANGELOG.md |
        grep -v 'parts/seal' >"$found" || true # the name of an array in files
    advice='a better word is known: see "Words that are not used" in docs/glossary.md'
    ;;
*)
    echo "unknown rule: $rule" >&2
    exit 2
    ;;
esac
[ ! -s "$found" ] || { cat "$found" >&2; echo "$advice" >&2; exit 1; }
