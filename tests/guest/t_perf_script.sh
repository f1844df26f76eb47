#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# memprof in perf script: the two scripts and the filter, tested with programs
# of known numbers and compared with the events themselves.
. "$(dirname "$0")/../lib.sh"
core=/usr/lib/perf-core
scripts=$top/scripts/perf
blocks=1000
mib=7

# Install to the folder that `make install` uses; the guest's changes are not
# kept.
cp $scripts/memprof.py $core/scripts/python/
cp $scripts/bin/memprof-* $core/scripts/python/bin/
cp "$build/perf/memprof-filter.so" $core/dlfilters/

# records FILE OPTION... -- COMMAND...: records a command that a session follows, with
# room for all events, because perf may not get the CPU while they come
records()
{
	perf script record memprof -m 8M -o "$1" "${@:2}" >"$work/out" 2>"$work/err" &&
		return
	note "$work/err"
	return 1
}

# follow_cgroup OPTION...: starts a session of a new cgroup
follow_cgroup()
{
	make_cgroup && memprofctl start -G "$group" -q "$@" || return
	in_cgroup='echo $$ >'$cgroup'/cgroup.procs; exec "$@"'
}

# reports FILE [COMM]: writes the table, with its sizes as numbers of bytes
reports()
{
	perf script report memprof ${2-} -i "$fix/$1" 2>"$work/err" \
		>"$work/$1.table"
	note "$work/$1.table" "$work/err"
	[ -s "$work/$1.table" ]
}

# cell FILE COLUMN NAME: prints a cell of the callsite whose row ends with NAME
cell()
{
	awk -v n="$2" -v name="$3" 'substr($0, length($0) - length(name) + 1) == name {
		print $n; exit }' "$work/$1.table"
}

# events FILE [COMM]: prints each event as a line "event field=value ..."
events()
{
	perf script -i "$fix/$1" ${2:+--comms "$2"} -F trace:event,trace \
		2>/dev/null
}

# human BYTES: prints a number as in the table
human()
{
	python3 -c '
import sys
sys.argv[1:], n = [], float(sys.argv[1])
exec(open("'$scripts'/memprof.py").read())
print(human(int(n)))' "$1"
}

# A recording with every event, for most of the checks.
make_all()
{
	follow_cgroup --alloc exact --faults 1 &&
	records "$fix/all" -- bash -c "$in_cgroup" - sh -c \
		'"$1" $2; exec "$3" 1' - \
		"$build/tests/guest/blocks-c" $blocks "$build/tests/guest/grow"
}

make_grow()
{
	follow_cgroup --alloc exact --faults 1 &&
	records "$fix/grow" -- bash -c "$in_cgroup" - grow $mib
}

# A recording with events of others, and without call chains.
make_mixed()
{
	follow_cgroup --faults 1 &&
	perf record -q -m 8M -e 'memprof:*' -e page-faults -c 1 -o "$fix/mixed" -- \
		bash -c "$in_cgroup" - grow 1 >/dev/null
}

scripts_are_listed()
{
	perf script -l | grep 'memprof \[comm\].*who allocates' >/dev/null &&
	perf script --list-dlfilters | grep memprof-filter.so >/dev/null
}

allocations_are_exact()
{
	needs all && reports all blocks-c || return
	[ "$(cell all 1 main)" = "$(human $((blocks / 2 * 128 + (blocks + 1) * 8)))" ] &&
	[ "$(cell all 2 main)" = "$(human $((blocks * 128 + (blocks + 1) * 8)))" ] &&
	[ "$(cell all 3 main)" = $((blocks + 1)) ]
}

# All memory that main's malloc calls added to the heap is charged to main.
growth_inside_is_the_callsites()
{
	local grown
	needs all && reports all blocks-c || return
	grown=$(events all blocks-c | awk '/memprof:growth: op=brk/ && !/ size=0$/ {
		for (i = 1; i <= NF; i++) {
			split($i, kv, "=")
			v[kv[1]] = kv[2]
		}
		sum += v["after"] - v["before"]
	}
	END { print sum + 0 }')
	echo "# by malloc: $grown"
	[ "$grown" -ge $((blocks * 128)) ] &&
	[ "$(cell all 4 main)" = "$(human "$grown")" ]
}

mapping_and_touching_are_told()
{
	local row
	needs grow && reports grow grow || return
	row=$(grep ' grow .*mmap' "$work/grow.table" | head -n 1)
	[[ $(awk '{ print $4 }' <<<"$row") == "$mib."[0-9]M ]] &&
	[[ $(cell grow 5 '[no callsite]') == "$mib."[0-9]M ]]
}

