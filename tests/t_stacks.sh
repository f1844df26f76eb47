#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host, without the module: whole stacks of programs that are known, each
# frame with its function and line; and the callsites of real ones, which
# heaptrack sees, too.
. "$(dirname "$0")/lib.sh"

# record FILE PROGRAM [OPTION...]
record()
{
	memprofctl record -q -f --source perf --alloc exact --growth off \
		--faults off --call-graph dwarf -o "$1" "${@:3}" -- \
		"$2" >/dev/null
}

# compiles PROGRAM SOURCE [OPTION...]: in C or C++
compiles()
{
	local compiler=gcc
	[[ $2 == *.c ]] || compiler=g++
	$compiler -O2 -g "${@:3}" -o "$1" "$programs/$2"
}

make_tree() { compiles "$fix/tree" tree.c; }
make_tree_fp() { compiles "$fix/tree-fp" tree.c -fno-omit-frame-pointer; }

make_c()
{
	needs tree && record "$fix/c" "$fix/tree"
}

make_cxx()
{
	compiles "$fix/inline" inline.cc -fomit-frame-pointer &&
	record "$fix/cxx" "$fix/inline"
}

make_touch()
{
	compiles "$fix/touch" touch.c -fno-omit-frame-pointer &&
	memprofctl record -q -f --source perf --faults 1 --call-graph fp \
		-o "$fix/touch.data" -- "$fix/touch"
}

# stacks_of FILE: "ALLOCS: FUNCTION FILE:LINE < FUNCTION FILE:LINE < ..."
stacks_of()
{
	report -i "$1" --by callsite --stack | rows lines
}

# at FILE MARK FUNCTION: FUNCTION FILE:LINE, of a line that is marked
at()
{
	echo "$3 $1:$(grep -n "@$2\b" "$programs/$1" | cut -d: -f1)"
}

# has FILE NR FRAMES: there is a stack of NR allocations that begins so
has()
{
	stacks_of "$1" >"$work/stacks"
	grep -qF "$2: $3" "$work/stacks" && return
	echo "# not there: $2: $3"
	note "$work/stacks"
	return 1
}

tree_from()
{
	echo "$(at tree.c leaf leaf) < $(at tree.c "$1" "$1") <" \
	     "$(at tree.c "$2" main) <"
}

c_is_whole()
{
	needs c && has "$fix/c" 10 "$(tree_from middle main)" &&
	has "$fix/c" 10 "$(tree_from other again)" &&
	! grep -qE '^(10|20): .*(truncated|missing)' "$work/stacks" &&
	grep -qE '^10: .*main tree.c:[0-9]+ < __libc_start_call_main .* < __libc_start_main[^ ]* .* < _start ' \
		"$work/stacks"
}

cxx_inlines()
{
	needs cxx && has "$fix/cxx" 10 "$(at inline.cc inner deep::inner) < $(
		at inline.cc middle deep::middle) < $(
		at inline.cc outer 'outer()') < $(
		at inline.cc main main) <"
}

containers_are_looked_through()
{
	needs cxx && has "$fix/cxx" 1 \
		"$(at inline.cc grow 'grow()') < $(at inline.cc call main) <"
}

# rust OPTION...: compiled so
rust()
{
	RUSTC_BOOTSTRAP=1 rustc --edition 2021 -g "$@" -o "$work/rust" \
		"$programs/tree.rs" 2>"$work/err" &&
	record "$work/data" "$work/rust" &&
	has "$work/data" 10 "$(at tree.rs leaf tree::leaf) < $(
		at tree.rs inlined tree::inlined) < $(
		at tree.rs middle tree::middle) < $(at tree.rs main tree::main) <"
}

# The program is gone, and so is what tells how to unwind it; its debug file is
# where those of packages are
gone_programs_have_symbols()
{
	local id dir
	# not the build-id of a package's file
	id=$(printf '%040x' $RANDOM$RANDOM$RANDOM)
	dir=/usr/lib/debug/.build-id/${id:0:2}
	compiles "$work/other" tree.c -fno-omit-frame-pointer \
		-Wl,--build-id=0x"$id" && mkdir -p "$dir" || return
	at_end "rm -f $dir/${id:2}.debug; rmdir --ignore-fail-on-non-empty $dir"
	objcopy --only-keep-debug "$work/other" "$dir/${id:2}.debug"
	strip "$work/other"
	record "$work/gone" "$work/other" --call-graph fp
	rm "$work/other"
	MEMPROF_SYMBOL_CACHE=off has "$work/gone" 10 "$(tree_from middle main)"
}

