/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * page-nodes: finds the NUMA nodes of pages
 */
#ifndef MP_PAGE_NODES_H
#define MP_PAGE_NODES_H

#include "pages.h"

#include <sys/types.h>

/**
 * mp_page_nodes - set the nodes of the present pages of a process
 * @end_ns: time at which to stop, CLOCK_MONOTONIC; 0: do not stop
 * @pages: runs become finer, their states have MP_PAGE_NODES. What could not be asked
 *	keeps the node 0, and is added to unplaced
 *
 * Where memory is on one node, nothing is done. Source: move_pages(2), which moves
 * nothing without a list of nodes.
 *
 * Return: 0, or -ENOMEM or -ENOSPC: then no page has a node.
 */
int mp_page_nodes(pid_t pid, uint64_t end_ns, struct mp_pages *pages);

#endif
