// SPDX-License-Identifier: GPL-2.0-only
/*
 * agent-metrics: writes the agent's own numbers, and behind them the session's as export
 * --format openmetrics does
 *
 * The cost is that of a report for the symbols, and some milliseconds for each text.
 */
#include "agent-metrics.h"
#include "choice.h"
#include "export.h"
#include "grouping.h"
#include "write-all.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The metric that says which rows come first. */
static enum mp_metric rank_by(const struct mp_profile *profile)
{
	return mp_choice_has(profile, MP_INUSE_SPACE) ? MP_INUSE_SPACE :
	       mp_choice_has(profile, MP_TOUCHED) ? MP_TOUCHED : MP_RESIDENT;
}

int mp_agent_metrics_arrange(struct mp_profile *profile)
{
	struct mp_choice choice = {
		.arrange.keys = MP_GROUP_COMM | MP_GROUP_CGROUP | MP_GROUP_SYMBOL,
		.quiet = true,
	};
	const struct mp_out out = {
		.kind = MP_ROW_CGROUP, .top = 1, .sort = rank_by(profile),
	};
	int err = mp_choice_rows(&choice, &out, NULL, profile, profile);

	mp_choice_free(&choice);
	return err;
}

struct own {
	FILE *file;
	bool plain;
};

static void put_head(const struct own *own, const char *name, bool counter, const char *help)
{
	const char *end = counter && own->plain ? "_total" : "";

	fprintf(own->file, "# TYPE memprof_agent_%s%s %s\n# HELP memprof_agent_%s%s %s\n",
		name, end, counter ? "counter" : "gauge", name, end, help);
}

static void put_counter(const struct own *own, const char *name, uint64_t value,
			const char *help)
{
	put_head(own, name, true, help);
	fprintf(own->file, "memprof_agent_%s_total %" PRIu64 "\n", name, value);
}

static void put_gauge(const struct own *own, const char *name, uint64_t value,
		      const char *help)
{
	put_head(own, name, false, help);
	fprintf(own->file, "memprof_agent_%s %" PRIu64 "\n", name, value);
}

static void put_seconds(const struct own *own, const char *name, uint64_t ns, const char *help)
{
	put_head(own, name, false, help);
	fprintf(own->file, "memprof_agent_%s %.6f\n", name, (double)ns / 1e9);
}

static void put_health(const struct own *own, const struct mp_agent_health *health)
{
	put_counter(own, "snapshots", health->nr_snapshots, "snapshots that were written");
	put_counter(own, "failed_snapshots", health->nr_failures,
		    "snapshots that could not be taken or written");
	put_counter(own, "sessions", health->nr_sessions,
		    "sessions that were begun; counters of the session begin at 0 with each");
	put_counter(own, "lost_texts", health->nr_lost_texts,
		    "texts like this one that could not be made or handed out");
	put_counter(own, "captures", health->nr_captures,
		    "captures that were written when memory was short");
	put_seconds(own, "interval_seconds", health->interval_ms * 1000000,
		    "time between two snapshots");
	put_gauge(own, "last_snapshot_timestamp_seconds", health->snapshot_s,
		  "when the last snapshot was written; 0 for none");
	put_seconds(own, "last_snapshot_seconds", health->snapshot_ns,
		    "what the last snapshot took");
	put_seconds(own, "last_render_seconds", health->render_ns,
		    "what the text before this one took, with its symbols");
	put_gauge(own, "history_bytes", health->history_bytes, "size of the history");
	put_gauge(own, "history_snapshots", health->history_nr, "snapshots in the history");
	put_head(own, "cpu_seconds", true, "CPU time of the agent and of its collector");
	fprintf(own->file, "memprof_agent_cpu_seconds_total{part=\"agent\"} %.6f\n"
		"memprof_agent_cpu_seconds_total{part=\"collector\"} %.6f\n",
		(double)health->cpu_ns / 1e9, (double)health->collector_ns / 1e9);
	put_gauge(own, "memory_bytes", health->memory_bytes,
		  "memory of the agent and of its collector, without files");
	put_gauge(own, "memory_limit_bytes", health->memory_limit,
		  "limit of this memory, above which the agent does less; 0 for none");
	put_head(own, "cpu_limit_ratio", false,
		 "limit of CPU time, of one CPU, above which the agent does less; 0 for none");
	fprintf(own->file, "memprof_agent_cpu_limit_ratio %.3f\n",
		(double)health->cpu_limit / 1e3);
	put_gauge(own, "sampling_divisor", health->thinning,
		  "one of so many samples is taken because of the limits: 1 for all, 0 for sizes of processes only");
}

static void put_pushes(const struct own *own, const struct mp_agent_health *health)
{
	int i;

	if (!health->pushes)
		return;
	put_counter(own, "pushed_profiles", health->nr_pushed,
		    "profiles that the far end took");
	put_counter(own, "push_delays", health->nr_push_delays,
		    "attempts to send a profile that failed, and were repeated");
	put_gauge(own, "push_queue_profiles", health->push_nr, "profiles that wait");
	put_gauge(own, "push_queue_bytes", health->push_bytes, "size of the profiles that wait");
	put_head(own, "dropped_profiles", true, "profiles that were not sent");
	for (i = 0; i < MP_PUSH_NR_DROPS; i++)
		fprintf(own->file, "memprof_agent_dropped_profiles_total{reason=\"%s\"} %"
			PRIu64 "\n", mp_push_drop_names[i], health->nr_push_drops[i]);
}

int mp_agent_metrics_write(const struct mp_agent_health *health,
			   const struct mp_profile *profile, size_t top,
			   enum mp_scrape_form form, struct mp_scrape_text *text)
{
	const struct own own = {
		.file = open_memstream(&text->data, &text->size),
		.plain = form == MP_SCRAPE_PLAIN,
	};
	struct mp_export export = {
		.ops = &mp_export_openmetrics, .file = own.file, .profile = profile,
		.metric = rank_by(profile), .all_kinds = true, .top = top, .title = profile->meta.targets,
		.exporter = "memprofctl " MP_VERSION, .by_name = true, .plain = own.plain,
	};
	int err;

	if (!own.file)
		return -ENOMEM;
	put_health(&own, health);
	put_pushes(&own, health);
	err = export.ops->write(&export);
	if (!err && ferror(own.file))
		err = -ENOMEM;
	if (fclose(own.file) && !err)
		err = -ENOMEM;
	return err;
}

static int write_text(int fd, const struct mp_scrape_text *text)
{
	int err = mp_write_all(fd, text->data, text->size);

	/* the collector of node_exporter is another user */
	return err ?: fchmod(fd, 0644) ? -errno : 0;
}

int mp_agent_metrics_save(const char *path, const struct mp_scrape_text *text)
{
	const char *base = strrchr(path, '/') + 1;
	char draft[PATH_MAX];
	int fd, err;

	if (snprintf(draft, sizeof(draft), "%.*s.%s.tmp", (int)(base - path), path, base) >=
	    (int)sizeof(draft))
		return -ENAMETOOLONG;
	unlink(draft);
	fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	err = write_text(fd, text);
	close(fd);
	if (!err && rename(draft, path))
		err = -errno;
	if (err)
		unlink(draft);
	return err;
}