is_answering() { (: </dev/tcp/127.0.0.1/$1) 2>/dev/null; }

# From a server, and only when asked to
servers_have_symbols()
{
	local id port=7399
	# not the build-id of a file that is in the cache
	id=$(printf '%040x' $RANDOM$RANDOM$RANDOM)
	compiles "$work/far" tree.c -fno-omit-frame-pointer \
		-Wl,--build-id=0x"$id" || return
	mkdir -p "$work/served/buildid/$id"
	objcopy --only-keep-debug "$work/far" "$work/served/buildid/$id/debuginfo"
	strip "$work/far"
	record "$work/far.data" "$work/far" --call-graph fp
	(cd "$work/served" && exec python3 -m http.server $port \
		--bind 127.0.0.1) >"$work/asked" 2>&1 &
	wait_until is_answering $port || return
	export DEBUGINFOD_URLS=http://127.0.0.1:$port
	export DEBUGINFOD_CACHE_PATH=$work/fetched MEMPROF_SYMBOL_CACHE=off
	memprofctl report -i "$work/far.data" --by callsite >"$work/without"
	grep -q GET "$work/asked" && echo "# asked unasked" && return 1
	memprofctl report -i "$work/far.data" --by callsite --debuginfod \
		>"$work/with"
	! grep -q 'leaf' "$work/without" && grep -q "leaf tree.c" "$work/with" &&
		grep -q '^hint: .* in far, which has no symbols: .*; or --debuginfod$' "$work/without" &&
	# what a server answered is told, and that there is none
	rm -r "$work/served/buildid" "$work/fetched" &&
	memprofctl report -i "$work/far.data" --by callsite --debuginfod >"$work/none" &&
	grep -q '^hint: .*; the servers of DEBUGINFOD_URLS have no names of it$' "$work/none" &&
	env -u DEBUGINFOD_URLS memprofctl report -i "$work/far.data" --by callsite --debuginfod \
		>"$work/nobody" &&
	grep -q '^hint: .*; --debuginfod asked nobody: DEBUGINFOD_URLS is not set$' "$work/nobody"
}

stripped_programs_have_offsets()
{
	needs tree && cp "$fix/tree" "$work/bare" &&
	objcopy --remove-section=.note.gnu.build-id -S "$work/bare" &&
	record "$work/data" "$work/bare" &&
	stacks_of "$work/data" >"$work/stacks" &&
	grep -qE '^10: \? \?:0 < \? \?:0 < \? \?:0 < __libc_start' \
		"$work/stacks"
}

# A program with frame pointers that calls malloc itself
frame_pointers_are_whole()
{
	needs tree_fp && record "$work/data" "$fix/tree-fp" --call-graph fp &&
	has "$work/data" 10 "$(tree_from middle main)"
}

# C++'s library has none: who calls operator new is not in the chain
gaps_are_said()
{
	compiles "$work/inline-fp" inline.cc -fno-omit-frame-pointer &&
	record "$work/gap" "$work/inline-fp" --call-graph fp &&
	memprofctl report -i "$work/gap" --by callsite >"$work/report" &&
	grep -q '10  .*\[called by\] main inline.cc' "$work/report" &&
	grep -q 'low confidence' "$work/report"
}

# session PROGRAM...: of a program that stops itself first
session()
{
	launch "$@" && memprofctl start -q --source perf --alloc exact \
		--call-graph dwarf -p $pid && kill -CONT $pid
}

# leaf_is_called FUNCTION MARK LINES: by this line, so far below it in the report
leaf_is_called()
{
	grep -A $3 "^      > $(at tree.c leaf leaf)$" "$work/report" |
		grep -q "^        $(at tree.c "$2" "$1")$"
}

# From a session, with the dump of each event unwound as it comes
live_is_the_same()
{
	needs tree && session "$fix/tree" 10 stop 60 &&
	wait_for ready "$work/out" || return
	memprofctl report --by callsite --stack >"$work/report"
	memprofctl stop -q
	grep -A 2 'leaf tree.c' "$work/report" | head -n 3 | note
	leaf_is_called middle middle 1 && leaf_is_called main again 2
}

exited_programs_have_symbols()
{
	needs tree && session "$fix/tree" 10 stop && wait $pid || return
	memprofctl report --by callsite --sort allocs >"$work/report"
	grep -q " 20 .*  tree  *$(at tree.c leaf leaf)$" "$work/report"
}

