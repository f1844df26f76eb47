#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host, without the module: the sentence above a report, and the hint below it, of
# programs whose leak is known.
. "$(dirname "$0")/lib.sh"

# What the library in a process counts is in the report: here it does not see a free.
# One wrapper, in two functions, allocates for a cache that is full and for a leak.
callers_of_wrappers_are_judged()
{
	local pid err sentence view
	gcc -O1 -g -x c -o "$work/wrapper" - <<-'END' && mkfifo "$work/wrapper.go" || return
	#include <stdlib.h>
	#include <string.h>
	#include <unistd.h>
	#define apart __attribute__((noipa))
	static char *cache[4000], *kept[1000000];
	static apart void *get(size_t n) { char *p = malloc(n); memset(p, 1, n); return p; }
	static apart void *pool(size_t n) { char *p = get(n); *p = 2; return p; }
	static apart void fill(int i) { free(cache[i % 4000]); cache[i % 4000] = pool(4000); }
	static apart void open_session(int i) { kept[i] = pool(1000); }
	int main(void)
	{
		char c;
		int i;
		for (i = 0; i < 4000; i++)
			fill(i);
		write(1, "full\n", 5);
		for (i = 0; i < 60000 || read(0, &c, 1) > 0; i++, usleep(100)) {
			fill(i);
			open_session(i);
		}
		return 7;
	}
	END
	"$work/wrapper" <"$work/wrapper.go" >"$work/full" &
	pid=$!
	exec 7>"$work/wrapper.go"
	wait_for full "$work/full" 7>&- &&
		memprofctl record -q -f --source perf --inject --alloc 16K -p $pid -d 3 \
			-o "$work/data" 7>&- && memprofctl report -i "$work/data" >"$work/out"
	err=$?
	exec 7>&-
	kill $pid
	wait $pid
	[ $err = 0 ] && head -n 1 "$work/out" |
		grep '^open_session .* frees nothing of .*: a leak, or a cache that still fills.*; [0-9.]* s are not enough to be sure (try [0-9]* s)$' &&
		grep '^hint: rows name the callers of get.*, pool' "$work/out" &&
		grep ' open_session' "$work/out" && ! sed 1d "$work/out" | grep ' get <' ||
		{ note "$work/out"; return 1; }
	# all views agree
	sentence=$(head -n 1 "$work/out")
	for view in "report --view age" "report --callers" "top --by callsite"; do
		memprofctl $view -i "$work/data" >"$work/view" &&
			grep -qxF "$sentence" "$work/view" && grep -q ' open_session' "$work/view" &&
			! grep -vxF "$sentence" "$work/view" | grep ' get <' ||
			{ echo "# $view"; note "$work/view"; return 1; }
	done
	memprofctl export -q -f --format html -o "$work/page" -i "$work/data" &&
		grep -q '"keepers":"open_session .*what get [^ ]* allocates for it ' "$work/page" &&
		grep -q '"suspect":"open_session' "$work/page"
}

# Two processes of one program, of which one leaks, by a function that the other one uses, too
the_process_that_leaks_is_named()
{
	local leaks other by err
	gcc -O1 -g -x c -o "$work/worker" - <<-'END' && mkfifo "$work/go" || return
	#include <stdlib.h>
	#include <string.h>
	#include <unistd.h>
	#define apart __attribute__((noipa))
	static char *cache[4000], *kept[1000000];
	static apart void *get(size_t n) { char *p = malloc(n); memset(p, 1, n); return p; }
	static apart void fill(int i)
	{
		free(cache[i % 4000]);
		cache[i % 4000] = strdup(memset(alloca(4001), 1, 4000));
	}
	static apart void answer(void) { free(get(2000)); }
	static apart void open_session(int i) { kept[i] = get(1000); }
	int main(int argc, char **argv)
	{
		int i;

		for (i = 0; i < 4000; i++)
			fill(i);
		write(1, "full\n", 5);
		for (i = 0; i < 120000; i++, usleep(100)) {
			fill(i);
			answer();
			if (argc > 1)
				open_session(i);
		}
		read(0, argv[0], 1);
		return 0;
	}
	END
	exec 7<>"$work/go"
	"$work/worker" <&7 >"$work/other" 7>&- & other=$!
	"$work/worker" leaks <&7 >"$work/leaks" 7>&- & leaks=$!
	wait_for full "$work/other" && wait_for full "$work/leaks" &&
		memprofctl record -q -f --source perf --inject --alloc 16K -p $other -p $leaks \
			-d 6 -o "$work/data" 7>&-
	err=$?
	exec 7>&-
	kill $other $leaks
	wait $other $leaks
	[ $err = 0 ] || return
	for by in report "report --view rss" "report --by process" "report --by cgroup" \
		"report --by callsite" top "top --by cgroup" "top --by callsite"; do
		memprofctl $by -i "$work/data" >"$work/out" &&
			grep -v '^memprof top: ' "$work/out" | head -n 1 |
			grep "open_session [^ ]* in worker ($leaks) frees nothing of what get [^ ]* allocates for it" ||
			{ echo "# $by"; note "$work/out"; return 1; }
	done
	# and its callsite has a row
	for by in report "report --by callsite" "top --by callsite"; do
		memprofctl $by -i "$work/data" >"$work/out" &&
			grep -Eq " $leaks +worker +open_session " "$work/out" &&
			! grep -Eq 'worker +get ' "$work/out" ||
			{ echo "# $by"; note "$work/out"; return 1; }
	done
	memprofctl export -q -f --format html -o "$work/page" -i "$work/data" &&
		grep -q "\"keepers\":\"open_session .* in worker ($leaks) " "$work/page" &&
		grep -q '"suspect":"open_session' "$work/page"
}

