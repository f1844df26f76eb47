/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * svg: writes a flame graph as a picture with zoom and search
 */
#ifndef MP_SVG_H
#define MP_SVG_H

#include "stack-tree.h"
#include "metric.h"

#include <stdio.h>

/* Value of mp_svg.delta for a picture that shows no difference. */
#define MP_SVG_NO_DELTA		UINT32_MAX

/**
 * struct mp_svg - contents of a picture
 * @title: text above the flame graph
 * @note: remark below the flame graph; or NULL
 * @metric: metric of the values; its name and unit are shown
 * @value: index of the value shown as width; must not be negative
 * @delta: index of the value shown as colour: an increase is red, a decrease
 *	blue; or MP_SVG_NO_DELTA
 * @nr_left_out: out: number of frames that are too narrow
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
 * mp_svg_write - write the picture, with the root at the top
 *
 * The picture needs no other file. Names, and the texts of @svg, are escaped.
 *
 * Return: 0, or -ENOMEM with nothing written.
 */
int mp_svg_write(FILE *file, const struct mp_stack_tree *flame, struct mp_svg *svg);

/** mp_svg_text - write a text, escaped for XML elements and attributes */
void mp_svg_text(FILE *file, const char *text);

#endif
