// SPDX-License-Identifier: GPL-2.0-only
/*
 * export-dhat: DHAT's JSON, version 2
 *
 * A program point is a stack of a program. DHAT knows of each what it had when all
 * together had most; we do not, and say that this moment was the end. Lifetimes are
 * not known stack by stack: they are 0. The blocks of a peak are estimated by the
 * mean size.
 */
#include "call-tree.h"
#include "export.h"
#include "frame-text.h"
#include "json-text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Sums of a program point. */
struct point {
	const struct mp_row *row;
	uint64_t bytes, blocks, peak_bytes, end_bytes, end_blocks;
};

struct writing {
	struct mp_export *export;
	struct mp_names frames;
	struct mp_map by_stack;
	struct point *points;
	size_t nr;
	bool failed;
};

static uint32_t frame_of(struct writing *writing, const char *text)
{
	uint32_t number = mp_names_add(&writing->frames, text);

	writing->failed |= number == MP_NAMES_NONE;
	return number;
}

/* All that is known of whose a stack is, in one number. */
static uint64_t owner_of(struct writing *writing, const struct mp_row *row)
{
	const struct mp_export *export = writing->export;
	char text[MP_OWNER_SIZE];
	unsigned int bit;
	uint64_t owner = 0;

	for (bit = MP_OWNER_CGROUP; bit <= MP_OWNER_PID; bit <<= 1)
		if (export->whose & bit &&
		    mp_leaf_owner(export->profile, row, bit, text))
			owner = mp_map_hash(owner, frame_of(writing, text));
	return owner;
}

static void add_row(struct writing *writing, const struct mp_row *row)
{
	const char *name = mp_leaf_name(row);
	uint64_t stack = name ? 1ULL << 32 | frame_of(writing, name) :
				row->place.stack;
	uint32_t *known = mp_map_add(&writing->by_stack, stack,
				     owner_of(writing, row));
	struct point *point;

	if (!known) {
		writing->failed = true;
		return;
	}
	if (*known == MP_MAP_NEW)
		*known = (uint32_t)writing->nr++;
	point = &writing->points[*known];
	point->row = row;
	point->bytes += row->value[MP_ALLOC_SPACE];
	point->blocks += row->value[MP_ALLOC_OBJECTS];
	point->peak_bytes += row->value[MP_PEAK_SPACE];
	point->end_bytes += row->value[MP_INUSE_SPACE];
	point->end_blocks += row->value[MP_INUSE_OBJECTS];
}

/* "0x1299: leaf (tree.c:13)", "0x9a3c: malloc (in /lib/libc.so.6)" */
static uint32_t point_frame(struct writing *writing,
			    const struct mp_call_point *point)
{
	const struct mp_profile *profile = writing->export->profile;
	const struct mp_frame *frame;
	const struct mp_line *line = mp_point_line(profile, point);
	const char *name, *source;
	char where[256], text[MP_SYMBOL_TEXT_SIZE * 2 + 64];

	if (point->frame == MP_FRAMES_NONE)
		return frame_of(writing, MP_FRAME_TRUNCATED);
	frame = &profile->frames.list[point->frame];
	mp_frame_text(profile, frame, where, sizeof(where));
	name = mp_point_name(profile, point, where, sizeof(where));
	source = line ? mp_symbols_text(&profile->symbols, line->file) : NULL;
	if (mp_frame_is_gap(frame))
		return frame_of(writing, where);
	if (source && line->line)
		snprintf(text, sizeof(text), "0x%" PRIx64 ": %s (%s:%" PRIu32 ")",
			 frame->offset, name, source,
			 line->line);
	else if (source)
		snprintf(text, sizeof(text), "0x%" PRIx64 ": %s (%s)",
			 frame->offset, name, source);
	else
		snprintf(text, sizeof(text), "0x%" PRIx64 ": %s (in %s)",
			 frame->offset, name, where);
	return frame_of(writing, text);
}

static void write_frame(struct writing *writing, uint32_t number, bool first)
{
	fprintf(writing->export->file, "%s%" PRIu32, first ? "" : ",", number);
}

