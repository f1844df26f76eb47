#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# memprofctl sections: with running programs that use the module, with programs
# that measure their sections themselves, and with recordings.
. "$(dirname "$0")/../lib.sh"
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

# open WHOSE: starts a program with sections, which runs the commands written to
# descriptor 7. WHOSE is "module", or "nobody": then it may not open the device
# and measures sections itself
open()
{
	mkfifo "$work/do"
	sections-c <"$work/do" >"$work/said" &
	pid=$!
	exec 7>"$work/do"
	[ "$1" = nobody ] || return 0
	do_it user
}

do_it()
{
	before=$(wc -l <"$work/said")
	echo "$@" >&7
}

# has_said NUMBER: whether the program has printed NUMBER lines since the last
# command
has_said()
{
	[ $(($(wc -l <"$work/said") - before)) -ge $1 ]
}

# listen ARG...: starts memprofctl sections for the program; sets recorder
listen()
{
	listening sections -p $pid "$@" >"$work/out" 2>"$work/err"
}

# heard: waits until the listener ends by itself
heard()
{
	end_of $recorder
}

# same TEXT FILE: whether the file contains TEXT
same()
{
	is_same "$2" <(echo "$1")
}

shows_the_lines()
{
	listen
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
	listen --json
	do_it example
	heard && rows holds "pid == $pid and whole and len(sections) == 5 and
		sections[1]['id'] == 'outer' and sections[1]['net_cu'] == 1000 and
		sections[1]['heap'] == {'total': 600, 'net': 400,
					'remaining': 1600} and
		sections[4]['heap'] is None and sections[4]['seen'] is None and
		sections[0]['meter'] == 'caller' and
		sections[4]['index'] == 5" <"$work/out"
}

shows_graph() { listen -p $pid --flamegraph; do_it example; heard && same "$folded" "$work/out"; }
shows_chart()
{
	listen --flamegraph --no-collapse
	do_it example
	heard && same "$chart" "$work/out"
}

shows_depth()
{
	listen --flamegraph --max-depth 0
	do_it example
	heard && same "$(grep -v ';' <<<"$folded")" "$work/out"
}

shows_sums()
{
	listen --aggregate
	do_it example
	heard && same 'outer: 1500 ticks
A: 300 ticks
B: 400 ticks
Full execution: 2200 ticks' <(sed 's/ in [0-9.]* s$//' "$work/out") &&
	[ "$(grep -c ' ticks in 0\.[0-9]* s$' "$work/out")" = 4 ]
}

# stop NUMBER: interrupts the listener, like Ctrl-C, after it has written NUMBER
# lines for the last command
stop()
{
	wait_until has_said $1 || return
	kill -INT $recorder
	wait $recorder
}

shows_threads()
{
	listen --follow
	do_it threads
	stop 4 && [ "$(grep -c "^process $pid, thread" "$work/out")" = 4 ] &&
	[ "$(grep -c "CU log:  1 thread [1-4] consumed      [1-4] CU" "$work/out")" = 4 ]
}

shows_ten_thousand()
{
	listen --follow
	do_it many 10000
	stop 10000 && [ ! -s "$work/err" ] &&
	is_same <(tail -n +2 "$work/out") <(seq 10000 | awk '{ printf "CU log: %2d number %d consumed %6d CU (net %6d CU)\n",
		$1, $1, $1, $1 }')
}

# Sections with the numbers of a session; the lines of the log do not change.
shows_what_a_session_saw()
{
	memprofctl start -p $pid --alloc exact --faults 1 -q || return
	listen
	do_it heap
	heard || return
	grep -qx 'CU log:  1 work consumed      1 CU (net      1 CU)' "$work/out" &&
	awk '/^SEEN :/ { for (i = 3; i < NF; i += 2) v[$i] = $(i + 1) }
		END { exit v["allocated"] != 10000 || v["freed"] != 4000 ||
			v["touched"] < 50 * 4096 || v["touched"] > 70 * 4096 ||
			v["grown"] < 50 * 4096 || v["grown"] > 120 * 4096 }' \
		"$work/out" && return
	note "$work/out"
	return 1
}

# Without a listener the program prints the sections.
program_writes_them_itself()
{
	do_it example
	wait_until has_said 7 && same "$example" "$work/said"
}

make_data()
{
	printf 'example\nmany 100\n' | memprofctl record -q -o "$fix/data" \
		--alloc off -- sections-c >/dev/null
}

records()
{
	needs data && memprofctl sections -i "$fix/data" >"$work/out" &&
	same "$example" <(grep -v ^SEEN "$work/out" | sed -n 2,8p) &&
	[ "$(grep -c 'number [0-9]* consumed' "$work/out")" = 100 ] &&
	memprofctl sections -i "$fix/data" --flamegraph >"$work/out" &&
	same "$folded" <(grep -v number "$work/out") &&
	! memprofctl report -i "$fix/data" 2>&1 | grep -i ignored
}

# records_nobody [OPTION]...: records a program that measures its sections
# itself, in addition to the module's numbers
records_nobody()
{
	printf 'user\nexample\n' | memprofctl record -q -f -o "$work/nobody" \
		"$@" -- sections-c >/dev/null &&
	memprofctl sections -i "$work/nobody" >"$work/out" &&
	same "$example" <(tail -n +2 "$work/out") &&
	report -i "$work/nobody" | rows holds True where comm=sections-c
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
	needs data && [ -z "$(memprofctl sections -i "$fix/data" -p 1)" ]
}

misuse()
{
	local a
	for a in "--collapse" "--json --aggregate" "-p x" \
		 "-i $fix/data --follow" "--flamegraph --max-depth x"; do
		memprofctl sections $a 2>"$work/err"
		[ $? = 2 ] && [ -s "$work/err" ] || return 1
	done
	memprofctl sections -i /dev/null 2>"$work/err"
	[ $? = 1 ] && [ -s "$work/err" ]
}

# of WHOSE COMMAND...: opens a program and runs COMMAND
of()
{
	open "$1" && "${@:2}"
}

for whose in module nobody; do
	check "$whose's: flushes show as the program writes them" \
		of $whose shows_the_lines
	check "$whose's: flushes show as JSON" of $whose shows_json
	check "$whose's: flushes show as a flame graph" of $whose shows_graph
	check "$whose's: flushes show as a flame chart" of $whose shows_chart
	check "$whose's: a flame graph is not deeper than asked" \
		of $whose shows_depth
	check "$whose's: flushes show as sums of the outermost sections" \
		of $whose shows_sums
	check "$whose's: flushes of each thread show" of $whose shows_threads
	check "$whose's: ten thousand sections in one flush show" \
		of $whose shows_ten_thousand
done
check "sections of the module have what a session saw inside" \
	of module shows_what_a_session_saw
check "who may not open the device keeps them himself" \
	of nobody program_writes_them_itself
check "record has them, and they come out again" records
check "record has those of who may not open the device" records_nobody
check "record has them without allocations" records_nobody --alloc off
check "perf's own recording has them" perf_records
check "of a recording, only of the processes asked for" \
	other_processes_are_left_out
check "a wrong command line says what is wrong" misuse
plan
