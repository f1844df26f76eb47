#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host: what a report says of programs in other languages, of servers whose
# processes have one name, and of programs without symbols
. "$(dirname "$0")/lib.sh"

# lacks PROGRAM: prints that it is not installed, or nothing
lacks() { command -v "$1" >/dev/null || echo "$1 is not installed"; }

# recorded PID WORK...: records the process while it does WORK, a command that returns
# when it is done; the report is in $work/report
recorded()
{
	local recorder
	listening record -q -f --source perf --inject -p "$1" -o "$work/data" 2>"$work/err" &&
		"${@:2}" && kill -INT $recorder && end_of $recorder &&
		memprofctl report -i "$work/data" >"$work/report" && return
	note "$work/err"
	return 1
}

# line_makes LINE TEXT FILE: sends LINE to the program that reads file 7; waits until it
# has written TEXT
line_makes()
{
	echo "$1" >&7 && wait_for "$2" "$3"
}

# The program reads file 7.
make_input()
{
	mkfifo "$work/input" && exec 7<>"$work/input"
}

# first_site: the first row of the table of callsites
first_site()
{
	awk 'site { print; exit } /CALLSITE$/ { site = 1 }' "$work/report"
}

# The program prints "ready", waits for a line, and keeps direct buffers, which malloc()
# gives.
make_java()
{
	cat >"$fix/Keeps.java" <<-'END'
	import java.nio.ByteBuffer;
	import java.util.ArrayList;
	public class Keeps {
		static ArrayList<ByteBuffer> kept = new ArrayList<>();
		static void keep() { kept.add(ByteBuffer.allocateDirect(20000)); }
		public static void main(String[] args) throws Exception {
			for (int i = 0; i < 20000; i++) {
				keep();
				if (i == 3000) {
					System.out.println("ready");
					System.in.read();
				}
			}
			System.out.println("done");
			Thread.sleep(600000);
		}
	}
	END
	javac -d "$fix" "$fix/Keeps.java"
}

java_functions_are_callsites()
{
	local pid
	needs java && make_input || return
	java -XX:+PreserveFramePointer -XX:MaxDirectMemorySize=1g -cp "$fix" Keeps \
		<"$work/input" >"$work/out" 2>&1 & pid=$!
	wait_for ready "$work/out" &&
	recorded $pid line_makes go done "$work/out" &&
	grep "^hint: .*functions of Java.*jcmd $pid Compiler.perfmap" "$work/report" &&
	at_end "rm -f /tmp/perf-$pid.map" && jcmd $pid Compiler.perfmap >"$work/out" &&
	memprofctl report -i "$work/data" >"$work/report" &&
	first_site | grep ' java::Keeps\.' && ! grep '^hint: .*functions of' "$work/report" &&
	has_language java:: Java && return
	note "$work/report"
	return 1
}

has_language()
{
	[ -n "$(lacks protoc)" ] || tests/export/languages.py "$work/data" "$@"
}

# As languages.rst says. Buffer.alloc() is calloc().
node_functions_are_callsites()
{
	cat >"$work/keeps.js" <<-'END'
	const kept = [];
	function keep() { kept.push(Buffer.alloc(20000)); }
	for (let i = 0; i < 5000; i++) keep();
	process.kill(process.pid, "SIGKILL");
	END
	# node writes a log into the current folder
	(cd "$work" && memprofctl record -q -f --alloc 64K -o data -- node --perf-basic-prof \
		--interpreted-frames-native-stack keeps.js 2>err)
	memprofctl report -i "$work/data" >"$work/report" &&
	first_site | grep ' JS:keep keeps\.js:2' && has_language JS: JavaScript && return
	note "$work/report" "$work/err"
	return 1
}

