// SPDX-License-Identifier: GPL-2.0-only
/* Symbols and relocations of loaded binaries, also of damaged ones. */
#include "loaded-object.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest_harness.h"

TEST(definitions_are_those_of_the_linker)
{
	static const char *const names[] = { "malloc", "free", "calloc", "realloc",
		"posix_memalign", "mmap", "strlen", "exit" };
	size_t i, nr = 0;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		void *function = mp_object_definition(names[i]);

		/* strlen is one of those that are chosen when the program is loaded */
		if (!function)
			continue;
		nr++;
		EXPECT_EQ(dlsym(RTLD_NEXT, names[i]), function);
	}
	EXPECT_LE(7, nr);
	EXPECT_EQ(NULL, mp_object_definition("no_function_has_this_name"));
	EXPECT_EQ(NULL, mp_object_definition(""));
}

/* A binary's segments, between pages that cannot be read. */
static struct {
	struct dl_phdr_info info;
	Elf64_Phdr headers[16];
	char *memory;
	size_t size;
} image;

static void load_segments(const char *file)
{
	const Elf64_Ehdr *elf = (const void *)file;
	const Elf64_Phdr *p = (const void *)(file + elf->e_phoff);
	size_t i, end = 0;

	memcpy(image.headers, p, elf->e_phnum * sizeof(*p));
	for (i = 0; i < elf->e_phnum; i++)
		if (p[i].p_type == PT_LOAD)
			end = p[i].p_vaddr + p[i].p_memsz;
	image.size = (end + 4095) & ~4095UL;
	image.memory = mmap(NULL, image.size + 2 * 4096, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	image.memory += 4096;
	for (i = 0; i < elf->e_phnum; i++) {
		const uintptr_t at = p[i].p_vaddr & ~4095UL;

		if (p[i].p_type != PT_LOAD)
			continue;
		mprotect(image.memory + at, (p[i].p_vaddr + p[i].p_memsz + 4095 - at) &
			 ~4095UL, PROT_READ | PROT_WRITE);
		memcpy(image.memory + p[i].p_vaddr, file + p[i].p_offset, p[i].p_filesz);
	}
	image.info = (struct dl_phdr_info){
		.dlpi_addr = (uintptr_t)image.memory,
		.dlpi_name = "image",
		.dlpi_phdr = image.headers,
		.dlpi_phnum = elf->e_phnum,
	};
}

static void load_image(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	char *file;

	fstat(fd, &st);
	file = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	load_segments(file);
	munmap(file, st.st_size);
	close(fd);
}

static const char *library_path(void)
{
	Dl_info info = { 0 };

	dladdr((void *)dlsym(RTLD_NEXT, "free"), &info);
	return info.dli_fname;
}

/* Reads all that there is. Returns a number that the compiler cannot omit. */
static size_t read_all(struct mp_object *o)
{
	size_t list, i, sum = 0;

	if (!mp_object_read(o, &image.info))
		return 0;
	for (list = 0; list < 2; list++)
		for (i = 0; i < o->relocations[list].nr; i++) {
			const Elf64_Sym *symbol = mp_object_symbol(o,
				ELF64_R_SYM(o->relocations[list].list[i].r_info));

			sum += symbol ? strlen(mp_object_name(o, symbol)) : 0;
		}
	return sum + !!mp_object_function(o, "malloc") + !!mp_object_find(o, "x");
}

TEST(an_image_has_its_functions)
{
	struct mp_object o;
	void *function;

	load_image(library_path());
	EXPECT_LT(0, read_all(&o));
	function = mp_object_function(&o, "free");
	ASSERT_NE(NULL, function);
	EXPECT_EQ((char *)dlsym(RTLD_NEXT, "free") - (char *)dlsym(RTLD_NEXT, "malloc"),
		  (char *)function - (char *)mp_object_function(&o, "malloc"));
	EXPECT_EQ(NULL, mp_object_function(&o, "no_function_has_this_name"));
	EXPECT_EQ(true, mp_object_has(&o, (uintptr_t)function, 1, PF_X));
	EXPECT_EQ(false, mp_object_has(&o, (uintptr_t)function, 1, PF_W));
	EXPECT_EQ(false, mp_object_has(&o, (uintptr_t)function, SIZE_MAX, 0));
	EXPECT_EQ(false, mp_object_has(&o, (uintptr_t)image.memory - 1, 1, 0));
}

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 24;
}

static Elf64_Dyn *dynamic_of(size_t *nr)
{
	int i;

	for (i = 0; i < image.info.dlpi_phnum; i++)
		if (image.headers[i].p_type == PT_DYNAMIC) {
			*nr = image.headers[i].p_memsz / sizeof(Elf64_Dyn);
			return (void *)(image.memory + image.headers[i].p_vaddr);
		}
	return NULL;
}

/* Values of entries, of which some are near a border of the image. */
TEST(damaged_dynamic_sections_fault_nowhere)
{
	size_t nr, i, round, found = 0;
	Elf64_Dyn *dynamic, *copy;
	struct mp_object o;
	uint64_t seed = 1;

	load_image(library_path());
	dynamic = dynamic_of(&nr);
	ASSERT_NE(NULL, dynamic);
	copy = malloc(nr * sizeof(*copy));
	memcpy(copy, dynamic, nr * sizeof(*copy));
	for (round = 0; round < 5000; round++) {
		for (i = 0; i < 3; i++) {
			const uint64_t values[] = { 0, image.size - next_random(&seed) % 64,
				next_random(&seed) % image.size, UINT64_MAX,
				UINT64_MAX - next_random(&seed) % 4096,
				next_random(&seed), 1ULL << next_random(&seed) % 64 };

			dynamic[next_random(&seed) % nr].d_un.d_val =
				values[next_random(&seed) % 7];
		}
		found += read_all(&o) > 0;
		memcpy(dynamic, copy, nr * sizeof(*copy));
	}
	/* not all of them were refused, and not all were good */
	EXPECT_LT(0, found);
	EXPECT_GT(5000, found);
	free(copy);
}

TEST(damaged_tables_fault_nowhere)
{
	size_t round, i, size;
	struct mp_object o;
	uint64_t seed = 2;
	char *table, *copy;

	load_image(library_path());
	ASSERT_LT(0, read_all(&o));
	/* the hash table, the symbols and the names are beside each other */
	table = (char *)o.gnu_hash;
	size = 64 << 10;
	copy = malloc(size);
	memcpy(copy, table, size);
	for (round = 0; round < 500; round++) {
		for (i = 0; i < 100; i++)
			table[next_random(&seed) % size] = next_random(&seed);
		for (i = 0; i < 4; i++)
			((uint32_t *)table)[i] = next_random(&seed) >> next_random(&seed) % 32;
		mp_object_function(&o, "malloc");
		mp_object_function(&o, "free");
		mp_object_function(&o, "posix_memalign");
		read_all(&o);
		memcpy(table, copy, size);
	}
	EXPECT_NE(NULL, mp_object_function(&o, "malloc"));
	free(copy);
}

TEST_HARNESS_MAIN
