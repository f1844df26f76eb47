#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host, without the module: whole stacks of programs that are known, each
# frame with its function and line; and the callsites of real ones, which
# heaptrack sees, too.
cd "$(dirname "$0")/.." || exit 1
. tests/guest/tap.sh
PATH=$PWD/build/user/memprofctl:$PATH
[ -e /sys/kernel/tracing/uprobe_events ] ||
	mount -t tracefs none /sys/kernel/tracing 2>/dev/null
work=$(mktemp -d)
export MEMPROF_RUNDIR=$work/run MEMPROF_SYMBOL_CACHE=$work/cache
mkdir -m 700 "$MEMPROF_RUNDIR"
programs=$PWD/tests/programs
pid=''

cleanup()
{
	memprofctl stop -q 2>/dev/null
	[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null
	wait
	rm -rf "$work"
}
trap cleanup EXIT

obstacle()
{
	memprofctl record -q -f --source perf --growth off --alloc off \
		-o "$work/probe" -- true 2>"$work/why" ||
		head -n 1 "$work/why"
}

# record NAME PROGRAM [OPTION...]: into $work/NAME.data
record()
{
	local name=$1 program=$2
	shift 2
	memprofctl record -q -f --source perf --alloc exact --growth off \
		--faults off --call-graph dwarf -o "$work/$name.data" "$@" -- \
		$program >/dev/null
}

# stacks NAME: lines of "ALLOCS: FUNCTION FILE:LINE < FUNCTION FILE:LINE < ..."
stacks()
{
	memprofctl report -i "$work/$1.data" --by callsite --stack --json |
		python3 -c '
import json, os, sys
for row in map(json.loads, sys.stdin):
    if row["type"] == "stack":
        print("%d:" % row["alloc_objects"], " < ".join(
            "[truncated]" if "truncated" in f else
            "[missing]" if "missing" in f else
            "%s %s:%d" % (f.get("function", "?"),
                          os.path.basename(f.get("file", "?")),
                          f.get("line", 0)) for f in row["frames"]
            if "wrapper" not in f))'
}

# at FILE MARK FUNCTION: FUNCTION FILE:LINE, of a line that is marked
at()
{
	echo "$3 $1:$(grep -n "@$2\b" "$programs/$1" | cut -d: -f1)"
}

# has NAME NR FRAMES: there is a stack of NR allocations that begins so
has()
{
	stacks "$1" >"$work/stacks"
	grep -qF "$2: $3" "$work/stacks" || {
		echo "# not there: $2: $3"
		sed 's/^/# /' "$work/stacks"
		return 1
	}
}

tree_from()
{
	echo "$(at tree.c leaf leaf) < $(at tree.c "$1" "$1") <" \
	     "$(at tree.c "$2" main) <"
}

c_is_whole()
{
	gcc -O2 -g -o "$work/tree" $programs/tree.c &&
	record c "$work/tree" &&
	has c 10 "$(tree_from middle main)" &&
	has c 10 "$(tree_from other again)" &&
	! grep -qE '^(10|20): .*(truncated|missing)' "$work/stacks"
}

every_frame_up_to_the_start()
{
	grep -qE '^10: .*main tree.c:[0-9]+ < __libc_start_call_main .* < __libc_start_main[^ ]* .* < _start ' \
		"$work/stacks"
}

cxx_inlines()
{
	g++ -O2 -g -fomit-frame-pointer -o "$work/inline" $programs/inline.cc &&
	record cxx "$work/inline" &&
	has cxx 10 "$(at inline.cc inner deep::inner) < $(
		at inline.cc middle deep::middle) < $(
		at inline.cc outer 'outer()') < $(
		at inline.cc main main) <"
}

containers_are_looked_through()
{
	has cxx 1 "$(at inline.cc grow 'grow()') < $(at inline.cc call main) <"
}

