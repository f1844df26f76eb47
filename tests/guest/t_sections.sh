#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# memprofctl sections: running programs that the module serves, others that keep
# their sections themselves, and recordings.
cd "$(dirname "$0")" || exit 1
. ./tap.sh
work=$(mktemp -d)
pid='' listener=''
example="CU log:  1 inner consumed    500 CU (net    500 CU)
HEAP :   200 heap (net   200 heap) remaining  1400
CU log:  2 outer consumed   1500 CU (net   1000 CU)
HEAP :   600 heap (net   400 heap) remaining  1600
CU log:  3 A consumed    300 CU (net    300 CU)
CU log:  4 in b consumed     50 CU (net     50 CU)
CU log:  5 B consumed    400 CU (net    350 CU)"
folded='A 300
B 350
B;in\x20b 50
outer 1000
outer;inner 500'
chart='outer 1000
outer;inner 500
A 300
B 350
B;in\x20b 50'

# open COMMAND...: a program with sections that does what is written to 7
open()
{
	rm -f "$work/do"
	mkfifo "$work/do"
	"$@" <"$work/do" >"$work/said" &
	pid=$!
	exec 7>"$work/do"
}

close()
{
	exec 7>&-
	wait $pid
}

do_it()
{
	before=$(wc -l <"$work/said")
	echo "$@" >&7
}

# listen ARG...: memprofctl sections, until its probes are in place
listen()
{
	memprofctl sections "$@" >"$work/out" 2>"$work/err" &
	listener=$!
	watches $listener
}

# heard: the listener has ended by itself
heard()
{
	local i
	for ((i = 0; i < 100; i++)); do
		kill -0 $listener 2>/dev/null || { wait $listener; return; }
		sleep 0.1
	done
	kill $listener
	return 1
}

# same TEXT FILE
same()
{
	diff <(echo "$1") "$2" >&2
}

shows_the_lines()
{
	listen -p $pid
	do_it example
	heard && same "process $pid, thread $pid:
$example" "$work/out"
}

program_wrote_the_same()
{
	same "$example" "$work/said"
}

shows_json()
{
	listen -p $pid --json
	do_it example
	heard && python3 - "$work/out" <<-END
		import json, sys
		f = json.loads(open(sys.argv[1]).read())
		s = f["sections"]
		assert f["pid"] == $pid and f["whole"] and len(s) == 5, f
		assert s[1]["id"] == "outer" and s[1]["net_cu"] == 1000, s
		assert s[1]["heap"] == {"total": 600, "net": 400,
		                        "remaining": 1600}, s
		assert s[4]["heap"] is None and s[4]["seen"] is None, s
		assert s[0]["meter"] == "caller" and s[4]["index"] == 5, s
	END
}

shows_graph() { listen -p $pid --flamegraph; do_it example; heard && same "$folded" "$work/out"; }
shows_chart()
{
	listen -p $pid --flamegraph --no-collapse
	do_it example
	heard && same "$chart" "$work/out"
}
shows_depth()
{
	listen -p $pid --flamegraph --max-depth 0
	do_it example
	heard && same "$(grep -v ';' <<<"$folded")" "$work/out"
}
shows_sums()
{
	listen -p $pid --aggregate
	do_it example
	heard && same 'outer: 1500 ticks
A: 300 ticks
B: 400 ticks
Full execution: 2200 ticks' <(sed 's/ in [0-9.]* s$//' "$work/out") &&
	[ "$(grep -c ' ticks in 0\.[0-9]* s$' "$work/out")" = 4 ]
}

# stop NUMBER: the listener, as Ctrl-C does, once what do_it asked for is written,
# so many lines
stop()
{
	until [ $(($(wc -l <"$work/said") - before)) -ge $1 ]; do sleep 0.1; done
	kill -INT $listener
	wait $listener
}

shows_threads()
{
	listen -p $pid --follow
	do_it threads
	stop 4 && [ "$(grep -c "^process $pid, thread" "$work/out")" = 4 ] &&
	[ "$(grep -c "CU log:  1 thread [1-4] consumed      [1-4] CU" "$work/out")" = 4 ]
}

shows_ten_thousand()
{
	listen -p $pid --follow
	do_it many 10000
	stop 10000 && [ ! -s "$work/err" ] &&
	diff <(seq 10000 | awk '{ printf "CU log: %2d number %d consumed %6d CU (net %6d CU)\n",
		$1, $1, $1, $1 }') <(tail -n +2 "$work/out") >&2
}

