// SPDX-License-Identifier: GPL-2.0-only
/*
 * export-perf: writes stacks as samples of a perf event
 *
 * It is not in user/out, because it needs the records of user/source. Each
 * stack is a sample of the event memprof:site. Its period is the chosen metric;
 * its fields are all metrics. Each binary is mapped at the same address in all
 * processes, from offset 0, so perf finds its symbols. A row without a stack
 * has no call chain. Writing perf's format needs a seekable file, so it is
 * written to a temporary file and copied.
 */
#include "export-perf.h"
#include "kernel-text.h"
#include "perf-rings.h"
#include "perf-synth.h"
#include "perf-writer.h"
#include "sums.h"

#include <errno.h>
#include <string.h>

/* Distance between the mappings of two binaries. Each mapping is half as large. */
#define MAP_DISTANCE	(1ULL << 33)

/*
 * First pid for sums of exited processes, which have none; above all process
 * ids.
 */
#define NO_PID		(1U << 23)

/* Context marks of a call chain: kernel and user. */
#define NR_MARKS	2

struct writing {
	struct mp_export *export;
	struct mp_perf_writer writer;
	struct mp_perf_rings rings;
	struct mp_sums sums;
	struct mp_perf_synth synth;
	struct mp_map pids;
	struct mp_map maps;
};

/* A call chain that is being built. */
struct chain {
	uint64_t frames[MP_STACKS_DEPTH + NR_MARKS];
	uint32_t nr, nr_marks;
	uint64_t context;
};

static int write_record(void *context, const struct perf_event_header *record)
{
	struct writing *writing = context;

	return mp_perf_writer_put(&writing->writer, &writing->rings.events,
				  record);
}

/*
 * Sets the pid of a row. Rows that are sums of several processes get the same
 * pid if they have the same command name. Writes a record with the command name
 * for perf.
 */
static int name_process(struct writing *writing, struct mp_row *row)
{
	uint64_t words[sizeof(row->comm) / sizeof(uint64_t)], name = 0;
	uint32_t *known;
	size_t i;

	memcpy(words, row->comm, sizeof(words));
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		name = mp_map_hash(name, words[i]);
	known = mp_map_add(&writing->pids, row->pid, name);
	if (!known)
		return -ENOMEM;
	if (*known != MP_MAP_NEW) {
		row->pid = *known;
		return 0;
	}
	if (!row->pid)
		row->pid = NO_PID + (uint32_t)writing->pids.nr;
	*known = row->pid;
	return mp_perf_synth_comm(&writing->synth, (pid_t)row->pid, row->comm);
}

static int map_binary(struct writing *writing, uint32_t pid, uint32_t binary)
{
	uint32_t *known = mp_map_add(&writing->maps, pid, binary);

	if (!known)
		return -ENOMEM;
	if (*known != MP_MAP_NEW)
		return 0;
	*known = 0;
	return mp_perf_synth_map(&writing->synth, (pid_t)pid,
				 binary * MAP_DISTANCE, MAP_DISTANCE / 2,
			&writing->export->profile->binaries[binary - 1]);
}

static int add_frame(struct writing *writing, uint32_t pid,
		     const struct mp_frame *frame, struct chain *chain)
{
	uint64_t context = mp_frame_is_kernel(frame) ? PERF_CONTEXT_KERNEL :
						       PERF_CONTEXT_USER;
	bool first = !chain->nr;

	if (context != chain->context) {
		/* allow one change from kernel to user only: the stack is untrusted */
		if (chain->nr_marks == NR_MARKS)
			return 0;
		chain->nr_marks++;
		chain->frames[chain->nr++] = context;
		chain->context = context;
	}
	/*
	 * perf subtracts 1 from each return address, but not from the innermost
	 * address: so subtract 1 from that address here
	 */
	chain->frames[chain->nr++] = frame->binary * MAP_DISTANCE +
				     frame->offset - first;
	return frame->binary ? map_binary(writing, pid, frame->binary) : 0;
}

static int list_frames(struct writing *writing, const struct mp_row *row,
		       struct chain *chain)
{
	const struct mp_profile *profile = writing->export->profile;
	const struct mp_frame *frame;
	struct mp_frames_stack stack;
	uint32_t i;
	int err = 0;

