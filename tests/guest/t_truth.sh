#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Real programs, counted by memprof and by heaptrack: the same number of calls.
cd "$(dirname "$0")" || exit 1
. ./tap.sh
work=$(mktemp -d)
cgroup=/sys/fs/cgroup/t_truth
mkdir -p $cgroup
export PYTHONHASHSEED=0

cat >"$work/query.sql" <<'END'
create table t(a integer primary key, b text);
with recursive c(x) as (select 1 union all select x+1 from c where x<4000)
insert into t select x, hex(x*7919) from c;
select count(*), sum(length(b)) from t where b like '%3%';
END
cat >"$work/lists.py" <<'END'
rows = [bytes(700 + i % 300) for i in range(4000)]
table = {str(i): [i] * 40 for i in range(500)}
del rows
END
for i in $(seq 6); do
	echo "int f$i(int n, int *p, int *q) { int i, j, s = 0;" \
	     "for (i = 0; i < n; i++) { for (j = i; j < n; j++) {" \
	     "if (p[j] > q[i]) s += p[j] * $i; else s -= q[i]; }" \
	     "switch (s % 7) { case 1: s++; break; case 2: s *= 3; break;" \
	     "case 5: p[i] = s; } } return s; }"
done >"$work/loops.c"

sqlite() { exec sqlite3 :memory: ".read $work/query.sql"; }
python() { PYTHONMALLOC=malloc exec /usr/bin/python3 -S "$work/lists.py"; }
cc1=$(gcc -print-prog-name=cc1)
compiler() { exec "$cc1" -quiet -O1 "$work/loops.c" -o "$work/loops.s"; }

# traced PROGRAM: what heaptrack counts
traced()
{
	# heaptrack is a command, not a function: give it one
	(exec() { command exec heaptrack -o "$work/trace" "$@"; }; "$1") \
		>/dev/null 2>&1
	heaptrack_print -f "$work"/trace.* 2>/dev/null |
		sed -n 's/^calls to allocation functions: \([0-9]*\).*/\1/p'
	rm -f "$work"/trace.*
}

# counted PROGRAM: what memprof counts; and its unknown frees
counted()
{
	memprofctl start -G t_truth --alloc exact --faults off -q || return 1
	(echo $BASHPID >$cgroup/cgroup.procs; "$1") >/dev/null 2>&1
	memprofctl report --json -n 0 | python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
rows = [r for r in rows if r["type"] == "process"]
print(sum(r["alloc_objects"] + r["failed_allocs"] for r in rows),
      sum(r["unknown_frees"] for r in rows),
      sum(r["inuse_objects"] for r in rows))'
	memprofctl stop -q
}

agrees()
{
	local ours theirs unknown live
	read -r ours unknown live <<<"$(counted "$1")"
	theirs=$(traced "$1")
	echo "# $1: memprof $ours, heaptrack $theirs, unknown frees $unknown"
	[ -n "$theirs" ] && [ "$theirs" -gt 5000 ] &&
	[ $((ours > theirs ? ours - theirs : theirs - ours)) -le \
	  $((theirs / 1000)) ] && [ "$live" = 0 ]
}

for p in sqlite python compiler; do
	check "$p: allocation calls agree with heaptrack's within 0.1 %" agrees $p
done
check "and the compiler did compile" grep -q f6: "$work/loops.s"
rmdir $cgroup
rm -rf "$work"
plan
