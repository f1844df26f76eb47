#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host, without the module: recordings of the perf source, what perf makes
# of them, what this makes of perf's, and what both make of broken ones.
. "$(dirname "$0")/lib.sh"
. tests/recording.sh
events=/sys/kernel/tracing/uprobe_events

# has_no_probes RECORDER: a recorder that has ended removes them in the background
has_no_probes() { ! grep -q ":memprof_$1/" $events; }
n=1000

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

# Of events that sample the same fault, the kernel gives all records the id of the first one:
# the second recording has them nevertheless
recordings_share_faults()
{
	local i job
	/usr/bin/python3 -c '
import mmap
while True:
    with mmap.mmap(-1, 1 << 20) as m:
        for i in range(0, 1 << 20, 4096):
            m[i] = 1' & pid=$!
	memprofctl record -q --source perf -o "$work/one" -p $pid --alloc off -d 5 & job=$!
	sleep 1.5
	memprofctl record -q --source perf -o "$work/all" -a -d 2 && wait $job || return
	for i in one all; do
		report -i "$work/$i" --by process >"$work/json" &&
		rows holds 'touched_space > 1000000 and
			0.6 * mmap_up_space < touched_space < 1.6 * mmap_up_space' \
			where type=process "pid=$pid" <"$work/json" || return
	done
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

# A recording lasts as long as its command, however long nothing happens before the end
commands_may_do_nothing()
{
	local pauses='import signal; signal.alarm(2); signal.pause()'
	record -o "$work/killed" --source perf -- python3 -c "$pauses" 2>/dev/null
	[ $? = 142 ] && report -i "$work/killed" |
		rows holds 'now_ns - start_ns >= 2e9' where type=summary || return
	record -o "$work/limited" --source perf -d 1 -- python3 -c "$pauses" 2>/dev/null
	report -i "$work/limited" |
		rows holds '1e9 <= now_ns - start_ns < 2e9' where type=summary
}

# Nothing samples a running process by bytes but the library and the module.
sampling_is_refused()
{
	complains 1 "(--inject samples; --alloc exact counts each call, with a trap)" \
		memprofctl record --source perf -p $$ --alloc 512K -o "$work/none" &&
	complains 1 "(--inject samples; --alloc exact counts each call, with a trap)" \
		memprofctl start --source perf -p $$ --alloc 512K && [ ! -e "$work/none" ]
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
	[ "$(grep -c 'memprof_user:malloc:.*size=0x80 ' \
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
	grep -q "of event 'memprof_user:malloc'" "$work/out" &&
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

devices_are_not_replaced()
{
	mknod "$work/null" c 1 3 || return 1
	! memprofctl record -q -f --source perf --alloc off -o "$work/null" \
		-- true 2>/dev/null && [ -c "$work/null" ]
}

why=$(perf_obstacle)
# Of a program without symbols. dpkg may know it by another path than the one that runs.
packages_are_named()
{
	memprofctl record -q -f --alloc 4K -o "$work/data" -- ls / >"$work/files" &&
	memprofctl report -i "$work/data" >"$work/out" &&
	grep '^hint: [0-9]* % of AT-PEAK is in ls, which has no symbols: install coreutils-dbgsym, ' \
		"$work/out" && return
	note "$work/out"
	return 1
}

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
recording "a command tells how long to record others" commands_tell_how_long
recording "a recording lasts as long as its command" commands_may_do_nothing
check_unless "${why:-$(lacks dpkg-query)}" "the package with the symbols is named" packages_are_named
recording "sampling that is not possible is refused, with the way out" sampling_is_refused
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
recording "each fault of tasks counts" each_fault_of_tasks_counts
recording "two recordings at once have the same faults" recordings_share_faults
recording "--ready-fd gets a line when events are recorded" ready_is_told
recording "where the kernel's code lies is read once per boot" \
	the_range_of_the_kernel_is_kept
recording "devices are not replaced" devices_are_not_replaced
plan
