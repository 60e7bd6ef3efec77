/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct packer: packs records into the zstd stream of COMPRESSED records; the reverse of
 * util/source/unpacking.h.
 *
 * All COMPRESSED records of a file are one stream. Each packer_feed() ends with a flush, so its
 * bytes can be unpacked even if nothing follows. One COMPRESSED record unpacks to at most
 * PACKER_CHUNK bytes, the limit in HEADER_COMPRESSED. The packer owns the output, which is valid
 * until the next feed. Built without libzstd, packer_new() fails with ENOTSUP and a message.
 */
#ifndef PERFDATA_PACK_H
#define PERFDATA_PACK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "util/base/error.h"
#include "util/perfdata/repeats.h"

#define PACKER_CHUNK	 REPEATS_BLOCK /* the size of a zstd block */
#define PACKER_LEVEL_MAX 22

struct packer;

/* Whether perf was built with libzstd. */
bool packer_available(void);

int packer_new(struct packer **ret_packer, int level, struct error *err);
void packer_free(struct packer *p);

/* Applies from the next feed on. If the level differs, the stream continues with a new frame. */
void packer_set_level(struct packer *p, int level);

/* Make the COMPRESSED records of these bytes (whole records, in any number of pieces). */
int packer_feed(struct packer *p, const struct iovec *pieces, int nr, struct iovec *ret_records,
		struct error *err);

/*
 * The same for records that are sorted so that similar ones are neighbours. _gather() takes a chunk
 * of records, starting at `from`. It returns their number, and their bytes, without gaps, in
 * *ret_chunk. _feed_chunk() packs this chunk. At level 1 this is several times faster than
 * packer_feed(), see repeats.h.
 */
size_t packer_gather(struct packer *p, const struct record_order *records, size_t from,
		     struct iovec *ret_chunk);
int packer_feed_chunk(struct packer *p, struct iovec *ret_records, struct error *err);

#endif
