#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Growth of the whole machine by perf's events: kprobes of the few calls that change an
# address space, so that no other system call gets slower.
. "$(dirname "$0")/../lib.sh"
probes=/sys/kernel/tracing/kprobe_events
what=(-a --source perf --alloc off --faults off)
mib=$((1 << 20))

# nr_probes [GROUP]
nr_probes() { grep -c "memprof_${1:-[0-9]}" $probes; }

make_calls()
{
	listening record -q -f "${what[@]}" --call-graph dwarf,3072 -o "$fix/calls" || return
	nr_probes "$recorder/" >"$fix/nr"
	arenas-c calls >/dev/null && end $recorder
}

# The begin and the end of each call, of which pkey_mprotect may not exist
each_call_has_probes() { needs calls && echo "# $(<"$fix/nr") probes" && [ "$(<"$fix/nr")" -ge 16 ]; }

# grows_by FUNCTION MIB
grows_by()
{
	needs calls && is_within 0 "$(report -i "$fix/calls" --by callsite |
		rows sum growth_space where type=site "function=$1")" $(($2 * mib))
}

no_end_is_missed()
{
	needs calls && ! memprofctl report -v -i "$fix/calls" | grep growth_end_missed
}

# mmap() and munmap() by many threads that wait for each other
threads_are_whole()
{
	listening record -q -f "${what[@]}" --call-graph no -o "$work/data" || return
	arenas-c threads 32 200 >/dev/null && end $recorder &&
	! memprofctl report -v -i "$work/data" | grep growth_end_missed
}

# A child of the recorder removes them when it has ended.
none_is_left() { needs calls && wait_until eval '[ "$(nr_probes)" = 0 ]'; }

# The next session removes what a killed one has left
killed_leaves_nothing()
{
	listening record -q -f "${what[@]}" -o "$work/data" &&
	[ "$(nr_probes)" -ge 16 ] && kill -KILL $recorder && wait_until has_ended $recorder &&
	[ "$(nr_probes)" -ge 16 ] && memprofctl record -q -f --source perf --alloc off \
		-o "$work/more" -- true &&
	wait_until eval '[ "$(nr_probes)" = 0 ]'
}

# Samples by the static probes of the library: a child that ends takes none with it
children_keep_their_probes()
{
	local i
	for i in 1 2 3; do
		memprofctl record -q -f --source perf --alloc 1K -o "$work/data" -- siblings-c &&
		report -i "$work/data" --by callsite >"$work/sites" &&
		rows holds 'alloc_objects == 100 and at_exit_space == 0' \
			where type=site function=second "alloc_objects!=0" <"$work/sites" || return
	done
}

check "a recording of the machine" make_calls
check "each call has probes" each_call_has_probes
for call in again_0 reserve_0 commit_7 over_4 holes_2 move_6 fails_0; do
	check "growth of $call" grows_by $call ${call##*_}
done
check "growth of under_3" grows_by under_3 -3
check "growth of unmap_8" grows_by unmap_8 -8
check "growth of two segments of 5 MiB" grows_by share_5 10
check "growth of a segment that goes" grows_by unshare_5 -5
check "no end of a call is missed" no_end_is_missed
check "calls of many threads are whole" threads_are_whole
check "no probe is left behind" none_is_left
check "children keep the probes of samples" children_keep_their_probes
check "a killed session's probes are removed by the next one" killed_leaves_nothing
plan
