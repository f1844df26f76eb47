#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host: the Python package, from its wheel, in a venv.
. "$(dirname "$0")/lib.sh"
LIB=$build/user/libmemprof/libmemprof.so
# another Python than the system's: one that has setuptools and wheel
PYTHON=${TEST_PYTHON:-/usr/bin/python3}
# other versions than that one, if there are any, load the same file
OTHERS=${TEST_OTHER_PYTHONS:-$(ls "$HOME"/.pyenv/versions/3.1[0-9]*/bin/python3 2>/dev/null)}
package=$top/tests/package
export PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0 PYTHONNOUSERSITE=1
unset PYTHONMALLOC PYTHONPATH PYTEST_ADDOPTS
KINDS="list cache threads tasks generator comprehension buffers resized"

make_wheel()
{
	make -s -C "$top" O="$build" PYTHON="$PYTHON" python_dir="$fix/python" python \
		>"$work/log" 2>&1 || {
		note "$work/log"
		return 1
	}
	cp "$fix"/python/dist/*.whl "$fix"
}

# The wheel in a venv, in which nothing else is installed
make_venv()
{
	needs wheel && "$PYTHON" -m venv --without-pip --system-site-packages "$fix/venv" &&
	"$fix/venv/bin/python" -m zipfile -e "$fix"/*.whl \
		"$(echo "$fix"/venv/lib/python3*/site-packages)"
}

make_extension()
{
	gcc -O2 -shared -fPIC $("$PYTHON" -c 'import sysconfig
print("-I" + sysconfig.get_path("include"))') \
		-o "$fix/leaking_extension.abi3.so" "$package/leaking_extension.c"
}

# python ARGUMENT...: the venv's, in $work; $place is the start of its command, if any
python()
{
	(cd "$work" && PYTHONPATH=$fix exec $place "$fix/venv/bin/python" "$@")
}
place=

# script NAME ARGUMENT...: a program of tests/package, which fails with a trace
script()
{
	needs venv || return
	python "$package/$1.py" "${@:2}" >"$work/out" 2>"$work/err" && return
	note "$work/out" "$work/err"
	return 1
}

wheel_is_for_all_versions()
{
	needs wheel || return
	python3 -m zipfile -l "$fix"/*.whl >"$work/list"
	case $(basename "$fix"/*.whl) in
	memprof-"$(<VERSION)"-cp310-abi3-linux_*.whl) ;;
	*)	ls "$fix" | note
		return 1 ;;
	esac
	grep -q memprof/py.typed "$work/list" && grep -q memprof/_memprof.pyi "$work/list" &&
	grep -q memprof/libmemprof.so.0 "$work/list"
}

others_load_it()
{
	local python site
	needs venv || return
	site=$(echo "$fix"/venv/lib/python3*/site-packages)
	for python in $OTHERS; do
		for name in lifecycle classes; do
			PYTHONPATH=$site "$python" "$package/$name.py" 2>"$work/err" &&
				continue
			echo "# $python $name.py:"
			note "$work/err"
			return 1
		done
	done
}

# What the C file has, and what the types say of it
stub_is_whole()
{
	needs venv && python -c '
import ast, memprof._memprof, sys
stub = ast.parse(open(memprof._memprof.__file__.replace(".abi3.so", ".pyi")).read())
declared = {n.name for n in stub.body if isinstance(n, ast.FunctionDef)}
defined = {n for n in dir(memprof._memprof) if not n.startswith("__")}
sys.exit(declared != defined and str(declared ^ defined))'
}

# is_leaking KIND RATE: its leaking line is the largest place; leaves its total in $total
is_leaking()
{
	script leaking "$1" "$2" && total=$(awk '$1 == "total" { print $2 }' "$work/out") &&
		[ -n "$total" ]
}

