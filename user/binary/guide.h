/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guide: answers what the engine asks of binaries
 */
#ifndef MP_GUIDE_H
#define MP_GUIDE_H

#include "unwind.h"

/**
 * struct mp_guide - what was learnt so far
 * @unwind: of stacks
 */
struct mp_guide {
	struct mp_unwind unwind;
};

/** mp_guide_open - be there for an engine; @guide must not move afterwards */
void mp_guide_open(struct mp_guide *guide, struct mp_merge_ops *ops);

/** mp_guide_close - forget all; the engine is done */
void mp_guide_close(struct mp_guide *guide);

#endif
