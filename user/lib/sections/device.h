/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * device.h: calls the module's ioctls, if this process may use them.
 */
#ifndef MEMPROF_SECTION_DEVICE_H
#define MEMPROF_SECTION_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

bool mp_device_has(bool *opened);
int mp_device_call(unsigned long cmd, void *arg);

#endif
