# SPDX-License-Identifier: GPL-2.0-only
#
# libperf: the distribution's, where pkg-config knows one; else what setup builds.
# Linux 6.1's spoils records of more than 4 KiB that wrap around; it lacks the
# function that is looked for.

LIBPERF ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/memprof/libperf
.DEFAULT_GOAL := all

ifeq ($(shell $(PKG_CONFIG) --exists libperf && grep -qs new_online_cpus \
	$$($(PKG_CONFIG) --variable=includedir libperf)/perf/cpumap.h && echo yes),yes)
PERF_CFLAGS := $(shell $(PKG_CONFIG) --cflags libperf)
PERF_LIBS := $(shell $(PKG_CONFIG) --libs libperf)
else
PERF_CFLAGS := -I$(LIBPERF)/include
PERF_LIBS := $(addprefix $(LIBPERF)/lib/,libperf.a libapi.a)
need-libperf := $(LIBPERF)/lib/libperf.a
endif

$(LIBPERF)/lib/libperf.a:
	@echo "memprof: no libperf: pkg-config knows none that will do, and $@ is missing" \
		"(run scripts/setup, or set LIBPERF= to where it is installed)" >&2; exit 1
