#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host, without the module: whom recordings and sessions of the perf source follow,
# from the first moment to the end, and by which names.
. "$(dirname "$0")/lib.sh"
. tests/recording.sh

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

# A leak beside what starts, ends, and is larger at once
who_grows_is_named()
{
	local leaking late table
	make_cgroup || return
	inside "$cgroup/web" python3 -c 'import time
held = [bytes(100 << 20)]
print(flush=True)
while True:
    held.append(bytes(bytearray(b"x") * 500000))
    time.sleep(0.02)' >"$work/out" & leaking=$!
	# older than the recording is long
	wait_for '^$' "$work/out" && sleep 6 || return
	memprofctl record -q --source perf --alloc off -o "$work/data" -G "$group" \
		--duration 4 & table=$!
	sleep 0.5
	for _ in 1 2 3 4 5 6 7 8; do (inside "$cgroup/batch" bash -c 'sleep 0.05; true'); done
	inside "$cgroup/batch" python3 -c 'import time
held = bytearray(b"x") * (400 << 20)
time.sleep(600)' & late=$!
	wait $table
	end $late && end $leaking &&
	memprofctl report -i "$work/data" --by cgroup >"$work/table" &&
	grep -qE "^python3 \($leaking\) of $group/web grew most of what keeps running, by [0-9.]+M([,;] [^:]*)?: memprofctl record .*-p PID -d 10 " \
		"$work/table" &&
	memprofctl report -i "$work/data" -n 5000 >"$work/table" &&
	grep -qE "^python3 \($leaking\) grew most of what keeps running" "$work/table" &&
	grep -qE '^ +- +bash \[[0-9]+ exited\] ' "$work/table" &&
	grep -qE '^ *[0-9]+ +bash \[exited\]' <(memprofctl report -i "$work/data" -n 0)
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

threads_work()
{
	[ "$(cat /proc/$pid/task/*/comm | grep -c worker)" = 2 ]
}

# The kernel knows the first 15 characters
commands_have_long_names()
{
	cp /bin/sleep "$work/a-name-of-a-service-worker"
	"$work/a-name-of-a-service-worker" 60 & local pid=$! status
	wait_until grep -q a-name-of-a-ser /proc/$pid/comm &&
	memprofctl record -q -f --source perf --alloc off --comm a-name-of-a-service-worker \
		-d 0.5 -o "$work/long" 2>/dev/null &&
	memprofctl start -q --source perf --alloc off --comm a-name-of-a-service-worker \
		2>/dev/null &&
	memprofctl report --json >"$work/live"
	status=$?
	memprofctl stop -q
	kill $pid
	[ $status = 0 ] &&
	[ "$(report -i "$work/long" | rows list pid where type=process)" = $pid ] &&
	[ "$(rows list pid where type=process <"$work/live")" = $pid ] &&
	complains 1 'no process of command b-name-of-a-ser runs' \
		memprofctl record -o "$work/none" --comm b-name-of-a-service-worker
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
	grep -q "events were lost ($lost of $((lost + kept))): .*; LIVE and AT-PEAK may be wrong by up to [0-9]" "$2" &&
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
check_unless "$why" "processes that do nothing have rows" idle_processes_have_rows
check_unless "$why" "who grows is named beside what starts and ends" who_grows_is_named
check_unless "$why" "binaries that are found late are followed" \
	late_binaries_are_followed
check_unless "$why" "programs after exec are rows of their own" \
	programs_after_exec_are_rows_of_their_own
check_unless "$why" "children are left out where that is asked" \
	children_are_left_out_where_asked
check_unless "$why" "a service whose cgroup is made anew is followed" \
	services_that_restart_are_followed
check_unless "$why" "a session follows it, too" services_that_restart_are_followed_live
check_unless "$why" "a cgroup that is not there is told" \
	cgroups_that_are_not_there_are_told
check_unless "$why" "commands with long names are followed" commands_have_long_names
check_unless "$why" "threads have names" threads_have_names
check_unless "$why" "containers keep their names when they are gone" containers_keep_their_names
check_unless "$why" "static probes are followed" static_probes_are_followed
check_unless "$why" "the end of a program is found where its record is lost" \
	lost_exits_are_found
check_unless "$why" "the end of a program is found where a session has lost its record" \
	lost_exits_of_sessions_are_found
plan
