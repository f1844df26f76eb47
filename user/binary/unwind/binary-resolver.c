// SPDX-License-Identifier: GPL-2.0-only
/*
 * binary-resolver: combines the unwinder and the wrappers of each file
 *
 * A file is read once, when a stack first contains one of its addresses. If it
 * cannot be opened, it is tried again for another process that maps it.
 */
#include "binary-resolver.h"
#include "array.h"
#include "binary-file.h"
#include "clock.h"

#include <stdlib.h>
#include <unistd.h>

struct mp_resolver_file {
	struct mp_wrapper_range *ranges;
	size_t nr;
	bool was_opened;		/* false: it could not be opened */
	uint32_t tried;			/* process used for the last attempt */
	uint32_t attempts;
};

static const struct mp_wrappers none;

static void read_wrappers(const struct mp_binary_resolver *resolver,
			  const struct mp_binary *binary,
			  struct mp_resolver_file *file)
{
	char path[MP_BINARY_FILE_PATH];
	int fd = mp_binary_file_open(binary, path, sizeof(path));

	file->tried = binary->pid;
	file->attempts++;
	if (fd < 0)
		return;
	file->was_opened = true;
	mp_wrappers_ranges_isolated(fd, path, binary, resolver->wrappers ?: &none,
				    &file->ranges, &file->nr);
	close(fd);
}

static void read_in_time(struct mp_binary_resolver *resolver,
			 const struct mp_binary *binary, struct mp_resolver_file *file)
{
	const uint64_t began_ns = mp_clock_ns();

	read_wrappers(resolver, binary, file);
	mp_unwind_spend(&resolver->unwind, began_ns);
}

static struct mp_resolver_file *reserve_file(struct mp_binary_resolver *resolver)
{
	if (resolver->nr_files == resolver->max_files &&
	    !mp_array_grow(&resolver->files, &resolver->max_files, sizeof(*resolver->files)))
		return NULL;
	return &resolver->files[resolver->nr_files];
}

static const struct mp_resolver_file *file_of(struct mp_binary_resolver *resolver,
					      const struct mp_merge *merge,
					      uint32_t process, uint32_t number)
{
	uint32_t *known = mp_map_add(&resolver->by_file, number, 0);
	bool is_new = known && *known == MP_MAP_NEW;
	struct mp_resolver_file *file;
	struct mp_binary binary;

	if (!known)
		return NULL;
	file = is_new ? reserve_file(resolver) : &resolver->files[*known];
	if (!file) {
		mp_map_remove(&resolver->by_file, number, 0);
		return NULL;
	}
	if (is_new)
		*known = (uint32_t)resolver->nr_files++;
	else if (file->was_opened)
		return file;
	mp_merge_binary(merge, number, process, &binary);
	if (is_new)
		*file = (struct mp_resolver_file){ 0 };
	if (binary.pid == file->tried && file->attempts)
		return file;
	if (file->attempts < MP_UNWIND_ATTEMPTS && mp_unwind_may_read(&resolver->unwind))
		read_in_time(resolver, &binary, file);
	return file;
}

/* A return address can be after the end of its function, so offset - 1 is looked up. */
static enum mp_merge_code kind_of(void *context, const struct mp_merge *merge,
				  uint32_t process, uint32_t number, uint64_t offset)
{
	static const enum mp_merge_code kinds[] = {
		[MP_CODE_FUNCTION] = MP_MERGE_CODE_PROGRAM,
		[MP_CODE_WRAPPER] = MP_MERGE_CODE_WRAPPER,
		[MP_CODE_NAMELESS] = MP_MERGE_CODE_NAMELESS,
	};
	const struct mp_resolver_file *file = file_of(context, merge, process,
						      number);

	return file ? kinds[mp_ranges_kind(file->ranges, file->nr, offset - 1)] :
		      MP_MERGE_CODE_PROGRAM;
}

static bool keeps_frame(void *context, const struct mp_merge *merge,
			uint32_t process, uint32_t number, uint64_t offset)
{
	struct mp_binary_resolver *resolver = context;

	return mp_unwind_keeps_frame(&resolver->unwind, merge, process, number,
				     offset);
}

static uint32_t unwind(void *context, struct mp_merge *merge, uint32_t process,
		       const struct mp_dump *dump, uint64_t *frames)
{
	struct mp_binary_resolver *resolver = context;

	resolver->nr_unwound++;
	return mp_unwind_dump(&resolver->unwind, merge, process, dump, frames);
}

static void end_process(void *context, uint32_t process)
{
	struct mp_binary_resolver *resolver = context;

	mp_unwind_end(&resolver->unwind, process);
}

void mp_binary_resolver_open(struct mp_binary_resolver *resolver, const struct mp_wrappers *wrappers,
			     struct mp_merge_ops *ops)
{
	*resolver = (struct mp_binary_resolver){ .wrappers = wrappers };
	*ops = (struct mp_merge_ops){
		.unwind = unwind,
		.kind_of = kind_of,
		.keeps_frame = keeps_frame,
		.end = end_process,
		.context = resolver,
	};
}

int mp_binary_resolver_report(const struct mp_binary_resolver *resolver,
			      struct mp_profile *profile)
{
	const struct mp_unwind *unwind = &resolver->unwind;
	uint64_t i;
	int err = 0;

	if (unwind->nr_refused)
		err = mp_profile_add_counter(profile, "unwind_refused",
					     unwind->nr_refused);
	if (!err && unwind->nr_late)
		err = mp_profile_add_counter(profile, "unwind_late", unwind->nr_late);
	for (i = 0; !err && i < unwind->nr_refused && i < MP_UNWIND_NAMED; i++)
		err = mp_profile_warn(profile, unwind->why[i]);
	return err;
}

void mp_binary_resolver_close(struct mp_binary_resolver *resolver)
{
	size_t i;

	mp_unwind_free(&resolver->unwind);
	for (i = 0; i < resolver->nr_files; i++)
		free(resolver->files[i].ranges);
	free(resolver->files);
	mp_map_free(&resolver->by_file);
}
