/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A perf.data as a source of events: from its header to its last sample, in time order.
 *
 * open() reads everything before the data. read() passes the sink the formats (once, before the
 * first sample) and each sample, in time order. The recording's description of itself becomes the
 * source's facts, which are complete when read() has returned. A negative return of the sink stops
 * reading and is passed on. Unreadable data are noted in the facts' damage and are not an error.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "util/session/recording.h"
#include "util/source/event_source.h"

/* Returns the attributes of an event of the facts, or NULL if the source is not a perf.data. */
const struct event_attr *session_event_attr(const struct event_source *source, size_t event);

extern const struct event_source_ops event_source_perfdata;

#endif
