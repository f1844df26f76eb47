#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Programs in containers, which have their own mount and process namespaces.
# Their C library is at no path that memprofctl could open, or several
# containers use one file.
. "$(dirname "$0")/../lib.sh"
. "$top/tests/guest/stopped.sh"
out=$build/tests/guest
n=500
# the same numbers as in t_allocators.sh
blocks="$((n + 1)) $((n * 136 + 8)) $((n / 2)) $((n * 136 + 8))"
left="$((n / 2 + 1)) $((n * 72 + 8))"

# prepare: makes a folder for layers and roots. A layer of an overlay cannot be
# on the guest's root, which is an overlay itself.
prepare()
{
	boxes=$work/boxes
	mkdir "$boxes" && mount -t tmpfs t_container "$boxes" &&
	mkdir "$boxes/root" || return
	at_end 'umount "$boxes"'
	export boxes out
}

# fill DIR: makes a root in which the C library is at an unusual path
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

# Makes a root on its own file system, which is mounted only in the container.
own_root()
{
	mount -t tmpfs tmpfs "$boxes/root" && fill "$boxes/root"
}

# lower_root NAME: makes an overlay with its own upper layer on a common lower
# layer
lower_root()
{
	mkdir -p "$boxes/$1/upper" "$boxes/$1/work" &&
	mount -t overlay -o "lowerdir=$boxes/lower,upperdir=$boxes/$1/upper" \
		-o "workdir=$boxes/$1/work" overlay "$boxes/root"
}

# The same, but the C library is copied up to the upper layer.
changed_root()
{
	lower_root "$1" && touch "$boxes/root/inside/libc.so.6"
}
export -f fill own_root lower_root changed_root

# contain NAME ROOT [WORD]: runs blocks with the name NAME in a container, whose
# root is made by the function ROOT; sets pid to the program's
contain()
{
	# the program is not the first process, because that one cannot be
	# stopped
	unshare --mount --pid --fork --propagation private bash -c '
		"$2" "$1" && ln -s blocks "$boxes/root/$1" &&
		cd "$boxes/root" && pivot_root . old &&
		exec /busybox sh -c "/busybox umount -l /old
			LD_LIBRARY_PATH=/inside /$1 $3 $4; :"
		' contain "$1" "$2" $n ${3:+"$3"} &
	wait_until has_begun "$1" $! && pid=$(pgrep -x "$1")
}

# has_begun NAME PID: whether the program runs, or its starter PID has exited
has_begun()
{
	pgrep -x "$1" >/dev/null || has_ended "$2"
}

is_apart()
{
	[ ! -e /inside ] && [ ! -e "$boxes/root/inside" ] &&
	[ -e "/proc/$pid/root/inside/libc.so.6" ] &&
	[ -z "$(ls -A "/proc/$pid/root/old")" ]
}

# nr_points: prints the number of probe points in a C library
nr_points()
{
	memprofctl list --json "$boxes/lower/inside/libc.so.6" | head -n 1 |
		rows list points | grep -o '"function":' | wc -l
}

follow()
{
	memprofctl start "$@" --alloc exact --faults off -q
}

# go_on FILE PID...: continues the processes to their next stop, then writes
# numbers to FILE
go_on()
{
	kill -CONT "${@:2}"
	each_stop "${@:2}" || return
	numbers >"$1"
}

# end_of_all FILE PID...: continues the processes to their end, then writes
# numbers
end_of_all()
{
	kill -CONT "${@:2}"
	wait
	numbers >"$1"
}

# A program in a root of its own, selected by its process id; keeps list, report
# and numbers.
make_own()
{
	prepare && contain box-own own_root stop && each_stop $pid && is_apart ||
		return
	memprofctl list -p $pid >"$fix/list"
	follow -p $pid && go_on "$fix/stopped" $pid || return
	memprofctl report --by callsite -n 0 >"$fix/sites"
	end_of_all "$fix/ended" $pid
	memprofctl stop -q
}

list_finds_it()
{
	needs own &&
	grep -A 20 "^/inside/libc.so.6" "$fix/list" | grep -q "^  malloc "
}

own_is_exact()
{
	needs own && said "$fix/stopped" "box-own $blocks $left 0 0" &&
	said "$fix/ended" "box-own $blocks 0 0 0 0"
}

callsites_have_names()
{
	needs own &&
	[ "$(grep -c "box-own  main blocks$" "$fix/sites")" = 1 ]
}

