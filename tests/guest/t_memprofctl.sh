#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# memprofctl as its users run it, against the real module.
. "$(dirname "$0")/../lib.sh"
sock=/run/memprof/control

# ctl NAME COMMAND...: runs a check with the default folder of the session's
# socket
ctl()
{
	check "$1" in_usual_place "${@:2}"
}

in_usual_place()
{
	unset MEMPROF_RUNDIR
	"$@"
}

# with_session COMMAND...: runs COMMAND during a session of all processes
with_session()
{
	memprofctl start -q -a --faults 1000 && "$@"
}

# with_each_fault COMMAND...: the same, and counts each fault of programs named grow. An emulator
# takes minutes to name what all processes touched.
with_each_fault()
{
	memprofctl start -q --comm grow --faults 1 && "$@"
}

# row TYPE CONDITION EXPRESSION: checks rows of the report, whose last row is
# its summary
row()
{
	report --by "$1" >"$work/json" &&
	[ "$(rows count where type=summary <"$work/json")" = 1 ] &&
	tail -n 1 "$work/json" | rows holds True where type=summary &&
	rows holds "$3" where type="$1" "$2" <"$work/json"
}

# nr_rows TYPE CONDITION: prints the number of rows of the report that match
nr_rows()
{
	report --by "$1" | rows count where type="$1" "$2"
}

# says STATUS TEXT COMMAND...: checks the exit status, and that the output
# contains TEXT
says()
{
	local want=$1 text=$2 out status
	shift 2
	out=$("$@" 2>&1)
	status=$?
	[ $status = "$want" ] && [[ $out == *"$text"* ]] && return
	note <<<"$* -> $status: $out"
	return 1
}

# build_frees LAST: a program in which the address space shrinks inside free(),
# in give_back(), and which then runs the statement LAST
build_frees()
{
	cat >"$work/frees.c" <<-END
	#include <signal.h>
	#include <stdlib.h>
	#include <unistd.h>

	__attribute__((noinline)) static void give_back(void *volatile block)
	{
		free(block);
		__asm__ volatile("");
	}

	int main(void)
	{
		raise(SIGSTOP);
		give_back(malloc(1 << 20));
		$1;
		return 0;
	}
	END
	gcc -O1 -g -o "$work/frees" "$work/frees.c"
}

# Growth inside free() is seen where the module looks no file up
callsites_in_free_have_names()
{
	build_frees 'raise(SIGSTOP)' && launch "$work/frees" || return
	memprofctl start -q -p $pid --alloc exact && kill -CONT $pid &&
	each_stop $pid || return
	report --by callsite >"$work/json"
	kill -KILL $pid
	memprofctl stop >/dev/null
	rows holds "growth_space < 0 and released_space == -growth_space" \
		where type=site "function=give_back" <"$work/json" &&
	[ "$(rows count where type=site binary= comm=frees <"$work/json")" = 0 ]
}

# Each call is counted in the module, without stacks. What maps and touches memory outside
# of an allocator has callsites all the same, and nothing counts twice.
all_growth_has_callsites()
{
	cat >"$work/maps.c" <<-'END'
	#include <signal.h>
	#include <stdlib.h>
	#include <string.h>
	#include <sys/mman.h>

	#define MIB	(1UL << 20)

	__attribute__((noinline)) static char *map(size_t size)
	{
		char *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise(at, size, MADV_NOHUGEPAGE);
		return at;
	}

	__attribute__((noinline)) static void fill(char *at, size_t size)
	{
		memset(at, 1, size);
		at[0] = 2;
	}

	/* the pages, not the address space */
	__attribute__((noinline)) static void drop(char *at, size_t size)
	{
		madvise(at, size, MADV_DONTNEED);
	}

	__attribute__((noinline)) static char *ask(size_t size)
	{
		char *at = malloc(size);

		/* the page of the block's header, too */
		madvise((void *)((unsigned long)at & ~4095UL), size, MADV_NOHUGEPAGE);
		return at;
	}

	int main(void)
	{
		char *block, *mapped;

		raise(SIGSTOP);
		mapped = map(4 * MIB);
		fill(mapped, 4 * MIB);
		drop(mapped, 4 * MIB);
		block = ask(6 * MIB);
		fill(block, 6 * MIB);
		raise(SIGSTOP);
		return 0;
	}
	END
	gcc -O1 -g -o "$work/maps" "$work/maps.c" && launch "$work/maps" || return
	memprofctl start -q -p $pid --alloc exact --faults 1 && kill -CONT $pid &&
	each_stop $pid || return
	report --by callsite >"$work/json"
	report >"$work/process"
	rows list function growth_space touched_space where type=site <"$work/json" |
		tee "$work/list"
	rows holds 'growth_space == 4 << 20 and touched_space < 1 << 20' \
		where function=map <"$work/json" &&
	rows holds 'touched_space == 4 << 20 and growth_space == 0' \
		where function=fill <"$work/json" &&
	rows holds '6 << 20 <= growth_space < 7 << 20 and touched_space >= 6 << 20' \
		where function=ask <"$work/json" &&
	rows holds 'released_space == 4 << 20 and growth_space == 0' \
		where function=drop <"$work/json" || return
	for metric in growth_space faults advised_space; do
		[ "$(rows sum $metric where type=site <"$work/json")" = \
			"$(rows sum $metric where type=process pid=$pid <"$work/process")" ] ||
			return
	done
}

