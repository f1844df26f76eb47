#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host: the sampler is put into programs that run, and taken out again. What
# they do does not change: waits end in time, locks are not lost, and a memprofctl
# that is killed at any step leaves a program that runs.
#
# INJECT_CYCLES=1000 INJECT_DEATHS=1000 INJECT_STEP=1 for longer runs
. "$(dirname "$0")/lib.sh"
LIB=$build/user/libmemprof/libmemprof.so
CYCLES=${INJECT_CYCLES:-100}
DEATHS=${INJECT_DEATHS:-60}
STEP=${INJECT_STEP:-5}
as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)

# compile NAME [OPTION]...: a program of tests/programs
compile()
{
	gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -g -o "$fix/$1" \
		"$programs/$1.c" -pthread "${@:2}"
}

make_waits() { compile waits; }
make_storm() { compile storm; }
make_refused() { compile refused; }
make_die_at() { compile die-at -shared -fPIC; }
make_static() {
	gcc -std=gnu11 -D_GNU_SOURCE -O2 -static -o "$fix/static" \
		"$programs/waits.c" -pthread
}
make_musl() {
	musl-gcc -std=gnu11 -D_GNU_SOURCE -O2 -o "$fix/musl" "$programs/waits.c"
}
# A 32-bit program without a C library: it calls pause() for ever
make_narrow() {
	echo 'void _start(void) { for (;;) __asm__("int $0x80" : : "a"(29)); }' |
		gcc -m32 -nostdlib -static -x c -o "$fix/narrow" -
}

# background NAME COMMAND...: starts a job with its output in $work/NAME, and waits
# for the first line of it; sets pid
background()
{
	"${@:2}" >"$work/$1" 2>&1 </dev/null & pid=$!
	wait_until [ -s "$work/$1" ]
}

# lines FILE: the number of its lines
lines() { wc -l <"$1"; }

has_more_lines() { [ "$(lines "$1")" -gt "$2" ]; }

# runs_on FILE: the program that writes the file still does
runs_on() { wait_until has_more_lines "$1" "$(lines "$1")"; }

# inject, eject PID [OPTION]...: regions are in $work
inject()
{
	memprofctl inject -p "$1" --out "$work/region.%p" "${@:2}" >>"$work/said"
}
eject() { memprofctl eject -p "$1" >>"$work/said"; }

in_and_out() { inject "$@" && eject "$1"; }

# ends_well NAME PID: the program says that nothing was wrong
ends_well()
{
	kill "$2"
	end_of "$2" && [ "$(tail -n 1 "$work/$1")" = done ] &&
		! grep -q wrong "$work/$1" && return
	note "$work/$1"
	return 1
}

# a_wait KIND [PROGRAM]: a wait that is interrupted twenty times ends as it should
a_wait()
{
	local i
	needs waits && background waits "${2:-$fix/waits}" "$1" || return
	for i in 1 2 3 4 5 6 7 8 9 10; do
		in_and_out $pid || return
	done
	pauses "$1"
	runs_on "$work/waits" && ends_well waits $pid
}

a_musl_wait() { needs musl && a_wait "$1" "$fix/musl"; }

# a_musl_lock: musl has no unwind information, and its malloc waits in the same call
a_musl_lock()
{
	needs musl && background waits "$fix/musl" sem &&
		complains 1 "its stack cannot be read" inject $pid && ends_well waits $pid
}

# cycles: neither descriptors nor mappings become more
cycles()
{
	local i fds maps
	needs waits && background waits "$fix/waits" poll || return
	in_and_out $pid && in_and_out $pid || return
	fds=$(ls /proc/$pid/fd | wc -l) maps=$(lines /proc/$pid/maps)
	for ((i = 0; i < CYCLES; i++)); do
		in_and_out $pid || return
	done
	pauses "$CYCLES cycles"
	[ "$(ls /proc/$pid/fd | wc -l)" = "$fds" ] || return
	is_within 2 "$(lines /proc/$pid/maps)" "$maps" && ends_well waits $pid
}

# a_storm: setuid(), dlopen(), threads and signals all go on
a_storm()
{
	local i
	needs storm && background storm "$fix/storm" || return
	for i in 1 2 3 4 5 6; do
		in_and_out $pid && runs_on "$work/storm" || return
	done
	pauses storm
	ends_well storm $pid
}

# a_service COMMAND...: a program of others is sampled, and goes on
a_service()
{
	inject "$1" --rate 4K && eject "$1" && inject "$1" --rate 4K &&
		pauses "$2"
}

