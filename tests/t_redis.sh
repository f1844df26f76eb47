#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A recording of redis-server under redis-benchmark, on this machine's own
# kernel, without the module.
cd "$(dirname "$0")/.." || exit 1
. tests/guest/tap.sh
PATH=$PWD/build/user/memprofctl:$PATH
work=$(mktemp -d)
port=7391
keys=20000

cleanup()
{
	[ -z "${server:-}" ] || kill "$server"
	rm -rf "$work"
}
trap cleanup EXIT

[ -e /sys/kernel/tracing/uprobe_events ] ||
	mount -t tracefs none /sys/kernel/tracing 2>/dev/null

can_record()
{
	memprofctl record -q --source perf --growth off --alloc off \
		-o "$work/probe" -- true 2>"$work/why"
}

memory()
{
	redis-cli -p $port info memory | tr -d '\r' |
		sed -n 's/^used_memory://p'
}

record()
{
	local before recorder
	(exec -a redis-server redis-check-rdb --port $port --save '' \
		--activerehashing no >/dev/null) & server=$!
	until redis-cli -p $port ping >/dev/null 2>&1; do sleep 0.1; done
	before=$(memory)
	memprofctl record --source perf -p $server -o "$work/redis" \
		--call-graph no 2>"$work/said" & recorder=$!
	watches $recorder || return
	redis-benchmark -p $port -q -t set -n $keys -r $keys -d 500 >/dev/null
	kill -INT $recorder
	wait $recorder || return 1
	grew=$(($(memory) - before))
	sed 's/^/# /' "$work/said"
	grep -q 'samples, 0 lost' "$work/said"
}

# What lives is what the server says that it holds more, less what its allocator
# rounds up
live_is_what_redis_holds()
{
	memprofctl report -i "$work/redis" --json -n 0 | python3 -c '
import json, sys
grew = int(sys.argv[1])
rows = [json.loads(line) for line in sys.stdin]
r = [r for r in rows if r["type"] == "process" and
     r["pid"] == int(sys.argv[2])][0]
print("# live", r["inuse_space"], "redis", grew)
assert 0.8 * grew < r["inuse_space"] < 1.01 * grew
assert r["alloc_objects"] > 20000' "$grew" "$server"
}

callsites_are_named()
{
	memprofctl report -i "$work/redis" --by callsite >"$work/sites"
	head -n 4 "$work/sites" | sed 's/^/# /'
	grep -q 'zmalloc' "$work/sites"
}

perf_reads_it()
{
	perf script -i "$work/redis" 2>/dev/null | head -n 20000 \
		>"$work/script"
	grep -q 'malloc_[0-9]*:' "$work/script" &&
	grep -q 'ptr=0x' "$work/script"
}

nothing_is_left()
{
	! grep -q 'memprof_' /sys/kernel/tracing/uprobe_events
}

if can_record; then
	check "a recording under load loses nothing" record
	check "what lives is what redis says that it holds" live_is_what_redis_holds
	check "callsites have names" callsites_are_named
	check "perf reads the recording" perf_reads_it
	check "no probe is left" nothing_is_left
else
	skip "a recording of redis" "$(head -n 1 "$work/why")"
fi
plan
