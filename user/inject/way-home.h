/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * way-home: memory of the target with a frame that leads a borrowed thread home
 */
#ifndef MP_WAY_HOME_H
#define MP_WAY_HOME_H

#include "thread-stop.h"

/**
 * struct mp_way_home - where the frame lies
 * @at: its address; 0: nowhere
 * @size: its bytes
 * @is_borrowed: the bytes were zero before, and have to be zero again
 */
struct mp_way_home {
	uint64_t at;
	size_t size;
	bool is_borrowed;
};

/**
 * mp_way_home_put - write the frame into memory that nothing else uses
 *
 * Return: 0; -ENOSPC if there is no such memory; -EFAULT.
 */
int mp_way_home_put(struct mp_way_home *home, const struct mp_inject_target *target,
		    struct mp_stopped_thread *thread);

/** mp_way_home_remove - remove the frame, when the thread no longer needs it */
void mp_way_home_remove(struct mp_way_home *home, const struct mp_inject_target *target);

#endif
