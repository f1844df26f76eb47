#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Exports of the module's own sums, which have callsites but no stacks.
cd "$(dirname "$0")" || exit 1
. ./tap.sh
work=$(mktemp -d)
export MEMPROF_SYMBOL_CACHE=off
trap 'memprofctl stop -q 2>/dev/null; kill -KILL $pid 2>/dev/null; rm -rf "$work"' EXIT

session_runs()
{
	gcc -O2 -g -o "$work/tree" ../programs/tree.c || return
	"$work/tree" 10 stop 600 >"$work/out" & pid=$!
	each_stop $pid &&
	memprofctl start -q -p $pid --alloc exact --faults 1 &&
	kill -CONT $pid || return
	until grep -q ready "$work/out"; do sleep 0.2; done
}

# total KIND METRIC
total()
{
	memprofctl report --by "$1" --json | tail -n 1 | python3 -c '
import json, sys
print(json.load(sys.stdin)["totals"][sys.argv[1]])' "$2"
}

# The process sleeps: nothing changes from one question to the next
folded_is_the_process()
{
	local m
	for m in alloc_space inuse_space touched_space; do
		memprofctl export --format folded --metric $m >"$work/folded" ||
			return
		sed 's/^/# /' "$work/folded"
		[ "$(awk '{ n += $NF } END { print n }' "$work/folded")" = \
			"$(total process $m)" ] || return
	done
	grep -q '^tree;\[no callsite\] [1-9]' "$work/folded" &&
	memprofctl export --format folded | grep -qxF 'tree;leaf 30000'
}

every_format_is_written()
{
	local f
	for f in svg pprof speedscope dhat json csv openmetrics perf; do
		memprofctl export --format $f -o "$work/x.$f" &&
			[ -s "$work/x.$f" ] || return
	done
	grep -q "^memprof_process_inuse_space_bytes{pid=\"$pid\".* $(
		total process inuse_space)\$" "$work/x.openmetrics" &&
	grep -q '^memprof_cgroup_touched_space_bytes_total{cgroup="/"} [1-9]' \
		"$work/x.openmetrics"
}

check "a session of the module runs" session_runs
check "folded callsites add up to the process" folded_is_the_process
check "every format is written" every_format_is_written
plan
