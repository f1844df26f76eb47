/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scrape-server: what the process of scrape does
 */
#ifndef MP_SCRAPE_SERVER_H
#define MP_SCRAPE_SERVER_H

/**
 * mp_scrape_serve - serve clients until the other end of @control is closed
 * @listen: socket that listens, non-blocking
 * @control: gets a message for new texts, with their files
 *
 * It does not return.
 */
void mp_scrape_serve(int listen, int control) __attribute__((noreturn));

#endif
