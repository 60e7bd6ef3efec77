/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct print_parsed: a parsed print fmt: an event's fields, its expressions as a tree, and the
 * pieces of its format string.
 */
#ifndef TRACEPOINT_PRINT_PARSED_H
#define TRACEPOINT_PRINT_PARSED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/tracepoint/c_tokens.h"

enum print_op {
	/* values */
	PRINT_NUMBER,  /* value */
	PRINT_FIELD,   /* field */
	PRINT_ELEMENT, /* field, a: index */
	PRINT_TEXT,    /* text */
	PRINT_GET_STR, /* field: its string, or its array of characters */
	PRINT_LENGTH,  /* field: bytes of a dynamic array */
	/* tables: a: the value, nr entries from `first` on */
	PRINT_FLAGS, /* text: the separator */
	PRINT_SYMBOLIC,
	/* operators: a, and b, c */
	PRINT_CAST, /* value: bytes, is_signed */
	PRINT_MINUS,
	PRINT_NOT,
	PRINT_INVERT,
	PRINT_CHOOSE,
	PRINT_OPERATE, /* c_op, with two */
};

struct print_field {
	char *name;
	uint32_t offset, size; /* bytes */
	uint32_t element;      /* size of an array element in bytes; 0: not an array */
	bool is_signed, is_text, is_pointer, is_long;
	bool is_dynamic, is_relative; /* __data_loc, __rel_data_loc */
};

struct print_node {
	enum print_op op;
	enum c_operator c_op;
	uint32_t a, b, c; /* nodes */
	uint32_t field, first, nr;
	uint64_t value;
	bool is_signed;
	const char *text;
};

/* An entry of a __print_flags() or __print_symbolic() table. */
struct print_entry {
	uint64_t value;
	const char *text;
};

/* A text, followed by an argument unless `conversion` is 0. */
struct print_piece {
	const char *text;
	size_t len;
	char conversion;      /* d u x X o c s p; 'S' and 'f': %pS, %ps; 0: none */
	uint8_t bytes;	      /* size modifier of a number */
	char flags[8];	      /* flags of printf() */
	int width, precision; /* -1: none; -2: given by an argument */
	uint32_t argument;    /* node; preceded by those of width and precision */
	uint32_t width_argument, precision_argument;
};

struct print_parsed {
	bool failed; /* not supported: print the fields only */
	uint8_t long_size;
	struct print_field *fields;
	struct print_node *nodes;
	struct print_entry *entries;
	struct print_piece *pieces;
	size_t nr_fields, nr_nodes, nr_entries, nr_pieces;
	char **texts; /* the texts that others point to */
	size_t nr_texts;
};

#endif
