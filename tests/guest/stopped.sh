# SPDX-License-Identifier: GPL-2.0-only
# Sourced by the tests whose programs stop themselves to be looked at, see
# programs/blocks.c; after tap.sh.

# numbers: of the report, as lines "COMM ALLOCATIONS BYTES FREES PEAK BLOCKS LIVE
# UNKNOWN-FREES FAILED"; and "probes NUMBER"
numbers()
{
	memprofctl report --json -n 0 | python3 -S -c '
import json, sys
keys = ("comm", "alloc_objects", "alloc_space", "free_objects", "peak_space",
        "inuse_objects", "inuse_space", "unknown_frees", "failed_allocs")
for row in map(json.loads, sys.stdin):
    if row["type"] == "process":
        print(*(row[k] for k in keys))
    elif row["type"] == "summary":
        print("probes", row["alloc_probes"])
        for name in ("alloc_abandoned", "alloc_unmatched", "live_table_full",
                     "probe_failed"):
            if row["counters"].get(name):
                print("odd", name)'
}

# said FILE LINE: numbers wrote LINE into FILE
said()
{
	grep -qxF -- "$2" "$1" && return
	echo "# wanted $2, found:"
	grep -E "^(${2%% *}|odd) " "$1" | sed 's/^/# /'
	return 1
}
