// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz-push: any bytes as the answer of a far end. The first byte chooses the format, the
 * second one the size of the pieces in which the body comes; a line of the rest is a header.
 */
#include "input.h"
#include "push/push-request.c"

static void take_pieces(const struct input *input, size_t piece)
{
	size_t at, len;

	for (at = 0; at < input->size; at += len) {
		len = input->size - at < piece ? input->size - at : piece;
		if (take_answer((char *)input->data + at, 1, len, NULL) != len)
			abort();
		take_header((char *)input->data + at, 1, len, NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mp_push_outcome outcome = { .result = MP_PUSH_SENT };
	struct input input = { data, size };

	request.format = (enum format)(input_byte(&input) % 3);
	request.got = 0;
	request.grpc_status = -1;
	memset(request.answer, 0, sizeof(request.answer));
	take_pieces(&input, input_byte(&input) + 1U);
	if (request.got > ANSWER_SIZE || request.answer[ANSWER_SIZE])
		abort();
	judge_status(&outcome, 200);
	if (outcome.result == MP_PUSH_SENT && request.format == PARCA && request.grpc_status)
		abort();
	judge_status(&outcome, 500);
	if (outcome.result != MP_PUSH_DELAYED ||
	    !memchr(outcome.text, '\0', sizeof(outcome.text)))
		abort();
	return 0;
}
