#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host: differences between recordings of programs that allocate known blocks.
. "$(dirname "$0")/lib.sh"
. scripts/cache
PATH=$CACHE/tools:$PATH
here=$top/tests/export

# preload FILE COMMAND...
preload()
{
	memprofctl record --preload -q -f -o "$1" --rate 1 -- "${@:2}" \
		>/dev/null
}

# The same functions and the same name, of another build: one calls what the
# other does not.
make_recordings()
{
	mkdir -p "$fix/a" "$fix/b" "$fix/c" &&
	gcc -O2 -g -o "$fix/a/tree" $programs/tree.c &&
	sed 's/leaf(size + 1000)/elsewhere(size + 1000)/
		s/^NOINLINE static void \*other/NOINLINE static void *elsewhere(size_t size)\n{\n\tvoid *block = malloc(size);\n\n\tkeep[9] = block;\n\treturn block;\n}\n\n&/' \
		$programs/tree.c >"$fix/b/tree.c" &&
	gcc -O2 -g -o "$fix/b/tree" "$fix/b/tree.c" &&
	sed 's/+ 1000/+ 9000/' "$fix/b/tree.c" >"$fix/c/tree.c" &&
	gcc -O2 -g -o "$fix/c/tree" "$fix/c/tree.c" &&
	preload "$fix/few.data" "$fix/c/tree" 3 &&
	preload "$fix/ten.data" "$fix/a/tree" 10 &&
	preload "$fix/more.data" "$fix/a/tree" 25 &&
	preload "$fix/moved.data" "$fix/b/tree" 10 &&
	preload "$fix/sh.data" sh -c "'$fix/a/tree' 4; '$fix/b/tree' 6"
}

# recording NAME: its file; those that a check made come first
recording()
{
	if [ -e "$work/$1.data" ]; then
		echo "$work/$1.data"
	else
		echo "$fix/$1.data"
	fi
}

# diff_of OLD NEW [OPTION]...
diff_of()
{
	needs recordings &&
	memprofctl diff "${@:3}" "$(recording $1)" "$(recording $2)"
}

# is TEXT COMMAND...: prints this, but for blanks
is()
{
	local wanted=$1 got
	shift
	got=$("$@" | sed '1 { / than before \| as before /!q1; N; d }; /^$/,$d' | tr -s ' ' |
		sed 's/^ //')
	[ "$got" = "$wanted" ] || {
		echo "$got" | sed "s/^/# $1: /"
		return 1
	}
}

# The sizes of a process at its end are in the recording, but are not the same each time.
without_rss() { diff_of "$@" | sed -E 's/^ *[-+]?[0-9]+ +([-+])/R \1/'; }

tables_are_exact()
{
	is "AT-PEAK ALLOC'D ALLOCS TOUCHED GROWTH OLD AT-PEAK NEW AT-PEAK COMM CALLSITE
+45000 +45000 +30 0 0 30000 75000 tree leaf tree.c:19
+45000 +45000 +30 0 0 30000 75000 total: 1 differ" \
		diff_of ten more --bytes &&
	is "AT-PEAK ALLOC'D ALLOCS TOUCHED GROWTH OLD AT-PEAK NEW AT-PEAK COMM CALLSITE
-43.9K -43.9K -30 0 0 73.2K 29.3K tree leaf tree.c:19
-43.9K -43.9K -30 0 0 73.2K 29.3K total: 1 differ" \
		diff_of more ten &&
	is "RSS AT-PEAK ALLOC'D TOUCHED GROWTH OLD AT-PEAK NEW AT-PEAK COMM
R +45000 +45000 0 0 30000 75000 tree
R +45000 +45000 0 0 30000 75000 total: 1 differ" \
		without_rss ten more --bytes --by process &&
	diff_of ten more --bytes | head -n 1 | grep -qxF "AT-PEAK is 45000 more than before (75000, was 30000); the largest difference is +45000 in leaf tree.c:19" &&
	diff_of more ten | head -n 1 | grep -qF "AT-PEAK is 43.9K less than before (29.3K, was 73.2K)" &&
	diff_of ten ten | head -n 1 | grep -qx "AT-PEAK is the same as before (29.3K)" &&
	diff_of ten more | tail -n 2 | tr '\n' ' ' |
		grep -qxF "old: $fix/ten.data new: $fix/more.data "
}

