// SPDX-License-Identifier: GPL-2.0-only
/*
 * svg: draws a flame graph as rectangles, and adds a script to the picture
 *
 * A visible frame takes about 300 bytes of the file. Frames narrower than a tenth of a
 * pixel are counted and left out. Each frame has its position and value as
 * attributes, so flame.js does not have to compute them from the picture.
 * If memory is short, -ENOMEM is returned.
 */
#include "svg.h"
#include "flame-script.h"
#include "human.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Sizes in pixels. flame.js has the same numbers. */
#define LEFT		10
#define WIDTH		1180
#define CHAR		6.7
#define MARGIN		3

#define FRAME_HEIGHT	17
#define TOP		76
#define BOTTOM		28
#define LEAST		0.1

struct drawing {
	FILE *file;
	const struct mp_stack_tree *flame;
	struct mp_svg *svg;
	int64_t total;
	int64_t *begins;		/* left edge of each node, in units of the value */
	uint32_t deepest;		/* greatest depth of a visible frame */
	uint64_t widest_delta;
};

/* Whether a character is U+FFFE or U+FFFF, which XML does not permit. */
static bool is_noncharacter(const char *text)
{
	return (unsigned char)text[0] == 0xef && (unsigned char)text[1] == 0xbf &&
	       ((unsigned char)text[2] | 1) == 0xbf;
}

void mp_svg_text(FILE *file, const char *text)
{
	char room[1024];
	const char *c;
	size_t len;

	for (; *text; text += len) {
		/* write long texts in pieces, which end between two characters */
		len = strlen(text);
		if (len > 240) {
			len = 240;
			while (len > 200 && (text[len] & 0xc0) == 0x80)
				len--;
		}
		mp_text_escape(room, sizeof(room), text, len);
		for (c = room; *c; c++) {
			if (*c == '&' || *c == '<' || *c == '>' || *c == '"' ||
			    *c == '\'')
				fprintf(file, "&#%d;", *c);
			else if (is_noncharacter(c))
				fputs("?", file), c += 2;
			else
				putc_unlocked(*c, file);
		}
	}
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash ^ hash >> 15;
}

static double width_of(const struct drawing *drawing, uint32_t node)
{
	int64_t value = mp_stack_tree_total(drawing->flame, node,
				       drawing->svg->value);

	return drawing->total > 0 ? (double)WIDTH * (double)value /
				    (double)drawing->total : 0;
}

static int64_t delta_of(const struct drawing *drawing, uint32_t node)
{
	return mp_stack_tree_total(drawing->flame, node, drawing->svg->delta);
}

/*
 * Writes the colour of a frame. It is between green and blue and depends on the name;
 * names in brackets are grey.
 */
static void put_colour(const struct drawing *drawing, uint32_t node)
{
	const char *name = mp_stack_tree_name(drawing->flame, node);
	uint32_t hash = hash_of(name);
	double share;

	if (drawing->svg->delta != MP_SVG_NO_DELTA) {
		share = drawing->widest_delta ?
			(double)delta_of(drawing, node) /
			(double)drawing->widest_delta : 0;
		fprintf(drawing->file, "hsl(%d,80%%,%.0f%%)", share > 0 ? 5 : 215,
			95 - 40 * (share < 0 ? -share : share));
	} else if (!node || name[0] == '[') {
		fputs("hsl(200,8%,84%)", drawing->file);
	} else {
		fprintf(drawing->file, "hsl(%" PRIu32 ",%" PRIu32 "%%,%" PRIu32
			"%%)", 130 + hash % 90, 42 + hash / 90 % 18,
			70 + hash / 1620 % 12);
	}
}

/* Writes as many characters of a name as fit into a width. */
static void put_fitting(FILE *file, const char *name, double width)
{
	long room = (long)((width - 2 * MARGIN) / CHAR);
	char text[256];
	size_t len;

	if (room < 3)
		return;
	if (mp_text_width(name) <= (size_t)room) {
		mp_svg_text(file, name);
		return;
	}
	for (len = 0, room -= 2; name[len] && len + 4 < sizeof(text); len++)
		if ((name[len] & 0xc0) != 0x80 && room-- == 0)
			break;
	snprintf(text, sizeof(text), "%.*s", (int)len, name);
	mp_svg_text(file, text);
	fputs("..", file);
}

