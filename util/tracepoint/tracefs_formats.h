/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event formats from a tracefs, for recordings that have none.
 *
 * The tracefs is a mounted one, or a copy from the recorded kernel (events/SYSTEM/NAME/format, and
 * events/header_page, which has the size of a long and of a page).
 */
#ifndef TRACEPOINT_TRACEFS_FORMATS_H
#define TRACEPOINT_TRACEFS_FORMATS_H

#include "util/host/tracefs.h"
#include "util/tracepoint/tracing_data.h"

/* The size of a long on a machine, by its name from uname. NULL or unknown: 8. */
uint8_t long_size_of_arch(const char *arch);

/* The size of a long, from the text of header_page. 0: unknown. */
uint8_t long_size_of_header_page(const char *header_page);

/*
 * Read the formats of a system's events. `system` must outlive td. The caller sets td->big_endian,
 * and the sizes to use without header_page. Errors: the system has no events, or they cannot be
 * read; -ENOMEM.
 */
int tracefs_formats_read(struct tracing_data *td, const struct tracefs *t, const char *system,
			 struct error *err);

#endif
