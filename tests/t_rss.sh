#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host, without the module: what RSS is made of, of programs that know it.
cd "$(dirname "$0")/.." || exit 1
O=${O:-$PWD/build}
. tests/guest/tap.sh
[ -e /sys/kernel/tracing/uprobe_events ] ||
	mount -t tracefs none /sys/kernel/tracing 2>/dev/null
work=$(mktemp -d)
# a disk's: a file in tmpfs would be shared memory
file=$(mktemp -p "$O")
export MEMPROF_RUNDIR=$work/run
mkdir -m 700 "$MEMPROF_RUNDIR"
mount=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
group=$mount/memprof_t_rss_$$
pid='' server='' sink=''

cleanup()
{
	local p
	memprofctl stop -q 2>/dev/null
	for p in $pid $server; do
		kill "$p" 2>/dev/null
	done
	wait
	[ -d "$group" ] && rmdir "$group/inner/deep" "$group/inner" "$group"
	rm -rf "$work" "$file"
}
trap cleanup EXIT

obstacle()
{
	memprofctl record -q -f --source perf --growth off --alloc off \
		-o "$work/probe" -- true 2>"$work/why" ||
		head -n 1 "$work/why"
}

# begin: the program waits until somebody follows it; its input is in $sink
begin()
{
	rm -f "$work/in" "$work/out"
	mkfifo "$work/in"
	(ulimit -S -s 9216; exec "$work/parts" "$file") <"$work/in" \
		>"$work/out" &
	pid=$!
	exec {sink}>"$work/in"
}

go()
{
	local i
	echo go >&"$sink"
	for ((i = 0; i < 600; i++)); do
		grep -q ready "$work/out" && return
		sleep 0.1
	done
	return 1
}

finish()
{
	exec {sink}>&-
	wait "$pid"
	pid=
}

# judge PYTHON: with the rows of a report in rows, the program's in r
judge()
{
	python3 -c '
import json, sys
MIB = 1 << 20
rows = [json.loads(line) for line in sys.stdin]
def row(comm):
    return [r for r in rows if r.get("comm") == comm][0]
def parts(r):
    return sum(r[k] for k in ("live_touched_space", "allocator_held_space",
        "stack_resident_space", "file_mapped_space", "shmem_mapped_space",
        "unattributed_space"))
def near(value, mib, more):
    assert mib * MIB <= value <= (mib + more) * MIB, (value, mib)
def buckets(r):
    near(r["live_touched_space"], 64, 0.1)
    near(r["allocator_held_space"], 63, 1.5)
    near(r["stack_resident_space"], 8, 0.1)
    near(r["shmem_mapped_space"], 16, 0.1)
    near(r["file_mapped_space"], 16, 3)
    near(r["unattributed_space"], 0, 1)
'"$1" "${@:2}" || return
}

report()
{
	memprofctl report --view rss --json -n 0 "$@"
}

rss_of()
{
	awk '/^Rss:/ { print $2 * 1024 }' "/proc/$1/smaps_rollup"
}

each_part_is_known()
{
	begin
	memprofctl start -q --source perf -p $pid --alloc exact && go || return
	report >"$work/json"
	rss=$(rss_of $pid)
	judge '
r = row("parts")
print("#", {k: r[k] for k in r if k.endswith("_space") and r[k]})
buckets(r)
assert r["split"] and not r.get("live_touched_bound")
near(r["inuse_space"], 128, 0.1)' <"$work/json"
}

parts_add_up()
{
	judge '
r = row("parts")
assert parts(r) == r["resident_space"] == int(sys.argv[1]), \
    (parts(r), r["resident_space"], sys.argv[1])
assert r["allocator_space"] == \
    r["live_touched_space"] + r["allocator_held_space"]
total = rows[-1]["totals"]
assert parts(total) == total["resident_space"]' "$rss" <"$work/json"
}

cgroups_add_up()
{
	report --by cgroup | judge '
r = [r for r in rows if r["type"] == "cgroup"]
assert r
for r in r:
    assert parts(r) == r["resident_space"]
    # what the program made, and its own code: as of a recording, below
    near(r["resident_space"], 167, 6)
    assert 0 < r["proportional_space"] <= r["resident_space"]'
}