# Callsites that only one of the two has, with the widest difference first
callsites_of_one_side_are_shown()
{
	is "AT-PEAK ALLOC'D ALLOCS TOUCHED GROWTH OLD AT-PEAK NEW AT-PEAK COMM CALLSITE
+20000 +20000 +10 0 0 0 20000 tree elsewhere tree.c:35
-20000 -20000 -10 0 0 30000 10000 tree leaf tree.c:19
0 0 0 0 0 30000 30000 total: 2 differ" diff_of ten moved --bytes &&
	is "AT-PEAK ALLOC'D ALLOCS TOUCHED GROWTH OLD AT-PEAK NEW AT-PEAK COMM CALLSITE
+20000 +20000 +10 0 0 10000 30000 tree leaf tree.c:19
-20000 -20000 -10 0 0 20000 0 tree elsewhere tree.c:35
0 0 0 0 0 30000 30000 total: 2 differ" diff_of moved ten --bytes
}

sorts_limits_and_filters_hold()
{
	is "AT-PEAK ALLOC'D ALLOCS TOUCHED GROWTH OLD ALLOCS NEW ALLOCS COMM CALLSITE
-27000 -27000 -17 0 0 20 3 tree leaf tree.c:19
... and 1 more (-n 0 shows all)
+3000 +3000 -14 0 0 20 6 total: 2 differ" \
		diff_of ten few --bytes --sort alloc_objects -n 1 &&
	is "AT-PEAK ALLOC'D ALLOCS TOUCHED GROWTH OLD AT-PEAK NEW AT-PEAK COMM CALLSITE
+30000 +30000 +3 0 0 0 30000 tree elsewhere tree.c:35
-27000 -27000 -17 0 0 30000 3000 tree leaf tree.c:19
+3000 +3000 -14 0 0 30000 33000 total: 2 differ" \
		diff_of ten few --bytes &&
	is "AT-PEAK ALLOC'D ALLOCS TOUCHED GROWTH OLD AT-PEAK NEW AT-PEAK COMM CALLSITE
-20000 -20000 -10 0 0 20000 0 tree elsewhere tree.c:35
-20000 -20000 -10 0 0 20000 0 total: 1 differ" \
		diff_of moved ten --bytes --filter symbol=elsewhere
}

json_has_both_sides()
{
	diff_of ten moved --json >"$work/json" &&
	diff_of ten more --json --by process >"$work/by" &&
	[ "$(rows list callsite delta.inuse_space where type!=summary \
		<"$work/json")" = "elsewhere 20000
leaf -20000" ] &&
	rows holds 'all(after[key] - before[key] == value
			for key, value in delta.items())' <"$work/json" &&
	rows holds 'delta["peak_space"] is not None' where type!=summary \
		<"$work/json" &&
	rows holds 'rows == 2 and not rows_hidden and "peak_space" not in delta' \
		where type=summary <"$work/json" &&
	[ "$(tail -n 1 "$work/json" | rows count where type=summary)" = 1 ] &&
	[ "$(rows count where callsite!= <"$work/by")" = 0 ] &&
	[ "$(rows value comm before.alloc_objects after.alloc_objects \
		where type!=summary <"$work/by")" = "tree 20 50" ]
}

# total METRIC NAME: of callsites
total()
{
	needs recordings &&
	report -i "$(recording $2)" --by callsite | rows total "$1"
}

# Each line has a value of both: their sums are those of the reports
folded_lines_are_both_reports()
{
	local m sums
	for m in inuse_space alloc_objects; do
		for pair in 'ten more' 'ten moved' 'sh moved'; do
			set -- $pair
			diff_of $1 $2 --format folded --sort $m >"$work/folded" &&
			! grep -qvE '^[^;]+(;[^;]+)* [0-9]+ [0-9]+$' "$work/folded" ||
				return
			sums=$(awk '{ b += $(NF - 1); a += $NF } END { print b, a }' \
				"$work/folded")
			echo "# $pair, $m: $sums"
			[ "$sums" = "$(total $m $1) $(total $m $2)" ] || return
		done
	done
	diff_of ten moved --format folded >"$work/folded"
	grep -qx '.*;other;leaf 20000 0' "$work/folded" &&
	grep -qx '.*;other;elsewhere 0 20000' "$work/folded" &&
	grep -qx '.*;middle;leaf 10000 10000' "$work/folded" &&
	[ "$(wc -l <"$work/folded")" = 3 ]
}

