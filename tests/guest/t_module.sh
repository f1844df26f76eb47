#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Loading and unloading the module: refused while it is in use, complete
# afterwards, and under load.
. "$(dirname "$0")/../lib.sh"

loaded() { [ -e /sys/module/memprof ]; }
events() { [ -d /sys/kernel/tracing/events/memprof ]; }

# reload: loads the module again if necessary, for the next check
reload() { loaded || insmod "$MEMPROF_KO"; }

refused_while_open()
{
	exec 5<>/dev/memprof
	! rmmod memprof 2>/dev/null && loaded
}

device_and_events_come_and_go()
{
	at_end reload
	rmmod memprof && ! [ -e /dev/memprof ] && ! events &&
	insmod "$MEMPROF_KO" && [ -c /dev/memprof ] && events
}

# Makes faults, growth, forks and execs in two shells, until it is killed.
load()
{
	while :; do
		dd if=/dev/zero of=/dev/null bs=1M count=4 2>/dev/null
		ls /proc/self >/dev/null
	done
}

reloads=${MODULE_RELOADS:-50}
reloads()
{
	local i
	at_end reload
	rmmod memprof || return
	for i in 1 2; do
		load &
	done
	for i in $(seq $reloads); do
		insmod "$MEMPROF_KO" || return
		[ $((i % 5)) != 0 ] || once || return
		rmmod memprof || return
	done
	! loaded && insmod "$MEMPROF_KO" && [ -c /dev/memprof ] && events
}

check "rmmod is refused while a session is open" refused_while_open
check "rmmod takes the device and the events away, insmod brings them back" \
	device_and_events_come_and_go
check "insmod and rmmod $reloads times under load" reloads
plan
