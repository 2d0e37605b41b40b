# The check of a runner that writes reports: old ones removed, the command, its reports copied out of the tests' reach.
# It follows what the reader writes above it: nonce, inside (yes: reports lie in the folder of our own), pattern (of
# paths, for grep -E), spoken (yes: what the command prints is a report), check.

results=$C2T_RESULTS
events=$results/events.$C2T_ROUND
reports=$results/reports
root=$(cd "$C2T_WORK" && pwd -P)
cd "$root" || exit 70
unset C2T_WORK C2T_PLAN C2T_RESULTS C2T_HOME C2T_ROUND

say() {
    printf '{"c2t":"%s",%s}\n' "$nonce" "$1" >>"$events"
}

# A name with a newline in it is two lines of no file.
files() {
    find . \( -name .git -o -name node_modules \) -prune -o -type f -print
}

written() {
    if [ "$inside" ]; then (cd "$reports" && files); else files; fi | grep -E -e "$pattern" | LC_ALL=C sort
}

json() {
    printf '%s' "$1" | tr '\001-\037' '?' | sed 's/[\\"]/\\&/g'
}

rm -rf "$reports" && mkdir "$reports" || exit 70
say "\"e\":\"started\",\"root\":\"$(json "$root")\""
files | grep -E '\.(java|kt|groovy|scala|php|py|rb|js|mjs|cjs|ts|mts|cts|tsx|jsx|t|c|cc|cpp|cxx|cs|sh|bats|pl)$' |
    head -n 200000 | head -c 33554432 >"$results/tree"
[ "$inside" ] || written | while IFS= read -r path; do rm -f "$path"; done

if [ "$spoken" ]; then check </dev/null >"$reports/-"; else check </dev/null; fi
code=$?

cd "$root" || exit 70
[ "$inside" ] && from=$reports || from=$root
written | head -n 20000 >"$results/written"
number=0
while IFS= read -r path; do
    cp "$from/$path" "$results/report.$number" 2>/dev/null || continue
    say "\"e\":\"report\",\"path\":\"$(json "${path#./}")\",\"number\":\"$number\""
    number=$((number + 1))
done <"$results/written"
say "\"e\":\"ended\",\"code\":\"$code\",\"reports\":\"$number\""
# Without a report nothing was seen, and it would be no different the next time.
if [ "$number" -gt 0 ]; then say '"e":"finished"'; else say '"e":"stuck"'; fi
exit 0
