#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Recordings of the module's events and of perf's events, of a program with
# known numbers. memprofctl and perf must read them, and both sources must
# agree.
. "$(dirname "$0")/../lib.sh"
n=1000

# row FILE: prints objects, bytes, frees, live bytes and peak of the program
row()
{
	report -i "$1" | rows value alloc_objects alloc_space free_objects \
		inuse_objects peak_space where type=process comm=blocks-c
}

# record SOURCE N FILE: records blocks-c with N blocks
record()
{
	memprofctl record -q -f --source "$1" --alloc exact --faults 1 \
		-o "$3" -- blocks-c "$2"
}

make_kmod() { record kmod $n "$fix/kmod"; }
make_perf() { record perf $n "$fix/perf"; }

known_answers()
{
	local none=() many=()
	needs "$1" && record "$1" 0 "$work/none" || return 1
	read -ra none <<<"$(row "$work/none")"
	read -ra many <<<"$(row "$fix/$1")"
	echo "# $1: ${none[*]}; with $n: ${many[*]}"
	[ ${#many[@]} = 5 ] &&
	[ $((many[0] - none[0])) = $n ] &&
	[ $((many[1] - none[1])) = $((n * 136)) ] &&
	[ $((many[2] - none[2])) = $((n / 2)) ] &&
	[ "${many[3]}" = 0 ] &&
	[ "${many[4]}" -ge $((n * 136)) ]
}

has_pair_exchange() { ! grep -q ^flags /proc/cpuinfo || grep -qw cx16 /proc/cpuinfo; }

# The library lets a program be for whose processor it cannot sample.
is_left_alone()
{
	memprofctl record -q -f --source "$1" --alloc 64K \
		-o "$work/samples" -- sampled-c 2000
	[ $? = 7 ]
}

# 900 samples of 3000 bytes, 600 of 2000: five standard deviations are a sixth, a fifth.
# Faults are those of the pages that the program touches in its block of 8 MiB.
samples_are_joined()
{
	local n=20000 stays goes faults
	has_pair_exchange || { is_left_alone "$1"; return; }
	memprofctl record -q -f --source "$1" --alloc 64K --faults 1 \
		-o "$work/samples" -- sampled-c $n
	[ $? = 7 ] && report -i "$work/samples" --by callsite >"$work/sites" || return
	stays=$(rows sum alloc_space where type=site function=stays <"$work/sites")
	goes=$(rows sum alloc_space where type=site function=goes <"$work/sites")
	faults=$(rows sum block_faults where type=site function=is_big <"$work/sites")
	echo "# $1: $stays, $goes, $faults"
	is_within $((n * 3000 / 6)) "$stays" $((n * 3000)) &&
	is_within $((n * 2000 / 5)) "$goes" $((n * 2000)) &&
	is_within 2 "$faults" 2048
}

sources_agree()
{
	local kmod perf
	needs kmod perf || return
	kmod=$(row "$fix/kmod")
	perf=$(row "$fix/perf")
	echo "# kmod: $kmod; perf: $perf"
	[ -n "$kmod" ] && [ "$kmod" = "$perf" ]
}

callsites_agree()
{
	local s
	needs kmod perf || return
	for s in kmod perf; do
		report -i "$fix/$s" --by callsite | rows list offset \
			alloc_objects alloc_space where type=site \
			alloc_objects!=0 'binary~/blocks-c$' | sort -n \
			>"$work/sites-$s"
	done
	note "$work/sites-kmod"
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
	needs kmod || return
	perf report -i "$fix/kmod" --stdio -g none 2>/dev/null \
		>"$work/report"
	grep -q "of event 'memprof:process'" "$work/report" &&
	sed -n "/of event 'memprof:site'/,/of event/p" "$work/report" |
		awk '$1 ~ /%$/ { print "#", $0; exit $NF != "main" }'
}

perf_prints_the_events()
{
	needs kmod || return
	perf script -i "$fix/kmod" 2>/dev/null >"$work/script"
	[ "$(grep -c 'memprof:alloc: ptr=' "$work/script")" -ge $n ] &&
	grep -q 'memprof:growth: op=' "$work/script" &&
	grep -q 'memprof:site: live=' "$work/script"
}

perf_lists_build_ids()
{
	needs kmod || return
	perf buildid-list -i "$fix/kmod" 2>/dev/null |
		grep -q '^[0-9a-f]\{40\} .*/blocks-c$'
}

# perf_says COMMAND...: keeps the output; perf's exit status is of no use
perf_says()
{
	needs kmod && perf "$@" -i "$fix/kmod" >"$work/out" 2>"$work/err"
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

# Blocks of operator new, in a library without frame pointers: who called it is on the stack
samples_of_a_library_have_callers()
{
	local pid
	cat >"$work/grows.cc" <<-'END'
	#include <string>
	#include <unistd.h>
	#include <vector>
	static std::vector<std::string> kept;
	__attribute__((noinline)) void keep() { kept.push_back(std::string(2000, 'x')); usleep(200); }
	int main() { for (;;) { keep(); keep(); } }
	END
	g++ -g -O2 -o "$work/grows" "$work/grows.cc" || return
	"$work/grows" & pid=$!
	memprofctl record -q -f --source kmod --inject -p $pid -d 2 -o "$work/data" &&
	kill $pid &&
	memprofctl report -i "$work/data" --by callsite >"$work/table" || return
	head -n 3 "$work/table" | note
	sed -n '/ CALLSITE$/{n;p}' "$work/table" | grep -q ' keep() grows.cc:5'
}

perf_hands_it_on()
{
	needs kmod &&
	perf inject -b -i "$fix/kmod" -o "$work/injected" 2>"$work/err" &&
	[ "$(row "$work/injected")" = "$(row "$fix/kmod")" ] &&
	perf data convert --force --to-json "$work/json" -i "$fix/kmod" \
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
	launch blocks-c $n stop &&
	memprofctl start --source perf -p $pid -q && kill -CONT $pid &&
	each_stop $pid &&
	report | rows holds 'alloc_objects == 1001 and inuse_objects == 501 and
		resident_space > 100000' where type=process
}

# A recording that perf itself makes of the module's events, with each call.
perf_itself_records_the_module()
{
	local own columns='alloc_objects alloc_space free_objects peak_space
		growth_space minor_faults'
	memprofctl start --comm blocks-c --alloc exact --faults 1 -q || return 1
	perf record -q -e 'memprof:*' -a -g -o "$work/perfs" -- \
		blocks-c $n >/dev/null 2>&1
	own=$(report | rows value $columns where type=process comm=blocks-c)
	echo "# $own"
	[ -n "$own" ] && [ "$(report -i "$work/perfs" | rows value $columns \
		where type=process comm=blocks-c)" = "$own" ]
}

# has_stacks KIND <ROWS: whether the rows have complete stacks of a program that
# calls malloc below main, from the module's events
has_stacks()
{
	cat >"$work/json"
	rows stacks <"$work/json" >"$work/stacks"
	note "$work/stacks"
	grep -qE '^10 [0-9]+ [0-9]+: leaf < middle < main( |$)' "$work/stacks" &&
	grep -qE '^10 [0-9]+ [0-9]+: leaf < other < main( |$)' "$work/stacks" ||
		return
	# growth inside a call is charged to the caller, other growth to its own
	# stack
	[ "$1" != dwarf ] ||
		rows holds 'alloc_objects or not growth_space or kind == "none"' \
			where type=stack <"$work/json"
}

# build_tree OPTION: builds the program with a compiler option
build_tree()
{
	gcc -O2 -g $1 -o "$work/tree" "$programs/tree.c"
}

recorded_stacks_are_whole()
{
	build_tree "$1" &&
	memprofctl record -q -f --source kmod --alloc exact --call-graph "$2" \
		-o "$work/data" -- "$work/tree" &&
	report -i "$work/data" --by callsite --stack | has_stacks "$2"
}

live_stacks_are_whole()
{
	build_tree -fomit-frame-pointer && launch "$work/tree" 10 stop 60 &&
	follow $pid --alloc exact --call-graph dwarf &&
	report --by callsite --stack | has_stacks dwarf &&
	report | rows holds 'alloc_objects >= 20 and resident_space > 100000' \
		where type=process
}

snapshots_come_at_intervals()
{
	memprofctl record -q -f -a --alloc off --duration 4 \
		--snapshot-interval 1 -o "$work/interval" || return 1
	[ "$(perf script -i "$work/interval" -F time,event 2>/dev/null |
	     awk '/memprof:process/ { print $1 }' | sort -u | wc -l)" -ge 4 ]
}

# has_at TIME EXPRESSION FUNCTION: whether the callsite fits at this moment
has_at()
{
	report -i "$work/moments" --at "$1" --by callsite >"$work/sites" &&
	rows holds "$2" where type=site comm=phases-c "function=$3" <"$work/sites" && return
	rows list function inuse_space block_resident_space where type=site comm=phases-c \
		<"$work/sites" | note
	return 1
}

# The second phase begins after 45 s, however slow the guest is. Both are long: a slow guest is
# looked at rarely, for 2 % of the CPU. Huge pages may fill the halves that were not touched
tallies_have_moments()
{
	local late
	memprofctl record -q -f --source kmod --alloc exact --interval 2 -o "$work/moments" \
		-- phases-c 45 45 2>"$work/late" || return
	has_at 44s '20 * MIB <= block_resident_space and 40 * MIB == inuse_space ==
		block_resident_space + block_untouched_space' take_halves &&
	! grep -q take_wholes "$work/sites" &&
	# the second phase lasts until the end, whenever that is
	late=$(memprofctl report -i "$work/moments" --at 44s 2>&1 >/dev/null |
		sed -n 's/.*, of \([0-9]*\) min \([0-9]*\) s.*/\1 * 60 + 10#\2/p
			s/.*, of \([0-9]*\)\.[0-9] s.*/\1/p') && late=$((late - 3))s &&
	has_at $late 'inuse_space == 20 * MIB' take_halves &&
	has_at $late 'inuse_space == 40 * MIB and block_resident_space == 40 * MIB' take_wholes &&
	report -i "$work/moments" --at 44s --by process >"$work/process" &&
	rows holds 'inuse_space == 40 * MIB and block_resident_space >= 20 * MIB and
		allocator_space == blame_space + held_page_space' \
		where type=process comm=phases-c <"$work/process" &&
	complains 1 'before that moment it has no sums' \
		memprofctl report -i "$work/moments" --at 1ms
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
check "the module: faults are joined with blocks that the library samples" samples_are_joined kmod
check "perf's events: and so they are" samples_are_joined perf
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
check_unless "$(injection_obstacle)" "samples of an injected library have callers" \
	samples_of_a_library_have_callers
check "a session of the module has whole stacks" live_stacks_are_whole
check "the tallies are recorded at intervals" snapshots_come_at_intervals
check "a recording of the module's has moments" tallies_have_moments
check "sizes alone are labelled as such" sizes_alone_are_labelled
plan
