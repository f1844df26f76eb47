# SPDX-License-Identifier: GPL-2.0-only
# For suites of the agent's captures, in a guest with the memory controller of cgroup v2.
# Sourced after lib.sh.

# with_memory MAX: a cgroup with a limit; sets cgroup and group
with_memory()
{
	local mount
	mount=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
	echo +memory >"$mount/cgroup.subtree_control" || return
	make_cgroup && echo "$1" >"$cgroup/memory.max" &&
	echo 0 >"$cgroup/memory.swap.max" 2>/dev/null
	[ "$(cat "$cgroup/memory.max")" = "$1" ]
}

# run_agent [LINE]...: runs it with these lines in its file until it has two snapshots
run_agent()
{
	printf '%s\n' "folder = $work/history" "interval = 1s" "source = perf" "faults = off" "pressure = off" \
		"$@" >"$work/conf"
	memprofctl agent -c "$work/conf" 2>"$work/said" & agent=$!
	wait_until has_snapshots 2
}
has_snapshots() { [ "$(find "$work/history" -maxdepth 1 -name "*.data.zst" 2>/dev/null | wc -l)" -ge "$1" ]; }
postmortem() { memprofctl postmortem --history-folder "$work/history" -q "$@"; }
has_event() { postmortem --list 2>/dev/null | grep -q " $1 "; }

# captured EVENT: waits for it. In an emulator, looking takes the CPU that the agent needs.
captured()
{
	local end=$((SECONDS + ${T_WAIT:-100}))

	until has_event "$1"; do
		[ $SECONDS -lt $end ] || { note "$work/said"; return 1; }
		sleep 3
	done
}
