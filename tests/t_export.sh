#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host: what other programs make of our exports is what our report says.
. "$(dirname "$0")/lib.sh"
. scripts/cache
PATH=$CACHE/tools:$PATH
here=$top/tests/export
formats='folded svg html pprof otlp speedscope dhat json csv openmetrics perf'

# preload FILE COMMAND...
preload()
{
	memprofctl record --preload -q -f -o "$1" --rate 1 -- "${@:2}" \
		>/dev/null
}

make_tree()
{
	gcc -O2 -g -o "$fix/tree" $programs/tree.c &&
	preload "$fix/tree.data" "$fix/tree" 10
}

make_inline()
{
	g++ -O2 -g -o "$fix/inline" $programs/inline.cc &&
	preload "$fix/inline.data" "$fix/inline"
}

make_python()
{
	preload "$fix/python.data" /usr/bin/python3 -c '
import json, os
rows = [json.dumps({"n": i, "text": str(i) * 9}) for i in range(1000)]
os._exit(len(rows) == 0)'
}

make_sqlite()
{
	preload "$fix/sqlite.data" sqlite3 :memory: \
		'with recursive c(x) as (select 1 union all select x + 1 from c
			where x < 2000)
		select count(*) from (select hex(randomblob(x)) from c);'
}

make_wide()
{
	gcc -O1 -g -fno-optimize-sibling-calls -o "$fix/wide" \
		$programs/wide.c &&
	preload "$fix/wide.data" "$fix/wide" 37
}

# Of perf's events
make_whole()
{
	memprofctl record -q -f --source perf --alloc exact --call-graph dwarf \
		-o "$fix/whole.data" -- sqlite3 :memory: \
		'create table t(a, b);
		with recursive c(x) as (select 1 union all select x + 1 from c
			where x < 5000)
		insert into t select x, hex(randomblob(20)) from c;
		create index i on t(b);' >/dev/null
}

# Several processes, and no allocations
make_many()
{
	gcc -O1 -g -fno-omit-frame-pointer -o "$fix/touch" $programs/touch.c &&
	memprofctl record -q -f --source perf --alloc off --faults 1 \
		-o "$fix/many.data" -- bash -c '"$0" 300 & "$0" 200; wait;
		sqlite3 :memory: "select hex(randomblob(1000000))"' \
		"$fix/touch" >/dev/null
}

# Two programs that grow while they are looked at
make_growing()
{
	local pids=()
	cat >"$fix/grows.c" <<-'END'
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>
		__attribute__((noinline)) void keeps(size_t size)
		{
			void *p = memset(malloc(size), 1, size);
			__asm__ volatile("" : : "r" (p));
		}
		int main(int argc, char **argv)
		{
			for (;; usleep(20000))
				keeps(atoi(argv[1]));
		}
	END
	gcc -O1 -g -fno-omit-frame-pointer -o "$fix/grows" "$fix/grows.c" &&
		cp "$fix/grows" "$fix/grows-less" || return
	"$fix/grows" 300000 & pids+=($!)
	"$fix/grows-less" 100000 & pids+=($!)
	sleep 0.5
	memprofctl record -q -f --source perf --alloc off -o "$fix/growing.data" -d 3 \
		-p "${pids[0]}" -p "${pids[1]}"
	kill "${pids[@]}"
}

# recording NAME: its file, which a check made, or a fixture
recording()
{
	if [ -e "$work/$1.data" ]; then
		echo "$work/$1.data"
	else
		needs "$1" >&2 && echo "$fix/$1.data"
	fi
}

# export_as FORMAT NAME [OPTION...]: a recording into $work/NAME.FORMAT
export_as()
{
	local format=$1 name=$2
	shift 2
	memprofctl export -i "$(recording $name)" --format $format -f \
		-o "$work/$name.$format" "$@"
}