python()
{
	background python /usr/bin/python3 -uc '
import time
kept = []
while True:
    kept.append([bytes(1000) for _ in range(100)])
    print(len(kept))
    time.sleep(0.02)'
	a_service $pid python && runs_on "$work/python" || return
	wait_until has_samples $pid
}

# has_samples PID: a snapshot shows allocations
has_samples()
{
	memprofctl snapshot -q -f -p "$1" -o "$work/data" 2>"$work/err" &&
		report -i "$work/data" --by callsite >"$work/json" &&
		[ -n "$(rows list alloc_objects where type=site <"$work/json")" ]
}

redis()
{
	local port=$((20000 + BASHPID % 10000)) redis
	# Debian's redis-tools has the server under this name
	(exec -a redis-server redis-check-rdb --port $port --save "" --dir "$work" \
		>"$work/redis") & redis=$!
	wait_until redis-cli -p $port ping >/dev/null 2>&1
	a_service $redis redis || return
	redis-benchmark -p $port -n 20000 -t set,lpush -q >/dev/null &&
	[ "$(redis-cli -p $port ping)" = PONG ] && has_samples $redis
}

node_js()
{
	background node node -e '
let kept = [], n = 0;
setInterval(() => { kept.push(Buffer.alloc(50000)); console.log(++n); }, 20)'
	a_service $pid node && runs_on "$work/node"
}

# namespaces: mounts, processes and users of its own; the library is not there
namespaces()
{
	local inner
	needs waits && background waits unshare -Urmpf --mount-proc bash -c "
		mkdir -p '$work/empty'; cp '$fix/waits' '$work/waits-inside'
		mount -t tmpfs none '${LIB%/*}'; '$work/waits-inside' poll" || return
	wait_for ready "$work/waits"
	inner=$(pgrep -f "^$work/waits-inside")
	in_and_out "$inner" && runs_on "$work/waits" && in_and_out "$inner" &&
		pauses namespaces && grep -q memfd:libmemprof.so /proc/$inner/maps &&
		kill "$inner" && wait_for done "$work/waits" &&
		! grep wrong "$work/waits"
}

sleeps_until_resumed()
{
	needs waits && background waits "$fix/waits" poll && inject $pid --paused --rate 1 &&
		sleep 0.5 && ! has_samples $pid && memprofctl resume -q -p $pid &&
		wait_until has_samples $pid && ends_well waits $pid
}

# twice: the second one is told, and nothing is harmed
twice()
{
	needs waits && background waits "$fix/waits" poll && inject $pid &&
		complains 1 "is sampled already" inject $pid &&
		eject $pid && complains 1 "is not sampled any more" eject $pid &&
		ends_well waits $pid
}

# Regions of earlier times stay mapped; the one that is being written is read and marked
each_time_is_its_own()
{
	local i
	background python /usr/bin/python3 -uc '
import time
kept = []
while True:
    kept.append(bytes(100000))
    print(len(kept))
    time.sleep(0.01)'
	for i in 1 2 3; do
		in_and_out $pid --rate 512K || return
	done
	complains 1 'it was taken out' memprofctl snapshot -p $pid -o "$work/none" &&
	complains 1 'it was taken out' memprofctl mark -p $pid &&
	inject $pid --rate 16K && memprofctl mark -p $pid >/dev/null || return
	sleep 1
	memprofctl snapshot -q --since-mark -p $pid -o "$work/data" &&
	report -i "$work/data" --by process >"$work/json" &&
	rows holds 'inuse_space > 3000000' where type=process "pid=$pid" <"$work/json" &&
	rows list alloc_rate where type=summary <"$work/json" | grep -q 'alloc_rate 16384$' &&
	! memprofctl report -i "$work/data" | grep -q exited && eject $pid
	kill $pid
}

# own_pages PID: KiB of RSS that are the file of its samples
own_pages()
{
	awk -v path="$work/region.$1" '
		/^[0-9a-f]+-/ { is_own = $NF == path }
		/^Rss:/ && is_own { sum += $2 }
		END { print sum + 0 }' "/proc/$1/smaps"
}

