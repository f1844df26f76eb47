/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * page-text: declares the constant parts of the HTML page, generated from page/
 */
#ifndef MP_PAGE_TEXT_H
#define MP_PAGE_TEXT_H

/* Text of the page before the data. */
extern const char mp_page_head[];

/* Text of the page after the data. */
extern const char mp_page_tail[];

#endif