rust_is_whole()
{
	RUSTC_BOOTSTRAP=1 rustc --edition 2021 -O -g -Z unstable-options \
		-C symbol-mangling-version="$1" -o "$work/rust" \
		$programs/tree.rs 2>"$work/err" &&
	record rust "$work/rust" &&
	has rust 10 "$(at tree.rs leaf tree::leaf) < $(
		at tree.rs inlined tree::inlined) < $(
		at tree.rs middle tree::middle) < $(at tree.rs main tree::main) <"
}

rust_debug_is_whole()
{
	rustc --edition 2021 -g -o "$work/rust" $programs/tree.rs \
		2>"$work/err" &&
	record rust "$work/rust" &&
	has rust 10 "$(at tree.rs leaf tree::leaf) < $(
		at tree.rs inlined tree::inlined) < $(
		at tree.rs middle tree::middle) < $(at tree.rs main tree::main) <"
}

# The program is gone, and so is what tells how to unwind it; its debug file is
# where those of packages are
gone_programs_have_symbols()
{
	local id dir
	id=$(readelf -n "$work/tree-fp" | awk '/Build ID/ { print $3 }')
	dir=/usr/lib/debug/.build-id/${id:0:2}
	mkdir -p "$dir"
	cp "$work/tree-fp" "$work/other"
	objcopy --only-keep-debug "$work/other" "$dir/${id:2}.debug"
	strip "$work/other"
	record gone "$work/other" --call-graph fp
	rm "$work/other"
	MEMPROF_SYMBOL_CACHE=off has gone 10 "$(tree_from middle main)"
	local status=$?
	rm "$dir/${id:2}.debug"
	rmdir "$dir" 2>/dev/null
	return $status
}

# From a server, and only when asked to
servers_have_symbols()
{
	local id port=7399
	cp "$work/tree-fp" "$work/far"
	# not the build-id of a file that is in the cache
	id=$(printf '%040x' $RANDOM$RANDOM$RANDOM)
	gcc -O2 -g -fno-omit-frame-pointer -Wl,--build-id=0x"$id" \
		-o "$work/far" $programs/tree.c
	mkdir -p "$work/served/buildid/$id"
	objcopy --only-keep-debug "$work/far" "$work/served/buildid/$id/debuginfo"
	strip "$work/far"
	record far "$work/far" --call-graph fp
	(cd "$work/served" && exec python3 -m http.server $port \
		--bind 127.0.0.1) >"$work/asked" 2>&1 & pid=$!
	until (: </dev/tcp/127.0.0.1/$port) 2>/dev/null; do sleep 0.1; done
	export DEBUGINFOD_URLS=http://127.0.0.1:$port
	export DEBUGINFOD_CACHE_PATH=$work/fetched MEMPROF_SYMBOL_CACHE=off
	memprofctl report -i "$work/far.data" --by callsite >"$work/without"
	grep -q GET "$work/asked" && echo "# asked unasked" && return 1
	memprofctl report -i "$work/far.data" --by callsite --debuginfod \
		>"$work/with"
	kill $pid
	wait $pid 2>/dev/null
	pid=
	unset DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
	MEMPROF_SYMBOL_CACHE=$work/cache
	! grep -q 'leaf' "$work/without" && grep -q "leaf tree.c" "$work/with"
}

stripped_programs_have_offsets()
{
	cp "$work/tree" "$work/bare"
	objcopy --remove-section=.note.gnu.build-id -S "$work/bare"
	record bare "$work/bare"
	stacks bare >"$work/stacks"
	grep -qE '^10: \? \?:0 < \? \?:0 < \? \?:0 < __libc_start' \
		"$work/stacks"
}

# A program with frame pointers that calls malloc itself
frame_pointers_are_whole()
{
	gcc -O2 -g -fno-omit-frame-pointer -o "$work/tree-fp" $programs/tree.c &&
	record fp "$work/tree-fp" --call-graph fp &&
	has fp 10 "$(tree_from middle main)"
}

# C++'s library has none: who calls operator new is not in the chain
gaps_are_said()
{
	g++ -O2 -g -fno-omit-frame-pointer -o "$work/inline-fp" \
		$programs/inline.cc &&
	record gap "$work/inline-fp" --call-graph fp || return 1
	memprofctl report -i "$work/gap.data" --by callsite >"$work/report"
	grep -q '10  .*\[called by\] main inline.cc' "$work/report" &&
	grep -q 'low confidence' "$work/report"
}

