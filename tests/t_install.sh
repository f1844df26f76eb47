#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# make install and make uninstall, below a folder of their own.
. "$(dirname "$0")/lib.sh"
unset DESTDIR PREFIX PERF_CORE

files()
{
	(cd "$work/root" && find . ! -type d | sort | cut -c2-)
}

# installs GOAL ARGUMENT...
installs()
{
	make -s "$@" DESTDIR="$work/root" >"$work/log" 2>&1 && return
	note "$work/log"
	return 1
}

expected()
{
	local page
	printf '%s\n' "$1/bin/memprofctl" "$1/libexec/memprof/memprof-push" \
		"$1/share/bash-completion/completions/memprofctl" \
		"$1/lib/libmemprof"{,-sections}{.so,.so.0,.a} \
		"$1/lib/pkgconfig/libmemprof"{,-sections}.pc \
		"$1/include/memprof/"{memprof,region,section}.h
	for page in Documentation/man/*.1; do
		echo "$1/share/man/man1/${page##*/}"
	done
	echo "$1/share/man/man7/memprof-guide.7"
	[ -n "$2" ] || return 0
	printf '%s\n' "$2/dlfilters/memprof-filter.so" \
		"$2/scripts/python/memprof.py" \
		"$2/scripts/python/bin/memprof-record" \
		"$2/scripts/python/bin/memprof-report"
}

# holds PREFIX PERF_CORE: these files and no others
holds()
{
	diff <(expected "$@" | sort) <(files) >"$work/diff" && return
	note "$work/diff"
	return 1
}

usual()
{
	installs install && holds /usr/local /usr/lib/perf-core
}

runs()
{
	installs install &&
	"$work/root/usr/local/bin/memprofctl" --version >/dev/null &&
	"$work/root/usr/local/bin/memprofctl" record --preload -q \
		-o "$work/data" -- true &&
	[ -x "$work/root/usr/lib/perf-core/scripts/python/bin/memprof-report" ]
}

# What others have put there stays.
leaves_others()
{
	installs install || return
	touch "$work/root/usr/local/bin/other" \
		"$work/root/usr/lib/perf-core/scripts/python/other.py"
	installs uninstall || return
	[ "$(files)" = "/usr/lib/perf-core/scripts/python/other.py
/usr/local/bin/other" ] && return
	files | note
	return 1
}

elsewhere()
{
	installs install PREFIX=/opt/m PERF_CORE=/opt/perf &&
	holds /opt/m /opt/perf &&
	installs uninstall PREFIX=/opt/m PERF_CORE=/opt/perf &&
	[ -z "$(files)" ]
}

without_perf()
{
	installs install PERF_CORE= && holds /usr/local '' &&
	installs uninstall PERF_CORE= && [ -z "$(files)" ]
}

# perf finds what was installed. Its own scripts are not in this folder.
perf_lists()
{
	installs install || return
	export PERF_EXEC_PATH=$work/root/usr/lib/perf-core
	perf script -l 2>/dev/null |
		grep -q 'memprof \[comm\].*who allocates' &&
	perf script --list-dlfilters 2>/dev/null |
		grep -q "memprof-filter.so.*memprof's events"
}

# setup_names ID VERSION COMMAND PACKAGE...: it ends with 1, as it prepared nothing
setup_names()
{
	local install=$3 package
	printf 'ID=%s\nVERSION_ID=%s\n' "$1" "$2" >"$work/os"
	OS_RELEASE=$work/os scripts/setup >"$work/out" 2>"$work/err" && return 1
	[ ! -s "$work/out" ] && grep -q "nothing was changed" "$work/err" || return
	for package in "${@:4}"; do
		grep -qE "^    $install .*\b$package\b" "$work/err" && continue
		note "$work/err"
		return 1
	done
}

other_distributions()
{
	setup_names ubuntu 24.04 "apt install" libjson-c-dev linux-headers-generic &&
	setup_names fedora 43 "dnf install" json-c-devel libperf-devel kernel-devel &&
	setup_names rhel 10.1 "dnf install" json-c-devel libperf-devel kernel-devel &&
	setup_names arch "" "pacman -S" json-c linux-headers &&
	setup_names alpine 3.22 "apk add" json-c-dev coreutils linux-lts-dev &&
	setup_names debian 14 "apt install" libjson-c-dev linux-headers-amd64 &&
	setup_names unheard-of 1 ""
}

# rocky 10 says that it is like RHEL
relatives()
{
	printf 'ID=rocky\nVERSION_ID=10.1\nID_LIKE="rhel centos fedora"\n' >"$work/os"
	OS_RELEASE=$work/os scripts/setup 2>&1 | grep -q "dnf install .*json-c-devel"
}

# are_named ID PACKAGE...: scripts/packages has them for that distribution
are_named()
{
	local package
	[ $# -gt 1 ] || return
	for package in "${@:2}"; do
		awk -v id="$1" '$1 == id { for (i = 3; i <= NF; i++) print $i }' \
			scripts/packages | grep -qxF -e "$package" && continue
		echo "# scripts/packages has no $package for $1"
		return 1
	done
}

built_with() { sed -n 's/^BuildRequires: *//p' packaging/memprof.spec; }

# Packers' own helpers are not for make user.
packers_agree()
{
	are_named debian $(sed -n '/^Build-Depends:/,/^[A-Z]/s/^ \([^ ,]*\).*/\1/p' \
		debian/control | grep -v '^debhelper\|^dh-\|^pybuild-') &&
	are_named fedora $(built_with) && are_named rhel $(built_with) &&
	bash -n packaging/PKGBUILD &&
	are_named arch $(. packaging/PKGBUILD && echo "${makedepends[@]}")
}

# Each file that is installed is in one of Debian's packages
packages_have_all()
{
	local file pattern found
	installs install PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu || return
	: >"$work/missing"
	while read -r file; do
		found=
		while read -r pattern _; do
			# shellcheck disable=SC2053 # a pattern
			[[ $file == /$pattern || $file == /$pattern/* ]] && found=yes
		done < <(cat debian/*.install)
		[ "$found" ] || echo "in no package: $file" >>"$work/missing"
	done < <(files)
	[ ! -s "$work/missing" ] && return
	note "$work/missing"
	return 1
}

check "make install puts all in its place" usual
check "what was installed runs" runs
check "make uninstall removes what make install put there, and nothing else" leaves_others
check "PREFIX and PERF_CORE say where" elsewhere
check "an empty PERF_CORE leaves perf alone" without_perf
check "perf lists the scripts and the filter" perf_lists
check "setup names the packages of other distributions" other_distributions
check "and of their relatives" relatives
check "packages are built with what setup names" packers_agree
check "Debian's packages have each file that is installed" packages_have_all
plan
