/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the values of keys are shown: as text (for tables, CSV and folded stacks) and JSON.
 */
#ifndef REPORT_KEY_FORMAT_H
#define REPORT_KEY_FORMAT_H

#include "util/base/strbuf.h"
#include "util/kmem/analysis.h"
#include "util/render/json.h"

/*
 * Append the value as text; raw_ip: addresses without names.  Names of commands and caches are made
 * printable here, and only here.
 */
void key_format_text(struct strbuf *sb, const struct kmem_analysis *a, enum kmem_key key,
		     uint64_t value, bool raw_ip);

/* The same to the byte, for comparing, and for those who make it printable themselves. */
void key_format_exact(struct strbuf *sb, const struct kmem_analysis *a, enum kmem_key key,
		      uint64_t value);

/* Write the values' members ("callsite", "symbol", "offset", ...) into the open object. */
void key_format_json(struct json *j, const struct kmem_analysis *a, const enum kmem_key *by,
		     unsigned int nr_by, const uint64_t *values);

/* "symbol+1f", or the address in hex. */
void key_format_address(struct strbuf *sb, const struct kmem_analysis *a, uint64_t address,
			bool raw_ip);

/* The frames of an interned callchain, innermost first. */
const uint64_t *key_stack_frames(const struct kmem_analysis *a, uint64_t stack, size_t *ret_nr);

#endif