# From a session, with the dump of each event unwound as it comes
live_is_the_same()
{
	"$work/tree" 10 stop 60 >"$work/out" & pid=$!
	each_stop $pid &&
	memprofctl start -q --source perf --alloc exact --call-graph dwarf \
		-p $pid && kill -CONT $pid || return
	until grep -q ready "$work/out"; do sleep 0.1; done
	memprofctl report --by callsite --stack >"$work/report"
	memprofctl report --by callsite --callers --json >"$work/callers"
	memprofctl stop -q
	kill $pid
	grep -A 2 'leaf tree.c' "$work/report" | head -n 3 | sed 's/^/# /'
	grep -A 1 "^      > $(at tree.c leaf leaf)$" "$work/report" |
		grep -q "^        $(at tree.c middle middle)$" &&
	grep -A 2 "^      > $(at tree.c leaf leaf)$" "$work/report" |
		grep -q "^        $(at tree.c again main)$"
}

exited_programs_have_symbols()
{
	"$work/tree" 10 stop & pid=$!
	each_stop $pid &&
	memprofctl start -q --source perf --alloc exact --call-graph dwarf \
		-p $pid && kill -CONT $pid || return
	wait $pid
	memprofctl report --by callsite --sort allocs >"$work/report"
	memprofctl stop -q
	grep -q " 20 .*  tree  *$(at tree.c leaf leaf)$" "$work/report"
}

# As in a container: its files are below its own root, the program nowhere else
other_roots_have_symbols()
{
	local library loader jail=$work/jail
	library=$(ldd "$work/tree" | awk '/libc\.so/ { print $3 }')
	loader=$(ldd "$work/tree" | awk '$1 ~ /ld-linux/ { print $1 }')
	mkdir -p "$jail${library%/*}" "$jail${loader%/*}"
	cp "$library" "$jail$library"
	cp "$loader" "$jail$loader"
	cp "$work/tree" "$jail/memprof-inside"
	(exec chroot "$jail" /memprof-inside 10 stop 60) >"$work/out" & pid=$!
	each_stop $pid &&
	memprofctl start -q --source perf --alloc exact --call-graph dwarf \
		-p $pid && kill -CONT $pid || return
	until grep -q ready "$work/out"; do sleep 0.1; done
	memprofctl report --by callsite --stack >"$work/report"
	memprofctl stop -q
	kill $pid
	wait $pid 2>/dev/null
	pid=
	grep -A 1 "^      > $(at tree.c leaf leaf)$" "$work/report" |
		grep -q "^        $(at tree.c middle middle)$"
}

# json OPTION...: rows of the tree's recording
json()
{
	memprofctl report -i "$work/c.data" --by callsite --json "$@"
}

trees_add_up()
{
	json --callers --sort allocs --filter symbol=^leaf >"$work/callers"
	json --callees --sort allocs --filter symbol=^leaf >"$work/callees"
	json --children --sort allocs --filter symbol=^leaf >"$work/children"
	json --callers >"$work/over"
	python3 - "$work" <<-'END'
	import json, sys
	def nodes(name):
	    return [(n["depth"], n.get("function"), n["value"], n["self"])
	            for n in map(json.loads, open(sys.argv[1] + "/" + name))
	            if n["type"] == "node"]
	callers, callees, flat = map(nodes, ("callers", "callees", "children"))
	# nothing lives any more
	over = list(map(json.loads, open(sys.argv[1] + "/over")))
	assert over[-1]["rows"] == len(over) - 1 > 0, over[-1]
	assert callers[0] == (0, "leaf", 20, 0), callers
	assert {(1, "middle", 10, 0), (1, "other", 10, 0)} <= set(callers)
	assert callees[0][1:3] == ("_start", 20), callees
	assert {("leaf", 10, 10)} == {n[1:] for n in callees
	                              if n[1] == "leaf"}, callees
	found = {n[1]: n[2:] for n in flat}
	assert found["main"] == (20, 0) and found["leaf"] == (20, 20), found
	assert found["middle"] == (10, 0), found
	END
}