file_system_may_go()
{
	needs own && ! dmesg | grep "Busy inodes"
}

# without a word, blocks sleeps instead of stopping itself
late_is_exact()
{
	prepare && follow --comm box-late && contain box-late own_root || return
	wait
	numbers >"$work/late"
	said "$work/late" "box-late $blocks 0 0 0 0"
}

library=inside/libc.so.6
# of_library PID FORMAT: prints stat's FORMAT for the C library in a container
of_library() { stat -Lc "$2" "/proc/$1/root/$library"; }

# Three containers: two use one C library under two device numbers, the third
# uses a copy. Also keeps the numbers of a session with one of the containers
# only.
make_layers()
{
	local box pids=()
	prepare && fill "$boxes/lower" || return
	for box in a b c; do
		contain box-$box $([ $box = c ] && echo changed_root ||
				   echo lower_root) stop || return
		pids+=($pid)
	done
	each_stop "${pids[@]}" &&
	[ "$(of_library ${pids[0]} %i)" = "$(of_library ${pids[1]} %i)" ] &&
	[ "$(of_library ${pids[0]} %d)" != "$(of_library ${pids[1]} %d)" ] &&
	[ -e "$boxes/box-c/upper/$library" ] || return
	nr_points >"$fix/points"
	follow --comm box-a && numbers >"$fix/layers-one" &&
	memprofctl stop -q &&
	follow --comm box-a --comm box-b --comm box-c &&
	go_on "$fix/layers-stopped" "${pids[@]}" || return
	end_of_all "$fix/layers-ended" "${pids[@]}"
	memprofctl stop -q
}

layer_is_exact()
{
	needs layers && said "$fix/layers-stopped" "$1 $blocks $left 0 0" &&
	said "$fix/layers-ended" "$1 $blocks 0 0 0 0"
}

one_set_of_probes()
{
	needs layers || return
	local one
	one=$(sed -n 's/^probes //p' "$fix/layers-one")
	said "$fix/layers-ended" "probes $((one + $(<"$fix/points")))"
}

nothing_is_odd()
{
	needs own layers && ! grep ^odd "$fix"/*ended
}

# A restart removes the cgroup of a service and makes a new one with the same
# path, which -G must follow.
restarts_are_followed()
{
	local svc=/sys/fs/cgroup/t_container_svc pid
	mkdir "$svc" || return
	at_end "rmdir $svc"
	memprofctl start -G /t_container_svc --alloc 64K -q || return
	at_end 'memprofctl stop -q'
	sh -c "echo \$\$ >$svc/cgroup.procs; exec true"
	until rmdir "$svc" 2>/dev/null; do
		sleep 0.1
	done
	mkdir "$svc" || return
	sh -c "echo \$\$ >$svc/cgroup.procs
		exec python3 -c 'import time; x = b\"x\" * (50 << 20); time.sleep(300)'" &
	pid=$!
	at_end "kill -9 $pid; wait $pid 2>/dev/null"
	until memprofctl report --json | rows holds \
		"resident_space > 50 * MIB" where pid=$pid; do
		[ -e /proc/$pid ] && sleep 0.2 || return
	done
	memprofctl report --json --by cgroup >"$work/json" &&
	rows holds "cgroup_current_space > 50 * MIB and resident_space > 50 * MIB and inuse_space > 40 * MIB" \
		where cgroup=/t_container_svc processes=1 <"$work/json" &&
	rows holds "removed and not cgroup_current_space" \
		where cgroup=/t_container_svc processes=0 <"$work/json" &&
	memprofctl report --by cgroup | grep -q 't_container_svc \[removed\]' &&
	memprofctl status | grep -q '[0-9] of 1048576 blocks'
}

check "list finds the allocator of a container" list_finds_it
check "-p: a contained program's allocations are exact, and its end is" \
	own_is_exact
check "callsites of a contained program have their names" callsites_have_names
check "a container's file system may go while its C library is probed" \
	file_system_may_go
check "--comm: a container that starts later is found, and exact" late_is_exact
for box in box-a box-b box-c; do
	check "$box: its allocations are exact, and its end is" \
		layer_is_exact $box
done
check "the library of two containers has one set of probes" one_set_of_probes
check "a service whose cgroup is made anew stays the target" restarts_are_followed
check "no call was left open or lost" nothing_is_odd
plan
