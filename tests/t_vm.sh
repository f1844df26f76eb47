#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The guest machine itself: what passes through, and what it calls a failure.
. "$(dirname "$0")/lib.sh"

# ends STATUS TEXT OPTION... -- CMD...: exit status and a part of what it prints
ends()
{
	local want=$1 text=$2 status
	shift 2
	scripts/vm/run "$@" >"$work/out" 2>&1
	status=$?
	[ $status = "$want" ] && grep -q -e "$text" "$work/out" && return
	sed "s/^/# $status: /" "$work/out"
	return 1
}

passes_through()
{
	ends 7 "^0 $PWD memprof 2 three four$" -- bash -c \
		'echo $(id -u) $PWD $(lsmod | grep -o ^memprof) $# "$2"; exit 7' \
		name one 'three four'
}

check "output, arguments, folder, exit status and the module" passes_through
check "a guest of 6.1 boots" ends 0 '^6\.1\.' --kernel 6.1 -- uname -r
check "a guest of another architecture boots, with the module" \
	ends 0 '^aarch64 memprof' --kernel 6.1-arm64 -- \
	sh -c 'echo $(uname -m) $(lsmod | grep -o ^memprof)'
check "a panic is a failure that shows the log" \
	ends 125 'Kernel panic' -- sh -c 'echo c >/proc/sysrq-trigger; sleep 30'
check "a warning of the kernel is a failure, whatever the command says" \
	ends 125 'WARNING: CPU' -- sh -c \
	'echo "<4>WARNING: CPU: 0 PID: 1 at test" >/dev/kmsg; exit 0'
check "a guest without a verdict is a failure" \
	ends 125 'no verdict' -- sh -c 'echo b >/proc/sysrq-trigger; sleep 30'
check "a guest that takes too long is a failure" ends 124 'within 25 s' --timeout 25 -- \
	sleep 100
check "cgroup v2 has memory, pids and cpu" ends 0 'cpu memory pids' -- \
	cat /sys/fs/cgroup/cgroup.subtree_control
plan
