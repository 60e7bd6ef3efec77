/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats from a tracefs, for recordings without any.
 *
 * Either a mounted one, or a copy (events/SYSTEM/NAME/format, and events/header_page, which has the
 * size of a long and of a page), of the kernel that was recorded.
 */
#ifndef TRACEPOINT_TRACEFS_FORMATS_H
#define TRACEPOINT_TRACEFS_FORMATS_H

#include "util/host/tracefs.h"
#include "util/tracepoint/tracing_data.h"

/* The size of a long on a machine, given its name from uname; NULL: unknown, 8 as on most. */
uint8_t long_size_of_arch(const char *arch);

/*
 * The formats of a system's events; `system` must outlive td.  The caller has set td->big_endian,
 * and the sizes to use if header_page does not have them. Errors: that system has no events, or
 * they cannot be read; -ENOMEM.
 */
int tracefs_formats_read(struct tracing_data *td, const struct tracefs *t, const char *system,
			 struct error *err);

#endif
