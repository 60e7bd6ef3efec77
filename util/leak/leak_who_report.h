/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first lines of perf kmem leak: who holds what leaks or grows, and the command to type next.
 *
 * Text has one table for all allocators, and JSON and CSV have one for each.
 */
#ifndef LEAK_LEAK_WHO_REPORT_H
#define LEAK_LEAK_WHO_REPORT_H

#include "util/leak/leak.h"
#include "util/report/report.h"

/* Parts of the command that shows more of one holder. */
struct leak_advice {
	const char *command; /* "perf kmem leak -i perf.data"; NULL: there is no more to show */
	const char *options[ACCOUNTS_NR]; /* of each allocator's holders: " --stack" */
	const char *workload;		  /* " -- make"; "": none */
};

/* A holder of one allocator's memory. */
struct leak_holder {
	const struct leak_who *who;
	const struct leak_whos *whos;
	int account;
};

/* All holders, ranked; owned by the document. NULL if there are none. */
struct leak_holder *leak_holders(struct document *d, const struct leak *l, size_t *ret_nr);

/* Add "leaker-1234 (ended)", "worker (12 processes)". */
void leak_holder_add_name(struct strbuf *sb, const struct report_context *c,
			  const struct leak_holder *h);

/* Add the call site that allocated most of it: "sock_alloc_inode+1b". */
void leak_holder_add_site(struct strbuf *sb, const struct report_context *c,
			  const struct leak_holder *h);

/* Add the table and the command, for text. lines: of the table, at most. */
void leak_who_add(struct document_section *in, const struct report_context *c, const struct leak *l,
		  const struct leak_advice *advice, uint64_t lines);

/* Add the allocator's table, for JSON and CSV. */
void leak_who_add_data(struct document_section *in, const struct report_context *c, int account,
		       const struct leak_whos *whos);

#endif