static void put_value(const struct drawing *drawing, int64_t value)
{
	enum mp_metric metric = drawing->svg->metric;
	char text[MP_HUMAN_SIZE];

	fputs(mp_human_metric(text, metric, (uint64_t)value, false),
	      drawing->file);
	if (mp_metrics[metric].unit == MP_UNIT_BYTES)
		fprintf(drawing->file, " (%" PRId64 " bytes)", value);
}

static void put_tooltip(const struct drawing *drawing, uint32_t node)
{
	const struct mp_stack_tree *flame = drawing->flame;
	int64_t value = mp_stack_tree_total(flame, node, drawing->svg->value);
	int64_t self = mp_stack_tree_self(flame, node, drawing->svg->value);

	mp_svg_text(drawing->file, mp_stack_tree_name(flame, node));
	fputs(": ", drawing->file);
	put_value(drawing, value);
	fprintf(drawing->file, ", %.2f %%", drawing->total > 0 ?
		100 * (double)value / (double)drawing->total : 0);
	if (self) {
		fputs(", self ", drawing->file);
		put_value(drawing, self);
	}
	if (drawing->svg->delta != MP_SVG_NO_DELTA)
		fprintf(drawing->file, ", %+" PRId64, delta_of(drawing, node));
}

static void put_frame(const struct drawing *drawing, uint32_t node)
{
	const struct mp_stack_tree *flame = drawing->flame;
	const char *name = mp_stack_tree_name(flame, node);
	double width = width_of(drawing, node);
	double x = LEFT + (drawing->total > 0 ? (double)WIDTH *
			   (double)drawing->begins[node] /
			   (double)drawing->total : 0);
	uint32_t depth = flame->nodes[node].depth;
	FILE *file = drawing->file;

	fputs("<g class=\"f\" data-n=\"", file);
	mp_svg_text(file, name);
	fprintf(file, "\" data-x=\"%" PRId64 "\" data-v=\"%" PRId64
		"\" data-d=\"%" PRIu32 "\"><title>", drawing->begins[node],
		mp_stack_tree_total(flame, node, drawing->svg->value), depth);
	put_tooltip(drawing, node);
	fprintf(file, "</title><rect x=\"%.2f\" y=\"%" PRIu32
		"\" width=\"%.2f\" height=\"%d\" fill=\"", x,
		TOP + depth * FRAME_HEIGHT, width, FRAME_HEIGHT - 1);
	put_colour(drawing, node);
	fprintf(file, "\"/><text x=\"%.2f\" y=\"%" PRIu32 "\">", x + MARGIN,
		TOP + depth * FRAME_HEIGHT + 12);
	put_fitting(file, name, width);
	fputs("</text></g>\n", file);
}

/* Whether a frame is wide enough. If it is not, its callees are not, either. */
static bool is_visible(const struct drawing *drawing, uint32_t node)
{
	return !node || width_of(drawing, node) >= LEAST;
}

/* Computes the left edges: the children of a node are side by side, in their order. */
static void lay_out(struct drawing *drawing)
{
	const struct mp_stack_tree *flame = drawing->flame;
	uint32_t node = MP_STACK_TREE_ROOT, child;
	uint64_t begin, delta;

	do {
		begin = (uint64_t)drawing->begins[node];
		for (child = flame->nodes[node].child; child;
		     child = flame->nodes[child].next) {
			drawing->begins[child] = (int64_t)begin;
			begin += (uint64_t)mp_stack_tree_total(flame, child,
							  drawing->svg->value);
		}
		if (!is_visible(drawing, node))
			drawing->svg->nr_left_out++;
		else if (flame->nodes[node].depth > drawing->deepest)
			drawing->deepest = flame->nodes[node].depth;
		if (drawing->svg->delta != MP_SVG_NO_DELTA && node) {
			delta = (uint64_t)delta_of(drawing, node);
			delta = (int64_t)delta < 0 ? -delta : delta;
			if (delta > drawing->widest_delta)
				drawing->widest_delta = delta;
		}
		node = mp_stack_tree_next(flame, node);
	} while (node);
}