filters_and_groups_add_up()
{
	json --filter symbol=^middle --sort allocs >"$work/filtered"
	json --hide '^leaf$' --sort allocs >"$work/hidden"
	json --group-by binary --sort allocs >"$work/binary"
	json --filter 'comm=nobody' >"$work/none"
	json --filter 'size>=1500,comm=tree' --sort allocs >"$work/large"
	python3 - "$work" <<-'END'
	import json, sys
	def sites(name):
	    return [r for r in map(json.loads, open(sys.argv[1] + "/" + name))
	            if r["type"] == "site" and r["alloc_objects"] >= 10]
	rows = sites("filtered")
	assert [(r["function"], r["alloc_objects"], r["alloc_space"])
	        for r in rows] == [("leaf", 10, 10000)], rows
	rows = sorted((r["function"], r["alloc_space"]) for r in sites("hidden"))
	assert rows == [("middle", 10000), ("other", 20000)], rows
	rows = [r for r in sites("binary") if r["binary"].endswith("/tree")]
	assert [r["alloc_objects"] for r in rows] == [20], rows
	assert not sites("none")
	rows = sites("large")
	assert [r["function"] for r in rows] == ["leaf"], rows
	END
}

bad_options_are_told()
{
	local o
	for o in '--hide [' '--filter what=1' '--filter pid=x' \
		 '--group-by nothing' '--min 101' '--callers --callees' \
		 '--stack --callers'; do
		json $o >/dev/null 2>"$work/err"
		[ $? = 2 ] && [ "$(wc -l <"$work/err")" -le 2 ] || {
			echo "# $o: $(cat "$work/err")"
			return 1
		}
	done
	memprofctl report -i "$work/c.data" --hide x 2>/dev/null
	[ $? = 2 ]
}

# The program is gone meanwhile
second_report_is_cached()
{
	memprofctl report -i "$work/cxx.data" --by callsite \
		--group-by symbol >"$work/first"
	cp -r "$work/cache" "$work/cached"
	mv "$work/inline" "$work/moved"
	memprofctl report -i "$work/cxx.data" --by callsite \
		--group-by symbol >"$work/second"
	MEMPROF_SYMBOL_CACHE=off memprofctl report -i "$work/cxx.data" \
		--by callsite --group-by symbol >"$work/third"
	mv "$work/moved" "$work/inline"
	echo "# $(ls "$work/cached" | wc -l) files"
	grep -q deep::inner "$work/first" &&
	! grep -q deep::inner "$work/third" &&
	grep -q deep::inner "$work/second"
}

# What is no allocator's belongs to the code that touched it, and through which
# the kernel did; with the rest it is all that the process has
memory_of_no_allocator_has_callsites()
{
	gcc -O2 -g -fno-omit-frame-pointer -o "$work/touch" $programs/touch.c &&
	memprofctl record -q -f --source perf --faults 1 --call-graph fp \
		-o "$work/touch.data" -- "$work/touch" || return 1
	memprofctl report -i "$work/touch.data" --by callsite --stack --json \
		>"$work/stacks"
	memprofctl report -i "$work/touch.data" --json >"$work/processes"
	memprofctl report -i "$work/touch.data" --by callsite >"$work/report"
	python3 - "$work" "$(at touch.c touch touch)" <<-'END'
	import json, os, sys
	rows = list(map(json.loads, open(sys.argv[1] + "/stacks")))
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
	total = [r for r in map(json.loads, open(sys.argv[1] + "/processes"))
	         if r["type"] == "process"]
	for key in ("faults", "growth_space"):
	    assert sum(r[key] for r in stacks) == sum(r[key] for r in total), key
	END
	[ $? = 0 ] && head -n 4 "$work/report" | sed 's/^/# /' &&
	grep -q '^ .*  16.0M$' "$work/report"
}

