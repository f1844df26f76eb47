#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What memprofctl makes of processes that sample themselves: recordings, whole
# stacks, snapshots, control; as anyone, and after the process was killed.
cd "$(dirname "$0")/.." || exit 1
. tests/guest/tap.sh
PATH=$PWD/build/user/memprofctl:$PATH
work=$(mktemp -d)
chmod 755 "$work"
programs=$PWD/tests/programs
export MEMPROF_SYMBOL_CACHE=off
pid=''

cleanup()
{
	[ -z "$pid" ] || kill -9 "$pid" 2>/dev/null
	wait
	rm -rf "$work"
}
trap cleanup EXIT

record()
{
	memprofctl record --preload -q -f -o "$work/data" --rate 1 -- "$@" \
		>"$work/out"
}

# stacks FILE: "ALLOCS BYTES LIVE: FUNCTION < FUNCTION < FUNCTION"
stacks()
{
	memprofctl report -i "$1" --by callsite --stack --json |
		python3 -c '
import json, sys
for row in map(json.loads, sys.stdin):
    if row["type"] == "stack" and "frames" in row:
        print("%d %d %d:" % (row["alloc_objects"], row["alloc_space"],
                             row["inuse_space"]), " < ".join(
            f.get("function", "?") for f in row["frames"]
            if "wrapper" not in f))'
}

each_call_is_there()
{
	gcc -O2 -g -o "$work/tree" $programs/tree.c &&
	record "$work/tree" 10 &&
	stacks "$work/data" >"$work/stacks" &&
	grep -q '^10 10000 10000: leaf < middle < main < ' "$work/stacks" &&
	grep -q '^10 20000 20000: leaf < other < main < .*_start$' \
		"$work/stacks" || {
		sed 's/^/# /' "$work/stacks"
		return 1
	}
}

callsites_add_up()
{
	memprofctl report -i "$work/data" --by callsite --json |
		python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
leaf = [r for r in rows if r["type"] == "site" and r.get("function") == "leaf"]
print("#", [(r["alloc_objects"], r["inuse_space"], r["line"]) for r in leaf])
assert [(r["alloc_objects"], r["inuse_space"]) for r in leaf] == [(20, 30000)]
end = rows[-1]
assert end["source"] == "preload" and end["alloc_rate"] == 1, end
assert end["stacks"]["confidence"] == "high", end["stacks"]'
}

# $work/data is not for nobody to write: another one is
anyone_can()
{
	local as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	mkdir "$work/theirs" "$work/bin" "$work/lib"
	chown 65534:65534 "$work/theirs"
	# as installed: this folder may be closed to others
	cp build/user/memprofctl/memprofctl "$work/bin"
	cp build/user/libmemprof/libmemprof.so "$work/lib"
	"${as[@]}" "$work/bin/memprofctl" record --preload -q -o "$work/theirs/data" \
		--rate 1 -- "$work/tree" 10 &&
	[ "$(stat -c %a:%u "$work/theirs/data")" = 600:65534 ] &&
	"${as[@]}" "$work/bin/memprofctl" report \
		-i "$work/theirs/data" --by callsite | grep -q ' leaf tree.c:'
}

children_are_followed()
{
	record bash -c "$work/tree 10 & (exec $work/tree 5); wait; exec $work/tree 3"
	memprofctl report -i "$work/data" --json | python3 -c '
import json, sys
names = sorted(r["comm"] for r in map(json.loads, sys.stdin)
               if r["type"] == "process")
print("#", names)
assert names.count("tree") == 3 and "bash" in names' &&
	memprofctl report -i "$work/data" --by callsite |
		grep -q ' 36 .* (3)  tree .* leaf tree.c:'
}

statuses_are_the_commands()
{
	record bash -c 'exit 7'
	[ $? = 7 ] || return 1
	record bash -c 'kill -9 $$'
	[ $? = 137 ] || return 1
	record /nonexistent/command 2>"$work/err"
	[ $? = 127 ] && [ "$(wc -l <"$work/err")" = 1 ]
}

