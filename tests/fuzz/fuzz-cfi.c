// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-cfi: any bytes as the unwind tables of a mapped binary, in libmemprof
 *
 * The loader trusts a binary's program headers and so does the library. The
 * tables are behind them, at a fixed address so that a run can be repeated. The
 * memory after the tables cannot be read, and that before them is poisoned.
 */
#define _dl_find_object	find_object

#include "lib/memprof/binary-headers.c"
#include "lib/memprof/cfi.c"

#include "input.h"

#include <sanitizer/asan_interface.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PLACE	((uint8_t *)0x200000000000)
#define ROOM	65536

/* The mapped binary: its headers, then its tables. */
struct image {
	Elf64_Ehdr header;
	Elf64_Phdr load;
	uint8_t tables[];
};

static struct image *image;
static size_t image_size;
static struct link_map map = { .l_name = "/lib" };

int find_object(void *pc, struct dl_find_object *object)
{
	uint8_t *start = (uint8_t *)image;

	if ((uint8_t *)pc < start || (uint8_t *)pc >= start + image_size)
		return -1;
	*object = (struct dl_find_object){
		.dlfo_map_start = start, .dlfo_map_end = start + image_size,
		.dlfo_link_map = &map, .dlfo_eh_frame = image->tables,
	};
	return 0;
}

static void map_memory(void)
{
	if (mmap(PLACE, ROOM + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS |
		 MAP_FIXED_NOREPLACE, -1, 0) != PLACE ||
	    mprotect(PLACE, ROOM, PROT_READ | PROT_WRITE))
		abort();
}

static void make_image(const struct input *input)
{
	size_t size = sizeof(*image) + input->size;

	if (!image)
		map_memory();
	__asan_unpoison_memory_region(PLACE, ROOM);
	image = (struct image *)(PLACE + ROOM - (size + 7) / 8 * 8);
	image_size = size;
	*image = (struct image){
		.header = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3 },
			.e_phoff = sizeof(image->header), .e_phnum = 1,
			.e_phentsize = sizeof(Elf64_Phdr),
		},
		.load = { .p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = size },
	};
	if (input->size)
		memcpy(image->tables, input->data, input->size);
	map.l_addr = (uintptr_t)image;
	__asan_poison_memory_region(PLACE, (uintptr_t)image - (uintptr_t)PLACE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	uint64_t distance = input_number(&input, 2);
	bool exact = input_byte(&input) & 1;

	if (input.size + sizeof(*image) > ROOM)
		return 0;
	make_image(&input);
	mp_cfi_rule((uintptr_t)image + distance % image_size, exact);
	return 0;
}