# compare WHAT FILE NAME [METRIC [PATTERN]]
compare()
{
	"$here/compare.py" "$1" "$work/$2" "$(recording $3)" "${@:4}"
}

# value METRIC NAME FUNCTION: of all that it called
value()
{
	report -i "$(recording $2)" --by callsite --children --min 0 \
		--sort "$1" | rows sum value where "function=$3"
}

# total METRIC NAME: of callsites
total()
{
	report -i "$(recording $2)" --by callsite | rows total "$1"
}

folded_is_the_report()
{
	local m
	for m in inuse_space alloc_space alloc_objects; do
		export_as folded $1 --metric $m && compare folded $1.folded $1 $m ||
			return
	done
}

touched_is_whole()
{
	export_as folded whole --metric touched_space &&
	compare folded whole.folded whole touched_space
}

# What a program gave back is taken off its stacks; a program that shrank is left out
pictures_of_growth_have_the_sums_of_programs()
{
	export_as folded whole --metric growth_space 2>"$work/err" &&
	export_as pprof whole --metric growth_space 2>/dev/null || return
	local shown all
	shown=$(awk '{ n += $NF } END { print n }' "$work/whole.folded")
	all=$(report -i "$(recording whole)" | rows total growth_space)
	echo "# shown $shown, in all $all: $(cat "$work/err")"
	if [ "$shown" = "$all" ]; then
		[ ! -s "$work/err" ]
	else
		[ "$shown" -gt "$all" ] && grep -q 'is left out, of programs' "$work/err"
	fi
}

pprof_is_the_report()
{
	export_as pprof $1 &&
	pprof -raw "$work/$1.pprof" >"$work/raw" 2>"$work/err" &&
	compare pprof raw $1 || return
	local m
	for m in alloc_space inuse_space alloc_objects; do
		pprof -top -unit=B -sample_index=$m -nodefraction=0 \
			-edgefraction=0 -nodecount=1000000 "$work/$1.pprof" \
			>"$work/top" 2>"$work/err" &&
		# a unit of bytes says nothing of counts
		compare pprof-top top $1 $m || return
	done
}

otlp_is_the_report() { export_as otlp $1 && compare otlp $1.otlp $1; }

pprof_knows_whose_it_is()
{
	export_as pprof tree &&
	pprof -tags "$work/tree.pprof" 2>"$work/err" >"$work/tags" &&
	grep -q '29.3kB (  100%): tree$' "$work/tags" &&
	grep -qE ': [0-9]+$' "$work/tags" &&
	pprof -raw "$work/tree.pprof" >"$work/raw" 2>"$work/err" &&
	grep -q 'at_peak_space/bytes\[dflt\]' "$work/raw" &&
	grep -qF "$fix/tree $(readelf -n "$fix/tree" |
		awk '/Build ID/ { print $3 }') [FN][FL][LN][IN]" "$work/raw" &&
	# newer ones print the column, too
	grep -qE "leaf .*tree.c:$(grep -n @leaf $programs/tree.c |
		cut -d: -f1)(:0)? s=0" "$work/raw" &&
	pprof -top -tagfocus=comm=tree "$work/tree.pprof" 2>/dev/null |
		grep -q ' leaf$' &&
	! pprof -top -tagfocus=comm=other "$work/tree.pprof" 2>/dev/null |
		grep -q ' leaf$'
}

# Inlined ones, too, and their names whole
pprof_has_functions_of_a_line()
{
	export_as pprof inline &&
	pprof -raw "$work/inline.pprof" 2>"$work/err" |
		grep -qE '^ +std::vector<item, std::allocator<item> >::push_back\(item&&\) .*:[0-9]+ s=0' &&
	pprof -top -sample_index=alloc_space "$work/inline.pprof" \
		2>"$work/err" | grep -q ' deep::middle (inline)$'
}

