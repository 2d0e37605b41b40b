#!/bin/sh
# What must stand before the first pod: the gate, and the bridge without ports that pods without a network hang on.
set -eu
nft list table inet pod_gate >/dev/null 2>&1 || nft -f /kind/pod-gate.nft
ip link show nowhere >/dev/null 2>&1 || ip link add nowhere type bridge
ip link set nowhere up
