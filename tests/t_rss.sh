#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host, without the module: what RSS is made of, of programs that know it.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/postgres.sh"
# on a disk: a file in tmpfs would be shared memory
file=$build/t_rss.file.$$
at_exit+=('rm -f "$file"')

make_parts()
{
	gcc -O1 -g -D_GNU_SOURCE -pthread -o "$fix/parts" \
		tests/guest/programs/parts.c &&
	head -c 16M /dev/urandom >"$file"
}

# begin: the program waits for a line from $sink before it takes memory; sets pid
begin()
{
	needs parts && mkfifo "$work/in" || return
	(ulimit -S -s 9216; exec "$fix/parts" "$file") <"$work/in" \
		>"$work/out" &
	pid=$!
	exec {sink}>"$work/in"
}

# It says "ready", and reads then, which brings some more pages of libc.
go()
{
	echo go >&"$sink"
	wait_for ready "$work/out" && wait_until sleeps
}

finish()
{
	exec {sink}>&-
	wait "$pid"
}

# session OPTION...: the program has its memory, and a session knows
session()
{
	begin && memprofctl start -q --source perf -p $pid "$@" &&
	runs_first "$(session_pid)" && go
}

sizes()
{
	report --view rss "$@"
}

rss_of()
{
	awk '/^Rss:/ { print $2 * 1024 }' "/proc/$1/smaps_rollup"
}

# buckets <ROWS: of the program
buckets()
{
	rows holds 'near(live_touched_space, 64, 0.1) and
		near(allocator_held_space, 63, 1.5) and
		near(stack_resident_space, 8, 0.1) and
		near(shmem_mapped_space, 16, 0.1) and
		near(file_mapped_space, 16, 3) and
		near(unattributed_space, 0, 1) and
		allocator_space == live_touched_space + allocator_held_space and
		parts == resident_space' where comm=parts
}

each_part_is_known()
{
	session --alloc exact && sizes >"$work/json" &&
	buckets <"$work/json" &&
	rows holds 'split and not live_touched_bound and
		near(inuse_space, 128, 0.1)' where comm=parts <"$work/json"
}

parts_add_up()
{
	session --alloc exact && sizes >"$work/json" || return
	rows holds "parts == resident_space == $(rss_of $pid) and
		allocator_space == live_touched_space + allocator_held_space" \
		where comm=parts <"$work/json" &&
	read -r live held stacks files shared other rss < <(rows total \
		live_touched_space allocator_held_space stack_resident_space \
		file_mapped_space shmem_mapped_space unattributed_space \
		resident_space <"$work/json") &&
	[ $((live + held + stacks + files + shared + other)) = "$rss" ]
}

cgroups_add_up()
{
	session --alloc exact || return
	# what the program made, and its own code: as of a recording, below
	report --by cgroup | rows holds 'parts == resident_space and
		near(resident_space, 167, 6) and
		0 < proportional_space <= resident_space' where type=cgroup
}

# What it held when it was last looked at: by a report, here.
the_dead_keep_their_parts()
{
	session --alloc exact && sizes >/dev/null || return
	finish
	sizes >"$work/json"
	buckets <"$work/json" &&
	rows holds exited where comm=parts <"$work/json" &&
	[ "$(rows total resident_space <"$work/json")" = 0 ]
}

sizes_are_all_that_is_known_without_allocations()
{
	session --alloc off || return
	sizes | rows holds 'not split and near(allocator_space, 128, 1.5) and
		parts == resident_space' where comm=parts
}

# so_far CONDITION: of the program, in the unfinished recording
so_far()
{
	memprofctl recover -f -o "$work/so-far" "$work/data" >/dev/null 2>&1
	sizes -i "$work/so-far" 2>/dev/null |
		rows holds "$1" where comm=parts >/dev/null
}

# the recorder sees no blocks: their bytes are a bound
recordings_have_sizes()
{
	begin || return
	listening record -q -f --source perf -p $pid --alloc exact \
		-o "$work/data" {sink}>&- && go &&
	wait_until so_far 'near(resident_space, 167, 6)' || return
	finish
	wait $recorder
	sizes -i "$work/data" | rows holds 'exited and mapped and
		near(allocator_space, 127, 2) and
		near(stack_resident_space, 8, 0.1) and
		near(shmem_mapped_space, 16, 0.1) and
		near(resident_space, 167, 6) and
		parts == resident_space' where comm=parts &&
	perf script -i "$work/data" 2>&1 | head -n 1 | grep -q parts
}

