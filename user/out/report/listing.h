/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * listing: the allocators that were found, binary by binary
 */
#ifndef MP_LISTING_H
#define MP_LISTING_H

#include "scan.h"

#include <stdio.h>

/** mp_listing_begin - the headings */
void mp_listing_begin(FILE *file);

/**
 * mp_listing_print - a binary and its points
 * @path: of the binary; need not be printable
 */
void mp_listing_print(FILE *file, const char *path, const struct mp_scan *scan);

/** mp_listing_skipped - a binary that could not be examined, and why */
void mp_listing_skipped(FILE *file, const char *path, const char *why);

/** mp_listing_json - a line of JSON, "type" being "binary" */
void mp_listing_json(FILE *file, const char *path, const struct mp_scan *scan);

/** mp_listing_json_skipped - a line of JSON, "type" being "skipped" */
void mp_listing_json_skipped(FILE *file, const char *path, const char *why);

#endif
