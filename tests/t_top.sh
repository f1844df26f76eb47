#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The live table, in a terminal: what it shows is what a report shows.
. "$(dirname "$0")/lib.sh"

make_tree()
{
	gcc -O2 -g -o "$fix/tree" "$programs/tree.c" &&
	memprofctl record -q -f --source perf --alloc exact --growth off \
		--faults off --call-graph dwarf -o "$fix/tree.data" -- \
		"$fix/tree" >/dev/null
}

terminal() { tmux -S "$work/terminal" "$@"; }

# top OPTION...: in a terminal of 120 columns and 20 lines
top()
{
	at_end 'terminal kill-server 2>/dev/null'
	terminal new-session -d -x 120 -y 20 \
		"cd '$work'; memprofctl top $*; echo \"ended with \$?\"; sleep 60"
}

is_shown() { terminal capture-pane -p | grep -qE "$1"; }

# sees PATTERN: on the screen, soon
sees()
{
	T_WAIT=10 wait_until is_shown "$1" && return
	terminal capture-pane -p | note
	return 1
}

keys() { terminal send-keys "$@"; }

recording_is_looked_around_in()
{
	needs tree && top -i "$fix/tree.data" -s alloc_objects &&
	sees 'tree \[exited\]' && keys 3 &&
	sees '^ .* 20 .*  tree  leaf tree.c' && keys Enter &&
	sees '^      > leaf tree.c' && sees '^        main tree.c' &&
	keys Escape && sees 'top: callsites' &&
	keys '/' 'nothing_like_it' Enter && sees 'total: 0 callsites' &&
	keys Escape && sees '^ .* 20 .*  tree  leaf tree.c' &&
	keys h && sees 'any key goes back' && keys x && keys P &&
	sees 'written to memprof.top.0' && keys q && sees 'ended with 0' &&
	grep -q '  tree  leaf tree.c' "$work/memprof.top.0"
}

session_is_watched()
{
	needs tree && launch "$fix/tree" 10 stop 600 &&
	memprofctl start -q --source perf --alloc exact --call-graph fp \
		-p $pid && top -d 1 || return
	kill -CONT $pid
	sees "^ *$pid  tree " && wait_for ready "$work/out" || return
	sees "^ *$pid  tree .*  $(report |
		rows value alloc_objects where type=process)  " || return
	# nothing more happens
	keys z && sees "since last look" && sees "^ *$pid  tree .*  0  " &&
	keys f && sees frozen && memprofctl stop -q && sleep 2 &&
	sees frozen && keys f && sees 'ended with 1' &&
	sees 'no session'
}

# Whatever the rows are, the sentence is that of the callsite that leaks.
the_sentence_stays()
{
	local said='^open_session leak\.c:5 frees nothing of what it allocates' level
	cat >"$work/leak.c" <<-'END' &&
	#include <stdlib.h>
	#include <string.h>
	#include <unistd.h>
	static char *sessions[1000000];
	__attribute__((noinline)) void *open_session(void) { return memset(malloc(2048), 1, 2048); }
	int main(void)
	{
		int n;
		for (n = 0; n < 1000000; n++, n % 100 || usleep(50000))
			sessions[n] = open_session();
		return 0;
	}
	END
	gcc -g -O1 -o "$work/leak" "$work/leak.c" || return
	"$work/leak" & at_end "kill $!"
	top --inject --source perf -d 1 -p $! && sees 'top: callsites' || return
	for level in "1 processes" "2 cgroups" "3 callsites" "Enter stacks"; do
		sees "$said" && keys ${level% *} && sees "top: ${level#* }" && sees "$said" || return
	done
}

plain_tables_follow_each_other()
{
	needs tree &&
	memprofctl top -i "$fix/tree.data" --by callsite >"$work/plain" &&
	[ "$(head -n 1 "$work/plain" | cut -d: -f1)" = "memprof top" ] &&
	grep -q '  tree  leaf tree.c' "$work/plain" || return
	memprofctl start -q --source perf --alloc off -p $$
	memprofctl top -d 1 -c 2 >"$work/plain" &&
	[ "$(grep -c '^memprof top:' "$work/plain")" = 2 ]
}

mistakes_are_told()
{
	local o
	for o in '-d 0' '-n x' '--by thread' '-s nothing' '--filter pid=x' \
		 '--filter symbol=['; do
		memprofctl top $o >/dev/null 2>"$work/err"
		[ $? = 2 ] && [ "$(wc -l <"$work/err")" -le 2 ] || {
			echo "# $o: $(cat "$work/err")"
			return 1
		}
	done
	needs tree || return
	complains 2 'no targets' memprofctl top -i "$fix/tree.data" -a || return
	script -qec "TERM=unheard memprofctl top -i $fix/tree.data" /dev/null \
		>"$work/out" </dev/null
	grep -q 'is not known' "$work/out"
}

# own_session TOP: sets collector and folder to those of its session, when they are there
own_session()
{
	collector=$(pgrep -P "$1" -f '^memprofctl: collector') &&
	folder=$(readlink "/proc/$collector/fd/"* | grep -om1 '^/tmp/memprof-own-[^/]*')
}

session_is_gone() { ! kill -0 "$collector" 2>/dev/null && [ ! -e "$folder" ]; }

whats_left()
{
	ps -o pid,ppid,stat,wchan:30,args -p "$collector" | note
	ls -la "$folder" 2>&1 | note
	return 1
}

# Nobody else sees it, and it ends with top, however that ends
an_own_session_ends_with_top()
{
	local top collector folder
	needs tree && launch "$fix/tree" 10 stop 600 || return
	memprofctl top -p $pid --source perf -n 5 >"$work/table" 2>"$work/err" & top=$!
	wait_until own_session $top && wait $top &&
	[ "$(grep -c '^memprof top:' "$work/table")" = 1 ] &&
	grep -q "callsites .*process $pid with children: RSS" "$work/table" && wait_until session_is_gone || return
	memprofctl top -p $pid -c 0 --source perf >"$work/table" 2>"$work/err" & top=$!
	wait_until own_session $top && wait_for "^memprof top:.*process $pid" "$work/table" &&
	complains 1 'no session is running' memprofctl status &&
	kill -9 $top && wait_until session_is_gone || whats_left || return
	# a terminal, where it would last until a key is pressed
	timeout 60 script -qec "memprofctl top -a --source perf --plain -n 1" "$work/table" \
		</dev/null >/dev/null &&
	[ "$(grep -c '^memprof top:' "$work/table")" = 1 ] &&
	grep -Eq "^total +[0-9]+ processes " "$work/table" && return
	note "$work/table"
	return 1
}

why=$(perf_obstacle)
command -v tmux >/dev/null || why="tmux is not installed"
check_unless "$why" "a recording is looked around in" \
	recording_is_looked_around_in
check_unless "$why" "a session is watched until it ends" session_is_watched
check_unless "$why" "without a terminal tables follow each other" \
	plain_tables_follow_each_other
check_unless "$why" "a session of its own ends with top" an_own_session_ends_with_top
check_unless "${why:-$(injection_obstacle)}" "the sentence stays on all levels" the_sentence_stays
check_unless "$why" "mistakes are told in a line" mistakes_are_told
plan