# The totals of all commands must be the sums of the events.
totals_are_those_of_the_events()
{
	local sums
	needs all && reports all || return
	sums=$(events all | python3 -c '
import collections, re, sys
live, n, total = {}, collections.Counter(), collections.Counter()
for line in sys.stdin:
    event = re.match(r"\s*memprof:(\w+):", line).group(1)
    f = dict(re.findall(r"(\w+)=(\w+)", line))
    n[event] += 1
    if event == "alloc":
        live[f["pid"], f["ptr"]] = int(f["weight"])
        total["alloc"] += int(f["weight"])
    elif event == "free":
        live.pop((f["pid"], f["ptr"]), None)
    elif event == "growth":
        total["growth"] += int(f["after"]) - int(f["before"])
    else:
        total["touched"] += int(f["weight"]) * 4096
print(sum(live.values()), total["alloc"], n["alloc"], total["growth"],
      total["touched"])')
	echo "# events: $sums"
	read -r live alloc n growth touched <<<"$sums"
	[ "$(grep ' total: ' "$work/all.table" | awk '{ print $1, $2, $3, $4, $5 }')" = \
	  "$(human "$live") $(human "$alloc") $n $(human "$growth") $(human "$touched")" ] &&
	grep -q '^lost:   nothing$' "$work/all.table" &&
	! grep -q '^sampled' "$work/all.table"
}

weights_are_honoured()
{
	local n=100000 got
	follow_cgroup --alloc 64K --faults 7 &&
	records "$fix/sampled" -- bash -c "$in_cgroup" - blocks-c $n &&
	memprofctl stop -q && reports sampled blocks-c || return
	got=$(events sampled | awk '/memprof:alloc/ && match($0, /weight=[0-9]+/) {
		sum += substr($0, RSTART + 7, RLENGTH - 7) }
		END { printf "%d", sum }')
	echo "# $((n * 136)) bytes, estimated as $got"
	grep -q '^sampled: allocations and faults,' "$work/sampled.table" &&
	[ "$(cell sampled 2 main)" = "$(human "$got")" ] &&
	is_within $((n * 136 * 4 / 10)) "$got" $((n * 136))
}

# perf is stopped while the program runs, so its rings of one page are full
lost_events_are_told()
{
	local n
	follow_cgroup --alloc exact --faults off &&
	records "$fix/lost" -m 1 --mmap-flush 1 -- bash -c \
		'kill -STOP $PPID; echo $$ >'"$cgroup"'/cgroup.procs
		"$@"; kill -CONT $PPID' - blocks-c 20000 || return
	memprofctl stop -q
	reports lost || return
	n=$(sed -n 's/^lost:   \(about \)\?\([0-9]*\) events.*/\2/p' "$work/lost.table")
	[ "${n:-0}" -gt 0 ] &&
	[[ $(head -n 1 "$work/lost.table") == ' '*LIVE* ]] &&
	! grep -q PERF_RECORD "$work/lost.table"
}

missing_sessions_are_told()
{
	records "$fix/none" -- true && reports none &&
	grep -q '^no event of memprof: a session has to run .* memprofctl start -a$' \
		"$work/none.table"
}

# kept FILE ARGUMENT...: prints the events that the filter keeps
kept()
{
	local file=$fix/$1 a args=()
	shift
	for a; do
		args+=(--dlarg "$a")
	done
	perf script -i "$file" --dlfilter memprof-filter.so "${args[@]}" \
		-F trace:event,trace 2>/dev/null
}

# same NAME FILE AWK-CONDITION ARGUMENT...: the filter must keep the same events
# as awk
same()
{
	local file=$1 condition=$2 n
	shift 2
	events "$file" | awk '{
		for (i = 1; i <= NF; i++) {
			split($i, kv, "=")
			v[kv[1]] = kv[2]
		}
		d = v["after"] - v["before"]
		if (!/memprof:growth/)
			d = v["size"]
		if (d < 0)
			d = -d
	} '"$condition" >"$work/want"
	kept "$file" "$@" >"$work/got"
	n=$(wc -l <"$work/got")
	echo "# $* keeps $n of $(events "$file" | wc -l)"
	[ "$n" -gt 0 ] && cmp "$work/want" "$work/got"
}

