// SPDX-License-Identifier: GPL-2.0-only
/* The trace events of trace.h are defined here, once for the whole module. */
#define CREATE_TRACE_POINTS
#include "trace.h"
