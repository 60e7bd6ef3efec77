/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of struct session, for session*.c only.
 *
 * session.c opens, puts in order and delivers what has a time; session_records.c takes the records
 * that say something about the recording itself.
 */
#ifndef PERFDATA_SESSION_INTERNAL_H
#define PERFDATA_SESSION_INTERNAL_H

#include "util/base/strbuf.h"
#include "util/perfdata/event_finder.h"
#include "util/perfdata/feature.h"
#include "util/perfdata/order.h"
#include "util/perfdata/read_progress.h"
#include "util/perfdata/session.h"

struct session {
	struct event_source source;
	struct recording recording;
	struct reader reader;
	struct order order;
	struct event_finder finder;
	struct read_progress progress;
	struct bytes tracing_section; /* in a file */
	struct strbuf early;	      /* tracing data ahead of the samples, while it is collected */
	bool tracing_done;	      /* the sink has it */
	struct {
		uint64_t nr, bytes;
		uint64_t first_pos;
	} bad; /* samples too small for their fields */
	const struct event_sink *sink;
	void *ctx;
	struct error *err;
};

/* Once, before the first sample; pos: where the bytes stand in the recording. */
int session_hand_tracing_data(struct session *s, const uint8_t *data, size_t size, uint64_t pos);

/* A record without a place in time: about the recording itself. Errors: -ENOMEM, and the
 * consumer's.
 */
int session_take_about(struct session *s, const struct record *rec);

#endif