# too short for a look at its mappings
short_commands_have_a_peak()
{
	memprofctl record -q -f --source perf --alloc off -o "$work/short" \
		-- python3 -S -c 'x = b"x" * 100000000' || return
	local peak
	peak=$(sizes -i "$work/short" | rows max peak_resident_space)
	echo "# peak $peak"
	[ "$peak" -ge $((95 << 20)) ] && [ "$peak" -le $((125 << 20)) ]
}

has_one_client()
{
	redis-cli -s "$work/sock" info clients | grep -q '^connected_clients:1\s'
}

answers()
{
	[ "$(redis-cli -s "$work/sock" ping 2>/dev/null)" = PONG ]
}

# has_backends N: so many clients are served
has_backends() { [ "$(pgrep -P "$server" -f 'postgres: tester' | wc -l)" -ge "$1" ]; }

# Backends share their buffers, and allocate from memory contexts. What no part explains is
# below 5 % of each process.
postgres_adds_up()
{
	local server port=$((20000 + BASHPID % 10000))
	begin_postgres $port && memprofctl start -q --source perf -p "$server" --alloc 4K \
		--inject 2>"$work/err" || return
	at_end 'memprofctl stop -q 2>/dev/null'
	pgbench -h "$work/db" -p $port -U tester -c 4 -T 60 postgres >"$work/load" 2>&1 &
	wait_until has_backends 4 && sleep 3 || return
	report --view rss >"$work/rows" && memprofctl report --view rss -n 0 >"$work/table" &&
	rows holds 'exit_ns or abs(unattributed_space) < 0.05 * resident_space and
		resident_space == allocator_space + stack_resident_space +
		file_mapped_space + shmem_mapped_space + unattributed_space' \
		where type=process comm=postgres <"$work/rows" &&
	# a backend holds blocks of its own, and reads shared buffers
	[ "$(rows count where type=process comm=postgres <"$work/rows")" -ge 8 ] &&
	[ "$(rows sum live_touched_space where type=process <"$work/rows")" -gt 0 ] &&
	[ "$(rows max shmem_mapped_space where type=process <"$work/rows")" -gt $((4 << 20)) ] &&
	return
	note "$work/err" "$work/table"
	return 1
}

redis_adds_up()
{
	local server i
	(exec -a redis-server redis-check-rdb --port 0 \
		--unixsocket "$work/sock" --save '' --activerehashing no \
		>/dev/null) & server=$!
	wait_until answers &&
	memprofctl start -q --source perf -p $server --alloc exact || return
	# a ring holds the events of 200 requests, and a report empties it: nothing is
	# lost however busy the machine is
	for ((i = 0; i < 100; i++)); do
		redis-benchmark -s "$work/sock" -q -t set -n 200 -r 20000 \
			-d 500 -c 1 >/dev/null && report >"$work/json" || return
	done
	# what its clients had is free again
	wait_until has_one_client &&
	memprofctl report | grep '; nothing lost' || return
	# its RSS may change between the two looks
	for ((i = 0; i < 5; i++)); do
		sizes >"$work/json"
		rows holds "live_touched_space > 0.85 * inuse_space and
			parts == resident_space and
			abs(resident_space - $(rss_of $server)) <= 64 << 10" \
			where pid=$server <"$work/json" && break
	done
	[ $i -lt 5 ] || return
	memprofctl report --by cgroup --top 3 >"$work/top"
	head -n 5 "$work/top" | note
	# redis 8 has frame pointers, so the caller of zmalloc is known
	grep -qE '^    LIVE .* PEAK .* ALLOCS .*(zmalloc|_sdsnewlen)' "$work/top"
}

