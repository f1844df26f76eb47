// SPDX-License-Identifier: GPL-2.0-only
/*
 * input: gets a profile from the collector or from a file
 *
 * A large file takes seconds; progress is shown on a terminal. Errors are
 * reported in @diag.
 */
#include "input.h"
#include "cgroup.h"
#include "binary-resolver.h"
#include "clock.h"
#include "container-names.h"
#include "history.h"
#include "human.h"
#include "isolate.h"
#include "json.h"
#include "packed.h"
#include "perf-file.h"
#include "recording.h"
#include "recording-moment.h"
#include "regions.h"
#include "regular-file.h"
#include "request.h"
#include "session-save.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_NS	2000000000ULL
#define INTERVAL_NS	100000000ULL

#define NO_SESSION	": no session of yours is running"

/* State of the progress line on the terminal. Used by one thread. */
static struct {
	uint64_t began_ns;
	uint64_t last_ns;
	bool shown;
} line;

void mp_input_progress(const char *format, ...)
{
	uint64_t now = mp_clock_ns();
	va_list list;

	if (!line.began_ns || now - line.began_ns < PATIENCE_NS ||
	    now - line.last_ns < INTERVAL_NS || !isatty(STDERR_FILENO))
		return;
	line.last_ns = now;
	line.shown = true;
	fputs("\r\033[K", stderr);
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	/* flush, because stderr is line-buffered and the line has no newline */
	fflush(stderr);
}

void mp_input_progress_end(void)
{
	if (line.shown) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
	}
	line.shown = false;
	line.last_ns = 0;
}

static void show_progress(void *context,
			  const struct mp_recording_progress *progress)
{
	const struct mp_binary_resolver *resolver = context;
	char bytes[MP_HUMAN_SIZE], all[MP_HUMAN_SIZE], stacks[64] = "";

	mp_human_bytes(bytes, progress->bytes);
	mp_human_bytes(all, progress->all_bytes);
	if (resolver->nr_unwound)
		snprintf(stacks, sizeof(stacks), ", %" PRIu64 " stacks unwound",
			 resolver->nr_unwound);
	mp_input_progress("reading: %s of %s%s", bytes, all, stacks);
}

/* Sets a row's values; values are in the same order as the rows' descriptions. */
static int set_values(const struct mp_tally_set *set, size_t *used,
		      struct mp_row *row)
{
	if (*used == set->nr)
		return -EBADMSG;
	memcpy(row->value, set->values[*used], sizeof(row->value));
	++*used;
	return 0;
}

static int read_tallies(const struct mp_recording *recording,
			struct mp_profile *profile)
{
	const struct mp_tally_set *set = &recording->tallies.last;
	const char *text = set->text, *end;
	size_t left = set->size, used = 0, i;
	struct mp_json_line got;
	int err = 0;

	for (; !err && left; text = end + 1) {
		end = memchr(text, '\n', left);
		if (!end)
			return -EBADMSG;
		left -= (size_t)(end + 1 - text);
		err = mp_json_read(profile, text, (size_t)(end - text), &got);
		if (!err && set->split &&
		    (got.type == MP_JSON_PROCESS || got.type == MP_JSON_SITE ||
		     got.type == MP_JSON_STACK))
			err = set_values(set, &used,
					 &profile->rows[profile->nr_rows - 1]);
	}
	if (!err && set->split && used != set->nr)
		err = -EBADMSG;
	/* what was found with the pages of blocks adds up */
	for (i = 0; i < profile->nr_rows; i++)
		if (!profile->rows[i].value[MP_HELD_PAGES] && !profile->rows[i].value[MP_BLAME])
			mp_sizes_join(&recording->sizes, profile->meta.alloc.rate,
				      profile->meta.source, &profile->rows[i]);
	return err;
}

static bool has_stacks(const struct mp_profile *profile)
{
	size_t i;

	for (i = 0; i < profile->nr_rows; i++)
		if (profile->rows[i].kind == MP_ROW_STACK &&
		    profile->rows[i].location.stack &&
		    mp_frames_stack(&profile->frames,
				    profile->rows[i].location.stack - 1).nr > 1)
			return true;
	return false;
}

/*
 * Chooses between the module's tallies and the sums of its events. The tallies
 * are more complete, because events may be lost, but only events have stacks.
 */
static int choose_profile(const struct mp_input *input,
		     struct mp_recording *recording, struct mp_profile *profile)
{
	bool has_tallies = recording->tallies.last.text;
	int err = has_tallies ? read_tallies(recording, profile) : 0;

