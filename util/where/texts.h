/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct where_texts: the texts that a balance is made from, of this machine or of a snapshot.
 *
 * Each text is a file of the kernel, except the holders, which holders_write() makes. A text that
 * could not be read is empty, and `missing` has the reason. Texts are cut at WHERE_TEXT_MAX bytes.
 */
#ifndef WHERE_TEXTS_H
#define WHERE_TEXTS_H

#include <stdbool.h>

#include "util/base/error.h"
#include "util/base/strbuf.h"
#include "util/source/facts.h"
#include "util/source/input.h"

#define WHERE_TEXT_MAX (64u << 20)

/* In the order in which they are read; the first ones change most often. */
enum where_text_id {
	WHERE_ZONEINFO,
	WHERE_MEMINFO,
	WHERE_VMSTAT,
	WHERE_VMALLOCINFO,
	WHERE_SLABINFO,
	WHERE_SOCKSTAT,
	WHERE_PAGE_OWNER_STACKS, /* may be long */
	WHERE_HOLDERS,
	WHERE_TEXTS_NR,
};

struct where_text {
	struct strbuf text;
	const char *missing; /* a constant string; NULL if it was read */
};

struct where_texts {
	struct source_facts facts; /* of the machine; its path is the snapshot's */
	struct where_text v[WHERE_TEXTS_NR];
};

void where_texts_init(struct where_texts *t);
void where_texts_deinit(struct where_texts *t);

/* The name of a text: that of its part in a snapshot. */
const char *where_text_name(enum where_text_id id);

/*
 * Read the texts of this machine. root: prefix of the paths, for tests; "" for this machine.
 * Errors: -ENOMEM; /proc/meminfo cannot be read.
 */
int where_texts_read_host(struct where_texts *t, const char *root, struct error *err);

/* Take the texts from the entries of a snapshot whose info was read. Returns 0 or -errno. */
int where_texts_read_entries(struct where_texts *t, struct input *in, struct source_facts *damage);

/*
 * Read those of a snapshot; of a series, the first or the last one. "-" is standard input. Errors:
 * it is not a snapshot; no meminfo.
 */
int where_texts_read_snapshot(struct where_texts *t, const char *path, bool first, bool force,
			      struct error *err);

#endif
