/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * export-formats: the formats of memprofctl export
 */
#ifndef MP_EXPORT_FORMATS_H
#define MP_EXPORT_FORMATS_H

#include "export.h"

/* Constant; in the order of help; ends with NULL. */
extern const struct mp_export_ops * const mp_export_formats[];

/** mp_export_find - find a format by its name, or NULL */
const struct mp_export_ops *mp_export_find(const char *name);

/** mp_export_names - write all names, separated by commas; @size bytes at @to */
void mp_export_names(char *to, size_t size);

#endif
