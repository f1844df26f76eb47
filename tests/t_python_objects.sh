#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host: the objects of Python programs, and the functions of Python's allocators that
# count them.
. "$(dirname "$0")/lib.sh"
. tests/python.sh

# Blocks that grow, mostly where they are; realloc() fails in the last one
grown='
import os, resource, sys
def grow_list():
    kept.extend([])
    for i in range(1000000):
        kept.append(None)
def grow_buffer():
    for i in range(64):
        buffer.extend(bytes(64 << 10))
def fail_to_grow():
    more = bytes(32 << 20)
    with open("/proc/self/statm") as file:
        size = int(file.read().split()[0]) * 4096
    resource.setrlimit(resource.RLIMIT_AS, (size + (1 << 20), resource.RLIM_INFINITY))
    try:
        buffer.extend(more)
    except MemoryError:
        return
    sys.exit("it did not fail")
kept, buffer = [], bytearray()
grow_list()
grow_buffer()
fail_to_grow()
print(sys.getsizeof(kept), sys.getsizeof(buffer), flush=True)
os._exit(0)
'

# blocks_are_near EXIT: the recording has what the program said, at its end and at the peak
blocks_are_near()
{
	memprofctl report -i "$work/data" -q --json --by callsite -n 0 >"$work/sites" &&
	$PYTHON - "$work/sites" "$1" $(<"$work/said") <<-'END'
	import json, sys
	rows = [json.loads(line) for line in open(sys.argv[1])]
	for function, size in zip(("grow_list", "grow_buffer"), map(int, sys.argv[3:])):
	    mine = [row for row in rows if row.get("function", "").endswith(function)]
	    at_end = sum(row[sys.argv[2]] for row in mine)
	    at_peak = sum(row["at_peak_space"] for row in mine)
	    print("#", function, size, at_end, at_peak)
	    assert abs(at_end - size) < size / 20, (function, size, at_end)
	    assert at_peak < size * 1.1, (function, size, at_peak)
	END
}

blocks_that_grow_are_counted_once()
{
	echo "$grown" >"$work/grown.py"
	memprofctl record --preload -q -f --rate 1K -o "$work/data" -- \
		$PYTHON "$work/grown.py" >"$work/said" && blocks_are_near at_exit_space || return
	[ -n "$obstacle" ] && return
	memprofctl record -q -f --alloc 1K -o "$work/data" -- $PYTHON "$work/grown.py" \
		>"$work/said" 2>>"$work/err" && blocks_are_near at_exit_space
}

# allocators: code for ctypes that prints the functions that serve objects
allocators="
import ctypes
class Allocator(ctypes.Structure):
    _fields_ = [(n, ctypes.c_void_p) for n in ('ctx', 'malloc', 'calloc', 'realloc', 'free')]
def allocators():
    found = []
    for domain in 0, 1, 2:
        is_ = Allocator()
        ctypes.pythonapi.PyMem_GetAllocator(domain, ctypes.byref(is_))
        found += [is_.malloc, is_.calloc, is_.realloc, is_.free]
    return found
"

# A snapshot of a program that got the library; then the library leaves its allocators
ejection_restores_the_allocators()
{
	local pid
	cat >"$work/program.py" <<-END
	$allocators
	before = allocators()
	print('waits', flush=True)
	input()
	kept = [str(n) * 8 for n in range(50000)]
	inside = allocators()
	print('waits', flush=True)
	input()
	del kept
	print(inside[:4] == before[:4], any(a == b for a, b in zip(inside[4:], before[4:])),
	      allocators() == before, flush=True)
	END
	mkfifo "$work/in" "$work/out"
	$PYTHON "$work/program.py" <"$work/in" >"$work/out" 2>>"$work/err" &
	pid=$!
	exec 7>"$work/in" 8<"$work/out" && read -r -u 8
	memprofctl inject -q -p $pid --rate 512 --out "$work/region" && go_on &&
	memprofctl snapshot -q -f -p $pid -o "$work/data" &&
	memprofctl report -i "$work/data" --by callsite -n 1 >"$work/report" &&
	grep -q 'py::<.*> program.py:' "$work/report" &&
	memprofctl eject -q -p $pid && echo >&7 && read -r -u 8 &&
	[ "$REPLY" = "True False True" ] && wait $pid && return
	echo "# $REPLY"
	note "$work/report" "$work/err"
	return 1
}

