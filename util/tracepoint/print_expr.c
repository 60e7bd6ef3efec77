// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/tracepoint/print_expr.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"

#define DEPTH_MAX 200
#define PARTS_MAX 8192 /* limit of nodes, entries, texts: more than any kernel's event has */

bool print_parser_grow(struct print_parser *s, void **v, size_t nr, size_t size)
{
	void *bigger;

	if (nr & (nr - 1))
		return true;
	if (nr > PARTS_MAX) {
		s->out->failed = true;
		return false;
	}
	bigger = reallocarray(*v, nr ? nr * 2 : 1, size);
	if (!bigger) {
		s->no_memory = s->out->failed = true;
		return false;
	}
	*v = bigger;
	return true;
}

uint32_t print_parser_fail(struct print_parser *s)
{
	s->out->failed = true;
	s->t.p = s->t.end;
	return 0;
}

void print_parser_expect(struct print_parser *s, const char *token)
{
	if (!c_tokens_accept(&s->t, token))
		print_parser_fail(s);
}

static uint32_t add_node(struct print_parser *s, struct print_node node)
{
	struct print_parsed *o = s->out;

	if (!print_parser_grow(s, (void **)&o->nodes, o->nr_nodes, sizeof(*o->nodes)))
		return print_parser_fail(s);
	o->nodes[o->nr_nodes] = node;
	return (uint32_t)o->nr_nodes++;
}

/* ---- texts ---- */

static char unescape(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	default:
		return c;
	}
}

/* Up to the closing quotation mark. */
static void read_literal(struct c_tokens *t, struct strbuf *sb)
{
	for (; t->p < t->end && *t->p != '"'; t->p++) {
		if (*t->p == '\\' && t->p + 1 < t->end)
			strbuf_addch(sb, unescape(*++t->p));
		else
			strbuf_addch(sb, *t->p);
	}
}

/* Take over the text, which is on the heap. */
static const char *keep_text(struct print_parser *s, char *text)
{
	struct print_parsed *o = s->out;

	if (!text || !print_parser_grow(s, (void **)&o->texts, o->nr_texts, sizeof(*o->texts))) {
		s->no_memory |= !text;
		free(text);
		print_parser_fail(s);
		return "";
	}
	o->texts[o->nr_texts++] = text;
	return text;
}

const char *print_expr_read_text(struct print_parser *s)
{
	struct strbuf sb = STRBUF_INIT;

	if (c_tokens_peek(&s->t) != '"') {
		print_parser_fail(s);
		return "";
	}
	while (c_tokens_accept(&s->t, "\"")) {
		read_literal(&s->t, &sb);
		print_parser_expect(s, "\"");
	}
	return keep_text(s, sb.failed ? NULL : strbuf_detach(&sb));
}

/* ---- expressions ---- */

static uint32_t find_field(struct print_parser *s)
{
	size_t len;
	const char *name = c_tokens_word(&s->t, &len);

	for (uint32_t i = 0; i < s->out->nr_fields; i++)
		if (strlen(s->out->fields[i].name) == len &&
		    !memcmp(s->out->fields[i].name, name, len))
			return i;
	return print_parser_fail(s);
}

static uint32_t read_field(struct print_parser *s)
{
	uint32_t field = find_field(s);
	const struct print_field *f;

	if (s->out->failed)
		return 0;
	f = &s->out->fields[field];
	if (c_tokens_accept(&s->t, "[")) {
		uint32_t index = print_expr_read(s);

		print_parser_expect(s, "]");
		if (!f->element)
			return print_parser_fail(s);
		return add_node(
			s, (struct print_node){.op = PRINT_ELEMENT, .field = field, .a = index});
	}
	if (f->is_text || f->is_dynamic)
		return add_node(s, (struct print_node){.op = PRINT_GET_STR, .field = field});
	if (f->element)
		return print_parser_fail(s); /* an address in the sample */
	return add_node(s, (struct print_node){.op = PRINT_FIELD, .field = field});
}

static bool constant(const struct print_parser *s, uint32_t node, uint64_t *ret_value)
{
	if (s->out->failed || s->out->nodes[node].op != PRINT_NUMBER)
		return false;
	*ret_value = s->out->nodes[node].value;
	return true;
}

