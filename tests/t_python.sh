#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host: the functions of Python programs.
. "$(dirname "$0")/lib.sh"
. tests/python.sh
KINDS="list cache threads tasks generator comprehension buffers resized"

# leaking LINE: the number of the line of leaks.py with the comment "LINE leaks"
leaking() { grep -n "# $1 leaks" "$LEAKS" | cut -d: -f1; }

# lines FILE: "LINE BYTES" of what lives, for each line of leaks.py, the largest first
lines()
{
	memprofctl export -q -f -i "$1" --format csv -o "$work/csv" &&
	$PYTHON -c '
import collections, csv, os, sys
sums = collections.Counter()
for row in csv.DictReader(open(sys.argv[1])):
    if row["type"] == "callsite" and os.path.basename(row["file"]) == "leaks.py":
        sums[int(row["line"])] += int(row[sys.argv[2]])
for line, size in sums.most_common():
    print(line, size)' "$work/csv" "${2:-inuse_space}"
}

# is_on_top KIND FILE: the leaking line has more than any other callsite
is_on_top()
{
	memprofctl report -i "$2" --by callsite -n 1 --json --sort "${3:-inuse_space}" \
		>"$work/top" &&
	$PYTHON tests/report.py value function line where type=site <"$work/top" \
		>"$work/is" &&
	[ "$(awk '{ print $NF }' "$work/is")" = "$(leaking "$1")" ] && return
	note "$work/top"
	return 1
}

# names OPTION...: of the functions in the stack with most live bytes, without numbers
names()
{
	memprofctl report -i "$work/region" --json --stack --sort inuse_space -n 1 "$@" |
		$PYTHON tests/report.py lines | head -n 1 | sed 's/^[^:]*: //; s/ < /\n/g' |
		cut -d' ' -f1
}

# With --python only functions of the program are left, with --native only the others
one_kind_is_shown()
{
	preload 64K $PYTHON "$LEAKS" list
	names >"$work/all"
	names --python >"$work/python"
	names --native >"$work/native"
	note "$work/python"
	grep -q '^py::' "$work/all" && grep -q '_start' "$work/all" &&
	[ -s "$work/python" ] && ! grep -v '^py::' "$work/python" &&
	grep -q '_start' "$work/native" && ! grep '^py::' "$work/native" &&
	# the callsite is of the kind that is shown
	memprofctl report -i "$work/region" --native -n 1 >"$work/out" &&
	! grep 'py::' "$work/out" && ! grep '^hint' "$work/out" &&
	memprofctl export -q -f -i "$work/region" --python --format folded -o "$work/folded" &&
	! grep 'py::.*_start\|_start.*py::' "$work/folded" && grep -q 'py::' "$work/folded"
}

# Kinds that need something more: an extension in C, and numpy
more_kinds()
{
	gcc -O2 -shared -fPIC "-I$($PYTHON -c 'import sysconfig
print(sysconfig.get_path("include"))')" -o "$work/leaking_extension.abi3.so" \
		tests/package/leaking_extension.c 2>>"$work/err" && echo extension
	$PYTHON -c 'import numpy' 2>>"$work/err" && echo numpy
}

leaks_are_on_top()
{
	local kind
	local -x PYTHONPATH=$work
	for kind in $KINDS $(more_kinds); do
		preload 512 $PYTHON "$LEAKS" $kind
		is_on_top $kind "$work/region" || return
	done
}

