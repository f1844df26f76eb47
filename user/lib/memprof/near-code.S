/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * near-code.S: the fast paths of Python's malloc(), calloc(), realloc() and free(), for a
 * second mapping near Python's code; see near-pages.c. Only libmemprof.so contains it, on x86-64.
 *
 * They do what those of python-objects.c do, and jump. No function has a frame or uses
 * a register that is its caller's. So the slow functions see the caller of these.
 *
 * Data is addressed relative to the page behind this one. Where the dynamic linker puts
 * this page, something else is behind it: there it must not run.
 */
#include "near-code.h"

#ifdef __x86_64__

#ifdef __CET__
#include <cet.h>
#else
#define _CET_ENDBR
#endif

#define HASH	0x9e3779b97f4a7c15	/* of mp_bloom_hash() */

	.section near_code, "ax", @progbits
	.p2align 12
	.globl	mp_near_code
	.hidden	mp_near_code
	.type	mp_near_code, @object
mp_near_code:
	.set	data, mp_near_code + MP_NEAR_PAGE

	.macro	begin name
	.p2align 6
	.type	\name, @function
\name:
	.cfi_startproc
	_CET_ENDBR
	.endm

	.macro	end name
	.cfi_endproc
	.size	\name, . - \name
	.endm

/* Goes to 1 if the size is not small, and to 2 if the countdown ends: counts_down() */
	.macro	count_down size
	leaq	-1(\size), %rax
	cmpq	$MP_NEAR_LARGEST, %rax
	jae	1f
	movq	data + MP_NEAR_COUNTDOWN(%rip), %rax
	subq	\size, (%rax)
	jbe	2f
	.endm

/* rdi: context, rsi: size */
	.macro	near_malloc name, domain
	begin	\name
	count_down %rsi
1:
	jmp	*data + \domain + MP_NEAR_MALLOC(%rip)
2:
	movq	data + \domain + MP_NEAR_ALLOCATOR(%rip), %rdx
	jmp	*data + \domain + MP_NEAR_SLOW_MALLOC(%rip)
	end	\name
	.endm

/* rdi: context, rsi: number, rdx: size. A product that overflows is the allocator's to tell. */
	.macro	near_calloc name, domain
	begin	\name
	movq	%rsi, %rcx
	imulq	%rdx, %rcx
	jo	1f
	count_down %rcx
1:
	jmp	*data + \domain + MP_NEAR_CALLOC(%rip)
2:
	movq	data + \domain + MP_NEAR_ALLOCATOR(%rip), %rcx
	jmp	*data + \domain + MP_NEAR_SLOW_CALLOC(%rip)
	end	\name
	.endm

/* Sets the carry if the block rsi may be sampled: mp_bloom_first_bit() */
	.macro	first_bit
	movabsq	$HASH, %rax
	movq	data + MP_NEAR_FILTER(%rip), %rcx
	imulq	%rsi, %rax
	movq	(%rcx), %rcx
	movl	%esi, %r8d
	shrl	$MP_NEAR_PAGE_SHIFT, %r8d
	movl	%r8d, %r9d
	shrl	$5, %r9d
	addl	%r9d, %r8d
	andl	$MP_NEAR_WORDS - 1, %r8d
	shrq	$MP_NEAR_BIT_SHIFT, %rax
	movl	(%rcx, %r8, 8), %ecx
	/* the bit's number is modulo 32 */
	btl	%eax, %ecx
	.endm

/* rdi: context, rsi: block, rdx: size */
	.macro	near_realloc name, domain, malloc
	begin	\name
	testq	%rsi, %rsi
	jnz	1f
	movq	%rdx, %rsi
	jmp	\malloc
1:
	leaq	-1(%rdx), %rax
	cmpq	$MP_NEAR_LARGEST, %rax
	jb	2f
	first_bit
	jc	2f
	jmp	*data + \domain + MP_NEAR_REALLOC(%rip)
2:
	movq	data + \domain + MP_NEAR_ALLOCATOR(%rip), %rcx
	jmp	*data + \domain + MP_NEAR_ANY_REALLOC(%rip)
	end	\name
	.endm

/* rdi: context, rsi: block */
	.macro	near_free name, domain
	begin	\name
	first_bit
	jc	1f
	jmp	*data + \domain + MP_NEAR_FREE(%rip)
1:
	movq	data + \domain + MP_NEAR_ALLOCATOR(%rip), %rdx
	jmp	*data + \domain + MP_NEAR_SLOW_FREE(%rip)
	end	\name
	.endm

	.macro	near_functions prefix, domain
	near_malloc \prefix\()_malloc, \domain
	near_calloc \prefix\()_calloc, \domain
	near_realloc \prefix\()_realloc, \domain, \prefix\()_malloc
	near_free \prefix\()_free, \domain
	.endm

	near_functions object, MP_NEAR_OBJECT
	near_functions memory, MP_NEAR_MEMORY

	/* nothing else may be in the page */
	.org	mp_near_code + MP_NEAR_PAGE, 0xcc
	.size	mp_near_code, MP_NEAR_PAGE

	.macro	distances name, prefix
	.globl	\name
	.hidden	\name
	.type	\name, @object
\name:
	.long	\prefix\()_malloc - mp_near_code, \prefix\()_calloc - mp_near_code
	.long	\prefix\()_realloc - mp_near_code, \prefix\()_free - mp_near_code
	.size	\name, . - \name
	.endm

	.section .rodata
	.p2align 2
	distances mp_near_object, object
	distances mp_near_memory, memory

#endif

	.section .note.GNU-stack, "", @progbits
