/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats from a tracefs, for recordings that hold none.
 *
 * It is a mounted one, or a copy (events/SYSTEM/NAME/format, and events/header_page, which tells
 * the size of a long and of a page) of the kernel that was recorded.
 */
#ifndef TRACEPOINT_TRACEFS_FORMATS_H
#define TRACEPOINT_TRACEFS_FORMATS_H

#include "util/host/tracefs.h"
#include "util/tracepoint/tracing_data.h"

/* The size of a long on a machine, by what uname calls it; NULL: not known, 8 as of most. */
uint8_t long_size_of_arch(const char *arch);

/*
 * The formats of a system's events; `system` must outlive td.  The caller has set td->big_endian,
 * and the sizes that count where header_page does not tell them. Errors: there are no events of
 * that system, or they cannot be read; -ENOMEM.
 */
int tracefs_formats_read(struct tracing_data *td, const struct tracefs *t, const char *system,
			 struct error *err);

#endif
