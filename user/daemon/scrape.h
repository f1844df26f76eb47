/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scrape: a process that hands out texts by HTTP, which were written before
 *
 * It is for programs that collect numbers, such as Prometheus.
 */
#ifndef MP_SCRAPE_H
#define MP_SCRAPE_H

#include "diag.h"

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

/* Limit of connections at a time. */
#define MP_SCRAPE_MAX_CLIENTS	16

/**
 * enum mp_scrape_form - forms of the same text
 * @MP_SCRAPE_PLAIN: Prometheus' text format 0.0.4
 * @MP_SCRAPE_OPENMETRICS: OpenMetrics 1.0, for clients that ask for it
 */
enum mp_scrape_form {
	MP_SCRAPE_PLAIN,
	MP_SCRAPE_OPENMETRICS,
	MP_SCRAPE_NR_FORMS,
};

/**
 * struct mp_scrape_text - bytes in memory
 * @data: @size bytes
 */
struct mp_scrape_text {
	char *data;
	size_t size;
};

/**
 * struct mp_scrape - the process and its socket
 * @listen: socket that it accepts connections on; -1: none
 * @control: socket through which it gets the texts; -1: there is no process
 * @pid: the process
 * @address: as the user gave it
 */
struct mp_scrape {
	int listen;
	int control;
	pid_t pid;
	char address[128];
};

/**
 * mp_scrape_is_near - whether an address can be reached from this machine only
 * @text: a path of a Unix socket, 127.x.y.z:PORT, [::1]:PORT or localhost:PORT
 */
bool mp_scrape_is_near(const char *text);

/**
 * mp_scrape_open - open the socket, and start the process
 * @address: see mp_scrape_is_near()
 * @group: number of the group that may use a Unix socket, too; (gid_t)-1: none
 *
 * The process gives up all privileges. It ends with this one.
 *
 * Return: 0, or a negative errno with the reason in @diag.
 */
int mp_scrape_open(struct mp_scrape *scrape, const char *address, gid_t group,
		   struct mp_diag *diag);

/**
 * mp_scrape_set - give the process new texts, by enum mp_scrape_form
 *
 * If the process has ended, another one is started.
 *
 * Return: 0, or a negative errno.
 */
int mp_scrape_set(struct mp_scrape *scrape, const struct mp_scrape_text *texts);

/** mp_scrape_close - end the process, and close the socket */
void mp_scrape_close(struct mp_scrape *scrape);

#endif
