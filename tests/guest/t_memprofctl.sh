#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# memprofctl as its users run it, against the real module.
cd "$(dirname "$0")" || exit 1
. ./tap.sh
work=$(mktemp -d)
sock=/run/memprof/control

# json_is TYPE KEY=VALUE EXPRESSION: python's word on a row of the report
json_is()
{
	memprofctl report --json -n 0 --by "$1" | python3 -c '
import json, sys
kind, (key, value), test = sys.argv[1], sys.argv[2].split("=", 1), sys.argv[3]
rows = [json.loads(l) for l in sys.stdin]
summary = [r for r in rows if r["type"] == "summary"]
r = [r for r in rows if r["type"] == kind and str(r[key]) == value]
assert len(summary) == 1 and rows[-1]["type"] == "summary"
if not eval("(" + test + ")", {"r": r, "row": r[0] if r else None, "rows": rows}):
    print("#", test, r, file=sys.stderr)
    sys.exit(1)' "$@"
}

# says STATUS TEXT CMD...: exit status and a part of what it prints
says()
{
	local want=$1 text=$2 out status
	shift 2
	out=$("$@" 2>&1)
	status=$?
	[ $status = "$want" ] && [[ $out == *"$text"* ]] && return
	sed 's/^/# /' <<<"$* -> $status: $out"
	return 1
}

exact_numbers()
{
	local pid status
	coproc grow 8 60
	pid=$!
	read -r _ <&"${COPROC[0]}"
	json_is process pid=$pid 'row["comm"] == "grow" and
		row["mmap_up_space"] >= 8 << 20 and
		row["mmap_up_space"] < 16 << 20 and
		row["minor_faults"] >= 2048 and row["minor_faults"] < 3000 and
		row["touched_space"] == 4096 * (row["minor_faults"] +
						row["major_faults"]) and
		row["resident_anon"] >= (8 << 20) - 262144 and
		row["growth_space"] == row["mmap_up_space"] -
			row["mmap_down_space"] + row["brk_up_space"] -
			row["brk_down_space"]'
	status=$?
	kill $pid
	wait $pid 2>/dev/null
	return $status
}

a_table_for_people()
{
	memprofctl report -n 5 >"$work/table" &&
	head -n 1 "$work/table" | grep -q 'PID.*COMM.*CGROUP.*RSS.*ANON' &&
	grep -q '^total' "$work/table" &&
	grep -q '^faults: every minor fault' "$work/table" &&
	grep -q '^lost: *nothing' "$work/table"
}

killed_collector_leaves_nothing()
{
	local pid
	pid=$(pgrep -n -x memprof-collect)
	kill -9 "$pid" || return 1
	until [ "$(cat /sys/module/memprof/refcnt)" = 0 ]; do
		sleep 0.1
	done
	says 1 "no session" memprofctl report && [ -S $sock ] &&
	memprofctl start -a -q && memprofctl status >/dev/null
}

terminated_collector_cleans_up()
{
	local pid
	pid=$(pgrep -n -x memprof-collect)
	kill "$pid" || return 1
	while [ -e $sock ] || [ "$(cat /sys/module/memprof/refcnt)" != 0 ]; do
		sleep 0.1
	done
}

by_cgroup()
{
	local g=/sys/fs/cgroup/t_ctl status
	mkdir -p $g/a $g/b
	memprofctl start -G t_ctl -q || return 1
	(echo $BASHPID >$g/a/cgroup.procs; exec grow 4 >/dev/null)
	(echo $BASHPID >$g/b/cgroup.procs; exec grow 12 >/dev/null)
	grow 5 >/dev/null
	json_is cgroup cgroup=/t_ctl/a 'row["mmap_up_space"] >= 4 << 20 and
		row["mmap_up_space"] < 10 << 20' &&
	json_is cgroup cgroup=/t_ctl/b 'row["mmap_up_space"] >= 12 << 20' &&
	json_is process comm=grow 'len(r) == 2 and
		all(x["exited"] for x in r)'
	status=$?
	rmdir $g/a $g/b $g
	# the paths of what is gone
	json_is cgroup cgroup=/t_ctl/a 'len(r) == 1' || status=1
	memprofctl stop -q
	return $status
}

by_process()
{
	local pid status
	sh -c 'kill -STOP $$; grow 3 >/dev/null; kill -STOP $$' &
	pid=$!
	each_stop $pid && memprofctl start -p $pid -q || return
	grow 3 >/dev/null
	kill -CONT $pid
	each_stop $pid
	json_is process comm=grow 'len(r) == 1 and
		row["mmap_up_space"] >= 3 << 20'
	status=$?
	memprofctl stop -q
	kill -KILL $pid
	return $status
}

reset_begins_anew()
{
	grow 9 >/dev/null
	memprofctl reset >/dev/null &&
	json_is process comm=grow 'not r'
}

unprivileged_is_refused()
{
	says 1 "memprofctl: cannot " setpriv --reuid 65534 --regid 65534 \
		--clear-groups "$(command -v memprofctl)" "$@"
}

check "check says that all is well" says 0 "start would work" memprofctl check
check "check --json is JSON" eval \
	'memprofctl check --json | python3 -c "import json,sys
[json.loads(l) for l in sys.stdin]"'
check "report without a session says what to do" \
	says 1 "memprofctl start" memprofctl report
check "start says what was started" says 0 "everything" \
	memprofctl start -a --faults 1
check "its socket is for its owner only" \
	eval '[ "$(stat -c %a:%u $sock)" = 600:0 ]'
check "a second start is refused" says 1 "already" memprofctl start -a
check "known sizes are reported" exact_numbers
check "the table is for people" a_table_for_people
check "reset begins anew" reset_begins_anew
check "status tells the state" says 0 "running" memprofctl status
check "rmmod is refused while a session runs" eval '! rmmod memprof 2>/dev/null'
check "an unprivileged user cannot ask" unprivileged_is_refused report
check "stop sums up" says 0 "stopped session" memprofctl stop
check "and nothing is left" \
	eval '[ ! -e $sock ] && [ "$(cat /sys/module/memprof/refcnt)" = 0 ]'
check "an unprivileged user cannot start" unprivileged_is_refused start -a
check "a bad cgroup is one error" says 1 "no/such" memprofctl start -G no/such
check "a dead process is one error" says 1 "4194000" memprofctl start -p 4194000
check "failed starts leave no session" \
	eval '[ ! -e $sock ] && [ "$(cat /sys/module/memprof/refcnt)" = 0 ]'
check "-G follows a cgroup and those below" by_cgroup
check "-p follows a process and its children" by_process
memprofctl start -a -q
check "a killed collector frees the session, the next start works" \
	killed_collector_leaves_nothing
check "a terminated collector cleans up" terminated_collector_cleans_up
rmmod memprof
check "without the module, start says how to load it" \
	says 1 "load the module" memprofctl start -a --source kmod
check "or takes perf's events, and says so" \
	says 0 "the module is not loaded: taking perf's events" \
	memprofctl start -a --faults 100
check "that session ends as others do" says 0 "stopped session" memprofctl stop
check "without the module, check says so and fails" \
	says 1 "missing" memprofctl check
insmod "$MEMPROF_KO"
rm -rf "$work"
plan
