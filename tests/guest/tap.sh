# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the shell tests: check NAME CMD... prints a line of TAP; plan, last.
# watches PID: until it waits for its events; fails if it ends before.
PATH=${O:-../../build}/user/memprofctl:${O:-../../build}/tests/guest:$PATH
tap_n=0

check()
{
	local name=$1
	shift
	tap_n=$((tap_n + 1))
	if "$@"; then
		echo "ok $tap_n $name"
	else
		echo "not ok $tap_n $name"
	fi
}

skip()
{
	tap_n=$((tap_n + 1))
	echo "ok $tap_n $1 # SKIP $2"
}

watches()
{
	# in poll(), of three: before, it waits for one that reads symbols for it
	until ls -l "/proc/$1/fd" 2>/dev/null | grep -q perf_event &&
	      grep -q '^7 0x[0-9a-f]* 0x3 ' "/proc/$1/syscall"; do
		kill -0 "$1" 2>/dev/null || return
		sleep 0.1
	done
}

# each_stop PID...: waits until all have stopped themselves; fails when one has
# ended instead, or after a minute, and when there is none
each_stop()
{
	local pid stat end=$((SECONDS + 60))
	[ $# != 0 ] || return
	for pid; do
		until stat=
		      read -r stat 2>/dev/null <"/proc/$pid/stat"
		      [[ $stat == *") T"* ]]; do
			[[ -n $stat && $stat != *") Z"* ]] &&
			[ $SECONDS -lt $end ] || return 1
			sleep 0.2
		done
	done
}

plan()
{
	echo "1..$tap_n"
}