mistakes_are_told()
{
	local o
	echo precious >"$work/precious"
	for o in "-o $work/precious -- true" "--rate 0 -- true" \
		 "--rate -1 -- true" "-p 1 -- true" ""; do
		memprofctl record --preload $o 2>"$work/err" && return 1
		[ "$(wc -l <"$work/err")" = 1 ] || return 1
	done
	grep -q precious "$work/precious"
}

# The C library of a static program asks no loader
static_programs_are_told()
{
	gcc -static -O2 -o "$work/static" $programs/tree.c &&
	! record "$work/static" 2>"$work/err" &&
	grep -q 'not loaded' "$work/err"
}

programs_with_rights_are_told()
{
	cp "$work/tree" "$work/rights"
	chmod u+s "$work/rights"
	record "$work/rights" 10 2>"$work/err"
	grep -q 'gains rights' "$work/err" || return 1
	# and one that the command runs, once
	record bash -c "'$work/rights' 10 1 & '$work/rights' 10 1; wait" \
		2>"$work/err"
	[ "$(grep -c 'rights gained rights' "$work/err")" = 1 ]
}

# run PATTERN COMMAND...: in the background, with the library
run()
{
	local library=$PWD/build/user/libmemprof/libmemprof.so pattern=$1
	shift
	LD_PRELOAD=$library MEMPROF_OUT=$pattern MEMPROF_RATE=1 "$@" <&0 \
		>"$work/out" & pid=$!
}

ready()
{
	until grep -q ready "$work/out"; do sleep 0.1; done
}

snapshots_are_of_now()
{
	run "$work/region.%p" "$work/tree" 10 0 60
	ready
	memprofctl snapshot -q -f -o "$work/data" -p $pid &&
	stacks "$work/data" | grep -q '^10 10000 10000: leaf < middle' &&
	memprofctl report -i "$work/data" --json | python3 -c '
import json, sys
row = json.loads(sys.stdin.readline())
print("#", row["comm"], row["resident_space"])
assert row["resident_space"] > 500000 and "exited" not in row'
}

# Also without memprofctl having asked it for anything
killed_processes_leave_all()
{
	kill -9 $pid
	wait $pid 2>/dev/null
	stacks "$work/region.$pid" | grep -q '^10 10000 10000: leaf < middle' &&
	memprofctl report -i "$work/region.$pid" | grep -q 'tree \[exited\]'
	local status=$?
	pid=''
	return $status
}

marks_and_pauses_are_heeded()
{
	cat >"$work/steps.c" <<-'END'
	#include <stdio.h>
	#include <stdlib.h>

	void *volatile keep;

	int main(void)
	{
		int i;

		setvbuf(stdout, NULL, _IONBF, 0);
		for (i = 0; i < 100; i++)
			keep = malloc(1000);
		puts("ready");
		getchar();
		for (i = 0; i < 7; i++)
			keep = malloc(3000);
		puts("again");
		getchar();
		for (i = 0; i < 50; i++)
			keep = malloc(9000);
		puts("last");
		getchar();
		return 0;
	}
	END
	gcc -O1 -g -o "$work/steps" "$work/steps.c" || return 1
	mkfifo "$work/in"
	exec 9<>"$work/in"
	run "$work/region.%p" "$work/steps" <&9
	ready
	memprofctl mark -q -p $pid
	echo >&9
	until grep -q again "$work/out"; do sleep 0.1; done
	memprofctl pause -q -p $pid
	echo >&9
	until grep -q last "$work/out"; do sleep 0.1; done
	memprofctl snapshot -q -f -o "$work/all" -p $pid
	memprofctl snapshot -q -f -o "$work/young" --since-mark -p $pid
	memprofctl resume -q -p $pid
	echo >&9
	wait $pid
	exec 9>&-
	pid=''
	stacks "$work/all" >"$work/stacks"
	sed 's/^/# /' "$work/stacks"
	grep -q '^100 100000 100000: main' "$work/stacks" &&
	grep -q '^7 21000 21000: main' "$work/stacks" &&
	! grep -q ' 450000' "$work/stacks" &&
	[ "$(stacks "$work/young" | cut -d: -f1)" = '7 21000 21000' ]
}

