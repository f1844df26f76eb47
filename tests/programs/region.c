// SPDX-License-Identifier: GPL-2.0-only
/*
 * region FILE [pause|resume]: prints the contents of a region file, one line per fact.
 * The file is untrusted.
 */
#include <memprof/region.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct file {
	void *base;
	uint64_t size;
	struct memprof_region_header header;
};

static const void *element(const struct file *f, int section, uint64_t i,
			   uint64_t size)
{
	return memprof_region_element(f->base, f->size,
				      &f->header.sections[section], i, size);
}

static int read_header(struct file *f, const char *path)
{
	int fd = open(path, O_RDWR | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) ||
	    (uint64_t)st.st_size < sizeof(f->header))
		return -1;
	f->size = st.st_size;
	f->base = mmap(NULL, f->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (f->base == MAP_FAILED)
		return -1;
	memcpy(&f->header, f->base, sizeof(f->header));
	return f->header.magic == MEMPROF_REGION_MAGIC &&
	       f->header.version == MEMPROF_REGION_VERSION &&
	       f->header.state != MEMPROF_REGION_STARTING &&
	       f->header.size >= sizeof(f->header) ? 0 : -1;
}

static void print_tally(const char *name, const struct memprof_region_tally *t)
{
	printf("%s allocs %" PRIu64 " bytes %" PRIu64 " frees %" PRIu64
	       " freed %" PRIu64 " peak %" PRIu64 "\n", name, t->allocs,
	       t->alloc_bytes, t->frees, t->free_bytes, t->peak_bytes);
}

static void print_counters(const struct file *f)
{
	const struct memprof_region_counter *c;
	uint64_t i;

	for (i = 0; (c = element(f, MEMPROF_REGION_COUNTERS, i, sizeof(*c))); i++)
		if (c->value)
			printf("counter %.*s %" PRIu64 "\n", (int)sizeof(c->name),
			       c->name, c->value);
}

static void print_maps(const struct file *f)
{
	const struct memprof_region_map *m;
	uint64_t i;

	for (i = 0; (m = element(f, MEMPROF_REGION_MAPS, i, sizeof(*m))); i++)
		if (m->end)
			printf("map %" PRIx64 "-%" PRIx64 " %" PRIx64 " id %u %.*s\n",
			       m->start, m->end, m->offset, m->build_id_size,
			       (int)sizeof(m->path), m->path);
}

static void print_blocks(const struct file *f)
{
	const struct memprof_region_entry *e;
	const struct memprof_region_block *its;
	struct memprof_region_block b;
	uint64_t i, nr = 0, bytes = 0, torn = 0, mapped = 0;

	for (i = 0; (e = element(f, MEMPROF_REGION_ENTRIES, i, sizeof(*e))); i++) {
		if (e->ptr == MEMPROF_REGION_EMPTY ||
		    e->ptr == MEMPROF_REGION_RESERVED ||
		    e->ptr == MEMPROF_REGION_TOMBSTONE)
			continue;
		its = element(f, MEMPROF_REGION_BLOCKS, i, sizeof(*its));
		b = its ? *its : (struct memprof_region_block){ 0 };
		if (memprof_region_read_block(e, &b)) {
			torn++;
			continue;
		}
		nr++;
		bytes += b.weight_bytes;
		mapped += b.kind == MEMPROF_REGION_MMAP;
	}
	printf("live %" PRIu64 " bytes %" PRIu64 " mapped %" PRIu64 " torn %"
	       PRIu64 "\n", nr, bytes, mapped, torn);
}

/* Prints the frames of stacks as binary and offset; the tests look up their names. */
static void print_stacks(const struct file *f)
{
	const struct memprof_region_stack *s;
	const struct memprof_region_tally *t;
	const struct memprof_region_map *m;
	uint64_t i, j, k;

	for (i = 0; (s = element(f, MEMPROF_REGION_STACKS, i, sizeof(*s))); i++) {
		t = element(f, MEMPROF_REGION_TALLIES, i, sizeof(*t));
		if (!s->hash || !t || s->depth > MEMPROF_REGION_DEPTH)
			continue;
		printf("stack %" PRIu64 " depth %u flags %u allocs %" PRIu64
		       " bytes %" PRIu64, i, s->depth, s->flags, t->allocs,
		       t->alloc_bytes);
		for (j = 0; j < s->depth; j++) {
			for (k = 0; (m = element(f, MEMPROF_REGION_MAPS, k,
						 sizeof(*m))); k++)
				if (s->frames[j] > m->start &&
				    s->frames[j] <= m->end)
					break;
			if (m)
				printf(" %.*s+%" PRIx64, (int)sizeof(m->path),
				       m->path, s->frames[j] - m->start +
				       m->offset);
			else
				printf(" %" PRIx64, s->frames[j]);
		}
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	struct memprof_region_header *live;
	struct file f;

	if (argc < 2 || read_header(&f, argv[1])) {
		fprintf(stderr, "region: %s is none\n", argv[1]);
		return 1;
	}
	live = f.base;
	if (argc > 2) {
		__atomic_store_n(&live->control.active, !strcmp(argv[2], "resume"),
				 __ATOMIC_RELAXED);
		return 0;
	}
	printf("pid %u parent %u state %u rate %" PRIu64 " active %u comm %.16s\n",
	       f.header.pid, f.header.parent_pid, f.header.state, f.header.rate,
	       f.header.control.active, f.header.comm);
	print_tally("total", &f.header.total);
	print_tally("mapped", &f.header.mapped);
	print_tally("dropped", &f.header.dropped);
	print_counters(&f);
	print_maps(&f);
	print_blocks(&f);
	print_stacks(&f);
	return 0;
}
