/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * section-probe.h: defines the USDT probe memprof:section(struct memprof_section *). It
 * fires for each flushed section that the library measured.
 *
 * The probe is a nop that is executed only if its semaphore is not 0. A tracer
 * increments the semaphore.
 */
#ifndef MEMPROF_SECTION_PROBE_H
#define MEMPROF_SECTION_PROBE_H

#include <linux/memprof.h>
#include <stdint.h>

#ifdef MP_SDT

#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

/* The semaphore. The kernel or a debugger writes it. */
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