	if (err == -EBADMSG)
		snprintf(recording->why, sizeof(recording->why),
			 "corrupt: its tallies cannot be read");
	if (!err && has_tallies)
		err = mp_containers_copy(&profile->containers, &recording->profile.containers);
	if (err || (has_tallies &&
		    !(input->locations && has_stacks(&recording->profile))))
		return err;
	if (has_tallies) {
		/* only the events contain the address range of the recorded kernel */
		profile->meta.kernel_start = recording->profile.meta.kernel_start;
		profile->meta.kernel_end = recording->profile.meta.kernel_end;
		recording->profile.meta = profile->meta;
	}
	mp_profile_free(profile);
	*profile = recording->profile;
	recording->profile = (struct mp_profile){ 0 };
	return 0;
}

/*
 * Unpacks a compressed recording into memory, and writes the path of that file to @path.
 * If the file is not compressed, or cannot be opened, @path stays and @unpacked is -1.
 */
static int unpack(char *path, int *unpacked)
{
	int from = mp_regular_open(path, NULL), to, err;

	*unpacked = -1;
	if (from < 0)
		return 0;
	if (!mp_packed_is(from)) {
		close(from);
		return 0;
	}
	to = memfd_create("recording", MFD_CLOEXEC);
	err = to < 0 ? -errno : mp_packed_read(from, to, MP_HISTORY_MAX_BYTES);
	close(from);
	if (err) {
		if (to >= 0)
			close(to);
		return err;
	}
	snprintf(path, PATH_MAX, "/proc/self/fd/%d", to);
	*unpacked = to;
	return 0;
}

/* With pages, that is the last moment at which they were looked at. */
static void say_moment(const struct mp_recording *recording, const char *path)
{
	char at[MP_HUMAN_SIZE], all[MP_HUMAN_SIZE];

	fprintf(stderr, "[ memprofctl: %s, %s after its start, of %s%s ]\n", path,
		mp_human_span(at, recording->at_ns), mp_human_span(all, recording->all_ns),
		recording->has_moment ? "; its pages were looked at then" : "");
}

static int fail_moment(const struct mp_recording *recording, const char *path, int err,
		       struct mp_diag *diag)
{
	char all[MP_HUMAN_SIZE];

	return err == -ERANGE ?
	       mp_diag_fail(diag, 0, NULL, "%s: it lasts only %s", path,
			    mp_human_span(all, recording->all_ns)) :
	       mp_diag_fail(diag, 0, NULL, "%s: before that moment it has no sums; record --interval TIME takes them more often",
			    path);
}

static int fail_read(const char *path, const char *why, int err, struct mp_diag *diag)
{
	return err == -EBADMSG ? mp_diag_fail(diag, 0, NULL, "%s: %s", path, why) :
				 mp_diag_fail(diag, err, NULL, "cannot read %s", path);
}

static int read_until(const struct mp_input *input, const char *path, uint64_t at_ns,
		      struct mp_recording *recording)
{
	struct mp_binary_resolver resolver;
	struct mp_recording_options options = {
		.bins = input->bins,
		.timeline = input->timeline,
		.stacks = input->locations,
		.at_ns = at_ns,
		.progress = input->quiet ? NULL : show_progress,
		.context = &resolver,
	};
	int err;

	*recording = (struct mp_recording){ 0 };
	mp_binary_resolver_open(&resolver, input->wrappers, &options.ops);
	err = mp_recording_read(recording, path, &options) ?:
	      mp_binary_resolver_report(&resolver, &recording->profile);
	mp_binary_resolver_close(&resolver);
	return err;
}

static int read_file(const struct mp_input *input, struct mp_profile *profile,
		     struct mp_sizes *sizes, struct mp_diag *diag)
{
	char path[PATH_MAX];
	struct mp_recording recording;
	uint64_t at_ns = input->at_ns;
	int err, unpacked;

	snprintf(path, sizeof(path), "%s", input->path);
	err = unpack(path, &unpacked);
	if (err)
		return fail_read(input->path, "it is not a complete file of zstd or gzip", err, diag);
	err = read_until(input, path, at_ns, &recording);
	if (!err && input->wants_pages && !at_ns && recording.has_looks &&
	    !mp_profile_has_pages(&recording.profile)) {
		mp_recording_free(&recording);
		at_ns = MP_RECORDING_LAST_LOOK;
		err = read_until(input, path, at_ns, &recording);
	}
	mp_input_progress_end();
	if (!err)
		err = choose_profile(input, &recording, profile);
	/* without a list of targets, the file is named */
	if (unpacked >= 0 && !strcmp(profile->meta.targets, path))
		mp_text_escape(profile->meta.targets, sizeof(profile->meta.targets),
			       input->path, strlen(input->path));
	profile->meta.origin = recording.origin;
	if (at_ns && !input->quiet && !err)
		say_moment(&recording, input->path);
	if (at_ns && (err == -ERANGE || err == -EOPNOTSUPP))
		fail_moment(&recording, input->path, err, diag);
	else if (err)
		fail_read(input->path, recording.why, err, diag);
	if (unpacked >= 0)
		close(unpacked);
	*sizes = recording.sizes;
	recording.sizes = (struct mp_sizes){ 0 };
	mp_recording_free(&recording);
	return err;
}

