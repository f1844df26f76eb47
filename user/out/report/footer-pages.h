/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * footer-pages: writes how full the pages of the heap are, and what the numbers mean
 */
#ifndef MP_FOOTER_PAGES_H
#define MP_FOOTER_PAGES_H

#include "profile.h"

#include <stdio.h>

/**
 * mp_footer_pages - write what the metrics of pages mean
 * @kind: the rows that the table shows
 * @fills: also write a histogram of how full the pages are
 */
void mp_footer_pages(FILE *file, const struct mp_profile *profile, enum mp_row_kind kind,
		     bool fills);

#endif
