// SPDX-License-Identifier: GPL-2.0-only
/*
 * Defines the trace events of trace.h for the whole module. This file uses no
 * other file, so that streams can use the events.
 */
#define CREATE_TRACE_POINTS
#include "trace.h"
