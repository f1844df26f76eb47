#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What RSS is made of with the module, whose blocks nobody else sees: what lives
# is a bound. And a cgroup's sums beside what the kernel charges it with.
cd "$(dirname "$0")" || exit 1
. ./tap.sh
work=$(mktemp -d)
cgroup=/sys/fs/cgroup/t_rss
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir -p $cgroup
echo +memory >$cgroup/cgroup.subtree_control
mkdir -p $cgroup/inner
pid=
trap 'memprofctl stop -q 2>/dev/null; rm -rf "$work"; rmdir $cgroup/inner $cgroup' EXIT

# Larger than what is mapped of it, and on a disk
file=$(gcc -print-prog-name=cc1)

begin()
{
	mkfifo "$work/in"
	memprofctl start -G t_rss --alloc exact --faults off -q || return
	(echo $BASHPID >$cgroup/inner/cgroup.procs
	 ulimit -S -s 9216
	 exec parts-c "$file" <"$work/in" >"$work/out") &
	pid=$!
	exec 9>"$work/in"
	echo go >&9
	until grep -q ready "$work/out"; do
		kill -0 $pid || return
		sleep 0.5
	done
}

# judge PYTHON: with a report's rows
judge()
{
	python3 -S -c '
import json, sys
MIB = 1 << 20
rows = [json.loads(line) for line in sys.stdin]
def parts(r):
    return r["allocator_space"] + r["stack_resident_space"] + \
        r["file_mapped_space"] + r["shmem_mapped_space"] + \
        r["unattributed_space"]
def near(value, mib, more):
    assert mib * MIB <= value <= (mib + more) * MIB, (value, mib)
'"$1"
}

process()
{
	memprofctl report --view rss --json | judge '
r = [r for r in rows if r["type"] == "process" and not r.get("exited")][0]
print("#", {k: r[k] for k in r if k.endswith("_space") and r[k]})
near(r["allocator_space"], 127, 2)
near(r["stack_resident_space"], 8, 0.2)
near(r["shmem_mapped_space"], 16, 0.1)
near(r["file_mapped_space"], 16, 4)
near(r["unattributed_space"], 0, 1)
assert parts(r) == r["resident_space"]
assert r["split"] and r["live_touched_bound"]
assert r["live_touched_space"] == min(r["inuse_space"], r["allocator_space"])
assert r["allocator_held_space"] == \
    r["allocator_space"] - r["live_touched_space"]' &&
	memprofctl report --view rss | grep -q 'LIVE-RSS is an upper bound'
}

cgroups()
{
	memprofctl report --by cgroup --recursive --top 2 --view rss -n 0 |
		head -n 8 | sed 's/^/# /'
	memprofctl report --by cgroup --recursive --top 2 --json -n 0 |
		judge '
by = {r["cgroup"]: r for r in rows if r["type"] == "cgroup"}
top, inner = by["/t_rss"], by["/t_rss/inner"]
assert inner["top"] and inner["in_ancestor"]
assert top["resident_space"] == inner["resident_space"]
for r in by.values():
    assert parts(r) == r["resident_space"]
current = inner["cgroup_current_space"]
assert current > 150 * MIB and inner["cgroup_peak_space"] >= current
assert abs(inner["cgroup_anon_space"] - inner["resident_anon"]) < 2 * MIB
assert inner["cgroup_kernel_space"] > 0
assert inner["cgroup_rest_space"] == current - inner["proportional_space"]
total = rows[-1]["totals"]
assert total["resident_space"] == by["/"]["resident_space"]
assert total["cgroup_current_space"] == top["cgroup_current_space"]'
}

ended()
{
	exec 9>&-
	wait $pid
	memprofctl report --view rss --json | judge '
r = [r for r in rows if r["type"] == "process"][0]
assert r["exited"] and r["resident_space"] > 150 * MIB
assert r["unattributed_space"] == r["resident_space"]'
}

check "a session begins" begin
check "a process's parts add up, what lives is said to be a bound" process
check "a cgroup's sums stand beside what it is charged with" cgroups
check "of a process that ended RSS is known" ended
plan
