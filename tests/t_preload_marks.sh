#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Marks and pauses of processes that sample themselves.
. "$(dirname "$0")/lib.sh"
. tests/preload.sh

make_steps()
{
	cat >"$fix/steps.c" <<-'END'
	#include <stdio.h>
	#include <stdlib.h>

	void *volatile keep;

	int main(void)
	{
		int i;

		setvbuf(stdout, NULL, _IONBF, 0);
		for (i = 0; i < 100; i++)
			keep = malloc(1000);
		puts("ready");
		getchar();
		for (i = 0; i < 7; i++)
			keep = malloc(3000);
		puts("again");
		getchar();
		for (i = 0; i < 50; i++)
			keep = malloc(9000);
		puts("last");
		getchar();
		return 0;
	}
	END
	gcc -O1 -g -o "$fix/steps" "$fix/steps.c"
}

marks_and_pauses_are_heeded()
{
	needs steps && mkfifo "$work/in" || return 1
	exec 9<>"$work/in"
	run "$fix/steps" <&9
	ready
	memprofctl mark -q -p $pid
	echo >&9
	wait_for again "$work/out"
	memprofctl pause -q -p $pid
	echo >&9
	wait_for last "$work/out"
	memprofctl snapshot -q -f -o "$work/all" -p $pid
	memprofctl snapshot -q -f -o "$work/young" --since-mark -p $pid
	memprofctl resume -q -p $pid
	echo >&9
	wait $pid
	stacks "$work/all" >"$work/stacks"
	note "$work/stacks"
	grep -q '^100 100000 100000: main' "$work/stacks" &&
	grep -q '^7 21000 21000: main' "$work/stacks" &&
	! grep -q ' 450000' "$work/stacks" &&
	[ "$(stacks "$work/young" | cut -d: -f1)" = '7 21000 21000' ] &&
	[ "$(report -i "$work/young" | rows value inuse_objects inuse_space \
		where type=process)" = "7 21000" ]
}

# marks_in_time_namespace SECONDS: of a process whose clocks are ahead by SECONDS
marks_in_time_namespace()
{
	local inner
	rm -f "$work/in" && mkfifo "$work/in" || return 1
	exec 9<>"$work/in"
	run unshare -T --fork --kill-child --monotonic "$1" --boottime "$1" \
		"$fix/steps" <&9
	ready
	inner=$(pgrep -P $pid)
	memprofctl mark -q -p "$inner"
	echo >&9
	wait_for again "$work/out"
	memprofctl snapshot -q -f -o "$work/young" --since-mark -p "$inner"
	kill -KILL "$inner"
	wait $pid 2>/dev/null
	report -i "$work/young" >"$work/json"
	[ "$(stacks "$work/young" | cut -d: -f1)" = '7 21000 21000' ] &&
	rows holds 'not exited' where type=process <"$work/json" &&
	rows holds '0 < now_ns - start_ns < 100 * 10**9' where type=summary \
		<"$work/json"
}

# One of the clocks is behind ours, but not behind the start of the machine.
marks_hold_in_time_namespaces()
{
	local up
	unshare -T --fork true 2>/dev/null || {
		echo "# skipped: no new time namespace may be made"
		return 0
	}
	read -r up _ </proc/uptime
	needs steps && marks_in_time_namespace 100000 &&
	marks_in_time_namespace -$((${up%.*} < 120 ? ${up%.*} / 2 : 60))
}

marks_that_were_never_set_are_told()
{
	needs tree || return
	run "$fix/tree" 10 - 600
	ready
	complains 1 'never marked' memprofctl snapshot -q -o "$work/never" \
		--since-mark -p $pid && [ ! -e "$work/never" ] || return
	memprofctl mark -q -p $pid
	memprofctl snapshot -q -f -o "$work/young" --since-mark -p $pid
	report -i "$work/young" |
		rows holds 'inuse_space == 0 == alloc_objects' where type=process
}

# 100 blocks of 1000 bytes, then a pause, then 7 of 3000. Half of the time is in the pause.
old_blocks_are_told_from_young_ones()
{
	needs steps && mkfifo "$work/in" || return 1
	exec 9<>"$work/in"
	run "$fix/steps" <&9
	ready
	sleep 2
	echo >&9
	wait_for again "$work/out"
	echo >&9
	wait_for last "$work/out"
	memprofctl snapshot -q -f -o "$work/all" -p $pid
	kill -9 $pid
	wait $pid
	for from in "$work/all" "$(region)"; do
		report -i "$from" --view age |
			rows list alloc_objects inuse_space old_space where function=main |
			tee "$work/rows"
		[ "$(sort -n "$work/rows" | xargs)" = \
			"7 21000 0 50 450000 0 100 100000 100000" ] || return
	done
	memprofctl report -i "$work/all" --view age >"$work/table" &&
		grep -q '^ *OLD *LIVE *BLOCKS *ALLOCS *FREES *PID' "$work/table"
} 2>>"$work/err"

# The kernel keeps 15 bytes of a name
long_names_are_found()
{
	needs tree || return
	cp "$fix/tree" "$work/a-name-of-a-service-worker"
	run "$work/a-name-of-a-service-worker" 10 - 600
	ready
	memprofctl mark --comm a-name-of-a-service-worker >"$work/said" &&
		grep -q . "$work/said" &&
	memprofctl snapshot -q -f -o "$work/young" --since-mark -p $pid &&
	complains 1 '' memprofctl mark --comm a-name-of-another
}

check "a command is found by a name of more than 15 bytes" long_names_are_found
check "marks and pauses are heeded" marks_and_pauses_are_heeded
check "marks hold where the process has other clocks" marks_hold_in_time_namespaces
check "a mark that was never set is told; sums of a process are the young ones" \
	marks_that_were_never_set_are_told
check "blocks that lived at half of the time are told from young ones" \
	old_blocks_are_told_from_young_ones
plan
