# SPDX-License-Identifier: GPL-2.0-only
# For suites of programs/cold.c, which uses one half of its memory: what report --cold says
# of it. Sourced after lib.sh and resident.sh.

kdamonds=/sys/kernel/mm/damon/admin/kdamonds

make_cold()
{
	gcc -O1 -g -o "$fix/cold" tests/programs/cold.c
}

# cold_obstacle: prints why DAMON cannot watch processes, or nothing
cold_obstacle()
{
	if [ ! -e $kdamonds/nr_kdamonds ]; then
		echo "the kernel has no DAMON"
	elif [ ! -w $kdamonds/nr_kdamonds ]; then
		echo "only root may use DAMON"
	elif [ "$(<$kdamonds/nr_kdamonds)" != 0 ]; then
		echo "DAMON is in use"
	else
		echo 1 >$kdamonds/nr_kdamonds
		echo 1 >$kdamonds/0/contexts/nr_contexts
		grep -q fvaddr $kdamonds/0/contexts/0/avail_operations ||
			echo "DAMON cannot watch processes"
		echo 0 >$kdamonds/nr_kdamonds
		! grep -qs Y /sys/module/damon_{stat,reclaim,lru_sort}/parameters/enabled ||
			echo "a module of the kernel uses DAMON"
	fi
}

# run_cold [far]: the program has its memory, and the library in it knows; sets pid
run_cold()
{
	needs cold && rm -f "$work/in" && mkfifo "$work/in" || return
	LD_PRELOAD="$build/user/libmemprof/libmemprof.so" MEMPROF_RATE=1 \
		MEMPROF_OUT="$work/region" "$fix/cold" "$@" <"$work/in" >"$work/out" & pid=$!
	exec {sink}>"$work/in"
	echo go >&"$sink"
	wait_for ready "$work/out"
}

end_cold()
{
	exec {sink}>&-
	wait "$pid"
}

is_free()
{
	[ "$(<$kdamonds/nr_kdamonds)" = 0 ]
}

is_taken()
{
	grep -qs on $kdamonds/0/state
}

# halves_differ: rows of callsites are in sites. The blocks are of the C library, which
# gives each a mapping of its own
halves_differ()
{
	rows holds 'near(inuse_space, 8, 0.1) and cold_space >= 7 * MIB' \
		where type=site function=unused inuse_space!=0 <"$work/sites" &&
	[ "$(rows sum cold_space where type=site function=used <"$work/sites")" -le \
		$((1 << 20)) ] && return
	rows list function inuse_space block_resident_space cold_space \
		where type=site <"$work/sites" | note
	return 1
}

unused_memory_is_cold()
{
	run_cold && report -i "$work/region" --cold 2 --by callsite >"$work/sites" &&
	halves_differ && is_free &&
	tail -n 1 "$work/sites" | rows holds 'cold["way"] == "damon" and
		cold["seconds_ns"] == 2000000000 <= cold["coldest_tenth_ns"] and
		cold["watched_processes"] == 1 and cold["watched_ns"] > 2000000000' &&
	memprofctl report -i "$work/region" --cold 1 >"$work/resident" || return
	note "$work/resident"
	grep -q 'RESIDENT  *COLD  *SWAPPED' "$work/resident" &&
	grep -q '^cold:   COLD: of RESIDENT, not referenced for 1 s; an estimate' \
		"$work/resident" &&
	grep -q 'the coldest tenth .* was not referenced for .* s at least' "$work/resident" &&
	is_free && end_cold
}

# The one who is there keeps what it has
others_keep_damon()
{
	local before after
	run_cold && before=$(grep -r . $kdamonds 2>/dev/null | grep -v tried_regions | sort)
	! memprofctl report -i "$work/region" --cold 1 >"$work/resident" 2>"$work/error" &&
	grep -q 'DAMON is in use by somebody else (nr_kdamonds is 1)' "$work/error" &&
	after=$(grep -r . $kdamonds 2>/dev/null | grep -v tried_regions | sort) &&
	[ "$(<$kdamonds/nr_kdamonds)" = 1 ] && [ "${before//[0-9]/}" = "${after//[0-9]/}" ] &&
	end_cold && return
	note "$work/error"
	return 1
}

# stop_by SIGNAL: a report that watches for a minute
stop_by()
{
	local reporter status as=(env --default-signal="$1")
	[ "$1" != KILL ] || as=()
	"${as[@]}" memprofctl report -i "$work/region" --cold 60 \
		>"$work/resident" 2>&1 & reporter=$!
	wait_until is_taken && kill -"$1" $reporter
	wait $reporter
	status=$?
	# after KILL, a child of the report does it
	T_WAIT=10 wait_until is_free && [ $status = $((128 + $(kill -l "$1"))) ]
}

signals_restore_damon()
{
	run_cold && stop_by INT && stop_by TERM && stop_by KILL && end_cold
}

# Its memory is not known any more, and the report says so
ended_processes_are_told()
{
	local reporter
	run_cold || return
	memprofctl report -i "$work/region" --cold 3 -v >"$work/resident" 2>&1 & reporter=$!
	wait_until is_taken && { kill -KILL $pid; wait $pid; } 2>/dev/null
	wait $reporter && is_free &&
	grep -q 'processes without COLD: they ended while report --cold watched' \
		"$work/resident" && return
	note "$work/resident"
	return 1
}

recordings_are_not_watched()
{
	memprofctl record -q --preload -o "$work/data" -- true 2>"$work/said" &&
	! memprofctl report -i "$work/data" --cold 1 >"$work/resident" 2>"$work/error" &&
	grep -q 'is a recording: pages are watched in processes that run' "$work/error" &&
	! memprofctl report --cold 1 --view rss 2>"$work/error" &&
	grep -q -- '--cold needs --view resident' "$work/error"
}