pprof_has_both_signs()
{
	diff_of ten moved --format pprof -o "$work/pprof" -f &&
	pprof -top -unit=B -sample_index=inuse_space -nodefraction=0 \
		"$work/pprof" >"$work/top" 2>"$work/err" &&
	grep -qE '^ +20000B .* 20000B .* elsewhere$' "$work/top" &&
	grep -qE '^ +-20000B .* -20000B .* leaf$' "$work/top" &&
	diff_of more ten --format pprof -o "$work/pprof" -f &&
	pprof -top -sample_index=alloc_objects "$work/pprof" >"$work/top" \
		2>"$work/err" &&
	grep -qE '^ +-30 .* leaf$' "$work/top" &&
	grep -qE '^ +0 .* -15 .* middle$' "$work/top"
}

# pictures OLD NEW: "NAME VALUE" of what is red, blue, and the same in them
pictures_are_coloured()
{
	local f
	for f in svg html; do
		diff_of $1 $2 --format $f -o "$work/picture.$f" -f &&
		node $here/check-difference.js "$work/picture.$f" "${@:3}" ||
			return
	done
}

nothing_differs_from_itself()
{
	local name
	for name in ten moved sh; do
		diff_of $name $name | grep -q ' 0 differ' &&
		[ "$(diff_of $name $name --json | wc -l)" = 1 ] &&
		diff_of $name $name --format folded | awk '
			$NF != $(NF - 1) || !$NF { bad = 1 }
			END { exit bad || !NR }' || return
	done
	diff_of ten ten --format pprof -o "$work/pprof" -f &&
	pprof -top -unit=B "$work/pprof" 2>"$work/err" >"$work/top" &&
	! grep -qE '[1-9][0-9]*B .* leaf$' "$work/top"
}

# says STATUS TEXT COMMAND...: complains, and prints nothing else
says()
{
	complains "$@" && [ ! -s "$work/out" ]
}

mistakes_are_told()
{
	needs recordings &&
	says 2 'two recordings are needed' memprofctl diff "$fix/ten.data" a b &&
	says 1 'no session is running' env MEMPROF_RUNDIR="$work/none" \
		memprofctl diff "$fix/ten.data" &&
	says 2 "not 'csv'" diff_of ten more --format csv &&
	says 2 'by and --json cannot be used' diff_of ten more --format svg --json &&
	says 2 '-o and -f go with --format' diff_of ten more -o "$work/x" &&
	says 2 'options come before' memprofctl diff a b -- c d --sort touched &&
	says 2 'PEAK does not' diff_of ten more --format svg --sort peak &&
	says 1 'No such file' diff_of none more &&
	says 1 'No such file' diff_of ten none || return
	echo precious >"$work/there"
	says 1 'File exists' diff_of ten more --format svg -o "$work/there" &&
	grep -q precious "$work/there" &&
	says 1 'cannot write standard output' bash -c \
		"memprofctl diff '$fix/ten.data' '$fix/more.data' --format folded >/dev/full"
}

# Whichever side they are on: told, or what could be read is shown with a warning
broken_files_do_no_harm()
{
	local size at side status
	needs recordings || return
	size=$(stat -c %s "$fix/ten.data")
	says 1 'not a regular file' memprofctl diff /dev/null "$fix/ten.data" &&
	says 1 'not a regular file' memprofctl diff "$fix/ten.data" /dev/null ||
		return
	for at in 0 7 104 500 $((size / 2)) $((size - 9)); do
		for side in cut random; do
			head -c $at "$fix/ten.data" >"$work/bad.data"
			[ $side = cut ] ||
				head -c $((size - at)) /dev/urandom >>"$work/bad.data"
			for pair in 'bad ten' 'ten bad' 'bad bad'; do
				for f in '' '--format folded' '--format pprof'; do
					timeout 20 memprofctl diff $f \
						"$(recording ${pair% *})" \
						"$(recording ${pair#* })" \
						>"$work/out" 2>"$work/err"
					status=$?
					[ $status = 0 ] || { [ $status = 1 ] &&
						grep -q '^memprofctl: ' "$work/err"; } || {
						echo "# $pair, $side at $at, $f: $status"
						return 1
					}
				done
			done
		done
	done
}

