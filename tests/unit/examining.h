/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * examining: a fixture that searches files in its own folder for allocators
 */
#ifndef MP_EXAMINING_H
#define MP_EXAMINING_H

#include "examine.h"

#include "kselftest_harness.h"

#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>

FIXTURE(binary)
{
	char dir[32];
	struct mp_scan scan;
	char why[MP_REMARK_SIZE];
	bool examined;
};

FIXTURE_SETUP(binary)
{
	strcpy(self->dir, "/tmp/memprof-binary-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	ASSERT_EQ(0, chdir(self->dir));
}

FIXTURE_TEARDOWN(binary)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", self->dir);
	EXPECT_EQ(0, system(command));
}

static inline void examine_with(FIXTURE_DATA(binary) *self, const char *path,
				const struct mp_user_functions *user)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	self->examined = mp_examine_isolated(user, fd, path, &self->scan,
					  self->why);
	close(fd);
}

static inline void examine(FIXTURE_DATA(binary) *self, const char *path)
{
	examine_with(self, path, NULL);
}

static inline const struct mp_point *point(const FIXTURE_DATA(binary) *self,
					   const char *name)
{
	uint32_t i;

	for (i = 0; i < self->scan.nr_points; i++)
		if (!strcmp(self->scan.points[i].name, name))
			return &self->scan.points[i];
	return NULL;
}

static inline bool remarks(const FIXTURE_DATA(binary) *self, bool warning,
			   const char *text)
{
	uint32_t i;

	for (i = 0; i < self->scan.nr_remarks; i++)
		if (self->scan.remarks[i].warning == warning &&
		    strstr(self->scan.remarks[i].text, text))
			return true;
	return false;
}

static inline void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	fputs(text, file);
	fclose(file);
}

static inline const char *find_library(const char *pattern, char *path, size_t size)
{
	glob_t found;
	bool any = !glob(pattern, 0, NULL, &found);

	if (any)
		snprintf(path, size, "%s", found.gl_pathv[0]);
	globfree(&found);
	return any ? path : NULL;
}

/* Builds a library with a function from assembler code, and returns its probe point. */
static inline const struct mp_point *assemble(FIXTURE_DATA(binary) *self,
					      const char *body)
{
	char text[1024];

	snprintf(text, sizeof(text), ".text\n.globl malloc\n"
		 ".type malloc,@function\nmalloc:\n%s\nret\n"
		 ".size malloc,.-malloc\n", body);
	write_file("a.s", text);
	if (system("gcc -shared -nostdlib -o a.so a.s 2>log"))
		return NULL;
	examine(self, "a.so");
	return point(self, "malloc");
}

#endif
