/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * listing: writes a list of the allocators in binaries
 */
#ifndef MP_LISTING_H
#define MP_LISTING_H

#include "scan.h"

#include <stdio.h>

/** mp_listing_begin - write the headings of the list */
void mp_listing_begin(FILE *file);

/**
 * mp_listing_print - write a binary and its probe points
 * @path: path of the binary; untrusted
 */
void mp_listing_print(FILE *file, const char *path, const struct mp_scan *scan);

/** mp_listing_skipped - write the path of a binary that could not be examined, and why */
void mp_listing_skipped(FILE *file, const char *path, const char *why);

/** mp_listing_json - write a JSON line of type "binary" */
void mp_listing_json(FILE *file, const char *path, const struct mp_scan *scan);

/** mp_listing_json_skipped - write a JSON line of type "skipped" */
void mp_listing_json_skipped(FILE *file, const char *path, const char *why);

#endif
