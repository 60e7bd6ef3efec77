/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The header of a perf.data: byte order, where attrs, data and features are.
 *
 * header_parse() checks every offset and size against the file's size before it is used, so the
 * code that follows may trust struct perfdata_layout.
 */
#ifndef SESSION_HEADER_H
#define SESSION_HEADER_H

#include "util/perfdata/format.h"
#include "util/session/recording.h"

struct perfdata_layout {
	bool pipe;	 /* a stream of records follows the 16 bytes of a pipe header */
	bool unfinished; /* the recorder never wrote data.size: data runs to the end */
	uint64_t data_start, data_end;
	uint64_t data_size_said; /* as the header says; more than there is if truncated */
	uint64_t features[PERFDATA_FEATURE_BITS / 64];
	uint64_t feature_table; /* offset of the table of sections */
};

/* Are these the first bytes of a perf.data of any kind? */
bool header_is_perfdata(const uint8_t *data, size_t len);

/* Do these PERFDATA_PIPE_HEADER_SIZE bytes begin a file rather than a stream? */
bool header_is_file(const uint8_t *data);

/*
 * Read the header from the first bytes of a recording; sets r->swap and the byte order. len: bytes
 * available, file_size: size of the whole file (0: unknown, a pipe). Errors: -EINVAL with what is
 * wrong.
 */
int header_parse(struct recording *r, const uint8_t *data, uint64_t len, uint64_t file_size,
		 struct perfdata_layout *ret_layout, struct error *err);

/* The attr table and the ids of a file: fills r->events. */
int header_read_attrs(struct recording *r, const uint8_t *file, uint64_t file_size,
		      struct error *err);

/*
 * Call fn for each feature of the file, in bit order. A section that lies outside the file is
 * skipped and noted as damage.
 */
int header_for_each_feature(struct recording *r, const uint8_t *file, uint64_t file_size,
			    const struct perfdata_layout *layout,
			    int (*fn)(void *ctx, unsigned int bit, struct bytes bytes), void *ctx);

#endif
