#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A recording of redis-server under redis-benchmark, on this machine's own
# kernel, without the module.
. "$(dirname "$0")/lib.sh"
port=7391
keys=20000

redis()
{
	redis-cli -p $port "$@"
}

answers()
{
	[ "$(redis ping 2>/dev/null)" = PONG ]
}

memory()
{
	redis info memory | tr -d '\r' | sed -n 's/^used_memory://p'
}

# The recording, what the recorder said, and by how much redis grew
make_redis()
{
	local before after server
	(exec -a redis-server redis-check-rdb --port $port --save '' \
		--activerehashing no >/dev/null) & server=$!
	wait_until answers || return
	before=$(memory)
	listening record --source perf -p $server -o "$fix/redis" \
		--call-graph no 2>"$fix/said" || return
	# the rings hold a quarter of a second: other tests that run now must not
	# take the CPU away for so long
	runs_first $recorder
	redis-benchmark -p $port -q -t set -n $keys -r $keys -d 500 >/dev/null
	# it answers when it has closed the benchmark's connections, and freed their buffers
	after=$(memory)
	kill -INT $recorder
	wait $recorder || return
	echo $((after - before)) >"$fix/grew"
	echo $server >"$fix/server"
	# they go in the background
	wait_until has_no_probes $recorder >"$fix/probes"
	return 0
}

has_no_probes() { ! grep -q "memprof_$1/" /sys/kernel/tracing/uprobe_events; }

nothing_is_lost()
{
	needs redis && note "$fix/said" && grep -q 'samples, 0 lost' "$fix/said"
}

# By so much redis says that it grew; its allocator rounds sizes up
live_is_what_redis_holds()
{
	needs redis || return
	local grew
	grew=$(<"$fix/grew")
	report -i "$fix/redis" | rows holds \
		"0.8 * $grew < inuse_space < 1.01 * $grew and
		 alloc_objects > 20000" \
		where type=process "pid=$(<"$fix/server")"
}

callsites_are_named()
{
	needs redis || return
	memprofctl report -i "$fix/redis" --by callsite >"$work/sites"
	head -n 4 "$work/sites" | note
	grep -q 'zmalloc' "$work/sites"
}

perf_reads_it()
{
	needs redis || return
	perf script -i "$fix/redis" 2>/dev/null | head -n 20000 >"$work/script"
	grep -q 'memprof_user:malloc:' "$work/script" &&
	grep -q 'ptr=0x' "$work/script"
}

nothing_is_left()
{
	needs redis && [ ! -s "$fix/probes" ]
}

why=$(perf_obstacle)
check_unless "$why" "a recording under load loses nothing" nothing_is_lost
check_unless "$why" "what lives is what redis says that it holds" \
	live_is_what_redis_holds
check_unless "$why" "callsites have names" callsites_are_named
check_unless "$why" "perf reads the recording" perf_reads_it
check_unless "$why" "no probe is left" nothing_is_left
plan