# What it held a second before
the_dead_keep_their_parts()
{
	sleep 3
	finish
	sleep 0.3
	report | judge '
r = row("parts")
assert r["exited"]
buckets(r)
assert parts(r) == r["resident_space"]
assert rows[-1]["totals"]["resident_space"] == 0'
	local status=$?
	memprofctl stop -q
	return $status
}

sizes_are_all_that_is_known_without_allocations()
{
	begin
	memprofctl start -q --source perf -p $pid --alloc off && go || return
	report | judge '
r = row("parts")
assert not r.get("split")
near(r["allocator_space"], 128, 1.5)
assert r["allocator_space"] + r["unattributed_space"] + \
    r["stack_resident_space"] + r["file_mapped_space"] + \
    r["shmem_mapped_space"] == r["resident_space"]'
	local status=$?
	memprofctl stop -q
	finish
	return $status
}

# the recorder sees no blocks: their bytes are a bound
recordings_have_sizes()
{
	begin
	memprofctl record -q -f --source perf -p $pid --alloc exact \
		-o "$work/data" {sink}>&- & local recorder=$!
	until grep -q "memprof_$recorder/" /sys/kernel/tracing/uprobe_events
	do
		kill -0 $recorder || return
		sleep 0.1
	done
	sleep 0.5
	go || return
	sleep 3
	finish
	wait $recorder
	report -i "$work/data" >"$work/json"
	judge '
r = row("parts")
assert r["exited"] and r["mapped"]
near(r["allocator_space"], 127, 2)
near(r["stack_resident_space"], 8, 0.1)
near(r["shmem_mapped_space"], 16, 0.1)
near(r["resident_space"], 167, 6)
assert parts(r) == r["resident_space"]' <"$work/json" &&
	perf script -i "$work/data" 2>&1 | head -n 1 | grep -q parts
}

# too short for a look at its mappings
short_commands_have_a_peak()
{
	memprofctl record -q -f --source perf --alloc off -o "$work/short" \
		-- python3 -S -c 'x = b"x" * 100000000' &&
	report -i "$work/short" | judge '
peak = max(r.get("peak_resident_space", 0) for r in rows)
print("# peak", peak)
near(peak, 95, 30)'
}

redis_adds_up()
{
	local port=7393 i
	(exec -a redis-server redis-check-rdb --port $port --save '' \
		--activerehashing no >/dev/null) & server=$!
	until redis-cli -p $port ping >/dev/null 2>&1; do sleep 0.1; done
	memprofctl start -q --source perf -p $server --alloc exact || return
	redis-benchmark -p $port -q -t set -n 20000 -r 20000 -d 500 >/dev/null
	# what its clients had is free again
	until redis-cli -p $port info clients | grep -q '^connected_clients:1\s'
	do
		sleep 0.1
	done
	for ((i = 0; i < 5; i++)); do
		report >"$work/json"
		judge '
r = [r for r in rows if r.get("pid") == int(sys.argv[1])][0]
print("#", {k: r[k] for k in r if k.endswith("_space") and r[k]})
assert r["live_touched_space"] > 0.85 * r["inuse_space"]
assert parts(r) == r["resident_space"]
assert abs(r["resident_space"] - int(sys.argv[2])) <= 64 << 10' \
			"$server" "$(rss_of $server)" <"$work/json" && break
	done
	[ $i -lt 5 ] || return
	memprofctl report --by cgroup --top 3 >"$work/top"
	head -n 5 "$work/top" | sed 's/^/# /'
	[ "$(grep -c '^    LIVE .* PEAK .* ALLOCS .*zmalloc' "$work/top")" -gt 0 ]
	local status=$?
	memprofctl stop -q
	kill $server
	wait $server
	server=
	return $status
}

# inside CGROUP COMMAND...: instead of this shell, in a cgroup below ours
inside()
{
	mkdir -p "$group/$1" && echo $BASHPID >"$group/$1/cgroup.procs" &&
	exec "${@:2}"
}

