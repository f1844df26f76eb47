/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * html: declares the parts of the page's data
 */
#ifndef MP_HTML_H
#define MP_HTML_H

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

/**
 * mp_html_flame - write the flame graph: texts, frames and nodes
 *
 * If there are very many nodes, the values of the smallest are added to their callers.
 *
 * Return: 0, or -ENOMEM.
 */
int mp_html_flame(struct mp_export *export);

#endif
