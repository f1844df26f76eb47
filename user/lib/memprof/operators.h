/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * operators.h: functions that an allocator can have besides malloc(): operator new and
 * operator delete of C++, by their names in binaries, and jemalloc's own.
 *
 * w: one object, a: an array; m: a size, S: an alignment, R: std::nothrow. The lists
 * have @separator between their names.
 */
#ifndef MEMPROF_OPERATORS_H
#define MEMPROF_OPERATORS_H

#define MP_OPERATORS_NEW(X, separator)				\
	X(_Znwm) separator						\
	X(_Znam) separator						\
	X(_ZnwmRKSt9nothrow_t) separator				\
	X(_ZnamRKSt9nothrow_t) separator				\
	X(_ZnwmSt11align_val_t) separator				\
	X(_ZnamSt11align_val_t) separator				\
	X(_ZnwmSt11align_val_tRKSt9nothrow_t) separator			\
	X(_ZnamSt11align_val_tRKSt9nothrow_t) separator			\
	X(mallocx)

#define MP_OPERATORS_DELETE(X, separator)				\
	X(_ZdlPv) separator						\
	X(_ZdaPv) separator						\
	X(_ZdlPvm) separator						\
	X(_ZdaPvm) separator						\
	X(_ZdlPvRKSt9nothrow_t) separator				\
	X(_ZdaPvRKSt9nothrow_t) separator				\
	X(_ZdlPvSt11align_val_t) separator				\
	X(_ZdaPvSt11align_val_t) separator				\
	X(_ZdlPvmSt11align_val_t) separator				\
	X(_ZdaPvmSt11align_val_t) separator				\
	X(_ZdlPvSt11align_val_tRKSt9nothrow_t) separator		\
	X(_ZdaPvSt11align_val_tRKSt9nothrow_t) separator		\
	X(dallocx) separator						\
	X(sdallocx)

#define MP_OPERATORS_MOVE(X, separator)				\
	X(rallocx)

/* @second, @third: the further arguments that the function has, or anything. */
typedef void *mp_new_hook(unsigned long size, unsigned long second, unsigned long third);
typedef void mp_delete_hook(void *p, unsigned long second, unsigned long third);
typedef void *mp_move_hook(void *p, unsigned long size, unsigned long third);
typedef void *(*mp_new_next)(unsigned long size, unsigned long second,
			     unsigned long third);
typedef void (*mp_delete_next)(void *p, unsigned long second, unsigned long third);
typedef void *(*mp_move_next)(void *p, unsigned long size, unsigned long third);

/* As a separator. */
#define MP_NOTHING

#pragma GCC visibility push(hidden)

#define DECLARE_NEW_HOOK(name)		mp_new_hook mp_hook##name
#define DECLARE_NEW_NEXT(name)		extern mp_new_next mp_next##name
#define DECLARE_DELETE_HOOK(name)	mp_delete_hook mp_hook##name
#define DECLARE_DELETE_NEXT(name)	extern mp_delete_next mp_next##name
#define DECLARE_MOVE_HOOK(name)		mp_move_hook mp_hook##name
#define DECLARE_MOVE_NEXT(name)		extern mp_move_next mp_next##name

MP_OPERATORS_NEW(DECLARE_NEW_HOOK, ;);
MP_OPERATORS_NEW(DECLARE_NEW_NEXT, ;);
MP_OPERATORS_DELETE(DECLARE_DELETE_HOOK, ;);
MP_OPERATORS_DELETE(DECLARE_DELETE_NEXT, ;);
MP_OPERATORS_MOVE(DECLARE_MOVE_HOOK, ;);
MP_OPERATORS_MOVE(DECLARE_MOVE_NEXT, ;);

#pragma GCC visibility pop

#endif
