#!/bin/sh
# One pass inside a sandbox: rebuild steps, then rounds of the check command, until its reader's marks say it is over.
#
# It must run where nothing is installed but a POSIX shell and busybox applets, as process 1 or not, and must outlive
# whatever the tests do to their own processes. It judges nothing: it leaves raw events, exit codes, bounded logs and
# markers in $C2T_RESULTS for a reader outside. Exit 0: it did its work, whatever the tests did. 70: it could not.
# Started again on the same results folder it goes on with the next round.
#
# Arguments, all optional. $1 "alone": nothing runs beside it but process 1, so that all others may be killed between
# rounds. $2: when the pass began, in seconds of the epoch. $3: the exit code of whatever has ended this script while it
# ran: where it is process 1 that cannot be, so its round is taken as one that ended with this code.
set -u
umask 022

C2T_WORK=${C2T_WORK:-/c2t/work}
C2T_PLAN=${C2T_PLAN:-/c2t/plan}
C2T_RESULTS=${C2T_RESULTS:-/c2t/results}
C2T_HOME=${C2T_HOME:-/c2t/home}
export C2T_WORK C2T_PLAN C2T_RESULTS C2T_HOME

broken() {
    echo "c2t: $1" >&2
    exit 70
}

# The file appears whole or not at all. A test may have put a folder or a link in its place.
mark() {
    rm -rf "$C2T_RESULTS/$1" &&
        printf '%s\n' "$2" >"$C2T_RESULTS/$1.part" &&
        mv -f "$C2T_RESULTS/$1.part" "$C2T_RESULTS/$1" || broken "cannot write $1 in the results folder"
}

finish() {
    mark complete "$1"
    exit 0
}

has() {
    [ -f "$1" ] && [ ! -L "$1" ] && grep -F -q -e "$2" "$1"
}

# Never opens the file: it may have become a pipe.
size_of() {
    set -- $(ls -ldn "$1" 2>/dev/null)
    echo "${5:-0}"
}

end_group() {
    kill -9 "-$1" 2>/dev/null
    kill -9 "$1" 2>/dev/null
}

# Runs beside the group $1 named $2, whose events go to $3 (empty: only the deadline counts).
watch() {
    quiet=0
    last=none
    limit=$C2T_COLLECT_TIMEOUT
    while sleep 1; do
        if [ "$(date +%s)" -ge "$deadline" ]; then
            mark "$2.deadline" ""
            end_group "$1"
            return
        fi
        [ -n "$3" ] || continue
        size=$(size_of "$3")
        if [ "$size" -gt "$C2T_EVENT_BYTES" ]; then
            mark "$2.flood" ""
            end_group "$1"
            return
        fi
        if [ "$limit" = "$C2T_COLLECT_TIMEOUT" ] && has "$3" "$C2T_MARK_RUNNING"; then
            limit=$((C2T_TEST_TIMEOUT + C2T_GRACE))
        fi
        if [ "$size" != "$last" ]; then
            last=$size
            quiet=0
            continue
        fi
        quiet=$((quiet + 1))
        if [ "$quiet" = "$C2T_GRACE" ] && has "$3" "$C2T_MARK_FINISHED"; then
            end_group "$1"
            return
        fi
        if [ "$quiet" -ge "$limit" ]; then
            mark "$2.hung" ""
            end_group "$1"
            return
        fi
    done
}

# What is left of the output after the first bytes is read and dropped, so that nobody blocks and no disk fills.
drain() {
    head -c "$C2T_LOG_BYTES" >"$1"
    cat >/dev/null
}