# Another boot's kernel has other functions at its addresses
kernels_are_told_apart()
{
	cp "$work/touch.data" "$work/other.data"
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
	grep -q 'it was another one' "$work/report" &&
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
		for (i = 0; i < 7; i++)
			((void (*)(void))at)();
		return 0;
	}
	END
	gcc -O1 -g -fno-omit-frame-pointer -o "$work/jit" "$work/jit.c" &&
	record jit "$work/jit" &&
	has jit 7 "made_by_hand ?:0 < main jit.c:"
	local status=$?
	rm -f /tmp/perf-*.map
	return $status
}

# heaptrack's folded stacks, and our rows of stacks: calls by the function of the
# callsite, in a file each
top_of()
{
	python3 - "$work/folded" "$work/ours" <<-'END'
	import json, re, sys
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
	for row in map(json.loads, open(sys.argv[2])):
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
	local client=$1
	shift
	rm -f "$work"/trace.*
	$client & pid=$!
	heaptrack -o "$work/trace" "$@" >/dev/null 2>&1
	heaptrack_print -f "$work"/trace.* -F "$work/folded" >/dev/null 2>&1
	wait $pid
	$client & pid=$!
	# a ring holds all of it: nothing is lost however busy the machine is
	memprofctl record -q -f --source perf --alloc exact --growth off \
		--faults off --call-graph dwarf,4096 -o "$work/big" -- "$@" \
		>/dev/null 2>"$work/err"
	wait $pid
	pid=
	if grep 'events were lost' "$work/err"; then
		return 1
	fi
	memprofctl report -i "$work/big" --by callsite --stack --json -n 0 \
		>"$work/ours"
	rm -f "$work/big"
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

# A client that tells the server the same each time, and to end
tell_redis()
{
	local i sock=$work/redis.sock
	for ((i = 0; i < 100; i++)); do
		redis-cli -s "$sock" ping 2>/dev/null | grep -q PONG && break
		sleep 0.2
	done
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

names=(
	"C: each frame has its function and line"
	"and leads to where the program begins"
	"C++: inlined functions have frames of their own, without frame pointers"
	"C++: containers are looked through"
	"Rust, legacy names: each frame has its function and line"
	"Rust, v0 names: each frame has its function and line"
	"Rust, debug build: each frame has its function and line"
	"frame pointers are followed from the callsite on"
	"programs that are gone have symbols by their debug files"
	"a server's debug files are used when asked for, and only then"
	"stripped programs have offsets, and are unwound"
	"frames that the chain goes by are said to be missing"
	"a session has the same stacks"
	"programs that exited have symbols"
	"programs below another root have symbols"
	"callers, callees and children add up"
	"filters, groups and hidden functions add up"
	"bad options are told in one line"
	"the second report comes from the cache"
	"code that a program made has the names it gave perf"
	"memory of no allocator has callsites, with the kernel's functions"
	"functions of another kernel have no names"
	"python3: the top callsites are heaptrack's"
	"redis-server: the top callsites are heaptrack's"
)
commands=(
	c_is_whole every_frame_up_to_the_start cxx_inlines
	containers_are_looked_through "rust_is_whole legacy" "rust_is_whole v0"
	rust_debug_is_whole frame_pointers_are_whole gone_programs_have_symbols
	servers_have_symbols stripped_programs_have_offsets gaps_are_said
	live_is_the_same exited_programs_have_symbols other_roots_have_symbols
	trees_add_up
	filters_and_groups_add_up bad_options_are_told second_report_is_cached
	made_code_has_names memory_of_no_allocator_has_callsites
	kernels_are_told_apart python_agrees redis_agrees
)

why=$(obstacle)
for i in "${!names[@]}"; do
	if [ -n "$why" ]; then
		skip "${names[i]}" "$why"
	elif [[ ${commands[i]} = rust_* ]] && ! command -v rustc >/dev/null
	then
		skip "${names[i]}" "rustc is not installed"
	else
		check "${names[i]}" ${commands[i]}
	fi
done
plan
