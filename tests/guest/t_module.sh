#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Loading and unloading: refused while in use, clean afterwards, under load.
cd "$(dirname "$0")" || exit 1
. ./tap.sh

loaded() { [ -e /sys/module/memprof ]; }
events() { [ -d /sys/kernel/tracing/events/memprof ]; }

refused_while_open()
{
	exec 5<>/dev/memprof
	! rmmod memprof 2>/dev/null && loaded
	local status=$?
	exec 5>&-
	return $status
}

# Faults, growth, forks and execs from two shells, until killed.
load()
{
	while :; do
		dd if=/dev/zero of=/dev/null bs=1M count=4 2>/dev/null
		ls /proc/self >/dev/null
	done
}

fifty_times()
{
	local i pids=
	for i in 1 2; do
		load &
		pids+=" $!"
	done
	for i in $(seq 50); do
		insmod "$MEMPROF_KO" || break
		[ $((i % 5)) != 0 ] || once || break
		rmmod memprof || break
	done
	kill $pids
	wait $pids 2>/dev/null
	[ "$i" = 50 ] && ! loaded
}

check "rmmod is refused while a session is open" refused_while_open
check "rmmod works when none is" rmmod memprof
check "unloading takes the device and the events with it" \
	eval '! [ -e /dev/memprof ] && ! events'
check "insmod and rmmod 50 times under load" fifty_times
insmod "$MEMPROF_KO"
check "and it works again" eval '[ -c /dev/memprof ] && events'
plan