# At the report, the process maps another program. The module has looked the file
# up at the next call of the allocator.
callsites_in_free_have_names_after_exec()
{
	build_frees 'give_back(malloc(1)); execlp("sleep", "sleep", "99", NULL)' &&
		launch "$work/frees" || return
	memprofctl start -q -p $pid --alloc exact && kill -CONT $pid &&
	wait_until grep -q sleep /proc/$pid/comm || return
	report --by callsite >"$work/json"
	kill -KILL $pid
	memprofctl stop >/dev/null
	rows holds "growth_space < 0 and function == 'give_back'" \
		where type=site "function=give_back" <"$work/json"
}

nothing_is_left()
{
	[ ! -e $sock ] && is_unused
}

# A program that maps 2 times 16 MiB in map(), and touches one half of them in touch():
# the module's sums of the process are the sums of its callsites, but for the 90 pages
# that the kernel itself maps in an exec, the stack included
memory_has_callsites()
{
	local pid growth faults its_growth its_faults
	gcc -O1 -g -fno-omit-frame-pointer -o "$work/touch" "$top/tests/programs/touch.c" &&
	memprofctl start -q --comm touch --faults 1 && "$work/touch" || return
	report --by process >"$work/processes" && report --by callsite --per-process >"$work/sites" &&
	memprofctl report --by callsite -n 4 >"$work/table" && memprofctl stop -q || return
	note "$work/table"
	pid=$(rows value pid where comm=touch <"$work/processes")
	report_sums processes pid=$pid >"$work/want"
	report_sums sites pid=$pid >"$work/have"
	echo "# $(<"$work/want") of the process, $(<"$work/have") of its callsites"
	read -r growth faults <"$work/want" && read -r its_growth its_faults <"$work/have" &&
	[ "$faults" = "$its_faults" ] && [ "$its_growth" -le "$growth" ] &&
	[ "$its_growth" -ge $((growth - 110 * 4096)) ] &&
	[ "$(rows sum growth_space where function=map <"$work/sites")" = 33554432 ] &&
	[ "$(rows sum faults where function=touch <"$work/sites")" = 4096 ]
}

# A session of everything has callsites by default, also below its cgroups. By frame pointers
# the caller of a function of libc that has none is not known, but who called that one is.
everything_has_callsites()
{
	local graph by
	gcc -O1 -g -fno-omit-frame-pointer -Dmain=work -o "$work/touch" -x c - \
		"$top/tests/programs/touch.c" <<-'END' || return
	#include <signal.h>
	#undef main

	int work(void);

	int main(void)
	{
		work();
		raise(SIGSTOP);
		return 0;
	}
	END
	for graph in "" "--call-graph fp"; do
		by=map
		[ -z "$graph" ] || by=work
		memprofctl start -q -a --faults 100 $graph && launch "$work/touch" &&
		report --by callsite >"$work/sites" &&
		memprofctl report --by cgroup --top 3 >"$work/table" && memprofctl stop -q || return
		kill -KILL $pid
		[ "$(rows sum growth_space where function=$by comm=touch <"$work/sites")" = \
			33554432 ] &&
		grep -Eq "^    GROWTH (32|16).0M .* touch  (\[called by\] )?$by touch.c:" \
			"$work/table" && continue
		note "$work/table"
		rows list comm function growth_space where type=site comm=touch <"$work/sites"
		return 1
	done
}

report_sums() { rows sum growth_space faults where "$2" <"$work/$1"; }

is_unused()
{
	[ "$(cat /sys/module/memprof/refcnt)" = 0 ]
}

check_is_json()
{
	memprofctl check --json | rows count >"$work/count"
}

start_says_what()
{
	says 0 "everything" memprofctl start -a --faults 1 &&
	[ "$(stat -c %a:%u $sock)" = 600:0 ] &&
	says 0 "running" memprofctl status
}

exact_numbers()
{
	local pid
	coproc grow 8 60
	pid=$!
	read -r _ <&"${COPROC[0]}"
	row process pid=$pid 'comm == "grow" and
		mmap_up_space >= 8 << 20 and mmap_up_space < 16 << 20 and
		minor_faults >= 2048 and minor_faults < 3000 and
		touched_space == 4096 * (minor_faults + major_faults) and
		resident_anon >= (8 << 20) - 262144 and
		growth_space == mmap_up_space - mmap_down_space +
			brk_up_space - brk_down_space'
}

a_table_for_people()
{
	grow 3 >/dev/null && memprofctl report -v -n 5 >"$work/table" &&
	grep -q '^ *PID  COMM .*CGROUP .*RSS .*ANON' "$work/table" &&
	grep -q '^total' "$work/table" &&
	grep -q '^faults: every minor fault' "$work/table" &&
	grep -q '^lost: *nothing' "$work/table"
}