pprof_finds_lines_of_source()
{
	export_as pprof tree &&
	pprof -list '^leaf$' -unit=B "$work/tree.pprof" 2>"$work/err" |
		grep -qE "^ +30000B +30000B +$(grep -n @leaf $programs/tree.c |
			cut -d: -f1):.*malloc"
}

speedscope_has_each_metric()
{
	export_as speedscope $1 && compare speedscope $1.speedscope $1
}

# In its page, by its own importer; folded lines, too
speedscope_opens_it()
{
	local viewer=$CACHE/export/node_modules/speedscope
	export_as speedscope $1 &&
	node $here/check-speedscope.js "$viewer" "$work/$1.speedscope" "$2" \
		"$(value inuse_space $1 "$2")" "$3"
}

speedscope_opens_folded_lines()
{
	export_as folded tree &&
	node $here/check-speedscope.js "$CACHE/export/node_modules/speedscope" \
		"$work/tree.folded" middle 10000 0 none
}

dhat_has_the_rules_of_firefox()
{
	export_as dhat $1 &&
	$here/check-dhat.py "$work/$1.dhat" "$2" "$(value alloc_space $1 "$2")" \
		"$(value inuse_space $1 "$2")" &&
	$here/check-dhat.py "$work/$1.dhat" '[root]' \
		"$(total alloc_space $1)" "$(total inuse_space $1)"
}

dh_view_opens_it()
{
	export_as dhat tree &&
	node $here/check-dh-view.js /usr/libexec/valgrind/dh_view.html \
		"$work/tree.dhat" middle "$(value alloc_space tree middle)" &&
	export_as dhat python &&
	node $here/check-dh-view.js /usr/libexec/valgrind/dh_view.html \
		"$work/python.dhat" '[root]' "$(total alloc_space python)"
}

rows_are_the_report()
{
	export_as $1 $2 && compare $1 $2.$1 $2
}

# Each key of each kind of line
json_is_documented()
{
	local name
	for name in tree python ${whole-whole}; do
		export_as json $name || return
	done
	cat "$work"/*.json | python3 -c '
import json, re, sys
text = open("Documentation/export.rst").read()
documented = set(re.findall(r"``(\w+)``", text))
def keys(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            # counters are as many as there are reasons
            if key != "counters":
                yield from keys(inner)
            yield key
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)
found = {key for line in sys.stdin for key in keys(json.loads(line))}
print("#", len(found), "keys, not documented:", found - documented)
assert len(found) > 80 and found <= documented'
}

# series NAME: what promtool makes of it, through its parser of OpenMetrics
series()
{
	export_as openmetrics $1 "${@:2}" || return
	# an import wants to know when
	sed '/^[^#]/s/$/ 1700000000/' "$work/$1.openmetrics" >"$work/series"
	# promtool 2.53 wants a folder data/ for its own files, wherever the database is
	rm -rf "$work/db"
	mkdir "$work/db" &&
	(cd "$work/db" &&
		promtool tsdb create-blocks-from openmetrics ../series data &&
		mkdir data/wal && promtool tsdb dump data >../dump) \
		>"$work/err" 2>&1 && return
	note "$work/err"
	return 1
}

prometheus_reads_it()
{
	series $1 && compare openmetrics dump $1
}

# Prometheus' older format has counters' names with their ending
metrics_have_no_lint()
{
	series $1 &&
	sed -E '/^# TYPE .* counter$/s/ counter$/_total counter/' \
		"$work/$1.openmetrics" |
		awk '$1 == "#" && $2 == "TYPE" { full = $3 }
		$1 == "#" && $2 == "HELP" { $3 = full } { print }' |
		sed -E 's/^# UNIT.*//' >"$work/text" &&
	promtool check metrics <"$work/text" >"$work/err" 2>&1 ||
		{ note "$work/err"; return 1; }
}

