/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tracing data section: what a reader needs to decode the raw events.
 *
 * Contains tracefs' header_page and header_event, the formats of the recorded events only, and in
 * its kallsyms part the symbol lines passed in (see kernel_symbols.h).  The same bytes go into the
 * feature HEADER_TRACING_DATA at the end and, without symbols, into the early records
 * (perfdata/format.h) at the start. Facts: tools/perf/Documentation, trace-cmd.dat.v6(5).
 */
#ifndef RECORD_TRACING_DATA_H
#define RECORD_TRACING_DATA_H

#include "util/record/evlist.h"

int tracing_data_make(struct strbuf *out, const struct tracefs *t, const struct evlist *l,
		      const struct strbuf *kallsyms, struct error *err);

/* Cut tracing data into records of type 65, appended to out. */
int tracing_data_early_records(struct strbuf *out, const struct strbuf *tracing_data);

/* The same for lines of HEADER_RECORDING_INFO, for which stock accepts no record of its own. */
int early_info_records(struct strbuf *out, const struct strbuf *info);

#endif