# A parent's row holds its children's, the total counts them once
nested_cgroups_roll_up()
{
	local python holds='import sys, time
x = b"x" * 1000000 * int(sys.argv[1])
print("ready", flush=True)
time.sleep(600)'
	make_cgroup && mkdir -p "$cgroup/inner/deep" || return
	# not a script that looks for it: that has processes of its own
	python=$(python3 -c 'import sys; print(sys.executable)')
	memprofctl start -q --source perf -G "$group" --alloc exact || return
	(inside "$cgroup/inner" "$python" -S -c "$holds" 20 >"$work/a") &
	(inside "$cgroup/inner/deep" "$python" -S -c "$holds" 40 >"$work/b") &
	wait_for ready "$work/a" && wait_for ready "$work/b" || return
	report --by cgroup --recursive --top 3 >"$work/nested"
	memprofctl report --by cgroup --recursive --top 3 | head -n 12 | note
	local live rss
	read -r live rss < <(rows value inuse_space resident_space \
		where "cgroup=$group" <"$work/nested")
	nested "cgroup=$group/inner/deep" 'near(inuse_space, 38, 3) and
		processes == 1 and in_ancestor' &&
	nested "cgroup=$group/inner" "near(inuse_space, 57, 6) and
		inuse_space == $live and processes == 2 and len(top) == 3 and
		top[0]['inuse_space'] >= 38 * MIB" &&
	nested cgroup=/ "inuse_space == $live and resident_space == $rss" &&
	nested type=cgroup 'parts == resident_space' &&
	[ "$(rows total inuse_space resident_space <"$work/nested")" = \
		"$live $rss" ] &&
	nested "cgroup=$group" "not cgroup_current_space or
		cgroup_rest_space == cgroup_current_space - proportional_space"
}

nested()
{
	rows holds "$2" where type=cgroup "$1" <"$work/nested"
}

# cost: what the collector's looks take of a CPU, with many processes
looks_are_cheap()
{
	local i before after collector
	for ((i = 0; i < 300; i++)); do
		sleep 30 &
	done
	# its session's number is its process id
	collector=$(memprofctl start --source perf -a --alloc off \
		--faults off --growth off | sed -n 's/^started session \([0-9]*\).*/\1/p')
	[ -d "/proc/$collector" ] || return
	sleep 2
	before=$(awk '{ print $14 + $15 }' "/proc/$collector/stat")
	sleep 5
	after=$(awk '{ print $14 + $15 }' "/proc/$collector/stat")
	echo "# $((after - before)) of 500 ticks"
	[ $((after - before)) -le 20 ]
}

# The answer says so, instead of "no answer" after half a minute
stopped_collectors_are_told()
{
	local collector
	collector=$(memprofctl start --source perf -p $$ --alloc off \
		--faults off --growth off | sed -n 's/^started session \([0-9]*\).*/\1/p')
	[ -d "/proc/$collector" ] && kill -STOP "$collector" || return
	at_end "kill -CONT $collector"
	wait_until has_stopped "$collector" || return
	complains 1 "process $collector, is stopped (kill -CONT" \
		memprofctl status && kill -CONT "$collector" &&
	memprofctl status >"$work/out"
}

# Who follows his own shell, or his own cgroup, does not follow the collector: its events
# would make more of them
own_shells_can_be_followed()
{
	(follows_itself -p $BASHPID) || return
	! make_cgroup 2>/dev/null || {
		(echo $BASHPID >"$cgroup/cgroup.procs" && follows_itself -G "$group") &&
		wait_until is_empty "$cgroup/cgroup.procs"
	}
}

follows_itself()
{
	# unwinding allocates, and in the target cgroup each of these calls is a trap
	memprofctl start -q --source perf --alloc exact --call-graph fp "$@" &&
	ls /etc >/dev/null &&
	report --by process >"$work/own" && memprofctl stop -q || return
	[ "$(rows count where type=process comm=ls <"$work/own")" = 1 ] && return
	note "$work/own"
	return 1
}

# a file of the kernel has no size
is_empty()
{
	[ -z "$(cat "$1")" ]
}

# site_values [-i FILE]: callsites of the program with what does not change while it waits
site_values()
{
	report --by callsite "$@" | rows list inuse_space alloc_objects growth_space faults \
		where type=site comm=parts | sort
}

