# The check of a Rust project: what cargo builds, each test binary through a runner of ours, then doc tests. It follows
# what the reader writes above it: nonce, doc (yes: doc tests are wanted), cargo_test, cargo_doc, cargo_canary.

results=$C2T_RESULTS
C2T_EVENTS=$results/events.$C2T_ROUND
C2T_RUNNER_NONCE=$nonce
round=$C2T_ROUND
plan=$C2T_PLAN
root=$(cd "$C2T_WORK" && pwd -P)
cd "$root" || exit 70
unset C2T_WORK C2T_PLAN C2T_RESULTS C2T_HOME C2T_ROUND

say() {
    printf '{"c2t":"%s",%s}\n' "$nonce" "$1" >>"$C2T_EVENTS"
}

command -v cargo >/dev/null && command -v rustc >/dev/null || {
    echo "cargo and rustc are not on PATH" >&2
    exit 127
}
# rustup's proxies would ask the network for the toolchain that a file of the project names.
host=$(rustc -vV | sed -n 's/^host: //p')
name=CARGO_TARGET_$(printf '%s' "$host" | tr 'a-z-' 'A-Z_')_RUNNER
say "\"e\":\"started\",\"root\":\"$root\",\"host\":\"$host\""
if [ "$round" = 0 ]; then
    find . \( -name .git -o -name target \) -prune -o -name '*.rs' -type f -print | head -n 200000 >"$results/tree"
    cargo_test --no-run --message-format json </dev/null | head -c 67108864 >"$results/artifacts"
fi
export C2T_EVENTS C2T_RUNNER_NONCE
export "$name=sh $plan/cargo_runner.sh"
if [ "$round" = 0 ]; then
    CARGO_TARGET_DIR=${TMPDIR:-/tmp}/c2t-canary C2T_CANARY=$nonce cargo_canary "$plan/canary/Cargo.toml" </dev/null
fi
say '"e":"running"'
cargo_test --no-fail-fast </dev/null
say "\"e\":\"ended\",\"code\":\"$?\""
if [ "$doc" ]; then
    say '"e":"binary","exe":"doc"'
    # A runner is for doc tests too; this one does nothing, and stands before one that the project names.
    export "$name=env"
    RUSTC_BOOTSTRAP=1 cargo_doc </dev/null >>"$C2T_EVENTS"
    say "\"e\":\"documented\",\"code\":\"$?\""
fi
say '"e":"finished"'
exit 0
