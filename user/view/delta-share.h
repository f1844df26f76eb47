/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * delta-share: shares what processes grew by out among the stacks that asked for memory
 *
 * Only processes have an RSS. A stack of GROWTH asked for address space, which may not be used,
 * or be used again and again. So what a process has more than at the start is shared out in
 * proportion to what its stacks asked for.
 */
#ifndef MP_DELTA_SHARE_H
#define MP_DELTA_SHARE_H

#include "profile.h"

/**
 * mp_delta_share - set DELTA of stacks, or of callsites if there are no stacks
 *
 * Those of a process add up to its DELTA, unless it shrank or has ended, or none of them grew.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_delta_share(struct mp_profile *profile);

#endif
