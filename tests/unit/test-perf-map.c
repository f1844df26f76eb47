// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of perf-map: names of JIT-compiled code, which a program writes to
 * /tmp/perf-PID.map.
 */
#include "perf-map.h"
#include "symbolising.h"

#include "kselftest_harness.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Appends a record of a function to a file of the jitdump format. */
static void put_load(FILE *file, uint64_t address, uint64_t size, const char *name)
{
	const uint64_t words[] = { address, address, size, 1 };
	const uint32_t head[] = {
		0, (uint32_t)(16 + 8 + sizeof(words) + strlen(name) + 1 + size), 0, 0,
		(uint32_t)getpid(), (uint32_t)getpid(),
	};
	uint64_t i;

	fwrite(head, sizeof(head), 1, file);
	fwrite(words, sizeof(words), 1, file);
	fwrite(name, strlen(name) + 1, 1, file);
	for (i = 0; i < size; i++)
		fputc(0xc3, file);
}

/* A runtime maps its jitdump, wherever that is; in it are also records of other kinds. */
TEST_F(symbols, jit_names_come_from_jitdumps)
{
	const uint32_t header[] = { 0x4a695444, 1, 40, 62, 0, (uint32_t)getpid(), 0, 0, 0, 0 };
	const uint32_t other[] = { 2, 24, 0, 0, 7, 7 }, broken[] = { 0, 9, 0, 0 };
	struct mp_spot spots[] = {
		{ .offset = 0x604 }, { .offset = 0x1010 }, { .offset = 0x2001 },
		{ .offset = 0x3001 },
	};
	char folder[] = "/tmp/memprof-jit-XXXXXX", path[64];
	void *page;
	FILE *file;

	ASSERT_NE(NULL, mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/jit-%d.dump", folder, getpid());
	file = fopen(path, "w+");
	ASSERT_NE(NULL, file);
	fwrite(header, sizeof(header), 1, file);
	put_load(file, 0x1000, 0x20, "JS:*old /srv/a.js:1:2");
	fwrite(other, sizeof(other), 1, file);
	put_load(file, 0x1000, 0x20, "JS:*row /srv/a.js:12:7");
	put_load(file, 0x2000, 0x20, "");
	put_load(file, 0x600, 8, "stub");
	fwrite(broken, sizeof(broken), 1, file);
	put_load(file, 0x3000, 0x20, "behind the damage");
	fflush(file);
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fileno(file), 0);
	ASSERT_NE(MAP_FAILED, page);
	EXPECT_EQ(0, mp_symbolise_jit(getpid(), spots, 4, &self->symbols));
	ASSERT_EQ(1, spots[0].nr);
	EXPECT_STREQ("stub", mp_symbols_text(&self->symbols, self->symbols.lines[
					     spots[0].first].function));
	ASSERT_EQ(1, spots[1].nr);
	EXPECT_STREQ("JS:row", mp_symbols_text(&self->symbols, self->symbols.lines[
					       spots[1].first].function));
	EXPECT_EQ(12, self->symbols.lines[spots[1].first].line);
	EXPECT_EQ(0, spots[2].nr);
	EXPECT_EQ(0, spots[3].nr);
	munmap(page, 4096);
	fclose(file);
	/* nothing maps it any more */
	EXPECT_EQ(-ENOENT, mp_symbolise_jit(getpid(), spots, 4, &self->symbols));
	unlink(path);
	rmdir(folder);
}

