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
	# no less than the kernel says
	assert first["most"] >= head["killed"][0]["resident_space"], (first, head)
	assert first["grew"] > 20 << 20 and first["at_end"] == 0, first
	assert held["bystander"]["most"] > 20 << 20, held
	assert held["bystander"]["at_end"] > 20 << 20, held
	# and nothing of other cgroups
	assert all(row["cgroup"] == group for row in rows[1:]), rows
	END
}

# is_blamed JSON METRIC LEAST: whether the callsite that had most of what was killed is
# keep_all, with LEAST bytes
is_blamed()
{
	python3 - "$@" $hog_pid <<-'END'
	import json, sys
	name, metric, least, pid = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
	rows = [json.loads(line) for line in open(name)]
	killed = rows[0]["killed"]
	assert [k["pid"] for k in killed] == [pid], killed
	assert killed[0]["resident_space"] > least, killed
	rows = [row for row in rows if row["type"] == "ended" and row["metric"] == metric]
	assert rows and rows[0]["comm"] == "hog", rows[:3]
	assert "keep_all" in rows[0]["callsite"], rows[:3]
	assert least < rows[0]["most"] < 2 * killed[0]["resident_space"], (rows[0], killed)
	END
}

# kill_hogs METRIC [LINE]...: each round a hog of another pace is killed; the agent, with
# these lines in its file, has to name its callsite. Before that, it sees the program once: an
# agent that runs for long has read its files, which takes an emulator seconds.
kill_hogs()
{
	local metric=$1 nr
	shift
	for nr in $(seq "${OOM_ROUNDS:-1}"); do
		run_agent "$@" || return
		(inside "$cgroup" timeout 4 hog 65536 50000)
		wait_until has_snapshots 4 || return
		inside "$cgroup" hog $((64 << 10 << nr % 5)) $((nr * 7919 % 30000)) & hog_pid=$!
		T_WAIT=300 captured oom_kill && postmortem --json >"$work/json" &&
		is_blamed "$work/json" "$metric" $((limit / 2)) || { postmortem | note; return 1; }
		end $agent
		[ "$nr" != 1 ] || postmortem | note
		rm -rf "$work/history"
	done
}

by_faults() { with_memory $limit && kill_hogs touched_space "faults = 20"; }
by_the_modules_faults()
{
	with_memory $limit && kill_hogs touched_space "faults = 20" "source = kmod"
}
by_each_allocation()
{
	with_memory $limit &&
	kill_hogs at_exit_space "source = kmod" "alloc = exact" "cgroup = $group"
}
by_samples()
{
	with_memory $limit && kill_hogs at_exit_space "alloc = 64K" "inject = yes" "cgroup = $group"
}

captures_are_bounded()
{
	with_memory $limit && fill "captures = 1" || return
	captured oom_kill || return
	# of one, the last one stays
	[ "$(postmortem --list | wc -l)" = 1 ] || return
	folder=$(ls -d "$work/history/captures/"0*)
	# with the minutes before; report reads them
	[ "$(ls "$folder" | grep -c 'data.zst$')" -ge 3 ] &&
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
check_unless "$why" "the callsite is named: pages that it touched" by_faults
# a minute a kill in an emulator: scripts/check oom
[ -z "${OOM_ROUNDS:-}" ] || {
	check "the callsite is named: pages, by the module" by_the_modules_faults
	check "the callsite is named: what it had allocated, by the module" by_each_allocation
	check_unless "$why" "the callsite is named: what it had allocated, sampled" by_samples
	check_unless "$why" "captures are bounded, and report reads them" captures_are_bounded
	check_unless "$why" "without captures there are none" none_are_wanted
}
plan
