#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host: differences between recordings of programs that allocate known blocks.
cd "$(dirname "$0")/.." || exit 1
. scripts/cache
. tests/guest/tap.sh
PATH=$PWD/build/user/memprofctl:$CACHE/tools:$PATH
unset MEMPROF_LIBRARY
work=$(mktemp -d)
export MEMPROF_RUNDIR=$work/run MEMPROF_SYMBOL_CACHE=$work/cache
mkdir -m 700 "$MEMPROF_RUNDIR"
programs=$PWD/tests/programs
here=$PWD/tests/export
pid=''

cleanup()
{
	[ -z "$pid" ] || kill "$pid" 2>/dev/null
	wait
	rm -rf "$work"
}
trap cleanup EXIT

# preload NAME COMMAND...: into $work/NAME.data
preload()
{
	local name=$1
	shift
	memprofctl record --preload -q -f -o "$work/$name.data" --rate 1 -- \
		"$@" >/dev/null
}

# The same functions and the same name, of another build: one calls what the
# other does not.
recordings_are_made()
{
	mkdir -p "$work/a" "$work/b" "$work/c" &&
	gcc -O2 -g -o "$work/a/tree" $programs/tree.c &&
	sed 's/leaf(size + 1000)/elsewhere(size + 1000)/
		s/^NOINLINE static void \*other/NOINLINE static void *elsewhere(size_t size)\n{\n\tvoid *block = malloc(size);\n\n\tkeep[9] = block;\n\treturn block;\n}\n\n&/' \
		$programs/tree.c >"$work/b/tree.c" &&
	gcc -O2 -g -o "$work/b/tree" "$work/b/tree.c" &&
	sed 's/+ 1000/+ 9000/' "$work/b/tree.c" >"$work/c/tree.c" &&
	gcc -O2 -g -o "$work/c/tree" "$work/c/tree.c" &&
	preload few "$work/c/tree" 3 &&
	preload ten "$work/a/tree" 10 &&
	preload more "$work/a/tree" 25 &&
	preload moved "$work/b/tree" 10 &&
	preload sh sh -c "'$work/a/tree' 4; '$work/b/tree' 6"
}

# diff OLD NEW [OPTION]...
diff_of()
{
	memprofctl diff "${@:3}" "$work/$1.data" "$work/$2.data"
}

# is TEXT COMMAND...: prints this, but for blanks
is()
{
	local wanted=$1 got
	shift
	got=$("$@" | sed '/^$/,$d' | tr -s ' ' | sed 's/^ //')
	[ "$got" = "$wanted" ] || {
		echo "$got" | sed "s/^/# $1: /"
		return 1
	}
}

tables_are_exact()
{
	is "LIVE ALLOC'D ALLOCS TOUCHED GROWTH OLD LIVE NEW LIVE COMM CALLSITE
+45000 +45000 +30 0 0 30000 75000 tree leaf
+45000 +45000 +30 0 0 30000 75000 total: 1 differ" \
		diff_of ten more --bytes &&
	is "LIVE ALLOC'D ALLOCS TOUCHED GROWTH OLD LIVE NEW LIVE COMM CALLSITE
-43.9K -43.9K -30 0 0 73.2K 29.3K tree leaf
-43.9K -43.9K -30 0 0 73.2K 29.3K total: 1 differ" \
		diff_of more ten &&
	is "RSS LIVE ALLOC'D TOUCHED GROWTH OLD LIVE NEW LIVE COMM
0 +45000 +45000 0 0 30000 75000 tree
0 +45000 +45000 0 0 30000 75000 total: 1 differ" \
		diff_of ten more --bytes --by process &&
	diff_of ten more | tail -n 2 | tr '\n' ' ' |
		grep -qxF "old: $work/ten.data new: $work/more.data "
}

# Callsites that only one of the two has, with the widest difference first
callsites_of_one_side_are_shown()
{
	is "LIVE ALLOC'D ALLOCS TOUCHED GROWTH OLD LIVE NEW LIVE COMM CALLSITE
+20000 +20000 +10 0 0 0 20000 tree elsewhere
-20000 -20000 -10 0 0 30000 10000 tree leaf
0 0 0 0 0 30000 30000 total: 2 differ" diff_of ten moved --bytes &&
	is "LIVE ALLOC'D ALLOCS TOUCHED GROWTH OLD LIVE NEW LIVE COMM CALLSITE
+20000 +20000 +10 0 0 10000 30000 tree leaf
-20000 -20000 -10 0 0 20000 0 tree elsewhere
0 0 0 0 0 30000 30000 total: 2 differ" diff_of moved ten --bytes
}

sorts_limits_and_filters_hold()
{
	is "LIVE ALLOC'D ALLOCS TOUCHED GROWTH OLD ALLOCS NEW ALLOCS COMM CALLSITE
-27000 -27000 -17 0 0 20 3 tree leaf
... and 1 more (-n 0 shows all)
+3000 +3000 -14 0 0 20 6 total: 2 differ" \
		diff_of ten few --bytes --sort alloc_objects -n 1 &&
	is "LIVE ALLOC'D ALLOCS TOUCHED GROWTH OLD LIVE NEW LIVE COMM CALLSITE
+30000 +30000 +3 0 0 0 30000 tree elsewhere
-27000 -27000 -17 0 0 30000 3000 tree leaf
+3000 +3000 -14 0 0 30000 33000 total: 2 differ" \
		diff_of ten few --bytes &&
	is "LIVE ALLOC'D ALLOCS TOUCHED GROWTH OLD LIVE NEW LIVE COMM CALLSITE
-20000 -20000 -10 0 0 20000 0 tree elsewhere
-20000 -20000 -10 0 0 20000 0 total: 1 differ" \
		diff_of moved ten --bytes --filter symbol=elsewhere
}