gives_its_pages_back()
{
	local before after
	background python /usr/bin/python3 -uc '
import time
kept = []
while True:
    kept.append([bytes(i) for i in range(900, 1000)])
    print(len(kept))
    time.sleep(0.002)'
	inject $pid --rate 1 || return
	sleep 2
	memprofctl report -q -i "$work/region.$pid" --view rss >"$work/rss" &&
	memprofctl report -q -i "$work/region.$pid" --json >"$work/json"
	before=$(own_pages $pid)
	eject $pid || return
	after=$(own_pages $pid)
	echo "# $before KiB before, $after after"
	# the file has what the pages had
	grep -q 'sampler: memprof itself has .* of this RSS' "$work/rss" &&
	rows holds "sampler_space > $before * 512" where type=process <"$work/json" &&
	[ "$before" -gt 1000 ] && [ "$after" -lt 200 ] && kill -0 $pid &&
	memprofctl report -i "$work/region.$pid" --by callsite | grep -q listcomp && kill $pid
}

preloaded()
{
	needs waits &&
	background waits env LD_PRELOAD="$LIB" MEMPROF_OUT="$work/%p" \
		"$fix/waits" poll &&
		complains 1 "is sampled already" inject $pid && ends_well waits $pid
}

# together: of four at once, one wins, and the others are told
together()
{
	local i jobs=() won=0
	needs waits && background waits "$fix/waits" poll || return
	for i in 1 2 3 4; do
		inject $pid 2>>"$work/errors" & jobs+=($!)
	done
	for i in "${jobs[@]}"; do
		wait "$i" && won=$((won + 1))
	done
	[ $won = 1 ] && [ "$(grep -c "is sampled already" "$work/errors")" = 3 ] &&
		runs_on "$work/waits" && ends_well waits $pid
}

# priorities PID: nice value and slice of time of its threads, as far as the kernel tells
priorities()
{
	local task
	for task in "/proc/$1/task"/*; do
		awk '{ sub(/.*\) /, ""); print "nice", $17 }' "$task/stat"
		grep -s slice "$task/sched"
	done
}

has_priorities() { [ "$(priorities $pid)" = "$1" ]; }

# is_alive: after the death of a memprofctl the program does what it did, can be
# injected into, and has no memory of the dead one left. A sleep may have ended early.
is_alive()
{
	kill -0 $pid && runs_on "$work/waits" || return
	[ -z "$own" ] || wait_until has_priorities "$own" || {
		echo "# it had $own, has $(priorities $pid)"
		return 1
	}
	inject $pid 2>"$work/errors" || grep -q "is sampled already" "$work/errors" || {
		note "$work/errors"
		return 1
	}
	eject $pid && runs_on "$work/waits"
}

# dies_at NUMBER: kills memprofctl before this call; fails if there are fewer calls
dies_at()
{
	! DIE_AT=$1 LD_PRELOAD=$fix/die-at.so memprofctl inject -p $pid \
		--out "$work/region.%p" >"$work/dead" 2>&1
} 2>/dev/null

# each_death: memprofctl dies before each STEPth of its steps, in a new program each
# time; the last one is not reached
each_death()
{
	local step nr=0 own
	needs waits die_at && cp "$fix/die-at" "$fix/die-at.so" || return
	for ((step = 1; ; step += step < 24 ? 1 : STEP)); do
		: >"$work/waits"
		background waits nice -n 3 "$fix/waits" poll
		own=$(priorities $pid)
		dies_at $step || break
		nr=$((nr + 1))
		is_alive || {
			echo "# after a death at step $step"
			return 1
		}
		end $pid
	done
	echo "# died $nr times before $step calls"
	has_priorities "$own" && [ "${own%%$'\n'*}" = "nice 3" ] && [ $nr -gt 20 ] && grep -q injected "$work/dead"
}

# random_deaths: memprofctl is killed after random times, in one program
random_deaths()
{
	local i job own
	needs waits && background waits "$fix/waits" poll && own=$(priorities $pid) || return
	for ((i = 0; i < DEATHS; i++)); do
		inject $pid 2>/dev/null & job=$!
		sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
		pkill -KILL -P $job memprofctl
		wait $job
		kill -0 $pid || return
		eject $pid 2>/dev/null
	done 2>/dev/null
	is_alive
}

# refuses TEXT KIND
refuses()
{
	local target
	needs refused && mkfifo "$work/never" || return
	sleep 1000 >"$work/never" &
	"$fix/refused" "$2" >"$work/target" <"$work/never" &
	wait_until [ -s "$work/target" ] || return
	read -r target <"$work/target"
	complains 1 "$1" inject "$target"
}

refuses_small_stacks()
{
	needs waits && background waits "$fix/waits" altstack &&
		complains 1 "in a signal handler with a stack of its own" inject $pid &&
		ends_well waits $pid
}

refuses_static()
{
	needs static && background waits "$fix/static" poll &&
		complains 1 "static program" inject $pid && ends_well waits $pid
}

refuses_narrow()
{
	needs narrow || return
	"$fix/narrow" & pid=$!
	wait_until is_program $pid narrow &&
		complains 1 "is a 32-bit program" inject $pid
}

# narrow_obstacle: prints why no 32-bit program can be refused, or nothing. Some
# hypervisors leave their guests without the mode, whatever the kernel's configuration.
narrow_obstacle()
{
	needs narrow >/dev/null || return 0
	timeout 0.2 bash -c 'exec "$0"' "$fix/narrow" 2>/dev/null
	[ $? != 126 ] || echo "this machine runs no 32-bit programs"
}

# is_program PID NAME: whether the job has begun to run the program
is_program() { [[ $(readlink "/proc/$1/exe") == */$2 ]]; }