/* "{ value, text }, ...)" */
static void read_entries(struct print_parser *s, struct print_node *node)
{
	struct print_parsed *o = s->out;

	node->first = (uint32_t)o->nr_entries;
	while (!o->failed && c_tokens_accept(&s->t, "{")) {
		uint32_t value = print_expr_read(s);
		struct print_entry entry = {0};

		print_parser_expect(s, ",");
		if (c_tokens_peek(&s->t) == '"')
			entry.text = print_expr_read_text(s);
		else
			print_expr_read(s); /* NULL: the end of the table */
		print_parser_expect(s, "}");
		c_tokens_accept(&s->t, ",");
		if (!entry.text)
			continue;
		if (o->failed ||
		    !print_parser_grow(s, (void **)&o->entries, o->nr_entries, sizeof(*o->entries)))
			return;
		/* the whole table is constant */
		if (constant(s, value, &entry.value))
			o->nr_nodes = value;
		o->entries[o->nr_entries++] = entry;
	}
	node->nr = (uint32_t)o->nr_entries - node->first;
	print_parser_expect(s, ")");
}

static uint32_t read_table(struct print_parser *s, enum print_op op)
{
	struct print_node node = {.op = op, .text = ""};

	print_parser_expect(s, "(");
	node.a = print_expr_read(s);
	print_parser_expect(s, ",");
	if (op == PRINT_FLAGS) {
		node.text = print_expr_read_text(s);
		print_parser_expect(s, ",");
	}
	read_entries(s, &node);
	return add_node(s, node);
}

static uint32_t read_of_field(struct print_parser *s, enum print_op op)
{
	uint32_t field;

	print_parser_expect(s, "(");
	field = find_field(s);
	print_parser_expect(s, ")");
	return add_node(s, (struct print_node){.op = op, .field = field});
}

static uint32_t read_word(struct print_parser *s)
{
	size_t len;

	if (c_tokens_accept_word(&s->t, "REC")) {
		print_parser_expect(s, "->");
		return read_field(s);
	}
	if (c_tokens_accept_word(&s->t, "__get_str") ||
	    c_tokens_accept_word(&s->t, "__get_rel_str"))
		return read_of_field(s, PRINT_GET_STR);
	if (c_tokens_accept_word(&s->t, "__get_dynamic_array_len"))
		return read_of_field(s, PRINT_LENGTH);
	if (c_tokens_accept_word(&s->t, "__print_flags"))
		return read_table(s, PRINT_FLAGS);
	if (c_tokens_accept_word(&s->t, "__print_symbolic"))
		return read_table(s, PRINT_SYMBOLIC);
	c_tokens_word(&s->t, &len);
	if (c_tokens_peek(&s->t) == '(')
		return print_parser_fail(s); /* an unsupported function */
	return add_node(s, (struct print_node){.op = PRINT_NUMBER});
}

/* The size of a type of these words; 0 if unknown: a cast to it is ignored. */
static uint8_t size_of_type(const char *type, uint8_t long_size, bool *ret_signed)
{
	static const struct {
		const char *word;
		uint8_t size;
		bool is_signed;
	} types[] = {
		{"u8", 1, false},  {"s8", 1, true},    {"u16", 2, false},   {"s16", 2, true},
		{"u32", 4, false}, {"s32", 4, true},   {"gfp_t", 4, false}, {"pid_t", 4, true},
		{"char", 1, true}, {"short", 2, true},
	};
	bool is_unsigned = strstr(type, "unsigned") != NULL;

	if (strchr(type, '*'))
		return 0;
	*ret_signed = !is_unsigned;
	if (strstr(type, "long long") || strstr(type, "64"))
		return 8;
	if (strstr(type, "long"))
		return long_size;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const char *at = strstr(type, types[i].word);

		if (!at)
			continue;
		*ret_signed = types[i].is_signed && !is_unsigned;
		return types[i].size;
	}
	return strstr(type, "int") || is_unsigned ? 4 : 0;
}

uint64_t print_cast(uint64_t v, uint64_t size, bool is_signed)
{
	unsigned int shift = 64 - 8 * (unsigned int)size;

	if (!size || size >= 8)
		return v;
	return is_signed ? (uint64_t)((int64_t)(v << shift) >> shift) : v << shift >> shift;
}

