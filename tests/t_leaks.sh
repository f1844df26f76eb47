#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# leaks names what keeps growing in the agent's history, and nothing else.
. "$(dirname "$0")/lib.sh"

make_program() { gcc -O1 -g -o "$fix/leak-and-churn" $programs/leak-and-churn.c; }

# keep_history SNAPSHOTS [ARGUMENT]: of tests/programs/leak-and-churn in a cgroup, with the
# lines of the configuration in $lines
keep_history()
{
	local seconds=$1 pid
	shift
	needs program && make_cgroup || return
	printf '%s\n' "folder = $work/history" "interval = 1s" "source = perf" \
		"cgroup = $group" "${lines[@]}" >"$work/conf"
	inside "$cgroup" "$fix/leak-and-churn" "$@" >"$work/leaked" & pid=$!
	memprofctl agent -c "$work/conf" 2>>"$work/said" & agent=$!
	wait_until has_snapshots "$seconds" || { note "$work/said"; return 1; }
	kill $agent && wait $agent
	kill $pid
	wait $pid 2>/dev/null
	return 0
}
has_snapshots() { [ "$(find "$work/history" -name '*.data.zst' 2>/dev/null | wc -l)" -ge "$1" ]; }
sampled=("alloc = 16K" "inject = yes")

leaks() { memprofctl leaks --history-folder "$work/history" -q "$@"; }
# show: the table, as a comment
show() { leaks "$@" 2>&1 | note; }

# judge CODE [OPTION]...: runs CODE in Python with the rows, the summary and the rows' names
judge()
{
	leaks --json "${@:2}" >"$work/json" && python3 -c 'import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
summary = rows.pop()
names = [row.get("callsite", row.get("comm", "-")).split()[0] for row in rows]
assert summary["type"] == "summary" and summary["leaks"] == len(rows)
'"$1" "$work/json"
}

# 100 MB come and go beside it. The program says what it leaked; the agent's snapshots are
# between its lines.
the_leak_is_the_only_row()
{
	local lines=("${sampled[@]}")
	keep_history 20 && show && judge '
assert names == ["leak_it"], names
row = rows[0]
lines = [line.split() for line in open(sys.argv[1].replace("json", "leaked"))]
lines = [(float(t), int(n)) for t, n in lines if summary["from_s"] <= float(t) <= summary["to_s"]]
true = (lines[-1][1] - lines[0][1]) / (lines[-1][0] - lines[0][0])
rate = row["bytes_per_hour"] / 3600
print("# %.0f bytes a second, and the program says %.0f" % (rate, true))
assert 0.75 * true < rate < 1.25 * true
assert row["bytes_per_hour_low"] <= row["bytes_per_hour"] <= row["bytes_per_hour_high"]
assert row["inuse_space"] > 2e6 and summary["estimator"] == "theil-sen"
' || return
	# the build of the program
	readelf -n "$fix/leak-and-churn" | grep -q "Build ID: $(python3 -c 'import json, sys
print(json.loads(open(sys.argv[1]).readline())["build_id"])' "$work/json")"
}

churn_is_no_leak()
{
	local lines=("${sampled[@]}")
	keep_history 16 never && show && judge 'assert not rows, rows' &&
	leaks | grep -q '^callsites that keep growing: 0, in'
}

its_begin_is_found()
{
	local lines=("${sampled[@]}") begin
	begin=$(date +%s)
	keep_history 26 10 && show && judge '
assert names == ["leak_it"], names
print("# since", rows[0]["since_s"] - '"$begin"', "s after the begin")
assert not rows[0]["since_before"] and 8 <= rows[0]["since_s"] - '"$begin"' <= 18
'
}

# Without allocations: who grows, by RSS
commands_grow()
{
	local lines=() pid
	make_cgroup || return
	inside "$cgroup" python3 -c 'import time
held = []
while True:
    held.append(bytes(bytearray(b"x") * 300000))
    time.sleep(0.1)' & pid=$!
	printf '%s\n' "folder = $work/history" "interval = 1s" "source = perf" \
		"cgroup = $group" >"$work/conf"
	memprofctl agent -c "$work/conf" 2>>"$work/said" & agent=$!
	wait_until has_snapshots 12 && end $agent && end $pid || return
	show && judge '
assert names == ["python3"] and rows[0]["kind"] == "command", rows
assert rows[0]["cgroup"].startswith("/memprof_") and rows[0]["resident_space"] > 3e6' &&
	judge 'assert [r["cgroup"] for r in rows] == ["'"$group"'"], rows' --by cgroup &&
	# a range, and a limit that hides it
	judge 'assert not rows, rows' --min 1G &&
	complains 1 'a trend needs 8 snapshots of one session, and there are 0' \
		leaks --since now &&
	complains 2 '--min takes bytes' leaks --min lots &&
	complains 1 'cannot read the history in /nonexistent' \
		memprofctl leaks --history-folder /nonexistent
}

why=$(perf_obstacle)
inject=$(injection_obstacle)
check_unless "${why:-$inject}" "the leak is the only row beside a churn of 100 MB" \
	the_leak_is_the_only_row
check_unless "${why:-$inject}" "what comes and goes is no leak" churn_is_no_leak
check_unless "${why:-$inject}" "the begin of a leak is found" its_begin_is_found
check_unless "$why" "commands and cgroups grow by RSS" commands_grow
plan
