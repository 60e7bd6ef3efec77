/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The next command for a line of the balance: the report that names the call sites of its memory.
 */
#ifndef WHERE_ADVICE_H
#define WHERE_ADVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/base/strbuf.h"

struct advice_options {
	const char *command; /* "perf-kmem": as the program was called */
	/* Whether leak can account with this option as it happens. */
	bool (*has_account)(const char *id);
};

/*
 * Append the command for the line with this path. Returns false, and appends nothing, for lines
 * that no report explains: user memory, free memory, reclaimable caches.
 */
bool advice_add(const struct advice_options *o, const char *path, struct strbuf *sb);

/* Append the command for the objects of this cache that the process allocates. */
void advice_add_process(const struct advice_options *o, const char *cache, uint64_t pid,
			struct strbuf *sb);

#endif
