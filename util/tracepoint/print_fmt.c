// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/tracepoint/print_fmt.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/bytes.h"
#include "util/base/printable.h"
#include "util/tracepoint/print_expr.h"
#include "util/tracepoint/print_fmt_parse.h"

struct print_fmt {
	struct print_parsed parsed;
};

int print_fmt_id(const struct trace_text *format, uint64_t *ret_id)
{
	const char *at = memmem(format->text, format->len, "\nID: ", 5);
	const char *end = format->text + format->len;
	uint64_t id = 0;

	if (!at)
		return -EINVAL;
	for (at += 5; at < end && *at >= '0' && *at <= '9' && id < UINT32_MAX; at++)
		id = id * 10 + (uint64_t)(*at - '0');
	*ret_id = id;
	return 0;
}

struct print_fmt *print_fmt_new(const struct trace_text *format, uint8_t long_size)
{
	struct print_fmt *f = calloc(1, sizeof(*f));

	if (f && print_parse(&f->parsed, format, long_size)) {
		free(f);
		return NULL;
	}
	return f;
}

void print_fmt_free(struct print_fmt *f)
{
	if (!f)
		return;
	print_parsed_deinit(&f->parsed);
	free(f);
}

/* ---- values ---- */

/* A number of 1, 2, 4 or 8 bytes; 0 if it is outside the sample. */
static uint64_t load(const struct print_fmt_raw *raw, uint64_t offset, uint32_t size,
		     bool is_signed)
{
	const uint8_t *at = raw->data + offset;

	if (offset > raw->size || size > raw->size - offset)
		return 0;
	switch (size) {
	case 1:
		return print_cast(*at, 1, is_signed);
	case 2:
		return print_cast(load_u16(at, raw->swap), 2, is_signed);
	case 4:
		return print_cast(load_u32(at, raw->swap), 4, is_signed);
	case 8:
		return load_u64(at, raw->swap);
	default:
		return 0;
	}
}

/* The bytes of a dynamic array. Returns false if they are outside the sample. */
static bool locate(const struct print_field *f, const struct print_fmt_raw *raw,
		   uint32_t *ret_offset, uint32_t *ret_size)
{
	uint32_t where, offset, size;

	if (!f->is_dynamic) {
		*ret_offset = f->offset;
		*ret_size = f->size;
		return f->offset <= raw->size && f->size <= raw->size - f->offset;
	}
	where = (uint32_t)load(raw, f->offset, 4, false);
	offset = where & 0xffff;
	size = where >> 16;
	if (f->is_relative)
		offset += f->offset + f->size;
	*ret_offset = offset;
	*ret_size = size;
	return offset <= raw->size && size <= raw->size - offset;
}

static uint64_t number(const struct print_parsed *p, uint32_t i, const struct print_fmt_raw *raw)
{
	const struct print_node *n = &p->nodes[i];
	const struct print_field *f;
	uint32_t offset, size;
	uint64_t index;

	switch (n->op) {
	case PRINT_NUMBER:
		return n->value;
	case PRINT_FIELD:
		f = &p->fields[n->field];
		return load(raw, f->offset, f->size, f->is_signed);
	case PRINT_ELEMENT:
		f = &p->fields[n->field];
		index = number(p, n->a, raw);
		if (index >= f->size / f->element)
			return 0;
		return load(raw, f->offset + index * f->element, f->element, f->is_signed);
	case PRINT_LENGTH:
		return locate(&p->fields[n->field], raw, &offset, &size) ? size : 0;
	case PRINT_CAST:
		return print_cast(number(p, n->a, raw), n->value, n->is_signed);
	case PRINT_MINUS:
		return -number(p, n->a, raw);
	case PRINT_NOT:
		return !number(p, n->a, raw);
	case PRINT_INVERT:
		return ~number(p, n->a, raw);
	case PRINT_CHOOSE:
		return number(p, number(p, n->a, raw) ? n->b : n->c, raw);
	case PRINT_TEXT:
	case PRINT_GET_STR:
	case PRINT_FLAGS:
	case PRINT_SYMBOLIC:
		return 0;
	case PRINT_OPERATE:
		return c_operate(n->c_op, number(p, n->a, raw), number(p, n->b, raw));
	}
	return 0;
}

/* ---- text ---- */

