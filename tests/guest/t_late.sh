#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Probes that a target gets during a session: in a library that it opens, and
# static probes of a program that starts later.
. "$(dirname "$0")/../lib.sh"

make_programs()
{
# A library with an allocator's names. Debian's allocators cannot be loaded by
# dlopen(), because of their static TLS.
cat >"$fix/allocator.c" <<'END'
#include <stddef.h>
void *je_malloc(size_t size)
{
	static char arena[1 << 20], *next = arena;
	char *block = next;

	next += size;
	return block;
}
void je_free(void *block)
{
	asm volatile("" : : "r"(block) : "memory");
}
END
cat >"$fix/opens.c" <<'END'
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	void *library, *(*allocate)(size_t);
	int i;

	sleep(1);
	library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return 1;
	*(void **)&allocate = dlsym(library, "je_malloc");
	sleep(6);
	for (i = 0; i < 500; i++)
		allocate(1000);
	return 0;
}
END
cat >"$fix/static.c" <<'END'
#include <unistd.h>
#ifdef __aarch64__
#define FIRST "x0"
#define SECOND "x1"
#define THIRD "x2"
#define SIGN
#else
#define FIRST "rdi"
#define SECOND "rsi"
#define THIRD "rdx"
#define SIGN "%%"
#endif
#define PROBE(name, args) \
	"990: nop\n.pushsection .note.stapsdt,\"\",@note\n.balign 4\n" \
	".4byte 992f-991f, 994f-993f, 3\n991: .asciz \"stapsdt\"\n992:\n" \
	"993: .8byte 990b, 0, 0\n.asciz \"otel_memory\"\n" \
	".asciz \"" name "\"\n.asciz \"" args "\"\n994: .balign 4\n.popsection\n"
int main(void)
{
	register long block asm(FIRST), size asm(SECOND), weight asm(THIRD);
	long i;

	sleep(8);
	for (i = 1; i <= 100; i++) {
		block = i << 12, size = 1000, weight = 8000;
		asm volatile(PROBE("alloc", "8@" SIGN FIRST " 8@" SIGN SECOND
				   " 8@" SIGN THIRD)
			     : : "r"(block), "r"(size), "r"(weight));
	}
	for (i = 1; i <= 50; i++) {
		block = i << 12;
		asm volatile(PROBE("free", "8@" SIGN FIRST) : : "r"(block));
	}
	return 0;
}
END
gcc -O1 -shared -fPIC -o "$fix/allocator.so" "$fix/allocator.c" &&
gcc -O1 -o "$fix/opens" "$fix/opens.c" -ldl &&
gcc -O1 -no-pie -o "$fix/static" "$fix/static.c"
}

# counts PROGRAM: prints the objects, bytes and frees of PROGRAM in a new
# session
counts()
{
	memprofctl start --comm "$1" --alloc exact --faults off -q || return 1
	"$fix/$1" "$fix/allocator.so"
	report | rows value alloc_objects alloc_space free_objects \
		where type=process "comm=$1"
}

opened_libraries_are_followed()
{
	local got=()
	needs programs || return
	read -ra got <<<"$(counts opens)"
	echo "# ${got[*]}"
	[ "${got[0]:-0}" -ge 500 ] && [ "${got[1]}" -ge 500000 ]
}

static_probes_tell_weights()
{
	local got
	needs programs || return
	got=$(counts static)
	echo "# $got"
	[ "$got" = "800 800000 400" ]
}

why=$(command -v gcc >/dev/null || echo "no compiler")
check_unless "$why" "a library that a target opens is followed" \
	opened_libraries_are_followed
check_unless "$why" "static probes of a later program tell their weights" \
	static_probes_tell_weights
plan
