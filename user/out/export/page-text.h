/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * page-text: what of an HTML page is the same in all; made of the files in page/
 */
#ifndef MP_PAGE_TEXT_H
#define MP_PAGE_TEXT_H

/* Up to the data; empty where what draws flame graphs was not there to be built in. */
extern const char mp_page_head[];

/* Behind it. */
extern const char mp_page_tail[];

#endif