# names PROGRAM SENTENCE: README's first command for a program that runs, and its first line
names()
{
	local pid status
	"$work/$1" 60 >"$work/$1.out" & pid=$!
	sleep 3
	memprofctl record -q --inject -p $pid -d 10 -o "$work/$1.data" &&
	memprofctl report -i "$work/$1.data" >"$work/$1.report"
	status=$?
	kill $pid
	wait $pid
	[ $status = 0 ] && head -n 1 "$work/$1.report" | grep "^$2" &&
	grep -q "; estimates from 1 allocation per [0-9.]*K bytes\(, at most [^(]*\)\? (error of LIVE: [0-9]* %" \
		"$work/$1.report" && return
	note "$work/$1.report"
	return 1
}

readmes_first_command_names_leaks()
{
	local rust
	g++ -O1 -g -o "$work/service" "$top/demo/service.cc" || return
	if rustc -vV 2>/dev/null | grep -q "^host: $(uname -m)-"; then
		rustc -g -C opt-level=1 -o "$work/log" - <<-'END' 2>"$work/err" || return
		use std::{collections::HashMap, thread, time::Duration};

		#[inline(never)]
		fn log_event(log: &mut Vec<Vec<u8>>, n: usize) {
		    log.push(vec![1; 900 + n % 7 * 100]);
		}

		#[inline(never)]
		fn cached(cache: &mut HashMap<usize, String>, n: usize) -> usize {
		    cache.insert(n % 2000, "page ".repeat(400 + n % 5 * 50));
		    cache.len()
		}

		fn main() {
		    let (mut log, mut cache) = (Vec::new(), HashMap::new());
		    for n in 0.. {
		        cached(&mut cache, n);
		        if n % 3 == 0 { log_event(&mut log, n); }
		        if n % 20 == 0 { thread::sleep(Duration::from_micros(500)); }
		    }
		}
		END
		names log '[a-z_:]*log_event .* frees \(almost \)\?nothing of what it allocates' & rust=$!
	fi
	names service 'remember(unsigned long) service\.cc:39 frees nothing of what it allocates' &&
	{ [ -z "$rust" ] || wait $rust; }
}

# Some 200,000 calls of malloc() and free() a second, each of which is a trap
what_slows_is_told()
{
	local pid err
	gcc -O1 -x c -o "$work/busy" - <<-'END' || return
	#include <stdlib.h>
	#include <unistd.h>
	int main(void)
	{
		void *volatile p;
		int i;

		for (i = 0; i < 4000000; i++) {
			free(p = malloc(100));
			if (i % 16 == 0)
				usleep(50);
		}
		return 0;
	}
	END
	"$work/busy" & pid=$!
	wait_until grep -qs libc.so "/proc/$pid/maps" && wait_until grep -qx busy "/proc/$pid/comm" &&
	memprofctl record -q -f --source perf --alloc exact --call-graph fp -p $pid -d 4 -o "$work/data" &&
		memprofctl report -i "$work/data" >"$work/out" &&
		memprofctl record -q -f --source perf --alloc off -p $pid -d 0.2 -o "$work/none" &&
		memprofctl report -i "$work/none" --view age >"$work/ages"
	err=$?
	kill $pid
	wait $pid
	[ $err = 0 ] &&
		grep '^hint: busy called its allocator .* times a second, .* trap.*: --inject' "$work/out" &&
		grep '^hint: no allocations were followed: record --inject' "$work/ages" && return
	note "$work/out" "$work/ages"
	return 1
}

