#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host: recordings of the first version are read, with the numbers that it
# reported for them. They record a program that allocates 51 blocks: with the module,
# with perf's events, and with the library.
. "$(dirname "$0")/lib.sh"
old=$top/tests/recordings

# reads_as_before SOURCE BY
reads_as_before()
{
	local -x HOME=$work
	# reports name the file
	cd "$work" && xz -dc "$old/$1.data.xz" >"$1.data" &&
	xz -dc "$old/$1-$2.json.xz" >"$work/wanted" &&
	report --by "$2" -i "$1.data" >"$work/got" &&
	python3 -S "$top/tests/same-rows.py" "$work/wanted" "$work/got"
}

# Whether the comparison can fail: one number of an old report is changed.
differences_are_seen()
{
	xz -dc "$old/perf-callsite.json.xz" >"$work/got" &&
	sed 's/"alloc_objects":50,/"alloc_objects":49,/' "$work/got" >"$work/wanted" &&
	! python3 -S "$top/tests/same-rows.py" "$work/wanted" "$work/got"
}

for source in module perf preload; do
	for by in process callsite; do
		check "$source: an old recording has the same rows by $by" \
			reads_as_before $source $by
	done
done
check "another number would be seen" differences_are_seen
plan
