#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host, without the module: whose blocks keep the resident pages, of a program that
# knows its pages.
. "$(dirname "$0")/lib.sh"
. tests/resident.sh
. tests/cold.sh

make_pages()
{
	gcc -O1 -g -o "$fix/pages" tests/programs/pages.c
}

# begin [COMMAND...]: the program waits for a line from $sink before it takes memory
begin()
{
	needs pages && mkfifo "$work/in" || return
	(exec "$@" "$fix/pages") <"$work/in" >"$work/out" &
	pid=$!
	exec {sink}>"$work/in"
}

go()
{
	echo go >&"$sink"
	wait_for ready "$work/out"
}

finish()
{
	echo done >&"$sink"
	exec {sink}>&-
	wait "$pid"
}

# session OPTION...: the program has its memory, and a session knows
session()
{
	begin && memprofctl start -q --source perf -p $pid "$@" &&
	runs_first "$(session_pid)" && go
}

sessions_know_pages()
{
	session --alloc exact && look && each_number_is_known && all_adds_up && finish
}

# What is below a page that was kept cannot be given back; what is above can
freed_pages_are_told_by_place()
{
	session --alloc exact && look &&
	process '900 * 4096 <= held_arena_space <= 1100 * 4096 and
		held_top_space <= 64 * 4096' && finish
}

# 63 of 64 small blocks die, half of them on pages where a block survives
freed_blocks_are_told_with_their_keepers()
{
	session --alloc exact && look &&
	rows holds 'abs(freed_resident_space / (64 * 1024 * 63 / 64 * 112) - 1) < 0.02 and
		abs(freed_pinned_space / freed_resident_space - 31 / 63) < 0.02 and
		keeper["function"] == "survives" and
		0.98 * freed_pinned_space < keeper["bytes"] <= freed_pinned_space' \
		where type=site comm~^pages function=dies <"$work/sites" &&
	memprofctl report --view fragmentation >"$work/fragments" &&
	grep -Eq '^ +[67]\.[0-9]M  dies pages.c:40: living blocks of survives pages.c:35 keep the pages of 3\.[0-9]M' \
		"$work/fragments" && finish && return
	note "$work/fragments"
	return 1
}

# Each of both counts the pages that it maps: the child's copies are in its HELD-PAGES
forks_change_no_number()
{
	session --alloc exact && echo fork >&"$sink" && wait_for forked "$work/out" &&
	look && each_number_is_known && all_adds_up &&
	rows holds "blame_space == 0 and held_page_space == allocator_space >= 20 * MIB" \
		where type=process pid!=$pid comm=pages <"$work/process" &&
	pkill -P $pid && finish
}

tables_show_pages()
{
	session --alloc exact &&
	memprofctl report --view resident >"$work/resident" &&
	grep -q 'RESIDENT  SWAPPED  UNTOUCHED  BLAME  HELD-TOP' "$work/resident" &&
	grep -Eq '^ *4\.0M +112K +112K +0 +0 +3\.9M .*survives' "$work/resident" &&
	grep -q '^pages:  LIVE = RESIDENT + SWAPPED + UNTOUCHED' "$work/resident" &&
	memprofctl report --view fragmentation >"$work/fragments" &&
	grep -Eq '^ *3\.9M +4\.0M +112K .*survives' "$work/fragments" &&
	grep -Eq '^ +up to 5 % +4\.0M  #' "$work/fragments" &&
	grep -q 'PINNED .* of BLAME .* would be free if blocks were moved together' "$work/fragments" &&
	memprofctl report --view fragmentation --stack >"$work/stacks" &&
	[ "$(grep -A 3 survives "$work/stacks" | grep -c keep_every_64th)" -gt 0 ] && finish &&
	return
	note "$work/resident" "$work/fragments"
	return 1
}

# preloaded RATE: the program has its memory, and the library in it knows
preloaded()
{
	begin env LD_PRELOAD="$build/user/libmemprof/libmemprof.so" MEMPROF_RATE="$1" \
		MEMPROF_OUT="$work/region" && go
}

