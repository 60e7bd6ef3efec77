/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct json: writes JSON to a stream, with commas and indentation.
 *
 * The caller opens and closes objects and arrays in the right order; a key is NULL inside an array.
 * Integers are exact, and hex values are strings. Bytes that are not UTF-8 become U+FFFD, and
 * characters that would affect a terminal are escaped. Doubles do not depend on the locale. Write
 * errors are left in the FILE (ferror()); -ENOMEM is in `failed`.
 */
#ifndef RENDER_JSON_H
#define RENDER_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/base/strbuf.h"
#include "util/document/value.h"

struct json {
	FILE *out;
	struct strbuf buf;
	int depth;
	bool first;  /* the innermost object or array is still empty */
	int compact; /* depth from which on there are no line breaks; 0 if none */
	/* For JSON inside a page: '<' is escaped, so that no string can end the script element, and
	 * there are no blanks after commas. Set it after json_init(). */
	bool in_markup;
	bool failed;
};

void json_init(struct json *j, FILE *out);

/* Write the rest, with a final newline. Returns 0 or -ENOMEM. */
int json_finish(struct json *j);

/* A compact object or array is written on one line. */
void json_open(struct json *j, const char *key, char bracket, bool compact);
void json_close(struct json *j, char bracket);

void json_u64(struct json *j, const char *key, uint64_t v);
void json_i64(struct json *j, const char *key, int64_t v);
void json_hex(struct json *j, const char *key, uint64_t v);
void json_double(struct json *j, const char *key, double v, int decimals);
void json_bool(struct json *j, const char *key, bool v);
/* Write a value of a kind that all JSON formats write alike: none, a number, a bool, numbers.
 * Returns false for other kinds. */
bool json_plain_value(struct json *j, const char *key, const struct value *v);
/* NULL is written as null. */
void json_string(struct json *j, const char *key, const char *v);

#endif
