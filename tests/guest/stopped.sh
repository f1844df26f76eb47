# SPDX-License-Identifier: GPL-2.0-only
# Sourced after lib.sh by suites whose programs stop themselves to be examined,
# see programs/blocks.c.

# numbers: prints the session's processes as lines "COMM ALLOCATIONS BYTES FREES
# PEAK BLOCKS LIVE UNKNOWN-FREES FAILED"; then "probes NUMBER", and "odd NAME"
# for each counter that should be 0
numbers()
{
	local name
	report >"$work/numbers"
	rows list comm alloc_objects alloc_space free_objects peak_space \
		inuse_objects inuse_space unknown_frees failed_allocs \
		where type=process <"$work/numbers"
	rows list alloc_probes where type=summary <"$work/numbers" |
		sed 's/^/probes /'
	for name in alloc_abandoned alloc_unmatched live_table_full \
		    probe_failed; do
		[ "$(rows sum counters.$name where type=summary \
			<"$work/numbers")" = 0 ] || echo "odd $name"
	done
}

# said FILE LINE: fails if FILE, written by numbers, does not contain LINE
said()
{
	grep -qxF -- "$2" "$1" && return
	echo "# wanted $2, found:"
	grep -E "^(${2%% *}|odd) " "$1" | note
	return 1
}
