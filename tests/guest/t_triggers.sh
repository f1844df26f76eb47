#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The agent captures what comes before memory is short, and each condition once.
. "$(dirname "$0")/../lib.sh"
. "$top/tests/guest/captures.sh"

# hold NAME MB SECONDS: a program of this name that takes MB, and exits after SECONDS
hold()
{
	[ -e "$work/$1" ] || cp /usr/bin/python3 "$work/$1" || return
	inside "$cgroup" "$work/$1" -c 'import sys, time
held = bytearray(int(sys.argv[1]) << 20)
for i in range(0, len(held), 4096):
    held[i] = 1
time.sleep(float(sys.argv[2]))' "$2" "$3"
}

# A program that takes a megabyte each 0.1 s: 35 GB an hour
leaker='
import time
held = []
while True:
    held.append(bytearray(b"x" * (1 << 20)))
    time.sleep(0.1)
'

# again: reloads the agent's configuration
again()
{
	local nr
	nr=$(grep -c 'read the configuration again' "$work/said")
	kill -HUP $agent
	wait_until has_read "$nr"
}
has_read() { [ "$(grep -c 'read the configuration again' "$work/said")" -gt "$1" ]; }
nr_of() { postmortem --list 2>/dev/null | grep -c " $1 "; }

# The agent in a cgroup, as with MemoryMax=400M and CPUQuota=25% of its unit
its_cgroups_limits_are_the_agents()
{
	local mount
	with_memory $((400 << 20)) || return
	mount=${cgroup%"$group"}
	echo +cpu >"$mount/cgroup.subtree_control" && echo "25000 100000" >"$cgroup/cpu.max" || return
	printf '%s\n' "folder = $work/history" "interval = 1s" "source = perf" "max-memory = 500M" \
		"max-cpu = 50%" "textfile = $work/own.prom" >"$work/conf"
	inside "$cgroup" memprofctl agent -c "$work/conf" 2>"$work/said" &
	T_WAIT=300 wait_until has_snapshots 2 || { note "$work/said"; return 1; }
	grep -v '^#' "$work/own.prom" | grep "_limit_\|divisor" | note
	grep -qx "memprof_agent_memory_limit_bytes $((320 << 20))" "$work/own.prom" &&
	grep -qx "memprof_agent_cpu_limit_ratio 0.200" "$work/own.prom" &&
	grep -qx "memprof_agent_sampling_divisor 1" "$work/own.prom"
}

near_its_limit_there_is_one_capture()
{
	with_memory $((96 << 20)) && run_agent || return
	# the interpreter itself has 8 MB
	hold large 85 600 &
	captured limit || return
	postmortem | note
	sleep 5
	# it is still near, whoever asks
	again && sleep 3
	kill -0 $agent && [ "$(postmortem --list | wc -l)" = 1 ] || return
	postmortem | head -n 1 | grep -q "$group has .* without file cache, .* % of memory.max (96.0M); the bound is 90 %" &&
	postmortem --json >"$work/json" && python3 - "$work/json" "$group" <<-'END'
	import json, sys
	rows = [json.loads(line) for line in open(sys.argv[1])]
	head, held = rows[0], {row["comm"]: row for row in rows[1:] if "callsite" not in row}
	assert head["event"] == "limit" and head["cgroup"] == sys.argv[2], head
	assert "the bound is 90 %" in head["reason"] and not head["killed"], head
	# nobody was killed, so the snapshot shows it as it is
	assert held["large"]["at_end"] > 83 << 20, held
	END
}

with_the_trigger_off_there_is_none()
{
	with_memory $((96 << 20)) && run_agent "capture-limit = off" || return
	hold large 85 600 &
	sleep 8
	[ "$(nr_of .)" = 0 ]
}

what_keeps_growing_is_captured()
{
	with_memory max && run_agent "capture-growth = 1G" "capture-growth-window = 60s" || return
	hold flat 60 600 &
	# longer than the window
	sleep 70
	[ "$(nr_of .)" = 0 ] || return
	cp /usr/bin/python3 "$work/leaker" &&
	inside "$cgroup/grows" "$work/leaker" -c "$leaker" &
	T_WAIT=200 captured growth || return
	postmortem | note
	sleep 5
	[ "$(postmortem --list | wc -l)" = 1 ] || return
	postmortem | head -n 1 | grep -q "keeps growing: by .*G an hour, in the last 1 min [0-9]* s; the bound is 1.0G" &&
	postmortem --json >"$work/json" && python3 - "$work/json" "$group" <<-'END'
	import json, re, sys
	rows = [json.loads(line) for line in open(sys.argv[1])]
	assert rows[0]["event"] == "growth", rows[0]
	# the cgroup above it grows as fast
	assert rows[0]["cgroup"].startswith(sys.argv[2]), rows[0]
	rate = float(re.search(r"by ([\d.]+)G", rows[0]["reason"])[1])
	assert 2 < rate < 50, rate
	assert rows[1]["comm"] == "leaker" and rows[1]["grew"] > 5 << 20, rows[1]
	END
}

