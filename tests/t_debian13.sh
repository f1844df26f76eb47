#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Debian 13: setup, the build and the tests in a root of it, and its packages in guests
# with its kernels. Only as root. The first run downloads about 2 GB into a root that the
# cache keeps (5 GB).
. "$(dirname "$0")/lib.sh"
release=trixie
. tests/roots.sh
machine=$CACHE/debian13
transcripts=$build/check

# A root in which setup has run. It keeps what setup installed and fetched; this tree is
# copied there anew each time.
make_machine()
{
	needs base || return
	[ -e "$machine/etc" ] || {
		rm -rf "$machine.new" && cp -a "$base" "$machine.new" &&
		mv "$machine.new" "$machine"
	} || return
	# what npm fetches is the same everywhere
	mkdir -p "$machine/root/.cache/memprof" &&
	cp -rT "$CACHE/export" "$machine/root/.cache/memprof/export" &&
	rm -rf "$machine/src" && mkdir "$machine/src" &&
	tar -c --exclude=./build --exclude=./.git . | tar -xC "$machine/src" &&
	enter "$machine" scripts/setup &&
	# t_python compares with it
	enter "$machine" apt-get -qq install -y --no-install-recommends python3-memray &&
	# some checks ask git for this tree's files, and for its log
	enter "$machine" sh -c 'git init -q && git add -A &&
		git -c user.name=tests -c user.email=tests@localhost commit -qm all'
}

setup_has_nothing_to_do()
{
	needs machine && enter "$machine" scripts/setup && [ ! -s "$work/log" ] && return
	note "$work/log"
	return 1
}

# Every test, as README says; its logs are kept in build/check. glibc 2.41 has memalign
# and aligned_alloc as two functions, tcmalloc and mimalloc are newer than on Debian 12.
every_test_passes()
{
	local status
	needs machine || return
	enter "$machine" make check
	status=$?
	mkdir -p "$transcripts/debian13" &&
	cp "$machine"/src/build/check/*.log "$transcripts/debian13" &&
	grep -E '^[0-9]+ passed, 0 failed, [0-9]+ skipped$' "$work/log" | note &&
	return $status
}

# jemalloc of Debian 13 is protected by endbr64: malloc and free must be emulated
jemalloc_is_cheap()
{
	needs machine && enter "$machine" make -s user &&
	enter "$machine" build/user/memprofctl/memprofctl list \
		/usr/lib/x86_64-linux-gnu/libjemalloc.so.2 &&
	[ "$(awk '$1 ~ /^(malloc|calloc|realloc|free)$/ && / emulated$/' "$work/log" |
		wc -l)" = 4 ] && return
	note "$work/log"
	return 1
}

# perf of the backports reads recordings and exports, and says nothing
newest_perf_is_silent()
{
	needs machine && enter "$machine" make -s user &&
	enter "$machine" sh -ec 'memprofctl=build/user/memprofctl/memprofctl
		$memprofctl record --preload -q -f -o build/sampled.data -- ls -lR /usr/share
		$memprofctl export -q -f -i build/sampled.data --format perf \
			-o build/exported.data
		$memprofctl record --source perf -q -f -o build/recorded.data -- ls -lR /etc' &&
	base=$machine root "$work/upper" && with_backports &&
	in_root apt-get -qq install -y --no-install-recommends -t trixie-backports \
		linux-perf &&
	in_root sh -ec 'perf --version | grep "version 7.3"
		cd /src/build
		for data in exported.data recorded.data; do
			perf script -i $data >/tmp/script 2>/tmp/errors
			grep -q "ls " /tmp/script
			perf report -i $data --stdio >/tmp/report 2>>/tmp/errors
			! grep . /tmp/errors
		done'
}

demo_is_shown()
{
	needs machine && enter "$machine" make demo
}

with_backports()
{
	local list=$work/root/etc/apt/sources.list.d
	sed 's/^Suites: .*/Suites: trixie-backports/; /^$/,$d' "$list/debian.sources" \
		>"$list/backports.sources" &&
	in_root apt-get -qq update
}

# What a user types, in a system with both kernels. DKMS builds the module for each.
make_guest()
{
	needs packages && root "$fix/guest" && mkdir "$work/root/debs" &&
	cp "$fix"/debs/*.deb "$work/root/debs" && with_backports &&
	in_root apt-get -qq install -y --no-install-recommends linux-image-amd64 \
		linux-headers-amd64 kmod &&
	in_root apt-get -qq install -y --no-install-recommends -t trixie-backports \
		linux-image-amd64 linux-headers-amd64 &&
	in_root sh -c 'cd /debs && apt-get install -y ./memprof_*.deb \
		./memprof-dkms_*.deb ./libmemprof0_*.deb' &&
	cp "$work/log" "$fix/guest.installed"
}

# The commands of Documentation/install.rst, with their output
commands='
for c in "uname -r" "dkms status" "modprobe memprof" "memprofctl start -a" \
	"ls -lR /usr/share/doc >/dev/null" "memprofctl report" "memprofctl stop"; do
	echo "# $c"
	eval "$c" || exit
done'

# guest_reports VERSION: the transcript is kept in build/check
guest_reports()
{
	local kernel to=$transcripts/debian13-$1.txt
	needs guest && root "$work/upper" "$fix/guest" &&
	kernel=$(cd "$work/root/boot" && ls -d vmlinuz-"$1".*) &&
	mkdir -p "$transcripts" &&
	scripts/vm/run --root "$work/root" --kernel "${kernel#vmlinuz-}" --timeout 900 \
		--memory 2048 -- bash -c "$commands" >"$work/out" 2>"$work/err" &&
	{
		echo "# apt install ./memprof_*.deb ./memprof-dkms_*.deb ./libmemprof0_*.deb"
		grep -aE '^(Setting up .*memprof|.*memprof\.ko)' "$fix/guest.installed"
		cat "$work/out"
	} >"$to" &&
	grep -q "^# uname -r" "$to" && grep -q "^${kernel#vmlinuz-}$" "$to" &&
	grep -qE '^ +[0-9]+  ls \[exited\] .* /  ' "$to" &&
	grep -q '; nothing lost' "$to" && return
	note "$work/out" "$work/err"
	return 1
}

obstacle=$(root_obstacle)
check_unless "$obstacle" "setup prepares Debian 13" needs machine
check_unless "$obstacle" "a second setup has nothing to do" setup_has_nothing_to_do
check_unless "$obstacle" "make demo shows redis and python" demo_is_shown
check_unless "$obstacle" "make check passes" every_test_passes
check_unless "$obstacle" "each call of jemalloc gets a cheap probe" jemalloc_is_cheap
check_unless "$obstacle" "perf of the backports has nothing to say of recordings" \
	newest_perf_is_silent
check_unless "$obstacle" "packages follow a guest with Linux 6.12" guest_reports 6.12
check_unless "$obstacle" "packages follow a guest with Linux 7.3" guest_reports 7.3
plan