# As in a container: its files are below its own root, the program nowhere else
other_roots_have_symbols()
{
	local library loader jail=$work/jail
	needs tree || return
	library=$(ldd "$fix/tree" | awk '/libc\.so/ { print $3 }')
	loader=$(ldd "$fix/tree" | awk '$1 ~ /ld-linux/ { print $1 }')
	mkdir -p "$jail${library%/*}" "$jail${loader%/*}"
	cp "$library" "$jail$library"
	cp "$loader" "$jail$loader"
	cp "$fix/tree" "$jail/memprof-inside"
	session chroot "$jail" /memprof-inside 10 stop 60 &&
	wait_for ready "$work/out" || return
	memprofctl report --by callsite --stack >"$work/report"
	leaf_is_called middle middle 1
}

# c OPTION...: rows of the tree's recording
c()
{
	memprofctl report -i "$fix/c" --by callsite --json "$@"
}

# leaf_nodes OPTION...: where leaf is, "DEPTH FUNCTION VALUE SELF" each
leaf_nodes()
{
	c "$@" --sort allocs --filter symbol=^leaf |
		rows list depth function value self where type=node >"$work/nodes"
}

# node LINE: there is one such
node()
{
	grep -qx "$1" "$work/nodes" && return
	echo "# no node: $1"
	note "$work/nodes"
	return 1
}

trees_add_up()
{
	local nr
	needs c || return
	# nothing lives any more
	c --callers >"$work/over"
	nr=$(rows value rows where type=summary <"$work/over")
	[ "$nr" -gt 0 ] && [ "$(wc -l <"$work/over")" = $((nr + 1)) ] || return
	leaf_nodes --callers && [ "$(head -n 1 "$work/nodes")" = "0 leaf 20 0" ] &&
	node '1 middle 10 0' && node '1 other 10 0' || return
	leaf_nodes --callees &&
	[[ $(head -n 1 "$work/nodes") == *" _start 20 "* ]] &&
	node '[0-9]* leaf 10 10' && ! grep ' leaf ' "$work/nodes" |
		grep -v ' 10 10$' || return
	leaf_nodes --children && node '[0-9]* main 20 0' &&
	node '[0-9]* leaf 20 20' && node '[0-9]* middle 10 0'
}

# sites COLUMN... [where CONDITION]: of callsites that allocated as often as the tree
sites()
{
	rows list "$@" | sort
}

filters_and_groups_add_up()
{
	local of='where type=site alloc_objects~..'
	needs c || return
	[ "$(c --filter symbol=^middle --sort allocs |
		sites function alloc_objects alloc_space $of)" = \
		"leaf 10 10000" ] &&
	[ "$(c --hide '^leaf$' --sort allocs |
		sites function alloc_space $of)" = "middle 10000
other 20000" ] &&
	[ "$(c --group-by binary --sort allocs |
		sites alloc_objects $of 'binary~/tree$')" = 20 ] &&
	[ -z "$(c --filter comm=nobody | sites function $of)" ] &&
	[ "$(c --filter 'size>=1500,comm=tree' --sort allocs |
		sites function $of)" = leaf ]
}

bad_options_are_told()
{
	local o
	needs c || return
	for o in '--hide [' '--filter what=1' '--filter pid=x' \
		 '--group-by nothing' '--min 101' '--callers --callees' \
		 '--stack --callers'; do
		c $o >/dev/null 2>"$work/err"
		[ $? = 2 ] && [ "$(wc -l <"$work/err")" -le 2 ] || {
			echo "# $o: $(cat "$work/err")"
			return 1
		}
	done
	memprofctl report -i "$fix/c" --by process --hide x 2>/dev/null
	[ $? = 2 ] && memprofctl report -i "$fix/c" --hide x | grep -q CALLSITE
}

# The program is gone meanwhile
second_report_is_cached()
{
	local inline=(memprofctl report -i "$work/cxx" --by callsite
		--group-by symbol)
	compiles "$work/inline" inline.cc && record "$work/cxx" "$work/inline" &&
	"${inline[@]}" >"$work/first" && mv "$work/inline" "$work/moved" &&
	"${inline[@]}" >"$work/second" &&
	MEMPROF_SYMBOL_CACHE=off "${inline[@]}" >"$work/third" || return
	echo "# $(ls "$work/cache" | wc -l) files"
	grep -q deep::inner "$work/first" &&
	! grep -q deep::inner "$work/third" &&
	grep -q deep::inner "$work/second"
}

