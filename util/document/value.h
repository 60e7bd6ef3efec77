/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct value: a figure, or a cell of a table, with its unit.
 *
 * A value is independent of its output format: JSON and CSV contain the plain number, text has
 * separators, units and signs. Text, arrays and frames are borrowed. In a figure they must outlive
 * the document. In a cell they must be valid until the next cell is requested, so composed text is
 * stored in the cell's scratch (document.h).
 *
 * Text may contain unprintable characters: each format handles them in its own way.
 */
#ifndef DOCUMENT_VALUE_H
#define DOCUMENT_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/symbol.h"

enum value_kind {
	VALUE_NONE,   /* unknown, or not recorded: null, an empty field, "-" */
	VALUE_ABSENT, /* does not exist: JSON omits the key */
	VALUE_U64,    /* a count */
	VALUE_I64,    /* a number that may be negative */
	VALUE_CHANGE, /* likewise, shown with its sign */
	VALUE_REAL,
	VALUE_PERCENT,
	VALUE_BYTES,	    /* text output can show 1.2 MiB instead of 1258291 */
	VALUE_BYTES_CHANGE, /* likewise, with its sign */
	VALUE_NS,	    /* a duration; "1.50 ms" in text */
	VALUE_HEX,	    /* an address, a mask, a page frame number */
	VALUE_BOOL,
	VALUE_TEXT,
	VALUE_CALLSITE,	 /* an address, with the name of its function */
	VALUE_STACK,	 /* addresses, innermost first */
	VALUE_NUMBERS,	 /* a series of values over time */
	VALUE_STRINGS,	 /* a list of names */
	VALUE_HISTOGRAM, /* counts by powers of two */
	VALUE_TREE,	 /* callchains by weight, merged up to where they differ */
};

struct strbuf;

struct value_callsite {
	uint64_t address;   /* 0: unknown */
	const char *symbol; /* NULL if unknown */
	const char *module; /* NULL: the kernel itself */
	uint64_t offset;    /* from the symbol's start */
	bool is_place;	    /* the symbol is a place, not a function: it has no offsets */
	bool bare;	    /* omit the module in JSON, where it is a key of its own */
	const char *dso;    /* user space: the path of the program or library; NULL: the kernel */
	/* Find the code that contains it: `naming` is the first argument. NULL: unknown. Returns
	 * false if it is in none. */
	bool (*find_map)(const void *naming, const struct value_callsite *c, struct code_map *ret);
	const void *naming;
};

struct value_stack {
	const uint64_t *frames;
	size_t nr; /* 0: no callchain was recorded */
	/* Resolve an address; `naming` is the first argument. */
	struct value_callsite (*name)(const void *naming, uint64_t address);
	const void *naming;
};

struct value_numbers {
	const uint64_t *v;
	size_t nr;
};

struct value_strings {
	/* Call fn with each string, in order. */
	void (*for_each)(const struct value_strings *s, void (*fn)(void *ctx, const char *text),
			 void *ctx);
	const void *source; /* for use by for_each() */
	uint64_t number;
	struct strbuf *scratch; /* may be NULL */
};

#define VALUE_OCTAVES 64

struct value_histogram {
	/* The number of items in [2^octave, 2^(octave + 1)). */
	uint64_t (*count)(const void *source, unsigned int octave);
	const void *source; /* NULL if nothing was counted */
};

/* Items that callchains have in common, up to where they end or differ. */
struct value_branch {
	const uint32_t *items;
	size_t nr_items;
	uint64_t weight, nr;	   /* weight and number of all callchains in it */
	uint64_t own, own_nr;	   /* of those that end here */
	size_t first, nr_branches; /* in the tree's `branches` */
};

enum value_tree_look {
	TREE_GRAPH,   /* weights are relative to the whole */
	TREE_FRACTAL, /* weights are relative to the parent */
	TREE_FLAT,    /* each branch is a complete callchain, one frame per line */
	TREE_FOLDED,  /* likewise, on one line */
};

enum value_tree_unit { TREE_PERCENT, TREE_WEIGHT, TREE_NUMBER };

struct value_tree {
	const struct value_branch *branches;
	size_t first, nr_branches; /* the outermost branches; 0: nothing to show */
	uint64_t whole;		   /* total weight, including other rows' trees */
	uint64_t weight;	   /* of the tree's row */
	uint64_t limit;		   /* maximum number of branches of one parent; 0: no limit */
	enum value_tree_look look;
	enum value_tree_unit unit;
	/* The text of an item, in the scratch or longer-lived; `naming` is the first argument. */
	const char *(*name)(const void *naming, uint32_t item, struct strbuf *scratch);
	const void *naming;
};

/* The importance of a value. Only text on a terminal shows it, as a colour. */
enum value_role {
	ROLE_PLAIN,
	ROLE_ALARM,   /* leaking */
	ROLE_CAUTION, /* growing */
};

