#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What a report says of commands that have ended: their peak, what they had not freed, and what
# killed them.
. "$(dirname "$0")/lib.sh"

record()
{
	memprofctl record -q -f --source perf --faults 1 -o "$@"
}

# When a program has ended, nothing is live: the report shows the peak.
the_peak_is_shown()
{
	cat >"$work/peak.c" <<-'END'
	#include <stdlib.h>
	#define APART __attribute__((noinline, noclone))
	static void *volatile last;
	static APART void *load(void) { last = malloc(30 << 20); return last; }
	static APART void *cache(void) { last = malloc(20 << 20); return last; }
	static APART void *leak(void) { last = malloc(3 << 20); return last; }
	static APART void *late(void) { last = malloc(10 << 20); return last; }
	int main(void)
	{
		void *cached = cache(), *loaded = load();
		leak();
		free(loaded);
		free(late());
		free(cached);
		return 0;
	}
	END
	gcc -O1 -g -o "$work/peak" "$work/peak.c" &&
	record "$work/data" -- "$work/peak" &&
	memprofctl report -i "$work/data" --by callsite >"$work/out" &&
	head -n 1 "$work/out" | grep -qx 'peak held 53\.0M at its peak, 30\.0M of it from load peak\.c:4, and had freed all but 3\.0M when it ended; 3\.0M of that is from leak peak\.c:6' &&
	# large blocks are sampled for sure: no pace made samples rare
	! tail -n 1 "$work/out" | grep 'a second and thread' &&
	sed -i 1,2d "$work/out" &&
	awk 'NR == 1 { exit !($1 == "AT-PEAK" && $2 == "AT-EXIT") }' "$work/out" &&
	[ "$(awk 'NR > 1 && NR < 6 { for (i = 8; i < NF; i++) if ($i ~ /^(load|cache|leak|late)$/)
		print $1, $2, $i }' "$work/out")" = "30.0M 0 load
20.0M 0 cache
3.0M 3.0M leak
0 0 late" ] && report -i "$work/data" --by process |
		rows holds 'at_peak_space == 53 << 20 and at_exit_space == 3 << 20' \
			where type=process comm=peak &&
	memprofctl export -q -i "$work/data" --format folded >"$work/folded" &&
	grep ';main;load 31457280$' "$work/folded" && return
	note "$work/out"
	return 1
}

# Samples of a churn stand for megabytes, but what it holds at once is not the peak.
churn_is_not_the_peak()
{
	cat >"$work/churn.c" <<-'END'
	#include <stdlib.h>
	#define APART __attribute__((noinline, noclone))
	static APART void *keep(void) { void *volatile p = malloc(1000); return p; }
	static APART void *frame(int i) { void *volatile p = malloc(4000 + i % 100); return p; }
	static APART void *word(int i) { void *volatile p = malloc(40 + i % 30); return p; }
	static APART void *node(void) { void *volatile p = malloc(100); return p; }
	static void *kept[2000];
	int main(void)
	{
		void *words[20], *nodes[20], *one;
		int i, j;
		for (i = 0; i < 200000; i++) {
			for (j = 0; j < 20; j++)
				words[j] = word(i);
			one = frame(i);
			for (j = 0; j < 20; j++)
				nodes[j] = node();
			for (j = 0; j < 20; j++) {
				free(nodes[j]);
				free(words[j]);
			}
			free(one);
			if (i % 100 == 0)
				kept[i / 100] = keep();
		}
		for (i = 0; i < 2000; i++)
			free(kept[i]);
		return 0;
	}
	END
	gcc -O1 -g -o "$work/churn" "$work/churn.c" &&
	memprofctl record -q -f -o "$work/data" -- "$work/churn" &&
	memprofctl report -i "$work/data" >"$work/out" &&
	head -n 1 "$work/out" | grep '^churn held about [1-3]\.[0-9]M at its peak, [1-3]\.[0-9]M of it from keep churn\.c:3, and ' &&
		return
	note "$work/out"
	return 1
}