# A sampled object is malloc()'s, so Python's own free() is enough; below 16K, which would
# move many, free() is replaced. All frees are seen in both cases: what lives is what is kept.
frees_cost_nothing_at_large_rates()
{
	local rate own
	cat >"$work/frees.py" <<-END
	$allocators
	def is_python(address):
	    for line in open('/proc/self/maps'):
	        begin, end = (int(n, 16) for n in line.split()[0].split('-'))
	        if begin <= address < end:
	            return 'libmemprof' not in line
	def keep():
	    return [str(n) * 8 for n in range(400000)]
	def drop():
	    return [str(n) * 8 for n in range(400000)]
	kept = keep()
	for i in range(10):
	    drop()
	for i in range(0, 400000, 2):
	    kept[i] = None
	inside = allocators()
	print(*(is_python(inside[i]) for i in (4, 7, 8, 11)), flush=True)
	import os
	os._exit(0)
	END
	for rate in 16K 15K; do
		[ $rate = 16K ] && own=True || own=False
		memprofctl record --preload -q -f --rate $rate -o "$work/data" -- \
			$PYTHON "$work/frees.py" >"$work/said" &&
		report -i "$work/data" --by callsite >"$work/sites" || return
		[ "$(cat "$work/said")" = "False $own False $own" ] &&
		# arenas are on a list of Python's own, which grows while drop() runs
		[ "$(rows sum at_exit_space where 'function~^py::drop' <"$work/sites")" -lt 100000 ] &&
		[ "$(rows sum at_exit_space where 'function~^py::keep' <"$work/sites")" -gt 18000000 ] &&
			continue
		echo "# $rate"
		note "$work/said"
		rows list function at_exit_space where 'function~^py::(drop|keep)' \
			<"$work/sites" | sed 's/^/# /'
		return 1
	done
}

# tracemalloc surrounds the hooks, and puts them back after they were taken out
objects_are_counted_after_tracemalloc()
{
	local pid
	cat >"$work/again.py" <<-END
	import tracemalloc
	def keep():
	    return [str(n) * 8 for n in range(50000)]
	def wait():
	    print('waits', flush=True)
	    input()
	wait()
	first = keep()
	tracemalloc.start()
	wait()
	tracemalloc.stop()
	wait()
	second = keep()
	wait()
	END
	mkfifo "$work/in" "$work/out"
	$PYTHON "$work/again.py" <"$work/in" >"$work/out" 2>>"$work/err" &
	pid=$!
	exec 7>"$work/in" 8<"$work/out" && read -r -u 8 &&
	memprofctl inject -q -p $pid --rate 16K && go_on &&
	memprofctl eject -q -p $pid && go_on &&
	memprofctl inject -q -p $pid --rate 1 && go_on &&
	memprofctl snapshot -q -f -p $pid -o "$work/data" && echo >&7 && wait $pid &&
	report -i "$work/data" --by callsite >"$work/sites" &&
	[ "$(rows sum inuse_space where 'function~^py::keep' <"$work/sites")" -gt 4000000 ] &&
		return
	note "$work/err"
	return 1
}

# What keeps the functions from a second mapping: mremap() has it since 5.13
far_obstacle()
{
	local major minor
	[ "$(uname -m)" = x86_64 ] || { echo "only x86-64 has them"; return; }
	IFS=. read -r major minor _ <<<"$(uname -r)"
	[ $((major * 1000 + ${minor%%[!0-9]*})) -ge 5013 ] || echo "the kernel is older than 5.13"
}

# what a process that confined itself does not get
confined_obstacle()
{
	grep -q '^Seccomp:.0' /proc/self/status && grep -q '^NoNewPrivs:.0' /proc/self/status ||
		echo "the tests are confined"
}

# places: code that prints where malloc and free of memory and of objects are: near Python
# or far from it; then the permissions of the library's code and of what is behind it, if
# that is where they are
places="$allocators
def places():
    python = ctypes.cast(ctypes.pythonapi.PyObject_Malloc, ctypes.c_void_p).value
    found = allocators()
    hooks = [found[i] for i in (4, 7, 8, 11)]
    lines = [line.split() for line in open('/proc/self/maps')]
    maps = [[int(n, 16) for n in line[0].split('-')] + [line[1], line[-1]] for line in lines]
    at = [n for n, m in enumerate(maps) if m[0] <= hooks[2] < m[1]][0]
    is_near = all(abs(hook - python) < 1 << 31 for hook in hooks)
    is_copy = is_near and 'libmemprof.so' in maps[at][3] and maps[at + 1][0] == maps[at][1]
    return 'near %s %s' % (maps[at][2], maps[at + 1][2]) if is_copy else \\
           'near' if is_near else 'far'
"

# keeping: a program that keeps small objects in the line "kept", and calls places()
keeping="$places
import os, signal
kept = []
def keep():
    for n in range(50000):
        kept.append(str(n) * 8)	# keeps