/* Replace the nodes from `first` on by the constant that they compute. */
static uint32_t fold(struct print_parser *s, uint32_t first, uint64_t value)
{
	s->out->nr_nodes = first;
	return add_node(s, (struct print_node){.op = PRINT_NUMBER, .value = value});
}

static uint32_t add_unary(struct print_parser *s, enum print_op op, uint32_t a)
{
	uint64_t v;

	if (constant(s, a, &v)) {
		v = op == PRINT_MINUS ? -v : op == PRINT_NOT ? !v : ~v;
		return fold(s, a, v);
	}
	return add_node(s, (struct print_node){.op = op, .a = a});
}

static uint32_t read_cast(struct print_parser *s, const char *type);

static uint32_t read_unary(struct print_parser *s)
{
	char type[C_TYPE_MAX], next = c_tokens_peek(&s->t);
	uint32_t node;

	if (++s->depth > DEPTH_MAX)
		return print_parser_fail(s);
	if (c_tokens_accept(&s->t, "~")) {
		node = add_unary(s, PRINT_INVERT, read_unary(s));
	} else if (c_tokens_accept(&s->t, "!")) {
		node = add_unary(s, PRINT_NOT, read_unary(s));
	} else if (c_tokens_accept(&s->t, "-")) {
		node = add_unary(s, PRINT_MINUS, read_unary(s));
	} else if (c_tokens_accept(&s->t, "+")) {
		node = read_unary(s);
	} else if (c_tokens_accept(&s->t, "(")) {
		if (c_tokens_accept_cast(&s->t, type)) {
			node = read_cast(s, type);
		} else {
			node = print_expr_read(s);
			print_parser_expect(s, ")");
		}
	} else if (isdigit((unsigned char)next)) {
		node = add_node(s, (struct print_node){.op = PRINT_NUMBER,
						       .value = c_tokens_number(&s->t)});
	} else if (next == '"') {
		node = add_node(
			s, (struct print_node){.op = PRINT_TEXT, .text = print_expr_read_text(s)});
	} else if (c_is_word(next)) {
		node = read_word(s);
	} else {
		node = print_parser_fail(s);
	}
	s->depth--;
	return node;
}

static uint32_t read_cast(struct print_parser *s, const char *type)
{
	struct print_node cast = {.op = PRINT_CAST};
	uint64_t v;

	cast.value = size_of_type(type, s->out->long_size, &cast.is_signed);
	cast.a = read_unary(s);
	if (!cast.value || s->out->failed)
		return cast.a;
	if (constant(s, cast.a, &v))
		return fold(s, cast.a, print_cast(v, cast.value, cast.is_signed));
	return add_node(s, cast);
}

static uint32_t add_binary(struct print_parser *s, enum c_operator op, uint32_t a, uint32_t b)
{
	uint64_t x, y;

	if (constant(s, a, &x) && constant(s, b, &y))
		return fold(s, a, c_operate(op, x, y));
	return add_node(s, (struct print_node){.op = PRINT_OPERATE, .c_op = op, .a = a, .b = b});
}

static uint32_t read_binary(struct print_parser *s, int binding)
{
	uint32_t a = read_unary(s);
	enum c_operator op;
	int its;

	while (c_tokens_accept_operator(&s->t, binding, &op, &its)) {
		if (++s->depth > DEPTH_MAX)
			return print_parser_fail(s);
		a = add_binary(s, op, a, read_binary(s, its + 1));
		s->depth--;
	}
	return a;
}

uint32_t print_expr_read(struct print_parser *s)
{
	struct print_node node = {.op = PRINT_CHOOSE};
	uint64_t v;

	if (++s->depth > DEPTH_MAX)
		return print_parser_fail(s);
	node.a = read_binary(s, 1);
	if (!c_tokens_accept(&s->t, "?")) {
		s->depth--;
		return node.a;
	}
	node.b = print_expr_read(s);
	print_parser_expect(s, ":");
	node.c = print_expr_read(s);
	s->depth--;
	if (constant(s, node.a, &v))
		return v ? node.b : node.c;
	return add_node(s, node);
}
