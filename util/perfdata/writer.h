/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct perfdata_writer: writes a perf.data file, which is usable at any moment while it is
 * written.
 *
 *	_open [-> _compress] -> _begin -> _append ... -> _publish -> _append ... -> _finish
 *
 * Until _publish() the file has a temporary name (see out_file.h). After it, a killed writer leaves
 * a file with data.size 0, and whole records up to the last append. Records are only written by
 * _append(), which always writes whole ones.
 *
 * If the disk is full, the error is -ENOSPC and the file is truncated after the last whole record.
 * `kept` is the number of bytes of the failed append that are in the file. The writer stays usable
 * for _finish(), because space for the features is reserved. _deinit() closes the file, and removes
 * it if it was not published.
 *
 * "-", FIFOs and sockets get the pipe format: attrs are records, and nothing requires seeking back.
 * The caller must then append the features and the tracing data itself, with _append_plain(),
 * before the compressed records.
 */
#ifndef PERFDATA_WRITER_H
#define PERFDATA_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "util/base/error.h"
#include "util/base/out_file.h"
#include "util/perfdata/feature_writer.h"
#include "util/perfdata/format.h"
#include "util/perfdata/pack.h"

/* Functions of the recorder that the writer calls. All may be NULL. */
struct perfdata_writer_hooks {
	struct out_file_wait wait;
	/*
	 * Called before every PACKER_CHUNK of records. Returns the level to pack it with, at most
	 * that of _compress(); 0: do not pack it.
	 */
	int (*level)(void *ctx);
	void *ctx; /* argument of level() */
};

struct perfdata_writer {
	struct out_file file;
	bool reserved; /* space for the features is reserved */
	bool pipe_form;
	struct perfdata_header header;
	uint64_t pos;	       /* offset of the next byte */
	uint64_t kept;	       /* bytes of a failed append that are in the file */
	struct packer *packer; /* NULL: records are not compressed */
	int level;
	struct perfdata_writer_hooks hooks;
};

#define PERFDATA_WRITER_INIT                                                                       \
	{                                                                                          \
		.file = OUT_FILE_INIT                                                              \
	}

struct perfdata_writer_attr {
	const struct perf_event_attr *attr;
	const uint64_t *ids;
	size_t nr_ids;
};

/* hooks: copied; may be NULL. */
int perfdata_writer_open(struct perfdata_writer *w, const char *path,
			 const struct perfdata_writer_hooks *hooks, struct error *err);

/* Compress all appended records. The caller adds HEADER_COMPRESSED to the features. */
int perfdata_writer_compress(struct perfdata_writer *w, int level, struct error *err);

/* Write header, ids and attrs; the data section starts after them. -E2BIG: too many ids for a
 * pipe. */
int perfdata_writer_begin(struct perfdata_writer *w, const struct perfdata_writer_attr *attrs,
			  size_t nr, struct error *err);

/* Give the file its final name. */
int perfdata_writer_publish(struct perfdata_writer *w, struct error *err);

int perfdata_writer_append(struct perfdata_writer *w, const struct iovec *pieces, int nr,
			   struct error *err);

/* Append records in an order that makes similar ones neighbours. Only if records are compressed. */
int perfdata_writer_append_ordered(struct perfdata_writer *w, const struct record_order *records,
				   struct error *err);

/* Append without compression. */
int perfdata_writer_append_plain(struct perfdata_writer *w, const struct iovec *pieces, int nr,
				 struct error *err);

/* Number of bytes of records written so far. */
uint64_t perfdata_writer_data_size(const struct perfdata_writer *w);

/*
 * End the data section; write the features and the final header. If the features do not fit on the
 * disk, the recording is finished without them and -ENOSPC is returned.
 */
int perfdata_writer_finish(struct perfdata_writer *w, const struct perfdata_features *features,
			   struct error *err);

void perfdata_writer_deinit(struct perfdata_writer *w);

#endif
