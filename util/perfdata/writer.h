/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct perfdata_writer: makes a perf.data file, usable at every moment of its making.
 *
 *	_open [-> _compress] -> _begin -> _append ... -> _publish -> _append ... -> _finish
 *
 * Until _publish() the file has a temporary name (see out_file.h).  From then on a killed writer
 * leaves a file with data.size 0, whole records up to the last append.  _append() is the one way
 * of record bytes into the file: always whole records; on a full disk what did not fit is cut off,
 * `kept` says how much of the records is in the file, the writer stays usable for _finish() (a
 *small reserve is kept for the features), and the error is -ENOSPC.  _deinit() closes, and removes
 *what was not published.
 *
 * "-", FIFOs and sockets get the pipe form: attrs as records, nothing that is gone back to.
 * Features and the tracing data are then the caller's to append, by _append_plain(), ahead of the
 * records that are packed.
 */
#ifndef PERFDATA_WRITER_H
#define PERFDATA_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "util/base/error.h"
#include "util/perfdata/feature_writer.h"
#include "util/perfdata/format.h"
#include "util/perfdata/out_file.h"
#include "util/perfdata/pack.h"

/* What the writer asks of whoever records; zeroes: nothing. */
struct perfdata_writer_hooks {
	struct out_file_wait wait;
	/*
	 * Asked ahead of every PACKER_CHUNK of records: how to pack it, at the level of _compress()
	 * or a lower one; 0: leave it as it is.
	 */
	int (*level)(void *ctx);
	void *ctx; /* of level() */
};

struct perfdata_writer {
	struct out_file file;
	bool reserved; /* blocks for the features are set aside */
	bool pipe_form;
	struct perfdata_header header;
	uint64_t pos;  /* where the next byte goes */
	uint64_t kept; /* of the records of an append that failed: bytes that are in the file */
	struct packer *packer; /* NULL: records are written as they are */
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

/* Pack all records that are appended; the caller adds HEADER_COMPRESSED to the features. */
int perfdata_writer_compress(struct perfdata_writer *w, int level, struct error *err);

/* Write header, ids and attrs; the data section starts here.  -E2BIG: too many ids for a pipe. */
int perfdata_writer_begin(struct perfdata_writer *w, const struct perfdata_writer_attr *attrs,
			  size_t nr, struct error *err);

/* Give the file its name. */
int perfdata_writer_publish(struct perfdata_writer *w, struct error *err);

int perfdata_writer_append(struct perfdata_writer *w, const struct iovec *pieces, int nr,
			   struct error *err);

/* As they are, also when records are packed. */
int perfdata_writer_append_plain(struct perfdata_writer *w, const struct iovec *pieces, int nr,
				 struct error *err);

/* Bytes of records so far. */
uint64_t perfdata_writer_data_size(const struct perfdata_writer *w);

/*
 * End the data section; write the features and the final header.  When the features
 * do not fit on the disk the recording is finished without them, and -ENOSPC returned.
 */
int perfdata_writer_finish(struct perfdata_writer *w, const struct perfdata_features *features,
			   struct error *err);

void perfdata_writer_deinit(struct perfdata_writer *w);

#endif
