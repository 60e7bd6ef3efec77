/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct perfdata_writer: writes a perf.data file, which is usable at any moment while it is
 * written.
 *
 *	_open [-> _compress] -> _begin -> _append ... -> _publish -> _append ... -> _finish
 *
 * Until _publish() the file has a temporary name (see out_file.h).  From then on a killed writer
 * leaves a file with data.size 0, and whole records up to the last append.  _append() is the only
 * way for records to get into the file: always whole records. If the disk is full, what did not fit
 * is cut off, `kept` says how much of the records is in the file, the writer stays usable for
 * _finish() (a small reserve is kept for the features), and the error is -ENOSPC.  _deinit() closes
 * the file, and removes it if it was not published.
 *
 * "-", FIFOs and sockets get the pipe format: attrs as records, and nothing that requires seeking
 * back. The caller then has to append the features and the tracing data itself, with
 * _append_plain(), before the records that are compressed.
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

/* What the writer asks of the recorder; zeroes: nothing. */
struct perfdata_writer_hooks {
	struct out_file_wait wait;
	/*
	 * Called before every PACKER_CHUNK of records: the level to pack it with, that of
	 * _compress() or a lower one; 0: leave it unpacked.
	 */
	int (*level)(void *ctx);
	void *ctx; /* of level() */
};

struct perfdata_writer {
	struct out_file file;
	bool reserved; /* blocks for the features have been reserved */
	bool pipe_form;
	struct perfdata_header header;
	uint64_t pos;	       /* where the next byte goes */
	uint64_t kept;	       /* of the records of a failed append: bytes that are in the file */
	struct packer *packer; /* NULL: records are written uncompressed */
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

/* hooks: copied; NULL: none. */
int perfdata_writer_open(struct perfdata_writer *w, const char *path,
			 const struct perfdata_writer_hooks *hooks, struct error *err);

/* Compress all records that are appended; the caller adds HEADER_COMPRESSED to the features. */
int perfdata_writer_compress(struct perfdata_writer *w, int level, struct error *err);

/* Write header, ids and attrs; the data section starts here.  -E2BIG: too many ids for a pipe. */
int perfdata_writer_begin(struct perfdata_writer *w, const struct perfdata_writer_attr *attrs,
			  size_t nr, struct error *err);

/* Give the file its name. */
int perfdata_writer_publish(struct perfdata_writer *w, struct error *err);

int perfdata_writer_append(struct perfdata_writer *w, const struct iovec *pieces, int nr,
			   struct error *err);

/* Only if records are compressed: those that resemble each other are neighbours in this order. */
int perfdata_writer_append_ordered(struct perfdata_writer *w, const struct record_order *records,
				   struct error *err);

/* Uncompressed, even if records are compressed. */
int perfdata_writer_append_plain(struct perfdata_writer *w, const struct iovec *pieces, int nr,
				 struct error *err);

/* Bytes of records so far. */
uint64_t perfdata_writer_data_size(const struct perfdata_writer *w);

/*
 * End the data section; write the features and the final header.  If the features do not fit on the
 * disk, the recording is finished without them and -ENOSPC is returned.
 */
int perfdata_writer_finish(struct perfdata_writer *w, const struct perfdata_features *features,
			   struct error *err);

void perfdata_writer_deinit(struct perfdata_writer *w);

#endif