# Snapshots, and what is saved or kept when a session stops, say what the session said
sessions_can_be_read_later()
{
	session --alloc exact && site_values >"$work/live" && [ -s "$work/live" ] &&
	memprofctl snapshot -o "$work/snapshot" 2>/dev/null &&
	complains 1 "-f replaces it" memprofctl stop --save "$work/snapshot" &&
	memprofctl stop -q --save "$work/saved" &&
	site_values -i "$work/snapshot" | diff "$work/live" - &&
	site_values -i "$work/saved" | diff "$work/live" - &&
	buckets < <(sizes -i "$work/saved") &&
	[ "$(stat -c %a "$work/saved")" = 600 ] &&
	finish
}

# Without a name, too; and a session can be compared with what it was
# OLD depends on when a report is made.
changes_of_the_session() { memprofctl diff "$work/before" --json | sed -E 's/"old_space":[0-9]+,//g'; }

last_sessions_are_kept()
{
	begin && memprofctl start -q --source perf -p $pid --alloc exact &&
	runs_first "$(session_pid)" && memprofctl snapshot -q -o "$work/before" && go &&
	changes_of_the_session >"$work/running" &&
	site_values >"$work/live" &&
	memprofctl stop -q && cd "$work" && site_values 2>"$work/err" >"$work/kept" &&
	grep 'this is the session that was stopped at' "$work/err" &&
	diff "$work/live" "$work/kept" &&
	changes_of_the_session | diff "$work/running" - &&
	grep -q '"inuse_space"' "$work/running" && finish
}

# look [OPTION]...: what happened since the last look
look()
{
	report -z --by callsite "$@" 2>"$work/err" | tee "$work/look"
}

# The first look has everything, the next what came after it, the last no changes. The
# session itself goes on, and knows all.
looks_show_changes()
{
	begin && memprofctl start -q --source perf -p $pid --alloc exact &&
	runs_first "$(session_pid)" && look >"$work/out" &&
	grep -q 'the first look' "$work/err" && go && look >"$work/out" &&
	grep -q 'since the last look' "$work/err" &&
	rows holds 'inuse_delta_space == inuse_space' where type=site comm=parts \
		<"$work/look" &&
	[ "$(rows total inuse_delta_space <"$work/look")" = \
		"$(report | rows total inuse_space)" ] || { note "$work/err"; cut -c 1-300 "$work/look" | note; return 1; }
	look >"$work/out" && rows holds 'inuse_delta_space == 0 and alloc_objects == 0' \
		where type=site comm=parts <"$work/look" &&
	report --by callsite >"$work/whole" &&
	[ "$(rows count where type=site comm=parts alloc_objects!=0 <"$work/whole")" -gt 0 ] &&
	complains 2 'is about the running session' memprofctl report -z -i "$work/whole" &&
	memprofctl stop -q && cd "$work" &&
	complains 1 'no session is running' memprofctl report -z && finish
}

# Events that come faster than one CPU reads them do not hold up a report
floods_do_not_delay_reports()
{
	gcc -O1 -g -pthread -o "$work/storm" "$programs/storm.c" || return
	"$work/storm" >"$work/out" &
	pid=$!
	wait_for '[0-9]' "$work/out" &&
	memprofctl start -q --source perf -p $pid --alloc exact --call-graph dwarf || return
	# the program has the CPU, not the collector
	renice -n 19 -p "$(session_pid)" >/dev/null || return
	sleep 2
	timeout 10 memprofctl report >"$work/report" && grep -q " storm " "$work/report" &&
	grep -q 'events were lost' "$work/report" && return
	note "$work/report"
	return 1
}

# grows_first [-i FILE]: a table of the machine begins with the program that took
# memory, and its DELTA is the difference of the kernel's numbers
grows_first()
{
	local row delta
	memprofctl report "$@" --by process -n 0 >"$work/table" &&
	report "$@" >"$work/rows" || return
	row=$(grep -m 1 -A 1 'DELTA/S' "$work/table" | tail -n 1)
	delta=$(rows value resident_delta_space where pid=$pid <"$work/rows")
	echo "# $row; DELTA $delta, the kernel says $((after - before))"
	[ "$(awk '{ print $1 }' <<<"$row")" = "$pid" ] &&
	[ $((delta - (after - before))) -ge -65536 ] &&
	[ $((delta - (after - before))) -le 65536 ] &&
	rows holds 'resident_delta_space == 0 and resident_space > 0' \
		where pid=$idle <"$work/rows"
}

takes_memory()
{
	before=$(rss_of $pid) && go && after=$(rss_of $pid)
}

