// SPDX-License-Identifier: GPL-2.0-only
/*
 * agent-push: writes a profile into the queue, at each push-interval
 *
 * Flows are those since the last profile, so that a far end can add up profiles; levels are
 * those at the end. That costs a copy of the session's rows, and a report. What fails is said
 * once, and the next profile has what this one would have had.
 */
#include "agent-push.h"
#include "choice.h"
#include "clock.h"
#include "export-formats.h"
#include "grouping.h"
#include "message.h"
#include "origin-here.h"
#include "profile-copy.h"
#include "profile-delta.h"
#include "protobuf.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FOLDER		"/push"
/* At the end, the far end has this time for the last profiles. */
#define FINISH_NS	2000000000ULL
#define PROGRAM		"memprofctl " MP_VERSION

/* Fields of Parca's WriteRawRequest */
enum {
	REQUEST_SERIES = 2, SERIES_LABELS = 1, SERIES_SAMPLE = 2, LABELS_LABEL = 1,
	LABEL_NAME = 1, LABEL_VALUE = 2, SAMPLE_PROFILE = 1,
};

int mp_agent_push_open(struct mp_agent_push *push, const struct mp_agent_config *config)
{
	const struct mp_push_settings *settings = &config->push;
	char folder[PATH_MAX + sizeof(FOLDER)];
	struct mp_diag diag = { 0 };

	*push = (struct mp_agent_push){ 0 };
	if (!settings->url[0])
		return 0;
	push->open = true;
	snprintf(folder, sizeof(folder), "%s" FOLDER, config->folder);
	if (!mp_push_open(&push->push, settings, folder, PROGRAM, &diag))
		mp_agent_push_answer(push, config);
	if (diag.failed)
		mp_agent_push_close(push);
	return mp_message_diag(&diag, "agent");
}

static void say_once(struct mp_agent_push *push, const struct mp_diag *diag)
{
	if (diag->failed && !push->troubled)
		mp_message_diag(diag, "agent");
	if (!diag->failed && push->troubled)
		mp_say(MP_PRIORITY_INFO, "agent", "profiles are written again");
	push->troubled = diag->failed;
}

static void put_label(struct mp_blob *labels, struct mp_blob *label, const char *name,
		      const char *value)
{
	mp_protobuf_bytes(label, LABEL_NAME, name, strlen(name));
	mp_protobuf_bytes(label, LABEL_VALUE, value, strlen(value));
	mp_protobuf_message(labels, LABELS_LABEL, label);
}

/* Writes a frame of gRPC-Web: no compression, the length, and the request. */
static int write_parca(FILE *file, const struct mp_push_settings *settings, const char *host,
		       const char *profile, size_t size)
{
	struct mp_blob labels = { 0 }, series = { 0 }, sample = { 0 }, request = { 0 };
	uint8_t head[5] = { 0 };

	put_label(&labels, &series, "__name__", settings->name);
	put_label(&labels, &series, "node", host);
	mp_protobuf_message(&series, SERIES_LABELS, &labels);
	mp_protobuf_bytes(&sample, SAMPLE_PROFILE, profile, size);
	mp_protobuf_message(&series, SERIES_SAMPLE, &sample);
	mp_protobuf_message(&request, REQUEST_SERIES, &series);
	head[1] = (uint8_t)(request.size >> 24);
	head[2] = (uint8_t)(request.size >> 16);
	head[3] = (uint8_t)(request.size >> 8);
	head[4] = (uint8_t)request.size;
	fwrite(head, 1, sizeof(head), file);
	fwrite(request.data, 1, request.size, file);
	free(labels.data);
	free(series.data);
	free(sample.data);
	free(request.data);
	return request.failed || request.size > INT32_MAX ? -ENOMEM : 0;
}

static int export_as(struct mp_export *export, const struct mp_push_settings *settings,
		     FILE *file)
{
	const char *host = export->profile->meta.origin.host;
	char *pprof = NULL;
	size_t size = 0;
	int err;

	export->file = file;
	if (settings->format != MP_PUSH_PARCA)
		return export->ops->write(export);
	export->file = open_memstream(&pprof, &size);
	if (!export->file)
		return -ENOMEM;
	err = export->ops->write(export);
	if (fclose(export->file) && !err)
		err = -ENOMEM;
	err = err ?: write_parca(file, settings, host, pprof, size);
	free(pprof);
	return err;
}

