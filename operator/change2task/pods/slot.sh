# Process 1 of a slot: starts the harness, bounds its time, and ends with 0 whatever its tests did, so that the judge runs.
#
# Tests are of the same user: they can stop, kill or starve every process but this one. So while they run nothing is
# called here but what the shell itself does; even a second is waited for by reading what nobody writes. What this
# process is asked by a signal it does as the harness would that is process 1 itself: on one machine it is.
# Arguments: this busybox, the plan's folder, the results' folder. Leaves "stopped" in the results with the limit that
# ended the harness. Exit 6: the kernel has ended something here for want of memory, so nothing can be said.
set -u
busybox=$1
plan=$2
results=$3
[ -f "$plan/start.sh" ] || exit 0

# All containers of a pod share what System V and POSIX queues keep by name, beyond the life of a process. What an earlier
# slot has left goes, as far as this image has the tool; never at the end, when tests may have put another in its place.
forget() {
    for kind in m:shm q:msg s:sem; do
        [ -r "/proc/sysvipc/${kind#*:}" ] || continue
        while read -r _ id _; do
            case $id in *[!0-9]* | "") continue ;; esac
            ipcrm "-${kind%:*}" "$id" 2>/dev/null || echo "c2t: ${kind#*:} $id of an earlier slot stays" >&2
        done <"/proc/sysvipc/${kind#*:}"
    done
    "$busybox" rm -f /dev/mqueue/* 2>/dev/null
}

# How often the kernel has ended a process of this container for want of memory, in version 2 or 1 of its groups.
starved() {
    for file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
        [ -r "$file" ] || continue
        while read -r name count _; do
            [ "$name" = oom_kill ] && deaths=$count
        done <"$file"
    done
}

second() {
    read -r -t 1 -u 9 _
    # Takes in the ended, orphans too, and forgets none of our own.
    jobs -p >/dev/null
    read -r now _ </proc/uptime
    now=${now%.*}
}

# Whether the harness has ended, taken in or not.
over() {
    read -r state 2>/dev/null <"/proc/$harness/stat" || return 0
    case ${state##*) } in [ZX]*) return 0 ;; esac
    return 1
}

# Runs the harness once: $code is its exit code, and $how is ended, told (a signal came here) or overtime.
run() {
    told=
    how=ended
    trap : CHLD
    "$busybox" sh "$plan/start.sh" "$@" 9>&- </dev/null &
    harness=$!
    while ! over; do
        if [ "$now" -ge "$until" ]; then
            how=overtime
            break
        elif [ -n "$told" ]; then
            how=told
            break
        fi
        second
    done
    # From here on the end of a child is no signal that would cut the waiting for this one.
    trap - CHLD
    kill -9 -1 2>/dev/null
    wait "$harness" 2>/dev/null
    code=$?
}

rounds() {
    set -- "$results"/round.*.start
    [ -e "$1" ] || set --
    begun=$#
}

deaths=0
starved
before=$deaths
forget
"$busybox" mkfifo "/tmp/c2t.clock.$$" && exec 9<>"/tmp/c2t.clock.$$" || exit 3
"$busybox" rm -f "/tmp/c2t.clock.$$"
trap 'told=yes' TERM INT HUP
read -r now _ </proc/uptime
now=${now%.*}
read -r seconds <"$plan/seconds" || exit 3
until=$((now + seconds))

starts=1
began=$("$busybox" date +%s)
run alone "$began"
while [ "$how" != overtime ] && [ ! -e "$results/complete" ] && [ "$code" != 70 ]; do
    if [ "$how" = ended ] && [ "$code" -gt 128 ]; then
        # Tests have ended the harness, who could not do so where it is process 1: its round goes on being weighed.
        run alone "$began" "$code"
        continue
    fi
    [ "$starts" -le 20 ] || break
    starts=$((starts + 1))
    rounds
    last=$begun
    began=$("$busybox" date +%s)
    run alone "$began"
    rounds
    [ "$begun" != "$last" ] || break
done

starved
[ "$deaths" = "$before" ] || exit 6
if [ "$how" = overtime ]; then
    "$busybox" chmod u+rwx "$results"
    "$busybox" rm -rf "$results/stopped"
    echo deadline >"$results/stopped"
fi
exit 0
