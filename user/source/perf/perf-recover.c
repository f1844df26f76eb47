// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-recover: copies the complete records of a broken file to a new one
 *
 * perf-writer.h explains what a piece is. The pieces that describe the
 * recording are kept in memory.
 */
#include "perf-writer.h"
#include "blob.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NR_PIECES	32

/*
 * The pieces that were read; the index is enum mp_perf_feature.
 * @more: the bytes of each piece that were read so far
 * @is_whole: all bytes of the piece were read
 * @features: complete pieces, to be written
 *
 * The description of the events cannot be used without the formats of the
 * events, which are written last. So complete pieces move from @more to
 * @features only when the formats are complete.
 */
struct pieces {
	struct mp_blob more[NR_PIECES];
	bool is_whole[NR_PIECES];
	struct mp_blob features[NR_PIECES];
};

static void keep_pieces(struct pieces *pieces)
{
	size_t i;

	for (i = 0; i < NR_PIECES; i++) {
		if (!pieces->is_whole[i])
			continue;
		free(pieces->features[i].data);
		pieces->features[i] = pieces->more[i];
		pieces->more[i] = (struct mp_blob){ 0 };
		pieces->is_whole[i] = false;
	}
}

static void take_piece(struct pieces *pieces, const struct perf_event_header *h)
{
	const struct mp_perf_piece *piece = (const void *)h;
	struct mp_blob *blob;

	if (h->size < sizeof(*piece) || piece->what >= NR_PIECES ||
	    memcmp(piece->magic, MP_PERF_PIECE_MAGIC, sizeof(piece->magic)) ||
	    piece->bytes > h->size - sizeof(*piece))
		return;
	blob = &pieces->more[piece->what];
	if (!piece->offset)
		blob->size = 0;
	if (blob->size == piece->offset)
		mp_blob_put(blob, piece + 1, piece->bytes);
	pieces->is_whole[piece->what] = blob->size == piece->total &&
					!blob->failed;
	if (pieces->is_whole[piece->what] &&
	    piece->what == MP_PERF_TRACING_DATA)
		keep_pieces(pieces);
}

/* Checks that the sizes in an event description fit its length. */
static bool is_sound(const struct mp_blob *desc)
{
	size_t at = 8, nr_ids, len;
	uint32_t nr, value[2];

	if (desc->size < at)
		return false;
	memcpy(&nr, desc->data, sizeof(nr));
	for (; nr; nr--) {
		if (desc->size - at < MP_PERF_ATTR_SIZE + 8)
			return false;
		memcpy(value, desc->data + at + MP_PERF_ATTR_SIZE, sizeof(value));
		nr_ids = value[0];
		len = value[1];
		at += MP_PERF_ATTR_SIZE + 8;
		if (len > desc->size - at ||
		    nr_ids > (desc->size - at - len) / sizeof(uint64_t))
			return false;
		at += len + nr_ids * sizeof(uint64_t);
	}
	return true;
}

int mp_perf_recover(FILE *from, struct mp_perf_writer *writer,
		    uint64_t *nr_lost_bytes)
{
	static uint64_t words[65536 / sizeof(uint64_t)];
	static const struct mp_perf_events none;
	struct perf_event_header *record = (void *)words;
	struct mp_perf_header header;
	struct pieces pieces = { 0 };
	off_t size, at = sizeof(header);
	bool sound;
	int err = 0;
	size_t i;

	if (fseeko(from, 0, SEEK_END))
		return -ENODATA;
	size = ftello(from);
	if (size < 0 || fseeko(from, 0, SEEK_SET) ||
	    fread(&header, sizeof(header), 1, from) != 1 ||
	    memcmp(header.magic, MP_PERF_MAGIC, sizeof(header.magic)))
		return -ENODATA;
	/* a complete file has the features after the data */
	if (header.data.size && header.data.offset == sizeof(header) &&
	    header.data.size < (uint64_t)size)
		size = at + (off_t)header.data.size;
	while (!err && size - at >= (off_t)sizeof(*record) &&
	       fread(record, sizeof(*record), 1, from) == 1 &&
	       record->size >= sizeof(*record) && !(record->size % 8) &&
	       record->size <= size - at &&
	       (record->size == sizeof(*record) ||
		fread(record + 1, record->size - sizeof(*record), 1, from))) {
		if (record->type == MP_PERF_RECORD_SKIPPED)
			take_piece(&pieces, record);
		err = mp_perf_writer_put(writer, &none, record);
		at += record->size;
	}
	*nr_lost_bytes = (uint64_t)(size - at);
	sound = is_sound(&pieces.features[MP_PERF_EVENT_DESC]);
	for (i = 0; i < NR_PIECES; i++) {
		struct mp_blob *blob = &pieces.features[i];

		free(pieces.more[i].data);
		if (!err && sound && blob->size)
			err = mp_perf_writer_keep(writer, (uint32_t)i, blob->data,
						  blob->size);
		free(blob->data);
	}
	return err ? err : sound ? 0 : -ENODATA;
}
