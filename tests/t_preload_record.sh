#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What memprofctl makes of processes that sample themselves: recordings, whole
# stacks, snapshots, control; as anyone, and after the process was killed.
. "$(dirname "$0")/lib.sh"
. tests/preload.sh
as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)

# record COMMAND...: into $work/data
record()
{
	memprofctl record --preload -q -f -o "$work/data" --rate 1 -- "$@" \
		>"$work/out"
}

make_data()
{
	needs tree && record "$fix/tree" 10 && cp "$work/data" "$fix/data"
}

# As installed, for anybody: the folder of the build may be closed to others
make_installed()
{
	mkdir "$fix/bin" "$fix/lib" &&
	cp "$build/user/memprofctl/memprofctl" "$fix/bin" &&
	cp "$LIB" "$fix/lib"
}

each_call_is_there()
{
	needs data && stacks "$fix/data" >"$work/stacks" &&
	grep -q '^10 10000 10000: leaf < middle < main < ' "$work/stacks" &&
	grep -q '^10 20000 20000: leaf < other < main < .*_start$' \
		"$work/stacks" && return
	note "$work/stacks"
	return 1
}

callsites_add_up()
{
	needs data && report -i "$fix/data" --by callsite >"$work/json" &&
	[ "$(rows list alloc_objects inuse_space where type=site function=leaf \
		<"$work/json")" = "20 30000" ] &&
	rows holds 'line > 0' where type=site function=leaf <"$work/json" &&
	tail -n 1 "$work/json" | rows holds 'source == "preload" and
		alloc_rate == 1 and stacks["confidence"] == "high"'
}

# $work/data is not for nobody to write: another one is
anyone_can()
{
	needs tree installed && mkdir "$work/theirs" &&
	chown 65534:65534 "$work/theirs" &&
	"${as_nobody[@]}" "$fix/bin/memprofctl" record --preload -q \
		-o "$work/theirs/data" --rate 1 -- "$fix/tree" 10 &&
	[ "$(stat -c %a:%u "$work/theirs/data")" = 600:65534 ] &&
	"${as_nobody[@]}" env MEMPROF_SYMBOL_CACHE=off "$fix/bin/memprofctl" \
		report -i "$work/theirs/data" --by callsite |
		grep -q ' leaf tree.c:'
}

# Who may not use perf's events, and did not ask for what only they have
events_are_refused()
{
	needs tree installed && mkdir "$work/theirs" && cd "$work/theirs" &&
	chown 65534:65534 . &&
	"${as_nobody[@]}" "$fix/bin/memprofctl" record -- "$fix/tree" 10000 \
		2>"$work/err" >/dev/null &&
	grep -q "perf's events are not allowed: no faults, no growth" "$work/err" &&
	grep -q 'source preload' "$work/err" || return
	"${as_nobody[@]}" env MEMPROF_SYMBOL_CACHE=off "$fix/bin/memprofctl" report \
		>"$work/out" && grep -q ' leaf tree.c:' "$work/out" || return
	! "${as_nobody[@]}" "$fix/bin/memprofctl" record --faults 1 -o data -- true \
		2>"$work/err" && grep -q 'run as root' "$work/err"
}

# Who was root and becomes nobody: by exec, or as a server does for its children
whoever_they_become()
{
	needs tree installed || return
	chmod 755 "$fix/bin" "$fix/lib"
	"$fix/bin/memprofctl" record --preload -q -f -o "$work/data" --rate 1 -- \
		"${as_nobody[@]}" "$fix/tree" 10 >"$work/out" 2>"$work/err" &&
	report -i "$work/data" --by callsite >"$work/json" &&
	[ "$(rows sum alloc_objects where type=site function=leaf \
		<"$work/json")" = 20 ] &&
	"$fix/bin/memprofctl" record --preload -q -f -o "$work/data" --rate 1 -- \
		/usr/bin/python3 -S -c 'import os
if not os.fork():
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
    kept = [bytearray(5000) for i in range(1000)]
    os._exit(0)
os.wait()' 2>>"$work/err" && report -i "$work/data" >"$work/json" &&
	[ "$(rows count where type=process <"$work/json")" = 2 ] &&
	[ ! -s "$work/err" ]
}