callsites_keep_their_ids()
{
	local ids=() i
	needs tree || return
	for i in 1 2; do
		preload "$work/again.data" "$fix/tree" $((i * 7)) &&
		export_as openmetrics again || return
		ids+=("$(grep -o '_alloc_space_bytes_total{id="[0-9a-f]*"' \
			"$work/again.openmetrics")")
	done
	[ -n "${ids[0]}" ] && [ "${ids[0]}" = "${ids[1]}" ]
}

callsites_are_bounded()
{
	export_as openmetrics python --top 3 &&
	[ "$(grep -c '^memprof_callsite_alloc_objects_total{' \
		"$work/python.openmetrics")" = 4 ] &&
	series python --top 3 && compare openmetrics dump python
}

perf_is_the_report()
{
	export_as perf $1 --metric $2 &&
	perf script -i "$work/$1.perf" -F comm,pid,period,ip,sym --no-inline \
		>"$work/script" 2>"$work/err" &&
	compare perf script $1 $2 $3
}

# perf report: names of functions, and the same sums
perf_report_shows_it()
{
	export_as perf tree &&
	perf report -i "$work/tree.perf" --stdio -g none --no-children \
		-F period,comm,sym >"$work/out" 2>"$work/err" &&
	grep -qE '^ +30000 +tree +\[\.\] leaf' "$work/out"
}

# Who may not read tracefs writes recordings that perf reads, too.
perf_reads_what_nobody_writes()
{
	local nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
	[ "$(id -u)" = 0 ] || nobody=
	needs tree && mkdir -m 777 "$work/open" &&
	cp "$fix/tree.data" "$work/open" && chmod 644 "$work/open/tree.data" &&
	$nobody "$build/user/memprofctl/memprofctl" export -q --format perf \
		-i "$work/open/tree.data" -o "$work/open/perf.data" &&
	perf report -i "$work/open/perf.data" -f --stdio -g none --no-children \
		-F period,comm,sym >"$work/out" 2>"$work/err" &&
	grep -qE '^ +30000 +tree +\[\.\] leaf' "$work/out" && return
	note "$work/err"
	return 1
}

svg_can_be_used()
{
	export_as svg $1 --metric alloc_space &&
	node $here/check-svg.js "$work/$1.svg" "$2" \
		"$(value alloc_space $1 "$2")" "$(total alloc_space $1)"
}

html_can_be_used()
{
	export_as html $1 &&
	node $here/check-html.js "$work/$1.html" "$(recording $1)" "$2"
}

# Frames too narrow to be seen are counted
svg_takes_fifty_thousand()
{
	export_as folded wide && export_as svg wide &&
	python3 - "$work" <<-'END' && svg_can_be_used wide f00
	import re, sys
	nodes = {()}
	for line in open(sys.argv[1] + "/wide.folded"):
	    # pictures begin at main()
	    names = tuple(name for name in line.rsplit(" ", 1)[0].split(";")
	                  if not re.match("_start$|__libc_start_", name))
	    nodes |= {names[:i + 1] for i in range(len(names))}
	svg = open(sys.argv[1] + "/wide.svg").read()
	shown = svg.count('<g class="f"')
	left_out = int(re.search(r">(\d+) frames narrower", svg)[1])
	print("#", len(nodes), "nodes,", shown, "shown,", left_out, "left out")
	assert len(nodes) > 100000 and shown + left_out == len(nodes)
	END
}

# A function and a program that call themselves what would hurt
hostile_names_are_harmless()
{
	local name='</title><script>window.evil=1</script>";,=\]]>&#x41; $(x)'
	gcc -O2 -o "$work/plain" $programs/tree.c || return
	objcopy --redefine-sym "leaf=$name" "$work/plain" "$work/=<b>;\"&'"
	preload "$work/hostile.data" "$work/=<b>;\"&'" 10 &&
	"$here/compare.py" folded <(export_to folded) "$work/hostile.data" \
		inuse_space || return
	local format
	for format in $formats; do
		export_as $format hostile || return
	done
	node $here/check-svg.js "$work/hostile.svg" "$name" 30000 30000 &&
	html_can_be_used hostile "$name" &&
	compare speedscope hostile.speedscope hostile &&
	compare csv hostile.csv hostile &&
	compare json hostile.json hostile &&
	prometheus_reads_it hostile &&
	$here/check-dhat.py "$work/hostile.dhat" '[root]' 30000 30000 &&
	pprof -raw "$work/hostile.pprof" 2>/dev/null | grep -qF "$name" &&
	grep -qF "\"'=<b>;" "$work/hostile.csv"
}

