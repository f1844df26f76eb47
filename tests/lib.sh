# SPDX-License-Identifier: GPL-2.0-only
# All shell suites source this file first, on the host and in the guest:
#
#	. "$(dirname "$0")/lib.sh"
#	check NAME COMMAND...
#	plan
#
# Each check runs in its own subshell. It has an empty folder, $work, and may
# start a session. When it ends, this file ends the jobs and the session that
# are left, runs the commands given to at_end(), and removes the folder. So a
# check does not see what another check did.
#
# Data that several checks only read is a fixture: `needs NAME` calls make_NAME,
# which writes files to $fix. It does so once, and only when a check needs it.
#
# `t_rss.sh PATTERN`, or T_ONLY=PATTERN, runs only the checks whose names match
# the regular expression. T_LIST=1 prints the names and runs nothing.
top=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
cd "$top" || exit 1
build=$(realpath -m "${O:-build}")
programs=$top/tests/programs
# where other allocators than the C library's are
ALLOCATORS=/usr/lib/$(uname -m)-linux-gnu
suite=$(basename "$0" .sh)
PATH=$build/user/memprofctl:$build/tests/guest:$PATH
unset LD_PRELOAD MEMPROF_LIBRARY MEMPROF_RATE MEMPROF_OUT MEMPROF_OUT_ONLY MEMPROF_ACTIVE
unset MEMPROF_MMAP MEMPROF_PACE
# of the make that runs the tests
unset MEMPROF_SAY
T_ONLY=${T_ONLY:-}
# if another script sources this file, its argument is not a pattern
[[ $suite != t_* ]] || T_ONLY=${1:-$T_ONLY}
tap_n=0
at_end=() at_exit=()
tmp=$(mktemp -d "${TMPDIR:-/tmp}/memprof-$suite.XXXXXX") || exit 1
fix=$tmp/fix
mkdir "$fix"
# some checks run programs as another user, who must reach this folder
chmod 755 "$tmp"

end_suite()
{
	local command
	for command in "${at_exit[@]}"; do
		eval "$command"
	done
	chmod -R u+w "$tmp"
	rm -rf "$tmp"
}
trap end_suite EXIT
trap 'exit 130' INT TERM

# at_end COMMAND: runs COMMAND when the check ends; the last one is run first
at_end()
{
	at_end=("$1" "${at_end[@]}")
}

# end_jobs: ends the jobs of this subshell; kills those that are left after 10 s
end_jobs()
{
	local pids end=$((SECONDS + 10))
	pids=$(jobs -p)
	[ -n "$pids" ] || return
	kill $pids
	kill -CONT $pids
	while [ -n "$(jobs -pr)" ] && [ $SECONDS -lt $end ]; do
		sleep 0.1
	done
	kill -KILL $pids
	wait $pids
} 2>/dev/null

end_check()
{
	local command
	end_jobs
	memprofctl stop -q 2>/dev/null
	for command in "${at_end[@]}"; do
		eval "$command"
	done
	chmod -R u+w "$work"
	rm -rf "$work"
}

# apart COMMAND...: runs a check or a fixture with its own folder and session
apart()
{
	at_end=()
	work=$(mktemp -d "$tmp/work.XXXXXX") || return
	chmod 755 "$work"
	trap end_check EXIT
	trap 'exit 130' INT TERM
	export MEMPROF_RUNDIR=$work/run MEMPROF_SYMBOL_CACHE=$work/cache
	mkdir -m 700 "$MEMPROF_RUNDIR"
	"$@"
}

# is_asked_for NAME: whether the check with this name should run
is_asked_for()
{
	[[ $1 =~ $T_ONLY ]] || return
	[ -n "${T_LIST:-}" ] || return 0
	echo "$1"
	return 1
}

# check NAME COMMAND...: runs a check and prints a line of TAP, and the time of a slow one
check()
{
	local begin=$SECONDS
	is_asked_for "$1" || return 0
	tap_n=$((tap_n + 1))
	if (apart "${@:2}"); then
		echo "ok $tap_n $1"
	else
		echo "not ok $tap_n $1"
	fi
	[ $((SECONDS - begin)) -lt 10 ] || echo "# it took $((SECONDS - begin)) s"
}

