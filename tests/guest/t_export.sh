#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Exports of the module's own sums, which have callsites but no stacks.
. "$(dirname "$0")/../lib.sh"

make_tree()
{
	gcc -O2 -g -o "$fix/tree" "$programs/tree.c"
}

# session: starts a session of a program that has allocated and then sleeps;
# sets pid
session()
{
	needs tree && launch "$fix/tree" 10 stop 600 &&
	follow $pid --alloc exact --faults 1
}

# The process sleeps, so its numbers do not change between two commands.
folded_is_the_process()
{
	local m
	session || return
	for m in alloc_space inuse_space touched_space; do
		memprofctl export --format folded --metric $m >"$work/folded" ||
			return
		note "$work/folded"
		[ "$(awk '{ n += $NF } END { print n }' "$work/folded")" = \
			"$(report | rows total $m)" ] || return
	done
	# a page of puts()'s code, or of what it calls: others are mapped along with a first one
	grep -qE '^tree;_start;.*;main;__GI__IO_puts(;.*)? 4096$' "$work/folded" &&
	memprofctl export --format folded | grep -qxF 'tree;leaf 30000'
}

every_format_is_written()
{
	local f
	session || return
	for f in svg pprof otlp speedscope dhat json csv openmetrics perf; do
		memprofctl export --format $f -o "$work/x.$f" &&
			[ -s "$work/x.$f" ] || return
	done
	grep -q "^memprof_process_inuse_space_bytes{pid=\"$pid\".* $(
		report | rows total inuse_space)\$" "$work/x.openmetrics" &&
	grep -q '^memprof_cgroup_touched_space_bytes_total{cgroup="/"} [1-9]' \
		"$work/x.openmetrics"
}

check "folded callsites of a session of the module add up to the process" \
	folded_is_the_process
check "every format is written" every_format_is_written
plan