filter_keeps_what_was_asked()
{
	local pid
	needs all || return
	pid=$(events all | sed -n 's/.*alloc:.* pid=\([0-9]*\).*/\1/p' |
	      sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
	same all 1 &&
	same all '/memprof:alloc/' op=alloc &&
	same all '/memprof:(free|fault)/' op=free op=fault &&
	same all '/memprof:growth/ && d >= 4096' op=growth 'size>=4K' &&
	same all '/memprof:alloc/ && d >= 129' op=alloc 'size>=129' &&
	same all "v[\"pid\"] == $pid" "pid=$pid" &&
	[ "$(kept all op=alloc 'size>=8008' "pid=$pid" |
	     grep -c " size=$(((blocks + 1) * 8)) ")" = 1 ] &&
	[ "$(kept all pid=4194304 | wc -l)" = 0 ]
}

filter_drops_other_events()
{
	needs mixed || return
	perf script -i "$fix/mixed" -F event 2>/dev/null |
		grep -q page-faults &&
	perf script -i "$fix/mixed" -F event --dlfilter memprof-filter.so \
		2>/dev/null >"$work/kept" &&
	grep -q memprof:fault "$work/kept" &&
	! grep -v memprof: "$work/kept"
}

filter_works_for_the_report()
{
	needs all || return
	perf script report memprof --dlfilter memprof-filter.so \
		--dlarg op=free -i "$fix/all" 2>/dev/null >"$work/free.table"
	note "$work/free.table"
	grep -Eq '^events: 5[0-9]{2} free$' "$work/free.table"
}

callsites_need_call_chains()
{
	needs mixed && reports mixed &&
	grep -q '^warning: [0-9]* callsites are in no call chain' \
		"$work/mixed.table" &&
	grep -Eq ' grow +0x[0-9a-f]+$' "$work/mixed.table"
}

# refuses ARGUMENT: whether the filter refuses ARGUMENT
refuses()
{
	! perf script -i "$fix/all" --dlfilter memprof-filter.so \
		--dlarg "$1" >/dev/null 2>"$work/err" &&
	grep -q "memprof-filter: --dlarg takes.*'$1'" "$work/err"
}

filter_refuses_what_it_does_not_know()
{
	local a
	needs all || return
	for a in x op= op=mmap size=1 'size>=' 'size>=-1' 'size>=1T' \
		'size>=99999999999999999999' 'size>=99999999999G' pid=0 \
		pid=x pid=1K; do
		refuses "$a" || {
			echo "# accepted $a"
			return 1
		}
	done
}

# offset EVENT FIELD: prints a field's offset in the kernel's format
offset()
{
	sed -n "s/.*[ ]$2;\toffset:\([0-9]*\);.*/\1/p" \
		/sys/kernel/tracing/events/memprof/"$1"/format
}

# The filter's structures must have the kernel's layout.
layouts_are_the_kernels()
{
	local event field
	{
		sed '/^int start/,$d' $scripts/memprof-filter.c
		echo 'int main(void) {'
		for event in alloc free fault growth; do
			local struct=$event
			[[ $event == alloc || $event == free ]] && struct=block
			for field in size pid before after; do
				[ -n "$(offset $event $field)" ] &&
					echo "printf(\"$event $field %zu\\n\"," \
					     "offsetof(struct $struct, $field));"
			done
		done
		echo 'return 0; }'
	} >"$work/layout.c"
	gcc -w -o "$work/layout" "$work/layout.c" || return
	"$work/layout" >"$work/layouts"
	[ "$(wc -l <"$work/layouts")" = 10 ] || return
	while read -r event field at; do
		[ "$(offset "$event" "$field")" = "$at" ] && continue
		echo "# $event.$field is at $(offset "$event" "$field")"
		return 1
	done <"$work/layouts"
}

check "perf script lists the scripts and the filter" scripts_are_listed
check "allocations, and what lives, are exact by callsite" \
	allocations_are_exact
check "growth inside a call goes to its callsite" \
	growth_inside_is_the_callsites
check "what is mapped and touched is told to the megabyte" \
	mapping_and_touching_are_told
check "totals are those of the events" totals_are_those_of_the_events
check "sampled events count with their weights" weights_are_honoured
check "lost events are told" lost_events_are_told
check "without a session it says to start one" missing_sessions_are_told
check "the filter keeps what was asked for" filter_keeps_what_was_asked
check "the filter drops events of others" filter_drops_other_events
check "the filter works for the report too" filter_works_for_the_report
check "without call chains callsites are addresses, and it says so" \
	callsites_need_call_chains
check "the filter refuses arguments that it does not know" \
	filter_refuses_what_it_does_not_know
check "the filter's layouts are the kernel's" layouts_are_the_kernels
plan