# What killed a command is told, and what it had then. Arguments: options of record.
killed_is_told()
{
	memprofctl record "$@" -f -o "$work/data" -- "$work/killed" 2>"$work/said"
	grep -q 'killed was killed by signal 9 (Killed) \]$' "$work/said" &&
	memprofctl report -i "$work/data" >"$work/out" &&
	head -n 1 "$work/out" | grep -Eqx 'killed was killed by signal 9 \(Killed\) and had (about )?30\.[0-9]M that it had not freed, 30\.[0-9]M of it from load killed\.c:4' &&
	report -i "$work/data" --by process | rows holds 'signal == 9' where type=process comm=killed &&
		return
	note "$work/out" "$work/said"
	return 1
}

build_killed()
{
	cat >"$work/killed.c" <<-'END'
	#include <signal.h>
	#include <stdlib.h>
	static void *volatile last;
	__attribute__((noinline)) void load(void) { last = malloc(30 << 20); }
	int main(void)
	{
		load();
		return raise(SIGKILL);
	}
	END
	gcc -O1 -g -o "$work/killed" "$work/killed.c"
}

killed_commands_are_told()
{
	build_killed && killed_is_told && killed_is_told --preload
}

# What a program had before it executed another one is not that one's.
exec_takes_memory()
{
	cat >"$work/before.c" <<-'END'
	#include <stdlib.h>
	#include <unistd.h>
	static void *volatile last;
	__attribute__((noinline)) void grab(void) { last = malloc(30 << 20); }
	int main(int argc, char **argv)
	{
		grab();
		return execv(argv[1], argv + 1);
	}
	END
	gcc -O1 -g -o "$work/before" "$work/before.c" && build_killed || return
	memprofctl record -q -f -o "$work/data" -- "$work/before" /bin/true &&
	memprofctl report -i "$work/data" >"$work/out" &&
	head -n 1 "$work/out" | grep -Eqx 'before held 30\.[0-9]M at its peak, 30\.[0-9]M of it from grab before\.c:4, and then executed true' || { note "$work/out"; return 1; }
	memprofctl record -q -f -o "$work/data" -- "$work/before" "$work/killed"
	memprofctl report -i "$work/data" >"$work/out" &&
	head -n 1 "$work/out" | grep -Eq '^killed was killed by signal 9 \(Killed\) and had 30\.[0-9]M .* from load killed\.c:4$' &&
		return
	note "$work/out"
	return 1
}

# Processes that have all ended are told together.
processes_have_a_peak()
{
	cat >"$work/forks.c" <<-'END'
	#include <stdlib.h>
	#include <sys/wait.h>
	#include <unistd.h>
	__attribute__((noinline)) char *load(void) { return malloc(10 << 20); }
	int main(void)
	{
		char *p;
		int i;
		for (i = 0; i < 3; i++)
			if (!fork()) {
				p = load();
				sleep(1);
				free(p);
				return 0;
			}
		while (wait(NULL) > 0)
			;
		return 0;
	}
	END
	gcc -O1 -g -o "$work/forks" "$work/forks.c" &&
	memprofctl record -q -f -o "$work/data" -- "$work/forks" &&
	memprofctl report -i "$work/data" >"$work/out" &&
	head -n 1 "$work/out" | grep -Eqx 'these [34] processes held about 30\.[0-9]M when they held most together, 30\.0M of it from load forks\.c:4 of forks' &&
		return
	note "$work/out"
	return 1
}

if obstacle=$(perf_obstacle); then :; fi
check_unless "$obstacle" "what has ended shows its peak, and what it did not free" \
	the_peak_is_shown
check_unless "$obstacle" "a churn is not the peak" churn_is_not_the_peak
check_unless "$obstacle" "what killed a command is told" killed_commands_are_told
check_unless "$obstacle" "processes that have ended are told together" processes_have_a_peak
check_unless "$obstacle" "an exec takes what a program had" exec_takes_memory
plan
