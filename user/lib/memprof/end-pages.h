/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * end-pages.h: keeps which pages the process has when sampling ends.
 */
#ifndef MEMPROF_END_PAGES_H
#define MEMPROF_END_PAGES_H

void mp_end_pages_take(void);

#endif
