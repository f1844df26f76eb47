// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>
#include "device.h"
#include "fault.h"
#include "life.h"
#include "section-task.h"

static int __init memprof_init(void)
{
	int err;

	err = memprof_life_init();
	if (err)
		return err;
	err = memprof_fault_init();
	if (err)
		return err;
	err = memprof_section_tasks_init();
	if (err)
		goto fault;
	err = memprof_device_init();
	if (err)
		goto section_tasks;
	pr_info("memprof: loaded\n");
	return 0;

section_tasks:
	memprof_section_tasks_exit();
fault:
	memprof_fault_exit();
	return err;
}

static void __exit memprof_exit(void)
{
	memprof_device_exit();
	memprof_section_tasks_exit();
	memprof_fault_exit();
}

module_init(memprof_init);
module_exit(memprof_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("System-wide memory profiler: faults, growth and who made them");