# same_total KIND RATE PER_MILLE: a run of the same program by tracemalloc has this total.
# Both have their arenas at the same addresses: Python takes another 128 KiB for the map of
# its arenas when one lies beyond a multiple of 16 GiB.
same_total()
{
	local ours place
	place=$(setarch -R true 2>/dev/null && echo setarch -R)
	is_leaking "$1" "$2" && ours=$total && script leaking "$1" traced &&
	total=$(awk '$1 == "total" { print $2 }' "$work/out") &&
	echo "# $1 every $2 bytes: $ours, tracemalloc $total" &&
	is_within $((total * $3 / 1000)) "$ours" "$total"
}

totals_are_exact()
{
	local kind
	for kind in $KINDS; do
		same_total $kind 1 5 || return
	done
}

totals_are_close()
{
	local kind
	for kind in $KINDS; do
		same_total $kind 256 30 || return
	done
}

extension_leaks_are_on_top()
{
	needs extension && is_leaking extension 1 && is_within 60000 "$total" 6000000 &&
	is_leaking extension 4096
}

numpy_leaks_are_on_top()
{
	same_total numpy 1 5 && same_total numpy 4096 100
}

formats_have_the_bytes()
{
	needs venv && mkdir "$work/formats" && script formats "$work/formats"
}

make_formats()
{
	needs venv && mkdir "$fix/formats" && script formats "$fix/formats"
}

pprof_opens_it()
{
	local pprof
	. scripts/cache
	pprof=$CACHE/tools/pprof
	needs formats && "$pprof" -top -unit b "$fix/formats/heap.pb.gz" >"$work/top" 2>&1 &&
	grep -qE '^ *60[0-9]+B .* put$' "$work/top" &&
	"$pprof" -top -unit count -sample_index=inuse_objects "$fix/formats/heap.pb.gz" \
		>"$work/objects" 2>&1 && grep -q ' put$' "$work/objects" && return
	note "$work/top" "$work/objects"
	return 1
}

joins_a_preloaded_one()
{
	needs venv &&
	(cd "$work" && LD_PRELOAD=$LIB MEMPROF_OUT=$work/region MEMPROF_RATE=4096 \
		"$fix/venv/bin/python" "$package/joining.py" preloaded >"$work/out" 2>&1) &&
	memprofctl report -i "$work/region" --by callsite >"$work/report" &&
	grep -q 'py::put.* joining.py:' "$work/report" && return
	note "$work/out" "$work/report"
	return 1
}

joins_an_injected_one()
{
	local pid
	needs venv && mkfifo "$work/in" || return
	(cd "$work" && exec "$fix/venv/bin/python" "$package/joining.py" injected \
		<"$work/in" >"$work/out" 2>&1) & pid=$!
	exec 8>"$work/in"
	wait_for '^[0-9]' "$work/out" &&
	memprofctl inject -q -p $pid --rate 4096 --out "$work/region" &&
	echo >&8 && end_of $pid && wait_for done "$work/out" && return
	note "$work/out"
	return 1
}

# memprofctl finds the package's sampler, and takes it out.
is_seen_from_outside()
{
	local pid
	needs venv && mkfifo "$work/in" && cat >"$work/waits.py" <<-'END'
	import memprof, sys
	memprof.start(4096)
	print("ready", flush=True)
	sys.stdin.readline()
	kept = [bytearray(1000) for i in range(4000)]
	try:
	    memprof.stop()
	except memprof.NotRunningError:
	    memprof.start(4096)
	    kept += [bytearray(1000) for i in range(4000)]
	    print(memprof.snapshot().estimated_heap_bytes > 3000000)
	END
	(cd "$work" && exec "$fix/venv/bin/python" waits.py <"$work/in" \
		>"$work/out" 2>&1) & pid=$!
	exec 8>"$work/in"
	wait_for ready "$work/out" &&
	complains 1 "is sampled already" memprofctl inject -q -p $pid &&
	memprofctl eject -q -p $pid && echo >&8 && end_of $pid && grep -qx True "$work/out"
}

