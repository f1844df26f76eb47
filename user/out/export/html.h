/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * html: declares the parts of the page's data
 */
#ifndef MP_HTML_H
#define MP_HTML_H

#include "call-tree.h"
#include "export.h"

/** mp_html_string - write a member with a text: "key":"text" */
void mp_html_string(FILE *file, const char *key, const char *text);

/** mp_html_metric - write the begin of an object that describes a metric */
void mp_html_metric(FILE *file, const struct mp_profile *profile,
		    enum mp_metric metric);

/** mp_html_origin - write whose numbers these are: machine, command, date, source */
void mp_html_origin(const struct mp_export *export);

/** mp_html_series - write values over time, and whose they were */
void mp_html_series(const struct mp_export *export);

/** mp_html_point - write function, file, line and binary of a point, for mp_html_frames() */
void mp_html_point(const struct mp_profile *profile, const struct mp_call_point *point,
		   char *text, size_t size);

/**
 * mp_html_frames - end the list before, and write frames as numbers of texts and a line;
 * then the texts
 * @names: texts of mp_html_point(), which are split in place
 *
 * Return: 0, or -ENOMEM.
 */
int mp_html_frames(FILE *file, const struct mp_names *names);

/** mp_html_history - write the intervals of a history, and no table */
void mp_html_history(const struct mp_export *export);

/** mp_html_history_flame - write the frames of a history's stacks. Return: 0, or -ENOMEM */
int mp_html_history_flame(const struct mp_export *export);

/**
 * mp_html_flame - write the flame graph: texts, frames and nodes
 *
 * If there are very many nodes, the values of the smallest are added to their callers.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_html_flame(struct mp_export *export);

#endif