# A parent's row holds its children's, the total counts them once
nested_cgroups_roll_up()
{
	local a b status python holds='import sys, time
x = b"x" * 1000000 * int(sys.argv[1])
print("ready", flush=True)
time.sleep(600)'
	(inside inner true) && (inside inner/deep true) || return
	# not a script that looks for it: that has processes of its own
	python=$(python3 -c 'import sys; print(sys.executable)')
	memprofctl start -q --source perf -G "${group#"$mount"}" \
		--alloc exact || return
	(inside inner "$python" -S -c "$holds" 20 >"$work/a") & a=$!
	(inside inner/deep "$python" -S -c "$holds" 40 >"$work/b") & b=$!
	until [ -s "$work/a" ] && [ -s "$work/b" ]; do sleep 0.1; done
	report --by cgroup --recursive --top 3 >"$work/nested"
	memprofctl report --by cgroup --recursive --top 3 | head -n 12 |
		sed 's/^/# /'
	judge '
by = {r["cgroup"]: r for r in rows if r["type"] == "cgroup"}
top = sys.argv[1]
inner, deep = by[top + "/inner"], by[top + "/inner/deep"]
near(deep["inuse_space"], 38, 3)
near(inner["inuse_space"], 57, 6)
assert by[top]["inuse_space"] == inner["inuse_space"] == by["/"]["inuse_space"]
assert by["/"]["resident_space"] == by[top]["resident_space"] == \
    rows[-1]["totals"]["resident_space"]
assert rows[-1]["totals"]["inuse_space"] == by["/"]["inuse_space"]
assert inner["processes"] == 2 and deep["processes"] == 1
assert len(inner["top"]) == 3 and deep["in_ancestor"]
assert inner["top"][0]["inuse_space"] >= 38 * MIB
for r in by.values():
    assert parts(r) == r["resident_space"]
current = by[top].get("cgroup_current_space")
if current:
    assert by[top]["cgroup_rest_space"] == \
        current - by[top]["proportional_space"]
else:
    print("# no memory controller here")' "${group#"$mount"}" <"$work/nested"
	status=$?
	memprofctl stop -q
	kill $a $b
	wait $a $b 2>/dev/null
	return $status
}

# cost: what the collector's looks take of a CPU, with many processes
looks_are_cheap()
{
	local sleepers=() i before after collector
	for ((i = 0; i < 300; i++)); do
		sleep 30 &
		sleepers+=($!)
	done
	# its session's number is its process id
	collector=$(memprofctl start --source perf -a --alloc off \
		--faults off --growth off | sed -n 's/^started session \([0-9]*\).*/\1/p')
	[ -d "/proc/$collector" ] || return
	sleep 2
	before=$(awk '{ print $14 + $15 }' "/proc/$collector/stat")
	sleep 5
	after=$(awk '{ print $14 + $15 }' "/proc/$collector/stat")
	memprofctl stop -q
	kill "${sleepers[@]}"
	wait "${sleepers[@]}" 2>/dev/null
	echo "# $((after - before)) of 500 ticks"
	[ $((after - before)) -le 20 ]
}

names=(
	"each part of RSS is what the program made of it"
	"the parts add up to RSS, and that is the kernel's"
	"of cgroups too"
	"a process that ended has the parts that it had"
	"without allocations HEAP is not parted"
	"a recording has the sizes of processes that ended"
	"a command that ends at once has a peak"
	"redis-server's parts add up"
	"nested cgroups roll up"
	"looking at processes is cheap"
)
commands=(
	each_part_is_known parts_add_up cgroups_add_up the_dead_keep_their_parts
	sizes_are_all_that_is_known_without_allocations recordings_have_sizes
	short_commands_have_a_peak redis_adds_up nested_cgroups_roll_up
	looks_are_cheap
)

why=$(obstacle)
if [ -n "$why" ]; then
	for name in "${names[@]}"; do
		skip "$name" "$why"
	done
	plan
	exit
fi
gcc -O1 -g -D_GNU_SOURCE -pthread -o "$work/parts" \
	tests/guest/programs/parts.c || exit 1
head -c 16M /dev/urandom >"$file"
for i in "${!names[@]}"; do
	if [ "${commands[i]}" = nested_cgroups_roll_up ] &&
	   ! mkdir "$group" 2>/dev/null; then
		skip "${names[i]}" "no cgroup can be made here"
		continue
	fi
	check "${names[i]}" ${commands[i]}
done
plan
