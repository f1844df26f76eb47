#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host: CPython's own tests end the same with libmemprof in the interpreter, and in
# the programs that it starts, as without. They take 12 minutes, so only `scripts/check more`
# runs them. A test that fails on this machine has to fail in the same way with the library.
. "$(dirname "$0")/lib.sh"
LIB=$build/user/libmemprof/libmemprof.so
PYTHON=${TEST_PYTHON:-/usr/bin/python3}
MODULES="test_gc test_fork1 test_mmap test_threading test_subprocess test_signal
	test_faulthandler test_io test_ctypes test_capi test_asyncio"

# run_tests MODULE KIND COMMAND...: into the folder $work/KIND
run_tests()
{
	mkdir "$work/$2" && cd "$work/$2" &&
	timeout 1200 "${@:3}" "$PYTHON" -m test --junit-xml "$work/$2/results" "$1" \
		>"$work/$2/log" 2>&1
	echo $? >"$work/$2/status"
}

# results KIND: "TEST: what it ended with", and the exit status
results()
{
	"$PYTHON" - "$work/$1/results" <<-'END' && cat "$work/$1/status"
	import sys
	import xml.etree.ElementTree as tree
	for case in sorted(tree.parse(sys.argv[1]).iter("testcase"),
	                   key=lambda case: case.get("name")):
	    ends = [part.tag for part in case if part.tag in ("error", "failure", "skipped")]
	    print(case.get("name"), ends or "ok")
	END
}

ends_the_same()
{
	local regions
	mkdir "$work/regions"
	run_tests "$1" without env
	run_tests "$1" with env LD_PRELOAD="$LIB" MEMPROF_RATE=64K \
		MEMPROF_OUT="$work/regions/%p"
	regions=$(ls "$work/regions" | wc -l)
	results without >"$work/expected" && results with >"$work/found" || return
	diff "$work/expected" "$work/found" >"$work/differ"
	note "$work/differ"
	echo "# $(($(wc -l <"$work/found") - 1)) tests, $regions processes were sampled"
	[ ! -s "$work/differ" ] && [ "$regions" -gt 0 ]
}

missing() { "$PYTHON" -c "import test.$1" 2>/dev/null || echo "Python has no test.$1"; }

for module in $MODULES; do
	check_unless "$(missing $module)" "$module ends the same with libmemprof" \
		ends_the_same $module
done
plan
