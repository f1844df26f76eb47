#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# With a module whose books do not balance: it must stop by itself, and say so.
cd "$(dirname "$0")" || exit 1
. ./tap.sh

messages()
{
	dmesg | grep -c 'memprof: session .* stops sampling'
}

one_message()
{
	[ "$(messages)" = 1 ]
}

stopped_observing()
{
	local before after
	before=$(memprofctl report --json -n 0 | tail -n 1)
	grow 5 >/dev/null
	after=$(memprofctl report --json -n 0 | tail -n 1)
	[ "$(sed 's/.*"mmap_up_space":\([0-9]*\).*/\1/' <<<"$before")" = \
	  "$(sed 's/.*"mmap_up_space":\([0-9]*\).*/\1/' <<<"$after")" ]
}

memprofctl start -a -q
for i in 1 2 3; do
	grow 1 >/dev/null
done
check "the kernel log has one message" one_message
check "the report says that the session failed" \
	eval 'memprofctl report | grep -qi "failed"'
check "status says so" eval 'memprofctl status | grep -qi "failed"'
check "nothing is observed any more" stopped_observing
check "the session ends as usual" memprofctl stop -q
check "the module unloads" rmmod memprof
plan