# A function and a program that call themselves what would hurt
hostile_names_are_text()
{
	local name='</title><script>window.evil=1</script>";,=\]]>&#x41; $(x)'
	gcc -O2 -o "$work/plain" $programs/tree.c &&
	objcopy --redefine-sym "leaf=$name" "$work/plain" "$work/=<b>;\"&'" &&
	preload "$work/hostile.data" "$work/=<b>;\"&'" 10 &&
	# two commands are one, with the name of the first
	diff_of hostile ten | grep -qF "$name" &&
	diff_of hostile ten --json | grep -F evil |
		rows list comm callsite >"$work/names" &&
	[ "$(<"$work/names")" = "=<b>;\"&' $name" ] &&
	pictures_are_coloured hostile ten leaf + 30000 "$name" - 30000 &&
	pictures_are_coloured ten hostile "$name" + 30000 leaf - 30000
}

snapshots_of_a_process_differ()
{
	cat >"$work/grow.c" <<-'END'
	#include <stdio.h>
	#include <stdlib.h>
	void *keep[64];
	__attribute__((noinline)) void grow(void)
	{
		for (int i = 0; i < 10; i++)
			keep[i] = malloc(500);
	}
	__attribute__((noinline)) void shrink(void)
	{
		for (int i = 20; i < 26; i++)
			free(keep[i]);
	}
	__attribute__((noinline)) void early(void)
	{
		for (int i = 20; i < 30; i++)
			keep[i] = malloc(700);
	}
	int main(void)
	{
		setvbuf(stdout, NULL, _IONBF, 0);
		setvbuf(stdin, NULL, _IONBF, 0);
		early();
		puts("early");
		getchar();
		grow();
		shrink();
		puts("grown");
		getchar();
		return 0;
	}
	END
	gcc -O1 -g -o "$work/grow" "$work/grow.c" && mkfifo "$work/in" ||
		return
	memprofctl record --preload -q -f -o "$work/whole.data" --rate 1 -- \
		"$work/grow" <"$work/in" >"$work/said" &
	exec 7>"$work/in"
	wait_for early "$work/said"
	local of
	of=$(pgrep -x grow -n)
	# the second one makes .old of the first, as record does; what is no recording stays
	memprofctl snapshot -q -o "$work/second.data" -p "$of" && echo >&7 &&
	wait_for grown "$work/said" &&
	memprofctl snapshot -q -o "$work/second.data" -p "$of" &&
	mv "$work/second.data.old" "$work/first.data" && echo text >"$work/text" &&
	complains 1 'File exists' memprofctl snapshot -o "$work/text" -p "$of"
	echo >&7
	exec 7>&-
	wait
	is "LIVE ALLOC'D ALLOCS TOUCHED GROWTH OLD LIVE NEW LIVE COMM CALLSITE
+5000 +5000 +10 0 0 0 5000 grow grow grow.c:7
-4200 0 0 0 0 7000 2800 grow early grow.c:17
+800 +5000 +10 0 0 7000 7800 total: 2 differ" \
		diff_of first second --bytes
}

# of one side: 100 blocks of changed(), or 60, and 100 to 160 blocks of noisy()
make_runs()
{
	cat >"$fix/runs.c" <<-'END' &&
	#include <stdlib.h>
	#define FUNCTION(name) __attribute__((noinline)) void *name(void) \
		{ void *volatile block = malloc(5000); return block; }
	FUNCTION(changed)
	FUNCTION(noisy)
	int main(int argc, char **argv)
	{
		int i;
		for (i = 0; argc > 2 && i < atoi(argv[1]); i++) changed();
		for (i = 0; argc > 2 && i < atoi(argv[2]); i++) noisy();
		return 0;
	}
	END
	gcc -O1 -g -o "$fix/runs" "$fix/runs.c" || return
	local i=0 noisy
	for noisy in 100 160 130; do
		preload "$fix/old$((++i)).data" "$fix/runs" 100 $noisy &&
		preload "$fix/new$i.data" "$fix/runs" 60 $((noisy + 10)) || return
	done
}