# same_sums KIND RATE PER_MILLE [TRACER]: what lives, by line and in all, is what
# tracemalloc says, or memray
same_sums()
{
	$PYTHON "$LEAKS" "$1" "${4:-traced}" >"$work/traced" 2>>"$work/err" || return
	preload "$2" $PYTHON "$LEAKS" "$1"
	lines "$work/region" >"$work/lines" || return
	$PYTHON -c '
import sys
def read(path):
    return {key: int(size) for key, size in map(str.split, open(path))}
traced, ours = read(sys.argv[1]), read(sys.argv[2])
traced.pop("total")
limit = int(sys.argv[3]) / 1000
some = [line for line in traced if traced[line] > 1 << 20] or list(traced)
wrong = [line for line in some
         if abs(ours.get(line, 0) - traced[line]) > limit * traced[line]]
total, wanted = sum(ours.get(line, 0) for line in traced), sum(traced.values())
for line in wrong:
    print(f"# line {line}: {ours.get(line, 0)}, {sys.argv[4]} {traced[line]}")
print(f"# in all {total}, {sys.argv[4]} {wanted}")
sys.exit(bool(wrong) or abs(total - wanted) > limit * wanted)' \
		"$work/traced" "$work/lines" "$3" "${4:-tracemalloc}" >"$work/sums" && return
	note "$work/traced" "$work/lines"
	memprofctl report -v -n 3 -i "$work/region" | note
	echo "# $1:"
	note "$work/sums"
	return 1
}

# Of each call. Of threads and tasks, interpreters keep some memory for later.
sums_are_exact()
{
	local kind
	for kind in list cache generator comprehension buffers resized; do
		same_sums $kind 1 2 || return
	done
}

# At 64 bytes, five standard deviations of the ints, the smallest blocks, are below 3 %.
estimates_are_close()
{
	local kind
	for kind in list cache threads generator comprehension buffers resized; do
		same_sums $kind 64 30 || return
	done
}

memray_obstacle()
{
	$PYTHON -c "import memray" 2>/dev/null || echo "python has no memray"
}

# By its own allocators and by malloc, as we do
memray_agrees()
{
	local kind
	for kind in list cache threads generator comprehension buffers resized; do
		same_sums $kind 64 30 memray || return
	done
}

