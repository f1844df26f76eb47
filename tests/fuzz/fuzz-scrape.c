// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-scrape: any bytes as a request to the agent, or as a line of the kernel's log. The
 * first byte chooses. A request may come in two pieces, and its answer must be the same.
 */
#include "input.h"
#include "oom-log.h"
#include "scrape.h"
#include "scrape-request.h"

#include <stdlib.h>
#include <string.h>

static void read_request(const struct input *input, size_t piece)
{
	uint8_t *text = input_copy(input);
	struct mp_scrape_request whole, part;
	const int status = mp_scrape_request_read((char *)text, input->size, &whole);

	if (piece > input->size)
		piece = input->size;
	/* what was refused or answered early is not read on */
	if (!mp_scrape_request_read((char *)text, piece, &part) &&
	    mp_scrape_request_read((char *)text, input->size, &part) != status)
		abort();
	if (status == 200 && (whole.head != part.head || whole.openmetrics != part.openmetrics) &&
	    piece == input->size)
		abort();
	free(text);
}

static void read_line(const struct input *input)
{
	char *line = calloc(1, input->size + 1);
	struct mp_oom_victim victims[MP_OOM_LOG_MAX];
	size_t nr = 0;

	if (!line)
		abort();
	memcpy(line, input->data, input->size);
	mp_oom_log_parse(line, victims, &nr);
	mp_oom_log_parse(line, victims, &nr);
	if (nr > 1 || (nr && !victims[0].pid))
		abort();
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	const uint8_t choice = input_byte(&input);

	if (choice == 255)
		read_line(&input);
	else
		read_request(&input, choice);
	return 0;
}
