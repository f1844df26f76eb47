/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * svg: a flame graph as a picture that can be zoomed and searched
 */
#ifndef MP_SVG_H
#define MP_SVG_H

#include "flame.h"
#include "metric.h"

#include <stdio.h>

/* Of a picture that shows no difference. */
#define MP_SVG_NO_DELTA		UINT32_MAX

/**
 * struct mp_svg - what a picture shows
 * @title: above it
 * @note: below it, what one should know; or NULL
 * @metric: its unit, and its name
 * @value: of the flame's, as width; 0 or more everywhere
 * @delta: of the flame's, as colour: what grew is red, what shrank blue; or
 *	MP_SVG_NO_DELTA
 * @nr_left_out: out: frames that are too narrow to be seen
 */
struct mp_svg {
	const char *title;
	const char *note;
	enum mp_metric metric;
	uint32_t value;
	uint32_t delta;
	size_t nr_left_out;
};

/**
 * mp_svg_write - write it, the root on top
 *
 * One file, that needs no other. Names, and texts of @svg, are escaped.
 *
 * Return: 0, or -ENOMEM with nothing written.
 */
int mp_svg_write(FILE *file, const struct mp_flame *flame, struct mp_svg *svg);

/** mp_svg_text - write a text as XML wants it, in attributes as well */
void mp_svg_text(FILE *file, const char *text);

#endif
