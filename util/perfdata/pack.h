/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct packer: packs records into the zstd stream of COMPRESSED records; the reverse of
 * util/source/unpacking.h.
 *
 * All of a file's COMPRESSED records are one stream.  Each packer_feed() ends with a flush, so what
 * was fed can be unpacked even if nothing follows; one COMPRESSED record unpacks to PACKER_CHUNK
 * bytes at most, which is what HEADER_COMPRESSED promises. The output is the packer's, valid until
 * the next feed.  Built without libzstd, packer_new() fails with ENOTSUP and says so.
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

/* Built with libzstd? */
bool packer_available(void);

int packer_new(struct packer **ret_packer, int level, struct error *err);
void packer_free(struct packer *p);

/* From the next feed on; if the level differs, the stream continues with a new frame. */
void packer_set_level(struct packer *p, int level);

/* The COMPRESSED records of these bytes (whole records, in any number of pieces). */
int packer_feed(struct packer *p, const struct iovec *pieces, int nr, struct iovec *ret_records,
		struct error *err);

/*
 * The same for records that are sorted so that similar ones are neighbours.  _gather() takes a
 * chunk of them, from the given one on; it returns how many, and in *ret_chunk their bytes, one
 * behind the other.  _feed_chunk() packs this chunk.  At level 1 that is several times faster than
 * packer_feed(), see repeats.h.
 */
size_t packer_gather(struct packer *p, const struct record_order *records, size_t from,
		     struct iovec *ret_chunk);
int packer_feed_chunk(struct packer *p, struct iovec *ret_records, struct error *err);

#endif