TEST_F(symbols, jit_names_come_from_perf_maps)
{
	struct mp_spot spots[] = {
		{ .offset = 0x1010 }, { .offset = 0x7f0000000040 },
		{ .offset = 0x1100 }, { .offset = 0x1101 }, { .offset = 0x500 },
	};
	struct mp_spot js[] = {
		{ .offset = 0x604 }, { .offset = 0x614 }, { .offset = 0x624 },
		{ .offset = 0x634 }, { .offset = 0x644 }, { .offset = 0x654 },
		{ .offset = 0x664 }, { .offset = 0x674 }, { .offset = 0x684 },
		{ .offset = 0x694 }, { .offset = 0x6a4 }, { .offset = 0x6b4 },
	};
	static const char * const functions[] = {
		"JS:make row", "JS:make row", "JS:", "JS:f", "JS:", "JS:f", "JS:f",
		"java::a.B.f(int, char[])", "void f(a.B)", "StubRoutines (1)",
		"php::A::f", "JIT$$escape",
	};
	static const char * const files[] = {
		"/srv/a b.js", "/srv/a b.js", "node:internal/x", NULL, NULL, NULL, "g:x",
		NULL, NULL, NULL, NULL, NULL,
	};
	const struct mp_line *line;
	char path[64];
	size_t i;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	write_file(path, "junk\n\n1000 100 LazyCompile:~old a.js:1\n"
		   "-1 10 minus\nzz 10 no\n2000 0 empty\n"
		   "ffffffffffffffff ffffffffffffffff wraps\n"
		   "600 8 JS:^make row /srv/a b.js:12:7\n"
		   "610 8 JS:*make row /srv/a b.js:12:7\n"
		   "620 8 JS:~ node:internal/x:3:1\n"
		   "630 8 JS:~f\n640 8 JS:\n650 8 JS:~f :1:2\n660 8 JS:~f g:x:9\n"
		   "670 8 java.util.List a.B.f(int, char[])\n680 8 void f(a.B)\n"
		   "690 8 StubRoutines (1)\n6a0 8 JIT$A::f\n6b0 8 JIT$$escape\n"
		   "7f0000000000 100 py::f\033[2J:/x y.py\n"
		   "1000 100 LazyCompile:*fib a.js:7");
	EXPECT_EQ(0, mp_symbolise_jit(getpid(), spots, 5, &self->symbols));
	/* sorted */
	EXPECT_EQ(0x500, spots[0].offset);
	EXPECT_EQ(0, spots[0].nr);
	ASSERT_EQ(1, spots[1].nr);
	EXPECT_STREQ("LazyCompile:*fib a.js:7",
		     mp_symbols_text(&self->symbols, self->symbols.lines[
				     spots[1].first].function));
	EXPECT_EQ(0x10, self->symbols.lines[spots[1].first].distance);
	/* a call at its very end returns behind it */
	EXPECT_EQ(1, spots[2].nr);
	EXPECT_EQ(0, spots[3].nr);
	ASSERT_EQ(1, spots[4].nr);
	/* Python's functions have a file */
	EXPECT_STREQ("py::f\\x1b[2J",
		     mp_symbols_text(&self->symbols, self->symbols.lines[
				     spots[4].first].function));
	EXPECT_STREQ("/x y.py",
		     mp_symbols_text(&self->symbols, self->symbols.lines[
				     spots[4].first].file));
	EXPECT_EQ(0, mp_symbolise_jit(getpid(), js, 12, &self->symbols));
	for (i = 0; i < 12; i++) {
		line = &self->symbols.lines[js[i].first];
		ASSERT_EQ(1, js[i].nr);
		EXPECT_STREQ(functions[i], mp_symbols_text(&self->symbols,
							   line->function));
		EXPECT_STREQ(files[i] ?: "", mp_symbols_text(&self->symbols,
							     line->file) ?: "");
	}
	EXPECT_EQ(12, self->symbols.lines[js[0].first].line);
	ASSERT_EQ(0, unlink(path));
	/* not what anyone else left there */
	ASSERT_EQ(0, symlink("/etc/passwd", path));
	EXPECT_GT(0, mp_symbolise_jit(getpid(), spots, 5, &self->symbols));
	ASSERT_EQ(0, unlink(path));
	ASSERT_EQ(0, mkfifo(path, 0600));
	EXPECT_EQ(-EINVAL,
		  mp_symbolise_jit(getpid(), spots, 5, &self->symbols));
	ASSERT_EQ(0, unlink(path));
	write_file(path, "1000 100 f\n");
	if (!geteuid()) {
		ASSERT_EQ(0, chown(path, 12345, 12345));
		EXPECT_EQ(-EPERM, mp_symbolise_jit(getpid(), spots, 5,
						   &self->symbols));
	}
	ASSERT_EQ(0, unlink(path));
}