def leave():
    os.kill(os.getpid(), signal.SIGKILL)
"

# has_kept FILE PROGRAM: the callsite with most live bytes is the line that keeps
has_kept()
{
	memprofctl report -i "$1" --by callsite -n 1 --sort inuse_space >"$work/report" &&
	grep -q "py::keep ${2##*/}:$(grep -n '# keeps' "$2" | cut -d: -f1)\$" \
		"$work/report" && return
	note "$work/report"
	return 1
}

# is_near PLACES: near Python, in a mapping of two pages unless the library is near, too
is_near() { [ "$1" = "near r-xp r--p" ] || [[ $1 == near && -n $(libpython_is_used) ]]; }
libpython_is_used() { ldd "$(realpath $PYTHON)" | grep libpython; }

small_objects_are_counted_near()
{
	printf '%s\nprint(places(), flush=True)\nkeep()\nleave()\n' "$keeping" \
		>"$work/near.py"
	preload 512 $PYTHON "$work/near.py" >"$work/places"
	is_near "$(cat "$work/places")" && has_kept "$work/region" "$work/near.py" && return
	note "$work/places" "$work/err"
	return 1
}

# after_prctl ARGUMENT... -- COMMAND: a Python calls prctl(), and executes COMMAND then
after_prctl()
{
	$PYTHON -c '
import ctypes, os, sys
split = sys.argv.index("--")
numbers = [ctypes.c_ulong(int(n)) for n in sys.argv[1:split]]
if ctypes.CDLL(None).prctl(*numbers):
    sys.exit(77)
os.execv("/usr/bin/env", ["env"] + sys.argv[split + 1:])' "$@"
}

# no memory may be both writable and executable, or become executable (PR_SET_MDWE)
no_code_is_written()
{
	printf '%s\nkeep()\nfor line in open("/proc/self/maps"):\n' "$keeping" \
		>"$work/strict.py"
	printf '    print(line, end="")\nprint(places(), flush=True)\nleave()\n' \
		>>"$work/strict.py"
	rm -f "$work/region"
	after_prctl 65 1 0 0 0 -- LD_PRELOAD="$LIB" MEMPROF_RATE=512 \
		MEMPROF_OUT="$work/region" $PYTHON "$work/strict.py" >"$work/maps" 2>>"$work/err"
	is_near "$(tail -n 1 "$work/maps")" && has_kept "$work/region" "$work/strict.py" && return
	note "$work/maps" "$work/err"
	return 1
}

mdwe_obstacle()
{
	after_prctl 65 1 0 0 0 -- true 2>/dev/null || echo "the kernel has no PR_SET_MDWE"
}

# refusing NUMBER COMMAND...: executes COMMAND where a system call fails (EPERM)
refusing()
{
	$PYTHON -c '
import ctypes, os, struct, sys
code = b"".join(struct.pack("HBBI", *words) for words in (
    (0x20, 0, 0, 0), (0x15, 0, 1, int(sys.argv[1])), (0x06, 0, 0, 0x50001),
    (0x06, 0, 0, 0x7fff0000)))
text = ctypes.create_string_buffer(code)
filter = struct.pack("HxxxxxxQ", 4, ctypes.addressof(text))
libc = ctypes.CDLL(None)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, filter):
    sys.exit(77)
os.execv("/usr/bin/env", ["env"] + sys.argv[2:])' "$@"
}

# A filter that the library does not know of refuses mremap(). Then the functions in the
# library count.
far_functions_count_as_well()
{
	local places
	printf '%s\nprint(places(), flush=True)\nkeep()\nleave()\n' "$keeping" >"$work/far.py"
	rm -f "$work/region"
	refusing 25 LD_PRELOAD="$LIB" MEMPROF_RATE=512 MEMPROF_OUT="$work/region" \
		$PYTHON "$work/far.py" >"$work/places" 2>>"$work/err"
	places=$(cat "$work/places")
	[ "$places" = far ] || [[ $places == near && -n $(libpython_is_used) ]] || {
		note "$work/places" "$work/err"
		return 1
	}
	has_kept "$work/region" "$work/far.py"
}

