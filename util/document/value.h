/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct value: what a figure says, or a cell of a table, with its unit.
 *
 * A value knows nothing of how it is written: programs get the number as it is, people get
 * separators, units and signs.  Text in it is borrowed and must outlive the value.
 */
#ifndef DOCUMENT_VALUE_H
#define DOCUMENT_VALUE_H

#include <stdbool.h>
#include <stdint.h>

enum value_kind {
	VALUE_NONE,   /* not known, or not recorded */
	VALUE_U64,    /* a count */
	VALUE_I64,    /* a number that may be below 0 */
	VALUE_CHANGE, /* the same, shown with its sign */
	VALUE_REAL,
	VALUE_PERCENT,
	VALUE_BOOL,
	VALUE_TEXT,
	VALUE_CALLSITE, /* an address in the kernel, with the name of its function */
};

struct value_callsite {
	uint64_t address;   /* 0: unknown */
	const char *symbol; /* NULL: no name is known */
	const char *module; /* NULL: the kernel itself */
	uint64_t offset;    /* from the symbol's start */
};

struct value {
	enum value_kind kind;
	int decimals;	    /* of VALUE_REAL and VALUE_PERCENT, for programs */
	int shown_decimals; /* the same, for people */
	const char *shown;  /* for people, instead of the number; NULL: the number */
	union {
		uint64_t u64;
		int64_t i64;
		double real;
		bool yes;
		const char *text;
		struct value_callsite callsite;
	};
};

static inline struct value value_none(void)
{
	return (struct value){.kind = VALUE_NONE};
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

static inline struct value value_change(int64_t v)
{
	return (struct value){.kind = VALUE_CHANGE, .i64 = v};
}

static inline struct value value_real(double v, int decimals, int shown_decimals)
{
	return (struct value){.kind = VALUE_REAL,
			      .real = v,
			      .decimals = decimals,
			      .shown_decimals = shown_decimals};
}

static inline struct value value_percent(double v, int decimals, int shown_decimals)
{
	return (struct value){.kind = VALUE_PERCENT,
			      .real = v,
			      .decimals = decimals,
			      .shown_decimals = shown_decimals};
}

static inline struct value value_bool(bool v)
{
	return (struct value){.kind = VALUE_BOOL, .yes = v};
}

/* NULL: none. */
static inline struct value value_text(const char *text)
{
	return text ? (struct value){.kind = VALUE_TEXT, .text = text} : value_none();
}

#endif
