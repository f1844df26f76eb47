#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The agent keeps snapshots of a session; report shows what happened between two of them.
. "$(dirname "$0")/lib.sh"

# configure [LINE]...: a configuration in $work
configure()
{
	printf '%s\n' "folder = $work/history" "interval = 1s" "source = perf" "$@" \
		>"$work/conf"
}

snapshots() { find "$work/history" -maxdepth 1 -name '*.data.zst' 2>/dev/null | sort; }
nr_snapshots() { snapshots | wc -l; }
has_snapshots() { [ "$(nr_snapshots)" -ge "$1" ]; }
last_number() { snapshots | tail -n 1 | sed 's|.*/0*||; s|-.*||'; }
is_after() { [ "$(last_number)" -gt "$1" ]; }
# next_snapshot: waits for one that begins from now on
next_snapshot() { wait_until is_after $(($(last_number) + 1)); }

# agent: runs it; its process is $agent
agent()
{
	memprofctl agent -c "$work/conf" 2>>"$work/said" & agent=$!
	wait_until has_snapshots 1 && return
	note "$work/said"
	return 1
}

history() { memprofctl report --history-folder "$work/history" -q --json "$@"; }

# A program that takes 32 MB when it is told to, and says so
grower='
import sys
held = []
for line in sys.stdin:
    held.append(bytearray(32 << 20))
    print("grown", flush=True)
'

# grower: runs it; its process is $pid. It grows at each line to descriptor 7.
start_grower()
{
	mkfifo "$work/orders" && cp /usr/bin/python3 "$work/grower" || return
	"$work/grower" -c "$grower" <"$work/orders" >"$work/out" & pid=$!
	exec 7>"$work/orders"
}

grow()
{
	local n
	n=$(wc -l <"$work/out")
	echo >&7
	wait_until has_lines $((n + 1)) "$work/out"
}
has_lines() { [ "$(wc -l <"$2")" -ge "$1" ]; }

# grown OPTION...: MiB by which it grew, of a range of the history
grown()
{
	history --by process "$@" | rows value growth_space where pid=$pid |
		awk '{ printf "%d", ($1 + 524288) / 1048576 }'
}

a_range_has_what_happened_in_it()
{
	local between first second
	configure && start_grower && agent && grow && next_snapshot || return
	# a second is the unit of a range
	sleep 1
	between=@$(date +%s)
	sleep 1.1
	grow && grow && next_snapshot || return
	first=$(grown --until "$between") second=$(grown --since "$between")
	echo "# $first, then $second"
	[ "$second" = 64 ] && [ "$first" -ge 32 ] && [ "$first" -lt 64 ] &&
	[ "$(grown)" = $((first + second)) ]
}

# difference COMM METRIC: of a program, in diff's JSON
difference()
{
	python3 -c 'import json, sys
for line in map(json.loads, sys.stdin):
	if line.get("comm") == sys.argv[1]:
		print(line["delta"][sys.argv[2]])' "$@"
}

# diff compares what was at two times, also of different sessions
two_times_are_compared()
{
	local since mb
	configure && start_grower && agent && grow && next_snapshot || return
	sleep 1
	since=@$(date +%s)
	sleep 1.1
	kill $agent && wait $agent
	agent && grow && next_snapshot || return
	mb=$(memprofctl diff --history-folder "$work/history" --since "$since" -q --json \
		--by process | difference grower resident_space)
	echo "# $mb"
	[ "$mb" -gt $((31 << 20)) ] && [ "$mb" -lt $((34 << 20)) ] &&
	! memprofctl diff --history x.data 2>"$work/e" &&
	grep -q 'no recordings can be named' "$work/e"
}

# what ended before the range has no row, and what runs has
rows_are_of_the_range()
{
	local since
	# of a name that no other process of this machine has
	cp /bin/true "$work/early$$" &&
	configure && start_grower && agent && "$work/early$$" && next_snapshot || return
	sleep 1
	since=@$(date +%s)
	sleep 1.1
	grow && next_snapshot &&
	[ "$(grown --since "$since")" = 32 ] &&
	history --by process | grep -q "\"comm\":\"early$$\"" &&
	! history --since "$since" --by process | grep "\"comm\":\"early$$\""
}

