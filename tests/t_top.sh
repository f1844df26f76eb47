#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The live table, in a terminal: what it shows is what a report shows.
cd "$(dirname "$0")/.." || exit 1
. tests/guest/tap.sh
PATH=$PWD/build/user/memprofctl:$PATH
[ -e /sys/kernel/tracing/uprobe_events ] ||
	mount -t tracefs none /sys/kernel/tracing 2>/dev/null
work=$(mktemp -d)
export MEMPROF_RUNDIR=$work/run MEMPROF_SYMBOL_CACHE=$work/cache
mkdir -m 700 "$MEMPROF_RUNDIR"
pid=''

terminal() { tmux -L "memprof-$$" "$@"; }

cleanup()
{
	terminal kill-server 2>/dev/null
	memprofctl stop -q 2>/dev/null
	[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null
	wait
	rm -rf "$work"
}
trap cleanup EXIT

obstacle()
{
	command -v tmux >/dev/null || echo "tmux is not installed"
	memprofctl record -q -f --source perf --growth off --alloc off \
		-o "$work/probe" -- true 2>"$work/why" ||
		head -n 1 "$work/why"
}

# top OPTION...: in a terminal of 120 columns and 20 lines
top()
{
	local command="cd '$work'; memprofctl top $*; echo \"ended with \$?\"; sleep 60"
	if terminal has-session 2>/dev/null; then
		terminal respawn-pane -k "$command"
	else
		terminal new-session -d -x 120 -y 20 "$command"
	fi
}

shown() { terminal capture-pane -p; }

# sees PATTERN: on the screen, within ten seconds
sees()
{
	local i
	for ((i = 0; i < 100; i++)); do
		shown | grep -qE "$1" && return
		sleep 0.1
	done
	echo "# not seen: $1"
	shown | sed 's/^/# /'
	return 1
}

keys() { terminal send-keys "$@"; }

recording_is_looked_around_in()
{
	gcc -O2 -g -o "$work/tree" tests/programs/tree.c &&
	memprofctl record -q -f --source perf --alloc exact --growth off \
		--faults off --call-graph dwarf -o "$work/tree.data" -- \
		"$work/tree" >/dev/null || return 1
	top -i "$work/tree.data" -s alloc_objects
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
	"$work/tree" 10 stop 600 >"$work/out" & pid=$!
	each_stop $pid &&
	memprofctl start -q --source perf --alloc exact --call-graph fp \
		-p $pid || return
	top -d 1
	kill -CONT $pid
	sees "^ *$pid  tree " || return
	until grep -q ready "$work/out"; do sleep 0.1; done
	sees "^ *$pid  tree .*  $(memprofctl report --json | python3 -c '
import json, sys
for row in map(json.loads, sys.stdin):
    if row["type"] == "process":
        print(row["alloc_objects"])')  " || return 1
	# nothing more happens
	keys z && sees "since last look" && sees "^ *$pid  tree .*  0  " &&
	keys f && sees frozen && memprofctl stop -q && sleep 2 &&
	sees frozen && keys f && sees 'ended with 1' &&
	sees 'no session'
	local status=$?
	kill $pid
	wait $pid 2>/dev/null
	pid=
	return $status
}

plain_tables_follow_each_other()
{
	memprofctl top -i "$work/tree.data" --by callsite >"$work/plain" &&
	[ "$(head -n 1 "$work/plain" | cut -d: -f1)" = "memprof top" ] &&
	grep -q '  tree  leaf tree.c' "$work/plain" || return 1
	memprofctl start -q --source perf --alloc off -p $$
	memprofctl top -d 1 -c 2 >"$work/plain"
	local status=$?
	memprofctl stop -q
	[ $status = 0 ] && [ "$(grep -c '^memprof top:' "$work/plain")" = 2 ]
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
	memprofctl top >"$work/out" 2>"$work/err"
	[ $? = 1 ] && grep -q 'no session' "$work/err" || return 1
	script -qec "TERM=unheard memprofctl top -i $work/tree.data" /dev/null \
		>"$work/out" </dev/null
	grep -q 'is not known' "$work/out"
}

names=(
	"a recording is looked around in"
	"a session is watched until it ends"
	"without a terminal tables follow each other"
	"mistakes are told in a line"
)
commands=(
	recording_is_looked_around_in session_is_watched
	plain_tables_follow_each_other mistakes_are_told
)

why=$(obstacle)
for i in "${!names[@]}"; do
	if [ -n "$why" ]; then
		skip "${names[i]}" "$why"
	else
		check "${names[i]}" ${commands[i]}
	fi
done
plan