export_to()
{
	memprofctl export -i "$work/hostile.data" --format $1
}

prefixes_say_whose()
{
	export_as folded tree --prefix none &&
	grep -q '^_start;' "$work/tree.folded" &&
	export_as folded tree --prefix pid &&
	grep -qE '^tree [0-9]+;_start;' "$work/tree.folded" &&
	export_as folded tree &&
	grep -qE '^tree;_start;' "$work/tree.folded"
}

filters_hold()
{
	export_as folded tree --filter symbol=^middle$ &&
	[ "$(wc -l <"$work/tree.folded")" = 1 ] &&
	grep -q ' 10000$' "$work/tree.folded" &&
	export_as folded tree --filter comm=nobody &&
	[ ! -s "$work/tree.folded" ] &&
	export_as csv tree --group-by binary &&
	[ "$(wc -l <"$work/tree.csv")" = 2 ]
}

the_session_can_be_exported()
{
	local format live
	needs tree && launch "$fix/tree" 10 stop 600 &&
	follow $pid --source perf --alloc exact --growth off --faults off ||
		return
	wait_until sleeps || return
	for format in $formats; do
		memprofctl export --format $format -f -o "$work/live.$format" ||
			return
	done
	live=$(report --by callsite | rows total inuse_space)
	echo "# live: $live"
	[ "$live" -gt 30000 ] &&
	[ "$(awk '{ n += $NF } END { print n }' "$work/live.folded")" = "$live" ] &&
	grep -q '^memprof_process_inuse_space_bytes{pid="'$pid'".* '$live'$' \
		"$work/live.openmetrics" &&
	grep -q '^callsite,,tree,.*,leaf tree.c' "$work/live.csv" || return 1
	# what only processes have is theirs: it sleeps, its RSS stays
	live=$(report | rows total resident_space)
	memprofctl export --format folded --metric resident_space |
		grep -qxF "tree;[no callsite] $live"
}

mistakes_are_told()
{
	local f
	needs tree &&
	complains 2 "--format is needed: ${formats// /, }" \
		memprofctl export -i "$fix/tree.data" &&
	complains 2 "${formats// /, }, not 'gif'" \
		memprofctl export -i "$fix/tree.data" --format gif &&
	complains 2 'PEAK does not' memprofctl export -i "$fix/tree.data" \
		--format svg --metric peak_space &&
	complains 2 'shows stacks' memprofctl export --format folded --by process &&
	complains 2 'shows rows' memprofctl export --format csv --prefix pid &&
	complains 2 'goes with openmetrics' memprofctl export --format csv --top 3 &&
	complains 1 'No such file' memprofctl export --format csv -i "$work/none" &&
	complains 1 'no session is running' memprofctl export --format csv || return
	echo precious >"$work/there"
	for f in $formats; do
		complains 1 'File exists (-f replaces it' memprofctl export \
			-i "$fix/tree.data" --format $f -o "$work/there" || return
		grep -q precious "$work/there" || return
	done
	complains 1 'Is a directory' memprofctl export -i "$fix/tree.data" \
		--format csv -f -o "$work" &&
	complains 2 'it has labels' memprofctl export --format pprof --prefix pid &&
	complains 1 'Invalid argument' memprofctl export -i "$fix/tree.data" \
		--format csv -f -o /dev/null
}

