// SPDX-License-Identifier: GPL-2.0-only
/*
 * html-history: writes the intervals of a history, from which the page adds up a range
 *
 * A cell takes some 12 bytes of the page, a row its names.
 */
#include "html.h"
#include "json-text.h"

#include <inttypes.h>

static void write_metrics(const struct mp_export *export,
			  const struct mp_intervals_table *table)
{
	uint16_t i;

	fputs("\"metrics\":[", export->file);
	for (i = 0; i < table->nr_metrics; i++) {
		fputs(i ? "," : "", export->file);
		mp_html_metric(export->file, export->profile, table->metrics[i]);
		fprintf(export->file, ",\"level\":%s}",
			mp_metrics[table->metrics[i]].nature == MP_LEVEL ? "true" : "false");
	}
	fputs("]", export->file);
}

/* The row of the others has no keys. */
static void write_rows(FILE *file, const struct mp_intervals_table *table)
{
	size_t i;

	fputs(",\"rows\":[0,0,0", file);
	for (i = 1; i < table->nr; i++)
		fprintf(file, ",\n%" PRIu32 ",%" PRIu32 ",%" PRIu32, table->keys[i][0],
			table->keys[i][1], table->keys[i][2]);
	fputs("]", file);
}

static void write_cells(FILE *file, const struct mp_intervals_table *table)
{
	const struct mp_intervals_cell *cell;

	fputs(",\"cells\":[", file);
	for (cell = table->cells; cell < table->cells + table->nr_cells; cell++)
		fprintf(file, "%s%" PRIu32 ",%u,%u,%" PRId64, cell == table->cells ? "" : ",\n",
			cell->row, cell->interval, cell->metric, cell->value);
	fprintf(file, "],\"folded\":%zu", table->nr_folded);
}

static void write_table(const struct mp_export *export, const char *name,
			const struct mp_intervals_table *table)
{
	fprintf(export->file, "\"%s\":{", name);
	write_metrics(export, table);
	write_rows(export->file, table);
	write_cells(export->file, table);
	fputs("}", export->file);
}

void mp_html_history(const struct mp_export *export)
{
	const struct mp_intervals *history = export->history;
	FILE *file = export->file;
	size_t i;

	fprintf(file, "\"totals\":[],\n\"tables\":[],\n\"series\":{},\n\"histograms\":null,\n"
		"\"history\":{\"snapshots\":%zu,", history->nr_snapshots);
	mp_html_string(file, "folder", history->folder ?: "");
	fputs(",\"times\":[", file);
	for (i = 0; i <= history->nr; i++)
		fprintf(file, "%s%" PRIu64, i ? "," : "", history->times[i]);
	fputs("],\n\"names\":[", file);
	for (i = 0; i < history->names.nr; i++) {
		fputs(i ? ",\n" : "", file);
		mp_json_text(file, history->names.list[i]);
	}
	fputs("],\n", file);
	write_table(export, "command", &history->commands);
	fputs(",\n", file);
	write_table(export, "callsite", &history->sites);
	fputs(",\n", file);
	write_table(export, "node", &history->nodes);
	fputs("},\n", file);
}

int mp_html_history_flame(const struct mp_export *export)
{
	int err;

	fputs("\"flame\":{\"metrics\":[", export->file);
	err = mp_html_frames(export->file, &export->history->frames);
	fputs("],\"hidden\":0,\"nodes\":[],\"chosen\":0},\n", export->file);
	return err;
}
