// SPDX-License-Identifier: GPL-2.0-only
/*
 * unwind-files: keeps what was read in a child (frame-image.h)
 *
 * A file is read once. If there are too many, all are closed.
 */
#include "unwind-files.h"
#include "binary-file.h"
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The time for reading binaries that can be saved up. */
#define BUDGET_NS	2000000000LL

/* Counts a refused file once, even if it is tried several times. */
static void note_refused(struct mp_unwind *unwind, uint32_t number,
			 const char *path, const char *why)
{
	uint32_t *known = mp_map_add(&unwind->refused, number, 0);

	if (!known || *known != MP_MAP_NEW)
		return;
	*known = 0;
	if (unwind->nr_refused < MP_UNWIND_NAMED)
		snprintf(unwind->why[unwind->nr_refused], MP_UNWIND_WHY_SIZE,
			 "%.*s: %.*s: stacks are cut there", 150, path, 90, why);
	unwind->nr_refused++;
}

static void open_elf(struct mp_unwind *unwind, struct mp_unwind_file *file,
		     uint32_t number, const struct mp_binary *binary)
{
	char path[MP_BINARY_FILE_PATH], why[MP_FRAME_WHY_SIZE];
	int fd = mp_binary_file_open(binary, path, sizeof(path));

	if (fd < 0)
		return;
	mp_frame_image_read(fd, binary, &file->image, why);
	close(fd);
	if (*why)
		note_refused(unwind, number, binary->path, why);
	if (!file->image.data)
		return;
	elf_version(EV_CURRENT);
	file->elf = elf_memory(file->image.data, file->image.size);
	unwind->bytes += file->image.size;
}

void mp_unwind_limit(struct mp_unwind *unwind, unsigned int percent)
{
	unwind->budget = (struct mp_unwind_budget){
		.percent = percent, .left_ns = BUDGET_NS, .at_ns = mp_clock_ns(),
	};
}

bool mp_unwind_may_read(struct mp_unwind *unwind)
{
	struct mp_unwind_budget *budget = &unwind->budget;
	uint64_t now = mp_clock_ns();

	if (!budget->percent)
		return true;
	budget->left_ns += (int64_t)((now - budget->at_ns) * budget->percent / 100);
	if (budget->left_ns > BUDGET_NS)
		budget->left_ns = BUDGET_NS;
	budget->at_ns = now;
	return budget->left_ns > 0;
}

void mp_unwind_spend(struct mp_unwind *unwind, uint64_t since_ns)
{
	unwind->budget.left_ns -= (int64_t)(mp_clock_ns() - since_ns);
}

static bool reserve_files(struct mp_unwind *unwind)
{
	if (!unwind->files)
		unwind->files = calloc(MP_UNWIND_FILES,
				       sizeof(*unwind->files));
	return unwind->files;
}

struct mp_unwind_file *mp_unwind_files_at(struct mp_unwind *unwind,
					  const struct mp_merge *merge,
					  uint32_t process, uint32_t number)
{
	uint32_t *known = reserve_files(unwind) ?
			  mp_map_add(&unwind->by_file, number, 0) : NULL;
	bool is_new = known && *known == MP_MAP_NEW;
	struct mp_unwind_file *file;
	struct mp_binary binary;

	if (!known)
		return NULL;
	if (is_new && (unwind->nr_files == MP_UNWIND_FILES ||
		       unwind->bytes >= MP_UNWIND_BYTES)) {
		mp_map_remove(&unwind->by_file, number, 0);
		return NULL;
	}
	if (is_new)
		*known = (uint32_t)unwind->nr_files++;
	file = &unwind->files[*known];
	if (!is_new && file->elf)
		return file;
	mp_merge_binary(merge, number, process, &binary);
	if (is_new)
		*file = (struct mp_unwind_file){ 0 };
	/*
	 * the file could not be opened, perhaps because the process has exited:
	 * try again through another process that maps it
	 */
	if (is_new || (binary.pid != file->tried && file->attempts < MP_UNWIND_ATTEMPTS &&
		       !mp_map_find(&unwind->refused, number, 0))) {
		file->tried = binary.pid;
		file->attempts++;
		open_elf(unwind, file, number, &binary);
	}
	return file;
}

void mp_unwind_files_close(struct mp_unwind *unwind)
{
	size_t i;

	for (i = 0; i < unwind->nr_files; i++) {
		if (unwind->files[i].cfi)
			dwarf_cfi_end(unwind->files[i].cfi);
		if (unwind->files[i].elf)
			elf_end(unwind->files[i].elf);
		free(unwind->files[i].image.data);
	}
	unwind->nr_files = 0;
	unwind->bytes = 0;
	mp_map_free(&unwind->by_file);
	free(unwind->files);
	unwind->files = NULL;
}