# run ARGUMENT...: python -m memprof run; leaves its output in $work/out and err
run()
{
	python -m memprof run "$@" >"$work/out" 2>"$work/err"
}

write_program()
{
	cat >"$work/program.py" <<-'END'
	import sys
	kept = []
	def put():
	    kept.append(bytearray(12000000))
	put()
	print(sys.argv, __name__, __file__, sys.path[0], put.__module__)
	import __main__
	assert __main__.kept is kept
	if sys.argv[1:] == ["status"]:
	    sys.exit(3)
	if sys.argv[1:] == ["text"]:
	    sys.exit("some text")
	if sys.argv[1:] == ["raises"]:
	    raise KeyError("a key")
	END
}

runs_programs()
{
	needs venv && write_program || return
	run program.py a -o b &&
	[ "$(<"$work/out")" = "['program.py', 'a', '-o', 'b'] __main__ program.py $work __main__" ] &&
	# the program's own objects may be sampled, too
	grep -qE '^ *11\.4M +1  put program.py:4$' "$work/err" &&
	grep -qE 'at most 1[1-3]\.[0-9]M were in use at once$' "$work/err" ||
		{ note "$work/err"; return 1; }
	run program.py status
	[ $? = 3 ] || return
	run program.py text
	[ $? = 1 ] && grep -qx 'some text' "$work/err" || return
	run program.py raises
	[ $? = 1 ] && grep -q "KeyError: 'a key'" "$work/err" &&
		! grep -q 'memprof/' "$work/err" || return
	run -m program x && grep -q "^\['$work/program.py', 'x'\] __main__" "$work/out" &&
	run -n 0 --rate 64K -o heap.folded program.py && [ ! -s "$work/err" ] &&
	grep -q '^<module> program.py:5;put program.py:4 ' "$work/heap.folded"
}

run_names_what_is_wrong()
{
	needs venv && write_program || return
	run -o heap.xml program.py
	[ $? = 2 ] && grep -q 'heap.xml ends with none of' "$work/err" || return
	run --rate little program.py
	[ $? = 2 ] && grep -q "'little' is no size" "$work/err" || return
	run nothing.py
	[ $? = 2 ] && grep -q '^memprof: cannot read nothing.py: No such' "$work/err" || return
	run
	[ $? = 2 ] && grep -q 'which script?' "$work/err" || return
	echo 'x = (' >"$work/broken.py"
	run broken.py
	[ $? = 1 ] && grep -q 'SyntaxError' "$work/err" || return
	run -o no/folder/heap.json program.py
	[ $? = 1 ] && grep -q 'cannot write no/folder/heap.json' "$work/err"
}

attach_samples()
{
	local pid
	needs venv && cat >"$work/grows.py" <<-'END'
	import time
	print("ready", flush=True)
	kept = []
	while True:
	    kept.append(bytearray(20000))
	    time.sleep(0.001)
	END
	(cd "$work" && exec "$PYTHON" grows.py >"$work/ready") & pid=$!
	wait_for ready "$work/ready" &&
	python -m memprof attach $pid -d 1 --rate 8K -o kept.data >"$work/out" 2>"$work/err" &&
	grep -q 'py::<module> grows.py:5' "$work/out" && [ -s "$work/kept.data" ] &&
	complains 1 "is not sampled any more" memprofctl eject -q -p $pid && return
	note "$work/out" "$work/err"
	return 1
}

# It ends long before the time is over
attach_keeps_what_an_ended_process_did()
{
	local pid
	needs venv && cat >"$work/ends.py" <<-'END'
	import time
	print("ready", flush=True)
	time.sleep(1)
	kept = [bytearray(20000) for _ in range(300)]
	time.sleep(2)
	END
	(cd "$work" && exec "$PYTHON" ends.py >"$work/ready") & pid=$!
	wait_for ready "$work/ready" &&
	python -m memprof attach $pid -d 60 --rate 8K >"$work/out" 2>"$work/err" &&
	grep -q 'py::<listcomp> ends.py:4\|py::<module> ends.py:4' "$work/out" &&
	grep -q "process $pid has ended" "$work/err" && [ ! -e "/tmp/memprof.$pid" ] && return
	note "$work/out" "$work/err"
	return 1
}

