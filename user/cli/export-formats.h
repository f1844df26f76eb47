/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * export-formats: the table of formats
 */
#ifndef MP_EXPORT_FORMATS_H
#define MP_EXPORT_FORMATS_H

#include "export.h"

/* In the order of help; ends with NULL. Constant. */
extern const struct mp_export_ops * const mp_export_formats[];

/** mp_export_find - the format of a name, or NULL */
const struct mp_export_ops *mp_export_find(const char *name);

/** mp_export_names - all of them, with commas between; @size bytes at @to */
void mp_export_names(char *to, size_t size);

#endif
