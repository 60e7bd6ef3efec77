/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A perf.data as a source of events: from its header to its last sample, in time order.
 *
 * open() reads what comes before the data; read() then passes the sink the formats (once, before
 * the first sample) and each sample, in time order.  What the recording says about itself are the
 * source's facts, complete when read() has returned.  A negative return of the sink stops reading
 * and is passed on.  What cannot be read is noted in the facts' damage and is not an error.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "util/session/recording.h"
#include "util/source/event_source.h"

/* The attributes of an event of the facts; NULL: the source is not a perf.data. */
const struct event_attr *session_event_attr(const struct event_source *source, size_t event);

extern const struct event_source_ops event_source_perfdata;

#endif
