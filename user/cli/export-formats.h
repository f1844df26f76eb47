/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * export-formats: the formats of memprofctl export
 */
#ifndef MP_EXPORT_FORMATS_H
#define MP_EXPORT_FORMATS_H

#include "choice.h"
#include "export.h"

/* All formats, in the order of help; ends with NULL. */
extern const struct mp_export_ops * const mp_export_formats[];

/** mp_export_find - find a format by its name, or NULL */
const struct mp_export_ops *mp_export_find(const char *name);

/** mp_export_names - write all names, separated by commas; @size bytes at @to */
void mp_export_names(char *to, size_t size);

/* Exported stacks that differ in one of these properties are separate rows. */
#define MP_EXPORT_KEYS \
	(MP_GROUP_PID | MP_GROUP_COMM | MP_GROUP_CGROUP | MP_GROUP_CALLSITE)

/**
 * mp_export_gather - collect the stacks of a profile
 * @choice: its filter selects rows. Without a filter for callsites, the
 *	remainders of processes are included, too
 *
 * Return: 0, or -ENOMEM.
 */
int mp_export_gather(const struct mp_choice *choice,
		     const struct mp_profile *profile,
		     struct mp_stack_samples *samples);

/**
 * mp_export_write - write an export to a file
 * @path: of the file; NULL: standard output
 * @force: replace an existing file
 *
 * Return: 0, or an exit status after printing a message.
 */
int mp_export_write(struct mp_export *export, const char *path, bool force);

#endif
