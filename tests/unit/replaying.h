/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * replaying: runs memprofctl replay on a log, and keeps its output and its errors
 */
#ifndef REPLAYING_H
#define REPLAYING_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct replaying {
	char dir[64];
	char *out;
	char *err;
	int status;
};

static inline char *replaying_read(const struct replaying *replaying,
				   const char *name)
{
	char path[80], *text = NULL;
	size_t room = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", replaying->dir, name);
	file = fopen(path, "r");
	/* no NUL comes out of memprofctl: this is all of it */
	if (!file || getdelim(&text, &room, '\0', file) < 0) {
		free(text);
		text = strdup("");
	}
	if (file)
		fclose(file);
	return text;
}

static inline int replaying_begin(struct replaying *replaying)
{
	*replaying = (struct replaying){ .dir = "/tmp/memprof-replay-XXXXXX" };
	return mkdtemp(replaying->dir) ? 0 : -1;
}

/* Runs memprofctl replay on the log that is already in the folder. */
static inline void replaying_run(struct replaying *replaying, const char *options)
{
	char command[4096];

	snprintf(command, sizeof(command),
		 "%s replay %s %s/log >%s/out 2>%s/err", MP_PROGRAM, options,
		 replaying->dir, replaying->dir, replaying->dir);
	replaying->status = WEXITSTATUS(system(command));
	free(replaying->out);
	free(replaying->err);
	replaying->out = replaying_read(replaying, "out");
	replaying->err = replaying_read(replaying, "err");
}

static inline FILE *replaying_log(const struct replaying *replaying)
{
	char path[80];

	snprintf(path, sizeof(path), "%s/log", replaying->dir);
	return fopen(path, "w");
}

static inline void replaying_text(struct replaying *replaying,
				  const char *options, const char *text)
{
	FILE *file = replaying_log(replaying);

	fputs(text, file);
	fclose(file);
	replaying_run(replaying, options);
}

static inline int replaying_end(struct replaying *replaying)
{
	char command[128];

	free(replaying->out);
	free(replaying->err);
	snprintf(command, sizeof(command), "rm -rf %s", replaying->dir);
	return system(command);
}

#endif
