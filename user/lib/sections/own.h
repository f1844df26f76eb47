/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * own.h: measures sections of the calling thread if there is no module.
 */
#ifndef MEMPROF_SECTION_OWN_H
#define MEMPROF_SECTION_OWN_H

#include <linux/memprof.h>
#include <stdbool.h>
#include <stdint.h>

int mp_own_start(const struct memprof_section_mark *mark);
int mp_own_end(const struct memprof_section_mark *mark);
int mp_own_flush(struct memprof_section *records, unsigned int nr,
		 uint64_t *left);
int mp_own_invoke(void);
int mp_own_return(void);

#endif
