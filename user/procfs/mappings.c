// SPDX-License-Identifier: GPL-2.0-only
/*
 * mappings: parses smaps: a line per mapping, followed by lines "Key: N kB"
 *
 * A process can choose any names for its files; the kernel only escapes newlines. So
 * files in tmpfs are recognised by the device numbers of tmpfs mounts. They are
 * recognised by name only if the mount is in another namespace. A mapping costs
 * 64 bytes. Functions fail with -ENOMEM.
 */
#include "mappings.h"
#include "array.h"
#include "maps.h"
#include "status-sizes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/*
 * Largest guard below a stack, in bytes. The guard of glibc is one page, of musl two
 * pages, of Java up to 80 KiB. A larger mapping without access is not a guard, but
 * reserved address space.
 */
#define MAX_GUARD	(96 * 1024)

/*
 * glibc's arenas begin at multiples of this size, in bytes; there may be a small gap
 * before an arena.
 */
#define ARENA		(64UL << 20)

#define MAX_TMPFS	64

/*
 * Device numbers of tmpfs: those of the mounts in this namespace, and that of the
 * kernel's internal mount.
 */
struct tmpfs {
	dev_t list[MAX_TMPFS];
	size_t nr;
};

/* State of the parser after the previous lines. */
struct parser {
	const struct tmpfs *tmpfs;
	struct mp_mappings *mappings;
	struct mp_mapping *current;
	uint64_t guard_end;		/* end of the previous mapping, if it is a guard */
	uint64_t file_end;		/* end of the previous mapping, if it is a file's */
	dev_t code_dev;			/* latest file with an executable mapping */
	uint64_t code_inode;
};

