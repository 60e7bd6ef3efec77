// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hostile tracing data section: the formats, what is found in their print fmts, the decode plan
 * of every event in them, and that plan applied to raw data of every short length.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "util/base/log.h"
#include "util/event/gfp.h"
#include "util/decode/kmem_decoder.h"
#include "util/event/migratetype.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

const char *__lsan_default_suppressions(void);

/* libtraceevent 1.7 leaks a few bytes on a format that it rejects; ours are still found. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent";
}

static void decode(const struct trace *trace, const struct tep_event *event)
{
	struct kmem_decoder *decoder = NULL;
	struct error err = ERROR_INIT;
	struct kmem_event ev;

	if (kmem_decoder_new(trace, event, &decoder, &err) || !decoder)
		return;
	for (uint32_t len = 1; len <= 96; len++) {
		/* of exactly this size, so that ASan notices a read beyond it */
		uint8_t *raw = calloc(1, len);
		struct sample sample = {.raw = raw, .raw_size = len, .swap = trace->swap};

		kmem_decoder_decode(decoder, &sample, &ev);
		free(raw);
	}
	kmem_decoder_free(decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = ERROR_INIT;
	struct tracing_data formats;
	struct trace trace;
	struct gfp gfp;

	log_set_level(LOG_QUIET);
	if (tracing_data_parse(&formats, data, size, &err))
		return 0;
	if (trace_init(&trace, &formats, &err) ||
	    gfp_init(&gfp, &formats, size % 2 ? "6.12" : "4.9"))
		abort();
	pageblock_order_of(&formats);
	tracing_data_deinit(&formats);
	gfp_deinit(&gfp);
	for (uint64_t id = 0; id < 2048; id++) {
		const struct tep_event *event = trace_event(&trace, id);

		if (event)
			decode(&trace, event);
	}
	trace_deinit(&trace);
	return 0;
}