refuses_stopped()
{
	needs waits && background waits "$fix/waits" poll && kill -STOP $pid &&
		each_stop $pid && complains 1 "is stopped" inject $pid &&
		kill -CONT $pid && runs_on "$work/waits" && ends_well waits $pid
}

refuses_itself()
{
	complains 1 "is memprofctl itself" bash -c 'exec memprofctl inject -p $$'
}

refuses_strangers()
{
	needs waits && background waits "$fix/waits" poll || return
	mkdir "$work/bin" "$work/lib" && cp "$(command -v memprofctl)" "$work/bin" &&
	cp "$LIB" "$work/lib" &&
	complains 1 "may not be traced" "${as_nobody[@]}" "$work/bin/memprofctl" \
		inject -p $pid && ends_well waits $pid
}

# root_for_others: root injects into the process of another user
root_for_others()
{
	needs waits && mkdir -m 777 "$work/theirs" &&
	background waits "${as_nobody[@]}" "$fix/waits" poll &&
		memprofctl inject -q -p $pid --out "$work/theirs/%p" && eject $pid &&
		[ -e "$work/theirs/$pid" ] && ends_well waits $pid
}

nothing_there()
{
	complains 1 "process 4194304 does not exist" memprofctl inject -p 4194304 &&
		complains 2 "-p PID is needed" memprofctl eject
}