	if (!row->location.stack)
		return 0;
	stack = mp_frames_stack(&profile->frames, row->location.stack - 1);
	for (i = 0; !err && i < stack.nr; i++) {
		frame = &profile->frames.list[stack.list[i] - MP_FRAMES_FIRST];
		if (!mp_frame_is_mark(frame))
			err = add_frame(writing, row->pid, frame, chain);
	}
	return err;
}

static int write_row(struct writing *writing, const struct mp_row *from)
{
	const struct mp_export *export = writing->export;
	struct chain chain = { .nr = 0 };
	struct mp_row row = *from;
	int err = name_process(writing, &row);

	if (!err)
		err = list_frames(writing, &row, &chain);
	return err ?: mp_perf_synth_stack(&writing->synth, MP_PERF_ID_SITE,
					  export->profile->meta.status.now_ns,
					  row.value[export->metric], &row,
					  chain.frames, chain.nr);
}

/*
 * Returns true if the value is greater than 0: the period of a sample cannot be
 * negative. Negative values are added to left_out.
 */
static bool is_exported(struct mp_export *export, const struct mp_row *row)
{
	int64_t value = (int64_t)row->value[export->metric];

	if (value < 0)
		export->left_out += value;
	return value > 0;
}

static int write_rows(struct writing *writing)
{
	struct mp_export *export = writing->export;
	size_t i;
	int err = 0;

	for (i = 0; !err && i < export->samples.nr; i++)
		if (is_exported(export, export->samples.rows[i]))
			err = write_row(writing, export->samples.rows[i]);
	return err;
}

/*
 * Writes the mapping of the kernel to which the frames belong. A recording may
 * be from another kernel than the running one.
 */
static int write_kernel(struct writing *writing)
{
	const struct mp_meta *meta = &writing->export->profile->meta;
	uint64_t text = meta->kernel_start, etext = meta->kernel_end;

	if (!text && !mp_kernel_text(&text, &etext))
		return 0;
	return mp_perf_synth_kernel(&writing->synth, text, etext);
}

static int write_header(struct writing *writing)
{
	const struct mp_export *export = writing->export;
	char *argv[2];
	int err;

	argv[0] = (char *)export->exporter;
	argv[1] = (char *)export->title;
	writing->sums.writer = &writing->writer;
	writing->sums.events = &writing->rings.events;
	err = mp_sums_invent(&writing->sums, &writing->rings);
	if (err)
		return err;
	writing->synth = (struct mp_perf_synth){
		.put = write_record, .context = writing,
		.id = mp_sums_event_id(&writing->rings.events,
				       writing->sums.site_event),
	};
	return mp_perf_writer_describe(&writing->writer,
				       &writing->rings.events, argv, 2) ?:
	       write_kernel(writing);
}

static int copy_file(FILE *from, FILE *to)
{
	char piece[65536];
	size_t size;

	rewind(from);
	while ((size = fread(piece, 1, sizeof(piece), from)))
		if (fwrite(piece, 1, size, to) != size)
			return errno ? -errno : -EIO;
	return ferror(from) ? -EIO : 0;
}

static int write_perf(struct mp_export *export)
{
	struct writing writing = { .export = export };
	FILE *file = tmpfile();
	int err, last;

	if (!file)
		return -errno;
	err = mp_perf_writer_start(&writing.writer, file);
	if (!err)
		err = write_header(&writing);
	if (!err)
		err = write_rows(&writing);
	last = mp_perf_writer_finish(&writing.writer);
	err = err ? err : last;
	if (!err)
		err = copy_file(file, export->file);
	fclose(file);
	mp_perf_rings_close(&writing.rings);
	mp_map_free(&writing.pids);
	mp_map_free(&writing.maps);
	return err;
}

const struct mp_export_ops mp_export_perf = {
	.name = "perf",
	.summary = "a perf.data for perf report and perf script",
	.shape = MP_EXPORT_STACKS_OF_ONE,
	.binary = true,
	.labels = true,
	.write = write_perf,
};
