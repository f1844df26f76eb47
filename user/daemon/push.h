/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * push: sends profiles to a far end, by a process that has no privileges
 */
#ifndef MP_PUSH_H
#define MP_PUSH_H

#include "push-queue.h"

/* Limits of the texts of settings, in bytes */
#define MP_PUSH_URL_SIZE	2048
#define MP_PUSH_NAME_SIZE	128
#define MP_PUSH_HEADERS_SIZE	8192

/**
 * enum mp_push_format - what far ends take
 * @MP_PUSH_PYROSCOPE: pprof, posted to /ingest
 * @MP_PUSH_PARCA: pprof, by WriteRaw of gRPC-Web
 * @MP_PUSH_OTLP: the request of OpenTelemetry's profiles signal
 */
enum mp_push_format {
	MP_PUSH_PYROSCOPE,
	MP_PUSH_PARCA,
	MP_PUSH_OTLP,
	MP_PUSH_NR_FORMATS,
};

extern const char * const mp_push_format_names[MP_PUSH_NR_FORMATS];

/**
 * struct mp_push_settings - where profiles go, and how
 * @url: with http:// or https://; empty: nowhere
 * @format: what the far end takes
 * @name: name of the application or service
 * @interval_ms: time between two profiles
 * @timeout_ms: limit of one request
 * @max_bytes: limit of what waits
 * @headers: lines of NAME: VALUE, of all requests
 * @header_file: file with more of them; empty: none
 * @ca, @cert, @key: files in the format PEM: whom to trust in place of the system's
 *	authorities, and who we are; empty: none
 */
struct mp_push_settings {
	char url[MP_PUSH_URL_SIZE];
	enum mp_push_format format;
	char name[MP_PUSH_NAME_SIZE];
	uint64_t interval_ms, timeout_ms, max_bytes;
	char headers[MP_PUSH_HEADERS_SIZE];
	char header_file[PATH_MAX];
	char ca[PATH_MAX], cert[PATH_MAX], key[PATH_MAX];
};

/**
 * enum mp_push_drop - why a profile was not sent
 * @MP_PUSH_DROP_FULL: it was the oldest in a queue that was full
 * @MP_PUSH_DROP_REFUSED: the far end will not take it
 * @MP_PUSH_DROP_FORMAT: it had waited when another format was configured
 * @MP_PUSH_DROP_UNREADABLE: its file could not be read
 */
enum mp_push_drop {
	MP_PUSH_DROP_FULL,
	MP_PUSH_DROP_REFUSED,
	MP_PUSH_DROP_FORMAT,
	MP_PUSH_DROP_UNREADABLE,
	MP_PUSH_NR_DROPS,
};

extern const char * const mp_push_drop_names[MP_PUSH_NR_DROPS];

/**
 * struct mp_push - the process and its queue
 * @queue: what waits
 * @max_bytes: limit of that
 * @settings: for the process, JSON
 * @socket: to the process; -1: there is none
 * @pidfd: of the process, where the kernel has that; -1: none
 * @in_flight: number of the file that it has; 0: none
 * @nr_sent, @nr_delays: files that were sent, and attempts that failed
 * @nr_drops: files that were not sent, by enum mp_push_drop
 * @text: why the last attempt failed, or the last file was refused; printable
 */
struct mp_push {
	struct mp_push_queue queue;
	uint64_t max_bytes;
	char *settings;
	int socket, pidfd;
	uint64_t in_flight;
	uint64_t nr_sent, nr_delays;
	uint64_t nr_drops[MP_PUSH_NR_DROPS];
	char text[1024];
};

/**
 * enum mp_push_event - what happened
 * @MP_PUSH_NOTHING: nothing
 * @MP_PUSH_DONE: a file was sent
 * @MP_PUSH_WAITS: an attempt failed, and @text says why
 * @MP_PUSH_LOST: a file was refused, and @text says why
 * @MP_PUSH_ENDED: the process has ended; mp_push_work() starts another one
 */
enum mp_push_event {
	MP_PUSH_NOTHING,
	MP_PUSH_DONE,
	MP_PUSH_WAITS,
	MP_PUSH_LOST,
	MP_PUSH_ENDED,
};

/**
 * mp_push_open - read the queue in a folder, and what the settings name
 * @push: must be zero; mp_push_close() frees it
 * @agent: name and version of this program
 *
 * Counters of @push begin at 0.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_push_open(struct mp_push *push, const struct mp_push_settings *settings,
		 const char *folder, const char *agent, struct mp_diag *diag);

/**
 * mp_push_add - put the draft of the queue into the queue
 * @from_s, @until_s: time that the profile is of, CLOCK_REALTIME
 *
 * The oldest files are removed, if there is no room otherwise.
 *
 * Return: 0, or a negative errno.
 */
int mp_push_add(struct mp_push *push, uint64_t from_s, uint64_t until_s);

/**
 * mp_push_work - give the process the oldest file, if it has none
 *
 * If there is no process, one is started.
 *
 * Return: 0, or a negative errno.
 */
int mp_push_work(struct mp_push *push);

/** mp_push_next_event - take one answer of the process, without waiting */
enum mp_push_event mp_push_next_event(struct mp_push *push);

/** mp_push_close - end the process; what was not sent stays in the folder */
void mp_push_close(struct mp_push *push);

/** mp_push_headers_are_valid - whether each line of @text is NAME: VALUE, and printable */
bool mp_push_headers_are_valid(const char *text);

/** mp_push_file_read - read a small file. Return: text, to be freed, or NULL and errno */
char *mp_push_file_read(const char *path);

#endif
