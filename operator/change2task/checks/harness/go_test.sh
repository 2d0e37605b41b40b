# The check of a Go module: `go test -json`, then again whatever a dying package left undone. It follows what the
# reader writes above it: nonce, base, pattern, the packages as arguments, go_bare, go_test,
# go_list and go_names.

results=$C2T_RESULTS
events=$results/events.$C2T_ROUND
plan=$C2T_PLAN
root=$(cd "$C2T_WORK" && pwd -P)
cd "$root/$base" || exit 70
unset C2T_WORK C2T_PLAN C2T_RESULTS C2T_HOME C2T_ROUND

go_bare version >/dev/null || exit 127

say() {
    printf '{"c2t":"%s",%s}\n' "$nonce" "$1" >>"$events"
}

everything() {
    for file in "$results"/events.*; do
        [ -f "$file" ] && [ ! -L "$file" ] && cat "$file"
    done
}

# A module of ours, tested by the same go command: one test must pass, one must fail.
canary() {
    (cd "$plan/canary" && GOWORK=off C2T_CANARY=$nonce go_bare test -json -count=1 -vet=off -mod=mod .) \
        </dev/null >>"$events"
}

piece() {
    case $1 in
        whole)
            say "\"e\":\"whole\",\"package\":\"$2\""
            go_test "$pattern" "$2" >>"$events"
            ;;
        list)
            say "\"e\":\"listing\",\"package\":\"$2\""
            found=$(go_names "$2")
            code=$?
            found=$(printf '%s\n' "$found" | grep -E '^(Test|Fuzz|Example)[^[:space:]]*$' | tr '\n' ' ')
            say "\"e\":\"listed\",\"package\":\"$2\",\"code\":\"$code\",\"tests\":\"$found\""
            ;;
        bulk)
            say "\"e\":\"bulk\",\"package\":\"$2\",\"tests\":\"$3\""
            go_test "^($3)\$" "$2" >>"$events"
            ;;
        alone)
            say "\"e\":\"alone\",\"package\":\"$2\",\"test\":\"$3\""
            go_test "^$3\$" "$2" >>"$events"
            say '"e":"done"'
            ;;
    esac
}

if ! everything | grep -F -q "{\"c2t\":\"$nonce\",\"e\":\"go\""; then
    say "\"e\":\"go\",\"root\":\"$root\",\"here\":\"$(pwd -P)\""
    # Compile first: nothing is written while a compiler works, and that silence is not a hanging test.
    go_list -test -deps -export "$@" </dev/null >/dev/null 2>&1
    go_list -find -f '{"c2t":"'"$nonce"'","e":"package","package":"{{.ImportPath}}","dir":{{printf "%q" .Dir}}}' "$@" \
        </dev/null >>"$events"
    canary
    go_test "$pattern" "$@" </dev/null >>"$events"
fi

before=
while :; do
    todo=$(everything | awk -v nonce="$nonce" -f "$plan/go_test.awk") || exit 70
    if [ -z "$todo" ]; then
        say '"e":"finished"'
        exit 0
    fi
    if [ "$todo" = "$before" ]; then
        say '"e":"stuck"'
        exit 0
    fi
    before=$todo
    printf '%s\n' "$todo" | while read -r kind package names; do
        piece "$kind" "$package" "$names" </dev/null
    done
done