# The same numbers, without a session
libraries_know_pages()
{
	preloaded 1 && look -i "$work/region" && each_number_is_known && all_adds_up &&
	process 'near(live_touched_space, 16, 0.5) and
		live_touched_space + allocator_held_space == allocator_space' &&
	memprofctl snapshot -q -p $pid -o "$work/snapshot" &&
	look -i "$work/snapshot" && each_number_is_known &&
	process 'allocator_space == blame_space + held_page_space and
		blame_space == blame_fill_5_space + blame_fill_10_space +
			blame_fill_25_space + blame_fill_50_space +
			blame_fill_75_space + blame_fill_100_space' && finish
}

# recorded_pid: sets pid to that of the recorded process
recorded_pid()
{
	pid=$(rows value pid where type=process comm=pages <"$work/process")
}

# As all_adds_up, of a process that has ended. The sampler's own pages come at its end
ended_adds_up()
{
	local blame
	blame=$(rows sum blame_space where type=site <"$work/sites") && recorded_pid &&
	process "blame_space == $blame and
		allocator_space == blame_space + held_page_space and
		held_page_space == held_top_space + held_arena_space + held_empty_space and
		parts == resident_space and $1 <= resident_space <= $1 + 4 * MIB and
		900 * 4096 <= held_arena_space <= 1100 * 4096"
}

# run_pages RECORDER...: the program under a recorder; sets rss to its RSS before its end
run_pages()
{
	needs pages && mkfifo "$work/in" || return
	("$@" "$fix/pages") <"$work/in" >"$work/out" & recorder=$!
	exec {sink}>"$work/in"
	go && pid=$(pgrep -f "^$fix/pages") && rss=$(rss_of "$pid") &&
	echo done >&"$sink" && exec {sink}>&- && wait $recorder
}

# A recording has the pages of the end, although the process has ended
recordings_hold_their_end()
{
	run_pages memprofctl record --preload --rate 1 -q -o "$work/data" -- &&
	look -i "$work/data" && each_number_is_known && ended_adds_up "$rss" &&
	memprofctl report -i "$work/data" --view resident >"$work/resident" &&
	grep -Eq '^ *4\.0M +112K +112K +0 +0 +3\.9M .*survives' "$work/resident" &&
	memprofctl report -i "$work/data" --view fragmentation >"$work/fragments" &&
	grep -Eq '^ +up to 5 % +4\.0M  #' "$work/fragments" && return
	note "$work/resident" "$work/fragments"
	return 1
}

sampled_recordings_hold_their_end()
{
	run_pages memprofctl record --preload --rate 16K -q -o "$work/data" -- &&
	look -i "$work/data" &&
	site halves 'abs(block_resident_space - 8 * MIB) < MIB and
		blame_space == block_resident_space' &&
	site returns 'abs(block_untouched_space - 4 * MIB) < MIB'
}

make_phases() { gcc -O1 -g -o "$fix/phases" "$programs/phases.c"; }

# has_at TIME EXPRESSION FUNCTION: whether the callsite fits at this moment; no other has
# blocks. Beside it there may be a fault of the function itself: a look at the pages lets the
# next access to one fault again.
has_at()
{
	report -i "$work/data" --at "$1" --by callsite >"$work/sites" &&
	rows holds "$2 and inuse_space == block_resident_space + block_untouched_space +
		block_swapped_space and block_resident_space <= blame_space" \
		where type=site comm=phases "inuse_space!=0" "function=$3" <"$work/sites"
}

