/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * section-probe.h: USDT probe memprof:section(struct memprof_section *), for
 * each flushed section that the library measured.
 *
 * The probe is a nop behind a semaphore, which a tracer increments.
 */
#ifndef MEMPROF_SECTION_PROBE_H
#define MEMPROF_SECTION_PROBE_H

#include <linux/memprof.h>
#include <stdint.h>

#ifdef MP_SDT

#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

/* Written by the kernel, or by a debugger. */
extern unsigned short memprof_section_semaphore;

static inline void mp_probe_section(const struct memprof_section *record)
{
	if (*(volatile unsigned short *)&memprof_section_semaphore)
		STAP_PROBE1(memprof, section, (uint64_t)(uintptr_t)record);
}

#else

static inline void mp_probe_section(const struct memprof_section *record)
{
	(void)record;
}

#endif

#endif