# A stack has the functions in their order, and no interpreter's function between them.
stacks_have_the_functions()
{
	cat >"$work/deep.py" <<-'END'
	import functools, os, signal
	kept = []
	class Store:
	    def put(self, n):
	        kept.append(bytearray(n))
	def third(n):
	    Store().put(n)
	def second(n):
	    functools.partial(third, n)()
	def first(n):
	    list(map(second, [n] * 100))
	first(10000)
	os.kill(os.getpid(), signal.SIGKILL)
	END
	preload 64K $PYTHON "$work/deep.py"
	memprofctl report -i "$work/region" --by callsite --json --stack --sort inuse_space \
		-n 1 >"$work/out" &&
	$PYTHON tests/report.py lines <"$work/out" | head -n 1 | sed 's/ < /\n/g' |
		grep -o 'py::.*' | sed 's,/.*/,,' >"$work/functions"
	[ "$(cat "$work/functions")" = "py::Store.put deep.py:5
py::third deep.py:7
py::second deep.py:9
py::first deep.py:11
py::<module> deep.py:12" ] && ! grep EvalFrame "$work/out" && return
	note "$work/functions" "$work/out"
	return 1
}

# record COMMAND and --preload: names are in the file, and stay when the process is gone
recordings_have_names()
{
	local kind
	for kind in list tasks; do
		memprofctl record -q -f --alloc 512 -o "$work/data" -- $PYTHON "$LEAKS" $kind \
			2>>"$work/err"
		is_on_top $kind "$work/data" at_peak_space || return
		memprofctl record --preload -q -f --rate 512 -o "$work/data" -- \
			$PYTHON "$LEAKS" $kind 2>>"$work/err"
		is_on_top $kind "$work/data" || return
	done
}

# waiting KIND: starts leaks.py, which waits; sets pid
waiting()
{
	mkfifo "$work/in" "$work/out"
	$PYTHON "$LEAKS" "$1" waits <"$work/in" >"$work/out" 2>>"$work/err" &
	pid=$!
	exec 7>"$work/in" 8<"$work/out" && read -r -u 8 && [ "$REPLY" = waits ]
}

running_programs_have_names()
{
	local pid ready kind
	local -x PYTHONPATH=$work
	for kind in $KINDS $(more_kinds); do
		waiting $kind || return
		mkfifo "$work/ready"
		memprofctl record --inject -q -f -p $pid --alloc 512 -o "$work/data" \
			--ready-fd 9 9>"$work/ready" 2>>"$work/err" &
		recorder=$!
		read -r ready <"$work/ready"
		go_on && kill -INT $recorder && wait $recorder
		is_on_top $kind "$work/data" || { note "$work/err"; return 1; }
		echo >&7
		wait $pid
		exec 7>&- 8<&-
		rm "$work/in" "$work/out" "$work/ready"
	done
}

# With PYTHONMALLOC=malloc malloc() counts everything. The checks of debug add bytes.
other_allocators_count_once()
{
	local how
	PYTHONMALLOC=malloc same_sums resized 1 2 || return
	for how in pymalloc debug malloc_debug; do
		PYTHONMALLOC=$how preload 64K $PYTHON "$LEAKS" buffers
		is_on_top buffers "$work/region" || { echo "# $how"; return 1; }
	done
}

# tracemalloc begins and ends around the library's functions
tracemalloc_is_no_obstacle()
{
	cat >"$work/traced.py" <<-'END'
	import os, signal, tracemalloc
	kept = [[n] for n in range(20000)]
	tracemalloc.start()
	more = [[n] for n in range(20000)]
	tracemalloc.stop()
	del kept
	rest = [[n] for n in range(20000)]
	os.kill(os.getpid(), signal.SIGKILL)
	END
	preload 256 $PYTHON "$work/traced.py"
	memprofctl report -i "$work/region" --by callsite --json >"$work/out" &&
	[ "$($PYTHON tests/report.py sum alloc_objects where type=site line=7 \
		<"$work/out")" -gt 38000 ] &&
	[ "$($PYTHON tests/report.py sum inuse_space where type=site line=2 \
		<"$work/out")" -lt 100000 ]
}

children_and_threads_have_names()
{
	cat >"$work/forks.py" <<-'END'
	import os, signal, threading
	kept = []
	def grow(n):
	    kept.append(bytearray(n))
	def in_thread():
	    for n in range(200):
	        grow(20000)
	def parent():
	    for n in range(100):
	        grow(20000)
	parent()
	for n in range(50):
	    threading.Thread(target=in_thread).start()
	    kept.clear()
	for thread in threading.enumerate():
	    if thread is not threading.current_thread():
	        thread.join()
	kept.clear()
	child = os.fork()
	def in_child():
	    for n in range(100):
	        grow(20000)
	if not child:
	    in_child()
	    os.kill(os.getpid(), signal.SIGKILL)
	os.waitpid(child, 0)
	END
	mkdir "$work/regions"
	LD_PRELOAD=$LIB MEMPROF_RATE=16K MEMPROF_OUT=$work/regions/%p \
		$PYTHON "$work/forks.py" &&
	memprofctl report -i "$work/regions" --by callsite --json --stack -n 0 >"$work/out" &&
	$PYTHON tests/report.py lines <"$work/out" >"$work/lines" &&
	grep 'py::grow .*py::in_child .*py::<module>' "$work/lines" >"$work/child" &&
	grep 'py::grow .*py::in_thread .*Thread.run .*Thread._bootstrap ' "$work/lines" \
		>"$work/threads" &&
	! grep -v 'py::' "$work/child" && return
	note "$work/lines"
	return 1
}

subinterpreters_have_names()
{
	cat >"$work/sub.py" <<-'END'
	import os, signal
	try:
	    import _interpreters as interpreters
	except ImportError:
	    import _xxsubinterpreters as interpreters
	def outer():
	    interpreters.run_string(interpreters.create(), '''
	kept = []
	def inner():
	    for n in range(40000):
	        kept.append('inner %d' % n)
	inner()
	import os, signal
	os.kill(os.getpid(), signal.SIGKILL)
	''')
	outer()
	END
	preload 512 $PYTHON "$work/sub.py"
	memprofctl report -i "$work/region" --by callsite --json --stack --sort inuse_space \
		-n 3 >"$work/out" &&
	$PYTHON tests/report.py lines <"$work/out" | head -n 1 | tee "$work/line" |
		grep 'py::inner .*py::<module> .*py::outer .*py::<module>' && return
	note "$work/line"
	return 1
}

# libpython: the library of the system's Python, or nothing
libpython()
{
	local version
	version=$($PYTHON -c 'import sys; print("%d.%d" % sys.version_info[:2])') &&
	ls "/usr/lib/$(uname -m)-linux-gnu/libpython$version.so.1.0" 2>/dev/null
}

late_interpreters_are_found()
{
	gcc -O1 -Wall -o "$work/embeds" "$programs/embeds.c" &&
	[ "$(preload 4K "$work/embeds" "$(libpython)")" = "done" ] &&
	memprofctl report -i "$work/region" --by callsite -n 1 | tee "$work/out" |
		grep 'py::grow <string>:4' && return
	note "$work/out"
	return 1
}

# Names come from strangers: they are cut, and nothing in them reaches the terminal.
strange_names_are_harmless()
{
	cat >"$work/names.py" <<-'END'
	import os, signal
	kept = []
	def plain():
	    kept.append(bytearray(1000000))
	def named(name, file):
	    code = plain.__code__.replace(co_name=name, co_filename=file)
	    if hasattr(code, 'co_qualname'):
	        code = code.replace(co_qualname=name)
	    plain.__code__ = code
	    plain()
	named('red\x1b[31m\nline', '/a/red.py')
	named('left\u202eright', '/a/bidi.py')
	named('\U0001f40d\u00e4\u0416', '/a/\u00e4/wide.py')
	named('x' * 1000000, '/a/' + 'y/' * 500000 + 'end.py')
	named('none', '')
	named('cut\0here', '/a/nul.py')
	os.kill(os.getpid(), signal.SIGKILL)
	END
	preload 16K $PYTHON "$work/names.py"
	memprofctl report -i "$work/region" --by callsite -n 0 >"$work/out" &&
	! LC_ALL=C grep -P '[\x00-\x08\x0b-\x1f\x7f]' "$work/out" &&
	! grep -P '\x{202e}' "$work/out" &&
	grep -F 'py::red' "$work/out" | grep red.py:4 &&
	grep -F 'py::left' "$work/out" | grep bidi.py:4 &&
	grep -F '🐍äЖ wide.py:4' "$work/out" &&
	grep 'py::xxxxx.* end.py:4' "$work/out" &&
	grep -F 'py::cut' "$work/out" | grep nul.py:4 && return
	note "$work/out"
	return 1
}

# Code objects whose addresses are used again have the names of the new ones.
new_code_has_its_own_names()
{
	cat >"$work/again.py" <<-'END'
	import os, signal
	kept = []
	for n in range(300):
	    names = {'kept': kept}
	    exec(compile('\n' * (n % 7) + f'''def f_{n:03}():
	    kept.append(bytearray(50000))
	f_{n:03}()''', f'/file_{n:03}.py', 'exec'), names)
	    del names['f_%03d' % n]
	os.kill(os.getpid(), signal.SIGKILL)
	END
	preload 1K $PYTHON "$work/again.py"
	memprofctl report -i "$work/region" --by callsite -n 0 | grep -c 'py::f_' \
		>"$work/nr" &&
	memprofctl report -i "$work/region" --by callsite -n 0 | awk '
		/py::f_/ { n = substr($(NF - 1), 7); if ($NF != "file_" n ".py:" n % 7 + 2) print }' \
		>"$work/wrong" &&
	[ "$(cat "$work/nr")" = 300 ] && [ ! -s "$work/wrong" ] && return
	note "$work/nr" "$work/wrong"
	return 1
}

exports_have_names()
{
	local format
	memprofctl record -q -f --alloc 4K -o "$work/data" -- $PYTHON "$LEAKS" buffers \
		2>>"$work/err"
	for format in folded speedscope pprof json csv html svg dhat perf; do
		memprofctl export -q -f -i "$work/data" --format $format -o "$work/$format" ||
			return
	done
	gunzip <"$work/pprof" >"$work/pprof.raw"
	for format in folded speedscope pprof.raw json csv html svg dhat; do
		grep -q 'py::Buffer.__init__' "$work/$format" || { echo "# $format"; return 1; }
	done
	grep 'py::<module>;.*py::main;py::buffers;.*py::Buffer.__init__' "$work/folded"
}

exports_have_languages()
{
	memprofctl record -q -f --alloc 4K -o "$work/data" -- $PYTHON "$LEAKS" buffers \
		2>"$work/err"
	tests/export/languages.py "$work/data" py:: Python
}

# forged VERSION: tests/programs/forged.c for a version of Python
make_forged()
{
	local version
	for version in 0x030b 0x030d 0x030e; do
		gcc -O1 -g -Wall -rdynamic -DVERSION=$version -o "$fix/forged-$version" \
			"$programs/forged.c" || return
	done
}

forged_interpreters_are_read()
{
	local version
	needs forged || return
	for version in 0x030b 0x030d; do
		[ "$(preload 1 "$fix/forged-$version" right 1 100)" = "done" ] &&
		memprofctl report -i "$work/region" --by callsite -n 0 >"$work/out" &&
		grep ' 100 .*py::right forged.py:9' "$work/out" && continue
		note "$work/out"
		return 1
	done
}

wrong_interpreters_do_no_harm()
{
	local version seed
	needs forged || return
	for version in 0x030b 0x030d; do
		for seed in 1 2 3 4 5; do
			[ "$(preload 1 "$fix/forged-$version" wrong $seed 20000)" = "done" ] &&
				continue
			echo "# version $version, seed $seed"
			return 1
		done
	done
	memprofctl report -i "$work/region" --by process -v >"$work/out" &&
	grep python_frames_lost "$work/out"
}

unknown_versions_are_counted()
{
	needs forged || return
	[ "$(preload 1 "$fix/forged-0x030e" right 1 100)" = "done" ] &&
	memprofctl report -i "$work/region" --by callsite -n 0 -v >"$work/out" &&
	grep ' 10[0-9]  *python_unknown' "$work/out" && ! grep py:: "$work/out" && return
	note "$work/out"
	return 1
}

check_unless "$no_python" "the line that leaks is the first callsite" leaks_are_on_top
check_unless "$no_python" "sums of all calls are those of tracemalloc" sums_are_exact
check_unless "$no_python" "estimates are those of tracemalloc" estimates_are_close
check_unless "${no_python:-$(memray_obstacle)}" "estimates are those of memray" memray_agrees
check_unless "$no_python" "stacks have the functions, in their order" \
	stacks_have_the_functions
check_unless "$no_python" "functions of Python, or of C, can be left out" one_kind_is_shown
check_unless "${no_python:-$obstacle}" "recordings have the names" recordings_have_names
check_unless "$no_injection" "running programs have the names" running_programs_have_names
check_unless "$no_python" "other allocators of Python are counted once" \
	other_allocators_count_once
check_unless "$no_python" "tracemalloc can begin and end" tracemalloc_is_no_obstacle
check_unless "$no_python" "children by fork, and threads" children_and_threads_have_names
check_unless "$no_python" "subinterpreters" subinterpreters_have_names
check_unless "${no_python:-$([ -n "$(libpython)" ] || echo "libpython is not installed")}" \
	"an interpreter that is opened late" late_interpreters_are_found
check_unless "$no_python" "strange names do no harm" strange_names_are_harmless
check_unless "$no_python" "a code object at the address of another one" \
	new_code_has_its_own_names
check_unless "${no_python:-$obstacle}" "exports have the names" exports_have_names
check_unless "${no_python:-${obstacle:-$(lacks protoc)}}" "exports have the language of each function" \
	exports_have_languages
check "a forged interpreter is read" forged_interpreters_are_read
check "a wrong interpreter does no harm" wrong_interpreters_do_no_harm
check "an unknown version is counted" unknown_versions_are_counted
plan
