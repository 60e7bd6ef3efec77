/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct balance: where the memory of a machine is, as a tree of lines whose bytes add up.
 *
 * The first line is the root (MemTotal). The bytes of a line's children add up to its own bytes,
 * for which balance_add_rest() adds a last child. After balance_finish(), lines are in the order in
 * which they are shown, parents before their children, siblings by rank and then by size. Bytes may
 * be negative where counters were read at different moments.
 *
 * The balance owns its strings. Lines beyond BALANCE_LINES_MAX are left out, so that their bytes
 * are in what is left of their parents. Running out of memory is remembered in `failed`.
 */
#ifndef WHERE_BALANCE_H
#define WHERE_BALANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BALANCE_ROOT	  0
#define BALANCE_NONE	  UINT32_MAX
#define BALANCE_LINES_MAX 65536

struct balance_line {
	char *id;    /* unique among its siblings: the key in JSON */
	char *label; /* for text output; NULL: the id */
	char *who;   /* its holders; NULL: unknown */
	uint32_t parent;
	uint8_t depth; /* 0: the root */
	uint8_t rank;  /* siblings with a higher rank follow */
	bool is_leaf;  /* set by balance_finish() */
	int64_t bytes;
};

struct balance {
	struct balance_line *v;
	size_t nr, cap;
	bool failed;
};

/* total: bytes of the root. */
void balance_init(struct balance *b, int64_t total);
void balance_deinit(struct balance *b);

/*
 * Add a line below another, or to the bytes of the sibling with this id. Returns its number, valid
 * until balance_finish(); BALANCE_NONE, which is also accepted as a parent and then does nothing,
 * if it was not added. label: NULL to show the id.
 */
uint32_t balance_add(struct balance *b, uint32_t parent, const char *id, const char *label,
		     int64_t bytes);

/* The same for a line that has no sibling of this id, which is not checked. */
uint32_t balance_add_new(struct balance *b, uint32_t parent, const char *id, const char *label,
			 int64_t bytes);

/* Set the rank, or the holders; the text is copied. Ignored for BALANCE_NONE. */
void balance_set_rank(struct balance *b, uint32_t line, uint8_t rank);
void balance_set_who(struct balance *b, uint32_t line, const char *who);

/* Add what is left of a line with children as its last child, unless it is 0. Returns its number,
 * or BALANCE_NONE. */
uint32_t balance_add_rest(struct balance *b, uint32_t line, const char *id, const char *label);

/* Sort the lines; none is added afterwards. */
void balance_finish(struct balance *b);

/* The line whose ids from below the root on are this path, "slab/reclaimable/dentry"; or NULL. */
const struct balance_line *balance_find(const struct balance *b, const char *path);

struct strbuf;

/* Append the ids (or the labels) of a line and its parents, from below the root on. */
void balance_add_path(const struct balance *b, const struct balance_line *line, bool labels,
		      const char *separator, struct strbuf *sb);

/* a + b, at most INT64_MAX and at least INT64_MIN. */
int64_t balance_sum(int64_t a, int64_t b);

#endif