a_large_exit_is_captured()
{
	with_memory max && run_agent || return
	hold large 60 2 & end_of $!
	sleep 3
	[ "$(nr_of .)" = 0 ] || return
	echo "capture-exit = 50M" >>"$work/conf"
	again || return
	hold small 10 2 & end_of $!
	hold large 60 2 & pid=$!
	end_of $pid
	captured exit || return
	postmortem | note
	# it is started again and again
	for _ in 1 2 3; do
		hold large 60 2 & end_of $!
	done
	sleep 3
	[ "$(postmortem --list | wc -l)" = 1 ] &&
	postmortem | head -n 1 | grep -q "$group lost large (process $pid), which exited with an RSS of 6[0-9].[0-9]M; the bound is 50.0M"
}

captures_of_triggers_are_bounded()
{
	with_memory $((96 << 20)) && run_agent "captures = 1" "capture-exit = 50M" || return
	hold one 60 2 & end_of $!
	captured exit || return
	hold two 85 600 &
	captured limit && [ "$(postmortem --list | wc -l)" = 1 ]
}

memory_high_is_captured()
{
	with_memory max && echo $((40 << 20)) >"$cgroup/memory.high" &&
	run_agent "capture-limit = off" || return
	hold slow 60 600 &
	captured high || return
	postmortem | note
	postmortem | head -n 1 | grep -q "$group was slowed down at memory.high"
}

# Fills a file in memory until that fails. It needs no memory of its own then.
filler='
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
static char piece[1 << 16];
int main(int argc, char **argv)
{
	int fd = open(argv[1], O_WRONLY | O_CREAT, 0600), i, err = 0;

	if (fd < 0 || mlockall(MCL_CURRENT | MCL_FUTURE))
		return 1;
	for (i = 0; i < 1600 && !err; i++)
		err = write(fd, piece, sizeof(piece)) < 0 ? errno : 0;
	ftruncate(fd, 0);
	return err == ENOMEM ? 0 : 1;
}'

# What may not be killed gets an error: an event of oom without one of oom_kill.
an_allocation_that_fails_is_captured()
{
	gcc -O1 -w -x c -o "$work/filler" - <<<"$filler" &&
	with_memory $((24 << 20)) && run_agent "capture-limit = off" || return
	mkdir "$work/shm" && mount -t tmpfs none "$work/shm" && at_end "umount '$work/shm'" ||
		return
	(
		echo -1000 >/proc/self/oom_score_adj &&
		inside "$cgroup" "$work/filler" "$work/shm/file"
	) || return
	captured oom || return
	postmortem --list | note
	[ "$(nr_of oom_kill)" = 0 ] &&
	postmortem --capture "$(postmortem --list | awk '$4 == "oom" { print $1 }')" | head -n 1 |
		grep -q "$group found no memory below memory.max"
}

# The limit is that of the cgroup above. Cached files are dropped before it is reached.
the_time_until_the_limit_is_told()
{
	local room files
	cp /usr/bin/python3 "$work/large" && with_memory $((512 << 20)) &&
		run_agent "captures = 0" || return
	inside "$cgroup/below" "$work/large" -c "$leaker" & leaker_pid=$!
	T_WAIT=300 wait_until has_snapshots 14 && kill -STOP $leaker_pid || return
	memprofctl leaks --history-folder "$work/history" --by cgroup | note
	memprofctl leaks --history-folder "$work/history" --by cgroup --json >"$work/json"
	room=$(((512 << 20) - $(cat "$cgroup/memory.current")))
	files=$(awk '/^(in)?active_file / { sum += $2 } END { print sum }' "$cgroup/memory.stat")
	python3 - "$work/json" "$group/below" $((room + files)) <<-'END'
	import json, sys
	rows = [json.loads(line) for line in open(sys.argv[1])]
	row = [row for row in rows if row.get("cgroup") == sys.argv[2]][0]
	# what is charged to the cgroup and what is below it, less files
	assert abs(row["memory_max_room"] - int(sys.argv[3])) < 128 << 10, (row, sys.argv[3])
	seconds = row["memory_max_room"] * 3600 / row["bytes_per_hour"]
	assert abs(row["memory_max_in_s"] - seconds) <= 1, row
	END
}

mistakes_are_said()
{
	local line
	for line in "capture-limit = 90" "capture-growth = fast" "capture-growth-window = 1s" \
		"capture-exit = -1"; do
		echo "$line" >"$work/conf"
		complains 1 "conf:1: ${line%% *} cannot be '${line##* }'" \
			memprofctl agent -c "$work/conf" --check-config || return
	done
}

why=$(perf_obstacle)
check_unless "$why" "near its limit a cgroup has one capture" near_its_limit_there_is_one_capture
check_unless "$why" "with the trigger off there is none" with_the_trigger_off_there_is_none
check_unless "$why" "a cgroup that keeps growing has one" what_keeps_growing_is_captured
check_unless "$why" "a large exit has one, and the next ones none" a_large_exit_is_captured
check_unless "$why" "captures of triggers are bounded" captures_of_triggers_are_bounded
check_unless "$why" "at memory.high there is a capture" memory_high_is_captured
check_unless "$why" "an allocation that fails has one" an_allocation_that_fails_is_captured
check_unless "$why" "leaks tells when the limit is reached" the_time_until_the_limit_is_told
check_unless "$why" "the limits of its cgroup are those of the agent" its_cgroups_limits_are_the_agents
check "mistakes in the keys are said" mistakes_are_said
plan