# Each snapshot is a table; on a terminal [ and ] go from one to the other
top_steps_through_time()
{
	local tables nr
	configure && start_grower && agent && grow && next_snapshot && next_snapshot &&
	kill $agent && wait $agent && nr=$(nr_snapshots) || return
	tables=$(memprofctl top --history-folder "$work/history" --plain --filter comm=grower) &&
	[ "$(grep -c '^memprof top: processes' <<<"$tables")" = "$nr" ] &&
	grep -q " ($nr of $nr) .*since the snapshot before" <<<"$tables" &&
	# it grew between two of them, by 32 MB
	[ "$(grep -cE 'grower .* 3[23]\.[0-9]M ' <<<"$tables")" -ge 1 ] &&
	[ "$(memprofctl top --history-folder "$work/history" --plain -n 5 |
		grep -c '^memprof top:')" = 1 ] || { note <<<"$tables"; return 1; }
	complains 2 'shows what was' memprofctl top --history -p 1 &&
	complains 1 'no snapshot in this range' memprofctl top \
		--history-folder "$work/history" --until 2001-01-01 || return
	command -v tmux >/dev/null || return 0
	at_end "tmux -S '$work/terminal' kill-server 2>/dev/null"
	tmux -S "$work/terminal" new-session -d -x 150 -y 20 \
		"memprofctl top --history-folder '$work/history'; sleep 60" &&
	T_WAIT=10 wait_until shown "($nr of $nr)" && tmux -S "$work/terminal" send-keys ']' &&
	T_WAIT=10 wait_until shown 'this is the last snapshot' &&
	tmux -S "$work/terminal" send-keys '[' && T_WAIT=10 wait_until shown "($((nr - 1)) of $nr)"
}

shown() { tmux -S "$work/terminal" capture-pane -p | grep -qF "$1"; }

a_snapshot_is_a_recording()
{
	local last
	configure && start_grower && agent && grow && next_snapshot || return
	last=$(snapshots | tail -n 1)
	memprofctl report -q -i "$last" | grep -q " grower " &&
	zstdcat "$last" >"$work/plain" && memprofctl report -q -i "$work/plain" --json \
		>"$work/a" && memprofctl report -q -i "$last" --json >"$work/b" &&
	cmp "$work/a" "$work/b" &&
	# a part of it is refused
	head -c 1000 "$last" >"$work/part" &&
	! memprofctl report -i "$work/part" >"$work/o" 2>"$work/e" &&
	[ ! -s "$work/o" ] && grep -q 'part: it is not a complete file of zstd or gzip' "$work/e"
}

limits_hold()
{
	configure "max-age = 3s" && agent && wait_until is_after 7 || return
	kill $agent && wait $agent
	[ "$(nr_snapshots)" -le 6 ] || return
	configure "max-size = 1" && agent && wait_until is_after "$(($(last_number) + 2))" &&
	kill $agent && wait $agent && [ "$(nr_snapshots)" = 1 ]
}

a_killed_agent_is_followed_by_another()
{
	local before
	configure && start_grower && agent && grow && next_snapshot || return
	kill -KILL $agent
	wait $agent 2>/dev/null
	before=$(last_number)
	# the draft and the session that it left
	echo half >"$work/history/snapshot.tmp"
	wait_until no_session && agent && wait_until is_after "$((before + 2))" && grow &&
	next_snapshot || return
	[ "$(ls "$work/history" | grep -c tmp)" = 0 ] &&
	memprofctl report --history-folder "$work/history" 2>&1 >/dev/null |
		grep -q 'the range has 2 sessions: this is the last one' &&
	[ "$(grown)" = 32 ]
}
no_session() { ! memprofctl status >/dev/null 2>&1; }

# Another command ended the session; the agent says so and begins a new one.
a_stopped_session_begins_anew()
{
	configure && agent && memprofctl stop -q &&
	wait_until grep -q 'the session has ended: a new one begins' "$work/said" &&
	wait_until memprofctl status >/dev/null 2>&1 && next_snapshot
}

a_full_disk_is_said_once()
{
	mkdir "$work/history" &&
	mount -t tmpfs -o size=32m none "$work/history" || return
	at_end "umount -l $work/history"
	configure && agent && head -c 40M /dev/zero >"$work/history/filler" 2>/dev/null
	wait_until grep -q 'No space left' "$work/said" || return
	sleep 3
	[ "$(grep -c 'No space left' "$work/said")" = 1 ] &&
	rm "$work/history/filler" &&
	wait_until grep -q 'snapshots are written again' "$work/said" && next_snapshot
}