# Numbers of a session that runs meanwhile; the log's own lines stay as they are.
shows_what_a_session_saw()
{
	memprofctl start -p $pid --alloc exact --faults 1 -q || return
	listen -p $pid
	do_it heap
	heard
	local status=$?
	memprofctl stop -q
	grep -qx 'CU log:  1 work consumed      1 CU (net      1 CU)' "$work/out" &&
	awk '/^SEEN :/ { for (i = 3; i < NF; i += 2) v[$i] = $(i + 1) }
		END { exit v["allocated"] != 10000 || v["freed"] != 4000 ||
			v["touched"] < 50 * 4096 || v["touched"] > 70 * 4096 ||
			v["grown"] < 50 * 4096 || v["grown"] > 120 * 4096 }' \
		"$work/out" && return $status
	sed 's/^/# /' "$work/out"
	return 1
}

nobody_may_not_open_the_device()
{
	do_it user
	do_it example
	for _ in $(seq 50); do
		[ "$(wc -l <"$work/said")" = 7 ] && break
		sleep 0.1
	done
	program_wrote_the_same
}

records()
{
	printf 'example\nmany 100\n' | memprofctl record -q -o "$work/data" \
		--alloc off -- sections-c >/dev/null &&
	memprofctl sections -i "$work/data" >"$work/out" &&
	same "$example" <(grep -v ^SEEN "$work/out" | sed -n 2,8p) &&
	[ "$(grep -c 'number [0-9]* consumed' "$work/out")" = 100 ] &&
	memprofctl sections -i "$work/data" --flamegraph >"$work/out" &&
	same "$folded" <(grep -v number "$work/out") &&
	! memprofctl report -i "$work/data" 2>&1 | grep -i ignored
}

# records_nobody [OPTION]...: beside what the module sees
records_nobody()
{
	printf 'user\nexample\n' | memprofctl record -q -f -o "$work/nobody" \
		"$@" -- sections-c >/dev/null &&
	memprofctl sections -i "$work/nobody" >"$work/out" &&
	same "$example" <(tail -n +2 "$work/out") &&
	memprofctl report -i "$work/nobody" --json | grep -q '"sections-c"'
}

perf_records()
{
	printf 'example\n' | perf record -q -e memprof:section -a \
		-o "$work/perf" -- sections-c >/dev/null &&
	memprofctl sections -i "$work/perf" >"$work/out" &&
	same "$example" <(tail -n +2 "$work/out") &&
	perf script -i "$work/perf" -F trace:event,trace 2>/dev/null |
		grep -q 'id=in b index=4 total_cu=50 net_cu=50'
}

other_processes_are_left_out()
{
	[ -z "$(memprofctl sections -i "$work/data" -p 1)" ]
}

misuse()
{
	local a
	for a in "--collapse" "--json --aggregate" "-p x" \
		 "-i $work/data --follow" "--flamegraph --max-depth x"; do
		memprofctl sections $a 2>"$work/err"
		[ $? = 2 ] && [ -s "$work/err" ] || return 1
	done
	memprofctl sections -i /dev/null 2>"$work/err"
	[ $? = 1 ] && [ -s "$work/err" ]
}

all=(
	"flushes show as the program writes them|shows_the_lines"
	"as JSON|shows_json"
	"as a flame graph|shows_graph"
	"as a flame chart|shows_chart"
	"and not deeper than asked|shows_depth"
	"as sums of the outermost ones|shows_sums"
	"each thread's|shows_threads"
	"ten thousand in one flush|shows_ten_thousand"
)

run_all()
{
	local one
	for one in "${all[@]}"; do
		check "$1: ${one%|*}" "${one#*|}"
	done
}

open sections-c
run_all "the module's"
check "with what a session saw inside" shows_what_a_session_saw
close
open sections-c
check "who may not open the device keeps them himself" \
	nobody_may_not_open_the_device
run_all "nobody's"
close
check "record has them, and they come out again" records
check "also of who may not open the device" records_nobody
check "and without allocations" records_nobody --alloc off
check "so has perf's own recording" perf_records
check "of a recording, only of the processes asked for" \
	other_processes_are_left_out
check "a wrong command line says what is wrong" misuse
rm -rf "$work"
plan