# What differs by no more than the runs among themselves is left out
repeated_runs_have_medians()
{
	needs runs || return
	memprofctl diff "$fix"/old?.data -- "$fix"/new?.data --bytes -s inuse_space \
		>"$work/none" 2>&1 && return 1
	memprofctl diff -s inuse_space --bytes "$fix"/old?.data -- "$fix"/new?.data \
		>"$work/table" || return
	grep -qE '^-200000 .* 500000 +300000 +0  runs  changed runs.c:4$' "$work/table" &&
	! grep -q noisy "$work/table" &&
	grep -q 'median of 3 runs' "$work/table" &&
	memprofctl diff -s inuse_space --json "$fix"/old?.data -- "$fix"/new?.data \
		>"$work/json" &&
	rows holds 'noise["inuse_space"] == 0 and delta["inuse_space"] == -200000' \
		where type=difference <"$work/json" &&
	rows holds 'noise["inuse_space"] == 300000' where type=summary <"$work/json" &&
		return
	note "$work/table"
	return 1
}

# Where the peak is the same, it is told who allocates less.
less_churn_is_told()
{
	local i
	cat >"$work/churn.c" <<-'END' &&
	#include <stdlib.h>
	#define FUNCTION(name) __attribute__((noinline)) void *name(size_t size) \
		{ void *volatile block = malloc(size); return block; }
	FUNCTION(keep)
	FUNCTION(frame)
	int main(int argc, char **argv)
	{
		int i;
		for (i = 0; i < 100; i++) keep(5000);
		for (i = 0; i < 5000; i++) free(frame(atoi(argv[argc - 1])));
		return 0;
	}
	END
	gcc -O1 -g -o "$work/churn" "$work/churn.c" || return
	for i in 1 2; do
		preload "$work/old$i.data" "$work/churn" 1000 &&
		preload "$work/new$i.data" "$work/churn" 800 || return
	done
	memprofctl diff "$work"/old?.data -- "$work"/new?.data >"$work/table" &&
	head -n 1 "$work/table" | grep -q "^AT-PEAK differs by no more than the noise (.*); ALLOC'D is 97[67]K less than before (.*); the largest difference is -97[67]K in frame churn.c:5$" && return
	note "$work/table"
	return 1
}