/* Reads the region of a sampled process, or all regions in a folder. */
static int read_regions(const struct mp_input *input, struct mp_profile *profile,
			struct mp_diag *diag)
{
	struct mp_regions regions = { .profile = profile, .cold = input->cold };
	const char *path = input->path;
	int err = mp_regions_read(&regions, path);

	if (err == -EBADMSG)
		mp_diag_fail(diag, 0, NULL, "%s: %s", path, regions.why);
	else if (err)
		mp_diag_fail(diag, err, NULL, "cannot read %s", path);
	return err;
}

static void tell(const char *why, const char *what, time_t when)
{
	char text[32] = "";
	struct tm local;

	if (localtime_r(&when, &local))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &local);
	fprintf(stderr, "[ memprofctl: this is %s %s%s ]\n", what, text, why);
}

/* A recording that was made while a session runs, as an agent's does, is what is meant. */
static const char *choose_recording(const struct stat *file)
{
	const time_t begin = mp_request_session_begin();

	if (!begin || file->st_mtime <= begin)
		return NULL;
	tell(", newer than the session that runs, which --live shows", MP_INPUT_DEFAULT " of",
	     file->st_mtime);
	return MP_INPUT_DEFAULT;
}

const char *mp_input_default(bool live)
{
	/* the answer; one command has one input */
	static char kept[PATH_MAX];
	const bool is_kept = mp_session_kept(kept);
	struct stat file, session;
	const bool is_file = !stat(MP_INPUT_DEFAULT, &file) && S_ISREG(file.st_mode);

	if (live || (!is_file && !is_kept))
		return NULL;
	if (mp_request_session_runs())
		return is_file ? choose_recording(&file) : NULL;
	if (is_kept && stat(kept, &session))
		return NULL;
	if (is_kept && (!is_file || session.st_mtime > file.st_mtime)) {
		tell(NO_SESSION, "the session that was stopped at", session.st_mtime);
		return kept;
	}
	tell("", MP_INPUT_DEFAULT " of", file.st_mtime);
	return MP_INPUT_DEFAULT;
}

/* Asks the session for a report; it reads the ages of pages from our file. */
static int ask_cold(const struct mp_input *input, struct mp_profile *profile,
		    struct mp_diag *diag)
{
	int fd = memfd_create("cold", MFD_CLOEXEC);
	int err = fd < 0 ? -errno : mp_cold_write(input->cold, fd);
	char request[64];

	snprintf(request, sizeof(request), "cold %d %d %s", (int)getpid(), fd,
		 input->locations ? "stacks" : "report");
	if (err)
		mp_diag_fail(diag, err, NULL, "cannot keep the ages of pages");
	else
		err = mp_request(request, profile, diag);
	if (fd >= 0)
		close(fd);
	return err;
}

bool mp_input_is_recording(const char *path)
{
	char magic[sizeof(MP_PERF_MAGIC) - 1];
	const int fd = mp_regular_open(path, NULL);
	bool is = false;

	if (fd >= 0) {
		is = read(fd, magic, sizeof(magic)) == sizeof(magic) &&
		     !memcmp(magic, MP_PERF_MAGIC, sizeof(magic));
		close(fd);
	}
	return is;
}

int mp_input_read(const struct mp_input *input, struct mp_profile *profile,
		  struct mp_sizes *sizes, struct mp_diag *diag)
{
	int err;

	if (!line.began_ns)
		line.began_ns = mp_clock_ns();
	if (input->at_ns && (!input->path || mp_regions_are(input->path)))
		return mp_diag_fail(diag, 0, "memprofctl record makes one",
				    "--at needs a recording: a session has only its present state");
	if (input->path && mp_regions_are(input->path))
		return read_regions(input, profile, diag);
	if (input->path) {
		mp_isolate_begin();
		return read_file(input, profile, sizes, diag);
	}
	if (input->cold)
		err = ask_cold(input, profile, diag);
	else
		err = mp_request(input->locations ? "stacks" : "report", profile, diag);
	if (!err && (mp_cgroup_resolve(profile) || mp_container_names_find(profile)))
		err = mp_diag_fail(diag, ENOMEM, NULL, "cannot find the paths of cgroups");
	return err;
}