TEST_F(symbols, of_many_lines_for_an_address_the_last_is_kept)
{
	struct mp_spot spots[] = { { .offset = 0x1010 }, { .offset = 0x1020 } };
	size_t before = self->symbols.names.nr;
	char path[64];
	FILE *file;
	int i;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	file = fopen(path, "we");
	ASSERT_NE(NULL, file);
	for (i = 0; i < 1000; i++)
		fprintf(file, "%x 100 f%d\n", 0x1000 + (i & 1) * 0x10, i);
	fclose(file);
	EXPECT_EQ(0, mp_symbolise_jit(getpid(), spots, 2, &self->symbols));
	ASSERT_EQ(1, spots[0].nr);
	ASSERT_EQ(1, spots[1].nr);
	EXPECT_STREQ("f998", mp_symbols_text(&self->symbols, self->symbols.lines[
					     spots[0].first].function));
	EXPECT_STREQ("f999", mp_symbols_text(&self->symbols, self->symbols.lines[
					     spots[1].first].function));
	/* no work was done for the others */
	EXPECT_EQ(before + 2, self->symbols.names.nr);
	ASSERT_EQ(0, unlink(path));
}

enum jit_map { OF_TARGET, OF_KERNEL, OF_ROOT };

/* Writes the map file of the first process of a container, in the container's /tmp. */
static bool make_map(enum jit_map map)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/tmp", "tmpfs", 0, NULL))
		return false;
	write_file("/tmp/perf-1.map", "1000 100 inside\n");
	if (map == OF_KERNEL)
		return !mount("/proc/version", "/tmp/perf-1.map", NULL, MS_BIND,
			      NULL);
	/* a file of root, for a process that is not */
	return map != OF_ROOT ||
	       (!chmod("/tmp/perf-1.map", 0644) && !setgid(12345) &&
		!setuid(12345));
}

static void contain(enum jit_map map, int to)
{
	if (write(to, make_map(map) ? "y" : "n", 1) == 1)
		pause();
}

/* Starts a process in new namespaces. Returns its pid; -1 if that is not allowed. */
static pid_t start_container(enum jit_map map)
{
	char done = 'n';
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		return -1;
	pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, 0,
			     0, 0, 0);
	if (!pid) {
		contain(map, ends[1]);
		_exit(1);
	}
	close(ends[1]);
	if (pid > 0 && (read(ends[0], &done, 1) != 1 || done != 'y')) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(ends[0]);
	return pid;
}

TEST_F(symbols, jit_names_come_from_containers)
{
	struct mp_spot spot = { .offset = 0x1010 };
	pid_t pid = start_container(OF_TARGET);

	if (pid < 0)
		SKIP(return, "needs root, and a mount");
	EXPECT_EQ(0, mp_symbolise_jit(pid, &spot, 1, &self->symbols));
	EXPECT_EQ(1, spot.nr);
	if (spot.nr)
		EXPECT_STREQ("inside",
			     mp_symbols_text(&self->symbols,
					     self->symbols.lines[0].function));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST_F(symbols, a_file_of_the_kernel_is_no_perf_map)
{
	struct mp_spot spot = { .offset = 0x1010 };
	pid_t pid = start_container(OF_KERNEL);

	if (pid < 0)
		SKIP(return, "needs root, and a mount");
	EXPECT_EQ(-EMEDIUMTYPE, mp_symbolise_jit(pid, &spot, 1, &self->symbols));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST_F(symbols, a_file_of_root_in_a_users_container_is_no_perf_map)
{
	struct mp_spot spot = { .offset = 0x1010 };
	pid_t pid = start_container(OF_ROOT);

	if (pid < 0)
		SKIP(return, "needs root, and a mount");
	EXPECT_EQ(-EPERM, mp_symbolise_jit(pid, &spot, 1, &self->symbols));
	EXPECT_EQ(0, spot.nr);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

TEST_HARNESS_MAIN