# At 4 s the last look is of 1 to 4 s; the second phase begins after 5 s, however slow it is
recordings_have_moments()
{
	needs phases &&
	memprofctl record -q "$@" --interval 0.5 -o "$work/data" -- "$fix/phases" 5 || return
	has_at 4s 'abs(inuse_space - 40 * MIB) < MIB and
		20 * MIB <= block_resident_space < 20.5 * MIB' take_halves &&
	! rows list function where type=site function=take_wholes <"$work/sites" | grep -q take_wholes &&
	has_at 9s 'abs(inuse_space - 20 * MIB) < MIB and
		10 * MIB <= block_resident_space < 10.5 * MIB' take_halves &&
	has_at 9s 'abs(inuse_space - 40 * MIB) < MIB and
		40 * MIB <= block_resident_space < 40.5 * MIB' take_wholes &&
	memprofctl report -i "$work/data" --at 4s --by process 2>&1 >"$work/process" |
		grep -q 'after its start, of .*; its pages were looked at then' &&
	grep -Eq 'phases .* 40\.0M ' "$work/process" &&
	memprofctl export -q -i "$work/data" --at 4s --format folded | grep -Eq 'take_halves 4[0-9]{7}$' &&
	complains 1 'it lasts only 1' memprofctl report -i "$work/data" --at 1h &&
	memprofctl report -i "$work/data" --timeline >"$work/timeline" &&
	[ "$(grep -cE '^ +[0-9.]+ m?s  ' "$work/timeline")" = 20 ] &&
	grep -Eq '^ +3\.[0-9] s +[0-9.]+M +40\.[0-9]M ' "$work/timeline" &&
	grep -Eq '^ +9\.[0-9] s +[0-9.]+M +60\.[0-9]M ' "$work/timeline"
}
samples_have_moments() { recordings_have_moments --alloc 16K; }
calls_have_moments() { recordings_have_moments --alloc exact; }

# A moment is of the events; looks are optional
moments_need_no_looks()
{
	needs phases && memprofctl record -q -o "$work/data" -- "$fix/phases" 3 &&
	report -i "$work/data" --at 2s --by callsite >"$work/sites" &&
	rows holds 'abs(inuse_space - 40 * MIB) < 4 * MIB and block_resident_space == 0' \
		where type=site function=take_halves <"$work/sites" &&
	complains 1 '--at needs a recording' \
		memprofctl report --at 1s -i "$build/user"
}

# As installed, for anybody: the folder of the build may be closed to others
make_installed()
{
	mkdir "$fix/bin" "$fix/lib" &&
	cp "$build/user/memprofctl/memprofctl" "$fix/bin" &&
	cp "$build/user/libmemprof/libmemprof.so" "$fix/lib"
}

# The library leaves a process that runs on, and keeps what it has then
injected_recordings_hold_their_end()
{
	local as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	needs installed && mkdir -m 777 "$work/theirs" && begin "${as_nobody[@]}" &&
	mkfifo "$work/told" || return
	TMPDIR=$work/theirs "${as_nobody[@]}" "$fix/bin/memprofctl" record --inject -p $pid --alloc 4K -q \
		--ready-fd 9 -o "$work/theirs/data" 9>"$work/told" & recorder=$!
	read -r line <"$work/told" && go && kill -INT $recorder && wait $recorder &&
	look -i "$work/theirs/data" &&
	site halves 'abs(block_resident_space - 8 * MIB) < MIB' &&
	site returns 'abs(block_untouched_space - 4 * MIB) < MIB' &&
	rows holds "abs(resident_space - $(rss_of $pid)) <= 2 * MIB" \
		where type=process comm=pages <"$work/process" && finish
}

# With perf's events, the library samples the command and keeps its pages: in the row of a
# process that has ended, what lived then is AT-EXIT
commands_hold_their_end()
{
	run_pages memprofctl record --alloc 16K -q -o "$work/data" -- &&
	look -i "$work/data" &&
	rows holds 'abs(block_resident_space - 8 * MIB) < MIB and
		abs(at_exit_space - block_resident_space - block_swapped_space -
			block_untouched_space) <= 64' \
		where type=site function=halves <"$work/sites" &&
	rows holds "allocator_space == blame_space + held_page_space > 0 and
		$rss <= resident_space <= $rss + 4 * MIB" \
		where type=process comm=pages <"$work/process" &&
	memprofctl report -i "$work/data" --view resident |
		grep -q 'what LIVE was then is AT-EXIT'
}

