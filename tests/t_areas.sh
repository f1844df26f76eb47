#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host, without the module: growth is address space that can be accessed. What
# callsites grew explains how the resident memory of programs with threads grew.
. "$(dirname "$0")/lib.sh"
threads=4
# what main() and the C library may have around the measured growth
slack=$((512 << 10))

make_arenas()
{
	gcc -O2 -g -pthread -fno-optimize-sibling-calls -o "$fix/arenas" \
		"$programs/arenas.c"
}

# record_arenas FILE ALLOCATOR ARGUMENT...: records the program's growth; its stacks are
# long enough for every allocator
record_arenas()
{
	memprofctl record -q -f --source perf --alloc off --faults off \
		--call-graph dwarf,3072 -o "$1" -- \
		${2:+env "LD_PRELOAD=$2"} "$fix/arenas" "${@:3}" >"$1.rss"
}

make_calls() { needs arenas && record_arenas "$fix/calls" "" calls; }

# grown FUNCTION FILE
grown() { report -i "$2" --by callsite | rows sum growth_space where type=site "function=$1"; }

grows_by()
{
	local what=$1 mib=$2
	needs calls && is_within 0 "$(grown "$what" "$fix/calls")" $((mib << 20))
}

# who gave memory back: by munmap, shmdt, mprotect, and by advice
released()
{
	report -i "$fix/calls" --by callsite | rows sum released_space where type=site "function=$1"
}

callsites_say_who_released()
{
	needs calls || return
	[ "$(released unmap_8)" = $((8 << 20)) ] && [ "$(released under_3)" = $((3 << 20)) ] &&
	[ "$(released unshare_5)" = $((5 << 20)) ] && [ "$(released advise_2)" = $((2 << 20)) ] &&
	[ "$(grown advise_2 "$fix/calls")" = $((3 << 20)) ] || return
	memprofctl report -i "$fix/calls" --by callsite --sort released -n 1 >"$work/out" &&
	grep -q '^ *TOUCHED *GROWTH *RELEASED' "$work/out" &&
	grep -q ' again_0 arenas.c' "$work/out" && return
	note "$work/out"
	return 1
}

the_peak_is_of_one()
{
	needs calls &&
	# 12 MiB at once in the other functions, 5 of them twice, and the libraries
	[ "$(report -i "$fix/calls" | rows value growth_peak_space where type=process)" \
		-lt $((40 << 20)) ]
}

# 200 frames of 8 KiB, less the 128 KiB that exec made
stacks_have_a_counter()
{
	local bytes
	needs calls || return
	bytes=$(memprofctl report -v -i "$fix/calls" |
		sed -n 's/^ *\([0-9]*\)  growth_without_call:.*/\1/p')
	is_within $((128 << 10)) "${bytes:-0}" $((200 * 8192 - (128 << 10)))
}

# explains FILE GRANULE: holds() grew by what became resident, within 5 %; an allocator may
# have mapped GRANULE bytes more for each thread than it has used
explains()
{
	local rss grown
	rss=$(<"$1.rss") grown=$(grown holds "$1")
	echo "# RSS grew by $rss, holds() by $grown"
	[ "$grown" -ge $((rss * 95 / 100)) ] &&
	[ "$grown" -le $((rss * 105 / 100 + threads * $2)) ]
}

make_glibc() { needs arenas && record_arenas "$fix/glibc" "" threads $threads 20000; }
arenas_explain_rss() { needs glibc && explains "$fix/glibc" 0; }

# grows_by_what_is_used FILE: and by the threads' stacks, and 2 MB of the C library
grows_by_what_is_used()
{
	local grown=$(report -i "$1" | rows value growth_space where type=process)
	is_within $((3 << 20)) "$grown" $(($(<"$1.rss") + threads * (8 << 20)))
}

# The arenas reserve 256 MB.
reservations_do_not_count()
{
	needs glibc && grows_by_what_is_used "$fix/glibc"
}

# All threads have their arenas when it is followed.
arenas_of_running_programs_grow()
{
	local pid
	needs arenas && launch "$fix/arenas" threads $threads 20000 stop &&
	listening record -q -f --source perf --alloc off --faults off \
		--call-graph dwarf,3072 -o "$work/data" -p $pid || return
	kill -CONT $pid && end_of $recorder && cp "$work/out" "$work/data.rss" &&
	explains "$work/data" 0 &&
	is_within $slack "$(report -i "$work/data" | rows value growth_space where \
		type=process)" "$(<"$work/data.rss")"
}

allocator_explains_rss()
{
	local so=$1 granule=$2
	needs arenas && record_arenas "$work/data" "$so" threads $threads 40000 &&
	explains "$work/data" "$granule"
}

# Neither its image, most of which is tables, nor what it maps itself
the_sampler_is_no_growth()
{
	needs arenas && memprofctl record -q --source perf --faults off -o "$work/data" -- \
		"$fix/arenas" threads $threads 20000 >"$work/data.rss" &&
	report -i "$work/data" | rows holds 'alloc_objects > 1000' where type=process &&
	grows_by_what_is_used "$work/data"
}

no_perf=$(perf_obstacle)
for call in again_0 reserve_0 commit_7 over_4 holes_2 move_6 fails_0; do
	check_unless "$no_perf" "growth of $call" grows_by $call ${call##*_}
done
check_unless "$no_perf" "growth of under_3" grows_by under_3 -3
check_unless "$no_perf" "growth of unmap_8" grows_by unmap_8 -8
check_unless "$no_perf" "growth of two segments of 5 MiB" grows_by share_5 10
check_unless "$no_perf" "growth of a segment that goes" grows_by unshare_5 -5
check_unless "$no_perf" "callsites say who gave memory back" callsites_say_who_released
check_unless "$no_perf" "mapping the same again is no growth" the_peak_is_of_one
check_unless "$no_perf" "growth of stacks has a counter" stacks_have_a_counter
check_unless "$no_perf" "libmemprof is no growth" the_sampler_is_no_growth
check_unless "$no_perf" "growth of arenas explains RSS" arenas_explain_rss
check_unless "$no_perf" "what arenas reserve is no growth" reservations_do_not_count
check_unless "$no_perf" "arenas of running programs grow" arenas_of_running_programs_grow
# mimalloc maps segments of 32 MiB, and jemalloc extents of up to 8 MiB
lib=/usr/lib/$(uname -m)-linux-gnu
for allocator in libjemalloc.so.2:8 libtcmalloc_minimal.so.4:1 libmimalloc.so.2.0:32; do
	so=$lib/${allocator%:*}
	check_unless "${no_perf:-$([ -e "$so" ] || echo "it is not installed")}" \
		"growth of ${allocator%:*} explains RSS" \
		allocator_explains_rss "$so" $((${allocator#*:} << 20))
done
plan