static void put_style(FILE *file)
{
	fputs("<style>\n"
	      "text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #10231c; }\n"
	      ".f text { font-size: 11px; pointer-events: none; }\n"
	      ".f rect { stroke: #fff; stroke-width: 0.5; cursor: pointer; }\n"
	      ".f:hover rect { stroke: #10231c; stroke-width: 1; }\n"
	      ".above { opacity: 0.55; }\n"
	      ".hit rect { fill: #e657d0; }\n"
	      "#title { font-size: 16px; }\n"
	      "#reset { cursor: pointer; text-decoration: underline; }\n"
	      "#search { font: 12px ui-monospace, Menlo, Consolas, monospace; width: 200px; box-sizing: border-box; }\n"
	      ".back { fill: #fff; }\n"
	      /* dark frames are the light ones with less light; their text is not */
	      "@media (prefers-color-scheme: dark) {\n"
	      "svg { color-scheme: dark; }\n"
	      "text { fill: #eceef0; }\n"
	      ".back { fill: #16181c; }\n"
	      ".f rect { stroke: #16181c; filter: brightness(0.42); }\n"
	      ".f:hover rect { stroke: #fff; filter: brightness(0.5); }\n"
	      ".hit rect { fill: #ff2fb9; filter: brightness(0.6); }\n"
	      "}\n"
	      "</style>\n", file);
}

static void put_head(const struct drawing *drawing, uint32_t height)
{
	const struct mp_svg *svg = drawing->svg;
	const struct mp_metric_info *info = &mp_metrics[svg->metric];
	FILE *file = drawing->file;

	fprintf(file, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%"
		PRIu32 "\" viewBox=\"0 0 %d %" PRIu32 "\" data-unit=\"%s\"%s>\n",
		WIDTH + 2 * LEFT, height, WIDTH + 2 * LEFT, height,
		info->unit == MP_UNIT_BYTES ? "bytes" : "count",
		svg->nr_left_out ? " data-least=\"1\"" : "");
	put_style(file);
	fputs("<rect class=\"back\" width=\"100%\" height=\"100%\"/>\n"
	      "<text id=\"title\" x=\"10\" y=\"24\">", file);
	mp_svg_text(file, svg->title);
	fprintf(file, "</text>\n<text x=\"10\" y=\"44\">%s: ", info->key);
	put_value(drawing, drawing->total);
	fputs("</text>\n"
	      "<text id=\"details\" x=\"10\" y=\"66\"/>\n"
	      "<g id=\"controls\" style=\"display:none\">\n"
	      "<text id=\"reset\" x=\"640\" y=\"44\" style=\"display:none\">reset zoom</text>\n"
	      "<text id=\"matched\" x=\"740\" y=\"44\"/>\n"
	      "<foreignObject x=\"985\" y=\"26\" width=\"206\" height=\"28\">"
	      "<input xmlns=\"http://www.w3.org/1999/xhtml\" id=\"search\" placeholder=\"search (/)\"/>"
	      "</foreignObject>\n</g>\n", file);
}

static void put_foot(const struct drawing *drawing, uint32_t height)
{
	const struct mp_svg *svg = drawing->svg;
	FILE *file = drawing->file;

	fprintf(file, "<text id=\"note\" x=\"10\" y=\"%" PRIu32 "\">",
		height - 8);
	if (svg->nr_left_out)
		fprintf(file, "%zu frames narrower than %.1f pixels are not shown. ",
			svg->nr_left_out, LEAST);
	if (svg->note)
		mp_svg_text(file, svg->note);
	fprintf(file, "</text>\n<script><![CDATA[\n%s]]></script>\n</svg>\n",
		mp_flame_script);
}

static void put_frames(const struct drawing *drawing)
{
	uint32_t node = MP_STACK_TREE_ROOT;

	do {
		if (is_visible(drawing, node))
			put_frame(drawing, node);
		node = is_visible(drawing, node) ?
		       mp_stack_tree_next(drawing->flame, node) :
		       mp_stack_tree_skip(drawing->flame, node);
	} while (node);
}

int mp_svg_write(FILE *file, const struct mp_stack_tree *flame, struct mp_svg *svg)
{
	struct drawing drawing = {
		.file = file, .flame = flame, .svg = svg,
		.total = mp_stack_tree_total(flame, MP_STACK_TREE_ROOT, svg->value),
		.begins = calloc(flame->nr, sizeof(int64_t)),
	};
	uint32_t height;

	if (!drawing.begins)
		return -ENOMEM;
	svg->nr_left_out = 0;
	lay_out(&drawing);
	height = TOP + (drawing.deepest + 1) * FRAME_HEIGHT + BOTTOM;
	put_head(&drawing, height);
	put_frames(&drawing);
	put_foot(&drawing, height);
	free(drawing.begins);
	return 0;
}