# is_logged: with a /dev of its own, in which a program reads the log
is_logged()
{
	needs waits && background waits "$fix/waits" poll || return
	unshare -m bash -c "mount -t tmpfs none /dev && mknod /dev/null c 1 3 &&
		mknod /dev/urandom c 1 9 && chmod 666 /dev/* || exit
		/usr/bin/python3 -c '
import socket
log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
log.bind(\"/dev/log\")
print(flush=True)
print(log.recv(1000).decode(), flush=True)' >'$work/log' & job=\$!
		until [ -s '$work/log' ]; do sleep 0.1; done
		memprofctl inject -q --out '$work/r.%p' -p $pid; wait \$job" </dev/null \
		>"$work/unshare" 2>&1 || note "$work/unshare"
	grep -q "<85>.*memprofctl.*put libmemprof into process $pid (waits) by user 0" \
		"$work/log" && ends_well waits $pid && return
	note "$work/log"
	return 1
}

# with_rules LINE...: a copy of this machine's /etc has these rules
with_rules()
{
	mkdir -p "$work/etc/memprof"
	printf '%s\n' "$@" >"$work/etc/memprof/inject.conf"
}

# inject_by_rules OPTION...
inject_by_rules()
{
	unshare -m sh -c 'mount -t overlay overlay -o "lowerdir=$0/etc:/etc" /etc &&
		exec memprofctl inject "$@"' "$work" --out "$work/region.%p" "$@"
}

obeys_rules()
{
	needs waits && background waits "$fix/waits" poll || return
	with_rules "# none of root's" "exclude-user root" &&
	complains 1 "process $pid is excluded by line 2 of /etc/memprof/inject.conf" \
		inject_by_rules -p $pid || return
	with_rules "exclude-user nobody" "exclude everything" &&
	complains 1 "line 2 of /etc/memprof/inject.conf is no rule" \
		inject_by_rules -p $pid || return
	with_rules "exclude-user nobody" && chmod 666 "$work/etc/memprof/inject.conf" &&
	complains 1 "because of the owner or mode" inject_by_rules -p $pid || return
	chmod 644 "$work/etc/memprof/inject.conf"
	! grep libmemprof /proc/$pid/maps && inject_by_rules -p $pid &&
		eject $pid && ends_well waits $pid
}

obeys_rules_for_units()
{
	needs waits && make_cgroup &&
	background waits inside "$cgroup/web.service" "$fix/waits" poll &&
	with_rules "exclude-unit web.*" &&
	complains 1 "process $pid is excluded by line 1" inject_by_rules -p $pid &&
	ends_well waits $pid
}

# state PID: what list says
state() { memprofctl list --samplers --json -p "$1" | rows value state; }

list_shows_it()
{
	needs waits && needs static && background waits "$fix/waits" poll || return
	[ "$(state $pid)" = can ] && inject $pid && [ "$(state $pid)" = "has it" ] &&
		ends_well waits $pid || return
	background waits "$fix/static" poll && [ "$(state $pid)" = cannot ] &&
		memprofctl list --samplers -p $pid >"$work/list" &&
		grep " waits\|static .*cannot .*a static program" "$work/list" &&
		ends_well waits $pid && complains 1 "does not exist" memprofctl list --samplers \
			--json -p 4194303
}

# On other architectures nothing is touched, and one line says what works instead.
elsewhere_it_is_refused()
{
	local what="injection cannot be done on this architecture"
	sleep 60 & pid=$!
	complains 1 "$what" memprofctl inject -p $pid --out "$work/region" &&
		grep -q "record --preload and --alloc exact work" "$work/err" &&
		complains 1 "$what" memprofctl eject -p $pid &&
		complains 1 "$what" memprofctl record --source perf --inject \
			--alloc 64K -o "$work/data" -p $pid &&
		[ ! -e "$work/region" ] && [ ! -e "$work/data" ] && ! has_ended $pid
}

[ -z "$(injection_obstacle)" ] ||
	check "where it cannot be done, that is said" elsewhere_it_is_refused
root=$([ "$(id -u)" = 0 ] || echo "only root injects into all of these")
reason=$(injection_obstacle)
reason=${reason:-$root}
for kind in nanosleep poll epoll select clock sem read stdio handler spin; do
	check_unless "$reason" "a wait in $kind is not changed" a_wait $kind
done
for kind in nanosleep poll select; do
	check_unless "${reason:-$(lacks musl-gcc)}" "a wait in musl's $kind is not changed" \
		a_musl_wait $kind
done
check_unless "${reason:-$(lacks musl-gcc)}" "refuses a thread of musl that it cannot judge" \
	a_musl_lock
check_unless "$reason" "cycles leave nothing behind" cycles
check_unless "$reason" "setuid, dlopen, threads and signals go on" a_storm
check_unless "$reason" "python" python
check_unless "${reason:-$(lacks redis-check-rdb)}" "redis with jemalloc" redis
check_unless "${reason:-$(lacks node)}" "node" node_js
check_unless "$reason" "namespaces of its own" namespaces
check_unless "$reason" "a sampler sleeps until it is resumed" sleeps_until_resumed
check_unless "$reason" "a second time is refused" twice
check_unless "$reason" "after several times, a snapshot is of the last one" each_time_is_its_own
check_unless "$reason" "the pages of its samples are told, and given back" gives_its_pages_back
check_unless "$reason" "a preloaded program is told so" preloaded
check_unless "$reason" "one of several at once" together
check_unless "$reason" "killed at its steps, it leaves a program that runs" each_death
check_unless "$reason" "killed at random, it leaves a program that runs" random_deaths
check_unless "$reason" "refuses a system call filter" refuses "system call filter" seccomp
check_unless "$reason" "refuses a program that is not dumpable" \
	refuses "keeps debuggers away" undumpable
check_unless "$reason" "refuses a traced process" refuses "is traced by" traced
check_unless "$reason" "refuses a zombie" refuses "has ended" zombie
check_unless "$reason" "gives up in vfork" refuses "does not stop" vfork
check_unless "$reason" "refuses a handler with a stack of its own" refuses_small_stacks
check_unless "$reason" "refuses a static program" refuses_static
check_unless "${reason:-$(narrow_obstacle)}" "refuses a 32-bit program" refuses_narrow
check_unless "$reason" "refuses a stopped process" refuses_stopped
check_unless "$reason" "refuses itself" refuses_itself
check_unless "$reason" "refuses another user" refuses_strangers
check_unless "$reason" "root injects for another user" root_for_others
check_unless "$reason" "no process, no option" nothing_there
check_unless "$reason" "each injection is logged" is_logged
check_unless "$reason" "list shows who has the library, who can, who cannot" list_shows_it
check_unless "$reason" "the administrator excludes users" obeys_rules
check_unless "$reason" "the administrator excludes units" obeys_rules_for_units
plan
