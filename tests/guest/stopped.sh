# SPDX-License-Identifier: GPL-2.0-only
# Sourced after lib.sh by the suites whose programs stop themselves to be looked at,
# see programs/blocks.c.

# numbers: of the session, as lines "COMM ALLOCATIONS BYTES FREES PEAK BLOCKS LIVE
# UNKNOWN-FREES FAILED"; "probes NUMBER", and "odd NAME" of counters that must be 0
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

# said FILE LINE: numbers wrote LINE into FILE
said()
{
	grep -qxF -- "$2" "$1" && return
	echo "# wanted $2, found:"
	grep -E "^(${2%% *}|odd) " "$1" | note
	return 1
}
