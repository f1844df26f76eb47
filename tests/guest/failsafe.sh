#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A module whose sums are made inconsistent: it must stop by itself and report
# it.
. "$(dirname "$0")/../lib.sh"

messages()
{
	dmesg | grep -c 'memprof: session .* stops sampling'
}

mapped()
{
	report | rows total mmap_up_space
}

# The module stops itself only once, so this check uses one session.
stops_by_itself()
{
	local before i
	memprofctl start -a --alloc exact --alloc-all -q || return
	for i in 1 2 3; do
		grow 1 >/dev/null
	done
	[ "$(messages)" = 1 ] &&
	memprofctl report | grep -qi failed &&
	memprofctl status | grep -qi failed || return
	before=$(mapped)
	grow 5 >/dev/null
	[ -n "$before" ] && [ "$(mapped)" = "$before" ] &&
	memprofctl stop -q && rmmod memprof
}

check "one message, a report and a status that say it, and nothing more is observed" \
	stops_by_itself
plan