attach_needs_memprofctl()
{
	needs venv || return
	(cd "$work" && complains 1 "attach needs memprofctl" \
		env PATH=/nonexistent "$fix/venv/bin/python" -m memprof attach 1)
}

processes() { script processes "$@"; }

isolated_interpreters()
{
	local python site
	needs venv || return
	site=$(echo "$fix"/venv/lib/python3*/site-packages)
	PYTHONPATH=$site "$newest" "$package/processes.py" own_gil >"$work/out" 2>"$work/err" &&
		return
	note "$work/out" "$work/err"
	return 1
}

# tests OPTION...: runs pytest in $work; prints its exit status
tests()
{
	python -m pytest -q -p no:cacheprovider --strict-markers "$@" >"$work/out" 2>&1
	echo $?
}

write_tests()
{
	cat >"$work/test_memory.py" <<-'END'
	import pytest
	kept = []
	@pytest.fixture
	def large():
	    return bytearray(30000000)
	@pytest.mark.limit_memory("4 MB")
	def test_small(large):
	    bytearray(2000000)
	    bytearray(2000000)
	    bytearray(2000000)
	@pytest.mark.limit_memory("4 MB")
	def test_two():
	    one = bytearray(3000000)
	    two = bytearray(3000000)
	@pytest.mark.limit_leaks("1 MB")
	def test_keeps():
	    kept.append([bytearray(1000) for i in range(2000)])
	@pytest.mark.limit_leaks("1 MB")
	def test_frees():
	    cycle = [bytearray(1000) for i in range(20000)]
	    cycle.append(cycle)
	@pytest.mark.limit_memory("1 KB")
	def test_wrong():
	    assert len(bytearray(3000000)) == 1
	def test_free():
	    bytearray(9000000)
	END
}

tests_have_limits()
{
	needs venv && write_tests && [ "$(tests)" = 1 ] &&
	grep -q '^3 failed, 3 passed' "$work/out" &&
	grep -q '^The test had 5.7M in use at once, more than its limit of 4.0M.$' "$work/out" &&
	grep -q '^After the test, 1 places have more in use than the limit of 1.0M' "$work/out" &&
	grep -qE '^ +(1.9|2.0|2.1|2.2)M  test_keeps.* test_memory.py:[0-9]+$' "$work/out" &&
	grep -q 'assert 3000000 == 1' "$work/out" &&
	! grep -q 'memory of tests' "$work/out" && [ "$(tests --memprof-rate 1)" = 1 ] &&
	grep -q '^3 failed, 3 passed' "$work/out" && return
	note "$work/out"
	return 1
}

tests_are_listed()
{
	needs venv && write_tests &&
	[ "$(tests --memprof --memprof-top 2 -k 'two or free and not frees')" = 1 ] &&
	grep -A 3 '^=* memory of tests =*$' "$work/out" | grep -A 2 PEAK >"$work/list" &&
	sed -n 2p "$work/list" | grep -qE '^ +(8.6M +){2}test_memory.py::test_free$' &&
	[ "$(grep -c '::' "$work/list")" = 2 ] && return
	note "$work/out"
	return 1
}

wrong_limits_end_the_run()
{
	needs venv && printf '%s\n' 'import pytest' '@pytest.mark.limit_memory("much")' \
		'def test_one():' '    pass' >"$work/test_one.py" && [ "$(tests)" = 4 ] &&
	grep -q "limit_memory: 'much' is no size" "$work/out" &&
	[ "$(tests --memprof-rate x)" = 4 ] && return
	note "$work/out"
	return 1
}

