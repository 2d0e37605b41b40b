#!/bin/sh
# A container engine in a privileged container: the first process of the image `builder`. Words given to it go to dockerd.
#
#   DOCKER_HOST     where it listens, a unix:// address; the image sets one in /c2t/build
#   ENGINE_GROUP    number of the group that may use it; default 1000
set -eu

socket=${DOCKER_HOST#unix://}
mkdir -p "$(dirname "$socket")"
rm -f "$socket" /var/run/docker.pid

# With control groups v2 a group that has processes cannot hand its controllers to groups below it. Ours starts in the
# container's root group, so everything moves one down first.
groups=/sys/fs/cgroup
if [ -f $groups/cgroup.controllers ] && [ -w $groups/cgroup.procs ]; then
  mkdir -p $groups/engine
  while read -r process; do
    echo "$process" >$groups/engine/cgroup.procs 2>/dev/null || :  # one that has ended since
  done <$groups/cgroup.procs
  for controller in $(cat $groups/cgroup.controllers); do
    echo "+$controller" >$groups/cgroup.subtree_control
  done
fi

exec docker-init -- dockerd --host="$DOCKER_HOST" --group="${ENGINE_GROUP:-1000}" "$@"