/* Most names are ASCII: skip the conversion. */
static bool is_plain(const uint8_t *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] < ' ' || s[i] > '~')
			return false;
	return true;
}

static void add_bytes(struct strbuf *out, const struct print_fmt_raw *raw, uint32_t offset,
		      uint32_t size)
{
	const uint8_t *s = raw->data + offset;
	size_t len = strnlen((const char *)s, size), start = out->len;

	strbuf_add(out, s, len);
	if (!is_plain(s, len))
		printable_strbuf(out, start);
}

static void add_flags(const struct print_parsed *p, const struct print_node *n, struct strbuf *out,
		      uint64_t v)
{
	bool any = false;

	for (uint32_t i = n->first; i < n->first + n->nr; i++) {
		const struct print_entry *e = &p->entries[i];

		if (!v && !e->value) {
			strbuf_addstr(out, e->text);
			break;
		}
		if (!e->value || (v & e->value) != e->value)
			continue;
		if (any)
			strbuf_addstr(out, n->text);
		strbuf_addstr(out, e->text);
		any = true;
		v &= ~e->value;
	}
	if (v)
		strbuf_addf(out, "%s0x%" PRIx64, any ? n->text : "", v);
}

static void add_symbolic(const struct print_parsed *p, const struct print_node *n,
			 struct strbuf *out, uint64_t v)
{
	for (uint32_t i = n->first; i < n->first + n->nr; i++)
		if (p->entries[i].value == v) {
			strbuf_addstr(out, p->entries[i].text);
			return;
		}
	strbuf_addf(out, "0x%" PRIx64, v);
}

static void add_text(const struct print_parsed *p, uint32_t i, struct strbuf *out,
		     const struct print_fmt_raw *raw)
{
	const struct print_node *n = &p->nodes[i];
	uint32_t offset, size;

	switch (n->op) {
	case PRINT_TEXT:
		strbuf_addstr(out, n->text);
		break;
	case PRINT_GET_STR:
		if (locate(&p->fields[n->field], raw, &offset, &size))
			add_bytes(out, raw, offset, size);
		break;
	case PRINT_FLAGS:
		add_flags(p, n, out, number(p, n->a, raw));
		break;
	case PRINT_SYMBOLIC:
		add_symbolic(p, n, out, number(p, n->a, raw));
		break;
	case PRINT_CHOOSE:
		add_text(p, number(p, n->a, raw) ? n->b : n->c, out, raw);
		break;
	case PRINT_CAST:
		add_text(p, n->a, out, raw);
		break;
	default:
		strbuf_addf(out, "0x%" PRIx64, number(p, i, raw));
	}
}

static void add_decimal(struct strbuf *out, uint64_t v, bool is_signed)
{
	char digits[24];
	size_t n = sizeof(digits);
	bool negative = is_signed && (int64_t)v < 0;

	if (negative)
		v = -v;
	do
		digits[--n] = (char)('0' + v % 10);
	while (v /= 10);
	if (negative)
		digits[--n] = '-';
	strbuf_add(out, digits + n, sizeof(digits) - n);
}

static int value_or(const struct print_parsed *p, int given, uint32_t argument,
		    const struct print_fmt_raw *raw)
{
	uint64_t v;

	if (given != -2)
		return given;
	v = number(p, argument, raw);
	return v > 4096 ? -1 : (int)v;
}

static void add_number(const struct print_parsed *p, const struct print_piece *piece,
		       struct strbuf *out, const struct print_fmt_raw *raw)
{
	uint64_t v =
		print_cast(number(p, piece->argument, raw), piece->bytes, piece->conversion == 'd');
	int width, precision;
	char fmt[24];

	if (piece->width == -1 && piece->precision == -1 && !piece->flags[0]) {
		if (piece->conversion == 'x')
			strbuf_add_hex(out, v, 1);
		else if (piece->conversion == 'd' || piece->conversion == 'u')
			add_decimal(out, v, piece->conversion == 'd');
		else if (piece->conversion == 'c')
			strbuf_addch(out, (v & 0xff) < ' ' || (v & 0xff) > '~' ? '?' : (char)v);
		else
			strbuf_addf(out, piece->conversion == 'o' ? "%" PRIo64 : "%" PRIX64, v);
		return;
	}
	width = value_or(p, piece->width, piece->width_argument, raw);
	precision = value_or(p, piece->precision, piece->precision_argument, raw);
	snprintf(fmt, sizeof(fmt), "%%%s*.*ll%c", piece->flags,
		 piece->conversion == 'c' ? 'u' : piece->conversion);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	strbuf_addf(out, fmt, width < 0 ? 0 : width, precision, (unsigned long long)v);
#pragma GCC diagnostic pop
}