# skip NAME REASON: prints a line of TAP for a check that is not run
skip()
{
	is_asked_for "$1" || return 0
	tap_n=$((tap_n + 1))
	echo "ok $tap_n $1 # SKIP $2"
}

# check_unless REASON NAME COMMAND...: runs a check, or skips it if there is a
# reason
check_unless()
{
	if [ -n "$1" ]; then
		skip "$2" "$1"
	else
		check "${@:2}"
	fi
}

# plan: prints the plan of TAP; call it last
plan()
{
	[ -z "${T_LIST:-}" ] || return 0
	echo "1..$tap_n"
	[ $tap_n != 0 ] || {
		echo "Bail out! no check's name matches '$T_ONLY'"
		exit 1
	}
}

# needs FIXTURE...: makes the fixtures that do not exist yet; if a fixture
# fails, every check that needs it fails
needs()
{
	local name
	for name; do
		[ -e "$fix/.$name" ] || {
			(apart "make_$name")
			echo $? >"$fix/.$name"
		}
		[ "$(<"$fix/.$name")" = 0 ] || {
			echo "# the fixture $name could not be made"
			return 1
		}
	done
}

# note [FILE]...: prints files as comments of TAP
note()
{
	sed 's/^/# /' "$@"
}

# with_tracing: mounts tracefs if necessary; fails if events cannot be created
# there
with_tracing()
{
	[ -e /sys/kernel/tracing/uprobe_events ] ||
		mount -t tracefs none /sys/kernel/tracing 2>/dev/null
	[ -w /sys/kernel/tracing/uprobe_events ]
}

# perf_obstacle: prints why perf events cannot be recorded, or nothing if they
# can
perf_obstacle()
{
	if [ "$(id -u)" != 0 ]; then
		echo "only root makes uprobes"
	elif ! command -v perf >/dev/null; then
		echo "perf is not installed"
	elif ! with_tracing; then
		echo "the kernel has no uprobe_events, or tracefs is not mounted"
	elif ! perf record -q -B -N -e page-faults -o "$tmp/try" -- true \
		2>/dev/null; then
		echo "perf_event_open is refused"
	fi
}

# injection_obstacle: prints why nothing can be put into running programs, or nothing
injection_obstacle()
{
	[ "$(uname -m)" = x86_64 ] || echo "injection is for x86-64"
}

# yama_obstacle: prints why a user cannot trace his own processes, or nothing
yama_obstacle()
{
	local scope=0
	read -r scope 2>/dev/null </proc/sys/kernel/yama/ptrace_scope
	[ "$scope" = 0 ] || echo "kernel.yama.ptrace_scope is $scope"
}

# wait_until COMMAND...: runs COMMAND every 0.1 s until it succeeds; fails after
# T_WAIT seconds, 100 by default
wait_until()
{
	local end=$((SECONDS + ${T_WAIT:-100}))
	until "$@"; do
		[ $SECONDS -lt $end ] || {
			echo "# waited in vain for: $*"
			return 1
		}
		sleep 0.1
	done
}

# wait_for PATTERN FILE: waits until a line of the file matches
wait_for()
{
	wait_until grep -qse "$1" "$2"
}

