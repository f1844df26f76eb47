/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * symbolising: builds programs, and looks up the names of their functions
 *
 * For each call of where(), a program prints a line with the return address of the
 * call, as an offset in its file.
 */
#ifndef MP_SYMBOLISING_H
#define MP_SYMBOLISING_H

#include "debug-file.h"
#include "symbolise.h"

#include "kselftest_harness.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#define MAX_SPOTS	16

FIXTURE(symbols)
{
	char dir[32];
	struct mp_symbols symbols;
	struct mp_spot spots[MAX_SPOTS];
	struct mp_binary binary;
	size_t nr;
};

/* Source of where(), in a file of its own, so that it is not inlined. */
static const char where_source[] =
	"#include <stdio.h>\n"
	"void where(void)\n"
	"{\n"
	"	unsigned long at = (unsigned long)__builtin_return_address(0);\n"
	"	unsigned long from, to, offset;\n"
	"	FILE *maps = fopen(\"/proc/self/maps\", \"r\");\n"
	"	char line[512];\n"
	"	while (fgets(line, sizeof(line), maps))\n"
	"		if (sscanf(line, \"%lx-%lx %*s %lx\", &from, &to,\n"
	"			   &offset) == 3 && at >= from && at < to)\n"
	"			printf(\"%lx\\n\", at - from + offset);\n"
	"	fclose(maps);\n"
	"	fflush(stdout);\n"
	"}\n";

static inline void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	fputs(text, file);
	fclose(file);
}

