// SPDX-License-Identifier: GPL-2.0-only
/*
 * export-dhat: writes DHAT's JSON, version 2
 *
 * Each stack of the flame graph is a "program point" of DHAT. DHAT has values for the
 * time of the global peak. This time is not known, so the file says that it was the
 * end. Lifetimes per stack are not known and are 0. The number of blocks at a peak
 * is estimated from their mean size. If memory is short, -ENOMEM is returned.
 */
#include "export.h"
#include "call-tree.h"
#include "frame-text.h"
#include "json-text.h"

#include <inttypes.h>

/* Values of each node of the flame graph. The name of a node is the frame's text. */
enum {
	BYTES, BLOCKS, PEAK_BYTES, END_BYTES, END_BLOCKS, NR_VALUES,
};

static const enum mp_metric metrics[NR_VALUES] = {
	[BYTES] = MP_ALLOC_SPACE, [BLOCKS] = MP_ALLOC_OBJECTS,
	[PEAK_BYTES] = MP_PEAK_SPACE, [END_BYTES] = MP_INUSE_SPACE,
	[END_BLOCKS] = MP_INUSE_OBJECTS,
};

/* Writes a frame: "0x1299: leaf (tree.c:13)", "0x9a3c: malloc (in /lib/libc.so.6)". */
static void name_frame(const struct mp_profile *profile,
		       const struct mp_call_point *point, char *text,
		       size_t size)
{
	const struct mp_line *line = mp_point_line(profile, point);
	const struct mp_frame *frame;
	const char *name, *source;
	char where[256];

	if (point->frame == MP_FRAMES_NONE) {
		snprintf(text, size, MP_FRAME_TRUNCATED);
		return;
	}
	frame = &profile->frames.list[point->frame];
	mp_frame_text(profile, frame, where, sizeof(where));
	name = mp_point_name(profile, point, where, sizeof(where));
	source = line ? mp_symbols_text(&profile->symbols, line->file) : NULL;
	if (mp_frame_is_mark(frame))
		snprintf(text, size, "%s", where);
	else if (source && line->line)
		snprintf(text, size, "0x%" PRIx64 ": %s (%s:%" PRIu32 ")",
			 frame->offset, name, source, line->line);
	else if (source)
		snprintf(text, size, "0x%" PRIx64 ": %s (%s)", frame->offset,
			 name, source);
	else
		snprintf(text, size, "0x%" PRIx64 ": %s (in %s)",
			 frame->offset, name, where);
}

/* Writes the frames of a stack, innermost first. */
static void write_stack(FILE *file, const struct mp_stack_tree *flame, uint32_t node)
{
	for (; node; node = flame->nodes[node].parent)
		fprintf(file, "%" PRIu32 "%s", flame->nodes[node].name,
			flame->nodes[node].parent ? "," : "");
}

static int64_t peak_blocks(const int64_t *value, int64_t peak)
{
	double blocks = value[BYTES] ? (double)peak * (double)value[BLOCKS] /
				       (double)value[BYTES] : 0;

	return blocks > (double)value[END_BLOCKS] ? (int64_t)(blocks + 0.5) :
						    value[END_BLOCKS];
}

static void write_point(FILE *file, const struct mp_stack_tree *flame, uint32_t node)
{
	const int64_t *value = flame->self + (size_t)node * NR_VALUES;
	int64_t peak = value[PEAK_BYTES] > value[END_BYTES] ?
		       value[PEAK_BYTES] : value[END_BYTES];

	fprintf(file, "\n{\"tb\":%" PRId64 ",\"tbk\":%" PRId64
		",\"tl\":0,\"mb\":%" PRId64 ",\"mbk\":%" PRId64 ",\"gb\":%"
		PRId64 ",\"gbk\":%" PRId64 ",\"eb\":%" PRId64 ",\"ebk\":%"
		PRId64 ",\"fs\":[", value[BYTES], value[BLOCKS], peak,
		peak_blocks(value, peak), value[END_BYTES], value[END_BLOCKS],
		value[END_BYTES], value[END_BLOCKS]);
	write_stack(file, flame, node);
	fputs("]}", file);
}

static void write_points(FILE *file, const struct mp_stack_tree *flame)
{
	const char *comma = "";
	uint32_t node;

	for (node = 1; node < flame->nr; node++) {
		const int64_t *value = flame->self + (size_t)node * NR_VALUES;

		if (!value[BLOCKS] && !value[BYTES] && !value[END_BYTES])
			continue;
		fputs(comma, file);
		write_point(file, flame, node);
		comma = ",";
	}
}

static uint32_t any_pid(const struct mp_export *export)
{
	size_t i;

	for (i = 0; i < export->samples.nr; i++)
		if (export->samples.rows[i]->pid)
			return export->samples.rows[i]->pid;
	return 0;
}

static void write_head(const struct mp_export *export)
{
	const struct memprof_status *status = &export->profile->meta.status;
	uint64_t span = status->now_ns > status->reset_ns ?
			status->now_ns - status->reset_ns : 0;

	fputs("{\"dhatFileVersion\":2,\"mode\":\"heap\",\"verb\":\"Allocated\",\"bklt\":true,\"bkacc\":false,\"tu\":\"ns\",\"Mtu\":\"ms\",\"tuth\":0,\"cmd\":",
	      export->file);
	mp_json_text(export->file, export->title);
	fprintf(export->file, ",\"pid\":%" PRIu32 ",\"te\":%" PRIu64 ",\"tg\":%"
		PRIu64 ",\"pps\":[", any_pid(export), span, span);
}

static void write_all(const struct mp_export *export,
		      const struct mp_stack_tree *flame)
{
	size_t i;

	write_head(export);
	write_points(export->file, flame);
	fputs("],\n\"ftbl\":[\"[root]\"", export->file);
	for (i = 1; i < flame->names.nr; i++) {
		fputs(",\n", export->file);
		mp_json_text(export->file, flame->names.list[i]);
	}
	fputs("]}\n", export->file);
}

static int write_dhat(struct mp_export *export)
{
	const struct mp_call_tree_input input = {
		.metrics = metrics, .nr = NR_VALUES, .factor = 1,
		.whose = export->whose, .name = name_frame,
	};
	struct mp_stack_tree flame;
	int err = mp_stack_tree_open(&flame, NR_VALUES);

	if (!err)
		err = mp_call_tree_add(&flame, export->profile, &export->samples,
				   &input);
	if (!err)
		write_all(export, &flame);
	mp_stack_tree_free(&flame);
	return err;
}

const struct mp_export_ops mp_export_dhat = {
	.name = "dhat",
	.summary = "for Firefox Profiler and Valgrind's dh_view.html: allocations",
	.shape = MP_EXPORT_STACKS,
	.write = write_dhat,
};