# Rows within the error of samples are not shown, and counted; JSON has them with their noise
samples_have_noise()
{
	local of
	needs recordings || return
	for of in "one 400" "same 400" "more 800"; do
		memprofctl record --preload -q --rate 2K -o "$work/${of% *}" -- \
			"$fix/a/tree" ${of#* } >/dev/null || return
	done
	for of in same more; do
		memprofctl diff -s alloc_space "$work/one" "$work/$of" >"$work/table.$of" &&
		memprofctl diff -s alloc_space --json "$work/one" "$work/$of" >"$work/json.$of" || return
	done
	grep -Eq '^ *\+.* tree  leaf tree.c:19$' "$work/table.more" &&
	python3 - "$work" <<-'END' && return
	import json, math, re, statistics, sys
	for of in "same", "more":
	    rows = [json.loads(line) for line in open(sys.argv[1] + "/json." + of)]
	    rows = [row for row in rows if row["type"] == "difference"]
	    key = "alloc_space"
	    errors = statistics.NormalDist().inv_cdf(1 - 0.025 / len(rows))
	    for row in rows:
	        want = math.hypot(*(errors * math.sqrt(row[side].get(key, 0) * 2048)
	                            for side in ("before", "after")))
	        assert abs(row["noise"][key] - want) < 0.01 * want, row
	    shown = [row for row in rows if abs(row["delta"][key]) > row["noise"][key]]
	    table = open(sys.argv[1] + "/table." + of).read()
	    assert " %d differ" % len(shown) in table, table
	    assert "samples: %d (" % (len(rows) - len(shown)) in table, table
	    for row in rows:
	        assert ((" tree  %s tree.c:" % row["callsite"]) in table) == (row in shown), table
	END
	note "$work/table.same" "$work/table.more"
	return 1
}

# As a user has them after two times record
the_last_two_are_compared()
{
	needs recordings || return
	(cd "$work" &&
	memprofctl record --preload -q --rate 1 -- "$fix/a/tree" 10 >/dev/null &&
	memprofctl record --preload -q --rate 1 -- "$fix/a/tree" 25 >/dev/null &&
	memprofctl diff --bytes -s inuse_space) >"$work/table" &&
	grep -qE '^ *\+45000 .* 30000 +75000  tree  leaf tree.c:[0-9]+$' "$work/table"
}

# preload_on HOST FILE COMMAND...: on a machine of that name
preload_on()
{
	unshare --uts bash -c 'hostname "$1" && shift && exec "$@"' bash "$1" \
		memprofctl record --preload -q -f -o "$2" --rate 1 -- "${@:3}" >/dev/null
}

# The same program at two paths, and another one
make_machines()
{
	needs recordings && mkdir -p "$fix/d" && cp "$fix/a/tree" "$fix/d/tree" &&
	preload_on host-a "$fix/host-a" "$fix/a/tree" 10 &&
	preload_on host-b "$fix/host-b" "$fix/d/tree" 25 &&
	preload_on host-c "$fix/host-c" "$fix/c/tree" 3 &&
	memprofctl merge -q -o "$fix/hosts" "$fix/host-a" "$fix/host-b" "$fix/host-c"
}

summed="alloc_objects alloc_space free_objects inuse_objects inuse_space at_exit_space at_peak_space"

# totals FILE [OPTION]...: the sums of its callsites
totals()
{
	local metric
	report -i "$1" --by callsite "${@:2}" >"$work/rows.json" || return
	for metric in $summed; do
		rows total $metric <"$work/rows.json" || return
	done
}

merged_sums_are_exact()
{
	needs machines || return
	local all=("$fix/host-a" "$fix/host-b" "$fix/host-c") got wanted
	got=$(totals "$fix/hosts" | paste -s)
	wanted=$(for f in "${all[@]}"; do totals "$f" | paste -s; done |
		awk '{ for (i = 1; i <= NF; i++) sum[i] += $i } END {
			for (i = 1; i <= NF; i++) printf "%s%d", (i > 1 ? "\t" : ""), sum[i] }')
	echo "# $summed"
	echo "# $got"
	[ "$(echo "$got" | tr -d '0\t')" ] && [ "$got" = "$wanted" ] &&
	[ "$(report -i "$fix/hosts" --by process | rows sum alloc_space where type=process)" = \
		"$(for f in "${all[@]}"; do report -i "$f" --by process |
			rows sum alloc_space where type=process; done | paste -sd+ | bc)" ]
}

# leaf() of a and d is one callsite, in whatever folder; that of another build is its own
merged_callsites_are_one_by_build_id()
{
	needs machines || return
	local leaf='where type=site function=leaf'
	report -i "$fix/hosts" --group-by callsite >"$work/sites"
	[ "$(rows list alloc_space processes $leaf <"$work/sites" | sort -n)" = \
		"3000 1
105000 2" ] && return
	rows list function alloc_space processes where type=site <"$work/sites" | sed 's/^/# /'
	return 1
}

machines_have_rows_and_filters()
{
	needs machines || return
	local f
	[ "$(report -i "$fix/hosts" --by host | rows list host where type=host | sort | paste -s)" = \
		"host-a	host-b	host-c" ] || return
	for f in host-a host-b host-c; do
		[ "$(totals "$fix/hosts" --filter host=$f | paste -s)" = \
			"$(totals "$fix/$f" | paste -s)" ] &&
		[ "$(report -i "$fix/hosts" --by host |
			rows value alloc_space where type=host host=$f)" = \
			"$(report -i "$fix/$f" --by host | rows value alloc_space where type=host)" ] ||
			return
	done
	memprofctl report -i "$fix/hosts" --by host | grep -q '^total: 3 hosts' &&
	memprofctl report -i "$fix/hosts" --group-by callsite,host -n 0 >"$work/tables" &&
	memprofctl report -i "$fix/hosts" >>"$work/tables" &&
	grep -q 'HOST *PID' "$work/tables" && grep -q ' host-a  *1 proc  .* leaf' "$work/tables" &&
	grep -q '^HOST ' "$work/tables" && grep -q '^host-c  *[0-9]' "$work/tables"
}

merges_can_be_merged()
{
	needs machines || return
	memprofctl merge -q -o "$work/two" "$fix/host-a" "$fix/host-b" &&
	memprofctl merge -q -o "$work/again" "$work/two" "$fix/host-c" &&
	[ "$(totals "$work/again" | paste -s)" = "$(totals "$fix/hosts" | paste -s)" ] &&
	[ "$(report -i "$work/again" --by host | rows list host where type=host | sort | paste -s)" = \
		"host-a	host-b	host-c" ]
}

# refuses WORD ARGUMENT...: merge fails, says WORD, and leaves nothing
refuses()
{
	memprofctl merge -o "$work/out" "${@:2}" 2>"$work/said" && return 1
	sed 's/^/# /' "$work/said"
	grep -q -- "$1" "$work/said" && [ -z "$(ls -A "$work" | grep out)" ]
}

bad_recordings_are_named()
{
	needs machines || return
	head -c 3000 "$fix/host-b" >"$work/cut"
	echo nothing >"$work/text"
	head -c -2000 "$fix/host-b" >"$work/short"
	refuses "$work/cut" "$fix/host-a" "$work/cut" &&
	refuses "$work/text" "$work/text" "$fix/host-a" &&
	refuses "$work/absent" "$fix/host-a" "$work/absent" &&
	refuses "$work/short" "$fix/host-a" "$work/short" || return
	memprofctl merge -o "$work/out" --skip-bad "$fix/host-a" "$work/text" "$work/absent" \
		"$work/cut" "$fix/host-b" "$work/short" "$fix/host-c" 2>"$work/said" || return
	sed 's/^/# /' "$work/said"
	grep -q "$work/text is left out" "$work/said" && grep -q "$work/cut is left out" "$work/said" &&
	[ "$(totals "$work/out" | paste -s)" = "$(totals "$fix/hosts" | paste -s)" ] &&
	rm "$work/out" && refuses "none of the recordings" --skip-bad "$work/text"
}

outputs_are_not_replaced_by_accident()
{
	needs machines || return
	cp "$fix/host-a" "$work/there" && cp "$work/there" "$work/kept"
	! memprofctl merge -o "$work/there" "$fix/host-b" 2>"$work/said" &&
	grep -q -- -f "$work/said" && cmp "$work/there" "$work/kept" &&
	! memprofctl merge -f -o "$work/there" "$fix/host-b" "$work/absent" 2>/dev/null &&
	cmp "$work/there" "$work/kept" &&
	memprofctl merge -q -f -o "$work/there" "$work/there" "$fix/host-b" &&
	[ "$(report -i "$work/there" --by host | rows count where type=host)" = 2 ]
}

# Another build has another name, and so have its rows
other_names_are_matched()
{
	needs recordings && cp "$fix/b/tree" "$work/tree-2" &&
	preload "$work/renamed.data" "$work/tree-2" 10 &&
	memprofctl diff "$fix/ten.data" "$work/renamed.data" >"$work/table" || return
	memprofctl diff "$fix/ten.data" "$fix/moved.data" >"$work/want" &&
	grep -q '^tree and tree-2 are compared as one command$' "$work/table" &&
	diff <(grep -vE '^(new:|tree and)' "$work/table") <(grep -v '^new:' "$work/want") && return
	note "$work/table"
	return 1
}

# Beside a command that both sides have; the pictures have one tree, too
commands_beside_others_are_matched()
{
	needs recordings && cp "$fix/b/tree" "$work/tree-2" &&
	memprofctl record --preload --rate 1 -q -f -o "$work/one.data" -- \
		sh -c '"$0" 10; true' "$fix/b/tree" &&
	memprofctl record --preload --rate 1 -q -f -o "$work/two.data" -- \
		sh -c '"$0" 10; true' "$work/tree-2" &&
	memprofctl diff "$work/one.data" "$work/two.data" >"$work/table" &&
	# the shell has a variable more or less
	! grep -E '^ *[-+0-9].*  tree(-2)?  ' "$work/table" &&
	grep -q '^tree and tree-2 are compared as one command$' "$work/table" &&
	memprofctl diff --format folded -f -o "$work/folded" "$work/one.data" "$work/two.data" &&
	! grep -q '^tree-2;' "$work/folded" && grep -q '^tree;' "$work/folded" && return
	note "$work/table" "$work/folded"
	return 1
}

# Record, build again in the same place, and look at the first recording then
programs_that_are_built_again_keep_their_names()
{
	printf '%s\n' '#include <stdlib.h>' 'void *kept;' \
		'__attribute__((noinline)) void keep(void) { kept = malloc(100000); }' \
		'int main(void) { keep(); return 0; }' >"$work/again.c" &&
	gcc -g -o "$work/again" "$work/again.c" &&
	memprofctl record --preload --rate 1 -q -o "$work/first.data" -- "$work/again" &&
	sed -i 's/100000/300000/; s/keep(/hold(/' "$work/again.c" &&
	gcc -g -o "$work/again" "$work/again.c" &&
	memprofctl record --preload --rate 1 -q -o "$work/second.data" -- "$work/again" &&
	memprofctl diff "$work/first.data" "$work/second.data" >"$work/table" &&
	grep -Eq -- '-97\.7K .* again +keep again.c:3$' "$work/table" &&
	grep -Eq '\+293K .* again +hold again.c:3$' "$work/table" &&
	memprofctl report -i "$work/first.data" >"$work/report" &&
	grep -q 'keep again.c:3$' "$work/report" &&
	MEMPROF_SYMBOL_CACHE=off memprofctl report -i "$work/first.data" >"$work/report" &&
	grep -q 'in again, which is not the file of then any more, and no copy was kept' \
		"$work/report" &&
	rm "$work/again" && memprofctl report -i "$work/first.data" >"$work/report" &&
	grep -q 'keep again.c:3$' "$work/report" && return
	note "$work/table" "$work/report"
	return 1
}

check "tables have the exact differences" tables_are_exact
check "callsites that only one side has are shown" \
	callsites_of_one_side_are_shown
check "sorts, limits and filters hold" sorts_limits_and_filters_hold
check "json has both sides and their difference" json_has_both_sides
check "folded: the sums are those of both reports" \
	folded_lines_are_both_reports
check "pprof shows more and less" pprof_has_both_signs
check "svg and html are red where there is more" \
	pictures_are_coloured ten more middle + 15000 other + 30000
check "svg and html are blue where there is less" \
	pictures_are_coloured more ten middle - 15000 other - 30000
check "svg and html have both in one" \
	pictures_are_coloured ten moved elsewhere + 20000 leaf - 20000
check "a recording does not differ from itself" nothing_differs_from_itself
check "snapshots of one process can be compared" snapshots_of_a_process_differ
check "repeated runs have medians and noise" repeated_runs_have_medians
check "less churn is told where the peak is the same" less_churn_is_told
check "samples that differ by chance are not shown" samples_have_noise
check "without files, the last two recordings are compared" the_last_two_are_compared
check "builds with other names are matched" other_names_are_matched
check "also beside other commands" commands_beside_others_are_matched
check "a program that is built again keeps its names" \
	programs_that_are_built_again_keep_their_names
check "mistakes are told" mistakes_are_told
check "broken files do no harm on either side" broken_files_do_no_harm
check "hostile names are text" hostile_names_are_text

machines_obstacle()
{
	unshare --uts true 2>/dev/null || echo "no namespace of machine names can be made"
}

why=$(machines_obstacle)
merging() { check_unless "$why" "$@"; }
merging "merge: the sums are those of the recordings" merged_sums_are_exact
merging "merge: code is the same by its build-id, whatever its path" \
	merged_callsites_are_one_by_build_id
merging "merge: machines have rows, and can be chosen" machines_have_rows_and_filters
merging "merge: a sum can be added to others" merges_can_be_merged
merging "merge: bad recordings are named, and left out if that is asked for" \
	bad_recordings_are_named
merging "merge: no output is replaced by accident, and none is half" \
	outputs_are_not_replaced_by_accident
plan