who_grows_is_first()
{
	local before after idle
	sleep 1000 & idle=$!
	begin || return
	memprofctl start -q --source perf -a && takes_memory && grows_first &&
	memprofctl reset -q && report >"$work/rows" &&
	rows holds 'resident_delta_space == 0' where pid=$pid <"$work/rows" &&
	memprofctl stop -q >"$work/stopped" && finish
}

recordings_know_who_grows()
{
	local before after idle recorder
	sleep 1000 & idle=$!
	begin || return
	listening record -q --source perf -a -o "$work/data" && takes_memory &&
	kill -INT $recorder && end_of $recorder && grows_first -i "$work/data" && finish
}

# A program that sleeps, without and with its allocations
what_does_not_grow_is_told()
{
	local idle status=1
	sleep 1000 & idle=$!
	memprofctl record -q --source perf --alloc off -p $idle -d 1 -o "$work/off" &&
	memprofctl report -i "$work/off" >"$work/off.txt" &&
	grep -q "^sleep ($idle) has not grown in [0-9.]* s$" "$work/off.txt" &&
	memprofctl record -q --inject -p $idle -d 1 -o "$work/on" &&
	memprofctl report -i "$work/on" >"$work/on.txt" &&
	grep -q "^sleep has [a-z]* grown in [0-9.]* s (DELTA .*): to see a slow leak, try [0-9]* s$" \
		"$work/on.txt" && status=0
	kill $idle
	[ $status = 0 ] || sed 's/^/# /' "$work"/o*.txt
	return $status
}

