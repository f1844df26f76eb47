/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * page-text: the constant parts of the HTML page, generated from page/
 */
#ifndef MP_PAGE_TEXT_H
#define MP_PAGE_TEXT_H

/*
 * Text before the data; empty if the flame graph library was missing at build
 * time.
 */
extern const char mp_page_head[];

/* Text after the data. */
extern const char mp_page_tail[];

#endif
