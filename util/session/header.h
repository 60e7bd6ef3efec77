/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The header of a perf.data: byte order, and the places of attrs, data and features.
 *
 * header_parse() checks every offset and size against the file's size, so the following code may
 * rely on struct perfdata_layout.
 */
#ifndef SESSION_HEADER_H
#define SESSION_HEADER_H

#include "util/perfdata/format.h"
#include "util/session/recording.h"

struct perfdata_layout {
	bool pipe;	 /* records follow the 16 bytes of a pipe header */
	bool unfinished; /* the recorder never wrote data.size: the data ends with the file */
	uint64_t data_start, data_end;
	uint64_t data_size_said; /* size in the header; exceeds the file if truncated */
	uint64_t features[PERFDATA_FEATURE_BITS / 64];
	uint64_t feature_table; /* offset of the table of sections */
};

/* Whether these are the first bytes of a perf.data of any form. */
bool header_is_perfdata(const uint8_t *data, size_t len);

/* Whether these PERFDATA_PIPE_HEADER_SIZE bytes are the start of a file, not of a pipe's stream. */
bool header_is_file(const uint8_t *data);

/*
 * Read the header from the first bytes of a recording; sets r->swap and the byte order. len: number
 * of bytes available. file_size: size of the whole file; 0 if unknown (a pipe). Errors: -EINVAL
 * with a message.
 */
int header_parse(struct recording *r, const uint8_t *data, uint64_t len, uint64_t file_size,
		 struct perfdata_layout *ret_layout, struct error *err);

/* Read the attr table and the ids of a file into r->events. */
int header_read_attrs(struct recording *r, const uint8_t *file, uint64_t file_size,
		      struct error *err);

/*
 * Call fn for each feature of the file, in bit order. A section outside the file is skipped and
 * noted as damage.
 */
int header_for_each_feature(struct recording *r, const uint8_t *file, uint64_t file_size,
			    const struct perfdata_layout *layout,
			    int (*fn)(void *ctx, unsigned int bit, struct bytes bytes), void *ctx);

#endif