# A collector that does not answer for a while is not given up: its session goes on.
busy_sessions_are_waited_for()
{
	local collector begin
	configure && start_grower && agent && next_snapshot &&
	collector=$(pgrep -P $agent -f collector) &&
	begin=$(memprofctl status --json | rows value start_ns) || return
	kill -STOP "$collector"
	wait_until grep -q 'the session does not answer' "$work/said"
	kill -CONT "$collector"
	next_snapshot && ! grep 'a new one begins' "$work/said" &&
	[ "$(memprofctl status --json | rows value start_ns)" = "$begin" ]
}

# Another session is not the agent's: it is neither kept nor stopped.
other_sessions_are_left_alone()
{
	local last
	configure "interval = 4s" && start_grower && agent && next_snapshot || return
	# the agent must not be the first to begin a new session
	kill -STOP $agent && memprofctl stop -q &&
	memprofctl start -q --source perf -p $pid && kill -CONT $agent || return
	wait_until grep -q 'the session has ended: a new one begins' "$work/said" || return
	last=$(last_number)
	sleep 5
	[ "$(last_number)" = "$last" ] && kill $agent && wait $agent &&
	[ "$(last_number)" = "$last" ] && memprofctl status | grep -q "process $pid"
}

# Signals that come while a session begins are not lost, and kill nobody.
signals_may_come_together()
{
	configure && agent || return
	kill -HUP $agent; kill -HUP $agent
	sleep 0.2
	kill -HUP $agent
	wait_until grep -q 'read the configuration again' "$work/said" && next_snapshot &&
	kill -0 $agent && kill -HUP $agent && kill $agent && wait $agent
}

# SIGHUP: the new file is used; with a mistake in it, the old one
configuration_is_read_again()
{
	configure && agent || return
	echo "nonsense" >"$work/conf" && kill -HUP $agent &&
	wait_until grep -q 'conf:1: a line has the form KEY = VALUE' "$work/said" &&
	next_snapshot || return
	configure "faults = 7" && kill -HUP $agent &&
	wait_until grep -q 'read the configuration again' "$work/said" &&
	memprofctl status | grep -q 'every 7th minor fault' && next_snapshot
}

# What systemd is told, and how often
# Above its limit of memory, whatever it does
limits_are_kept_by_doing_less()
{
	local file sources
	configure "max-memory = 1M" || return
	agent && wait_until grep -q "as little as it can" "$work/said" || return
	next_snapshot && kill "$agent" && wait "$agent"
	note "$work/said"
	[ "$(grep -c "above its limit of 1.0M" "$work/said")" = 5 ] &&
		grep -q "with 1/4 of the samples$" "$work/said" &&
		grep -q "with 1/16 of the samples$" "$work/said" &&
		grep -q "with 1/64 of the samples and without growth$" "$work/said" &&
		grep -q "only reads the sizes of processes$" "$work/said" || return
	# each session has its snapshots
	sources=$(for file in $(snapshots); do
		memprofctl report -i "$file" -q --json | rows value source where type=summary
	done | uniq | tr '\n' ' ')
	[ "$sources" = "perf smaps " ] || { echo "sources: $sources"; return 1; }
}

service_manager_is_told()
{
	configure || return
	cat >"$work/manager" <<-'END'
	import os, socket, subprocess, sys
	path = sys.argv[1] + "/notify"
	manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
	manager.bind(path)
	manager.settimeout(60)
	agent = subprocess.Popen(["memprofctl", "agent", "-c", sys.argv[1] + "/conf"],
	    env=dict(os.environ, NOTIFY_SOCKET=path, WATCHDOG_USEC="1000000"))
	said = []
	while said.count("WATCHDOG=1") < 4:
	    said.append(manager.recv(200).decode().splitlines()[0])
	agent.terminate()
	while said[-1] != "STOPPING=1":
	    said.append(manager.recv(200).decode().splitlines()[0])
	print(*said)
	assert said[0] == "READY=1" and agent.wait() == 0
	END
	python3 "$work/manager" "$work" | note && no_session
}

# A program that keeps SIZE bytes each tenth of a second, TIMES times
keeper='
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
void *volatile last;
__attribute__((noinline)) void keep_it(int size) { last = memset(malloc(size), 1, size); }
__attribute__((noinline)) void churn(void) { free(memset(malloc(300000), 1, 300000)); }
int main(void)
{
	for (int i = 0; i < TIMES; i++) {
		keep_it(SIZE);
		churn();
		usleep(100000);
	}
}'

