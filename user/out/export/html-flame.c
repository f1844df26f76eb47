// SPDX-License-Identifier: GPL-2.0-only
/*
 * html-flame: writes the flame graph of the page
 *
 * A frame is a function at a source line, in a binary, or in a language that has none.
 * Names and files are texts that are written once. A node takes about 20 bytes of the page.
 * If there are more than MAX_NODES, the smallest are left out, and their values are those of
 * their callers.
 */
#include "export-flame.h"
#include "frame-language.h"
#include "frame-text.h"
#include "html.h"
#include "json-text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NODES	200000

/* Separates the parts of a frame's name. No printable text has it. */
#define SEPARATOR	'\x1f'

#define NR_PARTS	4	/* function, file, line, binary */

void mp_html_point(const struct mp_profile *profile, const struct mp_call_point *point,
		   char *text, size_t size)
{
	const struct mp_line *line = mp_point_line(profile, point);
	const struct mp_frame *frame = point->frame == MP_FRAMES_NONE ? NULL :
				       &profile->frames.list[point->frame];
	const char *source = line ? mp_symbols_text(&profile->symbols, line->file) : NULL;
	enum mp_language language = MP_LANGUAGE_NATIVE;
	char name[2048], binary[128] = "";

	if (frame && !mp_frame_is_mark(frame))
		language = mp_frame_language(profile, frame);
	if (language == MP_LANGUAGE_KERNEL)
		snprintf(binary, sizeof(binary), "[kernel]");
	else if (mp_languages[language].binary)
		snprintf(binary, sizeof(binary), "%s", mp_languages[language].name);
	else if (frame && frame->binary)
		mp_file_base(profile->binaries[frame->binary - 1].path, binary,
			     sizeof(binary));
	snprintf(text, size, "%.1500s%c%s%c%" PRIu32 "%c%s",
		 mp_point_name(profile, point, name, sizeof(name)), SEPARATOR,
		 source ?: "", SEPARATOR, source ? line->line : 0, SEPARATOR, binary);
}

/* Splits a name at its separators, in place. Owners of stacks have only a function. */
static void split(char *name, const char *parts[NR_PARTS])
{
	int i;

	for (i = 0; i < NR_PARTS; i++) {
		parts[i] = name ?: "";
		name = name ? strchr(name, SEPARATOR) : NULL;
		if (name)
			*name++ = '\0';
	}
}

int mp_html_frames(FILE *file, const struct mp_names *names)
{
	struct mp_names texts = { 0 };
	const char *parts[NR_PARTS];
	uint32_t number = 0;
	size_t i, part;

	fputs("],\n\"frames\":[", file);
	for (i = 0; number != MP_NAMES_NONE && i < names->nr; i++) {
		split(names->list[i], parts);
		for (part = 0; part < NR_PARTS; part++) {
			number = part == 2 ? (uint32_t)strtoul(parts[2], NULL, 10) :
				 mp_names_add(&texts, parts[part]);
			fprintf(file, "%s%" PRIu32, i || part ? "," : "", number);
			if (number == MP_NAMES_NONE && part != 2)
				break;
		}
	}
	fputs("],\n\"texts\":[", file);
	for (i = 0; i < texts.nr; i++) {
		fputs(i ? ",\n" : "", file);
		mp_json_text(file, texts.list[i]);
	}
	i = texts.nr;
	mp_names_free(&texts);
	return i || !names->nr ? 0 : -ENOMEM;
}

static uint64_t width_of(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* Whether a node has at least a part of the whole in one metric. */
static bool is_large(const struct mp_stack_tree *flame, uint32_t node,
		     uint64_t parts)
{
	int64_t value, all;
	uint32_t i;

	for (i = 0; i < flame->nr_values; i++) {
		value = mp_stack_tree_total(flame, node, i);
		all = mp_stack_tree_total(flame, MP_STACK_TREE_ROOT, i);
		if (value && width_of(value) >= width_of(all) / parts)
			return true;
	}
	return false;
}

/*
 * Numbers the nodes that are written: those that are large enough, and whose callers
 * are written. Returns how many.
 */
static uint32_t number_nodes(const struct mp_stack_tree *flame, uint64_t parts,
			     uint32_t *numbers)
{
	uint32_t i, nr = 1;

	numbers[0] = 0;
	for (i = 1; i < flame->nr; i++)
		numbers[i] = numbers[flame->nodes[i].parent] != UINT32_MAX &&
			     (!parts || is_large(flame, i, parts)) ? nr++ : UINT32_MAX;
	return nr;
}

/* Adds what a node has to its caller, if the node is not written. */
static void fold_nodes(struct mp_stack_tree *flame, const uint32_t *numbers)
{
	uint32_t i, value, parent;

	for (i = (uint32_t)flame->nr; i-- > 1;) {
		if (numbers[i] != UINT32_MAX)
			continue;
		parent = flame->nodes[i].parent;
		for (value = 0; value < flame->nr_values; value++)
			flame->self[(size_t)parent * flame->nr_values + value] +=
				mp_stack_tree_self(flame, i, value);
	}
}

/* Writes frame, parent and own values of each node. The root comes first. */
static int write_nodes(FILE *file, struct mp_stack_tree *flame)
{
	uint32_t *numbers = calloc(flame->nr, sizeof(*numbers));
	uint64_t parts = 1 << 20;
	uint32_t i, value, nr;

	if (!numbers)
		return -ENOMEM;
	for (nr = number_nodes(flame, 0, numbers); nr > MAX_NODES && parts; parts /= 2)
		nr = number_nodes(flame, parts, numbers);
	fold_nodes(flame, numbers);
	fprintf(file, "],\n\"hidden\":%zu,\n\"nodes\":[", flame->nr - nr);
	for (i = 0; i < flame->nr; i++) {
		if (numbers[i] == UINT32_MAX)
			continue;
		fprintf(file, "%s%" PRIu32 ",%" PRIu32, i ? ",\n" : "",
			i ? flame->nodes[i].name : 0,
			numbers[flame->nodes[i].parent]);
		for (value = 0; value < flame->nr_values; value++)
			fprintf(file, ",%" PRId64,
				mp_stack_tree_self(flame, i, value));
	}
	free(numbers);
	return 0;
}

int mp_html_flame(struct mp_export *export)
{
	enum mp_metric metrics[MP_EXPORT_NR_METRICS + 1];
	uint32_t nr = mp_export_metrics(export, metrics), i, chosen = 0;
	struct mp_stack_tree flame;
	int err = mp_export_flames(export, &flame, metrics, nr, mp_html_point);

	fputs("\"flame\":{\"metrics\":[", export->file);
	for (i = 0; i < nr; i++) {
		if (i)
			fputc(',', export->file);
		mp_html_metric(export->file, export->profile, metrics[i]);
		fputs(export->net >> i & 1 ? ",\"net\":true}" : "}", export->file);
		if (metrics[i] == export->metric)
			chosen = i;
	}
	if (!err)
		err = mp_html_frames(export->file, &flame.names);
	if (!err)
		err = write_nodes(export->file, &flame);
	fprintf(export->file, "],\"chosen\":%" PRIu32 "},\n", chosen);
	mp_stack_tree_free(&flame);
	return err;
}