terminals_get_no_binary()
{
	local f
	needs tree || return
	for f in pprof perf; do
		script -qec "memprofctl export -i $fix/tree.data --format $f" \
			/dev/null >"$work/out" 2>&1
		grep -q 'nothing for a terminal' "$work/out" &&
		[ "$(wc -l <"$work/out")" = 1 ] || return 1
	done
	script -qec "memprofctl export -i $fix/tree.data --format folded" \
		/dev/null | grep -q ';leaf 10000'
}

full_disks_leave_nothing()
{
	local f
	needs python && mkdir "$work/small" &&
	mount -t tmpfs -o size=8k none "$work/small" || return
	at_end 'umount "$work/small"'
	for f in $formats; do
		# what fits is no test
		complains 1 "cannot write $work/small/x: No space left on device" \
			memprofctl export -i "$fix/python.data" --format $f \
			-o "$work/small/x" && [ -z "$(ls -A "$work/small")" ] ||
			return
		complains 1 'standard output: No space left on device' bash -c \
			"memprofctl export -i $fix/python.data --format $f >/dev/full" ||
			return
	done
}

closed_pipes_are_failures()
{
	local f
	needs python || return
	for f in $formats; do
		# more than a pipe holds, or nobody reads at all
		memprofctl export -i "$fix/python.data" --format $f \
			2>"$work/err" | head -c 0
		[ "${PIPESTATUS[0]}" = 1 ] &&
		grep -q 'cannot write standard output: Broken pipe' \
			"$work/err" && [ "$(wc -l <"$work/err")" = 1 ] || {
			echo "# $f: $(cat "$work/err")"
			return 1
		}
	done
}

killed_exports_leave_nothing()
{
	needs wide && mkdir "$work/killed" || return
	"$here/killed-at-file.py" "$work/killed" \
		memprofctl export -i "$fix/wide.data" --format json \
		-o "$work/killed/x" &&
		[ -z "$(ls -A "$work/killed")" ]
}

held_up()
{
	"$here/held-up.py" "$fix/wide.data" "$@" >"$work/screen"
}

# It comes after two seconds and is gone in the end; into files it never goes
progress_is_shown_to_who_waits()
{
	local verb
	needs wide tree || return
	for verb in "report --by callsite -i $fix/wide.data" \
		    "export --format folded -f -o $work/x -i $fix/wide.data" \
		    "diff --format folded -f -o $work/x $fix/wide.data $fix/wide.data"
	do
		held_up memprofctl $verb &&
		grep -qE 'reading: [0-9.]+[KM]? of [0-9.]+M' "$work/screen" || {
			echo "# $verb: nothing shown"
			return 1
		}
		# each is wiped away before something else comes
		python3 - "$work/screen" <<-'END' || return
		import re, sys
		text = open(sys.argv[1], newline="").read()
		lines = re.findall(r"\r\x1b\[K((?:reading|finding symbols): [^\r\n]*)(.{4})",
				   text, re.S)
		print("#", len(lines), "times, the last", lines[-1][0])
		assert all(after == "\r\x1b[K" for _, after in lines), lines
		END
		held_up memprofctl $verb -q &&
		! grep -qE 'reading:|symbols:' "$work/screen" || return
	done
	held_up bash -c "exec memprofctl $verb 2>$work/err" &&
	[ ! -s "$work/err" ] &&
	! grep -qE 'reading:|symbols:' "$work/screen" || return
	# nobody waits for this one
	script -qec "memprofctl report -i $fix/tree.data" "$work/screen" \
		>/dev/null && ! grep -qE 'reading:|symbols:' "$work/screen"
}

files_are_their_owners()
{
	(umask 000; export_as csv tree) &&
	[ "$(stat -c %a "$work/tree.csv")" = 600 ]
}