# Runs script $2 as the group named $1 in a session of its own; its exit code goes to $code and to $1.exit.
# The leader stands between the script and this process, so that a test killing its parent ends its round only.
run_group() {
    pipe=${TMPDIR:-/tmp}/c2t.$$.$1
    rm -rf "$pipe" "$C2T_RESULTS/$1.log"
    mkfifo "$pipe" 2>/dev/null || {
        pipe=$C2T_RESULTS/$1.pipe
        rm -rf "$pipe"
        mkfifo "$pipe" || broken "cannot make a pipe in ${TMPDIR:-/tmp} or in the results folder"
    }
    drain "$C2T_RESULTS/$1.log" <"$pipe" 2>/dev/null &
    drainer=$!
    setsid sh -c 'sh "$1"; exit $?' leader "$2" </dev/null >"$pipe" 2>&1 &
    leader=$!
    watch "$leader" "$1" "$3" </dev/null >/dev/null 2>&1 &
    watcher=$!
    wait "$leader"
    code=$?
    end_group "$leader"
    kill -9 "$watcher" 2>/dev/null
    wait "$watcher" 2>/dev/null
    # A process that left its group may hold the pipe open: the log is not worth waiting for it.
    (sleep 1 && kill -9 "$drainer") </dev/null >/dev/null 2>&1 &
    closer=$!
    wait "$drainer" 2>/dev/null
    kill -9 "$closer" 2>/dev/null
    wait "$closer" 2>/dev/null
    [ "$alone" ] && kill -9 -1 2>/dev/null
    rm -rf "$pipe"
    mark "$1.exit" "$code"
}

for tool in setsid grep head cat ls mkfifo mv rm date sleep; do
    command -v "$tool" >/dev/null || broken "the sandbox has no '$tool'; a static busybox on PATH is enough"
done
[ -d "$C2T_RESULTS" ] || broken "there is no results folder at $C2T_RESULTS"
[ -f "$C2T_PLAN/check.sh" ] || broken "there is no plan at $C2T_PLAN"
[ -d "$C2T_WORK" ] || broken "there is no tree at $C2T_WORK"
. "$C2T_PLAN/settings.sh" || broken "cannot read the plan's settings"
[ -f "$C2T_RESULTS/complete" ] && exit 0
alone=
if [ $$ = 1 ] || [ "${1:-}" = alone ]; then alone=yes; fi
cut=${3:-}
leader=
trap '[ -n "$leader" ] && end_group "$leader"; exit 143' TERM INT HUP
deadline=$((${2:-$(date +%s)} + C2T_TOTAL_TIMEOUT))

for step in "$C2T_PLAN"/rebuild/*.sh; do
    [ -f "$step" ] || continue
    name=${step##*/}
    name=rebuild.${name%.sh}
    has "$C2T_RESULTS/$name.exit" 0 && [ "$(cat "$C2T_RESULTS/$name.exit")" = 0 ] && continue
    if [ "$cut" ] && [ -e "$C2T_RESULTS/$name.start" ]; then
        code=$cut
        mark "$name.exit" "$code"
    else
        mark "$name.start" ""
        run_group "$name" "$step" ""
    fi
    [ "$code" = 0 ] || finish "rebuildFailed $name"
done

# Returns where another round may help.
weigh() {
    has "$C2T_RESULTS/events.$1" "$C2T_MARK_FINISHED" && finish finished
    [ -e "$C2T_RESULTS/round.$1.deadline" ] && finish deadline
    [ -e "$C2T_RESULTS/round.$1.flood" ] && finish flood
    has "$C2T_RESULTS/events.$1" "$C2T_MARK_STUCK" && finish stuck
    has "$C2T_RESULTS/events.$1" "$C2T_MARK_PROGRESS" || finish stuck
}

round=0
while [ -e "$C2T_RESULTS/round.$round.start" ]; do
    has "$C2T_RESULTS/events.$round" "$C2T_MARK_FINISHED" && finish finished
    round=$((round + 1))
done
last=$((round - 1))
if [ "$cut" ] && [ "$round" -gt 0 ]; then
    [ -e "$C2T_RESULTS/round.$last.exit" ] || mark "round.$last.exit" "$cut"
    weigh "$last"
fi
while [ "$round" -lt "$C2T_MAX_ROUNDS" ]; do
    mark "round.$round.start" ""
    C2T_ROUND=$round
    export C2T_ROUND
    run_group "round.$round" "$C2T_PLAN/check.sh" "$C2T_RESULTS/events.$round"
    weigh "$round"
    round=$((round + 1))
done
finish rounds
