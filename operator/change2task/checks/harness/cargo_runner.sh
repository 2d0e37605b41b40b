# What cargo starts in place of each test binary: $1 is the binary, the rest its arguments. Tests run one at a time, so that
# of a binary that dies exactly one test is to blame; what never began is run again.
exe=$1
shift
events=$C2T_EVENTS
nonce=$C2T_RUNNER_NONCE
unset C2T_EVENTS C2T_RUNNER_NONCE

say() {
    printf '{"c2t":"%s",%s}\n' "$nonce" "$1" >>"$events"
}

# Only binaries of libtest know its options; any other is one check, whose exit status is its result.
listed=$("$exe" --list --format terse "$@" 2>/dev/null </dev/null)
code=$?
odd=$(printf '%s\n' "$listed" | grep -c -v -E '^$|: (test|benchmark)$')
if [ "$code" != 0 ] || [ "$odd" != 0 ]; then
    say "\"e\":\"binary\",\"exe\":\"$exe\",\"foreign\":\"yes\""
    "$exe" "$@"
    code=$?
    say "\"e\":\"foreign\",\"exe\":\"$exe\",\"code\":\"$code\""
    exit "$code"
fi
listed=$(printf '%s\n' "$listed" | sed -n 's/: test$//p')

begun() {
    cat "${events%.*}".* | awk -v exe="\"exe\":\"$exe\"" -v head="{\"c2t\":\"$nonce\",\"e\":\"binary\"," '
        index($0, head) == 1 { mine = index($0, exe) > 0; next }
        mine && match($0, /"event": "started", "name": "[^"]*"/) {
            text = substr($0, RSTART, RLENGTH); sub(/.*"name": "/, "", text); sub(/"$/, "", text); print text
        }'
}

export RUSTC_BOOTSTRAP=1
before=none
while :; do
    done=$(begun)
    rest=$(printf '%s\n' "$listed" | grep -v -x -F -e "$done" -e '')
    [ -z "$rest" ] && [ "$before" != none ] && break
    [ "$rest" = "$before" ] && break
    first=$before
    before=$rest
    say "\"e\":\"binary\",\"exe\":\"$exe\""
    set -f
    if [ "$first" = none ] && [ -z "$done" ]; then
        "$exe" -Z unstable-options --format json --report-time --test-threads=1 "$@" </dev/null >>"$events"
    elif [ -n "$rest" ]; then
        IFS='
'
        # shellcheck disable=SC2086 - one word a name
        "$exe" -Z unstable-options --format json --report-time --test-threads=1 --exact "$@" $rest </dev/null >>"$events"
        unset IFS
    fi
    code=$?
    set +f
    printf '\n' >>"$events"
    say "\"e\":\"left\",\"code\":\"$code\""
done
exit 0
