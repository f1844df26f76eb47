// SPDX-License-Identifier: GPL-2.0-only
/*
 * symbolization: finds the symbols of frames, binary by binary
 *
 * Each file is opened once: by its path, or below the root of one of its
 * processes, which may be in another mount namespace. Functions return -ENOMEM
 * without memory.
 */
#include "symbolization.h"
#include "binary-file.h"
#include "interpreted.h"
#include "kernel-names.h"
#include "perf-map.h"
#include "regular-file.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Frames that are looked up together, because their symbols are in the same file. */
struct batch {
	struct mp_profile *profile;
	struct mp_frame **frames;
	struct mp_spot *spots;
	size_t nr;
};

/* Sorts by the source of symbols: the kernel first, then processes, then binaries. */
static int compare_source(const void *x, const void *y)
{
	const struct mp_frame *a = *(struct mp_frame **)x;
	const struct mp_frame *b = *(struct mp_frame **)y;
	bool kernel_a = mp_frame_is_kernel(a), kernel_b = mp_frame_is_kernel(b);

	if (kernel_a != kernel_b)
		return kernel_b - kernel_a;
	if (a->binary != b->binary)
		return a->binary < b->binary ? -1 : 1;
	if (!kernel_a && a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

static bool is_same_source(const struct mp_frame *a, const struct mp_frame *b)
{
	if (a->binary || b->binary)
		return a->binary == b->binary;
	if (mp_frame_is_kernel(a) || mp_frame_is_kernel(b))
		return mp_frame_is_kernel(a) && mp_frame_is_kernel(b);
	return a->pid == b->pid;
}

static void symbolise_kernel(struct batch *batch)
{
	const struct mp_meta *meta = &batch->profile->meta;
	const uint64_t text[2] = { meta->kernel_start, meta->kernel_end };

	if (mp_kernel_names_find(text[0] ? text : NULL, batch->spots, batch->nr,
				 &batch->profile->symbols) == -ESTALE)
		mp_profile_warn(batch->profile,
				"functions of the kernel have no names: the recording is of another kernel or boot");
}

static void symbolise_jit(struct batch *batch, pid_t pid)
{
	int err = mp_symbolise_jit(pid, batch->spots, batch->nr,
				   &batch->profile->symbols);
	char text[MP_WARNING_SIZE];

	/* most processes have no perf map: report nothing */
	if (!err || err == -ENOENT)
		return;
	snprintf(text, sizeof(text),
		 "functions that process %d compiled have no names: perf-%d.map: %s",
		 (int)pid, (int)pid, mp_regular_error(err));
	mp_profile_warn(batch->profile, text);
}

/* Names the lines of an interpreted function, of which nothing has to be read. */
static void name_interpreted(struct batch *batch, const char *path)
{
	struct mp_symbols *symbols = &batch->profile->symbols;
	const char *file = mp_interpreted_file(path);
	const size_t len = file ? (size_t)(file - 1 - path) : strlen(path);
	char text[MP_SYMBOL_TEXT_SIZE];
	struct mp_line line = { .file = MP_NAMES_NONE };
	size_t i;

	mp_text_escape(text, sizeof(text), path, len);
	line.function = mp_names_add(&symbols->names, text);
	if (file) {
		mp_text_escape(text, sizeof(text), file, strlen(file));
		line.file = mp_names_add(&symbols->names, text);
	}
	for (i = 0; i < batch->nr; i++) {
		line.line = (uint32_t)(batch->spots[i].offset - 1);
		if (line.function == MP_NAMES_NONE || mp_symbols_add(symbols, &line))
			return;
		batch->spots[i].first = (uint32_t)symbols->nr_lines - 1;
		batch->spots[i].nr = 1;
	}
}

static void symbolise_batch(struct batch *batch,
			    const struct mp_symbolise_options *options)
{
	const struct mp_frame *first = batch->frames[0];
	struct mp_symbols *symbols = &batch->profile->symbols;
	const struct mp_binary *binary;
	char path[MP_BINARY_FILE_PATH];
	int fd;

	if (mp_frame_is_kernel(first))
		symbolise_kernel(batch);
	else if (!first->binary && first->pid)
		symbolise_jit(batch, (pid_t)first->pid);
	if (!first->binary)
		return;
	binary = &batch->profile->binaries[first->binary - 1];
	if (mp_interpreted_is(binary->path)) {
		name_interpreted(batch, binary->path);
		return;
	}
	fd = mp_binary_file_open(binary, path, sizeof(path));
	/* without inode and build-id, any file could be at the path */
	if (fd >= 0 || binary->build_id_size)
		mp_symbolise(options, fd, path, binary, batch->spots, batch->nr,
			     symbols);
	if (fd >= 0)
		close(fd);
}

/* The lookups may return spots in any order, so sort them by offset. */
static int compare_offset(const void *x, const void *y)
{
	const struct mp_spot *a = x, *b = y;

	return (a->offset > b->offset) - (a->offset < b->offset);
}

static void name_batch(struct batch *batch,
		       const struct mp_symbolise_options *options)
{
	size_t i;

	for (i = 0; i < batch->nr; i++)
		batch->spots[i] = (struct mp_spot){
			.offset = batch->frames[i]->offset,
		};
	symbolise_batch(batch, options);
	qsort(batch->spots, batch->nr, sizeof(*batch->spots), compare_offset);
	for (i = 0; i < batch->nr; i++) {
		batch->frames[i]->first = batch->spots[i].first;
		batch->frames[i]->nr = batch->spots[i].nr;
	}
}

static void name_all(struct mp_profile *profile, struct mp_frame **frames,
		     struct mp_spot *spots, size_t nr,
		     const struct mp_symbolise_options *options,
		     void (*progress)(double done))
{
	struct batch batch = { .profile = profile, .spots = spots };
	size_t i;

	for (i = 0; i < nr; i += batch.nr) {
		batch.frames = frames + i;
		for (batch.nr = 1; i + batch.nr < nr &&
		     is_same_source(frames[i], frames[i + batch.nr]);)
			batch.nr++;
		if (progress)
			progress((double)i / (double)nr);
		name_batch(&batch, options);
		if (progress)
			progress((double)(i + batch.nr) / (double)nr);
	}
}

static void warn_of_budget(struct mp_profile *profile,
			   const struct mp_symbolise_budget *budget)
{
	char text[MP_WARNING_SIZE];

	if (budget->nr_late) {
		snprintf(text, sizeof(text),
			 "%zu binaries have no names: reading the others took more than %d s, and the next report goes on",
			 budget->nr_late, (int)(MP_SYMBOLISE_BUDGET_NS / 1000000000));
		mp_profile_warn(profile, text);
	}
	if (budget->nr_packed) {
		snprintf(text, sizeof(text),
			 "%zu binaries have no lines: their compressed debug sections would become too large",
			 budget->nr_packed);
		mp_profile_warn(profile, text);
	}
	if (budget->nr_failed) {
		snprintf(text, sizeof(text),
			 "%zu binaries have no names: reading them took too much time or memory, or they are corrupt",
			 budget->nr_failed);
		mp_profile_warn(profile, text);
	}
}

/* Moves the frames from @first on that rows have to the begin of @frames. Returns their number. */
static size_t choose_used(const struct mp_profile *profile, size_t first,
			  struct mp_frame **frames, size_t nr)
{
	bool *used = calloc(nr + 1, sizeof(*used));
	struct mp_frames_stack stack;
	size_t i, kept = 0;
	uint32_t level;

	/* without memory all are looked up */
	if (!used)
		return nr;
	for (i = 0; i < profile->nr_rows; i++) {
		if (!profile->rows[i].location.stack)
			continue;
		stack = mp_frames_stack(&profile->frames, profile->rows[i].location.stack - 1);
		for (level = 0; level < stack.nr; level++)
			if (stack.list[level] - MP_FRAMES_FIRST >= first &&
			    stack.list[level] - MP_FRAMES_FIRST - first < nr)
				used[stack.list[level] - MP_FRAMES_FIRST - first] = true;
	}
	for (i = 0; i < nr; i++)
		if (used[i])
			frames[kept++] = frames[i];
	free(used);
	return kept;
}

int mp_symbolize_frames(struct mp_profile *profile,
			const struct mp_symbolise_options *options,
			void (*progress)(double done))
{
	struct mp_symbolise_budget budget = { .left_ns = MP_SYMBOLISE_BUDGET_NS };
	struct mp_symbolise_options bounded = { .budget = &budget };
	size_t i, first = profile->frames.nr_named;
	size_t nr = profile->frames.nr - first, nr_wanted = nr;
	struct mp_frame **frames = reallocarray(NULL, nr + 1, sizeof(*frames));
	struct mp_spot *spots = reallocarray(NULL, nr + 1, sizeof(*spots));

	if (frames && spots) {
		for (i = 0; i < nr; i++)
			frames[i] = &profile->frames.list[first + i];
		if (options && options->only_used)
			nr_wanted = choose_used(profile, first, frames, nr);
		qsort(frames, nr_wanted, sizeof(*frames), compare_source);
		bounded.debuginfod = options && options->debuginfod;
		name_all(profile, frames, spots, nr_wanted, &bounded, progress);
		warn_of_budget(profile, &budget);
		profile->frames.nr_named += nr;
	}
	i = frames && spots;
	free(frames);
	free(spots);
	return i ? 0 : -ENOMEM;
}