# recorded OPTION...: the program runs on after a recording that began before its memory
recorded()
{
	begin && listening record -q -o "$work/data" -p $pid "$@" && runs_first $recorder &&
	go && kill -INT $recorder && wait $recorder && look -i "$work/data"
}

running_processes_have_pages()
{
	recorded --source perf --alloc exact && each_number_is_known && all_adds_up && finish
}

injected_processes_have_pages()
{
	recorded --source perf --inject --alloc 16K &&
	site halves 'abs(block_resident_space - 8 * MIB) < MIB' && process "
		allocator_space == blame_space + held_page_space and
		abs(resident_space - $(rss_of $pid)) <= 2 * MIB" && finish
}

# Nobody can look at a process that was killed, and the report says so
killed_processes_are_counted()
{
	needs pages && mkfifo "$work/in" || return
	memprofctl record --preload --rate 1 -q -o "$work/data" -- "$fix/pages" \
		<"$work/in" >"$work/out" & recorder=$!
	exec {sink}>"$work/in"
	go && kill -KILL "$(pgrep -f "^$fix/pages")"
	wait $recorder
	look -i "$work/data" &&
	site halves 'block_resident_space == 0 and inuse_space == 16 * MIB' &&
	tail -n 1 "$work/sites" | rows holds 'counters["end_pages_missing"] == 1' &&
	memprofctl report -i "$work/data" -v | grep -q 'without RESIDENT and BLAME: they were killed'
}

# Most blocks on a page are not known: the parts of LIVE are estimates, BLAME is a bound
samples_estimate()
{
	preloaded 16K && look -i "$work/region" &&
	site halves 'abs(block_resident_space - 8 * MIB) < MIB and
		blame_space == block_resident_space' &&
	rows holds 'abs(inuse_space - block_resident_space - block_swapped_space -
		block_untouched_space) <= 1' where type=site <"$work/sites" &&
	process 'allocator_space == blame_space + held_page_space and pinned_space == 0' &&
	memprofctl report -i "$work/region" --view resident >"$work/resident" &&
	grep 'blocks are samples:.*estimates.*+- ' "$work/resident" && finish
}

# Python can give back no arena in which one object lives: 480 bytes keep a page, and 1 MB
arenas_are_held()
{
	local kept
	mkfifo "$work/in" || return
	LD_PRELOAD="$build/user/libmemprof/libmemprof.so" MEMPROF_RATE=1 \
		MEMPROF_OUT="$work/region" /usr/bin/python3 "$programs/arenas.py" \
		<"$work/in" >"$work/out" & pid=$!
	exec {sink}>"$work/in"
	wait_for ready "$work/out" && kept=$(sed -n 's/^kept //p' "$work/out") &&
	look -i "$work/region" || return
	rows holds "60 <= $kept <= 80 and $kept <= inuse_objects <= $kept + 2 and
		block_resident_space == inuse_space and
		0.97 * $kept * 4096 <= blame_space <= 1.05 * $kept * 4096" \
		where type=site 'function~^(py::)?fill\b' inuse_space!=0 <"$work/sites" &&
	process "abs(held_arena_space + $kept * 4096 - 128 * 1024 * 480) <=
		0.03 * 128 * 1024 * 480"
}

# The process allocates while it is looked at: its parts are those of one moment
running_processes_add_up()
{
	local i
	LD_PRELOAD="$build/user/libmemprof/libmemprof.so" MEMPROF_RATE=1 \
		MEMPROF_OUT="$work/region" /usr/bin/python3 -uc '
kept = []
while True:
    kept.append([{"a": i} for i in range(50)])
    if len(kept) > 3000:
        del kept[:1000]
        print("full")' >"$work/out" & pid=$!
	at_end "kill $pid 2>/dev/null"
	wait_for full "$work/out" || return
	for i in 1 2 3; do
		memprofctl snapshot -q -f -p $pid -o "$work/data" &&
		look -i "$work/data" &&
		rows holds 'inuse_space == block_resident_space + block_swapped_space +
			block_untouched_space and at_peak_space <= peak_space and
			inuse_space <= peak_space' where type=process <"$work/process" || return
		[ "$(rows list inuse_space alloc_objects blame_space where type=process \
			<"$work/process")" = \
		  "$(rows sum inuse_space alloc_objects blame_space where type=site \
			<"$work/sites")" ] || return
	done
	kill $pid
}