others_are_told_apart()
{
	sleep 60 & pid=$!
	memprofctl snapshot -p $pid -o "$work/none" 2>"$work/err" && return 1
	kill $pid
	wait $pid
	pid=''
	grep -q 'does not have the library' "$work/err" || return 1
	memprofctl mark -p 99999999 2>"$work/err" && return 1
	grep -q 'no process' "$work/err"
}

# Cut and flipped at random: no crash, no hang; read or refused in one line
broken_regions_are_survived()
{
	local i status region
	run "$work/broken.%p" "$work/tree" 10
	wait $pid
	region=$work/broken.$pid
	pid=''
	for i in {1..60}; do
		python3 - "$region" "$work/bad" $i <<-'END'
		import os, random, sys
		random.seed(int(sys.argv[3]))
		with open(sys.argv[1], "rb") as f:
		    head = bytearray(f.read(1 << 20))
		size = os.path.getsize(sys.argv[1])
		if random.random() < 0.3:
		    size = random.randrange(len(head))
		    head = head[:size]
		else:
		    for _ in range(random.randrange(1, 30)):
		        head[random.randrange(random.choice(
		            (64, 512, len(head))))] = random.choice((0, 255, 1, 128))
		with open(sys.argv[2], "wb") as f:
		    f.write(head)
		    f.truncate(size)
		END
		timeout 20 memprofctl report -i "$work/bad" --by callsite \
			>"$work/out" 2>"$work/err"
		status=$?
		[ $status -le 1 ] || {
			echo "# variant $i: status $status"
			return 1
		}
	done
}

# A signal to the recorder ends the command; nothing is left, what it did is there.
signals_end_the_command()
{
	mkdir "$work/tmp" || return
	cat >"$work/wait.c" <<-'END'
		#include <stdlib.h>
		#include <stdio.h>
		#include <unistd.h>
		int main(void)
		{
			void *volatile block = malloc(123456);
			puts("ready");
			fflush(stdout);
			pause();
			return !block;
		}
	END
	gcc -O2 -g -o "$work/wait" "$work/wait.c" || return
	TMPDIR=$work/tmp memprofctl record --preload -q -f -o "$work/ended" \
		--rate 1 -- "$work/wait" >"$work/out" &
	pid=$!
	for _ in $(seq 100); do
		! grep -q ready "$work/out" || break
		sleep 0.1
	done
	kill -TERM $pid
	wait $pid
	status=$?
	pid=''
	[ $status = 143 ] && [ -z "$(ls "$work/tmp")" ] &&
	memprofctl report -i "$work/ended" --by callsite --json |
		grep -q '"alloc_space":123456'
}

check "each allocation is there, with its whole stack" each_call_is_there
check "callsites add up, and say where they are from" callsites_add_up
check "anyone can record what is theirs" anyone_can
check "forks and execs are followed" children_are_followed
check "a recording ends with its command's status" statuses_are_the_commands
check "mistakes are told in one line" mistakes_are_told
check "static programs are told" static_programs_are_told
check "programs that gain rights are told" programs_with_rights_are_told
check "a snapshot is of a process that runs" snapshots_are_of_now
check "a process that was killed has left all" killed_processes_leave_all
check "marks and pauses are heeded" marks_and_pauses_are_heeded
check "processes without the library are told apart" others_are_told_apart
check "a signal ends the command, and leaves nothing" signals_end_the_command
check "broken regions are survived" broken_regions_are_survived
plan