# What is no allocator's belongs to the code that touched it, and through which
# the kernel did; with the rest it is all that the process has
memory_of_no_allocator_has_callsites()
{
	needs touch || return
	memprofctl report -i "$fix/touch.data" --by callsite --stack --json \
		>"$work/stacks"
	memprofctl report -i "$fix/touch.data" --json >"$work/processes"
	memprofctl report -i "$fix/touch.data" --by callsite >"$work/report"
	PYTHONPATH=$top/tests python3 -B - "$work" "$(at touch.c touch touch)" <<-'END'
	import sys
	from report import read
	rows = read(open(sys.argv[1] + "/stacks"))
	stacks = [r for r in rows if r["type"] == "stack"]
	function, _, line = sys.argv[2].partition(" touch.c:")
	def at(row, kernel):
	    return [f.get("function", "?") for f in row["frames"]
	            if f.get("kernel", False) == kernel]
	mine = [r for r in stacks if r["frames"][0].get("function") == function
	        and r["frames"][0]["line"] == int(line)]
	assert sum(r["faults"] for r in mine) == 4096, mine
	filled = [r for r in stacks if r["faults"] == 4096 and r not in mine]
	assert len(filled) == 1, filled
	known = {l.split()[2] for l in open("/proc/kallsyms")}
	kernel = at(filled[0], True)
	assert "vfs_read" in kernel and set(kernel) <= known, kernel
	user = [f.get("function") for f in filled[0]["frames"]
	        if not f.get("kernel") and not f.get("wrapper")]
	assert user[0] in ("fill", "main"), user
	grown = [r for r in stacks if "map" in at(r, False)
	         or "main" in at(r, False)]
	assert sum(r["growth_space"] for r in grown) == 32 << 20, grown
	END
	[ $? = 0 ] && head -n 4 "$work/report" | note &&
	[ "$(rows sum faults growth_space where type=stack <"$work/stacks")" = \
	  "$(rows sum faults growth_space where type=process \
		<"$work/processes")" ] &&
	grep -q '^ *16.0M  ' "$work/report"
}

# Another boot's kernel has other functions at its addresses
kernels_are_told_apart()
{
	needs touch && cp "$fix/touch.data" "$work/other.data" || return
	python3 - "$work/other.data" <<-'END'
	import struct, sys
	data = bytearray(open(sys.argv[1], "rb").read())
	at = data.index(b"[kernel.kallsyms]_text\0")
	start, size = struct.unpack_from("<QQ", data, at - 24)
	struct.pack_into("<Q", data, at - 24, start - (2 << 20))
	open(sys.argv[1], "wb").write(data)
	END
	memprofctl report -i "$work/other.data" --by callsite --stack \
		>"$work/report" 2>&1
	grep -q 'of another kernel or boot' "$work/report" &&
	! grep -q vfs_read "$work/report" &&
	grep -q '0xffff[0-9a-f]* \[k\]' "$work/report"
}

# Code without a file, that a runtime names for perf
made_code_has_names()
{
	cat >"$work/jit.c" <<-'END'
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <sys/mman.h>
	#include <unistd.h>

	/* push %rbp; mov %rsp,%rbp; mov $100,%edi; movabs $malloc,%rax; call *%rax;
	 * pop %rbp; ret */
	static unsigned char code[] = {
		0x55, 0x48, 0x89, 0xe5, 0xbf, 0x64, 0, 0, 0,
		0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xd0, 0x5d, 0xc3,
	};

	int main(void)
	{
		void *(*target)(size_t) = malloc;
		char path[64];
		void *at;
		FILE *map;
		int i;

		at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		memcpy(code + 11, &target, sizeof(target));
		memcpy(at, code, sizeof(code));
		snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
		map = fopen(path, "w");
		fprintf(map, "%lx %zx made_by_hand\n", (long)at, sizeof(code));
		fclose(map);
		printf("%d\n", getpid());
		for (i = 0; i < 7; i++)
			((void (*)(void))at)();
		return 0;
	}
	END
	at_end 'rm -f "/tmp/perf-$(<"$work/pid").map"'
	gcc -O1 -g -fno-omit-frame-pointer -o "$work/jit" "$work/jit.c" &&
	memprofctl record -q --source perf --alloc exact --growth off \
		--faults off --call-graph dwarf -o "$work/data" -- \
		"$work/jit" >"$work/pid" &&
	has "$work/data" 7 "made_by_hand ?:0 < main jit.c:"
}