# A pool maps its memory itself; a heap from before has no block that was followed; and a program
# that begins with the recording grows or does not
memory_without_blocks_is_told()
{
	local pool heap status
	gcc -O1 -g -x c -o "$work/pool" - <<-'END' || return
	#include <stdlib.h>
	#include <string.h>
	#include <sys/mman.h>
	#include <unistd.h>
	__attribute__((noinline)) char *new_part(void)
	{
		return mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	int main(int argc, char **argv)
	{
		char *block;
		/* small ones first, half of which stay */
		for (int i = 0; argc > 1 && i < 400000; i++) {
			block = memset(malloc(100), 1, 100);
			if (i % 2)
				free(block);
		}
		for (int i = 0; argc < 3 || i < 900; i++) {
			usleep(10000);
			if (argc < 2)
				memset(new_part(), 1, 1 << 16);
		}
		return 0;
	}
	END
	"$work/pool" & pool=$!
	"$work/pool" heap & heap=$!
	sleep 1
	memprofctl record -q --inject -p $pool -d 3 -o "$work/1" &&
	memprofctl record -q --inject -p $heap -d 1 -o "$work/2" &&
	memprofctl record -q -d 7 -o "$work/3" -- "$work/pool" heap ends
	status=$?
	kill $pool $heap
	[ $status = 0 ] && memprofctl report -i "$work/1" >"$work/1.txt" &&
	grep -q '^pool grew by [0-9.]*M, which it maps itself, most of it in new_part <stdin>:7: report --callers -s growth shows who asks for it$' \
		"$work/1.txt" &&
	memprofctl export -q -f --format html -o "$work/page" -i "$work/1" &&
	grep -q '"keepers":"pool grew by [0-9.]*M, which it maps itself' "$work/page" &&
	memprofctl report -i "$work/2" --view rss >"$work/2.txt" &&
	grep -q '^pool has RSS 2[0-9.]*M, [12][0-9.]*M of it is HELD: [12][0-9.]*M is in blocks from before this recording; ' \
		"$work/2.txt" &&
	memprofctl report -i "$work/3" >"$work/3.txt" &&
	grep -q '^pool has RSS .*M, and has not grown in the last [3-9]\.. s$' "$work/3.txt" && return
	cat "$work"/*.txt | note
	return 1
}

# Resident KiB of a process
resident()
{
	awk '/^VmRSS/ { print $2 }' "/proc/$1/status"
}

# frag STEP: has freed all but one of STEP blocks long before it is followed; with SIGUSR1
# it gives back what it can.
what_malloc_has_free_is_told()
{
	local gives keeps full before after trim status
	cc -g -O1 -xc -o "$work/frag" - <<-'END' || return 1
	#include <malloc.h>
	#include <signal.h>
	#include <stdlib.h>
	#include <string.h>
	#include <unistd.h>
	static char *blocks[1000000];
	static void give(int unused) { malloc_trim(0); }
	int main(int argc, char **argv) {
		int i, step = atoi(argv[1]);
		signal(SIGUSR1, give);
		for (i = 0; i < 1000000; i++)
			blocks[i] = memset(malloc(100), 1, 100);
		for (i = 0; i < 1000000; i++)
			if (i % step)
				free(blocks[i]);
		for (;;)
			pause();
	}
	END
	"$work/frag" 1000 & gives=$!
	"$work/frag" 20 & keeps=$!
	"$work/frag" 1 & full=$!
	sleep 2
	memprofctl record -q --inject -p $gives -d 2 -o "$work/1" &&
	memprofctl record -q --alloc exact -p $keeps -d 2 -o "$work/2" &&
	memprofctl record -q --inject -p $full -d 2 -o "$work/3" &&
	memprofctl record -q --alloc off -p $gives -d 1 -o "$work/4" &&
	memprofctl start -q --source perf --alloc off -p $gives &&
	memprofctl report --view rss >"$work/5.txt" &&
	memprofctl stop -q &&
	before=$(resident $gives) && kill -USR1 $gives && sleep 1 && after=$(resident $gives)
	status=$?
	kill $gives $keeps $full
	[ $status = 0 ] && memprofctl report -i "$work/1" >"$work/1.txt" &&
	grep -q '^frag has RSS 11[0-9]M, 1[01][0-9]M of it is HELD: at least 10[0-9]M is free inside malloc, and malloc_trim(0) would give [0-9.]*M back to the kernel; it has not grown in ' \
		"$work/1.txt" && ! grep '^hint' "$work/1.txt" &&
	memprofctl report -i "$work/1" --json >"$work/1.json" &&
	trim=$(grep -o '"malloc_trim_space":[0-9]*' "$work/1.json" | head -1 | cut -d: -f2) &&
	echo "# TRIM is $((trim / 1024)) KiB, malloc_trim gave $((before - after)) KiB back" &&
	is_within 2000 $((trim / 1024)) $((before - after)) &&
	memprofctl report -i "$work/2" --view rss >"$work/2.txt" &&
	grep -q '^frag has RSS 11[0-9]M, 1[01][0-9]M of it is HELD: at least 10[0-9]M is free inside malloc, most of it on pages that living blocks keep; ' \
		"$work/2.txt" &&
	memprofctl report -i "$work/3" --view rss >"$work/3.txt" &&
	grep -q '^frag .*: 1[01][0-9]M is in blocks from before this recording; ' "$work/3.txt" &&
	memprofctl report -i "$work/4" >"$work/4.txt" &&
	grep -q '^hint: of 1[01][0-9]M of heap of frag, at least 10[0-9]M is free inside malloc' \
		"$work/4.txt" &&
	grep -q '^frag .* of it is HEAP: at least 10[0-9]M is free inside malloc' "$work/5.txt" &&
	return
	cat "$work"/*.txt | note
	return 1
}

# Of what was there for a while, the sentence has the size; the peak has the callsite.
what_passed_is_told()
{
	local batch recorder status
	cc -O1 -g -xc -o "$work/batch" - <<-'END' || return
	#include <signal.h>
	#include <stdlib.h>
	#include <string.h>
	#include <unistd.h>
	static char *rows[60000];
	__attribute__((noinline)) static void load(void)
	{
		for (int i = 0; i < 60000; i++)
			rows[i] = memset(malloc(1000), 1, 1000);
	}
	static void pass(int unused)
	{
		load();
		for (int i = 0; i < 60000; i++)
			free(rows[i]);
	}
	int main(void)
	{
		signal(SIGUSR1, pass);
		for (;;)
			pause();
	}
	END
	"$work/batch" & batch=$!
	sleep 0.5
	listening record -q --inject -p $batch -o "$work/data" && kill -USR1 $batch && sleep 1 &&
		kill -INT $recorder && end_of $recorder
	status=$?
	kill $batch
	[ $status = 0 ] && memprofctl report -i "$work/data" >"$work/report" &&
	grep -Eq '^batch (.*; batch )?had [56][0-9]\.[0-9]M more for a while: report -s peak shows whose' "$work/report" &&
	memprofctl report -i "$work/data" -s peak >"$work/peak" &&
	sed -n '/ CALLSITE$/{n;p}' "$work/peak" | grep -Eq '^ *[56][0-9]\.[0-9]M .* load <stdin>:9$' && return
	note "$work/report" "$work/peak"
	return 1
}

# Of several, none has; of those where one has, whatever the order of the table, this is not said
none_that_grows_is_told()
{
	local idle before after recorder
	sleep 1000 & idle=$!
	memprofctl record -q --source perf --alloc off -p $idle -p $$ -d 1 -o "$work/none" &&
	memprofctl report -i "$work/none" >"$work/none.txt" && note "$work/none.txt" &&
	grep -q '^none of these processes grew by 1.0M or more in [0-9.]* s$' "$work/none.txt" &&
	begin && listening record -q --source perf --alloc off -p $pid -p $idle -o "$work/data" && takes_memory &&
	kill -INT $recorder && end_of $recorder && kill $idle &&
	memprofctl report -i "$work/data" >"$work/grows.txt" && note "$work/grows.txt" &&
	grep -q "^parts ($pid) grew most, by " "$work/grows.txt" || return
	for sort in "-s rss" "--view rss" "--by cgroup -s rss"; do
		memprofctl report -i "$work/data" $sort >"$work/sorted.txt" &&
		! grep '^none of these' "$work/sorted.txt" || return
	done
	finish
}

# With allocations, a recording has the pages of its processes' ends, too
recordings_of_allocations_know_growth()
{
	local before after recorder
	begin && listening record -q --source perf -p $pid -o "$work/data" && takes_memory &&
	kill -INT $recorder && end_of $recorder &&
	report -i "$work/data" | rows holds "inuse_space > 0 and
		abs(resident_delta_space - $((after - before))) <= 65536" where pid=$pid &&
	finish
}

why=$(perf_obstacle)
check_unless "$why" "each part of RSS is what the program made of it" \
	each_part_is_known
check_unless "$why" "who grows is first, by as much as the kernel says" who_grows_is_first
check_unless "$why" "a recording knows who grew" recordings_know_who_grows
check_unless "$why" "so does one of allocations" recordings_of_allocations_know_growth
check_unless "$why" "a program that does not grow is told" what_does_not_grow_is_told
check_unless "${why:-$(injection_obstacle)}" "memory without blocks is told" memory_without_blocks_is_told
check_unless "$why" "so is that none of several grows" none_that_grows_is_told
check_unless "$why" "a shell can follow itself" own_shells_can_be_followed
check_unless "$why" "what a session saw can be read later" sessions_can_be_read_later
check_unless "$why" "the last session is kept" last_sessions_are_kept
check_unless "$why" "looks show what has changed since the last one" looks_show_changes
check_unless "$why" "a report comes soon while events flood in" floods_do_not_delay_reports
check_unless "$why" "a stopped collector is told" stopped_collectors_are_told
check_unless "$why" "the parts add up to RSS, and that is the kernel's" \
	parts_add_up
check_unless "$why" "the parts of a cgroup add up to its RSS" cgroups_add_up
check_unless "$why" "a process that ended has the parts that it had" \
	the_dead_keep_their_parts
check_unless "$why" "without allocations HEAP is not parted" \
	sizes_are_all_that_is_known_without_allocations
check_unless "$why" "a recording has the sizes of processes that ended" \
	recordings_have_sizes
check_unless "$why" "a command that ends at once has a peak" \
	short_commands_have_a_peak
check_unless "$why" "redis-server's parts add up" redis_adds_up
[ -n "$why" ] || (apart make_cgroup 2>/dev/null) ||
	no_cgroup="no cgroup can be made here"
check_unless "$why$(lacks pgbench)" "PostgreSQL's parts add up" postgres_adds_up
check_unless "$why${no_cgroup:-}" "nested cgroups roll up" \
	nested_cgroups_roll_up
check_unless "$why$(lacks cc)" "what malloc has free is told" what_malloc_has_free_is_told
check_unless "$why$(lacks cc)" "what was there for a while is told" what_passed_is_told
check_unless "$why" "looking at processes is cheap" looks_are_cheap
plan
