/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct perfdata_writer: makes a perf.data file, usable at every moment of its making.
 *
 *	_open [-> _compress] -> _begin -> _append ... -> _publish -> _append ... -> _finish
 *
 * Until _publish() the file has a temporary name, so that a recording that never
 * starts leaves no file and takes none away; publishing keeps an earlier file of the
 * name as NAME.old.  From then on a killed writer leaves a file with data.size 0,
 * whole records up to the last append.  _append() is the one way of record bytes into the
 * file: always whole records; on a full disk what did not fit is cut off, the
 * writer stays usable for _finish() (a small reserve is kept for the features), and
 * the error is -ENOSPC.  _deinit() closes, and removes what was not published.
 * An existing NAME that is no regular file (/dev/null) is written in place.
 */
#ifndef PERFDATA_WRITER_H
#define PERFDATA_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "util/base/error.h"
#include "util/perfdata/feature_writer.h"
#include "util/perfdata/format.h"
#include "util/perfdata/pack.h"

struct perfdata_writer {
	int fd;
	char *path;
	char *tmp_path; /* NULL: published, or written in place */
	bool regular;	/* seekable and mappable */
	bool reserved;	/* blocks for the features are set aside */
	struct perfdata_header header;
	uint64_t pos;	       /* where the next byte goes */
	struct packer *packer; /* NULL: records are written as they are */
	int level;
};

struct perfdata_writer_attr {
	const struct perf_event_attr *attr;
	const uint64_t *ids;
	size_t nr_ids;
};

int perfdata_writer_open(struct perfdata_writer *w, const char *path, struct error *err);

/* Pack all records that are appended; the caller adds HEADER_COMPRESSED to the features. */
int perfdata_writer_compress(struct perfdata_writer *w, int level, struct error *err);

/* Write header, ids and attrs; the data section starts here. */
int perfdata_writer_begin(struct perfdata_writer *w, const struct perfdata_writer_attr *attrs,
			  size_t nr, struct error *err);

/* Give the file its name. */
int perfdata_writer_publish(struct perfdata_writer *w, struct error *err);

int perfdata_writer_append(struct perfdata_writer *w, const struct iovec *pieces, int nr,
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