/* Pad or truncate the text from `start` on to the width and precision. */
static void fit(const struct print_parsed *p, const struct print_piece *piece, struct strbuf *out,
		size_t start, const struct print_fmt_raw *raw)
{
	int width = value_or(p, piece->width, piece->width_argument, raw);
	int precision = value_or(p, piece->precision, piece->precision_argument, raw);
	size_t len, missing;

	if (precision >= 0 && out->len - start > (size_t)precision)
		strbuf_setlen(out, start + (size_t)precision);
	len = out->len - start;
	if (width < 0 || len >= (size_t)width)
		return;
	missing = (size_t)width - len;
	for (size_t i = 0; i < missing; i++)
		strbuf_addch(out, ' ');
	if (!strchr(piece->flags, '-') && !out->failed) {
		memmove(out->buf + start + missing, out->buf + start, len);
		memset(out->buf + start, ' ', missing);
	}
}

static void add_address(struct strbuf *out, uint64_t v)
{
	strbuf_addstr(out, v ? "0x" : "(nil)");
	if (v)
		strbuf_add_hex(out, v, 1);
}

static void add_function(const struct print_piece *piece, struct strbuf *out,
			 const struct print_fmt_raw *raw, uint64_t v)
{
	if (raw->symbol && raw->symbol(raw->ctx, out, v, piece->conversion == 'S'))
		return;
	strbuf_addstr(out, "0x");
	strbuf_add_hex(out, v, 1);
}

static void add_piece(const struct print_parsed *p, const struct print_piece *piece,
		      struct strbuf *out, const struct print_fmt_raw *raw)
{
	size_t start;

	strbuf_add(out, piece->text, piece->len);
	start = out->len;
	switch (piece->conversion) {
	case 0:
		return;
	case 's':
		add_text(p, piece->argument, out, raw);
		break;
	case 'p':
		add_address(out, number(p, piece->argument, raw));
		break;
	case 'S':
	case 'f':
		add_function(piece, out, raw, number(p, piece->argument, raw));
		break;
	default:
		add_number(p, piece, out, raw);
		return;
	}
	if (piece->width != -1 || piece->precision != -1)
		fit(p, piece, out, start, raw);
}

/* ---- without a print fmt ---- */

static void add_array(const struct print_fmt_raw *raw, struct strbuf *out, uint32_t offset,
		      uint32_t size)
{
	strbuf_addstr(out, "ARRAY[");
	for (uint32_t i = 0; i < size; i++)
		strbuf_addf(out, "%s%02x", i ? ", " : "", raw->data[offset + i]);
	strbuf_addch(out, ']');
}

static void add_field(const struct print_field *f, struct strbuf *out,
		      const struct print_fmt_raw *raw)
{
	uint32_t offset, size;
	uint64_t v;

	strbuf_addf(out, " %s=", f->name);
	if (f->is_text || f->is_dynamic || f->element) {
		if (!locate(f, raw, &offset, &size))
			return;
		if (f->is_text ||
		    (size &&
		     is_plain(raw->data + offset, strnlen((const char *)raw->data + offset, size))))
			add_bytes(out, raw, offset, size);
		else
			add_array(raw, out, offset, size);
		return;
	}
	v = load(raw, f->offset, f->size, f->is_signed);
	if (f->is_pointer || f->is_long)
		strbuf_addf(out, "0x%" PRIx64, v);
	else
		add_decimal(out, v, f->is_signed);
}

void print_fmt_add(const struct print_fmt *f, struct strbuf *out, const struct print_fmt_raw *raw)
{
	const struct print_parsed *p = &f->parsed;

	if (!p->failed) {
		for (size_t i = 0; i < p->nr_pieces; i++)
			add_piece(p, &p->pieces[i], out, raw);
		return;
	}
	strbuf_addstr(out, "[FAILED TO PARSE]");
	for (size_t i = 0; i < p->nr_fields; i++)
		if (strncmp(p->fields[i].name, "common_", 7) != 0)
			add_field(&p->fields[i], out, raw);
}
