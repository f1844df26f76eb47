/* SPDX-License-Identifier: GPL-2.0-only */
/* Sampling: chooses allocations by their bytes, and computes sample weights. */
#ifndef _MEMPROF_SAMPLE_H
#define _MEMPROF_SAMPLE_H

#include <linux/percpu.h>
#include <linux/prandom.h>
#include <linux/types.h>

/* Weights and numbers of objects are in units of 2^-16. */
#define MEMPROF_ONE (1ULL << 16)

struct memprof_sampler_cpu {
	s64 left;			/* bytes until the next sample */
	struct rnd_state random;
};

struct memprof_sampler {
	u64 rate;			/* mean bytes between samples; 1: all */
	struct memprof_sampler_cpu __percpu *cpus;
};

int memprof_sampler_alloc(struct memprof_sampler *s, u64 rate);
void memprof_sampler_free(struct memprof_sampler *s);
bool memprof_sample(struct memprof_sampler *s, u64 size);
u64 memprof_sample_weight(const struct memprof_sampler *s, u64 size);

#endif
