#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Functions of Python, read by the module: the line that leaks is the first callsite, for
# allocations, growth and faults, in threads and children, live and in recordings.
. "$(dirname "$0")/../lib.sh"
mib=$((1 << 20))

# in each of three ways 8 MB that stay, and 4 MB of small objects
make_leak()
{
	cat >"$fix/leak.py" <<'END'
import os, sys, threading, time
kept = []

def make(n):
    return bytearray(n)

def leak():
    for i in range(400):
        kept.append(make(20000))

def small():
    return [object() for i in range(250000)]

def in_thread():
    for i in range(400):
        kept.append(bytearray(20000))

def in_child():
    for i in range(400):
        kept.append(bytearray(20000))

def wait(seconds):
    end, parent = time.time() + seconds, os.getppid()
    while time.time() < end and os.getppid() == parent:
        time.sleep(0.1)

if sys.argv[1] == "go":
    sys.stdin.readline()
else:
    wait(float(sys.argv[1]))
thread = threading.Thread(target=in_thread)
thread.start()
thread.join()
done, says_so = os.pipe()
if not os.fork():
    in_child()
    os.write(says_so, b"!")
    wait(float(sys.argv[2]))
    os._exit(0)
# with a trap per call, the child may be slower than all that follows
os.read(done, 1)
leak()
more = small()
print("ready", flush=True)
wait(float(sys.argv[2]))
END
}

# run OPTION...: starts a session for the program before it leaks, and waits until it has
run()
{
	needs leak && mkfifo "$work/in" || return
	/usr/bin/python3 "$fix/leak.py" go 1000 <"$work/in" >"$work/said" & pid=$!
	exec 9>"$work/in"
	wait_until grep -qs leak.py "/proc/$pid/cmdline" && sleep 1 &&
	memprofctl start -q -p $pid --source kmod "$@" && echo go >&9 &&
	wait_until grep -q ready "$work/said" && sleep 2
}

# has FUNCTION METRIC BYTES: of its callsites in $work/rows, within a fifth
has()
{
	is_within $(($3 / 5)) "$(rows sum "$2" where type=site "function=py::$1" <"$work/rows")" "$3" &&
		return
	rows list function "$2" where type=site <"$work/rows" | sort -rnk 2 | head -8 | sed 's/^/# /'
	return 1
}

all_have()
{
	has make "$1" $((8 * mib)) && has in_thread "$1" $((8 * mib)) &&
	has in_child "$1" $((8 * mib))
}

# The interpreter's list of pointers, and its objects
small_objects_have_lines()
{
	local line=$(rows sum growth_space where type=site \
		'function=py::small.<locals>.<listcomp>' <"$work/rows")
	[ "$line" -ge $((4 * mib)) ] && return
	echo "# growth of small objects: $line"
	return 1
}

# A busy collector answers with what it has merged so far
all_is_merged() { report --by callsite >"$work/rows" && all_have inuse_space >"$work/said.rows"; }

# The first row, below a sentence
live_sessions_have_lines()
{
	run --alloc 16K --faults 1 && wait_until all_is_merged && all_have growth_space &&
	small_objects_have_lines &&
	[ "$(memprofctl report --by callsite -n 1 | sed 1d | grep -c 'py::.* leak.py:')" = 1 ]
}

faults_alone_have_lines()
{
	run --alloc off --faults 1 && report --by callsite >"$work/rows" && all_have touched_space && all_have growth_space
}

# Its tables have more than 100 MB
the_sampler_is_no_growth()
{
	local grown=$(rows sum growth_space where type=site <"$work/rows")
	[ "$grown" -lt $((64 * mib)) ] && return
	echo "# all grew by $grown"
	return 1
}

recordings_have_lines()
{
	needs leak && memprofctl record -q -f --source kmod "$@" -o "$work/data" -- \
		/usr/bin/python3 "$fix/leak.py" 5 1 >/dev/null &&
	report -i "$work/data" --by callsite >"$work/rows" && all_have at_peak_space &&
	all_have growth_space && small_objects_have_lines && the_sampler_is_no_growth
}

# -v shows each counter
nothing_is_lost_silently()
{
	run --alloc 64K && memprofctl report -v >"$work/report" &&
	! grep -E 'python_(names_lost|unreadable|unknown)' "$work/report"
}

check "a program that leaks" make_leak
check "a session of allocations has lines" live_sessions_have_lines
check "faults and growth alone have lines" faults_alone_have_lines
check "a recording of a command has lines" recordings_have_lines --alloc 16K
[ -z "${PYTHON_EXACT:-}" ] || check "so has one of each call" recordings_have_lines --alloc exact
check "no function of Python is lost" nothing_is_lost_silently
plan