protoc=$(lacks protoc)
for name in tree inline python sqlite; do
	check "folded: functions of $name have the report's values" \
		folded_is_the_report $name
	check "pprof: functions of $name have the report's values" \
		pprof_is_the_report $name
	check_unless "$protoc" "otlp: functions of $name have the report's values" \
		otlp_is_the_report $name
	check "speedscope: functions of $name have the report's values" \
		speedscope_has_each_metric $name
	check "csv: rows of $name are the report's" rows_are_the_report csv $name
	check "json: rows of $name are the report's" rows_are_the_report json $name
	check "openmetrics: Prometheus reads the sums of $name" \
		prometheus_reads_it $name
	check "perf: functions of $name have the report's values" \
		perf_is_the_report $name alloc_space
done
why=$(perf_obstacle)
[ -z "$why" ] || whole=''
events() { check_unless "$why" "$@"; }
events "folded: touched is the report's" touched_is_whole
events "folded: growth leaves out what shrank, and says so" \
	pictures_of_growth_have_the_sums_of_programs
events "pprof: touched and grown are the report's" pprof_is_the_report whole
check_unless "${why:-$protoc}" "otlp: touched and grown are the report's" \
	otlp_is_the_report whole
events "openmetrics: touched and grown are the report's" \
	prometheus_reads_it whole
events "openmetrics: names are as Prometheus wants them" \
	metrics_have_no_lint whole
events "perf: touched is the report's" \
	perf_is_the_report whole touched_space ^sqlite3
events "html: time, histograms and parts of perf's events" \
	html_can_be_used whole sqlite3_step
events "html: a page of faults opens on processes" \
	html_can_be_used many main
events "html: a page of what grows begins with its growth" \
	html_can_be_used growing keeps
events "csv: rows of perf's events are the report's" \
	rows_are_the_report csv whole
events "the live session can be exported in every format" \
	the_session_can_be_exported
check "pprof: labels, build-ids and lines are there" pprof_knows_whose_it_is
check "pprof: inlined functions are there" pprof_has_functions_of_a_line
check "pprof: its listing finds the source" pprof_finds_lines_of_source
check "speedscope's page has a function's bytes" \
	speedscope_opens_it tree leaf 30000
check "speedscope's page opens folded lines" speedscope_opens_folded_lines
check "dhat: the rules of Firefox hold for tree" \
	dhat_has_the_rules_of_firefox tree middle
check "dhat: the rules of Firefox hold for python" \
	dhat_has_the_rules_of_firefox python py::dumps
check "dhat: dh_view has the report's bytes" dh_view_opens_it
check "json: every key is documented" json_is_documented
check "openmetrics: callsites keep their ids from run to run" \
	callsites_keep_their_ids
check "openmetrics: callsites are bounded, their sum is whole" \
	callsites_are_bounded
check "perf report shows functions and bytes" perf_report_shows_it
check "perf reads what somebody without tracefs writes" \
	perf_reads_what_nobody_writes
check "svg: zoom, search and values in Chromium, of tree" \
	svg_can_be_used tree middle
check "svg: the same of python" svg_can_be_used python py::dumps
check "svg: a hundred thousand frames" svg_takes_fifty_thousand
for of in tree:middle python:py::dumps wide:f00; do
	check "html: a page of ${of%%:*} can be used, with the report's numbers" \
		html_can_be_used ${of%%:*} ${of#*:}
done
check "hostile names are harmless in every format" hostile_names_are_harmless
check "stacks say whose they are" prefixes_say_whose
check "filters and groups hold" filters_hold
check "mistakes are told" mistakes_are_told
check "binary formats are nothing for a terminal" terminals_get_no_binary
check "progress is shown to who waits, and to nobody else" \
	progress_is_shown_to_who_waits
check "files are only their owner's to read" files_are_their_owners
check "a full disk is told, and leaves nothing" full_disks_leave_nothing
check "a closed pipe is told" closed_pipes_are_failures
check "an export that is killed leaves nothing" killed_exports_leave_nothing
plan