# heaptrack's folded stacks, and our rows of stacks: calls by the function of the
# callsite, in a file each
top_of()
{
	PYTHONPATH=$top/tests python3 -B - "$work/folded" "$work/ours" <<-'END'
	import re, sys
	from report import read
	wrapper = re.compile(
	    r"^(z(try)?(malloc|calloc|realloc|strdup)|ztry|je_|(m|c|re)alloc|"
	    r"_?Py(Mem|Object)_(Raw)?(Malloc|Calloc|Realloc|New|Resize)|strdup|"
	    r"_PyObject_GC|PyMem_|_PyMem_)")
	def add(counts, name, nr):
	    name = re.sub(r" ?\(.*", "", name)
	    counts[name] = counts.get(name, 0) + nr
	theirs, ours = {}, {}
	for line in open(sys.argv[1]):
	    stack, nr = line.rstrip().rsplit(" ", 1)
	    frames = stack.rstrip(";").split(";")[::-1]
	    while len(frames) > 1 and wrapper.match(frames[0]):
	        frames.pop(0)
	    add(theirs, frames[0], int(nr))
	for row in read(open(sys.argv[2])):
	    if row["type"] != "stack":
	        continue
	    # local functions of stripped programs have no names: this one is
	    # at the address that it was linked for
	    frames = [f.get("function", hex(f["offset"] - 1 + 0x400000))
	              for f in row["frames"] if "offset" in f]
	    while len(frames) > 1 and wrapper.match(frames[0]):
	        frames.pop(0)
	    add(ours, frames[0], row["alloc_objects"])
	bad = 0
	top = sorted(theirs, key=theirs.get, reverse=True)[:10]
	for name in top:
	    a, b = theirs[name], ours.get(name, 0)
	    print("# %-32s heaptrack %6d  memprof %6d" % (name, a, b))
	    # where such a program is linked elsewhere nothing can be compared
	    bad += not re.match("0x[0-9a-f]{9}", name) and \
	        abs(a - b) > max(3, a * 0.02)
	sys.exit(len(top) < 5 or bad > 0)
	END
}

# agrees CLIENT COMMAND...: run twice, once under each
agrees()
{
	local client=$1 pid
	shift
	$client & pid=$!
	heaptrack -o "$work/trace" "$@" >/dev/null 2>&1
	heaptrack_print -f "$work"/trace.* -F "$work/folded" >/dev/null 2>&1
	wait $pid
	$client & pid=$!
	# a ring holds all of it, 64 MiB with two CPUs: nothing is lost however busy the
	# machine is. A callsite needs no more of the stack
	memprofctl record -q -f --source perf --alloc exact --growth off \
		--faults off --call-graph dwarf,1024 -o "$work/big" -- "$@" \
		>/dev/null 2>"$work/err"
	wait $pid
	if grep 'events were lost' "$work/err"; then
		return 1
	fi
	memprofctl report -i "$work/big" --by callsite --stack --json -n 0 \
		>"$work/ours"
	top_of
}

python_agrees()
{
	cat >"$work/lists.py" <<-'END'
	rows = [bytes(700 + i % 300) for i in range(700)]
	table = {str(i): [i] * 40 for i in range(200)}
	del rows
	END
	export PYTHONMALLOC=malloc PYTHONHASHSEED=0
	agrees : /usr/bin/python3 -S "$work/lists.py"
}

answers()
{
	[ "$(redis-cli -s "$work/redis.sock" ping 2>/dev/null)" = PONG ]
}

# A client that tells the server the same each time, and to end
tell_redis()
{
	local i sock=$work/redis.sock
	wait_until answers
	for ((i = 0; i < 400; i++)); do
		echo "set key:$i $(printf '%0*d' $((i % 300 + 50)) $i)"
		echo "lpush list:$((i % 40)) $i"
	done | redis-cli -s "$sock" >/dev/null
	redis-cli -s "$sock" shutdown nosave
} 2>/dev/null

redis_agrees()
{
	# by its name it is a server
	ln -sf "$(command -v redis-check-rdb)" "$work/redis-server"
	agrees tell_redis "$work/redis-server" --port 0 --hz 1 --save '' \
		--unixsocket "$work/redis.sock" --activerehashing no
}

