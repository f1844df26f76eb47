// SPDX-License-Identifier: GPL-2.0-only
/*
 * recover: repairs a recording whose end is missing
 *
 * It writes a new file. The old file does not change.
 */
#include "command.h"
#include "human.h"
#include "message.h"
#include "output.h"
#include "perf-writer.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX	".recovered"

struct request {
	const char *output;
	bool force;
};

static const struct mp_option options[] = {
	MP_OUTPUT_OPTIONS(struct request, output, force,
			  "default: the name with " SUFFIX),
	MP_OPTION_HELP,
	{ 0 },
};

/* Returns true if the output is the input: after an error the input would be lost. */
static bool is_same(FILE *from, const char *output)
{
	struct stat a, b;

	return !fstat(fileno(from), &a) && !stat(output, &b) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int recover(const struct request *request, const char *path,
		   const char *output)
{
	struct mp_perf_writer writer;
	char size[MP_HUMAN_SIZE];
	uint64_t lost = 0;
	FILE *from;
	int err = mp_perf_file_stream(path, &from), last;

	if (err == -EISDIR || err == -EINVAL)
		return mp_fail(0, NULL, "%s is not a regular file", path);
	if (err)
		return mp_fail(err, NULL, "cannot open %s", path);
	if (is_same(from, output)) {
		fclose(from);
		return mp_fail(0, "-o names another",
			       "%s is the recording itself", output);
	}
	err = mp_perf_writer_open(&writer, output, request->force);
	if (err) {
		fclose(from);
		return mp_fail(err, err == -EEXIST ?
			       "-f replaces it, -o names another" : NULL,
			       "cannot create %s", output);
	}
	err = mp_perf_recover(from, &writer, &lost);
	fclose(from);
	writer.err = writer.err ? writer.err : err;
	last = mp_perf_writer_close(&writer);
	err = err ? err : last;
	if (!err)
		err = mp_perf_writer_place(&writer);
	if (err)
		mp_perf_writer_drop(&writer);
	if (err == -ENODATA)
		return mp_fail(0, "only recordings of memprofctl can be recovered",
			       "%s cannot be recovered", path);
	if (err)
		return mp_fail(err, NULL, "cannot write %s", output);
	printf("recovered %s of records into %s",
	       mp_human_bytes(size, writer.data_size), output);
	if (lost)
		printf("; the last %" PRIu64 " bytes are not a complete record",
		       lost);
	printf(": memprofctl report -i %s shows them\n", output);
	return 0;
}

static int run(const struct mp_command *command, int argc, char **argv)
{
	struct request request = { 0 };
	int status = mp_command_parse(command, argc, argv, &request);
	char output[PATH_MAX];

	if (status != MP_PARSED)
		return status;
	if (optind == argc)
		return mp_misuse("recover", "FILE is needed");
	snprintf(output, sizeof(output), "%s%s",
		 request.output ? request.output : argv[optind],
		 request.output ? "" : SUFFIX);
	return recover(&request, argv[optind], output);
}

const struct mp_command mp_cmd_recover = {
	.heading = "files, and this machine:",
	.name = "recover",
	.summary = "repair a recording whose end is missing",
	.usage = "[-o FILE] [-f] FILE",
	.options = options,
	.nr_operands = 1,
	.run = run,
};