# V8's heap is its own: what touches memory is in its functions.
heaps_of_runtimes_are_told()
{
	local pid
	make_input || return
	node -e 'const kept = []; console.log("ready");
		process.stdin.once("data", () => {
			while (kept.length < 400)
				kept.push(Array.from({length: 20000}, (_, i) => ({i})));
			console.log("done"); })' \
		<"$work/input" >"$work/out" & pid=$!
	wait_for ready "$work/out" &&
	recorded $pid line_makes go done "$work/out" &&
	grep '^TOUCHED  .*CALLSITE$' "$work/report" && head -n 1 "$work/report" |
	grep "^node grew by .*the rest is most likely in the runtime's own heap, .*: memprofctl help node | sh -s $pid shows who allocates what it keeps, " &&
	! grep '^hint: .*of TOUCHED' "$work/report" &&
	memprofctl record -q -f -o "$work/data" -- node -e 'const kept = []; while (kept.length < 150)
		kept.push(Array.from({length: 20000}, (_, i) => ({i})));' &&
	memprofctl report -i "$work/data" >"$work/report" &&
	grep "^node had [0-9.]*M of RSS at its peak, and .* of blocks; the rest was most likely in the runtime's own heap: started with node --heap-prof, it writes " \
		"$work/report" && return
	note "$work/report"
	return 1
}

# The line that keeps objects is named while the program runs, by the script of `help node`.
# inspector_is_closed PID: nobody in its network listens to the inspector's port
inspector_is_closed() { ! inspector_is_open $1; }
inspector_is_open() { grep -q ':240D .* 0A ' /proc/$1/net/tcp; }

# node_of_another_keeps_the_port PID: of another one in its network nothing is asked
node_of_another_keeps_the_port()
{
	local second status
	nsenter -n -t $1 node -e 'setInterval(() => {}, 1000); console.log("ready")' \
		>"$work/second" & second=$!
	wait_for ready "$work/second" && kill -USR1 $1 && wait_until inspector_is_open $1 &&
	! memprofctl help node | nsenter -n -t $second sh -s $second 1 2>"$work/err" &&
		grep -q "^port 9229 is taken by process $1: " "$work/err"
	status=$?
	kill $second
	return $status
}

objects_of_node_are_named()
{
	local pid other
	cat >"$work/forgets.js" <<-'END'
	const kept = new Map();
	let nr = 0;

	function keep() {
		kept.set(nr++, new Array(100).fill(nr));
	}

	setInterval(() => { for (let i = 0; i < 50; i++) keep(); }, 10);
	console.log("ready");
	END
	# another node may have the port of the inspector
	unshare -n sh -c 'ip link set lo up && exec node "$1"' sh "$work/forgets.js" >"$work/out" & pid=$!
	wait_for ready "$work/out" &&
		memprofctl help node | timeout 60 nsenter -n -t $pid sh -s $pid 4 >"$work/objects" 2>&1 &&
		wait_until inspector_is_closed $pid &&
		node_of_another_keeps_the_port $pid
	[ $? = 0 ] || { note "$work/objects" "$work/err"; kill $pid; return 1; }
	kill $pid
	sleep 60 & other=$!
	! memprofctl help node | sh -s $other 2>"$work/err" && kill $other &&
		grep -q ' is no node$' "$work/err" &&
	head -n 2 "$work/objects" | grep -Eq '^[0-9]+\.[0-9]M .* .*/forgets\.js:[4-9]$' && return
	note "$work/objects"
	return 1
}

# java_has_no_recording PID: Flight Recorder is off again
java_has_no_recording() { jcmd $1 JFR.check | grep -q '^No available recordings'; }

# The script that is stopped leaves no recording and no folder.
java_script_stops_cleanly()
{
	local script folders="/tmp/memprof-java-$1.*"
	memprofctl help java >"$work/script" || return
	sh "$work/script" $1 60 >"$work/stopped" 2>&1 & script=$!
	wait_for "which lines make " "$work/stopped" && ! java_has_no_recording $1 &&
	kill $script && ! wait $script && java_has_no_recording $1 &&
	[ "$(echo $folders)" = "$folders" ]
}

