#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Debian's packages: built with what debian/control names, installed, upgraded, removed
# and purged in clean roots of RELEASE (bookworm or trixie). Only as root. It downloads
# about 500 MB.
. "$(dirname "$0")/lib.sh"
. scripts/cache
release=${RELEASE:-bookworm}
base=$CACHE/root-$release
version=$(cat VERSION)
export DEBIAN_FRONTEND=noninteractive LC_ALL=C

# The clean root is made once, and is never written to again.
make_base()
{
	local list
	[ ! -e "$base/complete" ] || return 0
	rm -rf "$base"
	debootstrap --variant=minbase "$release" "$base" >"$work/log" 2>&1 &&
	# the lists of packages are this machine's
	for list in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
		[ ! -e "$list" ] || sed "s/bookworm/$release/g" "$list" >"$base$list"
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

make_packages()
{
	needs base && root "$fix/build" &&
	mkdir "$work/root/src" &&
	tar -c --exclude=./build --exclude=./.git . | tar -xC "$work/root/src" &&
	in_root apt-get -qq update &&
	in_root apt-get -qq install -y --no-install-recommends make lintian &&
	in_root apt-get -qq build-dep -y --no-install-recommends /src &&
	in_root make -C /src O=/src/build deb &&
	mkdir "$fix/debs" &&
	cp "$work"/root/src/build/deb/*.deb "$fix/debs" &&
	rm -f "$fix"/debs/*-dbgsym_*
}

# What packages of memprof put into the root, or made there.
leftovers()
{
	(cd "$work/root" && find etc usr var/lib lib/modules -name '*memprof*' \
		! -path 'var/lib/dpkg/*' ! -path 'var/lib/apt/*' | sort)
}

make_installed()
{
	needs packages && root "$fix/installed" &&
	mkdir "$work/root/debs" && cp "$fix"/debs/*.deb "$work/root/debs" &&
	in_root apt-get -qq update &&
	in_root sh -c 'apt-get -qq install -y --no-install-recommends \
		linux-headers-amd64 pkg-config gcc libc6-dev procps /debs/*.deb'
}

# A root with the packages installed, for one check.
installed()
{
	needs installed && root "$work/upper" "$fix/installed"
}

lintian_is_silent()
{
	needs packages && root "$work/upper" "$fix/build" &&
	in_root sh -c 'lintian --allow-root --fail-on error,warning \
		-L ">=warning" /src/build/deb/*.changes' &&
	[ ! -s "$work/log" ] && return
	note "$work/log"
	return 1
}

module_is_built()
{
	installed &&
	in_root sh -c 'ls /lib/modules/*/updates/dkms/memprof.ko*' &&
	in_root sh -c 'dkms status memprof | grep installed' &&
	in_root getent group memprof &&
	in_root test -e /usr/lib/modules-load.d/memprof.conf
}

works()
{
	installed &&
	in_root memprofctl --version &&
	in_root memprofctl record --preload -q -o /tmp/data -- ls -lR /usr/share &&
	in_root memprofctl report -i /tmp/data --by callsite &&
	in_root sh -c 'echo "#include <memprof/memprof.h>
		int main(void) { memprof_mark(); return 0; }" >/tmp/a.c &&
		gcc /tmp/a.c $(pkg-config --cflags --libs libmemprof) -o /tmp/a &&
		/tmp/a && ldd /tmp/a | grep libmemprof.so.0'
}

# The same packages with a later version.
upgrades()
{
	installed &&
	in_root sh -ec "
		cd /debs
		mkdir new
		for d in *.deb; do
			dpkg-deb -R \$d x
			find x/DEBIAN -type f ! -name md5sums -exec \
				sed -i 's/$version/$version.1/g' {} +
			if [ -e x/usr/src ]; then
				mv x/usr/src/memprof-$version x/usr/src/memprof-$version.1
				sed -i 's/$version/$version.1/' x/usr/src/*/dkms.conf
			fi
			dpkg-deb -b x new/\$d
			rm -rf x
		done
		dpkg -i new/*.deb" &&
	in_root sh -c "dkms status memprof; [ \"\$(dkms status memprof | wc -l)\" = 1 ] &&
		dkms status memprof | grep '$version.1.*installed'" &&
	in_root memprofctl --version
}

purges()
{
	installed &&
	in_root apt-get -qq purge -y memprof memprof-dkms libmemprof0 libmemprof-dev &&
	in_root sh -c '! command -v memprofctl' || return
	[ -z "$(leftovers)" ] && return
	leftovers | note
	return 1
}

obstacle=
[ "$(id -u)" = 0 ] || obstacle="only root can make roots of other systems"
command -v debootstrap >/dev/null || obstacle="there is no debootstrap"
check_unless "$obstacle" "packages are built with what debian/control names" needs packages
check_unless "$obstacle" "lintian finds nothing to warn of" lintian_is_silent
check_unless "$obstacle" "packages are installed into a clean root" needs installed
check_unless "$obstacle" "DKMS has built the module; boots load it" module_is_built
check_unless "$obstacle" "what was installed records; programs are built with it" works
check_unless "$obstacle" "a later version replaces them" upgrades
check_unless "$obstacle" "a purge leaves nothing" purges
plan
