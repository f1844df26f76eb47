/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pagemap-scan: the ioctl of /proc/PID/pagemap, for C libraries with older kernel headers
 *
 * As in include/uapi/linux/fs.h of Linux 6.7.
 */
#ifndef MP_PAGEMAP_SCAN_H
#define MP_PAGEMAP_SCAN_H

#include <linux/fs.h>
#include <linux/types.h>
#include <sys/ioctl.h>

#ifndef PAGEMAP_SCAN
#define PAGEMAP_SCAN		_IOWR('f', 16, struct pm_scan_arg)

#define PAGE_IS_PRESENT		(1 << 3)
#define PAGE_IS_SWAPPED		(1 << 4)
#define PAGE_IS_PFNZERO		(1 << 5)
#define PAGE_IS_HUGE		(1 << 6)

struct page_region {
	__u64 start;
	__u64 end;
	__u64 categories;
};

struct pm_scan_arg {
	__u64 size;
	__u64 flags;
	__u64 start;
	__u64 end;
	__u64 walk_end;
	__u64 vec;
	__u64 vec_len;
	__u64 max_pages;
	__u64 category_inverted;
	__u64 category_mask;
	__u64 category_anyof_mask;
	__u64 return_mask;
};
#endif

#endif
