#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The module's events in perf, ftrace and bpftrace.
. "$(dirname "$0")/../lib.sh"
tracing=/sys/kernel/tracing
mib=7

session()
{
	memprofctl start --comm grow --faults 1 -q
}

# With room for all events, because perf may not get the CPU while they come
make_data()
{
	session &&
	perf record -q -m 8M -e 'memprof:*' -a -g -o "$fix/data" -- grow $mib \
		>"$fix/where" || return 1
	perf script -i "$fix/data" -F trace:comm,event,trace \
		>"$fix/script" 2>/dev/null
	perf report -i "$fix/data" --stdio -g none 2>/dev/null \
		>"$fix/report"
	[ -s "$fix/script" ]
}

growth_is_exact()
{
	needs data &&
	awk -v size=$((mib << 20)) -v at="$(<"$fix/where")" '
		/memprof:growth: op=mmap/ && index($0, "addr=" at " ") {
			for (i = 1; i <= NF; i++) {
				split($i, kv, "=")
				v[kv[1]] = kv[2]
			}
			n += v["after"] - v["before"] == size
		}
		END { exit n != 1 }' "$fix/script"
}

each_page_is_one_fault()
{
	local n start
	needs data || return
	start=$(<"$fix/where")
	n=$(grep -o 'memprof:fault: kind=minor addr=0x[0-9a-f]*' "$fix/script" |
	    sed 's/.*addr=//' |
	    while read -r a; do
		((a >= start && a < start + (mib << 20))) && echo $((a >> 12))
	    done | sort -u | wc -l)
	[ "$n" = $((mib << 8)) ]
}

only_targets()
{
	needs data && ! grep -v '^ *grow ' "$fix/script"
}

# The call chain of a growth event has frames of the program, not only of the
# kernel.
chains_reach_the_program()
{
	needs data && grep -q 'memprof:growth' "$fix/report" &&
	perf script -i "$fix/data" -F trace:comm,event,ip,sym,dso 2>/dev/null |
		grep -q '(.*/grow)'
}

# perf adds up bytes and faults, not events
periods_are_weights()
{
	session &&
	perf record -q -m 8M -e memprof:growth -e memprof:fault -a -o "$work/data2" \
		-- grow 8 >/dev/null &&
	perf script -i "$work/data2" -F trace:comm,period,event,trace 2>/dev/null |
		grep '^ *grow ' >"$work/events"
	[ -s "$work/events" ] || return
	awk '/memprof:growth/ {
		split($0, b, "before="); split($0, a, "after=")
		d = a[2] - b[2]; d = d < 0 ? -d : d
		nr++; bad += d != $2
	}
	/memprof:fault/ { split($0, w, "weight="); nr++; bad += w[2] + 0 != $2 }
	END { print "# " nr " events, " bad + 0 " with another period"; exit bad || nr < 2000 }' \
		"$work/events"
}

filters_work()
{
	session &&
	perf record -q -m 8M -e memprof:growth --filter 'op == 1 && after > 1000' -a \
		-o "$work/data2" -- grow 1 >/dev/null &&
	perf script -i "$work/data2" -F trace:trace 2>/dev/null |
		grep -q op=mmap &&
	! perf script -i "$work/data2" -F trace:trace 2>/dev/null |
		grep -q op=munmap
}

ftrace_sees()
{
	session || return
	at_end "echo 0 >$tracing/events/memprof/enable"
	echo >$tracing/trace
	echo 1 >$tracing/events/memprof/enable
	grow 2 >/dev/null
	echo 0 >$tracing/events/memprof/enable
	grep -q 'fault: kind=minor' $tracing/trace &&
	grep -q 'growth: op=mmap' $tracing/trace
}

bpftrace_sees()
{
	session || return
	bpftrace -e 'tracepoint:memprof:fault { @w = sum(args->weight); }' \
		-c "$(command -v grow) 4" >"$work/bpf" 2>&1
	[ "$(sed -n 's/^@w: //p' "$work/bpf")" -ge 1024 ] || {
		note "$work/bpf"
		return 1
	}
}

check "a growth event says exactly what was mapped, and where" growth_is_exact
check "every touched page is one fault event at period 1" each_page_is_one_fault
check "only targets make events" only_targets
check "call chains reach the program" chains_reach_the_program
check "the period of an event is its bytes, or its faults" periods_are_weights
check "perf's filters work on the fields" filters_work
check "ftrace sees the events" ftrace_sees
check_unless "$(command -v bpftrace >/dev/null || echo "no bpftrace here")" \
	"bpftrace sees the events" bpftrace_sees
plan