static int write_draft(struct mp_agent_push *push, struct mp_export *export,
		       const struct mp_push_settings *settings)
{
	char draft[PATH_MAX];
	FILE *file;
	int err;

	mp_push_queue_draft(&push->push.queue, draft);
	unlink(draft);
	file = fopen(draft, "wxe");
	if (!file)
		return -errno;
	err = fchmod(fileno(file), 0600) ? -errno : export_as(export, settings, file);
	if (ferror(file) && !err)
		err = -EIO;
	if (fclose(file) && !err)
		err = -errno;
	if (err)
		unlink(draft);
	return err;
}

/* Arranges a profile as export does, by names: process ids would be labels without end. */
static int arrange(struct mp_profile *profile, struct mp_stack_samples *samples)
{
	struct mp_choice choice = { .arrange.keys = MP_EXPORT_KEYS, .quiet = true };
	const struct mp_out out = { .kind = MP_ROW_STACK, .sort = MP_TOUCHED };
	int err = mp_choice_rows(&choice, &out, NULL, profile, profile);

	if (!err)
		err = mp_export_gather(&choice, profile, samples);
	if (!err)
		err = mp_stack_samples_unite(samples);
	mp_choice_free(&choice);
	return err;
}

static int make_profile(struct mp_agent_push *push, const struct mp_push_settings *settings,
			struct mp_profile *profile)
{
	struct mp_export export = {
		.ops = settings->format == MP_PUSH_OTLP ? &mp_export_otlp : &mp_export_pprof,
		.profile = profile, .exporter = PROGRAM, .title = profile->meta.targets,
		.with_sizes = true, .service = settings->name,
		.metric = mp_choice_has(profile, MP_INUSE_SPACE) ? MP_INUSE_SPACE : MP_TOUCHED,
	};
	int err;

	mp_origin_here(&profile->meta.origin);
	err = arrange(profile, &export.samples) ?: write_draft(push, &export, settings);
	mp_stack_samples_free(&export.samples);
	return err;
}

/* Whether the earlier profile is of the same session, and can be subtracted. */
static bool follows(const struct mp_profile *before, const struct mp_profile *now)
{
	return before->nr_rows && before->meta.status.start_ns == now->meta.status.start_ns;
}

static int push_profile(struct mp_agent_push *push, const struct mp_push_settings *settings,
			const struct mp_profile *profile, uint64_t now_s)
{
	const struct memprof_status *status = &profile->meta.status;
	uint64_t since_s = now_s - (status->now_ns - status->reset_ns) / 1000000000;
	struct mp_profile kept = { 0 }, changed = { 0 };
	int err = mp_profile_copy(&kept, profile) ?: mp_profile_copy(&changed, profile);

	if (!err && follows(&push->before, profile)) {
		since_s = push->before_s;
		err = mp_profile_since(&push->before, &changed);
	}
	err = err ?: make_profile(push, settings, &changed);
	if (!err)
		err = mp_push_add(&push->push, since_s, now_s);
	if (!err) {
		mp_profile_free(&push->before);
		push->before = kept;
		push->before_s = now_s;
	} else {
		mp_profile_free(&kept);
	}
	mp_profile_free(&changed);
	return err;
}

/* Each reason once: the counters have the rest. What was refused is said with its answer. */
static void say_drops(struct mp_agent_push *push)
{
	static const char * const why[MP_PUSH_NR_DROPS] = {
		[MP_PUSH_DROP_FULL] =
			"the queue of profiles is full: the oldest are dropped (push-queue)",
		[MP_PUSH_DROP_FORMAT] = "profiles of another format had waited and are dropped",
		[MP_PUSH_DROP_UNREADABLE] = "a profile that waited cannot be read and is dropped",
	};
	int i;

	for (i = 0; i < MP_PUSH_NR_DROPS; i++) {
		if (!why[i] || !push->push.nr_drops[i] || push->said[i])
			continue;
		push->said[i] = true;
		mp_say(MP_PRIORITY_WARNING, "agent", "%s", why[i]);
	}
}