json_has_both_sides()
{
	diff_of ten moved --json >"$work/json" &&
	diff_of ten more --json --by process >"$work/by" &&
	python3 - "$work" <<-'END'
	import json, sys
	def read(name):
	    return [json.loads(line) for line in open(sys.argv[1] + "/" + name)]
	*rows, end = read("json")
	assert [(row["callsite"], row["delta"]["inuse_space"]) for row in rows] == [
	    ("elsewhere", 20000), ("leaf", -20000)], rows
	for row in rows + [end]:
	    for key, value in row["delta"].items():
	        assert row["after"][key] - row["before"][key] == value, row
	assert end["type"] == "summary" and end["rows"] == 2 and not end["rows_hidden"]
	assert "peak_space" in rows[0]["delta"] and "peak_space" not in end["delta"]
	row, end = read("by")
	assert row["comm"] == "tree" and "callsite" not in row
	assert (row["before"]["alloc_objects"], row["after"]["alloc_objects"]) == (20, 50)
	END
}

# total METRIC NAME: of callsites
total()
{
	memprofctl report -i "$work/$2.data" --by callsite --json |
		tail -n 1 | python3 -c '
import json, sys
print(json.load(sys.stdin)["totals"][sys.argv[1]])' "$1"
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
		diff_of $name $name | grep -q 'total: 0 differ' &&
		[ "$(diff_of $name $name --json | wc -l)" = 1 ] &&
		diff_of $name $name --format folded | awk '
			$NF != $(NF - 1) || !$NF { bad = 1 }
			END { exit bad || !NR }' || return
	done
	diff_of ten ten --format pprof -o "$work/pprof" -f &&
	pprof -top -unit=B "$work/pprof" 2>"$work/err" >"$work/top" &&
	! grep -qE '[1-9][0-9]*B .* leaf$' "$work/top"
}

# says STATUS TEXT COMMAND...: one line of complaint, and that status
says()
{
	local status=$1 text=$2
	shift 2
	"$@" >"$work/out" 2>"$work/err"
	[ $? = $status ] && [ "$(wc -l <"$work/err")" = 1 ] &&
		[ ! -s "$work/out" ] && grep -qF -- "$text" "$work/err" || {
		echo "# '$*' said: $(cat "$work/err")"
		return 1
	}
}

mistakes_are_told()
{
	says 2 'two recordings are needed' memprofctl diff &&
	says 2 'two recordings are needed' memprofctl diff "$work/ten.data" &&
	says 2 "not 'csv'" diff_of ten more --format csv &&
	says 2 'no --by, no --json' diff_of ten more --format svg --json &&
	says 2 '-o and -f go with --format' diff_of ten more -o "$work/x" &&
	says 2 'PEAK does not' diff_of ten more --format svg --sort peak &&
	says 1 'No such file' diff_of none more &&
	says 1 'No such file' diff_of ten none || return
	echo precious >"$work/there"
	says 1 'File exists' diff_of ten more --format svg -o "$work/there" &&
	grep -q precious "$work/there" &&
	says 1 'cannot write standard output' bash -c \
		"memprofctl diff '$work/ten.data' '$work/more.data' --format folded >/dev/full"
}

# Whichever side they are on: told, or what could be read is shown with a warning
broken_files_do_no_harm()
{
	local size at side status
	size=$(stat -c %s "$work/ten.data")
	says 1 'not a regular file' memprofctl diff /dev/null "$work/ten.data" &&
	says 1 'not a regular file' memprofctl diff "$work/ten.data" /dev/null ||
		return
	for at in 0 7 104 500 $((size / 2)) $((size - 9)); do
		for side in cut random; do
			head -c $at "$work/ten.data" >"$work/bad.data"
			[ $side = cut ] ||
				head -c $((size - at)) /dev/urandom >>"$work/bad.data"
			for pair in 'bad ten' 'ten bad' 'bad bad'; do
				for f in '' '--format folded' '--format pprof'; do
					timeout 20 memprofctl diff $f \
						"$work/${pair% *}.data" "$work/${pair#* }.data" \
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
	preload hostile "$work/=<b>;\"&'" 10 &&
	diff_of ten hostile | grep -qF "$name" &&
	diff_of ten hostile --json | python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
assert rows[0]["comm"] == "=<b>;\"&\x27", rows
assert rows[0]["callsite"] == sys.argv[1], rows' "$name" &&
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
	until grep -q early "$work/said"; do sleep 0.1; done
	local of
	of=$(pgrep -x grow -n)
	memprofctl snapshot -q -f -o "$work/first.data" -p "$of" && echo >&7 &&
	until grep -q grown "$work/said"; do sleep 0.1; done &&
	memprofctl snapshot -q -f -o "$work/second.data" -p "$of"
	echo >&7
	exec 7>&-
	wait
	is "LIVE ALLOC'D ALLOCS TOUCHED GROWTH OLD LIVE NEW LIVE COMM CALLSITE
+5000 +5000 +10 0 0 0 5000 grow grow
-4200 0 0 0 0 7000 2800 grow early
+800 +5000 +10 0 0 7000 7800 total: 2 differ" \
		diff_of first second --bytes
}

check "recordings of known programs are made" recordings_are_made
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
check "mistakes are told" mistakes_are_told
check "broken files do no harm on either side" broken_files_do_no_harm
check "hostile names are text" hostile_names_are_text
plan
