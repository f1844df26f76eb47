#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Last of all: what the module leaves behind, by kmemleak where it is there.
cd "$(dirname "$0")" || exit 1
. ./tap.sh
leaks=/sys/kernel/debug/kmemleak

nothing_is_left()
{
	# what is younger than five seconds is not reported; twice, as registers
	# and stacks may hold a pointer by chance
	sleep 6
	echo scan >$leaks
	sleep 1
	echo scan >$leaks
	[ -z "$(cat $leaks)" ] || {
		sed 's/^/# /' $leaks | head -n 60
		return 1
	}
}

check "the module unloads" rmmod memprof
if [ -r $leaks ]; then
	check "and leaves no memory behind" nothing_is_left
else
	skip "and leaves no memory behind" "this kernel has no kmemleak"
fi
insmod "$MEMPROF_KO"
plan
