/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct pprof_profile: a pprof profile (pprof.proto), written piece by piece, in builds with
 * HAVE_PROTOBUF_C and HAVE_ZLIB.
 *
 * Concatenated messages of the format are read as one message. So each sample, and each item that
 * it refers to, is written immediately, and only names and addresses are kept. Write errors are
 * left in the FILE (ferror()), -ENOMEM in `failed`.
 */
#ifndef PPROF_PPROF_PROFILE_H
#define PPROF_PPROF_PROFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

#include "util/base/intern.h"
#include "util/base/strbuf.h"
#include "util/base/table.h"
#include "util/document/value.h"
#include "util/pprof/pprof.pb-c.h"

/* The same bytes give the same file: its header has no time and no name. */
struct gzip_stream {
	z_stream z;
	unsigned char room[1 << 14];
	FILE *out;
};

struct pprof_profile {
	struct gzip_stream gzip;
	struct intern strings;
	struct table locations, frames, functions, mappings;
	struct strbuf packed, text, name;
	bool raw_ip; /* addresses instead of names */
	bool failed;
};

/* Returns 0 or -ENOMEM. */
int pprof_profile_init(struct pprof_profile *p, FILE *out, bool raw_ip);

/* Write the rest and free the profile. Returns 0 or -ENOMEM. */
int pprof_profile_finish(struct pprof_profile *p);

void pprof_profile_write(struct pprof_profile *p, const Pprof__Profile *piece);

/* The number of a string. Unprintable characters are replaced. */
int64_t pprof_profile_string(struct pprof_profile *p, const char *text);

/* The id of a location: of an address, of one frame of a callchain, or of a name without an
 * address. */
uint64_t pprof_profile_callsite(struct pprof_profile *p, const struct value_callsite *c);
uint64_t pprof_profile_frame(struct pprof_profile *p, const struct value_stack *stack,
			     size_t frame);
uint64_t pprof_profile_name(struct pprof_profile *p, const char *name);

#endif
