# SPDX-License-Identifier: GPL-2.0-only
# For suites of processes that sample themselves: a program, its region, and its stacks.
# lib.sh is read before.
LIB=$build/user/libmemprof/libmemprof.so

make_tree()
{
	gcc -O2 -g -o "$fix/tree" $programs/tree.c
}

# stacks FILE: "ALLOCS BYTES LIVE: FUNCTION < FUNCTION < FUNCTION"
stacks()
{
	report -i "$1" --by callsite --stack | rows stacks
}

# run COMMAND...: in the background, with the library; its region is region()
run()
{
	# no "ready" of an earlier one
	: >"$work/out"
	LD_PRELOAD=$LIB MEMPROF_OUT=$work/region.%p MEMPROF_RATE=1 "$@" <&0 \
		>"$work/out" & pid=$!
}

region() { echo "$work/region.$pid"; }

ready()
{
	wait_for ready "$work/out"
}
