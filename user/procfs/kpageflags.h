/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kpageflags: what the kernel says of a frame of memory; for CAP_SYS_ADMIN only
 */
#ifndef MP_KPAGEFLAGS_H
#define MP_KPAGEFLAGS_H

#include <stdint.h>

/* Bits of /proc/kpageflags: the first and the other frames of a folio; kinds of pages */
#define MP_FRAME_HEAD	(1ULL << 15)
#define MP_FRAME_TAIL	(1ULL << 16)
#define MP_FRAME_HUGETLB	(1ULL << 17)
#define MP_FRAME_THP	(1ULL << 22)
#define MP_FRAME_ZERO	(1ULL << 24)

/** mp_kpageflags_open - open the file. Return: a descriptor, or a negative errno */
int mp_kpageflags_open(void);

/** mp_kpageflags_read - read the bits of a frame. Return: the bits; 0 if they are not known */
uint64_t mp_kpageflags_read(int fd, uint64_t frame);

#endif