make_huge()
{
	gcc -O1 -g -o "$fix/huge" tests/programs/huge.c
}

# why_not_huge: prints why there are no huge pages, or nothing
why_not_huge()
{
	local file=/sys/kernel/mm/transparent_hugepage/enabled
	grep -Eqs '\[(madvise|always)\]' $file || echo "the kernel gives no huge pages"
	[ -r /proc/self/pagemap ] && grep -qs AnonHugePages /proc/self/smaps_rollup ||
		echo "the kernel does not tell huge pages"
}

# HUGE is what smaps tells, and a huge page that was touched once is resident as a whole
huge_pages_are_known()
{
	local huge
	needs huge && mkfifo "$work/in" || return
	LD_PRELOAD="$build/user/libmemprof/libmemprof.so" MEMPROF_RATE=1 \
		MEMPROF_OUT="$work/region" "$fix/huge" <"$work/in" >"$work/out" & pid=$!
	exec {sink}>"$work/in"
	go && look -i "$work/region" || return
	huge=$(awk '/^AnonHugePages:/ { print $2 * 1024 }' "/proc/$pid/smaps_rollup")
	[ "$huge" -gt 0 ] || {
		echo "# no huge page was free"
		return 0
	}
	memprofctl report -i "$work/region" --view resident | head -n 1 | grep -q ' HUGE ' &&
	process "block_huge_space == $huge == 16 * MIB" &&
	rows holds 'inuse_space == 32 * MIB and
		block_resident_space == block_huge_space == blame_space == 16 * MIB and
		block_untouched_space == 16 * MIB' where type=site function=large <"$work/sites" &&
	rows holds 'inuse_space == block_resident_space == 8 * MIB and block_huge_space == 0' \
		where type=site function=small <"$work/sites" && finish
}

pss_of()
{
	awk '/^Pss:/ { print $2 * 1024 }' "/proc/$1/smaps_rollup"
}

# The child writes to 8 MB of the 20 that it shares: the rest counts half in each PSS
shared_pages_count_in_proportion()
{
	local child
	session --alloc exact && echo fork >&"$sink" && wait_for forked "$work/out" && look &&
	child=$(pgrep -P $pid) || return
	process "abs(proportional_space - $(pss_of $pid)) <= 256 * 1024" &&
	rows holds "abs(proportional_space - $(pss_of "$child")) <= 256 * 1024" \
		where type=process pid="$child" <"$work/process" &&
	memprofctl report --view resident 2>/dev/null | grep -q '^shared: .* in proportion' &&
	[ $(($(rows sum resident_space where type=process comm=pages <"$work/process") -
		$(rows sum proportional_space where type=process comm=pages \
		<"$work/process"))) -ge $((12 << 20)) ] &&
	kill "$child" && finish
}

answers()
{
	[ "$(redis-cli -s "$work/sock" ping 2>/dev/null)" = PONG ]
}

redis()
{
	redis-cli -s "$work/sock" "$@"
}

# info FIELD
info()
{
	redis info memory | tr -d '\r' | sed -n "s/^$1://p"
}

# near_info NAME OURS THEIRS: within 3 % of what redis and its allocator say
near_info()
{
	is_within $(($3 * 3 / 100)) "$2" "$3" || { echo "# $1"; return 1; }
}