# A session of the whole machine follows no calls of allocators
touched_pages_have_callers()
{
	compiles "$work/fills" fills.c &&
	memprofctl record -q --source perf -a --faults 10 -o "$work/data" -- "$work/fills" &&
	report -i "$work/data" --by callsite --filter comm=fills --sort faults |
		rows list function touched_space where type=site >"$work/rows" || return
	head -n 3 "$work/rows" | cut -d' ' -f1 | sort | tr '\n' ' ' >"$work/first"
	awk '$2 > 1048576 && $1 ~ /malloc|mem|str/ { exit 1 }
	     { all += $2; if (NR <= 3) first += $2 }
	     END { exit !(first > 180 * 1048576 && all < 1.1 * first) }' "$work/rows" &&
		[ "$(cat "$work/first")" = "clear copy keep " ] && return
	note "$work/rows"
	return 1
}

# What a block's first fault is in: _int_malloc() writes the size of what is left behind it
faults_in_malloc_are_their_callers()
{
	compiles "$work/nodes" nodes.cc &&
	memprofctl record -q --source perf --alloc off -o "$work/data" -- "$work/nodes" &&
	report -i "$work/data" --by callsite --sort faults |
		rows list function faults where type=site >"$work/rows" || return
	awk '/^keep_nodes/ { mine += $NF } / *malloc / { other += $NF }
	     END { print "#", mine, "and", other + 0; exit !(mine > 4000 && other < mine / 50) }' \
		"$work/rows" && return
	note "$work/rows"
	return 1
}

# main() calls three functions that ask for memory
lines_of_a_function_are_a_range()
{
	local first last
	compiles "$work/fills" fills.c &&
	memprofctl record -q --alloc 256K -o "$work/data" -- "$work/fills" || return
	first=$(grep -n '^	keep();' "$programs/fills.c" | cut -d: -f1)
	last=$(grep -n '^	copy(' "$programs/fills.c" | cut -d: -f1)
	memprofctl report -q -i "$work/data" --callees --sort at_peak_space >"$work/tree"
	grep -q " main fills.c:$first-$last\$" "$work/tree" &&
		grep -q ' keep fills.c:[0-9]*$' "$work/tree" || { note "$work/tree"; return 1; }
	report -i "$work/data" --callees --sort at_peak_space |
		rows holds "line == $first and last_line == $last" where function=main
}

why=$(perf_obstacle)
rust=$(command -v rustc >/dev/null || echo "rustc is not installed")
stacks() { check_unless "$why" "$@"; }
stacks "C: each frame has its function and line, up to where the program begins" \
	c_is_whole
stacks "C++: inlined functions have frames of their own, without frame pointers" \
	cxx_inlines
stacks "C++: containers are looked through" containers_are_looked_through
for of in legacy v0; do
	check_unless "${why:-$rust}" \
		"Rust, $of names: each frame has its function and line" \
		rust -O -Z unstable-options -C symbol-mangling-version=$of
done
check_unless "${why:-$rust}" \
	"Rust, debug build: each frame has its function and line" rust
stacks "a fault inside malloc is its caller's" faults_in_malloc_are_their_callers
stacks "frame pointers are followed from the callsite on" \
	frame_pointers_are_whole
stacks "programs that are gone have symbols by their debug files" \
	gone_programs_have_symbols
stacks "a server's debug files are used when asked for, and only then" \
	servers_have_symbols
stacks "stripped programs have offsets, and are unwound" \
	stripped_programs_have_offsets
stacks "frames that the chain goes by are said to be missing" gaps_are_said
stacks "in a session of everything, pages are charged to callers of the C library" \
	touched_pages_have_callers
stacks "a session has the same stacks" live_is_the_same
stacks "programs that exited have symbols" exited_programs_have_symbols
stacks "programs below another root have symbols" other_roots_have_symbols
stacks "callers, callees and children add up" trees_add_up
stacks "a function that asks in several lines has the range of them in a tree" \
	lines_of_a_function_are_a_range
stacks "filters, groups and hidden functions add up" filters_and_groups_add_up
stacks "bad options are told in one line" bad_options_are_told
stacks "the second report comes from the cache" second_report_is_cached
stacks "code that a program made has the names it gave perf" made_code_has_names
stacks "memory of no allocator has callsites, with the kernel's functions" \
	memory_of_no_allocator_has_callsites
stacks "functions of another kernel have no names" kernels_are_told_apart
stacks "python3: the top callsites are heaptrack's" python_agrees
stacks "redis-server: the top callsites are heaptrack's" redis_agrees
plan
