#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The last suite: kmemleak shows what memory the module has leaked, if the
# kernel has it.
. "$(dirname "$0")/../lib.sh"
leaks=/sys/kernel/debug/kmemleak

unloads()
{
	at_end 'insmod "$MEMPROF_KO"'
	rmmod memprof
}

nothing_is_left()
{
	unloads || return
	# kmemleak does not report blocks younger than five seconds; scan twice,
	# because registers and stacks may contain a pointer by chance
	sleep 6
	echo scan >$leaks
	sleep 1
	echo scan >$leaks
	[ -z "$(cat $leaks)" ] || {
		note $leaks | head -n 60
		return 1
	}
}

check "the module unloads" unloads
check_unless "$([ -r $leaks ] || echo "this kernel has no kmemleak")" \
	"the module leaves no memory behind" nothing_is_left
plan
