#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host, without the module: recordings of the perf source, what perf makes
# of them, what this makes of perf's, and what both make of broken ones.
. "$(dirname "$0")/lib.sh"
events=/sys/kernel/tracing/uprobe_events

# has_no_probes RECORDER: a recorder that has ended removes them in the background
has_no_probes() { ! grep -q ":memprof_$1/" $events; }
n=1000

recorder=(memprofctl record -q -f --source perf --alloc exact --faults 1)
record()
{
	"${recorder[@]}" "$@"
}

# its three seconds are for who looks for it
make_blocks()
{
	sed 's/sleep(3)/usleep(3)/' tests/guest/programs/blocks.c |
		gcc -O1 -g -fno-omit-frame-pointer -x c -o "$fix/blocks" -
}

make_data()
{
	needs blocks && record -o "$fix/data" -- "$fix/blocks" $n
}

# row FILE: objects, bytes, frees, in use, peak of the program
row()
{
	report -i "$1" | rows value alloc_objects alloc_space free_objects \
		inuse_objects peak_space where type=process comm=blocks
}

known_answers()
{
	local none many
	needs data && record -o "$work/none" -- "$fix/blocks" 0 || return
	read -ra none <<<"$(row "$work/none")"
	read -ra many <<<"$(row "$fix/data")"
	echo "# ${none[*]}; with $n: ${many[*]}"
	[ ${#many[@]} = 5 ] &&
	[ $((many[0] - none[0])) = $n ] &&
	[ $((many[1] - none[1])) = $((n * 136)) ] &&
	[ $((many[2] - none[2])) = $((n / 2)) ] &&
	[ "${many[3]}" = 0 ] && [ "${many[4]}" -ge $((n * 136)) ]
}

ends_as_its_command()
{
	record -o "$work/end" -- bash -c 'exit 7'
	[ $? = 7 ] || return
	record -o "$work/end" -- bash -c 'kill -9 $$'
	[ $? = 137 ]
}

is_private()
{
	needs data && [ "$(stat -c %a "$fix/data")" = 600 ]
}

asks_before_it_replaces()
{
	echo precious >"$work/there"
	complains 1 -f memprofctl record -q --source perf -o "$work/there" \
		-- true && [ "$(<"$work/there")" = precious ]
}

probes_are_gone()
{
	local pid
	needs blocks || return
	"${recorder[@]}" -o "$work/gone" -- "$fix/blocks" 10 &
	pid=$!
	wait $pid
	[ -s "$work/gone" ] && wait_until has_no_probes $pid
}

is_large()
{
	[ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -gt 4000000 ]
}

no_blocks_run()
{
	! pgrep -x -P $pid blocks && ! pgrep -fx "$fix/blocks 10000000"
} >/dev/null

# kill_recorder FILE: in the middle of a run; sets pid
kill_recorder()
{
	needs blocks || return
	"${recorder[@]}" -o "$1" -- "$fix/blocks" 10000000 &
	pid=$!
	disown $pid
	wait_until is_large "$1"
	local status=$?
	kill -9 $pid
	# its probes cannot go before its command has
	wait_until no_blocks_run
	return $status
}

make_killed()
{
	kill_recorder "$fix/killed"
}

next_recorder_cleans_up()
{
	kill_recorder "$work/killed" || return
	grep -q ":memprof_$pid/" $events || {
		echo "# nothing was left behind"
		return 1
	}
	at_end "echo '-:other_$BASHPID/malloc' >>$events"
	echo "p:other_$BASHPID/malloc $fix/blocks:0x1000" >>$events &&
	record -o "$work/next" -- true && ! grep ":memprof_$pid/" $events &&
	grep -q "^p:other_$BASHPID/malloc " $events
}

check_cleans_up()
{
	kill_recorder "$work/killed" && grep -q ":memprof_$pid/" $events || return
	memprofctl check >"$work/out"
	grep -q 'removed [1-9][0-9]* that killed sessions' "$work/out" &&
	! grep ":memprof_$pid/" $events
}

# kernel_range: the kernel's code as a new recording has it
kernel_range()
{
	record -o "$work/range" -- true &&
	perf script -i "$work/range" --show-mmap-events 2>"$work/err" |
		grep -o '\[0x.*kallsyms\]_text'
}

# What another boot has left is not believed
the_range_of_the_kernel_is_kept()
{
	local range kept=$MEMPROF_SYMBOL_CACHE/kernel-text
	range=$(kernel_range) && [ -n "$range" ] &&
	[ -s "$kept" ] && sed -i 's/ffffffff/fffffff0/g' "$kept" &&
	[ "$(kernel_range)" != "$range" ] &&
	sed -i 's/^./x/' "$kept" && [ "$(kernel_range)" = "$range" ]
}

# read_by_both FILE: blocks of the program are seen by perf and by report
read_by_both()
{
	perf script -F comm,event,trace -i "$1" >"$work/out" 2>"$work/err" &&
	grep -q 'blocks .*malloc.*size=' "$work/out" &&
	! grep -v 'not valid for .* Ignoring' "$work/err" &&
	[ "$(row "$1" | cut -d' ' -f1)" -gt $n ]
}

# recovered FILE: a report refuses it, and what recover makes of it is read
recovered()
{
	memprofctl report -i "$1" 2>"$work/err"
	[ $? = 1 ] && grep -q recover "$work/err" &&
	memprofctl recover -f -o "$work/back" "$1" >"$work/out" &&
	read_by_both "$work/back"
}

killed_recordings_are_recovered()
{
	needs killed && recovered "$fix/killed"
}

# Wherever it was cut, after the description of what it is.
cuts_are_recovered()
{
	local part size
	needs data || return
	size=$(stat -c %s "$fix/data")
	for part in 40 55 70 85; do
		head -c $((size * part / 100)) "$fix/data" >"$work/cut" &&
		memprofctl recover -f -o "$work/back" "$work/cut" \
			>"$work/out" &&
		perf_says script -F comm,event,trace -i "$work/back" &&
		memprofctl report -i "$work/back" >"$work/out" || return
	done
}

recover_keeps_what_it_reads()
{
	local before
	needs data && cp "$fix/data" "$work/data" || return
	before=$(md5sum <"$work/data")
	! memprofctl recover -f -o "$work/data" "$work/data" 2>"$work/err" &&
	[ "$(md5sum <"$work/data")" = "$before" ]
}

full_disks_are_told_and_recovered()
{
	needs blocks && mkdir "$work/full" &&
	mount -t tmpfs -o size=2m tmpfs "$work/full" || return
	at_end 'umount "$work/full"'
	complains 1 'No space left' record -o "$work/full/data" -- \
		"$fix/blocks" 20000 && recovered "$work/full/data"
}

# What -f would replace is a whole recording: it stays until the other is one, too
full_disks_spare_what_was_there()
{
	needs data && mkdir "$work/full" &&
	mount -t tmpfs -o size=4m tmpfs "$work/full" || return
	at_end 'umount "$work/full"'
	cp "$fix/data" "$work/full/data" || return
	complains 1 'full/data.new: No space left' \
		record -o "$work/full/data" -- "$fix/blocks" 40000 &&
	cmp "$fix/data" "$work/full/data" && recovered "$work/full/data.new"
}

kills_spare_what_was_there()
{
	needs data && cp "$fix/data" "$work/data" || return
	# the rest of an earlier one is not replaced, either
	echo precious >"$work/data.new"
	record -o "$work/data" -- bash -c "'$fix/blocks' 10; kill -9 \$PPID"
	cmp "$fix/data" "$work/data" &&
	[ "$(<"$work/data.new")" = precious ] || return
	# what was not written yet is lost
	[ -e "$work/data.new2" ] || return
	record -o "$work/data" -- true && ! cmp -s "$fix/data" "$work/data" &&
	memprofctl report -i "$work/data" >"$work/out" &&
	[ ! -e "$work/data.new3" ]
}

limits_of_a_shell_are_told()
{
	needs blocks || return
	(ulimit -f 2000 && complains 1 'ulimit -f' record -o "$work/small" -- \
		"$fix/blocks" 20000) && recovered "$work/small" &&
	(ulimit -n 20 && complains 1 'ulimit -n' record -o "$work/few" -- true)
}

# The command has the signals that it would have without us. bash says what ended head:
# in a file of more than 1 KiB it could not, and would end, too.
signals_are_the_commands()
{
	record -o "$work/data" -- bash -c 'ulimit -f 1
		head -c 9999 /dev/zero >"$0"; echo $?' "$work/large" >"$work/out" \
		2>"$work/err"
	[ "$(<"$work/out")" = 153 ]
}

# With -a; its cgroup has them, too
idle_processes_have_rows()
{
	local idle
	make_cgroup || return
	(echo $BASHPID >"$cgroup/cgroup.procs" && exec sleep 1000) & idle=$!
	wait_until grep -q "^$idle$" "$cgroup/cgroup.procs" &&
	memprofctl record -q --source perf -o "$work/data" -a --duration 0.5 &&
	report -i "$work/data" | rows holds 'resident_space > 0 and cgroup_id > 0' \
		where type=process pid="$idle" &&
	report -i "$work/data" --by cgroup >"$work/json" &&
	rows holds 'processes == 1 and resident_space > 0' where type=cgroup \
		"cgroup=$group" <"$work/json" &&
	[ "$(rows sum processes where type=cgroup <"$work/json")" -gt 3 ]
}

# As with perf: of "record -p PID -- COMMAND", the command is the clock, and is not
# recorded. With -a both are.
commands_tell_how_long()
{
	local idle
	sleep 1000 & idle=$!
	record -o "$work/data" --faults 1 -p $idle -- sh -c 'sleep 1; exit 7' 2>"$work/err"
	[ $? = 7 ] && report -i "$work/data" --by process >"$work/rows" &&
	[ "$(rows list pid where type=process <"$work/rows")" = $idle ] &&
	# also of what did nothing
	rows holds 'now_ns - start_ns >= 1e9' where type=summary <"$work/rows" || return
	record -o "$work/data2" --source perf --alloc off -a -- ls /etc >"$work/out" &&
	[ -s "$work/out" ] && report -i "$work/data2" --by process >"$work/rows" &&
	[ "$(rows count where type=process comm=ls <"$work/rows")" = 1 ] &&
	[ "$(rows count where type=process pid=$idle <"$work/rows")" = 1 ]
}

fifos_are_no_commands()
{
	mkfifo "$work/fifo" && chmod 755 "$work/fifo"
	timeout -s KILL 60 "${recorder[@]}" -o "$work/data" -- "$work/fifo" \
		2>"$work/err"
	[ $? = 126 ] && [ ! -e "$work/data" ] &&
	grep -q "cannot run $work/fifo: Permission denied" \
		"$work/err"
}

# ends_well COMMAND...: in 5 s of CPU time and 2 GB of memory, and with one line if it fails
ends_well()
{
	local status lines
	(ulimit -v 2097152 -t 5; exec timeout -s KILL 60 "$@") >"$work/out" \
		2>"$work/err"
	status=$?
	lines=$(wc -l <"$work/err")
	[ $status = 0 ] || { [ $status = 1 ] && [ "$lines" = 1 ] &&
		grep -q '^memprofctl: ' "$work/err"; } && return
	echo "# $*: status $status, $lines lines: $(head -c 200 "$work/err")"
	return 1
}

# survives COMMAND...: with each broken recording as its last word
survives()
{
	local file bad=0 nr=0
	needs broken || return
	for file in "$fix"/broken/*; do
		nr=$((nr + 1))
		ends_well "$@" "$file" || bad=$((bad + 1))
	done
	echo "# $nr files"
	[ $nr -ge 60 ] && [ $bad = 0 ]
}

recover_survives()
{
	survives memprofctl recover -f -o "$work/back"
}

make_broken()
{
	needs data perfs_kinds && mkdir "$fix/broken" "$fix/broken/folder" &&
	python3 tests/corrupt.py "$fix/data" "$fix/broken" >/dev/null &&
	mkfifo "$fix/broken/fifo" &&
	cp "$fix/compressed" "$fix/pipe" "$fix/broken"
}

make_perfs_kinds()
{
	perf record -q -z -B -N -e page-faults -o "$fix/compressed" -- true
	perf record -q -B -N -e page-faults -o - -- true >"$fix/pipe"
}

# says TEXT FILE: report refuses a recording of perf's for this reason
says()
{
	needs perfs_kinds || return
	memprofctl report -i "$fix/$2" >"$work/out" 2>"$work/err"
	[ $? = 1 ] && [ ! -s "$work/out" ] && grep -q "$1" "$work/err"
}

# perf_says COMMAND...: keeps what it prints; perf's status tells nothing
perf_says()
{
	perf "$@" >"$work/out" 2>"$work/err"
	[ -s "$work/out" ] &&
	! grep -iE 'incompat|fail|error|corrupt|invalid|unsupp' "$work/err" ||
	{
		head -n 3 "$work/err" | note
		return 1
	}
}

nr_samples()
{
	memprofctl dump -i "$fix/data" | grep -c ' SAMPLE '
}

script_has_every_sample()
{
	needs data &&
	perf_says script -F comm,event,trace -i "$fix/data" &&
	[ "$(wc -l <"$work/out")" = "$(nr_samples)" ] &&
	[ "$(grep -c 'memprof_[0-9]*:malloc_[0-9]*:.*size=0x80 ' \
		"$work/out")" = $n ]
}

script_has_addresses()
{
	needs data &&
	perf_says script -F +addr -i "$fix/data" &&
	grep -qE 'minor-faults: +[0-9a-f]*[1-9a-f]' "$work/out"
}

report_names_functions()
{
	needs data &&
	perf_says report --stdio -i "$fix/data" &&
	grep -q "of event 'memprof_[0-9]*:malloc" "$work/out" &&
	grep -qE '100.00% +blocks +blocks +.* main$' "$work/out"
}

report_sorts_by_cgroup()
{
	needs data &&
	perf_says report --stdio --sort cgroup,comm -i "$fix/data" &&
	grep -qE '100.00% +/[^ ]* +blocks' "$work/out"
}

header_is_whole()
{
	needs data &&
	perf_says report --header-only -i "$fix/data" &&
	grep -q "^# hostname : $(uname -n)$" "$work/out" &&
	grep -q "^# os release : $(uname -r)$" "$work/out" &&
	grep -q '^# cmdline : .*record' "$work/out" &&
	grep -q '^# event : name = memprof:site' "$work/out"
}

build_ids_are_right()
{
	local id
	needs data || return
	id=$(readelf -n "$fix/blocks" | awk '/Build ID/ { print $3 }')
	perf_says buildid-list -i "$fix/data" &&
	grep -q "^$id $fix/blocks$" "$work/out" &&
	grep -q '/libc\.so\.6$' "$work/out"
}

inject_keeps_all()
{
	needs data &&
	perf inject -b -i "$fix/data" -o "$work/injected" 2>"$work/err" &&
	[ "$(row "$work/injected")" = "$(row "$fix/data")" ]
}

converts_to_json()
{
	needs data &&
	perf data convert --force --to-json "$work/json" -i "$fix/data" \
		>/dev/null 2>&1
	[ "$(python3 -c '
import json, sys
print(len(json.load(open(sys.argv[1]))["samples"]))' "$work/json")" = \
	"$(nr_samples)" ]
}

# The points that perf probe finds, in a group of this check's own
perf_follows()
{
	local libc where group=memproftest_$BASHPID e
	for e in malloc malloc__return free; do
		at_end "echo '-:$group/$e' >>$events 2>/dev/null"
	done
	libc=$(ldd "$fix/blocks" | awk '/libc\.so/ { print $3 }')
	where=$(perf probe -x "$libc" -D malloc 2>/dev/null |
		awk '/^p:/ { print $2; exit }')
	[ -n "$where" ] &&
	echo "p:$group/malloc $where bytes=%di" >>$events &&
	echo "r:$group/malloc__return $where ret=\$retval" >>$events &&
	where=$(perf probe -x "$libc" -D free 2>/dev/null |
		awk '/^p:/ { print $2; exit }') &&
	echo "p:$group/free $where mem=%di" >>$events &&
	perf record -q -B -N -e "$group:*" -o "$work/perfs" -- \
		"$fix/blocks" $n
}

# Perf's know neither faults nor growth, so only allocations are compared.
reads_perfs()
{
	needs data && perf_follows || return
	echo "# perf's: $(row "$work/perfs"); ours: $(row "$fix/data")"
	[ -n "$(row "$fix/data")" ] &&
	[ "$(row "$work/perfs")" = "$(row "$fix/data")" ]
}

# A binary that only a child of the command runs, found while it runs
late_binaries_are_followed()
{
	gcc -O1 -static -o "$work/static" tests/guest/programs/blocks.c &&
	memprofctl record -q -f --source perf --faults off --growth off \
		-o "$work/late" -- sh -c "'$work/static' 1000; true" &&
	report -i "$work/late" | rows holds 'alloc_objects >= 1001' \
		where type=process comm=static
}

# Of fifty short programs
each_fault_of_tasks_counts()
{
	memprofctl record -q -f --source perf --alloc off --growth off \
		-o "$work/faults" -- bash -c \
		'for i in {1..50}; do /bin/true; done' || return
	report -i "$work/faults" >"$work/json"
	[ "$(rows count where type=process comm=true <"$work/json")" = 50 ] &&
	rows holds 'minor_faults > 30' where type=process comm=true \
		<"$work/json"
}

programs_after_exec_are_rows_of_their_own()
{
	needs blocks &&
	memprofctl record -q -f --source perf --alloc exact --faults off \
		--growth off -o "$work/exec" -- bash -c "exec '$fix/blocks' 1000" &&
	[ "$(report -i "$work/exec" --by callsite | rows sum alloc_objects \
		where type=site 'binary~/blocks$')" = 1001 ]
}

children_are_left_out_where_asked()
{
	mkfifo "$work/go"
	bash -c 'read -r; for i in 1 2 3; do /bin/true; done' <"$work/go" &
	local pid=$!
	exec 7>"$work/go"
	listening record -q -f --source perf --no-children --growth off \
		--alloc off -o "$work/alone" -p $pid 7>&- || return
	exec 7>&-
	# it ends as the process does
	end_of $recorder && wait $pid &&
	[ "$(report -i "$work/alone" | rows list comm where type=process)" = \
		bash ]
}

# restart_service PID N: makes the check's cgroup anew, and runs a program in it that allocates
# N + 1 blocks, when process PID holds no removed cgroup open any more.
restart_service()
{
	rmdir "$cgroup" && mkdir "$cgroup" || return
	(inside "$cgroup" "$fix/service" "$2" stop) & pid=$!
	each_stop $pid && wait_until holds_no_removed_folder "$1" &&
		kill -CONT $pid && each_stop $pid && kill -CONT $pid && wait $pid
}

holds_no_removed_folder() { ! ls -l "/proc/$1/fd" 2>/dev/null | grep -q "$group (deleted)"; }

make_service()
{
	gcc -O1 -g -o "$fix/service" tests/guest/programs/blocks.c
}

# services_have SOURCE...: the blocks of both programs, each in its cgroup
services_have()
{
	report --by callsite "$@" >"$work/rows" &&
	[ "$(rows sum alloc_objects where type=site 'binary~/service$' \
		<"$work/rows")" = 3002 ] &&
	[ "$(report "$@" | rows count where type=process comm=service \
		"cgroup=$group")" = 2 ]
}

services_that_restart_are_followed()
{
	needs service && make_cgroup &&
	listening record -q --source perf --faults off -o "$work/data" -G "$group" &&
	restart_service $recorder 1000 && restart_service $recorder 2000 &&
	kill -INT $recorder && end_of $recorder && services_have -i "$work/data"
}

services_that_restart_are_followed_live()
{
	needs service && make_cgroup &&
	memprofctl start -q --source perf --faults off -G "$group" &&
	restart_service "$(session_pid)" 1000 &&
	restart_service "$(session_pid)" 2000 && services_have
}

cgroups_that_are_not_there_are_told()
{
	local source
	for source in perf smaps; do
		complains 1 "cgroup v1 does not count" \
			memprofctl start --source $source -G /none || return
	done
}

# What it is told when it is ready, and what it does not take
ready_is_told()
{
	local line
	record -o "$work/ready" --ready-fd 8 -- sh -c 'ls -l /proc/self/fd' \
		8>"$work/said" >"$work/fds" &&
	[ "$(od -An -c "$work/said" | tr -d ' ')" = 'READY=1\n' ] &&
	! grep -qF "$work/said" "$work/fds" &&
	# a reader that went away is no reason to end
	record -o "$work/ready" --ready-fd 8 -- sh -c 'exit 7' \
		8> >(:) 2>"$work/err"
	[ $? = 7 ] || return
	for line in 2 8 x; do
		complains 2 "--ready-fd takes a file descriptor from 3 on" \
			record -o "$work/none" --ready-fd $line -- true 8<&- ||
			return
	done
	complains 2 "open for writing, not '8'" \
		record -o "$work/none" --ready-fd 8 -- true 8</dev/null &&
	complains 2 "with --preload only" memprofctl record --preload \
		--ready-fd 8 -o "$work/none" -- true 8>/dev/null &&
	[ ! -e "$work/none" ]
}

threads_work()
{
	[ "$(cat /proc/$pid/task/*/comm | grep -c worker)" = 2 ]
}

threads_have_names()
{
	python3 -c '
import threading, time
def work():
    open("/proc/thread-self/comm", "w").write("worker")
    while True:
        bytearray(1000000)
        time.sleep(0.1)
threads = [threading.Thread(target=work) for i in range(2)]
[t.start() for t in threads]' & pid=$!
	wait_until threads_work || return
	memprofctl record -q -f --source perf -o "$work/threads" -p $pid \
		--duration 2 2>/dev/null
	perf script -i "$work/threads" -F comm 2>/dev/null | sort | uniq -c |
		note | tee "$work/comms"
	grep -q worker "$work/comms" && ! grep -q ' :[0-9]' "$work/comms"
}

# Static probes of a profiler in a program, which tells weights itself
static_probes_are_followed()
{
	cat >"$work/usdt.s" <<-'END'
	.text
	.globl main
	main:	push %rbx
		mov $100, %ebx
	again:	mov %rbx, %rdi
		shl $12, %rdi
		mov $1000, %esi
		mov $8000, %edx
	alloc:	nop
		test $1, %bl
		jz next
	free:	nop
	next:	dec %ebx
		jnz again
		pop %rbx
		xor %eax, %eax
		ret
	.macro PROBE at name args
	.pushsection .note.stapsdt,"",@note
	.balign 4
	.4byte 8, 2f-1f, 3
	.asciz "stapsdt"
	1: .8byte \at, _base, 0
	.asciz "otel_memory"
	.asciz "\name"
	.asciz "\args"
	2: .balign 4
	.popsection
	.endm
	.section .stapsdt.base,"aG","progbits",.stapsdt.base,comdat
	_base: .space 1
	.text
	PROBE alloc, alloc, "8@%rdi 8@%rsi 8@%rdx"
	PROBE free, free, "8@%rdi"
	.section .note.GNU-stack,"",@progbits
	END
	gcc -no-pie -o "$work/usdt" "$work/usdt.s" || return 1
	memprofctl record -q -f --source perf --faults off --growth off \
		-o "$work/static-probes" -- "$work/usdt" || return 1
	[ "$(report -i "$work/static-probes" | rows value alloc_objects \
		alloc_space free_objects where type=process comm=usdt)" = \
		"800 800000 400" ]
}

# While its reader is stopped, a program fills the ring and ends: the record of its exit
# does not fit.
fill_ring_and_end()
{
	kill -STOP "$1" && kill -CONT $pid && each_stop $pid || return
	kill -CONT $pid && wait_until has_ended $pid
	wait $pid
	kill -CONT "$1"
}

# ended REPORT: whether the report has losses, and its only program has ended with them
ended()
{
	rows holds "counters['event_lost'] > 0" where type=summary <"$1" &&
	rows holds "exited and inuse_space == 0" where type=process comm=blocks <"$1"
}

# tells_what_was_lost JSON TABLE: the share, and how far LIVE is off
tells_what_was_lost()
{
	local lost kept
	read -r lost kept < <(rows list counters.event_lost counters.event_kept \
		where type=summary <"$1")
	grep -q "events were lost ($lost of $((lost + kept))): .* LIVE is within [0-9]" "$2" &&
	grep -q ' low confidence' "$2" && return
	note "$2"
	return 1
}

lost_exits_are_found()
{
	needs blocks && launch "$fix/blocks" 200000 stop &&
	listening record -q -f --source perf --alloc exact -o "$work/lost" -p $pid ||
		return
	fill_ring_and_end $recorder
	end_of $recorder
	report -i "$work/lost" >"$work/lost.json" && ended "$work/lost.json" &&
	memprofctl report -v -i "$work/lost" >"$work/lost.txt" &&
	tells_what_was_lost "$work/lost.json" "$work/lost.txt"
}

lost_exits_of_sessions_are_found()
{
	local collector
	needs blocks && launch "$fix/blocks" 200000 stop &&
	collector=$(memprofctl start --source perf -p $pid --alloc exact |
		sed -n 's/^started session \([0-9]*\).*/\1/p') &&
	[ -d "/proc/$collector" ] || return
	fill_ring_and_end $collector
	# it has a full ring to read first
	wait_until session_has_ended && memprofctl stop >/dev/null
}

session_has_ended() { report >"$work/session.json" && ended "$work/session.json"; }

devices_are_not_replaced()
{
	mknod "$work/null" c 1 3 || return 1
	! memprofctl record -q -f --source perf --alloc off -o "$work/null" \
		-- true 2>/dev/null && [ -c "$work/null" ]
}

# put_container ID NAME: what docker keeps of a container
put_container()
{
	mkdir -p "$work/host/var/lib/docker/containers/$1"
	printf '{"ID":"%s","Name":"/%s","Config":{"Image":"shop/web:1"}}' "$1" "$2" \
		>"$work/host/var/lib/docker/containers/$1/config.v2.json"
}

# The cgroups are real ones; the files are what docker writes, which nobody needs later.
containers_keep_their_names()
{
	local first second early late
	printf -v first '%064x' 0xabc; printf -v second '%064x' 0xdef
	make_cgroup && put_container "$first" early && put_container "$second" late || return
	mkdir -p "$cgroup/docker/$second" || return
	(inside "$cgroup/docker/$first" sleep 60) & early=$!
	wait_until test -d "$cgroup/docker/$first" || return
	MEMPROF_HOST_ROOT=$work/host listening record -q -f --source perf --alloc off \
		-o "$work/containers" -d 4 -G "$group" || return
	# a container that begins and ends meanwhile, and takes its file with it
	rmdir "$cgroup/docker/$second"
	(inside "$cgroup/docker/$second" sleep 3) & late=$!
	wait $late
	rm -r "$work/host/var/lib/docker/containers/$second"
	end_of $recorder; kill $early; wait $early
	rm -r "$work/host"
	memprofctl report -i "$work/containers" --by cgroup >"$work/names"
	sed 's/^/# /' "$work/names"
	grep -q '^docker:early (web:1) ' "$work/names" &&
	grep -q '^docker:late (web:1) ' "$work/names" &&
	[ "$(report -i "$work/containers" --filter container=early |
		rows value comm container image runtime where type=process)" = \
		"sleep early shop/web:1 docker" ] &&
	memprofctl export -q -i "$work/containers" --by process --format csv -f -o "$work/csv" &&
	grep -q ',container,pod,namespace,image,unit.$' "$work/csv" &&
	grep -q '^process,.*,sleep,.*,late,,,shop/web:1,.$' "$work/csv" &&
	memprofctl report -i "$work/containers" --by cgroup --paths |
		grep -q "^$group/docker/$first "
}

why=$(perf_obstacle)
recording() { check_unless "$why" "$@"; }
recording "the perf source gives the known answers" known_answers
recording "record ends as its command does" ends_as_its_command
recording "a recording is for its owner only" is_private
recording "an existing recording needs -f" asks_before_it_replaces
recording "no probe is left" probes_are_gone
recording "the next recorder removes what a killed one left, and nothing else" \
	next_recorder_cleans_up
recording "check removes what a killed recorder left" check_cleans_up
recording "what a killed recorder wrote is recovered" \
	killed_recordings_are_recovered
recording "recordings that were cut are recovered" cuts_are_recovered
recording "recover does not replace what it reads" recover_keeps_what_it_reads
recording "a full disk is said, and what it holds is recovered" \
	full_disks_are_told_and_recovered
recording "a full disk spares what -f was to replace" full_disks_spare_what_was_there
recording "limits of the shell are told" limits_of_a_shell_are_told
recording "a command gets the signals of the shell" signals_are_the_commands
recording "processes that do nothing have rows" idle_processes_have_rows
recording "a command tells how long to record others" commands_tell_how_long
recording "a FIFO is no command" fifos_are_no_commands
recording "a kill spares what -f was to replace" kills_spare_what_was_there
recording "report survives broken recordings" survives memprofctl report -i
recording "dump survives broken recordings" survives memprofctl dump -i
recording "recover survives broken recordings" recover_survives
recording "report says that a recording is compressed" \
	says compressed compressed
recording "report says that a recording went through a pipe" says pipe pipe
recording "perf script has every sample, and fields" script_has_every_sample
recording "perf script has addresses of faults" script_has_addresses
recording "perf report names functions" report_names_functions
recording "perf report sorts by cgroup" report_sorts_by_cgroup
recording "perf report has a whole header" header_is_whole
recording "perf buildid-list has what was run" build_ids_are_right
recording "perf inject keeps all" inject_keeps_all
recording "perf data converts to JSON" converts_to_json
recording "what perf recorded gives the same answers" reads_perfs
recording "binaries that are found late are followed" \
	late_binaries_are_followed
recording "each fault of tasks counts" each_fault_of_tasks_counts
recording "programs after exec are rows of their own" \
	programs_after_exec_are_rows_of_their_own
recording "children are left out where that is asked" \
	children_are_left_out_where_asked
recording "a service whose cgroup is made anew is followed" \
	services_that_restart_are_followed
recording "a session follows it, too" services_that_restart_are_followed_live
recording "a cgroup that is not there is told" \
	cgroups_that_are_not_there_are_told
recording "--ready-fd gets a line when events are recorded" ready_is_told
recording "threads have names" threads_have_names
recording "containers keep their names when they are gone" containers_keep_their_names
recording "static probes are followed" static_probes_are_followed
recording "the end of a program is found where its record is lost" \
	lost_exits_are_found
recording "the end of a program is found where a session has lost its record" \
	lost_exits_of_sessions_are_found
recording "where the kernel's code lies is read once per boot" \
	the_range_of_the_kernel_is_kept
recording "devices are not replaced" devices_are_not_replaced
plan