# It cannot enter the folder: that is said.
who_cannot_come_is_named()
{
	needs tree installed && mkdir -m 700 "$work/closed" "$work/xdg" || return
	chmod 777 "$work/xdg"
	TMPDIR=$work/closed XDG_RUNTIME_DIR=$work/xdg "$fix/bin/memprofctl" record \
		--preload -q -f -o "$work/data" --rate 1 -- \
		"${as_nobody[@]}" "$fix/tree" 10 >"$work/out" 2>"$work/err"
	grep -q "of 1 process of other users are left out" "$work/err" &&
		[ -z "$(ls "$work/closed")" ]
}

children_are_followed()
{
	needs tree || return
	record bash -c "$fix/tree 10 & (exec $fix/tree 5); wait; exec $fix/tree 3"
	report -i "$work/data" >"$work/json"
	[ "$(rows count where type=process comm=tree <"$work/json")" = 3 ] &&
	[ "$(rows count where type=process comm=bash <"$work/json")" -ge 1 ] &&
	memprofctl report -i "$work/data" --by callsite |
		grep -q ' 36 .* 3 procs  tree .* leaf tree.c:'
}

# Each sum is a sample; the lines that describe the rows have names and no sums.
sums_are_there_once()
{
	needs tree || return
	record "$fix/tree" 10
	strings -n 8 "$work/data" >"$work/text"
	grep -q '"type":"stack"' "$work/text" &&
	! grep '"type":"\(site\|process\|stack\)"' "$work/text" |
		grep -q inuse_space
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
	needs tree && cp "$fix/tree" "$work/rights" && chmod u+s "$work/rights"
	record "$work/rights" 10 2>"$work/err"
	grep -q 'gains privileges' "$work/err" || return 1
	# and one that the command runs, once
	record bash -c "'$work/rights' 10 - 1 & '$work/rights' 10 - 1; wait" \
		2>"$work/err"
	[ "$(grep -c 'rights gained privileges' "$work/err")" = 1 ]
}

snapshots_are_of_now()
{
	needs tree || return
	run "$fix/tree" 10 - 600
	ready
	memprofctl snapshot -q -f -o "$work/data" -p $pid &&
	stacks "$work/data" | grep -q '^10 10000 10000: leaf < middle' &&
	report -i "$work/data" |
		rows holds 'resident_space > 500000 and not exited' \
		where type=process
}

# Also without memprofctl having asked it for anything
killed_processes_leave_all()
{
	needs tree || return
	run "$fix/tree" 10 - 600
	ready
	kill -9 $pid
	wait $pid 2>/dev/null
	stacks "$(region)" | grep -q '^10 10000 10000: leaf < middle' &&
	memprofctl report -i "$(region)" | grep -q 'tree \[exited\]'
}

others_are_told_apart()
{
	sleep 60 & pid=$!
	memprofctl snapshot -p $pid -o "$work/none" 2>"$work/err" && return 1
	grep -q 'does not have the library' "$work/err" || return 1
	memprofctl mark -p 99999999 2>"$work/err" && return 1
	grep -q 'no process' "$work/err"
}

# Cut and flipped at random: no crash, no hang; read or refused in one line
broken_regions_are_survived()
{
	local i status
	needs tree || return
	run "$fix/tree" 10
	wait $pid
	for i in {1..60}; do
		python3 - "$(region)" "$work/bad" $i <<-'END'
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
	ready
	kill -TERM $pid
	wait $pid
	[ $? = 143 ] && [ -z "$(ls "$work/tmp")" ] &&
	[ "$(report -i "$work/ended" --by callsite |
		rows count where alloc_space=123456)" -ge 1 ]
}

# A header that claims terabytes, all of them a hole
holes_end_soon()
{
	python3 - "$work/hole" <<-'END'
	import struct, sys
	size, many = 1 << 40, 1 << 50
	tally = struct.pack("<8Q", 1, 1 << 16, 9, 0, 0, 0, 9, 0)
	sections = [(48, 1), (512, 2)] + [(n, many) for n in (64, 552, 32, 32)]
	head = struct.pack("<QIIIIQIIQQIIQQQ16s9Q", 0x676552666f727066, 0, 3, 2,
	                   6, size, 1, 0, 1, 1, 4096, 1, 10, 20, 30, b"hole",
	                   *[0] * 9)
	head += struct.pack("<IIQ", 1, 1, 1) + tally * 3
	head += b"".join(struct.pack("<4Q", 4096, stride, nr, nr)
	                 for stride, nr in sections)
	head = head[:8] + struct.pack("<I", len(head)) + head[12:]
	with open(sys.argv[1], "wb") as f:
	    f.write(head.ljust(4096, b"\0"))
	    f.truncate(size)
	END
	timeout 20 memprofctl report -i "$work/hole" | grep -q hole
}

