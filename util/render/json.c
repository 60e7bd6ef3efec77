// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/render/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "util/base/printable.h"

#define FLUSH_BYTES 65536

void json_init(struct json *j, FILE *out)
{
	*j = (struct json){.out = out, .buf = STRBUF_INIT, .first = true};
}

static void flush(struct json *j)
{
	j->failed |= j->buf.failed;
	fwrite(j->buf.buf, 1, j->buf.len, j->out);
	strbuf_reset(&j->buf);
}

int json_finish(struct json *j)
{
	strbuf_addch(&j->buf, '\n');
	flush(j);
	strbuf_deinit(&j->buf);
	return j->failed ? -ENOMEM : 0;
}

static void line_break(struct json *j)
{
	strbuf_addch(&j->buf, '\n');
	for (int i = 0; i < j->depth && !j->in_markup; i++)
		strbuf_addch(&j->buf, ' ');
}

static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '<';
}

/* Characters beyond U+FFFF are written as two surrogates. */
static void add_escaped(struct json *j, uint32_t c)
{
	if (c > 0xffff) {
		c -= 0x10000;
		strbuf_addf(&j->buf, "\\u%04x", 0xd800 | c >> 10);
		c = 0xdc00 | (c & 0x3ff);
	}
	strbuf_addf(&j->buf, "\\u%04x", c);
}

static void add_string(struct json *j, const char *v)
{
	const char *s = v;

	strbuf_addch(&j->buf, '"');
	while (*s) {
		uint32_t c = 0;
		size_t plain = 0, n;

		while (is_plain(s[plain]))
			plain++;
		strbuf_add(&j->buf, s, plain);
		s += plain;
		if (!*s)
			break;
		n = utf8_decode(s, &c);
		if (!n) {
			strbuf_addstr(&j->buf, "\\ufffd");
			n = 1;
		} else if (c == '"' || c == '\\') {
			strbuf_addch(&j->buf, '\\');
			strbuf_add(&j->buf, s, 1);
		} else if (printable_char(c) && !(c == '<' && j->in_markup)) {
			strbuf_add(&j->buf, s, n);
		} else {
			/* escaped because the JSON may be shown on a terminal */
			add_escaped(j, c);
		}
		s += n;
	}
	strbuf_addch(&j->buf, '"');
}

/* Add a key that needs no escapes. Returns false if it needs some, or if out of memory. */
static bool add_plain_key(struct json *j, const char *key)
{
	size_t len = strlen(key);
	char *p;

	if (strbuf_grow(&j->buf, len + 4))
		return false;
	p = j->buf.buf + j->buf.len;
	*p++ = '"';
	for (; is_plain(*key); key++)
		*p++ = *key;
	if (*key) {
		j->buf.buf[j->buf.len] = '\0';
		return false;
	}
	memcpy(p, "\": ", 4);
	j->buf.len += len + 4;
	return true;
}

static void start_value(struct json *j, const char *key)
{
	if (j->buf.len > FLUSH_BYTES)
		flush(j);
	if (!j->first)
		strbuf_add(&j->buf, ", ", j->compact && !j->in_markup ? 2 : 1);
	if (j->depth && !j->compact)
		line_break(j);
	j->first = false;
	if (!key || add_plain_key(j, key))
		return;
	add_string(j, key);
	strbuf_add(&j->buf, ": ", 2);
}

void json_open(struct json *j, const char *key, char bracket, bool compact)
{
	start_value(j, key);
	strbuf_addch(&j->buf, bracket);
	j->depth++;
	if (compact && !j->compact)
		j->compact = j->depth;
	j->first = true;
}

void json_close(struct json *j, char bracket)
{
	bool empty = j->first, was_compact = j->compact != 0;

	if (j->compact == j->depth)
		j->compact = 0;
	j->depth--;
	if (!empty && !was_compact)
		line_break(j);
	strbuf_addch(&j->buf, bracket);
	j->first = false;
}

static void add_u64(struct json *j, uint64_t v)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	strbuf_add(&j->buf, digits + at, sizeof(digits) - at);
}

void json_u64(struct json *j, const char *key, uint64_t v)
{
	start_value(j, key);
	add_u64(j, v);
}

