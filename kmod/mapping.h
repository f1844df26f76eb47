/* SPDX-License-Identifier: GPL-2.0-only */
/* Mappings of the running process: how many bytes of a range can be accessed. */
#ifndef _MEMPROF_MAPPING_H
#define _MEMPROF_MAPPING_H

#include <linux/types.h>

/**
 * struct memprof_mapping - a mapping, or the part of it that is in a range
 * @start: address
 * @bytes: size, of the whole mapping
 * @access: it can be accessed: it is not PROT_NONE
 */
struct memprof_mapping {
	unsigned long start;
	unsigned long bytes;
	bool access;
};

bool memprof_mapping_at(unsigned long addr, struct memprof_mapping *m);
bool memprof_mapping_access(unsigned long start, unsigned long len, u64 *bytes);

#endif
