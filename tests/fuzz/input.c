// SPDX-License-Identifier: GPL-2.0-only
/*
 * input: the bytes of one run
 *
 * It also sets AddressSanitizer up for speed: memory that was freed is kept
 * from being used again for the length of a run, not for 256 MB, so the caches
 * stay warm. tmpfile() gives files in memory. Hashes, here and in json-c, do
 * without a random number, so that a run can be repeated.
 */
#include "input.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

const char *__asan_default_options(void);
FILE *tmpfile(void);
int LLVMFuzzerInitialize(int *argc, char ***argv);

const char *__asan_default_options(void)
{
	return "quarantine_size_mb=1:thread_local_quarantine_size_kb=64:"
	       "malloc_context_size=10:detect_odr_violation=0";
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return json_global_set_string_hash(JSON_C_STR_HASH_PERLLIKE);
}

ssize_t getrandom(void *to, size_t size, unsigned int flags)
{
	(void)flags;
	memset(to, 0x5a, size);
	return (ssize_t)size;
}

FILE *tmpfile(void)
{
	int fd = memfd_create("fuzz-tmpfile", MFD_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w+e");

	if (!file)
		abort();
	return file;
}

uint8_t input_byte(struct input *input)
{
	return (uint8_t)input_number(input, 1);
}

uint64_t input_number(struct input *input, size_t size)
{
	uint64_t number = 0;

	size = size < input->size ? size : input->size;
	memcpy(&number, input->data, size);
	input->data += size;
	input->size -= size;
	return number;
}

uint8_t *input_copy(const struct input *input)
{
	uint8_t *copy = malloc(input->size);

	if (!copy)
		abort();
	if (input->size)
		memcpy(copy, input->data, input->size);
	return copy;
}

static int memory_file(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("fuzz-input", MFD_CLOEXEC);
	if (fd < 0)
		abort();
	return fd;
}

int input_file(const struct input *input)
{
	int fd = memory_file();

	if (pwrite(fd, input->data, input->size, 0) != (ssize_t)input->size ||
	    ftruncate(fd, (off_t)input->size) || lseek(fd, 0, SEEK_SET))
		abort();
	return fd;
}

/* fmemopen() takes no empty buffer. */
FILE *input_stream(const struct input *input)
{
	FILE *file = input->size ? fmemopen((void *)input->data, input->size, "r") :
				   fopen("/dev/null", "re");

	if (!file)
		abort();
	return file;
}

const char *input_path(void)
{
	static char path[32];

	if (!path[0])
		snprintf(path, sizeof(path), "/proc/self/fd/%d", memory_file());
	return path;
}

static ssize_t drop(void *cookie, const char *data, size_t size)
{
	(void)cookie;
	(void)data;
	return (ssize_t)size;
}

FILE *input_null(void)
{
	static FILE *null;

	if (!null)
		null = fopencookie(NULL, "w", (cookie_io_functions_t){
			.write = drop,
		});
	if (!null)
		abort();
	return null;
}