# Cut short and made long again, over and over, while it is read
cut_files_raise_no_signal()
{
	local i status cutter
	needs tree || return
	run "$fix/tree" 2000
	wait $pid
	python3 - "$(region)" <<-'END' &
	import os, sys
	size = os.path.getsize(sys.argv[1])
	while True:
	    os.truncate(sys.argv[1], 5000)
	    os.truncate(sys.argv[1], size)
	END
	cutter=$!
	for i in {1..60}; do
		memprofctl report -i "$(region)" --by callsite \
			>"$work/out" 2>"$work/err"
		status=$?
		[ $status -le 1 ] || break
	done
	end $cutter
	[ $status -le 1 ] || {
		echo "# time $i: status $status"
		return 1
	}
}

mappings_are_a_kind_of_their_own()
{
	cat >"$work/maps.c" <<-'END'
	#include <stdlib.h>
	#include <sys/mman.h>

	void *volatile keep;

	__attribute__((noinline)) void maps(void)
	{
		int i;

		for (i = 0; i < 100; i++)
			keep = mmap(0, 1 << 20, PROT_READ,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}

	int main(void)
	{
		int i;

		maps();
		munmap(mmap(0, 1 << 16, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0), 1 << 16);
		for (i = 0; i < 100; i++)
			keep = malloc(10000);
		return 0;
	}
	END
	gcc -O1 -g -o "$work/maps" "$work/maps.c" || return
	MEMPROF_MMAP=1 record "$work/maps" || return
	local sums='inuse_space alloc_objects alloc_space inuse_objects'
	report -i "$work/data" --by callsite >"$work/sites"
	[ "$(report -i "$work/data" | rows value $sums where type=process)" = \
		"$(rows sum $sums where type=site <"$work/sites")" ] &&
	[ "$(rows list kind inuse_space where type=site <"$work/sites" |
		sort)" = "malloc 1000000
mmap 0
mmap 104857600" ] &&
	memprofctl report -i "$work/data" --by callsite |
		grep -q '100M .* \[mmap\] maps maps.c:' &&
	stacks "$work/data" | grep -q '^100 104857600 104857600: maps < main'
}

# A sample stands for a part of a block, too, but rows have whole ones, which add up. What has
# freed all has none.
numbers_of_blocks_add_up()
{
	cat >"$work/sizes.c" <<-'END'
	#include <stdlib.h>

	static void *volatile kept[20000];

	__attribute__((noinline)) static void keep(int i) { kept[i] = malloc(3000 + i % 700); }
	__attribute__((noinline)) static void pass(int i)
	{
		kept[i] = malloc(2500 + i % 900);
		free(kept[i]);
	}

	__attribute__((noinline)) static void some(int i)
	{
		kept[i] = malloc(1900 + i % 300);
		if (i % 3)
			free(kept[i]);
	}

	int main(void)
	{
		int i;

		for (i = 0; i < 20000; i += 2) {
			keep(i);
			pass(i);
			some(i + 1);
		}
		return 0;
	}
	END
	gcc -O1 -g -o "$work/sizes" "$work/sizes.c" && MEMPROF_RATE=4096 record "$work/sizes" &&
	report -i "$work/data" --by callsite >"$work/sites" || return
	local sums='alloc_objects free_objects inuse_objects'
	note "$work/sites"
	[ "$(report -i "$work/data" | rows value $sums where type=process)" = \
		"$(rows sum $sums where type=site <"$work/sites")" ] &&
	rows holds 'alloc_objects == free_objects + inuse_objects' where type=site \
		<"$work/sites" &&
	rows holds 'inuse_objects == 0 and free_objects > 5000' where type=site function=pass \
		<"$work/sites"
}

# The loader puts the second library where the first one was
libraries_keep_their_names()
{
	local one
	for one in alpha beta; do
		cat >"$work/$one.c" <<-END
		#include <stdlib.h>
		__attribute__((noinline)) void *${one}_alloc(size_t n)
		{
			void *volatile p = malloc(n);
			return p;
		}
		void *run(size_t n)
		{
			void *volatile p = ${one}_alloc(n);
			return p;
		}
		END
	done
	# not at the same places in it
	sed -i 's/return p;/__asm__("nop; nop"); return p;/' "$work/beta.c"
	cat >"$work/loads.c" <<-'END'
	#include <dlfcn.h>
	#include <stdio.h>

	int main(int argc, char **argv)
	{
		int i, n;

		for (i = 1; i < argc; i++) {
			void *library = dlopen(argv[i], RTLD_NOW);
			void *(*run)(size_t) = dlsym(library, "run");

			for (n = 0; n < 100; n++)
				run(i * 1000);
			fprintf(stderr, "# at %p\n", run);
			dlclose(library);
		}
		return 0;
	}
	END
	gcc -O1 -g -fPIC -shared -o "$work/alpha.so" "$work/alpha.c" &&
	gcc -O1 -g -fPIC -shared -o "$work/beta.so" "$work/beta.c" &&
	gcc -O1 -g -o "$work/loads" "$work/loads.c" &&
	record "$work/loads" "$work/alpha.so" "$work/beta.so" &&
	stacks "$work/data" >"$work/stacks" &&
	grep -q '^100 100000 100000: alpha_alloc < run < main' "$work/stacks" &&
	grep -q '^100 200000 200000: beta_alloc < run < main' "$work/stacks" &&
		return
	note "$work/stacks"
	return 1
}

# Where its region says another number than we do
namespaces_hide_no_process()
{
	local inner
	unshare -pf true 2>/dev/null || {
		echo "# skipped: no new PID namespace may be made"
		return 0
	}
	needs tree || return
	run unshare -pf --kill-child "$fix/tree" 10 - 600
	ready
	inner=$(pgrep -P $pid)
	memprofctl snapshot -q -f -o "$work/data" -p "$inner"
	# its parent waits for it, and for no signal
	kill -KILL "$inner"
	wait $pid 2>/dev/null
	report -i "$work/data" |
		rows holds "pid == $inner and resident_space > 500000 and
			not exited" where type=process
}

failed_calls_are_in_their_column()
{
	cat >"$work/fails.c" <<-'END'
	#include <stdint.h>
	#include <stdlib.h>

	int main(void)
	{
		volatile size_t size = SIZE_MAX / 2;
		void *volatile p = malloc(size), *volatile q = malloc(size);

		return p || q;
	}
	END
	gcc -O1 -o "$work/fails" "$work/fails.c" 2>/dev/null &&
	record "$work/fails" &&
	report -i "$work/data" | rows holds 'failed_allocs == 2' \
		where type=process
}

rates_that_cannot_be_are_told()
{
	needs tree || return
	memprofctl record --preload --rate 33G -o "$work/none" -- true \
		2>"$work/err"
	[ $? = 2 ] && grep -q "from 1 to 32G.*'33G'" "$work/err" || return
	local rate
	for rate in -1 512Q 33G; do
		MEMPROF_RATE=$rate memprofctl record --preload -q -f \
			-o "$work/data" -- "$fix/tree" 10 >"$work/out" \
			2>"$work/err" &&
		grep -q 'warning: MEMPROF_RATE was no number' "$work/err" ||
			return
	done
	memprofctl record --preload -q -f --rate 32G -o "$work/data" -- \
		"$fix/tree" 10 >"$work/out" 2>"$work/err" &&
	[ ! -s "$work/err" ]
}

folders_of_any_name_will_do()
{
	needs tree && mkdir "$work/a%pb %h" &&
	TMPDIR="$work/a%pb %h" record "$fix/tree" 10 &&
	stacks "$work/data" | grep -q '^10 10000 10000: leaf < middle' &&
	[ -z "$(ls "$work/a%pb %h")" ]
}

# Nothing runs where it would be for nothing, and nothing is left there
full_folders_are_told()
{
	local status
	mkdir "$work/small"
	mount -t tmpfs -o size=4k none "$work/small" 2>/dev/null || {
		echo "# skipped: no file system can be mounted"
		return 0
	}
	at_end 'umount "$work/small"'
	TMPDIR=$work/small record touch "$work/ran" 2>"$work/err"
	status=$?
	note "$work/err"
	[ $status = 1 ] && [ -z "$(ls "$work/small")" ] && [ ! -e "$work/ran" ] &&
	grep -q 'no room.*No space left.*TMPDIR' "$work/err"
}

# The first process has room, the second goes to the library's own folder
folders_that_become_full_are_told()
{
	needs tree && mkdir "$work/small" && mkdir -m 700 "$work/runtime" ||
		return
	mount -t tmpfs -o size=320k none "$work/small" 2>/dev/null || {
		echo "# skipped: no file system can be mounted"
		return 0
	}
	at_end 'umount "$work/small"'
	XDG_RUNTIME_DIR=$work/runtime TMPDIR=$work/small \
		record bash -c "'$fix/tree' 10; '$fix/tree' 10; :" 2>"$work/err"
	note "$work/err"
	grep -q "$work/runtime/memprof.* no room" "$work/err" &&
	memprofctl report -i "$work/data" --by callsite |
		grep -q ' 2 procs  tree .* leaf tree.c:'
}

# The command cannot be run again: what it left is all there is
samples_outlive_a_recording_that_cannot_be_written()
{
	local folder
	needs tree && mkdir "$work/small" "$work/tmp" || return
	mount -t tmpfs -o size=4k none "$work/small" 2>/dev/null || {
		echo "# skipped: no file system can be mounted"
		return 0
	}
	at_end 'umount "$work/small"'
	TMPDIR=$work/tmp memprofctl record --preload -q -o "$work/small/data" \
		--rate 1 -- "$fix/tree" 10 >"$work/out" 2>"$work/err" && return 1
	note "$work/err"
	folder=$(grep -o "$work/tmp/memprof-[A-Za-z0-9/]*" "$work/err") &&
	grep -q 'No space left' "$work/err" &&
	[ ! -e "$work/small/data" ] &&
	memprofctl report -i "$folder" --by callsite | grep -q 'leaf tree.c:'
}

limits_are_told()
{
	needs tree || return
	(ulimit -v 60000 && record "$fix/tree" 10) 2>"$work/err" && return 1
	grep -q 'ulimit -v' "$work/err" || return
	(ulimit -v 108000 && record "$fix/tree" 10) 2>"$work/err" && return 1
	grep -q 'ulimit -v' "$work/err" || return
	(ulimit -f 9000 && record "$fix/tree" 10) 2>"$work/err" && return 1
	grep -q 'ulimit -f' "$work/err"
}

# The command runs without a word of the loader's
other_libraries_are_refused()
{
	local library="$work/sp ace.so" one
	needs tree && cp "$LIB" "$library" || return
	for one in "$library" /bin/true "$programs/tree.c" /nonexistent; do
		MEMPROF_LIBRARY=$one record touch "$work/ran" 2>"$work/err"
		[ $? = 1 ] && [ "$(wc -l <"$work/err")" = 1 ] &&
			[ ! -e "$work/ran" ] || return
	done
	MEMPROF_LIBRARY=$library record true 2>"$work/err"
	grep -q 'a space or a colon' "$work/err" || return
	strip -o "$work/stripped.so" "$LIB" &&
	MEMPROF_LIBRARY=$work/stripped.so record "$fix/tree" 10
}

# Until it samples itself, a fork has its parent's region mapped
forks_are_not_their_parents()
{
	cat >"$work/fork.c" <<-'END'
	#include <stdio.h>
	#include <stdlib.h>
	#include <sys/prctl.h>
	#include <unistd.h>

	int main(void)
	{
		void *volatile p = malloc(1000);
		int child = fork();

		prctl(PR_SET_PDEATHSIG, 9);
		if (child) {
			printf("ready %d\n", child);
			fflush(stdout);
		}
		pause();
		return !p;
	}
	END
	gcc -O1 -o "$work/fork" "$work/fork.c" || return
	run "$work/fork"
	ready
	complains 1 'nothing since it was forked' memprofctl snapshot -q -f \
		-o "$work/data" -p "$(sed 's/ready //' "$work/out")"
	local status=$?
	# its child gets a signal, too
	kill -9 $pid
	return $status
}

# In a recording's folder, which is gone; root still finds it
removed_regions_are_told_apart()
{
	needs tree installed && mkdir "$work/theirs" &&
	chown 65534:65534 "$work/theirs" || return
	pid=$("${as_nobody[@]}" "$fix/bin/memprofctl" record --preload -q -f \
		-o "$work/theirs/data" --rate 1 -- \
		bash -c "'$fix/tree' 10 - 60 >'$work/theirs/out' & echo \$!
			until grep -q ready '$work/theirs/out'; do sleep 0.1; done")
	at_end 'kill $pid'
	"${as_nobody[@]}" "$fix/bin/memprofctl" snapshot -p "$pid" \
		-o "$work/theirs/none" 2>"$work/err"
	[ $? = 1 ] && note "$work/err" &&
	grep -q 'removed or renamed' "$work/err" || return
	head -c 1 "/proc/$$/map_files/"* >/dev/null 2>&1 || {
		echo "# the rest is skipped: map_files may not be read"
		return 0
	}
	memprofctl snapshot -q -f -o "$work/data" -p "$pid" &&
	stacks "$work/data" | grep -q '^10 10000 10000: leaf < middle'
}

# Each region has 32769 names, because a file in ext4 cannot have twice as many.
too_many_regions_are_told()
{
	run /bin/true
	wait $pid
	mkdir "$work/many" && cp --sparse=always "$(region)" "$work/other" &&
	python3 - "$work/many" "$(region)" "$work/other" <<-'END' &&
	import os, sys
	many, *regions = sys.argv[1:]
	for nr, region in enumerate(regions):
	    for i in range(32769):
	        os.link(region, "%s/%d.%d" % (many, nr, i))
	END
	report_says "$work/many" 'warning: 2 processes were left out: no more than 65536'
}

# A folder shows its files in any order: a tmpfs, say, the newest first.
broken_regions_take_no_room()
{
	run /bin/true
	wait $pid
	mkdir "$work/many" && mv "$(region)" "$work/many/region" &&
	python3 - "$work/many" <<-'END' &&
	import sys
	for i in range(65536):
	    with open("%s/%d" % (sys.argv[1], i), "wb") as f:
	        f.write((0x676552666f727066).to_bytes(8, "little"))
	END
	report_says "$work/many" 'warning: 65536 processes could not be read' &&
	! grep 'left out' "$work/out"
}

# report_says FOLDER TEXT
report_says()
{
	memprofctl report -i "$1" >"$work/out" 2>&1 && grep -q "$2" "$work/out" && return
	note "$work/out"
	return 1
}

check "each allocation is there, with its whole stack" each_call_is_there
check "callsites add up, and say where they are from" callsites_add_up
check_unless "$([ "$(id -u)" = 0 ] || echo "must be root")" \
	"without perf's events, the library alone samples a command" events_are_refused
check "anyone can record what is theirs" anyone_can
check_unless "$([ "$(id -u)" = 0 ] || echo "not root")" \
	"processes that drop root's privileges are followed" whoever_they_become
check_unless "$([ "$(id -u)" = 0 ] || echo "not root")" \
	"those that cannot reach the recording are named" who_cannot_come_is_named
check "forks and execs are followed" children_are_followed
check "a recording has each sum once" sums_are_there_once
check "a recording ends with its command's status" statuses_are_the_commands
check "mistakes are told in one line" mistakes_are_told
check "static programs are told" static_programs_are_told
check "programs that gain rights are told" programs_with_rights_are_told
check "a snapshot is of a process that runs" snapshots_are_of_now
check "a process that was killed has left all" killed_processes_leave_all
check "processes without the library are told apart" others_are_told_apart
check "a signal ends the command, and leaves nothing" signals_end_the_command
check "broken regions are survived" broken_regions_are_survived
check "holes of terabytes end soon" holes_end_soon
check "a file that is cut while it is read raises no signal" \
	cut_files_raise_no_signal
check "mappings are a kind of their own, and sums match" \
	mappings_are_a_kind_of_their_own
check "numbers of blocks are whole, and add up" numbers_of_blocks_add_up
check "an unloaded library keeps its name" libraries_keep_their_names
check "a process in a PID namespace lives" namespaces_hide_no_process
check "failed calls are in their column" failed_calls_are_in_their_column
check "rates that cannot be are told" rates_that_cannot_be_are_told
check "a folder of any name will do" folders_of_any_name_will_do
check "a full folder is told before anything runs" full_folders_are_told
check "a folder that becomes full is told, and no process is left out" \
	folders_that_become_full_are_told
check "samples outlive a recording that cannot be written" \
	samples_outlive_a_recording_that_cannot_be_written
check "limits that are too small are told" limits_are_told
check "what is no library of ours is refused" other_libraries_are_refused
check "a fork is not its parent" forks_are_not_their_parents
check "a region that was removed is told apart" removed_regions_are_told_apart
check "regions beyond the most are told" too_many_regions_are_told
check "regions that cannot be read leave none of the others out" \
	broken_regions_take_no_room
plan