# each_stop PID...: waits until all processes have stopped themselves; fails if
# one has exited instead, or if there are none
each_stop()
{
	local pid
	[ $# != 0 ] || return
	for pid; do
		wait_until has_stopped_or_ended "$pid" && has_stopped "$pid" ||
			return
	done
}

has_stopped()
{
	local stat=
	read -r stat 2>/dev/null <"/proc/$1/stat"
	[[ $stat == *") T"* ]]
}

has_stopped_or_ended()
{
	has_stopped "$1" || has_ended "$1"
}

# has_ended PID: whether the process exited; true also for a zombie
has_ended()
{
	local stat=
	read -r stat 2>/dev/null <"/proc/$1/stat"
	[[ -z $stat || $stat == *") Z"* ]]
}

# end_of PID: waits until a job ends by itself, and returns its exit status
end_of()
{
	wait_until has_ended "$1" && wait "$1"
}

# end PID...: ends jobs and waits for them
end()
{
	kill "$@"
	wait "$@"
	return 0
} 2>/dev/null

# launch COMMAND...: starts a job that stops itself, with its output in
# $work/out, and waits for the stop; sets pid
launch()
{
	: >"$work/out"
	"$@" >"$work/out" & pid=$!
	each_stop $pid
}

# sleeps: whether the process $pid waits: its memory does not change any more
sleeps()
{
	local stat
	read -r stat <"/proc/$pid/stat" && [[ $stat == *") S"* ]]
}

# follow PID OPTION...: starts a session for a stopped job, then continues the
# job until it prints "ready"
follow()
{
	memprofctl start -q -p "$@" && kill -CONT "$1" &&
	wait_for ready "$work/out"
}

# session_pid: prints the process id of the collector; that is the number of a session
# of perf's events
session_pid() { memprofctl status --json | rows value session; }

# runs_first PID: lets a recorder or collector run before other programs. On a busy
# machine it would lose events otherwise, which is not what its tests are about. A
# nice value would not help: it counts among programs of the same terminal session.
# Where this is not permitted, the machine has to be quiet.
runs_first() { chrt --fifo --pid 1 "$1" 2>/dev/null || :; }

# listening COMMAND OPTION...: starts a memprofctl job and waits until it
# records; sets recorder
listening()
{
	local line=
	mkfifo "$work/listening" || return
	memprofctl "$1" --ready-fd 9 "${@:2}" 9>"$work/listening" & recorder=$!
	read -r line <"$work/listening"
	rm "$work/listening"
	[ "$line" = READY=1 ]
}

# make_cgroup: makes a cgroup for this check; sets cgroup to its folder, and
# group to its path for -G
make_cgroup()
{
	local mount
	mount=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
	group=/memprof_${suite}_$BASHPID
	cgroup=$mount$group
	mkdir "$cgroup" && at_end "remove_cgroups '$cgroup'"
}

# remove_cgroups DIR: removes the cgroup and those below it
remove_cgroups()
{
	find "$1" -depth -type d -exec rmdir {} +
}

# inside DIR COMMAND...: moves this subshell to the cgroup and runs COMMAND by
# exec
inside()
{
	mkdir -p "$1" && echo $BASHPID >"$1/cgroup.procs" && exec "${@:2}"
}

# lacks COMMAND: why a check is skipped
lacks() { command -v "$1" >/dev/null || echo "$1 is not installed"; }

# pauses NAME: prints the pauses of threads that inject and eject wrote to $work/said, as
# a comment; nothing depends on them
pauses()
{
	sed -n 's/.*paused for \([0-9.]*\) ms.*/\1/p' "$work/said" | sort -n |
	awk -v name="$1" '{ ms[NR] = $1 } END { printf "# %s: %d pauses, " \
		"median %s ms, max %s ms\n", name, NR, ms[int((NR + 1) / 2)], ms[NR] }'
}

# report OPTION...: prints the rows of a report for report.py
report()
{
	memprofctl report --json -n 0 "$@"
}

# rows QUERY: runs a query on the rows of standard input, see report.py
rows()
{
	python3 -S "$top/tests/report.py" "$@"
}

# is_within TOLERANCE VALUE WANTED: fails if VALUE differs by more than
# TOLERANCE
is_within()
{
	[ $(($2 > $3 ? $2 - $3 : $3 - $2)) -le "$1" ] && return
	echo "# $2 is not within $1 of $3"
	return 1
}

# is_same FILE WANTED: fails if the files differ, and prints the difference
is_same()
{
	diff "$2" "$1" >"$work/diff" && return
	note "$work/diff"
	return 1
}

# complains STATUS TEXT COMMAND...: whether COMMAND ends with STATUS and prints
# one line that contains TEXT to standard error
complains()
{
	local want=$1 text=$2 status
	shift 2
	"$@" >"$work/out" 2>"$work/err"
	status=$?
	[ $status = "$want" ] && [ "$(wc -l <"$work/err")" = 1 ] &&
		grep -qF -- "$text" "$work/err" && return
	echo "# '$*' ended with $status and said:"
	note "$work/err"
	return 1
}