# Where a signal interrupts the functions near Python, the handler's stack goes on through
# them. Some percent of the time of object() are in them. Few interrupts are in the dynamic
# linker while it binds a function: its frame is found by %rbx, which is not followed, so these
# stacks are not walked to their end, which is counted.
interrupted_functions_have_callers()
{
	gcc -O1 -Wall -shared -fPIC -o "$work/interrupts.so" "$programs/interrupts.c" || return
	cat >"$work/loop.py" <<-END
	$keeping
	lib = ctypes.CDLL("$work/interrupts.so")
	def loop(kind):
	    for _ in range(60000000): kind()
	lib.begin()
	loop(object)
	leave()
	END
	preload 64K $PYTHON "$work/loop.py"
	memprofctl report -i "$work/region" --by callsite -n 0 --stack -v >"$work/out" &&
	awk '/ stacks_shallow:/ { shallow = $1 }
		/ allocate[+ ]/ { handlers++; is_open = 1; is_inside = 0 }
		/ object_(malloc|free)/ { is_inside = is_open }
		/ _start/ { whole += is_open; inside += is_inside; is_open = is_inside = 0 }
		END {
			printf "# %d stacks of the handler, %d whole, %d inside, %d shallow\n",
				handlers, whole, inside, shallow
			exit !(inside && whole >= 0.97 * handlers && shallow <= 20)
		}' "$work/out" && return
	# a stack that does not reach the first function
	awk '/^ *[0-9]/ { if (stack && stack !~ /_start/) print stack; stack = $0; next }
		{ stack = stack "\n" $0 }' "$work/out" | head -n 40 >"$work/short"
	note "$work/short"
	return 1
}

# The pages stay after an ejection, and serve the next injection
injected_again_is_near_again()
{
	local pid first again
	cat >"$work/again.py" <<-END
	$keeping
	import sys
	for line in sys.stdin:
	    keep()
	    nr = len([line for line in open('/proc/self/maps') if 'libmemprof' in line])
	    print(places(), hex(allocators()[8]), nr, flush=True)
	END
	mkfifo "$work/in" "$work/out"
	$PYTHON "$work/again.py" <"$work/in" >"$work/out" 2>>"$work/err" &
	pid=$!
	exec 7>"$work/in" 8<"$work/out"
	go() { echo >&7 && read -r -u 8; }
	go &&
	memprofctl inject -q -p $pid --rate 512 --out "$work/region" && go && first=$REPLY &&
	is_near "${first% * *}" &&
	memprofctl eject -q -p $pid && go && [[ $REPLY == near\ 0x* ]] &&
	memprofctl inject -q -p $pid --rate 512 --out "$work/again" && go && again=$REPLY &&
	memprofctl snapshot -q -f -p $pid -o "$work/data" && has_kept "$work/data" "$work/again.py" &&
	memprofctl eject -q -p $pid && go &&
	[ "$first" = "$again" ] && exec 7>&- && wait $pid && return
	echo "# $first, $again, $REPLY"
	note "$work/err"
	return 1
}

# A process that confined itself before the injection is asked for no more than needed
injected_and_confined_is_far()
{
	local pid
	cat >"$work/confined.py" <<-END
	$keeping
	ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)
	print('waits', flush=True)
	input()
	keep()
	print(places(), flush=True)
	input()
	END
	mkfifo "$work/in" "$work/out"
	$PYTHON "$work/confined.py" <"$work/in" >"$work/out" 2>>"$work/err" &
	pid=$!
	exec 7>"$work/in" 8<"$work/out" && read -r -u 8
	memprofctl inject -q -p $pid --rate 512 --out "$work/region" && echo >&7 &&
	read -r -u 8 && { [ "$REPLY" = far ] || [ -n "$(libpython_is_used)" ]; } &&
	memprofctl snapshot -q -f -p $pid -o "$work/data" &&
	has_kept "$work/data" "$work/confined.py" && return
	echo "# $REPLY"
	note "$work/err"
	return 1
}

check_unless "$no_python" "blocks that grow are counted once" blocks_that_grow_are_counted_once
check_unless "$no_injection" "ejection restores the allocators" \
	ejection_restores_the_allocators
near=${no_python:-$(far_obstacle)}
check_unless "$no_injection" "objects are counted after tracemalloc" \
	objects_are_counted_after_tracemalloc
check_unless "$no_python" "free() is Python's own, except at small rates" \
	frees_cost_nothing_at_large_rates
check_unless "$near" "small objects are counted near Python's code" \
	small_objects_are_counted_near
check_unless "${near:-$(mdwe_obstacle)}" "also where no code may be written" no_code_is_written
check_unless "$near" "they are counted as well where nothing can be mapped near" \
	far_functions_count_as_well
check_unless "${near:-$([ -z "$(libpython_is_used)" ] || echo "$PYTHON has libpython")}" \
	"a signal may interrupt these functions" interrupted_functions_have_callers
near_injection=${near:-${no_injection:-$(confined_obstacle)}}
check_unless "$near_injection" "an injection after an ejection uses the same pages" \
	injected_again_is_near_again
check_unless "$near_injection" "a process that confined itself gets no second mapping" \
	injected_and_confined_is_far
plan
