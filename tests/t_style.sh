#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On the host: what the compiler, sparse, checkpatch and the layout must say.
cd "$(dirname "$0")/.." || exit 1
. scripts/cache
O=${O:-build}
. tests/lib.sh

# warns COMMAND...: fails on any output, and shows it
silent()
{
	local out
	out=$("$@" 2>&1)
	[ -z "$out" ] && return
	sed 's/^/# /' <<<"$out"
	return 1
}

# A build of its own, so that every file is compiled and checked.
module_is_clean()
{
	local log=$O/style-$1.log
	mkdir -p "$O"
	rm -rf "$O/style/kmod"
	make module O="$PWD/$O/style" KDIR="$CACHE/kernels/$1/build" \
		KFLAGS="W=1 C=2 ${2:-}" >"$log" 2>&1 || {
		sed 's/^/# /' "$log"
		return 1
	}
	silent grep -E 'warning|error' "$log"
}

user_is_clean()
{
	silent make -s -C user O="$PWD/$O/style/user" \
		CFLAGS='-O2 -g -Werror' all &&
	silent make -s perf O="$PWD/$O/style" CFLAGS='-O2 -g -Werror'
}

# checkpatch TYPES-TO-IGNORE FILE...: a file that passed before is not read again
checkpatch()
{
	local script=$LINUX_SOURCE/scripts/checkpatch.pl passed=$CACHE/checkpatch
	local options file sum out
	local -a unread=() sums=()
	options="--no-tree --quiet --terse --show-types --no-summary --max-line-length=100"
	options+=" --ignore $1"
	shift
	mkdir -p "$passed" && find "$passed" -type f -mtime +60 -delete
	for file; do
		sum=$(cat "$script" "$file" - <<<"$file $options" | sha256sum)
		sum=${sum%% *}
		[ -n "$sum" ] && [ -e "$passed/$sum" ] || { unread+=("$file"); sums+=("$passed/$sum"); }
	done
	[ ${#unread[@]} = 0 ] && return
	out=$(perl "$script" $options --file "${unread[@]}" 2>&1) && [ -z "$out" ] &&
		touch "${sums[@]}" && return
	sed 's/^/# /' <<<"$out"
	return 1
}
# Table and iteration macros are not what these two want of a macro; compat is where
# versions are tested.
ignored_kernel=COMPLEX_MACRO,MACRO_ARG_REUSE,MACRO_ARG_UNUSED
ignored_kernel+=,LINUX_VERSION_CODE
# What only the kernel has: its own attributes, types and string functions.
ignored_user=$ignored_kernel,PREFER_DEFINED_ATTRIBUTE_MACRO,ARRAY_SIZE
ignored_user+=,VOLATILE,STRCPY,STRNCPY,NAKED_SSCANF,EMBEDDED_FUNCTION_NAME
ignored_user+=,LEADING_SPACE,SPLIT_STRING,ENOSYS
# Its contract has typedefs, and posix_memalign() returns errors as they are.
ignored_lib=$ignored_user,NEW_TYPEDEFS,USE_NEGATIVE_ERRNO,CONSTANT_COMPARISON,ENOSYS

versions_only_in_compat()
{
	silent git grep -nE 'LINUX_VERSION_CODE|KERNEL_VERSION' -- kmod \
		include ':!kmod/compat'
}

# Each header compiles alone, so that it names what it needs.
headers_stand_alone()
{
	local h std status=0
	for h in include/uapi/linux/*.h include/memprof/*.h; do
		std=c99
		# the public API has atomics
		[ "${h##*/}" = memprof.h ] && [[ $h == include/memprof/* ]] && std=c11
		gcc -std=$std -Wall -pedantic -fsyntax-only -Iinclude/uapi \
			-x c "$h" || status=1
		g++ -Wall -fsyntax-only -Iinclude/uapi -x c++ "$h" || status=1
	done
	return $status
}

# The rule is in user/rooms.mk. Calls are read from the objects of the builds above.
rooms_are_kept()
{
	silent tests/rooms.py "$O/style/user"
}

# Pages name each other, which need not be installed here.
pages_are_clean()
{
	silent mandoc -Tlint -W warning Documentation/man/*.[17]
}

library_is_lesser()
{
	silent grep -LE 'SPDX-License-Identifier: (GPL-2.0-only OR )?LGPL-2.1-or-later' \
		$(git ls-files 'user/lib/*.[chS]' include/memprof python) \
		user/sections/{sections,section-record,section-line}.[ch] \
		user/base/text.[ch]
}

every_source_has_its_licence()
{
	local files
	files=$(git ls-files '*.c' '*.h' '*.S' '*.sh' '*.py' Makefile '*/Makefile' \
		'*/Kbuild' scripts demo)
	silent grep -L SPDX-License-Identifier $files
}

for k in 6.1 6.12; do
	check "the module builds without warnings (W=1, sparse) for $k" \
		module_is_clean $k
done
check "and for arm64" module_is_clean 6.1-arm64 CROSS_COMPILE=aarch64-linux-gnu-
check "user space builds without warnings" user_is_clean
check "checkpatch has nothing to say on the module" \
	checkpatch $ignored_kernel $(git ls-files 'kmod/*.[ch]' 'include/uapi/*.h')
check "checkpatch has nothing to say on user space" \
	checkpatch $ignored_user $(git ls-files 'user/*.[ch]' 'tests/guest/*.[ch]' \
		'scripts/perf/*.c' ':!user/lib')
check "checkpatch has nothing to say on the library" \
	checkpatch $ignored_lib $(git ls-files 'user/lib/*.[ch]' \
		'include/memprof/*.h' 'python/*.[ch]')
check "kernel versions are tested in kmod/compat only" versions_only_in_compat
check "public headers compile alone, as C and as C++" headers_stand_alone
check "rooms know only the rooms below them, and nothing goes in a circle" rooms_are_kept
check "the library may be loaded by any program" library_is_lesser
check "mandoc has no warning on the man pages" pages_are_clean
check "every source file names its licence" every_source_has_its_licence
plan
