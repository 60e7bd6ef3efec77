/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct json: writes JSON to a stream, commas and indentation included.
 *
 * The caller opens and closes objects and arrays in the right order; a key is NULL inside an
 * array.  Integers are exact; hex values are strings; strings that are not UTF-8 get U+FFFD for
 * each bad byte; what would affect a terminal is escaped. Doubles never depend on the locale. Write
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
	int compact; /* depth from which on there are no line breaks; 0: none */
	/* Inside a page: no string can end the element that it is in ('<' is escaped), and no
	 * blanks after commas. To be set after json_init(). */
	bool in_markup;
	bool failed;
};

void json_init(struct json *j, FILE *out);

/* Write what is left, with a final newline. Returns 0 or -ENOMEM. */
int json_finish(struct json *j);

/* A compact object or array is written on one line. */
void json_open(struct json *j, const char *key, char bracket, bool compact);
void json_close(struct json *j, char bracket);

void json_u64(struct json *j, const char *key, uint64_t v);
void json_i64(struct json *j, const char *key, int64_t v);
void json_hex(struct json *j, const char *key, uint64_t v);
void json_double(struct json *j, const char *key, double v, int decimals);
void json_bool(struct json *j, const char *key, bool v);
/* Write the value if it is the same in every form that is JSON: none, a number, numbers. */
bool json_plain_value(struct json *j, const char *key, const struct value *v);
/* NULL: null. */
void json_string(struct json *j, const char *key, const char *v);

#endif
