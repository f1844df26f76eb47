// SPDX-License-Identifier: GPL-2.0-only
/*
 * guide: the unwinder, and each file's wrappers
 *
 * A file is looked through once, when a stack first leads there. One that cannot
 * be opened has no wrappers, until another process shows it.
 */
#include "guide.h"
#include "binary-file.h"

#include <stdlib.h>
#include <unistd.h>

struct mp_guide_file {
	struct mp_wrapper_range *ranges;
	size_t nr;
	bool was_opened;		/* if not, it was tried, */
	uint32_t tried;			/* by way of this process */
};

static const struct mp_wrappers none;

static void look_through(const struct mp_guide *guide,
			 const struct mp_binary *binary,
			 struct mp_guide_file *file)
{
	char path[MP_BINARY_FILE_PATH];
	int fd = mp_binary_file_open(binary, path, sizeof(path));

	*file = (struct mp_guide_file){ .tried = binary->pid };
	if (fd < 0)
		return;
	file->was_opened = true;
	mp_wrappers_ranges_apart(fd, path, binary, guide->wrappers ?: &none,
				 &file->ranges, &file->nr);
	close(fd);
}

static struct mp_guide_file *one_more(struct mp_guide *guide)
{
	size_t max = guide->max_files ? guide->max_files * 2 : 64;
	struct mp_guide_file *files;

	if (guide->nr_files == guide->max_files) {
		files = reallocarray(guide->files, max, sizeof(*files));
		if (!files)
			return NULL;
		guide->files = files;
		guide->max_files = max;
	}
	return &guide->files[guide->nr_files];
}

static const struct mp_guide_file *file_of(struct mp_guide *guide,
					   const struct mp_merge *merge,
					   uint32_t process, uint32_t number)
{
	uint32_t *known = mp_map_add(&guide->by_file, number, 0);
	bool is_new = known && *known == MP_MAP_NEW;
	struct mp_guide_file *file;
	struct mp_binary binary;

	if (!known)
		return NULL;
	file = is_new ? one_more(guide) : &guide->files[*known];
	if (!file) {
		mp_map_remove(&guide->by_file, number, 0);
		return NULL;
	}
	if (is_new)
		*known = (uint32_t)guide->nr_files++;
	else if (file->was_opened)
		return file;
	mp_merge_binary(merge, number, process, &binary);
	if (is_new || binary.pid != file->tried)
		look_through(guide, &binary, file);
	return file;
}

/* An offset that a call returns to may be behind its function's end. */
static bool is_wrapper(void *context, const struct mp_merge *merge,
		       uint32_t process, uint32_t number, uint64_t offset)
{
	const struct mp_guide_file *file = file_of(context, merge, process,
						   number);

	return file && mp_ranges_have(file->ranges, file->nr, offset - 1);
}

static bool keeps_frame(void *context, const struct mp_merge *merge,
			uint32_t process, uint32_t number, uint64_t offset)
{
	struct mp_guide *guide = context;

	return mp_unwind_keeps_frame(&guide->unwind, merge, process, number,
				     offset);
}

static uint32_t unwind(void *context, struct mp_merge *merge, uint32_t process,
		       const struct mp_dump *dump, uint64_t *frames)
{
	struct mp_guide *guide = context;

	guide->nr_unwound++;
	return mp_unwind_dump(&guide->unwind, merge, process, dump, frames);
}

static void end(void *context, uint32_t process)
{
	struct mp_guide *guide = context;

	mp_unwind_end(&guide->unwind, process);
}

void mp_guide_open(struct mp_guide *guide, const struct mp_wrappers *wrappers,
		   struct mp_merge_ops *ops)
{
	*guide = (struct mp_guide){ .wrappers = wrappers };
	*ops = (struct mp_merge_ops){
		.unwind = unwind,
		.is_wrapper = is_wrapper,
		.keeps_frame = keeps_frame,
		.end = end,
		.context = guide,
	};
}

void mp_guide_close(struct mp_guide *guide)
{
	size_t i;

	mp_unwind_free(&guide->unwind);
	for (i = 0; i < guide->nr_files; i++)
		free(guide->files[i].ranges);
	free(guide->files);
	mp_map_free(&guide->by_file);
}
