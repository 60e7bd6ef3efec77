/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct extras: memory that lines of the balance already have, under a name of its own.
 *
 * Sockets, BPF objects, trace buffers and others are listed beside the balance, with the lines that
 * contain them.
 */
#ifndef WHERE_EXTRAS_H
#define WHERE_EXTRAS_H

#include <stddef.h>

#include "util/where/holders.h"
#include "util/where/meminfo.h"

struct where_extra {
	const char *id, *label;
	const char *in; /* the lines that have it */
	int64_t bytes;
	uint64_t nr; /* number of objects; 0: not counted */
	char *who;   /* owned; NULL: unknown */
};

#define EXTRAS_MAX 12

struct extras {
	struct where_extra v[EXTRAS_MAX];
	size_t nr;
	bool failed; /* memory ran out */
};

void extras_init(struct extras *e, const struct meminfo *m, const struct where_texts *texts,
		 const struct holders *holders);
void extras_deinit(struct extras *e);

#endif
