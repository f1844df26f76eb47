#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The packages of distributions that have no Debian packages: rpmbuild and makepkg, which
# Debian has, make them of packaging/ in a clean root. Only as root. It downloads about
# 500 MB.
. "$(dirname "$0")/lib.sh"
release=${RELEASE:-trixie}
. tests/roots.sh
version=$(cat VERSION)

make_tools()
{
	needs base && root "$fix/tools" && copy_sources &&
	in_root apt-get -qq update &&
	in_root apt-get -qq install -y --no-install-recommends make git rpm rpmlint \
		rpm2cpio cpio makepkg pacman-package-manager libarchive-tools zstd \
		fakeroot xz-utils linux-perf &&
	in_root apt-get -qq build-dep -y --no-install-recommends /src &&
	# what is packed is this tree, committed or not
	in_root sh -ec 'cd /src && git init -q && git add -A &&
		git -c user.name=test -c user.email=test@example.org commit -qm tree &&
		make dist' &&
	in_root /src/scripts/libperf /usr/src/linux-source-6.12.tar.xz /libperf
}

make_rpms()
{
	needs tools && root "$fix/rpms" "$fix/tools" &&
	in_root rpmbuild -ba --nodeps --define '_sourcedir /src/build' \
		--define '_topdir /rpmbuild' --define 'libperf /libperf' \
		/src/packaging/memprof.spec
}

# makepkg refuses to run as root
make_pacman()
{
	needs tools && root "$fix/pacman" "$fix/tools" &&
	in_root sh -ec "mkdir -p /pacman /var/lib/pacman && cd /pacman
		cp /src/packaging/PKGBUILD /src/build/memprof-$version.tar.gz .
		cp /usr/src/linux-source-6.12.tar.xz linux-6.12.tar.xz
		cat /etc/makepkg.conf - >conf <<-'END'
			OPTIONS=(!strip docs zipman staticlibs !lto)
		END
		useradd -M builder && chown -R builder ." &&
	in_root su builder -s /bin/bash -c 'cd /pacman &&
		makepkg --nodeps --skipchecksums --config /pacman/conf'
}

same_version()
{
	local of
	for of in "$(sed -n 's/^Version: *//p' packaging/memprof.spec)" \
		"$(sed -n 's/^pkgver=//p' packaging/PKGBUILD)"; do
		[ "$of" = "$version" ] && continue
		echo "# VERSION is $version, but a package has $of"
		return 1
	done
}

# is_whole FOLDER SETTINGS: whether the packages hold what make install and make dkms_install put
# below a folder, and nothing else. What packers add, or compress, is left out.
is_whole()
{
	in_root sh -ec "mkdir /whole && cd /src &&
		make -s install install_service dkms_install DESTDIR=/whole $2 LIBPERF=/libperf \
			KDIR=/nonexistent PREFIX=/usr &&
		cd /whole && find . ! -type d | sed 's,\\(/man/.*\\.[17]\\)\$,\\1.gz,' | sort >/tmp/want &&
		cd $1 && find . ! -type d ! -name '.[A-Z]*' |
			grep -vE '/usr/(share/(doc|licenses)|lib/(debug|\\.build-id)|src/debug)/' |
			sort >/tmp/have &&
		diff /tmp/want /tmp/have"
}

rpms_are_whole()
{
	needs rpms && root "$work/upper" "$fix/tools" "$fix/rpms" &&
	in_root sh -ec 'mkdir /unpacked && cd /unpacked
		for p in /rpmbuild/RPMS/*/*.rpm; do
			case $p in *debug*) continue ;; esac
			rpm2cpio $p | cpio -idm --quiet
		done' &&
	is_whole /unpacked "PERF_CORE=/usr/libexec/perf-core \
		LIBDIR=$(rpm_libdir)"
}

rpm_libdir()
{
	chroot "$work/root" rpm --eval %_libdir
}

rpmlint_is_silent()
{
	needs rpms && root "$work/upper" "$fix/tools" "$fix/rpms" &&
	in_root rpmlint --strict --config /src/packaging/rpmlint.toml \
		/src/packaging/memprof.spec
}

pacman_is_whole()
{
	needs pacman && root "$work/upper" "$fix/tools" "$fix/pacman" &&
	in_root sh -ec 'mkdir /unpacked
		for p in /pacman/*.pkg.tar.gz; do
			tar -xf $p -C /unpacked
		done' &&
	is_whole /unpacked "PERF_CORE=/usr/lib/perf LIBEXECDIR=/usr/lib"
}

# As Ubuntu packs them
libperf_of_other_tarballs()
{
	needs tools && root "$work/upper" "$fix/tools" &&
	in_root sh -ec 'cd /tmp
		tar -xf /usr/src/linux-source-6.12.tar.xz --wildcards "*/tools/*"
		tar -cjf sources.tar.bz2 linux-source-6.12
		/src/scripts/libperf sources.tar.bz2 libperf
		diff -r /libperf/include libperf/include
		ls -l libperf/lib/libperf.a libperf/lib/libapi.a'
}

# The program of a package finds the library of the same package.
rpm_works()
{
	needs rpms && root "$work/upper" "$fix/tools" "$fix/rpms" &&
	in_root sh -ec 'cd /
		for p in /rpmbuild/RPMS/x86_64/*memprof-0*.rpm; do
			rpm2cpio $p | cpio -idmu --quiet
		done
		memprofctl record --preload -q -o /tmp/data -- ls -lR /usr/share >/dev/null
		memprofctl report -i /tmp/data --by callsite'
}

check "packages have the version of this tree" same_version
obstacle=$(root_obstacle)
check_unless "$obstacle" "libperf is built of sources in another tarball" \
	libperf_of_other_tarballs
check_unless "$obstacle" "rpmbuild makes packages of make dist's tarball" needs rpms
check_unless "$obstacle" "rpmlint finds nothing to complain of in the spec" rpmlint_is_silent
check_unless "$obstacle" "rpms hold what make install makes" rpms_are_whole
check_unless "$obstacle" "what an rpm installs records" rpm_works
check_unless "$obstacle" "makepkg makes packages for Arch" needs pacman
check_unless "$obstacle" "they hold what make install makes" pacman_is_whole
plan
