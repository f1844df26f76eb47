#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The heap at its peak, of processes that sample themselves.
. "$(dirname "$0")/lib.sh"

make_peak()
{
	gcc -O1 -g -pthread -o "$fix/peak" $programs/peak.c
}

# record COMMAND...: each allocation, into $work/data
record()
{
	needs peak &&
	memprofctl record --preload -q -f -o "$work/data" --rate 1 -- "$@" &&
	report -i "$work/data" --by callsite >"$work/sites" &&
	report -i "$work/data" >"$work/processes"
}

# at FUNCTION: its bytes at the peak and at the exit
at()
{
	rows list at_peak_space at_exit_space where type=site "function=$1" \
		<"$work/sites"
}

each_callsite_has_what_it_held_at_the_peak()
{
	record "$fix/peak" || return
	[ "$(at first)" = "5000000 0" ] && [ "$(at stays)" = "1000000 0" ] &&
	[ "$(at second)" = "0 0" ] && [ "$(at late)" = "0 300000" ] &&
	rows holds 'at_peak_space == peak_space == 6000000 and
		at_exit_space == 300000' where type=process <"$work/processes" && return
	note "$work/sites"
	return 1
}

the_report_leads_with_it()
{
	record "$fix/peak" && memprofctl report -i "$work/data" >"$work/table" &&
	grep -qE '^ *4\.8M +0 .* first peak\.c' "$work/table" &&
	grep -q '^ *AT-PEAK *AT-EXIT' "$work/table" &&
	# who asks for another view gets that
	memprofctl report -i "$work/data" --view growth --by callsite |
		grep -q '^ *TOUCHED *GROWTH *RELEASED' &&
	memprofctl export -i "$work/data" --format folded >"$work/folded" &&
	grep -q ';first 5000000$' "$work/folded" && return
	note "$work/table"
	return 1
}

# Threads that sample in one moment may miss each other's last samples
threads_add_up_to_the_peak()
{
	record "$fix/peak" 8 || return
	local peak at_peak
	read -r peak at_peak < <(rows list peak_space at_peak_space where type=process \
		<"$work/processes")
	echo "# $at_peak of $peak"
	is_within $((peak / 100)) "$at_peak" "$peak"
}

# In the threads' own phase, which has the peak if the rest is small. A thread that is
# preempted while it notes a peak leaves in it what others change meanwhile: by how much the
# sum goes up and down, which is 8 % of it here. Without the peak's value it would be 0.
storms_add_up_to_the_peak()
{
	needs peak || return
	gcc -O1 -g -pthread -D'NR=1' -o "$work/storm" -x c <(sed '/^#define NR/d' \
		$programs/peak.c) && record "$work/storm" 16 || return
	local peak at_peak
	read -r peak at_peak < <(rows list peak_space at_peak_space where type=process \
		<"$work/processes")
	echo "# $at_peak of $peak"
	is_within $((peak / 10)) "$at_peak" "$peak"
}

# Whose programs are all shown if the user asks for them
small_processes_do_not_hide_the_callsites()
{
	record bash -c "for i in {1..30}; do (exec true); done; '$fix/peak'; :" &&
	memprofctl report -i "$work/data" >"$work/table" &&
	memprofctl report -n 0 -i "$work/data" >"$work/all" &&
	sed -n '/ COMM /{n;p;q}' "$work/table" | grep -q ' peak ' &&
	[ "$(sed -n '1,/^total/p' "$work/table" | grep -c exited)" = 3 ] &&
	grep -q '^\.\.\. and [0-9]* more' "$work/table" &&
	[ "$(sed -n '1,/^total/p' "$work/all" | grep -c exited)" -gt 30 ] && return
	note "$work/table"
	return 1
}

# The library looks at RSS now and then; the kernel knows the highest value.
rss_has_its_peak()
{
	gcc -O1 -o "$work/brief" -x c - <<-'END' || return
	#include <stdlib.h>
	#include <string.h>
	int main(void)
	{
		char *block = malloc(60000000);

		memset(block, 1, 60000000);
		__asm__ volatile("" : : "r"(block) : "memory");
		free(block);
		return 0;
	}
	END
	needs peak && record "$work/brief" &&
	rows holds 'peak_resident_space >= 60000000' where type=process \
		<"$work/processes" && return
	note "$work/processes"
	return 1
}

check "each callsite has what it held at the peak" \
	each_callsite_has_what_it_held_at_the_peak
check "report and flame graphs lead with the peak" the_report_leads_with_it
check "small processes of a script do not hide the callsites" \
	small_processes_do_not_hide_the_callsites
check "threads add up to the peak" threads_add_up_to_the_peak
check "a storm of threads adds up to its peak" storms_add_up_to_the_peak
check "RSS-PEAK is the kernel's" rss_has_its_peak
plan