lacks_module() { "$PYTHON" -c "import $1" 2>/dev/null || echo "python3-$1 is not installed"; }

no_wheel=$("$PYTHON" -c 'import sysconfig, setuptools, wheel, os
assert os.path.exists(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null ||
	echo "python3-dev, python3-setuptools or python3-wheel is not installed")
known=$("$PYTHON" -c 'import sys; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 13)))' ||
	echo "the frames of this Python are not known")
newest=$(for p in "$PYTHON" $OTHERS; do
	"$p" -c 'import _interpreters' 2>/dev/null && echo "$p"
done | tail -n 1)
[ -n "$newest" ] || no_interpreters="there is no Python 3.13"

check_unless "$no_wheel" "a wheel for the stable ABI is built, with types" \
	wheel_is_for_all_versions
check_unless "$no_wheel" "the types name all functions of the extension" stub_is_whole
check_unless "$no_wheel" "classes have the fields and rules of the specification" \
	script classes
check_unless "$no_wheel" "states permit what they should" script lifecycle
check_unless "${no_wheel:-$([ -n "$OTHERS" ] || echo "there is no other Python")}" \
	"other versions of Python load the same file" others_load_it
check_unless "${no_wheel:-$known}" "samples have sizes, stacks and times" script samples
check_unless "${no_wheel:-$known}" "leaking lines are on top; totals are tracemalloc's" \
	totals_are_exact
check_unless "${no_wheel:-$known}" "estimates are close" totals_are_close
check_unless "${no_wheel:-$known}" "a leak in an extension is its caller's" \
	extension_leaks_are_on_top
check_unless "${no_wheel:-${known:-$(lacks_module numpy)}}" "buffers of numpy" \
	numpy_leaks_are_on_top
check_unless "${no_wheel:-$known}" "what is saved has the bytes, and escapes names" \
	formats_have_the_bytes
check_unless "${no_wheel:-$known}" "pprof opens it" pprof_opens_it
check_unless "${no_wheel:-$known}" "a preloaded library is joined" joins_a_preloaded_one
check_unless "${no_wheel:-${known:-$(injection_obstacle)}}" "an injected library is joined" \
	joins_an_injected_one
check_unless "${no_wheel:-${known:-$(injection_obstacle)}}" \
	"memprofctl knows the package's sampler" is_seen_from_outside
check_unless "$no_wheel" "children by fork" processes fork
check_unless "$no_wheel" "forks while threads start and stop it" processes fork_in_threads
check_unless "${no_wheel:-$known}" "snapshots while threads allocate" processes threads
check_unless "${no_wheel:-$known}" "tasks of asyncio" processes tasks
check_unless "${no_wheel:-${known:-$(lacks_module _testcapi)}}" "subinterpreters share it" \
	processes subinterpreters
check_unless "${no_wheel:-${no_interpreters:-}}" "an interpreter with its own lock" \
	isolated_interpreters
check_unless "$no_wheel" "the interpreter ends while it samples" processes at_exit
check_unless "${no_wheel:-$known}" "python -m memprof run" runs_programs
check_unless "$no_wheel" "run says what is wrong" run_names_what_is_wrong
check_unless "${no_wheel:-${known:-$(injection_obstacle)}}" "python -m memprof attach" \
	attach_samples
no_pytest=${no_wheel:-${known:-$(lacks_module pytest)}}
check_unless "$no_pytest" "tests of pytest have limits" tests_have_limits
check_unless "$no_pytest" "pytest lists tests by their peak" tests_are_listed
check_unless "$no_pytest" "a wrong limit ends the run" wrong_limits_end_the_run
check_unless "${no_wheel:-${known:-$(injection_obstacle)}}" "attach keeps what a process did that ended" \
	attach_keeps_what_an_ended_process_did
check_unless "$no_wheel" "attach says that it needs memprofctl" attach_needs_memprofctl
plan
