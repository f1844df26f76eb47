/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fixture of tests that use the allocator: an idle session whose target is the
 * test, with the allocator's probes. Include it after kselftest_harness.h.
 */
#ifndef _TEST_ALLOCATOR_FIXTURE_H
#define _TEST_ALLOCATOR_FIXTURE_H

#include <unistd.h>
#include "allocator.h"
#include "session.h"

FIXTURE(alloc) {
	int fd;
};

FIXTURE_SETUP(alloc)
{
	ASSERT_TRUE(allocator_open());
	self->fd = session_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, session_target_pid(self->fd, getpid(),
					MEMPROF_TARGET_CHILDREN));
	ASSERT_EQ(0, allocator_probe(self->fd));
}

FIXTURE_TEARDOWN(alloc)
{
	close(self->fd);
}

/* Reads the allocations of this process; asserts on failure. */
#define LOOK(a) ({ struct memprof_process _p;				\
	ASSERT_EQ(0, session_look(self->fd, getpid(), &_p)); (a) = _p.alloc; })

#endif
