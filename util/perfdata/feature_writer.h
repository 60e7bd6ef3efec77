/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct perfdata_features: the feature sections of a file to be written, in memory.
 *
 * A feature has a bit number and bytes. The set keeps them in ascending order of bits, as in the
 * file, and owns the bytes. The functions append in this machine's byte order, with the encodings
 * of format.h. Setting a feature twice replaces it. Functions return 0 or -ENOMEM.
 */
#ifndef PERFDATA_FEATURE_WRITER_H
#define PERFDATA_FEATURE_WRITER_H

#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/perfdata/format.h"

struct perfdata_feature_bytes {
	unsigned int bit;
	struct strbuf bytes;
};

struct perfdata_features {
	struct perfdata_feature_bytes *v;
	size_t nr;
};

#define PERFDATA_FEATURES_INIT                                                                     \
	{                                                                                          \
		NULL                                                                               \
	}

void perfdata_features_deinit(struct perfdata_features *f);

/* Returns the feature's bytes, emptied if it existed, or NULL if out of memory. Valid until the
 * next set. */
struct strbuf *perfdata_features_set(struct perfdata_features *f, unsigned int bit);

int perfdata_features_set_string(struct perfdata_features *f, unsigned int bit, const char *s);
int perfdata_features_set_u64(struct perfdata_features *f, unsigned int bit, const uint64_t *v,
			      size_t nr);

/* Encodings within a feature: u32, u64, and a string padded with NULs as in stock's files. */
int feature_add_u32(struct strbuf *sb, uint32_t v);
int feature_add_u64(struct strbuf *sb, uint64_t v);
int feature_add_string(struct strbuf *sb, const char *s);

/* Add an entry of HEADER_BUILD_ID. name: for example "[kernel.kallsyms]". id_len: at most 20. */
int feature_add_build_id(struct strbuf *sb, const char *name, const uint8_t *id, size_t id_len);

/*
 * Add records that stock ignores (struct perfdata_early). They contain a stream of bytes, cut
 * anywhere, or whole lines, so that each record can be read on its own. Lines too long for a record
 * are omitted.
 */
int feature_early_stream(struct strbuf *out, uint32_t bit, const struct strbuf *bytes);
int feature_early_lines(struct strbuf *out, uint32_t bit, const struct strbuf *lines);

#endif