# The page of a history adds up what the report has of each of its ranges.
# Who asks for the history does not have to know where it is.
the_agents_folder_is_found()
{
	configure && agent && next_snapshot || return
	memprofctl report --history -q --json --by process >"$work/found" &&
		grep -q '"type":"process"' "$work/found" || return
	kill "$agent" && wait "$agent"
	memprofctl report --history -q --json --by process >"$work/found" &&
	! memprofctl postmortem 2>"$work/error" && note "$work/error" &&
	grep -q "there are no captures in $work/history" "$work/error" || return
	# what others could have made is not followed
	mkdir -m 777 "$work/open" && ln -s "$work/history" "$work/open/history" &&
	! MEMPROF_RUNDIR=$work/open memprofctl postmortem 2>"$work/error" &&
	! grep "$work/history" "$work/error"
}

# What it will do, and what this machine has not: a warning, because it may come
a_configuration_can_be_tried()
{
	printf '%s\n' "folder = $work/none/history" "inject = yes" "cgroup = none_such" \
		"listen = 127.0.0.1:9753" >"$work/conf"
	memprofctl agent -c "$work/conf" --check-config >"$work/out" 2>"$work/error" || return
	note "$work/out" "$work/error"
	grep -q "^follows: *cgroup none_such" "$work/out" &&
	grep -q "^allocs: *1 per 512K bytes, by a library" "$work/out" &&
	grep -q "^numbers: *at 127.0.0.1:9753" "$work/out" &&
	grep -q "warning: there is no cgroup none_such now" "$work/error" &&
	grep -q "warning: there is no folder $work/none now" "$work/error" || return
	# all mistakes are shown
	printf '%s\n' "interval = 2 # often" "max-cpu = 5" "colour = red" >"$work/conf"
	! memprofctl agent -c "$work/conf" --check-config 2>"$work/error" &&
	[ "$(wc -l <"$work/error")" = 3 ] &&
	grep -q "conf:1: interval cannot be .* (comments have lines of their own)" "$work/error" &&
	grep -q "conf:3: unknown key 'colour'" "$work/error"
}

# The journal is the file that JOURNAL_STREAM names; a file plays it here.
the_journal_gets_priorities()
{
	local stream
	configure "max-memory = 1M" && : >"$work/said" || return
	stream=$(stat -c %d:%i "$work/said")
	JOURNAL_STREAM=$stream agent && wait_until grep -q "above its limit" "$work/said" &&
	kill -HUP "$agent" && wait_until grep -q "read the configuration again" "$work/said" || return
	echo "interval = never" >>"$work/conf"
	kill -HUP "$agent" && wait_until grep -q "cannot be 'never'" "$work/said"
	kill "$agent" && wait "$agent"
	note "$work/said"
	! grep -v '^<[3-6]>memprofctl: ' "$work/said" &&
	grep -q "^<4>.*above its limit" "$work/said" &&
	grep -q "^<6>.*read the configuration again" "$work/said" &&
	grep -q "^<3>.*cannot be 'never'" "$work/said" || return
	JOURNAL_STREAM=$stream memprofctl agent -c "$work/conf" 2>"$work/other"
	grep "^memprofctl: .*cannot be 'never'" "$work/other"
}

a_page_has_the_reports_numbers()
{
	make_cgroup && configure "cgroup = $group" "alloc = 64K" "faults = 1" "inject = yes" &&
	gcc -O1 -g -DTIMES=600 -DSIZE=1000000 -x c -o "$work/keeper" - <<<"$keeper" &&
	gcc -O1 -g -DTIMES=60 -DSIZE=3000000 -x c -o "$work/burst" - <<<"$keeper" || return
	inside "$cgroup/one" "$work/keeper" & pid=$!
	agent && wait_until has_snapshots 6 || return
	inside "$cgroup/two" "$work/burst" &
	wait_until has_snapshots 26 && kill $agent && wait $agent || return
	kill $pid
	memprofctl export --history-folder "$work/history" --format html -q -o "$work/page.html" &&
	node tests/export/check-history.js "$work/page.html" "$work/history"
}

