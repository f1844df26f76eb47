#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Recordings of the module, and the same of perf's events, of a program with
# known answers: this and perf read them, and both sources agree.
cd "$(dirname "$0")" || exit 1
. ./tap.sh
work=$(mktemp -d)
n=1000

# Numbers of the program's row in a report: objects, bytes, frees, in use, peak
row()
{
	memprofctl report -i "$1" --json -n 0 | python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
r = [r for r in rows if r["type"] == "process" and r["comm"] == "blocks-c"][0]
print(r["alloc_objects"], r["alloc_space"], r["free_objects"],
      r["inuse_objects"], r["peak_space"])'
}

# record SOURCE N: into $work/SOURCE-N
record()
{
	memprofctl record -q -f --source "$1" --alloc exact --faults 1 \
		-o "$work/$1-$2" -- blocks-c "$2"
}

known_answers()
{
	local none=() many=()
	record "$1" 0 && record "$1" $n || return 1
	read -ra none <<<"$(row "$work/$1-0")"
	read -ra many <<<"$(row "$work/$1-$n")"
	echo "# $1: ${none[*]}; with $n: ${many[*]}"
	[ ${#many[@]} = 5 ] &&
	[ $((many[0] - none[0])) = $n ] &&
	[ $((many[1] - none[1])) = $((n * 136)) ] &&
	[ $((many[2] - none[2])) = $((n / 2)) ] &&
	[ "${many[3]}" = 0 ] &&
	[ "${many[4]}" -ge $((n * 136)) ]
}

sources_agree()
{
	local kmod perf
	kmod=$(row "$work/kmod-$n")
	perf=$(row "$work/perf-$n")
	echo "# kmod: $kmod; perf: $perf"
	[ -n "$kmod" ] && [ "$kmod" = "$perf" ]
}

callsites_agree()
{
	local s
	for s in kmod perf; do
		memprofctl report -i "$work/$s-$n" --by callsite --json -n 0 |
		python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
for r in sorted((r for r in rows if r["type"] == "site" and r["alloc_objects"]),
		key=lambda r: (r["binary"], r["offset"])):
    if r["binary"].endswith("/blocks-c"):
        print(r["offset"], r["alloc_objects"], r["alloc_space"])' \
			>"$work/sites-$s"
	done
	sed 's/^/# /' "$work/sites-kmod"
	[ "$(wc -l <"$work/sites-kmod")" -ge 2 ] &&
	cmp "$work/sites-kmod" "$work/sites-perf"
}

auto_takes_the_module()
{
	memprofctl record -f -o "$work/auto" -- true 2>"$work/said" &&
	grep -q 'source kmod' "$work/said"
}

status_is_the_commands()
{
	memprofctl record -q -f -o "$work/status" -- bash -c 'exit 7'
	[ $? = 7 ]
}

perf_ranks_callsites_by_bytes()
{
	perf report -i "$work/kmod-$n" --stdio -g none 2>/dev/null \
		>"$work/report"
	grep -q "of event 'memprof:process'" "$work/report" &&
	sed -n "/of event 'memprof:site'/,/of event/p" "$work/report" |
		awk '$1 ~ /%$/ { print "#", $0; exit $NF != "main" }'
}

perf_prints_the_events()
{
	perf script -i "$work/kmod-$n" 2>/dev/null >"$work/script"
	[ "$(grep -c 'memprof:alloc: ptr=' "$work/script")" -ge $n ] &&
	grep -q 'memprof:growth: op=' "$work/script" &&
	grep -q 'memprof:site: live=' "$work/script"
}

perf_lists_build_ids()
{
	perf buildid-list -i "$work/kmod-$n" 2>/dev/null |
		grep -q '^[0-9a-f]\{40\} .*/blocks-c$'
}

# perf_says COMMAND...: keeps what it prints; perf's status tells nothing
perf_says()
{
	perf "$@" -i "$work/kmod-$n" >"$work/out" 2>"$work/err"
	[ -s "$work/out" ] &&
	! grep -iE 'incompat|fail|error|corrupt|invalid|unsupp' "$work/err"
}

perf_knows_the_rest()
{
	perf_says script -F +addr && grep -q memprof:fault: "$work/out" &&
	perf_says report --stdio --sort cgroup,comm &&
	grep -qE '[0-9]% +/[^ ]* +blocks-c' "$work/out" &&
	perf_says report --header-only &&
	grep -q "^# os release : $(uname -r)$" "$work/out" &&
	grep -q '^# event : name = memprof:alloc' "$work/out"
}

perf_hands_it_on()
{
	perf inject -b -i "$work/kmod-$n" -o "$work/injected" 2>"$work/err" &&
	[ "$(row "$work/injected")" = "$(row "$work/kmod-$n")" ] &&
	perf data convert --force --to-json "$work/json" -i "$work/kmod-$n" \
		>/dev/null 2>&1 || return 1
	python3 - "$work/json" $n <<-'END'
	import json, sys
	samples = json.load(open(sys.argv[1]))["samples"]
	print("#", len(samples), "samples")
	assert len(samples) > int(sys.argv[2])
	END
}

a_session_has_perf_as_source_too()
{
	blocks-c $n stop & pid=$!
	each_stop $pid && memprofctl start --source perf -p $pid -q || return
	kill -CONT $pid
	each_stop $pid || return
	memprofctl report --json -n 0 >"$work/live"
	memprofctl stop -q
	kill -CONT $pid
	wait $pid
	python3 - "$work/live" <<-'END'
	import json, sys
	rows = [json.loads(line) for line in open(sys.argv[1])]
	r = [r for r in rows if r["type"] == "process"][0]
	print("#", r["alloc_objects"], r["inuse_objects"], r["resident_space"])
	assert r["alloc_objects"] == 1001 and r["inuse_objects"] == 501
	assert r["resident_space"] > 100000
	END
}

# What perf records of the module's events alone, here of each call
perf_itself_records_the_module()
{
	memprofctl start --comm blocks-c --alloc exact --faults 1 -q || return 1
	perf record -q -e 'memprof:*' -a -g -o "$work/perfs" -- \
		blocks-c $n >/dev/null 2>&1
	memprofctl report --json -n 0 >"$work/own"
	memprofctl stop -q
	memprofctl report -i "$work/perfs" --json -n 0 >"$work/theirs"
	python3 - "$work/own" "$work/theirs" <<-'END'
	import json, sys
	own, theirs = ([r for r in map(json.loads, open(f))
			if r["type"] == "process" and r["comm"] == "blocks-c"][0]
		       for f in sys.argv[1:])
	for key in ("alloc_objects", "alloc_space", "free_objects",
		    "peak_space", "growth_space", "minor_faults"):
	    print("#", key, own[key], theirs[key])
	    assert own[key] == theirs[key]
	END
}

# Whole stacks of a program that calls malloc below main, by the module's events
has_stacks()
{
	python3 -c '
import json, sys
found = set()
for row in map(json.loads, sys.stdin):
    if row["type"] != "stack":
        continue
    found.add((row["alloc_objects"], " < ".join(
        f.get("function", "?") for f in row["frames"][:3])))
    # what grew inside a call grew for who called, the rest for who asked
    if (sys.argv[1:] == ["dwarf"] and row["growth_space"] and
            row["kind"] != "none"):
        assert row["alloc_objects"], row
print("#", found)
sys.exit(not {(10, "leaf < middle < main"), (10, "leaf < other < main")}
         <= found)' "$@"
}

recorded_stacks_are_whole()
{
	gcc -O2 -g $1 -o "$work/tree" ../programs/tree.c &&
	memprofctl record -q -f --source kmod --alloc exact --call-graph "$2" \
		-o "$work/stacks" -- "$work/tree" &&
	memprofctl report -i "$work/stacks" --by callsite --stack --json |
		has_stacks "$2"
}

live_stacks_are_whole()
{
	"$work/tree" 10 stop 60 >"$work/out" & pid=$!
	each_stop $pid &&
	memprofctl start -q -p $pid --alloc exact --call-graph dwarf &&
	kill -CONT $pid || return
	until grep -q ready "$work/out"; do sleep 0.2; done
	memprofctl report --by callsite --stack --json >"$work/live"
	memprofctl report --json >"$work/rows"
	memprofctl stop -q
	kill $pid
	wait $pid 2>/dev/null
	has_stacks dwarf <"$work/live" && python3 - "$work/rows" <<-'END'
	import json, sys
	rows = [json.loads(line) for line in open(sys.argv[1])]
	r = [r for r in rows if r["type"] == "process"][0]
	print("#", r["alloc_objects"], r["resident_space"])
	assert r["alloc_objects"] >= 20 and r["resident_space"] > 100000
	END
}

snapshots_come_at_intervals()
{
	memprofctl record -q -f -a --alloc off --duration 4 \
		--snapshot-interval 1 -o "$work/interval" || return 1
	[ "$(perf script -i "$work/interval" -F time,event 2>/dev/null |
	     awk '/memprof:process/ { print $1 }' | sort -u | wc -l)" -ge 4 ]
}

sizes_alone_are_labelled()
{
	memprofctl start --source smaps -p $$ -q &&
	memprofctl report >"$work/smaps" && memprofctl stop -q &&
	grep -q 'sizes only' "$work/smaps"
}

check "the module: a recording has the known answers" known_answers kmod
check "perf's events: a recording has the known answers" known_answers perf
check "both sources agree on the process" sources_agree
check "both sources agree on the callsites" callsites_agree
check "auto takes the module, and says so" auto_takes_the_module
check "the command's exit status is ours" status_is_the_commands
check "perf report ranks callsites by live bytes" perf_ranks_callsites_by_bytes
check "perf script prints the module's events and tallies" perf_prints_the_events
check "perf buildid-list knows the program" perf_lists_build_ids
check "perf script, perf report and the header have the rest" perf_knows_the_rest
check "perf inject and perf data convert hand it on" perf_hands_it_on
check "a session without the module" a_session_has_perf_as_source_too
check "perf's own recording of the module's events" \
	perf_itself_records_the_module
check "the module's events have whole stacks, by frame pointers" \
	recorded_stacks_are_whole -fno-omit-frame-pointer fp
check "the module's events have whole stacks, unwound" \
	recorded_stacks_are_whole -fomit-frame-pointer dwarf
check "a session of the module has whole stacks" live_stacks_are_whole
check "the tallies are recorded at intervals" snapshots_come_at_intervals
check "sizes alone are labelled as such" sizes_alone_are_labelled
rm -rf "$work"
plan