struct value {
	enum value_kind kind;
	enum value_role role;
	uint8_t decimals;	/* of VALUE_REAL and VALUE_PERCENT, in JSON and CSV */
	uint8_t shown_decimals; /* likewise, in text */
	bool is_id;	   /* the number identifies something (a pid): digits are not grouped */
	const char *shown; /* text: shown instead of the number; NULL: the number */
	const char *unit;  /* text: after the number; NULL if none */
	union {
		uint64_t u64; /* also bytes, ns and hex */
		int64_t i64;
		double real;
		bool yes;
		const char *text;
		struct value_callsite callsite;
		struct value_stack stack;
		struct value_numbers numbers;
		struct value_strings strings;
		struct value_histogram histogram;
		struct value_tree tree;
	};
};

static inline struct value value_none(void)
{
	return (struct value){.kind = VALUE_NONE};
}

static inline struct value value_absent(void)
{
	return (struct value){.kind = VALUE_ABSENT};
}

static inline struct value value_u64(uint64_t v)
{
	return (struct value){.kind = VALUE_U64, .u64 = v};
}

static inline struct value value_u64_if(bool known, uint64_t v)
{
	return known ? value_u64(v) : value_none();
}

static inline struct value value_i64(int64_t v)
{
	return (struct value){.kind = VALUE_I64, .i64 = v};
}

/* Numbers that identify something: a size class, an order, a CPU, a pid. */
static inline struct value value_id(uint64_t v)
{
	return (struct value){.kind = VALUE_U64, .is_id = true, .u64 = v};
}

static inline struct value value_signed_id(int64_t v)
{
	return (struct value){.kind = VALUE_I64, .is_id = true, .i64 = v};
}

static inline struct value value_change(int64_t v)
{
	return (struct value){.kind = VALUE_CHANGE, .i64 = v};
}

static inline struct value value_bytes(uint64_t v)
{
	return (struct value){.kind = VALUE_BYTES, .u64 = v};
}

static inline struct value value_bytes_change(int64_t v)
{
	return (struct value){.kind = VALUE_BYTES_CHANGE, .i64 = v};
}

static inline struct value value_ns(uint64_t v)
{
	return (struct value){.kind = VALUE_NS, .u64 = v};
}

/* Likewise, but "-" in text if the duration is unknown or the event did not happen. */
static inline struct value value_ns_if(bool known, uint64_t v)
{
	return (struct value){.kind = VALUE_NS, .u64 = v, .shown = known ? NULL : "-"};
}

static inline struct value value_hex(uint64_t v)
{
	return (struct value){.kind = VALUE_HEX, .u64 = v};
}

static inline struct value value_real(double v, int decimals, int shown_decimals)
{
	return (struct value){.kind = VALUE_REAL,
			      .real = v,
			      .decimals = (uint8_t)decimals,
			      .shown_decimals = (uint8_t)shown_decimals};
}

/* "12.5 %"; set .unit for a different format. */
static inline struct value value_percent(double v, int decimals, int shown_decimals)
{
	return (struct value){.kind = VALUE_PERCENT,
			      .real = v,
			      .decimals = (uint8_t)decimals,
			      .shown_decimals = (uint8_t)shown_decimals,
			      .unit = " %"};
}

static inline struct value value_bool(bool v)
{
	return (struct value){.kind = VALUE_BOOL, .yes = v};
}

/* VALUE_NONE if text is NULL. */
static inline struct value value_text(const char *text)
{
	return text ? (struct value){.kind = VALUE_TEXT, .text = text} : value_none();
}

static inline struct value value_callsite(struct value_callsite c)
{
	return (struct value){.kind = VALUE_CALLSITE, .callsite = c};
}

static inline struct value value_numbers(const uint64_t *v, size_t nr)
{
	return (struct value){.kind = VALUE_NUMBERS, .numbers = {v, nr}};
}

static inline void value_strings_for_each(const struct value_strings *s,
					  void (*fn)(void *ctx, const char *text), void *ctx)
{
	const char *const *v = s->source;

	for (uint64_t i = 0; i < s->number; i++)
		fn(ctx, v[i]);
}

/* The strings of an array. */
static inline struct value value_strings(const char *const *v, size_t nr)
{
	return (struct value){.kind = VALUE_STRINGS,
			      .strings = {value_strings_for_each, v, nr, NULL}};
}

/* Compare numbers of the same kind. Returns < 0, 0 or > 0. */
static inline int value_compare(const struct value *a, const struct value *b)
{
	switch (a->kind) {
	case VALUE_I64:
	case VALUE_CHANGE:
	case VALUE_BYTES_CHANGE:
		return (a->i64 > b->i64) - (a->i64 < b->i64);
	case VALUE_REAL:
	case VALUE_PERCENT:
		return (a->real > b->real) - (a->real < b->real);
	default:
		return (a->u64 > b->u64) - (a->u64 < b->u64);
	}
}

#endif