rmmod_is_refused()
{
	! rmmod memprof 2>/dev/null
}

stop_sums_up()
{
	says 0 "stopped session" memprofctl stop && nothing_is_left
}

failed_starts_leave_nothing()
{
	says 1 "no/such" memprofctl start -G no/such && nothing_is_left &&
	says 1 "4194000" memprofctl start -p 4194000 && nothing_is_left
}

killed_collector_leaves_nothing()
{
	local pid
	pid=$(pgrep -n -x memprof-collect)
	kill -9 "$pid" && wait_until is_unused &&
	says 1 "no session" memprofctl status && [ -S $sock ] &&
	memprofctl start -a -q && memprofctl status >/dev/null
}

terminated_collector_cleans_up()
{
	local pid
	pid=$(pgrep -n -x memprof-collect)
	kill "$pid" && wait_until nothing_is_left
}

by_cgroup()
{
	make_cgroup && mkdir "$cgroup/a" "$cgroup/b" &&
	memprofctl start -G "$group" -q || return 1
	(inside "$cgroup/a" grow 4 >/dev/null)
	(inside "$cgroup/b" grow 12 >/dev/null)
	grow 5 >/dev/null
	row cgroup "cgroup=$group/a" 'mmap_up_space >= 4 << 20 and
		mmap_up_space < 10 << 20' &&
	row cgroup "cgroup=$group/b" 'mmap_up_space >= 12 << 20' &&
	[ "$(nr_rows process comm=grow)" = 2 ] &&
	row process comm=grow exited || return
	# a removed cgroup keeps its path
	rmdir "$cgroup/a" && [ "$(nr_rows cgroup "cgroup=$group/a")" = 1 ]
}

by_process()
{
	local pid
	sh -c 'kill -STOP $$; grow 3 >/dev/null; kill -STOP $$' &
	pid=$!
	each_stop $pid && memprofctl start -p $pid -q || return
	grow 3 >/dev/null
	kill -CONT $pid
	each_stop $pid &&
	[ "$(nr_rows process comm=grow)" = 1 ] &&
	row process comm=grow 'mmap_up_space >= 3 << 20'
}

reset_begins_anew()
{
	grow 9 >/dev/null
	[ "$(nr_rows process comm=grow)" = 1 ] &&
	memprofctl reset >/dev/null &&
	[ "$(nr_rows process comm=grow)" = 0 ]
}

unprivileged_is_refused()
{
	says 1 "memprofctl: cannot " setpriv --reuid 65534 --regid 65534 \
		--clear-groups "$(command -v memprofctl)" "$@"
}

# without_module COMMAND...: unloads the module while COMMAND runs
without_module()
{
	at_end 'insmod "$MEMPROF_KO"'
	rmmod memprof && "$@"
}

takes_perfs_events()
{
	says 0 "source perf" memprofctl start -a --faults 100 &&
	says 0 "stopped session" memprofctl stop
}

ctl "check says that all is well" \
	says 0 "start and record work here, with the module" memprofctl check
ctl "check --json is JSON" check_is_json
ctl "report without a session says what to do" \
	says 1 "memprofctl start" env MEMPROF_RUNDIR=/tmp/none memprofctl report
ctl "start says what was started; its socket is for its owner only" \
	start_says_what
ctl "a second start is refused" with_session says 1 "already" \
	memprofctl start -a
ctl "known sizes are reported" with_each_fault exact_numbers
ctl "the table is for people" with_each_fault a_table_for_people
ctl "reset begins anew" with_session reset_begins_anew
ctl "rmmod is refused while a session runs" with_session rmmod_is_refused
ctl "an unprivileged user cannot ask" \
	with_session unprivileged_is_refused report
ctl "stop sums up, and nothing is left" with_session stop_sums_up
ctl "an unprivileged user cannot start" unprivileged_is_refused start -a
ctl "a bad cgroup or a dead process is one error, and leaves no session" \
	failed_starts_leave_nothing
ctl "-G follows a cgroup and those below" by_cgroup
ctl "-p follows a process and its children" by_process
ctl "growth and faults have callsites without allocations" \
	memory_has_callsites
ctl "a session of everything has callsites" everything_has_callsites
ctl "a killed collector frees the session, the next start works" \
	with_session killed_collector_leaves_nothing
ctl "a terminated collector cleans up" \
	with_session terminated_collector_cleans_up
ctl "without the module, start --source kmod says how to load it" \
	without_module says 1 "load the module" \
	memprofctl start -a --source kmod
ctl "without the module, start takes perf's events, and says so" \
	without_module takes_perfs_events
ctl "without the module, check says so, and what works" \
	without_module says 0 "work here, with perf's events" memprofctl check
ctl "where each call is counted, all growth and faults have callsites" \
	all_growth_has_callsites
ctl "callsites in free() have names" callsites_in_free_have_names
ctl "callsites in free() have names after an exec" \
	callsites_in_free_have_names_after_exec
plan
