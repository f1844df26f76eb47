# SPDX-License-Identifier: GPL-2.0-only
# Recordings of the perf source in which each call is an event, and a program for them.

recorder=(memprofctl record -q -f --source perf --alloc exact --faults 1)
record()
{
	"${recorder[@]}" "$@"
}

# its three seconds are for who looks for it
make_blocks()
{
	sed 's/sleep(3)/usleep(3)/' tests/guest/programs/blocks.c |
		gcc -O1 -g -fno-omit-frame-pointer -x c -o "$fix/blocks" -
}