static bool begins(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

static bool is_tmpfs(const struct parser *parser, const struct mp_map_line *line)
{
	static const char * const names[] = {
		"/dev/shm/", "/memfd:", "/SYSV", "/dev/zero (deleted)",
	};
	dev_t dev = makedev(line->major, line->minor);
	size_t i;

	for (i = 0; i < parser->tmpfs->nr; i++)
		if (parser->tmpfs->list[i] == dev)
			return true;
	/* tmpfs in another namespace: major number 0 means that it is not a disk */
	for (i = 0; !line->major && i < sizeof(names) / sizeof(names[0]); i++)
		if (begins(line->name, names[i]))
			return true;
	return false;
}

/* Returns the class of a mapping without a file. */
static uint32_t class_of_anon(const struct parser *parser,
			      const struct mp_map_line *line)
{
	const char *name = line->name;

	if (line->permissions[3] == 's')
		return MP_MAPPING_SHMEM;
	if (begins(name, "[heap]"))
		return MP_MAPPING_HEAP;
	/*
	 * The kernel sets [stack]. Android's C library names the stacks of
	 * threads, and glibc can be configured to do so.
	 */
	if (begins(name, "[stack") || begins(name, "[anon:stack_and_tls") ||
	    begins(name, "[anon: glibc: pthread stack"))
		return MP_MAPPING_STACK;
	if (name[0] && !begins(name, "[anon"))
		return MP_MAPPING_OTHER;
	if (!name[0] && line->start == parser->file_end)
		return MP_MAPPING_BSS;
	if (!name[0] && line->start == parser->guard_end &&
	    line->start % ARENA && line->permissions[1] == 'w')
		return MP_MAPPING_STACK;
	return MP_MAPPING_ANON;
}

static uint32_t class_of(const struct parser *parser, const struct mp_map_line *line)
{
	if (!line->inode && line->name[0] != '/')
		return class_of_anon(parser, line);
	return is_tmpfs(parser, line) ? MP_MAPPING_SHMEM : MP_MAPPING_FILE;
}

static bool has_any(const char *name, const char * const *parts, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (strstr(name, parts[i]))
			return true;
	return false;
}

/* Whether a file is libmemprof, or what it writes, by the names that memprof gives these. */
static bool is_sampler(const struct mp_map_line *line)
{
	static const char * const libraries[] = { "/libmemprof.so", "/memfd:libmemprof" };
	static const char * const samples[] = { "/memprof.", "/memprof-" };

	return line->inode && (has_any(line->name, libraries, 2) ||
			       (line->permissions[3] == 's' && has_any(line->name, samples, 2)));
}

static void update_state(struct parser *parser, const struct mp_map_line *line)
{
	dev_t dev = makedev(line->major, line->minor);
	bool guard = !line->inode && !line->name[0] &&
		     !strncmp(line->permissions, "---p", 4) &&
		     line->end - line->start <= MAX_GUARD;

	if (line->inode && line->permissions[2] == 'x') {
		parser->code_dev = dev;
		parser->code_inode = line->inode;
	}
	parser->guard_end = guard ? line->end : 0;
	parser->file_end = line->inode && line->permissions[3] == 'p' &&
			   line->inode == parser->code_inode &&
			   dev == parser->code_dev ? line->end : 0;
}

static int add_mapping(struct parser *parser, const struct mp_map_line *line)
{
	struct mp_mappings *mappings = parser->mappings;

	if (mappings->nr == MP_MAX_MAPPINGS) {
		mappings->nr_cut++;
		parser->current = &mappings->rest;
		return 0;
	}
	if (mappings->nr == mappings->max &&
	    !mp_array_grow(&mappings->list, &mappings->max, sizeof(*mappings->list)))
		return -ENOMEM;
	parser->current = &mappings->list[mappings->nr++];
	*parser->current = (struct mp_mapping){
		.start = line->start, .end = line->end,
		.class = class_of(parser, line), .named = line->name[0],
		.is_break = !line->inode && begins(line->name, "[heap]"),
		.is_sampler = is_sampler(line),
	};
	update_state(parser, line);
	return 0;
}

static void parse_size(struct mp_mapping *mapping, const char *text)
{
	const struct {
		const char *key;
		uint64_t *bytes;
	} keys[] = {
		{ "Rss:", &mapping->rss }, { "Pss:", &mapping->pss },
		{ "Anonymous:", &mapping->anon }, { "Swap:", &mapping->swap },
	};
	uint64_t kib;
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (begins(text, keys[i].key) &&
		    sscanf(text + strlen(keys[i].key), " %" SCNu64, &kib) == 1 &&
		    kib < UINT64_MAX >> 20)
			*keys[i].bytes += kib * 1024;
}

static int parse_line(struct parser *parser, const char *text)
{
	const struct mp_mappings *mappings = parser->mappings;
	struct mp_map_line line;

	if (!mp_map_line_parse(text, &line)) {
		if (parser->current)
			parse_size(parser->current, text);
		return 0;
	}
	parser->current = NULL;
	/* lines are sorted, so this mapping was read before and has grown or moved */
	if (mappings->nr &&
	    line.start < mappings->list[mappings->nr - 1].end)
		return 0;
	return add_mapping(parser, &line);
}

static void add_tmpfs(struct tmpfs *tmpfs, dev_t dev)
{
	if (tmpfs->nr < MAX_TMPFS)
		tmpfs->list[tmpfs->nr++] = dev;
}

/* Adds the device of memfd_create(), shmget() and anonymous MAP_SHARED mappings. */
static void add_internal_mount(struct tmpfs *tmpfs)
{
	int fd = memfd_create("memprof", MFD_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return;
	if (!fstat(fd, &st))
		add_tmpfs(tmpfs, st.st_dev);
	close(fd);
}

/* Finds the devices of tmpfs, once. Files of a later mount are recognised by name. */
static const struct tmpfs *find_tmpfs(void)
{
	static struct tmpfs tmpfs;
	unsigned int major, minor;
	char *line = NULL;
	size_t size = 0;
	FILE *file;

	if (tmpfs.nr)
		return &tmpfs;
	add_internal_mount(&tmpfs);
	file = fopen("/proc/self/mountinfo", "re");
	while (file && getline(&line, &size, file) > 0)
		if (strstr(line, " - tmpfs ") &&
		    sscanf(line, "%*d %*d %u:%u ", &major, &minor) == 2)
			add_tmpfs(&tmpfs, makedev(major, minor));
	free(line);
	if (file)
		fclose(file);
	return &tmpfs;
}

/* @whole: also what is beyond the limit */
static int parse(FILE *file, bool whole, struct mp_mappings *mappings)
{
	struct parser parser = { .tmpfs = find_tmpfs(), .mappings = mappings };
	char *text = NULL;
	size_t size = 0;
	int err = 0;

	while (!err && (whole || !mappings->nr_cut) && getline(&text, &size, file) > 0) {
		text[strcspn(text, "\n")] = '\0';
		err = parse_line(&parser, text);
	}
	free(text);
	return err;
}

int mp_mappings_parse(FILE *file, struct mp_mappings *mappings)
{
	return parse(file, true, mappings);
}

static uint64_t above(uint64_t sum, uint64_t part)
{
	return sum > part ? sum - part : 0;
}

/* What the kernel counts in all mappings, less those of the list. */
static void find_rest(pid_t pid, struct mp_mappings *mappings)
{
	struct mp_mapping *rest = &mappings->rest;
	uint64_t anon = 0, file = 0, shmem = 0, swap = 0;
	const struct mp_status_size wanted[] = {
		{ "RssAnon:", &anon }, { "RssFile:", &file }, { "RssShmem:", &shmem },
		{ "VmSwap:", &swap }, { NULL, NULL },
	};
	size_t i;

	*rest = (struct mp_mapping){ 0 };
	if (!mp_status_sizes(pid, "status", wanted))
		return;
	rest->anon = anon;
	rest->rss = anon + file + shmem;
	rest->swap = swap;
	for (i = 0; i < mappings->nr; i++) {
		rest->anon = above(rest->anon, mappings->list[i].anon);
		rest->rss = above(rest->rss, mappings->list[i].rss);
		rest->swap = above(rest->swap, mappings->list[i].swap);
	}
	rest->pss = rest->rss;
}

int mp_mappings_read(pid_t pid, struct mp_mappings *mappings)
{
	char path[64], buffer[8192];
	FILE *file;
	int err;

	snprintf(path, sizeof(path), "/proc/%d/smaps", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	setvbuf(file, buffer, _IOFBF, sizeof(buffer));
	err = parse(file, false, mappings);
	fclose(file);
	if (!err && mappings->nr_cut)
		find_rest(pid, mappings);
	return err || mappings->nr ? err : -ESRCH;
}