# The line that keeps small objects, and not that of a full cache, which makes more bytes.
objects_of_java_are_named()
{
	local pid other line
	cat >"$work/Forgets.java" <<-'END'
	import java.util.*;
	public class Forgets {
		record Order(long id, long customer, long sum) { }
		static final Map<Integer, Order> orders = new HashMap<>();
		static final Map<Integer, byte[]> cache = new LinkedHashMap<>() {
			protected boolean removeEldestEntry(Map.Entry<Integer, byte[]> eldest) {
				return size() > 5000;
			}
		};
		static void keep(int i) {
			orders.put(i, new Order(i, i, i)); // @kept
		}
		static void renew(int i) { cache.put(i, new byte[600]); }
		public static void main(String[] args) throws Exception {
			for (int i = 0; ; i++) {
				renew(i);
				keep(i);
				if (i == 10000)
					System.out.println("ready");
				if (i % 50 == 0)
					Thread.sleep(1);
			}
		}
	}
	END
	line=$(grep -n @kept "$work/Forgets.java" | cut -d: -f1)
	javac -d "$work" "$work/Forgets.java" || return
	# a small nursery: threads ask for space more often, which is when samples are taken
	java -Xmx400m -Xmn16m -cp "$work" Forgets >"$work/out" & pid=$!
	wait_for ready "$work/out" &&
		memprofctl help java | timeout 120 sh -s $pid 8 >"$work/objects" 2>&1 &&
		java_has_no_recording $pid && java_script_stops_cleanly $pid
	[ $? = 0 ] || { note "$work/objects" "$work/stopped"; kill $pid; return 1; }
	kill $pid
	sleep 60 & other=$!
	! memprofctl help java | sh -s $other 2>"$work/err" && kill $other &&
		grep -q ' is no java' "$work/err" &&
	sed -n 2p "$work/objects" |
	grep -E "^[0-9]+\.[0-9]M  .*: Forgets\.keep\(int\) line $line\$" && return
	note "$work/objects"
	return 1
}

# containers_are_named PYTHON: what grows, and not what is full or changes only
containers_are_named()
{
	local pid other
	cat >"$work/keeps.py" <<-'END'
	import collections, sys, time
	audit = []
	by_number = collections.defaultdict(list)
	jobs = collections.deque()
	full = {i: str(i) for i in range(5000)}
	class Store:
	    def __init__(self):
	        self.label, self.items, self.title = "items of it", {}, "a store"
	class Index:
	    def __init__(self):
	        self.seen = set()
	store, index = Store(), Index()
	for i in range(100000000):
	    audit.append({"number": i, "when": time.time()})
	    if i % 2 == 0:
	        store.items["key %d" % i] = [i]
	    if i % 3 == 0:
	        jobs.append("job %d" % i)
	        by_number[i].append(i)
	    if i % 4 == 0:
	        index.seen.add(i)
	    full.pop(i)
	    full[i + 5000] = str(i)
	    if i == 2000:
	        print("ready", flush=True)
	    time.sleep(0.001)
	END
	"$1" "$work/keeps.py" >"$work/out" & pid=$!
	wait_for ready "$work/out" &&
		memprofctl help python | timeout 120 "$1" -I - $pid 6 >"$work/grows" 2>&1
	kill $pid
	sed 's/([0-9]* entries/(N entries/; s/^+[0-9]*/+N/' "$work/grows" | tail -n +2 >"$work/rows"
	grep -qx '+N  list audit  (N entries, the last one a dict {number, when})' "$work/rows" &&
	grep -qxE '[+]N  dict (Store[.]|attribute )items  \(N entries, the last one of type list\)' "$work/rows" &&
	grep -qxE '[+]N  set (Index[.]|attribute )seen  \(N entries\)' "$work/rows" &&
	grep -qx '+N  defaultdict by_number  (N entries, the last one of type list)' "$work/rows" &&
	grep -qx '+N  deque jobs  (N entries)' "$work/rows" &&
	[ "$(wc -l <"$work/rows")" = 5 ] || { note "$work/grows"; return 1; }
	sleep 60 & other=$!
	! memprofctl help python | "$1" -I - $other 2>"$work/err" && kill $other &&
	grep -q " is no python3" "$work/err"
}

