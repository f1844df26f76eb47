# SPDX-License-Identifier: GPL-2.0-only
# Suites that need the root of a clean Debian source this file, after lib.sh:
#
#	release=trixie
#	. tests/roots.sh
#	check_unless "$(root_obstacle)" NAME COMMAND...
#
# The fixture base makes the clean root in the cache. root() shows it below $work/root,
# where a check or a fixture may write; only root can do that. The fixture packages has
# the packages that this tree makes there in $fix/debs, and their folder in $fix/build.
. scripts/cache
base=$CACHE/root-$release
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

# root_obstacle: prints why roots of other systems cannot be made, or nothing
root_obstacle()
{
	if [ "$(id -u)" != 0 ]; then
		echo "only root can make roots of other systems"
	elif ! command -v debootstrap >/dev/null; then
		echo "there is no debootstrap"
	fi
}

# The clean root is made once, and is never written to again.
make_base()
{
	local list own
	[ ! -e "$base/complete" ] || return 0
	own=$(. /etc/os-release; echo "$VERSION_CODENAME")
	mkdir -p "$CACHE"
	rm -rf "$base"
	debootstrap --variant=minbase "$release" "$base" >"$work/log" 2>&1 &&
	# the lists of packages are this machine's
	rm -f "$base/etc/apt/sources.list" &&
	for list in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
		[ ! -e "$list" ] || sed "s/$own/$release/g" "$list" >"$base$list"
	done &&
	touch "$base/complete" && return
	tail -n 20 "$work/log" | note
	return 1
}

# root UPPER LOWER...: $work/root shows LOWER on top of the clean root, and writes to
# UPPER
root()
{
	local lower=$base l upper=$1
	shift
	for l; do
		lower=$l:$lower
	done
	mkdir -p "$upper" "$upper.work" "$work/root"
	mount -t overlay overlay "$work/root" -o \
		"lowerdir=$lower,upperdir=$upper,workdir=$upper.work" || return
	at_end "umount -l $work/root; rm -rf $upper.work"
	mount -t proc proc "$work/root/proc" || return
	at_end "umount -l $work/root/proc"
	mount -t tmpfs tmpfs "$work/root/tmp" || return
	at_end "umount -l $work/root/tmp"
	cp /etc/resolv.conf "$work/root/etc/"
}

# in_root COMMAND...
in_root()
{
	chroot "$work/root" "$@" >"$work/log" 2>&1 </dev/null && return
	tail -n 40 "$work/log" | note
	return 1
}

# copy_sources: copies this tree to the root, below /src
copy_sources()
{
	mkdir "$work/root/src" &&
	tar -c --exclude=./build --exclude=./.git . | tar -xC "$work/root/src"
}

make_packages()
{
	needs base && root "$fix/build" &&
	copy_sources &&
	in_root apt-get -qq update &&
	in_root apt-get -qq install -y --no-install-recommends make lintian &&
	in_root apt-get -qq build-dep -y --no-install-recommends /src &&
	in_root make -C /src O=/src/build deb &&
	mkdir "$fix/debs" &&
	cp "$work"/root/src/build/deb/*.deb "$fix/debs" &&
	rm -f "$fix"/debs/*-dbgsym_*
}

# enter FOLDER COMMAND...: runs COMMAND in /src of another root, which sees this machine's
# devices, cgroups and trace events; the mounts end with it
enter()
{
	unshare -m sh -c 'mount --bind "$1" "$1" && cd "$1" && shift &&
		mount -t proc proc proc && mount -t sysfs sysfs sys &&
		mount --rbind /dev dev && mount --rbind /sys/fs/cgroup sys/fs/cgroup &&
		mount -t tracefs tracefs sys/kernel/tracing &&
		mount -t tmpfs tmpfs tmp && cp /etc/resolv.conf etc &&
		pivot_root . mnt && umount -l mnt && cd /src &&
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb \
			LC_ALL=C.UTF-8 "$@"' \
		sh "$@" >"$work/log" 2>&1 </dev/null && return
	tail -n 40 "$work/log" | note
	return 1
}
