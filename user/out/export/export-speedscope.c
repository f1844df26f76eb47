// SPDX-License-Identifier: GPL-2.0-only
/*
 * export-speedscope: writes speedscope's JSON format, with a profile per metric
 *
 * Each profile has the stacks of the flame graph with their own values. JavaScript
 * rounds numbers above 2^53. If memory is short, -ENOMEM is returned.
 */
#include "export-flame.h"
#include "frame-language.h"
#include "frame-text.h"
#include "json-text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define SCHEMA	"https://www.speedscope.app/file-format-schema.json"

struct writing {
	struct mp_export *export;
	const struct mp_stack_tree *flame;
	uint32_t *frames;		/* name -> its frame, from 1; 0: none */
	uint32_t *path;
};

static const char *language_of(const struct mp_profile *profile,
			       const struct mp_call_point *point)
{
	const struct mp_frame *frame = point->frame == MP_FRAMES_NONE ? NULL :
				       &profile->frames.list[point->frame];

	return frame && !mp_frame_is_mark(frame) ?
	       mp_languages[mp_frame_language(profile, frame)].key : NULL;
}

/*
 * Writes the functions. A function is identified by its name. If it occurs several
 * times, the source file and line of the first occurrence are written. "language" is not
 * in speedscope's schema, which allows other keys.
 */
static void write_frames(struct writing *writing)
{
	const struct mp_stack_tree *flame = writing->flame;
	const struct mp_profile *profile = writing->export->profile;
	FILE *file = writing->export->file;
	const struct mp_line *line;
	const char *source, *language;
	uint32_t nr = 0;
	size_t i;

	for (i = 1; i < flame->nr; i++) {
		const struct mp_stack_node *node = &flame->nodes[i];

		if (writing->frames[node->name])
			continue;
		fputs(nr++ ? ",\n{\"name\":" : "\n{\"name\":", file);
		writing->frames[node->name] = nr;
		mp_json_text(file, mp_stack_tree_name(flame, (uint32_t)i));
		line = mp_point_line(profile, &node->point);
		source = line ? mp_symbols_text(&profile->symbols, line->file) : NULL;
		if (source) {
			fputs(",\"file\":", file);
			mp_json_text(file, source);
		}
		if (source && line->line)
			fprintf(file, ",\"line\":%" PRIu32, line->line);
		language = language_of(profile, &node->point);
		if (language)
			fprintf(file, ",\"language\":\"%s\"", language);
		putc('}', file);
	}
}

static void write_stack(struct writing *writing, uint32_t node, bool first)
{
	const struct mp_stack_tree *flame = writing->flame;
	FILE *file = writing->export->file;
	uint32_t i;

	fputs(first ? "\n[" : ",\n[", file);
	for (i = 0; i < flame->nodes[node].depth; i++)
		fprintf(file, "%s%" PRIu32, i ? "," : "",
			writing->frames[writing->path[i]] - 1);
	putc(']', file);
}

static void write_samples(struct writing *writing, uint32_t value)
{
	const struct mp_stack_tree *flame = writing->flame;
	uint32_t node = MP_STACK_TREE_ROOT;
	bool first = true;

	while ((node = mp_stack_tree_next(flame, node))) {
		writing->path[flame->nodes[node].depth - 1] =
			flame->nodes[node].name;
		if (!mp_stack_tree_self(flame, node, value))
			continue;
		write_stack(writing, node, first);
		first = false;
	}
}

static void write_weights(struct writing *writing, uint32_t value)
{
	const struct mp_stack_tree *flame = writing->flame;
	uint32_t node = MP_STACK_TREE_ROOT;
	const char *comma = "";

	while ((node = mp_stack_tree_next(flame, node))) {
		if (!mp_stack_tree_self(flame, node, value))
			continue;
		fprintf(writing->export->file, "%s%" PRId64, comma,
			mp_stack_tree_self(flame, node, value));
		comma = ",";
	}
}

static void write_profile(struct writing *writing, enum mp_metric metric,
			  uint32_t value)
{
	const struct mp_metric_info *info = &mp_metrics[metric];
	FILE *file = writing->export->file;

	fprintf(file, "%s\n{\"type\":\"sampled\",\"name\":\"%s\",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRId64 ",\"samples\":[",
		value ? "," : "", info->key,
		info->unit == MP_UNIT_BYTES ? "bytes" : "none",
		mp_stack_tree_total(writing->flame, MP_STACK_TREE_ROOT, value));
	write_samples(writing, value);
	fputs("],\"weights\":[", file);
	write_weights(writing, value);
	fputs("]}", file);
}

static void write_file(struct writing *writing, const enum mp_metric *metrics,
		       uint32_t nr)
{
	struct mp_export *export = writing->export;
	uint32_t i, active = 0;

	for (i = 0; i < nr; i++)
		if (metrics[i] == export->metric)
			active = i;
	fputs("{\"$schema\":\"" SCHEMA "\",\"exporter\":", export->file);
	mp_json_text(export->file, export->exporter);
	fputs(",\"name\":", export->file);
	mp_json_text(export->file, export->title);
	fprintf(export->file, ",\"activeProfileIndex\":%" PRIu32
		",\"shared\":{\"frames\":[", active);
	write_frames(writing);
	fputs("]},\"profiles\":[", export->file);
	for (i = 0; i < nr; i++)
		write_profile(writing, metrics[i], i);
	fputs("]}\n", export->file);
}

static int write_speedscope(struct mp_export *export)
{
	enum mp_metric metrics[MP_EXPORT_NR_METRICS + 1];
	uint32_t nr = mp_export_metrics(export, metrics);
	struct mp_stack_tree flame;
	struct writing writing = { .export = export, .flame = &flame };
	int err = mp_export_flames(export, &flame, metrics, nr, NULL);

	if (!err) {
		writing.frames = calloc(flame.names.nr, sizeof(uint32_t));
		writing.path = calloc(flame.deepest + 1UL, sizeof(uint32_t));
		err = writing.frames && writing.path ? 0 : -ENOMEM;
	}
	if (!err)
		write_file(&writing, metrics, nr);
	free(writing.frames);
	free(writing.path);
	mp_stack_tree_free(&flame);
	return err;
}

const struct mp_export_ops mp_export_speedscope = {
	.name = "speedscope",
	.summary = "for speedscope.app: a profile for each metric",
	.shape = MP_EXPORT_STACKS_OF_ONE,
	.write = write_speedscope,
};
