// SPDX-License-Identifier: GPL-2.0-only
/*
 * kernel-text: finds _text and _etext in the kernel's list of symbols
 *
 * The kernel takes 60 ms to write the list up to there, which is a third of the time that
 * a short recording takes. So the result is kept, with the id of the boot.
 */
#include "kernel-text.h"
#include "cache-dir.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAME	"kernel-text"

/* The kernel's random id of this boot, 36 characters. */
static bool read_boot_id(char id[37])
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	bool got = file && fgets(id, 37, file) && strlen(id) == 36;

	if (file)
		fclose(file);
	return got;
}

static bool parse(const char *kept, const char *boot_id, uint64_t *text, uint64_t *etext)
{
	const size_t len = strlen(boot_id);

	return !strncmp(kept, boot_id, len) &&
	       sscanf(kept + len, " %" SCNx64 " %" SCNx64, text, etext) == 2 &&
	       *text && *text < *etext;
}

static bool read_kept(const char *boot_id, uint64_t *text, uint64_t *etext)
{
	int dir = mp_cache_dir_open(false), fd;
	char kept[128];
	ssize_t len = -1;

	if (dir < 0)
		return false;
	fd = openat(dir, NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0) {
		len = read(fd, kept, sizeof(kept) - 1);
		close(fd);
	}
	close(dir);
	if (len < 0)
		return false;
	kept[len] = '\0';
	return parse(kept, boot_id, text, etext);
}

static void keep(const char *boot_id, uint64_t text, uint64_t etext)
{
	int dir = mp_cache_dir_open(true), len;
	char kept[128];

	if (dir < 0)
		return;
	len = snprintf(kept, sizeof(kept), "%s %" PRIx64 " %" PRIx64 "\n", boot_id, text,
		       etext);
	mp_cache_dir_put(dir, NAME, kept, (size_t)len);
	close(dir);
}

/* The list has "ADDRESS TYPE NAME", and address 0 for users who may not see it. */
static bool read_list(uint64_t *text, uint64_t *etext)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	bool hidden = false;
	char line[256];

	*text = *etext = 0;
	while (file && !*etext && !hidden && fgets(line, sizeof(line), file)) {
		if (strstr(line, " _text\n"))
			hidden = sscanf(line, "%" SCNx64, text) != 1 || !*text;
		else if (strstr(line, " _etext\n"))
			hidden = sscanf(line, "%" SCNx64, etext) != 1 || !*etext;
	}
	if (file)
		fclose(file);
	return *text && *text < *etext;
}

bool mp_kernel_text(uint64_t *text, uint64_t *etext)
{
	char boot_id[37];
	const bool has_id = read_boot_id(boot_id);

	if (has_id && read_kept(boot_id, text, etext))
		return true;
	if (!read_list(text, etext))
		return false;
	if (has_id)
		keep(boot_id, *text, *etext);
	return true;
}
