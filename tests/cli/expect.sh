# Shared by the tests of the program, which source it: a temporary work folder, and functions that run a command and
# check its exit code and output. `failures` counts.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0

fail() {
    echo "FAIL: $*" >&2
    failures=$((failures + 1))
}

# expect CODE COMMAND…: runs it with output in out and err, and compares the exit code.
expect() {
    wanted=$1
    shift
    code=0
    "$@" >out 2>err || code=$?
    [ "$code" -eq "$wanted" ] || fail "exit $code instead of $wanted: $* ($(head -c 300 err))"
}

says() { grep -q -- "$1" err || fail "standard error lacks '$1': $(head -c 300 err)"; }
prints() { grep -q -- "$1" out || fail "standard output lacks '$1': $(head -c 300 out)"; }

# The last line of a test.
end_well() {
    [ "$failures" -eq 0 ] || exit 1
    echo "all well"
}