# The same of what is in __slots__, in a variable, in one that functions share, and in a dict
variables_are_named()
{
	local pid
	cat >"$work/variables.py" <<-'END'
	import time
	by_host = {}
	class Node:
	    __slots__ = "parent", "children"
	def recorder():
	    recorded = []
	    by_host["10.0.0.1"] = []
	    by_host[7] = []
	    def record(x):
	        recorded.append(x)
	    return record
	def work(node, record):
	    queue = set()
	    for i in range(100000000):
	        queue.add(i)
	        record([i])
	        node.children.append(str(i))
	        by_host["10.0.0.1"].append(i)
	        by_host[7].append(i)
	        if i == 2000:
	            print("ready", flush=True)
	        time.sleep(0.001)
	node = Node()
	node.children = []
	work(node, recorder())
	END
	"$1" "$work/variables.py" >"$work/out" & pid=$!
	wait_for ready "$work/out" &&
		memprofctl help python | timeout 120 "$1" -I - $pid 3 >"$work/grows" 2>&1
	kill $pid
	sed 's/([0-9]* entries/(N entries/; s/^+[0-9]*/+N/' "$work/grows" | tail -n +2 | LC_ALL=C sort >"$work/rows"
	sed -E 's/recorder\.<locals>\.//' "$work/rows" | diff - <(echo "\
+N  list Node.children  (N entries, the last one of type str)
+N  list by_host['10.0.0.1']  (N entries, the last one of type int)
+N  list by_host[7]  (N entries, the last one of type int)
+N  list recorded of record()  (N entries, the last one of type list)
+N  set queue of work()  (N entries)") || { note "$work/grows"; return 1; }
}

# Of a node without options, the sentence says that Buffers grow, and has the command that
# names who keeps them. Others make more of them, and let them go.
buffers_of_node_are_named()
{
	local pid
	cat >"$work/uploads.js" <<-'END'
	const kept = [];

	function keep(size) {
		kept.push(Buffer.alloc(size, 1));
	}

	function passOn(size) { return Buffer.alloc(size).length; }

	setInterval(() => {
		for (let i = 0; i < 30; i++) keep(8000);
		for (let i = 0; i < 60; i++) passOn(8000);
	}, 20);
	console.log("ready");
	END
	unshare -n sh -c 'ip link set lo up && exec node "$1"' sh "$work/uploads.js" >"$work/out" & pid=$!
	wait_for ready "$work/out" &&
	memprofctl record -q --inject -p $pid -d 4 -o "$work/data" &&
	memprofctl report -i "$work/data" >"$work/report" &&
	memprofctl help node | timeout 60 nsenter -n -t $pid sh -s $pid 6 >"$work/objects" 2>&1
	kill $pid
	head -n 1 "$work/report" |
	grep "^node grew by .*, most of it Buffers: memprofctl help node | sh -s $pid shows which functions make those that stay$" &&
	grep -m 1 'M .*\.js:' "$work/objects" |
	grep -E '^[0-9]{2,}\.[0-9]M keep .*/uploads\.js:[3-5] in Buffers, by their number$' &&
		return
	note "$work/report" "$work/objects"
	return 1
}

# The session that prepares statements is the first row; its title says which one it is.
# prepares NAME: 20000 statements in a backend of PostgreSQL, which keeps them
prepares()
{
	echo "do \$\$ begin for i in 1..20000 loop
		execute 'prepare $1' || i || ' as select * from pg_class where oid = ' || i;
		end loop; end \$\$;"
}

# The second ones are not waited for: what has stopped allocating is not called a leak.
keeps_preparing()
{
	line_makes "$(prepares p)" DO "$work/psql" && prepares q >&7
}

backends_have_titles()
{
	local bin server as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
	mkdir "$work/db" && chown 65534 "$work/db" && chmod 755 "$work" || return
	"${as[@]}" "$bin/initdb" -D "$work/db/data" -A trust -U tester >"$work/log" 2>&1 &&
	echo "listen_addresses = ''" >>"$work/db/data/postgresql.conf" || return
	"${as[@]}" "$bin/postgres" -D "$work/db/data" -k "$work/db" >"$work/log" 2>&1 &
	wait_until "$bin/pg_isready" -q -h "$work/db" || return
	server=$(head -n 1 "$work/db/data/postmaster.pid")
	at_end "kill -INT $server; wait_until is_gone $server"
	make_input || return
	psql -h "$work/db" -U tester postgres <"$work/input" >"$work/psql" 2>&1 &
	echo 'select 1;' >&7
	wait_until pgrep -P "$server" -f 'postgres: tester' >"$work/backend" || return
	recorded "$server" keeps_preparing &&
		grep -A 1 'TITLE$' "$work/report" | tail -n 1 |
		grep ' postgres .* postgres: tester postgres \[local\]' &&
	head -n 1 "$work/report" | grep 'CachedPlan .*frees nothing' &&
	# their lists and trees are copied by functions that only allocate
	grep -A 1 ' CALLSITE' "$work/report" | grep -E ' (Create|Complete)CachedPlan ' && return
	note "$work/psql" "$work/log" "$work/report"
	return 1
}

is_gone() { [ ! -e "/proc/$1" ]; }

# Two processes of one name have their command lines, without the interpreter's folder.
names_that_repeat_have_titles()
{
	local python
	python=$(python3 -c 'import sys; print(sys.executable)')
	"$python" -S -c 'import time; time.sleep(600)' first & a=$!
	"$python" -S -c 'import time; time.sleep(600)' second & b=$!
	memprofctl record -q --source perf --alloc off -p $a -p $b -o "$work/data" -d 0.2 &&
	memprofctl report -i "$work/data" >"$work/report" &&
	grep "  ${python##*/} -S -c .* second$" "$work/report" &&
	grep -c "  ${python##*/} -S -c .*sleep" "$work/report" | grep '^2$' &&
	report -i "$work/data" --by process | rows value title where pid=$a |
		grep ' first$' || return
	memprofctl record -q -f --source perf --alloc off -p $a -o "$work/data" -d 0.2 &&
	memprofctl report -i "$work/data" >"$work/report" && ! grep TITLE "$work/report"
}

# A program without symbols: the report says that it has none, and what helps.
programs_without_symbols_are_told()
{
	cat >"$work/stripped.c" <<-'END'
	#include <stdlib.h>
	static void *volatile last;
	int main(void)
	{
		int i;
		for (i = 0; i < 1000; i++)
			last = malloc(10000);
		return 0;
	}
	END
	gcc -O1 -s -o "$work/stripped" "$work/stripped.c" &&
	memprofctl record -q --preload --rate 4K -o "$work/data" -- "$work/stripped" &&
	memprofctl report -i "$work/data" >"$work/report" &&
	grep '^hint: 100 % of AT-PEAK is in stripped, which has no symbols: build it with -g' \
		"$work/report" && return
	note "$work/report"
	return 1
}

# The cache holds more than the leak, and frees what it replaces.
# A cache beside a leak. With an argument the cache is filled at once, and then a block of it
# is replaced every millisecond.
make_keeps()
{
	cat >"$work/keeps.c" <<-'END'
	#include <stdlib.h>
	#include <string.h>
	#include <unistd.h>
	static void *cache[3000], *volatile lost;
	static void put(int i)
	{
		free(cache[i]);
		cache[i] = memset(malloc(10000), 1, 10000);
	}
	static void lose(void) { lost = memset(malloc(10000), 1, 10000); }
	int main(int argc, char **argv)
	{
		int i, every = argc > 1 ? atoi(argv[1]) : 40;
		for (i = 0; ; i++) {
			put(i % 3000);
			if (i % every == 0)
				lose();
			if (argc > 1 ? i >= 3000 : i % 100 == 99)
				usleep(argc > 1 ? 1000 : 5000);
		}
	}
	END
	gcc -O1 -g -o "$work/keeps" "$work/keeps.c"
}

# In four seconds it leaks less than the cache holds, however fast the machine is
leaks_are_told_from_caches()
{
	local pid
	make_keeps || return
	"$work/keeps" & pid=$!
	memprofctl record -q --source perf --inject --alloc 16K -p $pid -o "$work/data" -d 4 &&
		memprofctl report -i "$work/data" >"$work/report" &&
		grep '^lose keeps\.c:10 frees nothing of .*; put keeps\.c:8 has more ([0-9.]*M), but frees [0-9]* %, as a cache does' \
			"$work/report" &&
		memprofctl export -q --format html -i "$work/data" -o "$work/page" &&
		grep '"suspect":"lose keeps\.c:10' "$work/page" >"$work/out" && return
	note "$work/report"
	return 1
}

# report_of_young_cache EVERY: its cache renews 20 MB in two seconds, and each EVERYth block leaks
report_of_young_cache()
{
	local pid
	make_keeps || return
	"$work/keeps" $1 & pid=$!
	sleep 0.5
	memprofctl record -q -f --source perf --inject --alloc 16K -p $pid -o "$work/data" -d 2 &&
		memprofctl report -i "$work/data" >"$work/report"
}

young_caches_are_no_leaks()
{
	report_of_young_cache 100 &&
		grep '^keeps has LIVE .*: 2\.[0-9] s are too short to tell a leak from a cache (try [0-9]* s)' \
			"$work/report" && ! grep 'frees nothing' "$work/report" && return
	note "$work/report"
	return 1
}

leaks_beside_young_caches_are_named()
{
	report_of_young_cache 8 &&
		grep '^lose keeps\.c:10 (LIVE [0-9.]*M) may be a leak: keeps grew by .*(try [0-9]* s)' \
			"$work/report" && return
	note "$work/report"
	return 1
}

# Go has a heap of its own, but its faults have callers: not the runtime's functions
make_go()
{
	cat >"$fix/keeps.go" <<-'END'
	package main

	var kept [][]byte

	//go:noinline
	func keep() {
		kept = append(kept, make([]byte, 4000)) // @kept
	}

	func main() {
		for i := 0; i < 10000; i++ {
			keep()
		}
	}
	END
	HOME=$fix GO111MODULE=off go build -o "$fix/keeps-go" "$fix/keeps.go" 2>"$work/err" ||
		{ note "$work/err"; return 1; }
}

go_names_who_touches()
{
	needs go && memprofctl record -q -f --source perf -o "$work/data" -- "$fix/keeps-go" \
		2>"$work/err" || return
	memprofctl report -i "$work/data" >"$work/report"
	first_site | grep -q " main\.keep keeps\.go:$(grep -n @kept "$fix/keeps.go" | cut -d: -f1)\$" &&
		grep -q '^hint: Go has a heap of its own: go tool pprof ' "$work/report" &&
		! grep -q 'no symbol has the name' "$work/err" && return
	note "$work/report"
	note "$work/err"
	return 1
}

check "programs without symbols are told" programs_without_symbols_are_told
why=$(perf_obstacle)
check_unless "$why" "names that repeat have titles" names_that_repeat_have_titles
injecting=${why:-$(injection_obstacle)}
check_unless "$injecting" "leaks are told from caches" leaks_are_told_from_caches
check_unless "$injecting" "a cache that has freed nothing yet is not called a leak" \
	young_caches_are_no_leaks
check_unless "$injecting" "a leak beside such a cache may be one" leaks_beside_young_caches_are_named
check_unless "${injecting:-$(lacks javac)}" "Java's functions are callsites" \
	java_functions_are_callsites
check_unless "$(lacks javac)$(lacks jcmd)$(lacks jfr)" \
	"objects of java are named while it runs" objects_of_java_are_named
for python in $(compgen -c python3. | grep -xE 'python3\.([89]|1[0-3])' | sort -u) python3; do
	"$python" -c 0 2>/dev/null || continue
	check "containers of $python that grow are named" containers_are_named $python
	check "those in slots and variables of $python, too" variables_are_named $python
done
check_unless "${why:-$(lacks node)}" "node's functions are callsites" \
	node_functions_are_callsites
check_unless "$(lacks node)" "objects of node are named while it runs" objects_of_node_are_named
check_unless "${injecting:-$(lacks node)}" "Buffers of node are named while it runs" \
	buffers_of_node_are_named
check_unless "${injecting:-$(lacks node)}" "heaps of runtimes are told" \
	heaps_of_runtimes_are_told
check_unless "${injecting:-$(lacks pgbench)}" "PostgreSQL's backends have titles" \
	backends_have_titles
check_unless "${why:-$(lacks go)}" "Go's pages have the functions that ask for them" \
	go_names_who_touches
plan