# A leak of a program that the recording began: it goes on, and its table does not
leaks_of_new_programs_are_told()
{
	gcc -O1 -g -x c -o "$work/new" - <<-'END' || return
	#include <stdlib.h>
	#include <string.h>
	#include <unistd.h>
	#define apart __attribute__((noipa))
	static char *table[3000], *kept[10000];
	static apart char *row(void) { return memset(malloc(1000), 1, 1000); }
	static apart char *lose(void) { return memset(malloc(10000), 1, 10000); }
	int main(int argc, char **argv)
	{
		int i;

		for (i = 0; i < 3000; i++)
			table[i] = row();
		for (i = 0; i < atoi(argv[1]); i++, usleep(10000))
			kept[i] = lose();
		return 0;
	}
	END
	memprofctl record -q -f --alloc 16K -o "$work/data" -d 12 -- "$work/new" 10000 &&
		memprofctl report -i "$work/data" >"$work/out" &&
		grep '^lose [^ ]* frees nothing of .*: a leak, or a cache that still fills' "$work/out" &&
		memprofctl record -q -f --alloc 16K -o "$work/data" -- "$work/new" 500 &&
		memprofctl report -i "$work/data" >"$work/out" &&
		grep '^new ended with .* that it had not freed, .* of it from lose ' "$work/out" && return
	note "$work/out"
	return 1
}

# Of several that have ended, the one that left most is named, and where; of one that freed all,
# who had most.
ends_are_told()
{
	local leaks
	gcc -O1 -g -x c -o "$work/end" - <<-'END' || return
	#include <stdlib.h>
	#include <string.h>
	#include <unistd.h>
	#define apart __attribute__((noipa))
	static char *rows[4000], *lost[1000];
	static apart char *row(void) { return memset(malloc(2000), 1, 2000); }
	static apart char *lose(void) { return memset(malloc(5000), 1, 5000); }
	int main(int argc, char **argv)
	{
		int i;

		for (i = 0; i < 4000; i++)
			rows[i] = row();
		for (i = 0; i < atoi(argv[1]); i++)
			lost[i] = lose();
		sleep(1);
		for (i = 0; i < 4000; i++)
			free(rows[i]);
		return 0;
	}
	END
	memprofctl record -q -f --alloc 16K -o "$work/data" -- bash -c '
		"$1" 0 & "$1" 0 & "$1" 900 & echo $!; wait' sh "$work/end" >"$work/leaks" &&
		leaks=$(cat "$work/leaks") &&
		memprofctl report -i "$work/data" >"$work/out" &&
		grep "^end ($leaks) ended with \(about \)\?[3-6]\..M that it had not freed, [3-6]\..M of it from lose " "$work/out" &&
		grep '^ *PID .* AT-EXIT ' "$work/out" &&
		memprofctl export -q -f --format html -o "$work/page" -i "$work/data" &&
		grep -q "\"keepers\":\"end ($leaks) ended with \(about \)\?[3-6]" "$work/page" &&
		grep -q '"suspect":"lose' "$work/page" &&
		memprofctl record -q -f --alloc 16K -o "$work/data" -- "$work/end" 0 &&
		memprofctl report -i "$work/data" >"$work/out" &&
		grep -E '^end held (about )?[6-9]\..M at its peak, [6-9]\..M of it from row .*, and (had freed all but .*K|had freed nearly all|no sampled block was left) when it ended$' \
			"$work/out" && return
	note "$work/out"
	return 1
}

# How fast a program grows, in each of two recordings
growth_of_both_is_told()
{
	local size pid err
	gcc -O1 -g -x c -o "$work/grow" - <<-'END' || return
	#include <stdlib.h>
	#include <string.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		const size_t size = (size_t)atoi(argv[1]);
		int i;

		for (i = 0; i < 10000; i++, usleep(10000))
			memset(malloc(size), 1, size);
		return 0;
	}
	END
	for size in 100000 30000; do
		"$work/grow" $size & pid=$!
		wait_until grep -qx grow "/proc/$pid/comm" &&
			memprofctl record -q -f --source perf --inject --alloc 16K -p $pid -d 3 -o "$work/$size"
		err=$?
		kill $pid
		wait $pid
		[ $err = 0 ] || return
	done
	memprofctl diff "$work/100000" "$work/30000" >"$work/out" &&
		grep -E '^LIVE is .* less than before .*; RSS grew by [0-9.]+M in [0-9.]+ s, and by [0-9.]+M in [0-9.]+ s before$' \
			"$work/out" && return
	note "$work/out"
	return 1
}

if obstacle=$(perf_obstacle); then :; fi
no_injection=${obstacle:-$(injection_obstacle)}
check_unless "${no_injection:-$(lacks g++)}" "README's first command names leaks in C++ and Rust" \
	readmes_first_command_names_leaks
check_unless "$no_injection" "a wrapper's caller that leaks is named" callers_of_wrappers_are_judged
check_unless "$no_injection" "of two processes the one that leaks is named" \
	the_process_that_leaks_is_named
check_unless "$obstacle" "leaks of new programs are told" leaks_of_new_programs_are_told
check_unless "$obstacle" "what programs held when they ended is told" ends_are_told
check_unless "$no_injection" "how fast each grew is told of two recordings" growth_of_both_is_told
check_unless "$no_injection" "traps that slow a program, and what was not followed, are told" \
	what_slows_is_told
plan