# Every 16th key of 100000 is left, active defragmentation is off. The pages that jemalloc
# calls active are those of living blocks, also of untouched ones, and of freed blocks that
# its threads keep.
redis_agrees()
{
	local live rss blame untouched pinned kept
	(LD_PRELOAD="$build/user/libmemprof/libmemprof.so" MEMPROF_RATE=1 \
		MEMPROF_OUT="$work/region" exec -a redis-server redis-check-rdb \
		--port 0 --unixsocket "$work/sock" --save '' --activerehashing no \
		>/dev/null) & pid=$!
	at_end "kill $pid 2>/dev/null"
	wait_until answers &&
	redis eval 'for i = 1, 100000 do redis.call("set", "k:" .. i, string.rep("x", 200)) end
		for i = 1, 100000 do if i % 16 ~= 0 then redis.call("del", "k:" .. i) end end' \
		0 >"$work/out" && look -i "$work/region" || return
	redis info memory | grep -E '^(used_memory|used_memory_rss|allocator_active):' | note
	read -r live rss blame untouched pinned < <(rows value inuse_space resident_space \
		blame_space block_untouched_space pinned_space where type=process \
		<"$work/process")
	kept=$(redis memory malloc-stats | awk '$1 == "tcache_bytes:" { print $2; exit }')
	near_info used_memory "$live" "$(info used_memory)" &&
	near_info used_memory_rss "$rss" "$(info used_memory_rss)" &&
	near_info allocator_active $((blame + untouched)) \
		$(($(info allocator_active) - kept)) &&
	near_info allocator_frag_bytes "$pinned" "$(info allocator_frag_bytes)" &&
	process 'blame_space > 5 * block_resident_space and
		allocator_space == blame_space + held_page_space'
}

# holds_all WAY: of the memory that a C++ program has, all but 1 % is of its blocks, of its
# allocator, of its stacks or of files
holds_all()
{
	rows holds 'inuse_space >= 70 * MIB and resident_space >= inuse_space and
		abs(resident_space - blame_space - held_page_space - stack_resident_space -
			file_mapped_space - shmem_mapped_space) <= resident_space / 100' \
		where type=process pid="$pid" <"$work/process" && return
	echo "# ${so:-the C library}, by $1"
	rows list inuse_space resident_space blame_space held_page_space stack_resident_space \
		file_mapped_space shmem_mapped_space unattributed_space \
		where type=process pid="$pid" <"$work/process" | note
	return 1
}

# run_threads [VARIABLE=VALUE]...: the program waits for a line from $sink
run_threads()
{
	rm -f "$work/in" && mkfifo "$work/in" || return
	env "$@" "$work/threads" <"$work/in" >"$work/out" & pid=$!
	exec {sink}>"$work/in"
	wait_for waits "$work/out"
}

by_preload()
{
	rm -f "$work/region"
	run_threads LD_PRELOAD="$build/user/libmemprof/libmemprof.so $so" MEMPROF_RATE=1 \
		MEMPROF_OUT="$work/region" && go && look -i "$work/region" &&
	holds_all preload && finish
}

by_perf()
{
	run_threads LD_PRELOAD="$so" && memprofctl start -q --source perf -p $pid --alloc exact &&
	runs_first "$(session_pid)" && go && look && holds_all "perf's events" &&
	memprofctl stop -q && finish
}

allocators_have_no_rest()
{
	local so
	g++ -O2 -g -pthread -o "$work/threads" "$programs/threads.cc" || return
	for so in "" "$ALLOCATORS"/lib{jemalloc,tcmalloc_minimal,mimalloc}.so.[0-9]; do
		[ -z "$so" ] || [ -e "$so" ] || continue
		by_preload && { [ -n "$why" ] || by_perf; } || return
	done
}

# run_sparse COUNT
run_sparse()
{
	rm -f "$work/region" "$work/in" && mkfifo "$work/in" || return
	LD_PRELOAD="$build/user/libmemprof/libmemprof.so" MEMPROF_RATE=1 \
		MEMPROF_OUT="$work/region" "$work/sparse" "$1" <"$work/in" >"$work/out" &
	pid=$!
	exec {sink}>"$work/in"
	wait_for ready "$work/out" && look -i "$work/region"
}

# 96 GiB with a page in each, and as many mappings as a process may have
sparse_memory_is_looked_at()
{
	gcc -O1 -g -o "$work/sparse" "$programs/sparse.c" || return
	run_sparse 30000 && rows holds 'inuse_space >= 96 * 1024 * MIB and
		near(block_resident_space, 0.37, 0.1) and
		block_untouched_space == inuse_space - block_resident_space' \
		where type=site function=block <"$work/sites" &&
	process 'resident_space >= 117 * MIB and parts == resident_space' && finish
}