void json_i64(struct json *j, const char *key, int64_t v)
{
	start_value(j, key);
	if (v < 0)
		strbuf_addch(&j->buf, '-');
	add_u64(j, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void json_hex(struct json *j, const char *key, uint64_t v)
{
	start_value(j, key);
	strbuf_addstr(&j->buf, "\"0x");
	strbuf_add_hex(&j->buf, v, 1);
	strbuf_addch(&j->buf, '"');
}

/* Like printf(), but without the locale's decimal point. */
static void add_printed(struct json *j, double v, int decimals)
{
	char text[512]; /* the largest double has 309 digits */
	int len = snprintf(text, sizeof(text), "%.*f", decimals, v);

	strbuf_add(&j->buf, text, strspn(text, "-0123456789"));
	if (decimals)
		strbuf_addf(&j->buf, ".%s", text + len - decimals);
}

#define DECIMALS_MAX 19 /* 10^19 fits in a u64 */

/* Add "." and this many digits, at least one. */
static void add_decimals(struct json *j, uint64_t v, int decimals)
{
	char digits[1 + DECIMALS_MAX];
	int nr = decimals ? decimals : 1;

	digits[0] = '.';
	for (int i = nr; i > 0; i--, v /= 10)
		digits[i] = (char)('0' + v % 10);
	strbuf_add(&j->buf, digits, (size_t)nr + 1);
}

void json_double(struct json *j, const char *key, double v, int decimals)
{
	double whole, rest, magnitude = fabs(v);
	uint64_t scale = 1;

	if (decimals > DECIMALS_MAX)
		decimals = DECIMALS_MAX;
	for (int i = 0; i < decimals; i++)
		scale *= 10;
	start_value(j, key);
	if (!isfinite(v)) { /* JSON has neither infinity nor NaN */
		strbuf_addstr(&j->buf, "null");
		return;
	}
	/* Faster than printf(), with the same result. Left to printf(): v >= 2^53, and values so
	 * close to a half that the last digit is in doubt. */
	rest = modf(magnitude, &whole) * (double)scale;
	if (magnitude >= 0x1p53 || fabs(rest - floor(rest) - 0.5) < 1e-3) {
		add_printed(j, v, decimals);
		return;
	}
	if (rest + 0.5 >= (double)scale) {
		whole += 1;
		rest = 0;
	}
	if (v < 0)
		strbuf_addch(&j->buf, '-');
	add_u64(j, (uint64_t)whole);
	add_decimals(j, (uint64_t)(rest + 0.5), decimals);
}

void json_bool(struct json *j, const char *key, bool v)
{
	start_value(j, key);
	strbuf_addstr(&j->buf, v ? "true" : "false");
}

void json_string(struct json *j, const char *key, const char *v)
{
	start_value(j, key);
	if (v)
		add_string(j, v);
	else
		strbuf_addstr(&j->buf, "null");
}

bool json_plain_value(struct json *j, const char *key, const struct value *v)
{
	switch (v->kind) {
	case VALUE_NONE:
		json_string(j, key, NULL);
		break;
	case VALUE_U64:
	case VALUE_BYTES:
	case VALUE_NS:
		json_u64(j, key, v->u64);
		break;
	case VALUE_I64:
	case VALUE_CHANGE:
	case VALUE_BYTES_CHANGE:
		json_i64(j, key, v->i64);
		break;
	case VALUE_REAL:
	case VALUE_PERCENT:
		json_double(j, key, v->real, v->decimals);
		break;
	case VALUE_HEX:
		json_hex(j, key, v->u64);
		break;
	case VALUE_BOOL:
		json_bool(j, key, v->yes);
		break;
	case VALUE_NUMBERS:
		json_open(j, key, '[', true);
		for (size_t i = 0; i < v->numbers.nr; i++)
			json_u64(j, NULL, v->numbers.v[i]);
		json_close(j, ']');
		break;
	case VALUE_ABSENT:
	case VALUE_TEXT:
	case VALUE_CALLSITE:
	case VALUE_STACK:
	case VALUE_STRINGS:
	case VALUE_HISTOGRAM:
	case VALUE_TREE:
		return false;
	}
	return true;
}