/* Innermost first. */
static void write_stack(struct writing *writing, const struct mp_row *row)
{
	const struct mp_export *export = writing->export;
	struct mp_call_point points[MP_CALL_DEPTH];
	const char *name = mp_leaf_name(row);
	char text[MP_OWNER_SIZE];
	size_t i, nr = 0, callsite;
	unsigned int bit;

	if (name)
		write_frame(writing, frame_of(writing, name), true);
	else
		nr = mp_call_points_all(export->profile, &row->place, points,
					&callsite);
	for (i = 0; i < nr; i++)
		write_frame(writing, point_frame(writing, &points[i]), !i);
	for (bit = MP_OWNER_PID; bit; bit >>= 1)
		if (export->whose & bit &&
		    mp_leaf_owner(export->profile, row, bit, text))
			write_frame(writing, frame_of(writing, text), false);
}

static uint64_t peak_blocks(const struct point *point, uint64_t peak)
{
	double blocks = point->bytes ? (double)peak * (double)point->blocks /
				       (double)point->bytes : 0;

	return blocks > (double)point->end_blocks ? (uint64_t)(blocks + 0.5) :
						    point->end_blocks;
}

static void write_point(struct writing *writing, const struct point *point,
			bool first)
{
	uint64_t peak = point->peak_bytes > point->end_bytes ?
			point->peak_bytes : point->end_bytes;

	fprintf(writing->export->file, "%s\n{\"tb\":%" PRIu64 ",\"tbk\":%" PRIu64
		",\"tl\":0,\"mb\":%" PRIu64 ",\"mbk\":%" PRIu64 ",\"gb\":%"
		PRIu64 ",\"gbk\":%" PRIu64 ",\"eb\":%" PRIu64 ",\"ebk\":%"
		PRIu64 ",\"fs\":[", first ? "" : ",", point->bytes,
		point->blocks, peak, peak_blocks(point, peak),
		point->end_bytes, point->end_blocks, point->end_bytes,
		point->end_blocks);
	write_stack(writing, point->row);
	fputs("]}", writing->export->file);
}

static uint32_t any_pid(const struct mp_export *export)
{
	size_t i;

	for (i = 0; i < export->leaves.nr; i++)
		if (export->leaves.rows[i]->pid)
			return export->leaves.rows[i]->pid;
	return 0;
}

static void write_head(const struct writing *writing)
{
	const struct mp_export *export = writing->export;
	const struct memprof_status *status = &export->profile->meta.status;
	uint64_t span = status->now_ns > status->reset_ns ?
			status->now_ns - status->reset_ns : 0;

	fputs("{\"dhatFileVersion\":2,\"mode\":\"heap\",\"verb\":\"Allocated\",\"bklt\":true,\"bkacc\":false,\"tu\":\"ns\",\"Mtu\":\"ms\",\"tuth\":0,\"cmd\":",
	      export->file);
	mp_json_text(export->file, export->title);
	fprintf(export->file, ",\"pid\":%" PRIu32 ",\"te\":%" PRIu64 ",\"tg\":%"
		PRIu64 ",\"pps\":[", any_pid(export), span, span);
}

static void write_all(struct writing *writing)
{
	FILE *file = writing->export->file;
	size_t i;

	write_head(writing);
	for (i = 0; i < writing->nr; i++)
		write_point(writing, &writing->points[i], !i);
	fputs("],\n\"ftbl\":[", file);
	for (i = 0; i < writing->frames.nr; i++) {
		fputs(i ? ",\n" : "\n", file);
		mp_json_text(file, writing->frames.list[i]);
	}
	fputs("]}\n", file);
}

static int write_dhat(struct mp_export *export)
{
	const struct mp_leaves *leaves = &export->leaves;
	struct writing writing = {
		.export = export,
		.points = calloc(leaves->nr + 1, sizeof(*writing.points)),
	};
	size_t i;

	writing.failed = !writing.points;
	frame_of(&writing, "[root]");
	for (i = 0; !writing.failed && i < leaves->nr; i++)
		if (leaves->rows[i]->value[MP_ALLOC_OBJECTS] ||
		    leaves->rows[i]->value[MP_INUSE_OBJECTS])
			add_row(&writing, leaves->rows[i]);
	if (!writing.failed)
		write_all(&writing);
	mp_names_free(&writing.frames);
	mp_map_free(&writing.by_stack);
	free(writing.points);
	return writing.failed ? -ENOMEM : 0;
}

const struct mp_export_ops mp_export_dhat = {
	.name = "dhat",
	.summary = "for Firefox Profiler and Valgrind's dh_view.html: allocations",
	.shape = MP_EXPORT_STACKS,
	.write = write_dhat,
};