FIXTURE_SETUP(symbols)
{
	strcpy(self->dir, "/tmp/memprof-symbols-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	ASSERT_EQ(0, chdir(self->dir));
	setenv("MEMPROF_SYMBOL_CACHE", "off", 1);
	write_file("where.c", where_source);
	ASSERT_EQ(0, system("gcc -O1 -c where.c"));
}

FIXTURE_TEARDOWN(symbols)
{
	char command[64];

	mp_symbols_free(&self->symbols);
	snprintf(command, sizeof(command), "rm -rf %s", self->dir);
	EXPECT_EQ(0, system(command));
}

/* Runs @command, and reads the offsets that it prints. */
static inline bool run(FIXTURE_DATA(symbols) *self, const char *command)
{
	FILE *out = popen(command, "r");
	unsigned long offset;

	self->nr = 0;
	while (self->nr < MAX_SPOTS && fscanf(out, "%lx", &offset) == 1)
		self->spots[self->nr++] = (struct mp_spot){ .offset = offset };
	return !pclose(out) && self->nr;
}

/* Sets the expected build-id to the 4 bytes that were passed to the linker. */
static inline void expect_build(FIXTURE_DATA(symbols) *self, uint32_t id)
{
	uint32_t i;

	for (i = 0; i < 4; i++)
		self->binary.build_id[i] = id >> (24 - 8 * i);
	self->binary.build_id_size = 4;
}

static inline bool symbolise_with(FIXTURE_DATA(symbols) *self,
				  const struct mp_symbolise_options *options,
				  const char *path)
{
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	bool done;

	mp_symbols_free(&self->symbols);
	done = mp_symbolise(options, fd, path ? path : "/gone/a", &self->binary,
			    self->spots, self->nr, &self->symbols);
	if (fd >= 0)
		close(fd);
	return done;
}

static inline bool symbolise(FIXTURE_DATA(symbols) *self, const char *path)
{
	return symbolise_with(self, NULL, path);
}

/* Returns line @i of a spot: "function file:line", without a folder; "" after the last. */
static inline const char *line(FIXTURE_DATA(symbols) *self, size_t spot, uint32_t i)
{
	static char text[2 * MP_SYMBOL_TEXT_SIZE];
	const struct mp_line *one;
	const char *function, *file, *slash;

	if (i >= self->spots[spot].nr)
		return "";
	one = &self->symbols.lines[self->spots[spot].first + i];
	function = mp_symbols_text(&self->symbols, one->function);
	file = mp_symbols_text(&self->symbols, one->file);
	slash = file ? strrchr(file, '/') : NULL;
	snprintf(text, sizeof(text), "%s %s:%u", function ? function : "?",
		 slash ? slash + 1 : file ? file : "?", one->line);
	return text;
}

static inline uint64_t distance(FIXTURE_DATA(symbols) *self, size_t spot)
{
	return self->symbols.lines[self->spots[spot].first +
				   self->spots[spot].nr - 1].distance;
}

/* Source: calls from an inlined function, from two nested ones, and from a plain one. */
static const char inlined_source[] =
	"extern \"C\" void where(void);\n"
	"#define END asm volatile(\"\" ::: \"memory\")\n"
	"namespace deep {\n"
	"inline __attribute__((always_inline)) void inl2(int n)\n"
	"{\n"
	"	where(); END;\n"				/* 6 */
	"}\n"
	"inline __attribute__((always_inline)) void inl1(int n)\n"
	"{\n"
	"	END;\n"
	"	inl2(n + 1);\n"					/* 11 */
	"	END;\n"
	"}\n"
	"struct Tree {\n"
	"	template <typename T> __attribute__((noinline)) int add(T n)\n"
	"	{\n"
	"		inl1(n);\n"				/* 17 */
	"		where(); END;\n"			/* 18 */
	"		return 0;\n"
	"	}\n"
	"};\n"
	"}\n"
	"int main(int c, char **v)\n"
	"{\n"
	"	deep::Tree tree;\n"
	"	auto local = [&](int n) __attribute__((noinline)) {\n"
	"		deep::inl2(n); END;\n"			/* 27 */
	"	};\n"
	"	tree.add(c);\n"
	"	local(c);\n"
	"	where(); END;\n"				/* 31 */
	"	return 0;\n"
	"}\n";

static inline void expect_inlined(struct __test_metadata *_metadata,
				  FIXTURE_DATA(symbols) *self)
{
	ASSERT_EQ(4, self->nr);
	EXPECT_STREQ("deep::inl2(int) a.cc:6", line(self, 0, 0));
	EXPECT_STREQ("deep::inl1(int) a.cc:11", line(self, 0, 1));
	EXPECT_STREQ("int deep::Tree::add<int>(int) a.cc:17", line(self, 0, 2));
	EXPECT_STREQ("", line(self, 0, 3));
	EXPECT_STREQ("int deep::Tree::add<int>(int) a.cc:18", line(self, 1, 0));
	EXPECT_STREQ("", line(self, 1, 1));
	EXPECT_LT(distance(self, 0), distance(self, 1));
	EXPECT_GT(64, distance(self, 1));
	EXPECT_STREQ("deep::inl2(int) a.cc:6", line(self, 2, 0));
	EXPECT_NE(NULL, strstr(line(self, 2, 1), "main::"));
	EXPECT_NE(NULL, strstr(line(self, 2, 1), " a.cc:27"));
	EXPECT_STREQ("main a.cc:31", line(self, 3, 0));
	EXPECT_STREQ("", line(self, 3, 1));
}

/* Builds program "a" from inlined_source and runs it. Returns false if that fails. */
static inline bool build_inlined(FIXTURE_DATA(symbols) *self, const char *compiler)
{
	char command[256];

	write_file("a.cc", inlined_source);
	snprintf(command, sizeof(command),
		 "%s -Wl,--build-id=0x0badcafe -o a a.cc where.o 2>log",
		 compiler);
	return !system(command) && run(self, "./a");
}

#define STRIP	"objcopy --only-keep-debug a a.debug && strip a"

/* load() reads a file into memory; the next function writes a file. */
static inline size_t load(const char *path, char **data)
{
	FILE *file = fopen(path, "r");
	struct stat st;
	size_t size;

	fstat(fileno(file), &st);
	*data = malloc(st.st_size);
	size = fread(*data, 1, st.st_size, file);
	fclose(file);
	return size;
}

static inline void save(const char *path, const char *data, size_t size)
{
	FILE *file = fopen(path, "w");

	fwrite(data, 1, size, file);
	fclose(file);
}

#endif