void mp_agent_push_now(struct mp_agent_push *push, const struct mp_agent_config *config,
		       const struct mp_profile *profile, bool last)
{
	const uint64_t interval_ms = config->push.interval_ms, now = mp_clock_ns();
	const uint64_t early_ms = (interval_ms < config->interval_ms ? interval_ms :
				   config->interval_ms) / 4;
	struct mp_diag diag = { 0 };
	int err;

	if (!push->open || !profile->nr_rows || (now < push->next_ns && !last))
		return;
	/* snapshots come at about the interval: not one of two is left out for some ms */
	push->next_ns = now + (interval_ms - early_ms) * 1000000;
	err = push_profile(push, &config->push, profile, (uint64_t)time(NULL));
	if (err)
		mp_diag_fail(&diag, err, NULL, "cannot write a profile to %s",
			     push->push.queue.folder);
	say_once(push, &diag);
	mp_agent_push_answer(push, config);
}

int mp_agent_push_fd(const struct mp_agent_push *push)
{
	return push->open ? push->push.socket : -1;
}

static void say_event(struct mp_agent_push *push, enum mp_push_event event, const char *url)
{
	const struct mp_push *far = &push->push;

	if (event == MP_PUSH_DONE && push->waits)
		mp_say(MP_PRIORITY_INFO, "agent", "%s takes profiles again", url);
	else if (event == MP_PUSH_WAITS && !push->waits)
		mp_say(MP_PRIORITY_WARNING, "agent", "%s takes no profiles now: %s", url,
		       far->text);
	else if (event == MP_PUSH_LOST && !push->said[MP_PUSH_DROP_REFUSED])
		mp_say(MP_PRIORITY_ERROR, "agent", "%s refuses profiles, which are dropped: %s",
		       url, far->text);
	else if (event == MP_PUSH_ENDED && !push->idle)
		mp_say(MP_PRIORITY_WARNING, "agent", "memprof-push has ended: another one begins");
	push->waits = event == MP_PUSH_WAITS || (push->waits && event != MP_PUSH_DONE);
	push->idle = event == MP_PUSH_ENDED || (push->idle && event != MP_PUSH_DONE);
	push->said[MP_PUSH_DROP_REFUSED] |= event == MP_PUSH_LOST;
}

void mp_agent_push_answer(struct mp_agent_push *push, const struct mp_agent_config *config)
{
	struct mp_diag diag = { 0 };
	enum mp_push_event event;
	int err;

	if (!push->open)
		return;
	while ((event = mp_push_next_event(&push->push)) != MP_PUSH_NOTHING) {
		say_event(push, event, config->push.url);
		/* another one begins at the next interval, and not in a circle */
		if (event == MP_PUSH_ENDED)
			return;
	}
	err = mp_push_work(&push->push);
	if (err && !push->idle) {
		mp_diag_fail(&diag, err, NULL, "cannot start memprof-push");
		mp_message_diag(&diag, "agent");
		push->idle = true;
	}
	say_drops(push);
}

void mp_agent_push_finish(struct mp_agent_push *push, const struct mp_agent_config *config)
{
	const uint64_t end = mp_clock_ns() + FINISH_NS;
	struct pollfd answer = { .events = POLLIN };

	while (push->open && push->push.in_flight && !push->waits && mp_clock_ns() < end) {
		answer.fd = push->push.socket;
		if (poll(&answer, 1, 100) > 0)
			mp_agent_push_answer(push, config);
	}
}

void mp_agent_push_measure(const struct mp_agent_push *push, struct mp_agent_health *health)
{
	health->pushes = push->open;
	health->nr_pushed = push->push.nr_sent;
	health->nr_push_delays = push->push.nr_delays;
	health->push_nr = push->push.queue.nr;
	health->push_bytes = push->push.queue.bytes;
	memcpy(health->nr_push_drops, push->push.nr_drops, sizeof(health->nr_push_drops));
}

void mp_agent_push_close(struct mp_agent_push *push)
{
	if (push->open)
		mp_push_close(&push->push);
	mp_profile_free(&push->before);
	*push = (struct mp_agent_push){ 0 };
}
