/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct session: reads a recording from its header to its last sample, in time order.
 *
 * session_open() reads what stands ahead of the data; session_read() then hands the
 * consumer the tracing data (once, before the first sample) and each sample, in the
 * order of time.  What the recording says about itself is session_facts(), complete
 * when session_read() has returned.  A consumer's negative return stops the reading and is
 * passed on.  What cannot be read is noted in the facts' damage and is no error.
 */
#ifndef PERFDATA_SESSION_H
#define PERFDATA_SESSION_H

#include "util/perfdata/reader.h"
#include "util/perfdata/recording.h"

struct session_ops {
	/* The bytes of the tracing data section, see util/trace; may be NULL. */
	int (*tracing_data)(void *ctx, const uint8_t *data, size_t size, struct error *err);
	/* The next sample; it and what it points to hold until the function returns. */
	int (*sample)(void *ctx, const struct sample *sample, struct error *err);
	/* A thread has a new name / a new thread; in time order with the samples. May be NULL. */
	int (*comm)(void *ctx, uint32_t tid, const char *comm);
	int (*fork)(void *ctx, uint32_t parent_tid, uint32_t tid);
};

struct session;

int session_open(const char *path, const struct reader_options *options,
		 struct session **ret_session, struct error *err);
void session_free(struct session *s);

const struct source_facts *session_facts(const struct session *s);

int session_read(struct session *s, const struct session_ops *ops, void *ctx, struct error *err);

#endif
