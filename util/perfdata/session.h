/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct session: reads a recording from its header to its last sample, in time order.
 *
 * It makes a perf.data a source of events (event_source_perfdata).  session_open() reads what comes
 * before the data; session_read() then passes the sink the formats (once, before the first sample)
 * and each sample, in time order.  What the recording says about itself is session_facts(),
 * complete when session_read() has returned.  A negative return of the sink stops reading and is
 * passed on.  What cannot be read is noted in the facts' damage and is not an error.
 */
#ifndef PERFDATA_SESSION_H
#define PERFDATA_SESSION_H

#include "util/perfdata/recording.h"
#include "util/source/event_source.h"

struct session;

int session_open(const char *path, const struct source_options *options,
		 struct session **ret_session, struct error *err);
void session_free(struct session *s);

const struct source_facts *session_facts(const struct session *s);

/* The attributes of an event of the facts; NULL: the source is not a perf.data. */
const struct event_attr *session_event_attr(const struct event_source *source, size_t event);

/* The members of the sink may be NULL, except sample(). */
int session_read(struct session *s, const struct event_sink *sink, void *ctx, struct error *err);

extern const struct event_source_ops event_source_perfdata;

#endif