# A million, if they may be had: the rest is OTHER, and it is said
most_mappings_are_left_out()
{
	local limit=/proc/sys/vm/max_map_count before
	before=$(<$limit)
	at_end "echo $before >$limit"
	echo 1100000 >$limit && gcc -O1 -g -o "$work/sparse" "$programs/sparse.c" &&
	run_sparse 500000 &&
	process "abs(resident_space - $(rss_of $pid)) <= MIB and parts == resident_space and
		unattributed_space >= 1700 * MIB" &&
	rows holds 'counters["mappings_cut"] == 1' where type=summary <"$work/process" && finish
}

# A report after the exit has no pages, and says so by zeros, not by old numbers
ended_processes_keep_nothing()
{
	session --alloc exact && look && finish && look &&
	rows holds 'blame_space == 0 and block_resident_space == 0' \
		where type=site <"$work/sites"
}

why=$(perf_obstacle)
check_unless "$why" "RESIDENT, UNTOUCHED and BLAME are what the program made of its pages" \
	sessions_know_pages
check_unless "$why" "pages without a block are told by where they lie" \
	freed_pages_are_told_by_place
check_unless "$why" "freed blocks are told with who keeps their pages" \
	freed_blocks_are_told_with_their_keepers
check_unless "$why" "a fork changes no number of its parent" forks_change_no_number
check_unless "$why" "tables show who keeps pages, and how full these are" tables_show_pages
check "the library's file knows pages, too" libraries_know_pages
check "samples estimate, and say so" samples_estimate
check "a recording has the pages of the end of its command" recordings_hold_their_end
check "so has a recording of samples" sampled_recordings_hold_their_end
check_unless "$(injection_obstacle)$(yama_obstacle)" \
	"a recording that ends before its process has the pages of then" \
	injected_recordings_hold_their_end
check_unless "$why" "a command that perf's events follow has the pages of its end" \
	commands_hold_their_end
check_unless "$why" "a recording of each call has the pages of its end" \
	running_processes_have_pages
check_unless "$why$(injection_obstacle)" "so has one of samples in a running process" \
	injected_processes_have_pages
check_unless "$why" "a recording of samples has the pages of its moments" samples_have_moments
check_unless "$why" "a recording of each call has the pages of its moments" calls_have_moments
check_unless "$why" "a recording is shown as it was at a moment" moments_need_no_looks
check "processes that were killed have no pages, and are counted" \
	killed_processes_are_counted
check "arenas of Python are held by one object in each" arenas_are_held
check "the parts of a program that goes on add up" running_processes_add_up
check_unless "$(why_not_huge)" "huge pages are told from small ones" huge_pages_are_known
check_unless "$why" "pages that a fork shares count in proportion" \
	shared_pages_count_in_proportion
check "redis, fragmented by deletes, agrees with INFO" redis_agrees
check "with every allocator, less than 1 % of RSS is unexplained" allocators_have_no_rest
check "96 GiB of sparse blocks are looked at, in 60,000 mappings" sparse_memory_is_looked_at
check_unless "$([ -w /proc/sys/vm/max_map_count ] || echo "only root can allow so many")" \
	"of a million mappings most are left out, and counted" most_mappings_are_left_out
check_unless "$why" "a process that ended keeps no pages" ended_processes_keep_nothing
cold_why=$(cold_obstacle)
check_unless "$cold_why" "memory that is not used any more is COLD" unused_memory_is_cold
check_unless "$cold_why" "signals leave DAMON as it was" signals_restore_damon
check_unless "$cold_why" "a process that ends while it is watched is counted" \
	ended_processes_are_told
check_unless "$([ "$cold_why" = "DAMON is in use" ] || echo "nobody uses DAMON")" \
	"DAMON of somebody else is left alone" others_keep_damon
check "recordings are not watched" recordings_are_not_watched
plan
