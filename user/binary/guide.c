// SPDX-License-Identifier: GPL-2.0-only
/*
 * guide: unwinding
 */
#include "guide.h"

void mp_guide_open(struct mp_guide *guide, struct mp_merge_ops *ops)
{
	*guide = (struct mp_guide){ 0 };
	*ops = (struct mp_merge_ops){
		.unwind = mp_unwind_dump,
		.end = mp_unwind_end,
		.context = &guide->unwind,
	};
}

void mp_guide_close(struct mp_guide *guide)
{
	mp_unwind_free(&guide->unwind);
}
