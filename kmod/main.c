// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/module.h>
#include "device.h"
#include "fault.h"
#include "growth.h"
#include "life.h"
#include "probe.h"
#include "section.h"
#include "stream.h"

/* Streams, in the order in which the module and each session set them up. */
static const struct memprof_stream_ops *const streams[] = {
	&memprof_life_stream,
	&memprof_fault_stream,
	&memprof_growth_stream,
	&memprof_alloc_stream,
	&memprof_section_stream,
};

static int __init memprof_init(void)
{
	int err;

	err = memprof_streams_init(streams, ARRAY_SIZE(streams));
	if (err)
		return err;
	err = memprof_device_init();
	if (err) {
		memprof_streams_exit();
		return err;
	}
	pr_info("memprof: loaded\n");
	return 0;
}

static void __exit memprof_exit(void)
{
	memprof_device_exit();
	memprof_streams_exit();
}

module_init(memprof_init);
module_exit(memprof_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("System-wide memory profiler: page faults, address-space growth, allocations");
