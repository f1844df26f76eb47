#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Debian's packages: built with what debian/control names, installed, upgraded, removed
# and purged in clean roots of RELEASE (bookworm or trixie). Only as root. It downloads
# about 500 MB.
. "$(dirname "$0")/lib.sh"
release=${RELEASE:-bookworm}
. tests/roots.sh
version=$(cat VERSION)

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

# The agent runs when the administrator says so.
has_the_agents_unit()
{
	installed &&
	in_root sh -ec 'unit=$(ls /lib/systemd/system/memprof.service)
		grep "^ExecStart=/usr/bin/memprofctl agent$" $unit
		! ls /etc/systemd/system/*/memprof.service
		memprofctl agent --check-config
		dpkg-query -W -f "\${Conffiles}" memprof | grep /etc/memprof/agent.conf'
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

# The package of Python uses the library that is installed, also a preloaded one.
python_is_sampled()
{
	installed &&
	in_root sh -ec 'cat >/tmp/a.py <<-END
		import memprof
		with memprof.profile(sampling_rate=1024) as p:
		    kept = [bytes(1000 + i) for i in range(3000)]
		top = p.snapshot().top_allocators(1)[0]
		assert (top["file"], top["line"]) == ("/tmp/a.py", 3), top
		END
		python3 /tmp/a.py
		python3 -m memprof run -o /tmp/a.html --rate 1K /tmp/a.py
		test -s /tmp/a.html
		! find / -xdev -name "libmemprof.so*" -path "*python*" | grep .'
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
	in_root apt-get -qq purge -y memprof memprof-dkms libmemprof0 libmemprof-dev \
		python3-memprof &&
	in_root sh -c '! command -v memprofctl' || return
	[ -z "$(leftovers)" ] && return
	leftovers | note
	return 1
}

obstacle=$(root_obstacle)
check_unless "$obstacle" "packages are built with what debian/control names" needs packages
check_unless "$obstacle" "lintian finds nothing to warn of" lintian_is_silent
check_unless "$obstacle" "packages are installed into a clean root" needs installed
check_unless "$obstacle" "DKMS has built the module; boots load it" module_is_built
check_unless "$obstacle" "the agent's unit is there, and not enabled" has_the_agents_unit
check_unless "$obstacle" "what was installed records; programs are built with it" works
check_unless "$obstacle" "Python programs are sampled" python_is_sampled
check_unless "$obstacle" "a later version replaces them" upgrades
check_unless "$obstacle" "a purge leaves nothing" purges
plan
