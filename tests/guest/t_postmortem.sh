#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The agent captures the moment at which a cgroup is out of memory; postmortem shows it.
. "$(dirname "$0")/../lib.sh"
. "$top/tests/guest/captures.sh"

limit=$((96 << 20))

# A hog takes 2 MB each 50 ms, and a bystander has 20 MB
hog='
import time
held = []
def take():
    held.append(bytearray(b"x" * (2 << 20)))
while True:
    take()
    time.sleep(0.05)
'

# fill [LINE]...: runs the agent with these lines in its file, and both programs
fill()
{
	run_agent "$@" && cp /usr/bin/python3 "$work/hog" &&
	cp "$work/hog" "$work/bystander" || return
	inside "$cgroup" "$work/bystander" -c 'import time
held = bytearray(b"x" * (20 << 20)); time.sleep(600)' & bystander=$!
	sleep 2
	inside "$cgroup" "$work/hog" -c "$hog" & hog_pid=$!
}

the_killed_one_is_named()
{
	with_memory $limit && fill || return
	captured oom_kill || return
	kill -0 $bystander || return
	postmortem | note
	postmortem --list | note
	postmortem --json >"$work/json" && python3 - "$work/json" "$group" $hog_pid $limit <<-'END'
	import json, sys
	rows = [json.loads(line) for line in open(sys.argv[1])]
	head, held = rows[0], {row["comm"]: row for row in rows[1:] if "callsite" not in row}
	group, pid, limit = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
	assert head["type"] == "capture" and head["event"] == "oom_kill", head
	assert head["cgroup"] == group and head["memory_max"] == limit, head
	assert [(k["comm"], k["pid"]) for k in head["killed"]] == [("hog", pid)], head
	assert head["killed"][0]["limit"] == group, head
	# who held what, and who grew
	first = [row for row in rows[1:]][0]
	assert first["comm"] == "hog" and first["most"] > 30 << 20, first
	assert first["grew"] > 20 << 20 and first["at_end"] == 0, first
	assert held["bystander"]["most"] > 20 << 20, held
	assert held["bystander"]["at_end"] > 20 << 20, held
	# and nothing of other cgroups
	assert all(row["cgroup"] == group for row in rows[1:]), rows
	END
}

captures_are_bounded()
{
	with_memory $limit && fill "captures = 1" || return
	captured oom_kill || return
	# of one, the last one stays
	[ "$(postmortem --list | wc -l)" = 1 ] || return
	folder=$(ls -d "$work/history/captures/"0*)
	# with the minutes before; report reads them
	[ "$(ls "$folder" | grep -c 'data.gz$')" -ge 3 ] &&
	memprofctl report --history-folder "$folder" -q --by process | grep -q ' bystander ' &&
	complains 1 'there is no capture 999' memprofctl postmortem \
		--history-folder "$work/history" --capture 999
}

none_are_wanted()
{
	with_memory $limit && fill "captures = 0" && end_of $hog_pid
	sleep 2
	complains 1 'there are no captures in' memprofctl postmortem \
		--history-folder "$work/history" &&
	[ ! -e "$work/history/captures" ]
}

why=$(perf_obstacle)
check_unless "$why" "the one that was killed is named, with what it held" the_killed_one_is_named
check_unless "$why" "captures are bounded, and report reads them" captures_are_bounded
check_unless "$why" "without captures there are none" none_are_wanted
plan