# More snapshots than a page has intervals: some are joined, and nothing is left out.
many_snapshots_are_joined()
{
	local last session number
	make_cgroup && configure "cgroup = $group" || return
	inside "$cgroup" sleep 100 &
	agent && next_snapshot && kill $agent && wait $agent || return
	last=$(snapshots | tail -n 1)
	session=${last##*-}
	for number in {1001..1300}; do
		ln "$last" "$work/history/$(printf %010d $number)-$((${session%%.*} + number))-$session" ||
			return
	done
	memprofctl export --history-folder "$work/history" --format html -q -o "$work/page.html" &&
	python3 - "$work/page.html" $((${session%%.*})) $((${session%%.*} + 1300)) "$(nr_snapshots)" <<-'END'
	import json, re, sys
	text = open(sys.argv[1]).read()
	begin, end, nr = map(int, sys.argv[2:])
	times = json.loads(re.search(r'"times":(\[[0-9,]*\])', text)[1])
	assert len(times) == 241 and times[0] == begin and times[-1] == end, times
	assert all(a < b for a, b in zip(times, times[1:])), times
	# two of one second are one
	assert 300 < int(re.search(r'"snapshots":(\d+)', text)[1]) <= nr
	END
}

# Other formats have the sum of a range.
exports_are_of_the_range()
{
	configure && start_grower && agent && grow && next_snapshot || return
	kill $agent && wait $agent || return
	local last
	last=$(snapshots | tail -n 1 | sed 's|.*/[0-9]*-\([0-9]*\)-.*|\1|')
	memprofctl export --history-folder "$work/history" --until "@$last" --format json -q |
		rows value growth_space where type=process pid=$pid >"$work/exported" &&
	history --by process --until "@$last" | rows value growth_space where pid=$pid >"$work/reported" &&
	[ "$(cat "$work/exported")" -gt $((32 << 20)) ] &&
	is_same "$work/exported" "$work/reported" &&
	complains 2 'perf takes a recording, not a history' memprofctl export --history --format perf &&
	complains 2 '-i cannot be used with a history' \
		memprofctl export --history -i x --format folded
}

mistakes_are_one_message()
{
	local n=0 o
	configure && agent && next_snapshot && kill $agent && wait $agent || return
	sleep 1
	for o in "--since yesterday" "--until -1h" "--since now" "-i x --history" \
		"--timeline --history" "--history-folder /nonexistent"; do
		memprofctl report --history-folder "$work/history" $o \
			>"$work/o" 2>"$work/e" && return 1
		[ ! -s "$work/o" ] && [ "$(wc -l <"$work/e")" = 1 ] || note "$work/e"
		n=$((n + $(wc -l <"$work/e")))
	done
	[ $n = 6 ] && memprofctl agent -c "$work/conf" --check-config &&
	echo "x = y" >>"$work/conf" &&
	! memprofctl agent -c "$work/conf" --check-config 2>"$work/e" &&
	grep -q "conf:4: unknown key 'x'" "$work/e"
}

check "a range has what happened in it" a_range_has_what_happened_in_it
check "diff compares two times" two_times_are_compared
check "rows are of the range" rows_are_of_the_range
check "top steps through time" top_steps_through_time
check "a snapshot is a recording" a_snapshot_is_a_recording
check "the history keeps its limits" limits_hold
check "an agent that was killed is followed by another one" \
	a_killed_agent_is_followed_by_another
check "a session that was stopped begins anew" a_stopped_session_begins_anew
check "a full disk is reported once, and forgotten" a_full_disk_is_said_once
check "a session that does not answer is waited for" busy_sessions_are_waited_for
check "sessions of others are left alone" other_sessions_are_left_alone
check "signals may come together" signals_may_come_together
check "SIGHUP reads the configuration again" configuration_is_read_again
check "limits are kept by doing less" limits_are_kept_by_doing_less
check "the service manager is told" service_manager_is_told
check "the agent's folder is found" the_agents_folder_is_found
check "a configuration can be tried" a_configuration_can_be_tried
check "the journal gets priorities" the_journal_gets_priorities
browser=$(lacks node)$(lacks chromium)
check_unless "${browser:-$(injection_obstacle)}" "a page has the numbers of each range" \
	a_page_has_the_reports_numbers
check "many snapshots are joined" many_snapshots_are_joined
check "exports are of the range" exports_are_of_the_range
check "mistakes are one message" mistakes_are_one_message
plan
