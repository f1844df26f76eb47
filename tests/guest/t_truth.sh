#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Real programs counted by memprof and by heaptrack: the numbers of calls must
# be equal.
. "$(dirname "$0")/../lib.sh"
export PYTHONHASHSEED=0

make_sources()
{
cat >"$fix/query.sql" <<'END'
create table t(a integer primary key, b text);
with recursive c(x) as (select 1 union all select x+1 from c where x<4000)
insert into t select x, hex(x*7919) from c;
select count(*), sum(length(b)) from t where b like '%3%';
END
cat >"$fix/lists.py" <<'END'
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
done >"$fix/loops.c"
}

sqlite() { exec sqlite3 :memory: ".read $fix/query.sql"; }
python() { PYTHONMALLOC=malloc exec /usr/bin/python3 -S "$fix/lists.py"; }
cc1=$(gcc -print-prog-name=cc1)
compiler() { exec "$cc1" -quiet -O1 "$fix/loops.c" -o "$work/loops.s"; }

# traced PROGRAM: prints the number of calls that heaptrack counts
traced()
{
	# heaptrack can run a command only, so it is put before the command of
	# exec
	(exec() { command exec heaptrack -o "$work/trace" "$@"; }; "$1") \
		>/dev/null 2>&1
	heaptrack_print -f "$work"/trace.* 2>/dev/null |
		sed -n 's/^calls to allocation functions: \([0-9]*\).*/\1/p'
	rm -f "$work"/trace.*
}

# counted PROGRAM: prints the number of calls that memprof counts, and its
# unknown frees and live objects
counted()
{
	local calls failed unknown live
	memprofctl start -G "$group" --alloc exact --faults off -q || return
	(echo $BASHPID >"$cgroup/cgroup.procs"; "$1") >/dev/null 2>&1
	read -r calls failed unknown live < <(report | rows sum alloc_objects \
		failed_allocs unknown_frees inuse_objects where type=process)
	echo "$((calls + failed)) $unknown $live"
}

agrees()
{
	local ours theirs unknown live
	needs sources && make_cgroup || return
	read -r ours unknown live <<<"$(counted "$1")"
	theirs=$(traced "$1")
	echo "# $1: memprof $ours, heaptrack $theirs, unknown frees $unknown"
	[ -n "$theirs" ] && [ "$theirs" -gt 4000 ] &&
	is_within $((theirs / 1000)) "$ours" "$theirs" && [ "$live" = 0 ]
}

compiler_agrees()
{
	agrees compiler && grep -q f6: "$work/loops.s"
}

for p in sqlite python; do
	check "$p: allocation calls agree with heaptrack's within 0.1 %" agrees $p
done
check "compiler: allocation calls agree with heaptrack's within 0.1 %" \
	compiler_agrees
plan
