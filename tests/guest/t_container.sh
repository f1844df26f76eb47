#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Programs in containers, which have mount and process namespaces of their own:
# their C library is at no path that memprofctl could open, or is one file in
# several containers.
cd "$(dirname "$0")" || exit 1
. ./tap.sh
. ./stopped.sh
out=$(realpath "${O:-../../build}/tests/guest")
work=$(mktemp -d)
n=500
# as in t_allocators.sh
blocks="$((n + 1)) $((n * 136 + 8)) $((n / 2)) $((n * 136 + 8))"
left="$((n / 2 + 1)) $((n * 72 + 8))"

# An overlay's own layer cannot lie on the guest's root, which is an overlay.
mount -t tmpfs t_container "$work"
mkdir "$work/root"

# fill DIR: a root whose program finds its C library where no machine has one
fill()
{
	local dir=$1 loader library
	loader=$(ldd "$out/blocks-c" | grep -o '/[^ ]*/ld-linux[^ ]*')
	library=$(ldd "$out/blocks-c" | sed -n 's/.*libc.so.6 => \([^ ]*\).*/\1/p')
	mkdir -p "$dir/inside" "$dir/old" "$dir$(dirname "$loader")" &&
	cp "$(command -v busybox)" "$dir/busybox" &&
	cp "$out/blocks-c" "$dir/blocks" &&
	cp -L "$library" "$dir/inside/libc.so.6" &&
	cp -L "$loader" "$dir$loader"
}

# A root that is mounted nowhere else.
own_root()
{
	mount -t tmpfs tmpfs "$work/root" && fill "$work/root"
}

# lower_root NAME: a layer of its own over one that all share
lower_root()
{
	mkdir -p "$work/$1/upper" "$work/$1/work" &&
	mount -t overlay -o "lowerdir=$work/lower,upperdir=$work/$1/upper" \
		-o "workdir=$work/$1/work" overlay "$work/root"
}

# And its C library copied up.
changed_root()
{
	lower_root "$1" && touch "$work/root/inside/libc.so.6"
}
export work out
export -f fill own_root lower_root changed_root

# contain NAME ROOT [WORD]: runs blocks under that name in a container, with the
# root that the function ROOT makes there; sets pid, of the program
contain()
{
	# the program is not the first process there, which nothing stops
	unshare --mount --pid --fork --propagation private bash -c '
		"$2" "$1" && ln -s blocks "$work/root/$1" &&
		cd "$work/root" && pivot_root . old &&
		exec /busybox sh -c "/busybox umount -l /old
			LD_LIBRARY_PATH=/inside /$1 $3 $4; :"
		' contain "$1" "$2" $n ${3:+"$3"} &
	until pid=$(pgrep -x "$1"); do
		kill -0 $! 2>/dev/null || return 1
		sleep 0.2
	done
}

is_apart()
{
	[ ! -e /inside ] && [ ! -e "$work/root/inside" ] &&
	[ -e "/proc/$pid/root/inside/libc.so.6" ] &&
	[ -z "$(ls -A "/proc/$pid/root/old")" ]
}

# nr_points: what can be probed of a C library
nr_points()
{
	memprofctl list --json "$work/lower/inside/libc.so.6" |
		python3 -S -c 'import json, sys
print(len(json.loads(sys.stdin.readline())["points"]))'
}

follow()
{
	memprofctl start "$@" --alloc exact --faults off -q
}

contain box-own own_root stop
check "a container comes up" each_stop $pid
check "its C library is to be found in it only" is_apart
check "list finds the allocator there" eval \
	'memprofctl list -p $pid | grep -A 20 "^/inside/libc.so.6" | grep -q "^  malloc "'
follow -p $pid
kill -CONT $pid
each_stop $pid
numbers >"$work/stopped"
memprofctl report --by callsite -n 0 >"$work/sites"
kill -CONT $pid
wait
numbers >"$work/ended"
memprofctl stop -q
check "-p: a contained program's allocations are exact" \
	said "$work/stopped" "box-own $blocks $left 0 0"
check "-p: and so is its end" said "$work/ended" "box-own $blocks 0 0 0 0"
check "its callsites have their names" \
	eval '[ "$(grep -c "box-own  main+0x.* blocks+0x" "$work/sites")" = 2 ]'
check "its file system may go while its C library is probed" \
	eval '! dmesg | grep "Busy inodes"'

# sleeps instead of stopping
follow --comm box-late
contain box-late own_root
wait
numbers >"$work/late"
memprofctl stop -q
check "--comm: a container that starts later is found, and exact" \
	said "$work/late" "box-late $blocks 0 0 0 0"

fill "$work/lower"
pids=()
for box in a b c; do
	contain box-$box $([ $box = c ] && echo changed_root || echo lower_root) \
		stop
	pids+=($pid)
done
library=inside/libc.so.6
inode() { stat -Lc %i "/proc/$1/root/$library"; }
check "containers on one layer come up" each_stop "${pids[@]}"
check "two of them have one C library, under two devices; the third its own" eval '
	[ "$(inode ${pids[0]})" = "$(inode ${pids[1]})" ] &&
	[ "$(stat -Lc %d /proc/${pids[0]}/root/$library)" != \
	  "$(stat -Lc %d /proc/${pids[1]}/root/$library)" ] &&
	[ -e "$work/box-c/upper/$library" ]'
follow --comm box-a
numbers >"$work/one"
memprofctl stop -q
follow --comm box-a --comm box-b --comm box-c
kill -CONT "${pids[@]}"
each_stop "${pids[@]}"
numbers >"$work/stopped"
kill -CONT "${pids[@]}"
wait
numbers >"$work/ended"
memprofctl stop -q
for box in box-a box-b box-c; do
	check "$box: its allocations are exact, and its end is" eval '
		said "$work/stopped" "$box $blocks $left 0 0" &&
		said "$work/ended" "$box $blocks 0 0 0 0"'
done
one=$(sed -n 's/^probes //p' "$work/one")
check "the library of two containers has one set of probes" \
	said "$work/ended" "probes $((one + $(nr_points)))"
check "no call was left open or lost" eval '! grep ^odd "$work"/*ed'
umount "$work"
rmdir "$work"
plan
