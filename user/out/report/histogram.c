// SPDX-License-Identifier: GPL-2.0-only
/*
 * histogram: writes bins, whose bounds are powers of two, as "<upper bound: count"
 *
 * The caller checks the stream for errors.
 */
#include "histogram.h"
#include "human.h"

static const char *upper_bound(char *buf, int bin, bool is_time)
{
	if (is_time && bin < 20)
		snprintf(buf, MP_HUMAN_SIZE, "%u us", bin < 10 ? 1 : 1U << (bin - 10));
	else if (is_time)
		mp_human_span(buf, 1ULL << bin);
	else
		mp_human_bytes(buf, 1ULL << bin);
	return buf;
}

static bool is_empty(const uint64_t *bins)
{
	int i;

	for (i = 0; i < MEMPROF_HISTOGRAM; i++)
		if (bins[i])
			return false;
	return true;
}

/* Writes bins. Times below a microsecond are one bin, because a probe takes as long. */
static void print_bins(FILE *file, const char *title, const uint64_t *bins,
		       bool is_time)
{
	char bound[MP_HUMAN_SIZE], count[MP_HUMAN_SIZE];
	uint64_t sum = 0;
	int i;

	if (is_empty(bins))
		return;
	fprintf(file, "      %s", title);
	for (i = 0; i < MEMPROF_HISTOGRAM; i++) {
		sum += bins[i];
		if (!sum || (is_time && i < 10))
			continue;
		fprintf(file, "  <%s: %s", upper_bound(bound, i, is_time),
			mp_human_count(count, sum));
		sum = 0;
	}
	fputc('\n', file);
}

void mp_histogram_print(FILE *file, const struct mp_histogram *histogram)
{
	print_bins(file, "sizes:    ", histogram->sizes, false);
	print_bins(file, "lifetimes:", histogram->lifetimes, true);
}
