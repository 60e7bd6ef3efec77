// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/tracepoint/print_fmt_parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/base/printable.h"
#include "util/base/strbuf.h"

#define DEPTH_MAX  200 /* of nested parentheses and operators */
#define FIELDS_MAX 512
#define PARTS_MAX  8192 /* nodes, entries, texts: more than any event has */
#define FORMAT_MAX (1u << 20)

struct parser {
	struct print_parsed *out;
	const char *p; /* NUL-terminated */
	int depth;
	bool no_memory;
};

/* Make room for one more element of an array that grows at powers of two. */
static bool grow(struct parser *s, void **v, size_t nr, size_t size)
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

/* Nothing more is read after this. */
static uint32_t fail(struct parser *s)
{
	s->out->failed = true;
	s->p = "";
	return 0;
}

static uint32_t add_node(struct parser *s, struct print_node node)
{
	struct print_parsed *o = s->out;

	if (!grow(s, (void **)&o->nodes, o->nr_nodes, sizeof(*o->nodes)))
		return fail(s);
	o->nodes[o->nr_nodes] = node;
	return (uint32_t)o->nr_nodes++;
}

/* Keeps the text, which is heap memory. */
static const char *keep_text(struct parser *s, char *text)
{
	struct print_parsed *o = s->out;

	if (!text || !grow(s, (void **)&o->texts, o->nr_texts, sizeof(*o->texts))) {
		s->no_memory |= !text;
		free(text);
		fail(s);
		return "";
	}
	o->texts[o->nr_texts++] = text;
	return text;
}

/* ---- tokens ---- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void skip_space(struct parser *s)
{
	while (isspace((unsigned char)*s->p))
		s->p++;
}

static bool accept(struct parser *s, const char *token)
{
	size_t n = strlen(token);

	skip_space(s);
	if (strncmp(s->p, token, n) != 0)
		return false;
	s->p += n;
	return true;
}

static void expect(struct parser *s, const char *token)
{
	if (!accept(s, token))
		fail(s);
}

static bool accept_word(struct parser *s, const char *word)
{
	size_t n = strlen(word);

	skip_space(s);
	if (strncmp(s->p, word, n) != 0 || is_word(s->p[n]))
		return false;
	s->p += n;
	return true;
}

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

/* String literals, of which several in a row are one. */
static const char *read_text(struct parser *s)
{
	struct strbuf sb = STRBUF_INIT;

	skip_space(s);
	if (*s->p != '"') {
		fail(s);
		return "";
	}
	while (accept(s, "\"")) {
		for (; *s->p && *s->p != '"'; s->p++) {
			if (*s->p == '\\' && s->p[1])
				strbuf_addch(&sb, unescape(*++s->p));
			else
				strbuf_addch(&sb, *s->p);
		}
		expect(s, "\"");
	}
	return keep_text(s, sb.failed ? NULL : strbuf_detach(&sb));
}

/* ---- expressions ---- */

static uint32_t read_choice(struct parser *s);

static uint32_t find_field(struct parser *s)
{
	const char *start;
	size_t len;

	skip_space(s);
	for (start = s->p; is_word(*s->p); s->p++)
		;
	len = (size_t)(s->p - start);
	for (uint32_t i = 0; i < s->out->nr_fields; i++)
		if (strlen(s->out->fields[i].name) == len &&
		    !memcmp(s->out->fields[i].name, start, len))
			return i;
	return fail(s);
}

static uint32_t read_field(struct parser *s)
{
	uint32_t field = find_field(s);
	const struct print_field *f;

	if (s->out->failed)
		return 0;
	f = &s->out->fields[field];
	if (accept(s, "[")) {
		uint32_t index = read_choice(s);

		expect(s, "]");
		if (!f->element)
			return fail(s);
		return add_node(
			s, (struct print_node){.op = PRINT_ELEMENT, .field = field, .a = index});
	}
	if (f->is_text || f->is_dynamic)
		return add_node(s, (struct print_node){.op = PRINT_GET_STR, .field = field});
	if (f->element)
		return fail(s); /* an address in the sample */
	return add_node(s, (struct print_node){.op = PRINT_FIELD, .field = field});
}

static bool constant(const struct parser *s, uint32_t node, uint64_t *ret_value)
{
	if (s->out->failed || s->out->nodes[node].op != PRINT_NUMBER)
		return false;
	*ret_value = s->out->nodes[node].value;
	return true;
}

/* "{ value, text }, ...)" */
static void read_entries(struct parser *s, struct print_node *node)
{
	struct print_parsed *o = s->out;

	node->first = (uint32_t)o->nr_entries;
	while (!o->failed && accept(s, "{")) {
		uint32_t value = read_choice(s);
		struct print_entry entry = {0};

		expect(s, ",");
		skip_space(s);
		if (*s->p == '"')
			entry.text = read_text(s);
		else
			read_choice(s); /* NULL: the end of the table */
		expect(s, "}");
		accept(s, ",");
		if (!entry.text)
			continue;
		if (o->failed || !grow(s, (void **)&o->entries, o->nr_entries, sizeof(*o->entries)))
			return;
		/* all of it is constant */
		if (constant(s, value, &entry.value))
			o->nr_nodes = value;
		o->entries[o->nr_entries++] = entry;
	}
	node->nr = (uint32_t)o->nr_entries - node->first;
	expect(s, ")");
}

static uint32_t read_table(struct parser *s, enum print_op op)
{
	struct print_node node = {.op = op, .text = ""};

	expect(s, "(");
	node.a = read_choice(s);
	expect(s, ",");
	if (op == PRINT_FLAGS) {
		node.text = read_text(s);
		expect(s, ",");
	}
	read_entries(s, &node);
	return add_node(s, node);
}

static uint32_t read_of_field(struct parser *s, enum print_op op)
{
	uint32_t field;

	expect(s, "(");
	field = find_field(s);
	expect(s, ")");
	return add_node(s, (struct print_node){.op = op, .field = field});
}

static uint32_t read_word(struct parser *s)
{
	if (accept_word(s, "REC")) {
		expect(s, "->");
		return read_field(s);
	}
	if (accept_word(s, "__get_str") || accept_word(s, "__get_rel_str"))
		return read_of_field(s, PRINT_GET_STR);
	if (accept_word(s, "__get_dynamic_array_len"))
		return read_of_field(s, PRINT_LENGTH);
	if (accept_word(s, "__print_flags"))
		return read_table(s, PRINT_FLAGS);
	if (accept_word(s, "__print_symbolic"))
		return read_table(s, PRINT_SYMBOLIC);
	while (is_word(*s->p))
		s->p++;
	skip_space(s);
	if (*s->p == '(')
		return fail(s); /* a function that is not known here */
	return add_node(s, (struct print_node){.op = PRINT_NUMBER});
}

static uint32_t read_number(struct parser *s)
{
	char *end;
	uint64_t value = strtoull(s->p, &end, 0);

	s->p = end;
	while (isalpha((unsigned char)*s->p)) /* UL */
		s->p++;
	return add_node(s, (struct print_node){.op = PRINT_NUMBER, .value = value});
}

/* The size of a type of these words; 0: unknown, a cast to it changes nothing. */
static uint8_t size_of_type(const char *words, uint8_t long_size, bool *ret_signed)
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
	bool is_unsigned = strstr(words, "unsigned") != NULL;

	if (strchr(words, '*'))
		return 0;
	*ret_signed = !is_unsigned;
	if (strstr(words, "long long") || strstr(words, "64"))
		return 8;
	if (strstr(words, "long"))
		return long_size;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const char *at = strstr(words, types[i].word);

		if (!at)
			continue;
		*ret_signed = types[i].is_signed && !is_unsigned;
		return types[i].size;
	}
	return strstr(words, "int") || is_unsigned ? 4 : 0;
}

/* After "(": "unsigned long)" with something to cast behind it. */
static bool accept_cast(struct parser *s, char words[64])
{
	const char *p = s->p;
	size_t n = 0;

	for (; is_word(*p) || *p == ' ' || *p == '*'; p++)
		if (n < 63)
			words[n++] = *p;
	words[n] = '\0';
	if (!n || *p != ')' || isdigit((unsigned char)words[strspn(words, " ")]))
		return false;
	for (p++; *p == ' '; p++)
		;
	if (!is_word(*p) && *p != '(' && *p != '~' && *p != '"')
		return false;
	s->p = p;
	return true;
}

uint64_t print_cast(uint64_t v, uint64_t size, bool is_signed)
{
	unsigned int shift = 64 - 8 * (unsigned int)size;

	if (!size || size >= 8)
		return v;
	return is_signed ? (uint64_t)((int64_t)(v << shift) >> shift) : v << shift >> shift;
}

/* A constant, in place of what it was computed from: the nodes from `first` on. */
static uint32_t fold(struct parser *s, uint32_t first, uint64_t value)
{
	s->out->nr_nodes = first;
	return add_node(s, (struct print_node){.op = PRINT_NUMBER, .value = value});
}

static uint32_t add_unary(struct parser *s, enum print_op op, uint32_t a)
{
	uint64_t v;

	if (constant(s, a, &v)) {
		v = op == PRINT_MINUS ? -v : op == PRINT_NOT ? !v : ~v;
		return fold(s, a, v);
	}
	return add_node(s, (struct print_node){.op = op, .a = a});
}

static uint32_t read_cast(struct parser *s, const char *words);

static uint32_t read_unary(struct parser *s)
{
	char words[64];
	uint32_t node;

	if (++s->depth > DEPTH_MAX)
		return fail(s);
	skip_space(s);
	if (accept(s, "~")) {
		node = add_unary(s, PRINT_INVERT, read_unary(s));
	} else if (accept(s, "!")) {
		node = add_unary(s, PRINT_NOT, read_unary(s));
	} else if (accept(s, "-")) {
		node = add_unary(s, PRINT_MINUS, read_unary(s));
	} else if (accept(s, "+")) {
		node = read_unary(s);
	} else if (accept(s, "(")) {
		if (accept_cast(s, words)) {
			node = read_cast(s, words);
		} else {
			node = read_choice(s);
			expect(s, ")");
		}
	} else if (isdigit((unsigned char)*s->p)) {
		node = read_number(s);
	} else if (*s->p == '"') {
		node = add_node(s, (struct print_node){.op = PRINT_TEXT, .text = read_text(s)});
	} else if (is_word(*s->p)) {
		node = read_word(s);
	} else {
		node = fail(s);
	}
	s->depth--;
	return node;
}

static uint32_t read_cast(struct parser *s, const char *words)
{
	struct print_node cast = {.op = PRINT_CAST};
	uint64_t v;

	cast.value = size_of_type(words, s->out->long_size, &cast.is_signed);
	cast.a = read_unary(s);
	if (!cast.value || s->out->failed)
		return cast.a;
	if (constant(s, cast.a, &v))
		return fold(s, cast.a, print_cast(v, cast.value, cast.is_signed));
	return add_node(s, cast);
}

uint64_t print_operate(enum print_op op, uint64_t a, uint64_t b)
{
	switch (op) {
	case PRINT_OR_ELSE:
		return a || b;
	case PRINT_AND_THEN:
		return a && b;
	case PRINT_OR:
		return a | b;
	case PRINT_XOR:
		return a ^ b;
	case PRINT_AND:
		return a & b;
	case PRINT_EQUAL:
		return a == b;
	case PRINT_NOT_EQUAL:
		return a != b;
	case PRINT_LESS:
		return (int64_t)a < (int64_t)b;
	case PRINT_GREATER:
		return (int64_t)a > (int64_t)b;
	case PRINT_LESS_EQUAL:
		return (int64_t)a <= (int64_t)b;
	case PRINT_GREATER_EQUAL:
		return (int64_t)a >= (int64_t)b;
	case PRINT_SHIFT_LEFT:
		return b < 64 ? a << b : 0;
	case PRINT_SHIFT_RIGHT:
		return b < 64 ? a >> b : 0;
	case PRINT_ADD:
		return a + b;
	case PRINT_SUBTRACT:
		return a - b;
	case PRINT_MULTIPLY:
		return a * b;
	case PRINT_DIVIDE:
		return b ? a / b : 0;
	case PRINT_MODULO:
		return b ? a % b : 0;
	default:
		return 0;
	}
}

/* A token precedes those that it is a prefix of. */
static const struct {
	const char *token;
	enum print_op op;
	int binding; /* larger numbers bind more tightly */
} operators[] = {
	{"||", PRINT_OR_ELSE, 1},    {"&&", PRINT_AND_THEN, 2},	  {"|", PRINT_OR, 3},
	{"^", PRINT_XOR, 4},	     {"&", PRINT_AND, 5},	  {"==", PRINT_EQUAL, 6},
	{"!=", PRINT_NOT_EQUAL, 6},  {"<<", PRINT_SHIFT_LEFT, 8}, {">>", PRINT_SHIFT_RIGHT, 8},
	{"<=", PRINT_LESS_EQUAL, 7}, {"<", PRINT_LESS, 7},	  {">=", PRINT_GREATER_EQUAL, 7},
	{">", PRINT_GREATER, 7},     {"+", PRINT_ADD, 9},	  {"-", PRINT_SUBTRACT, 9},
	{"*", PRINT_MULTIPLY, 10},   {"/", PRINT_DIVIDE, 10},	  {"%", PRINT_MODULO, 10},
};

#define NR_OPERATORS (sizeof(operators) / sizeof(operators[0]))

static uint32_t add_binary(struct parser *s, enum print_op op, uint32_t a, uint32_t b)
{
	uint64_t x, y;

	if (constant(s, a, &x) && constant(s, b, &y))
		return fold(s, a, print_operate(op, x, y));
	return add_node(s, (struct print_node){.op = op, .a = a, .b = b});
}

static size_t peek_operator(struct parser *s)
{
	size_t i = 0;

	skip_space(s);
	while (i < NR_OPERATORS &&
	       strncmp(s->p, operators[i].token, strlen(operators[i].token)) != 0)
		i++;
	return i;
}

static uint32_t read_binary(struct parser *s, int binding)
{
	uint32_t a = read_unary(s);
	size_t i;

	while ((i = peek_operator(s)) < NR_OPERATORS && operators[i].binding >= binding) {
		if (++s->depth > DEPTH_MAX)
			return fail(s);
		s->p += strlen(operators[i].token);
		a = add_binary(s, operators[i].op, a, read_binary(s, operators[i].binding + 1));
		s->depth--;
	}
	return a;
}

static uint32_t read_choice(struct parser *s)
{
	struct print_node node = {.op = PRINT_CHOOSE};
	uint64_t v;

	if (++s->depth > DEPTH_MAX)
		return fail(s);
	node.a = read_binary(s, 1);
	if (!accept(s, "?")) {
		s->depth--;
		return node.a;
	}
	node.b = read_choice(s);
	expect(s, ":");
	node.c = read_choice(s);
	s->depth--;
	if (constant(s, node.a, &v))
		return v ? node.b : node.c;
	return add_node(s, node);
}

/* ---- the format string ---- */

/* The node of the next argument. */
static uint32_t read_argument(struct parser *s)
{
	expect(s, ",");
	return read_choice(s);
}

/* "*" or digits; -1: neither. */
static int read_width(struct parser *s, const char **at, uint32_t *ret_argument)
{
	int n = -1;

	if (**at == '*') {
		(*at)++;
		*ret_argument = read_argument(s);
		return -2;
	}
	for (; isdigit((unsigned char)**at); (*at)++)
		n = n > 999 ? n : (n < 0 ? 0 : n) * 10 + (**at - '0');
	return n;
}

static uint8_t read_length(const char **at, uint8_t long_size)
{
	uint8_t bytes = 4;

	for (;; (*at)++) {
		if (**at == 'h')
			bytes = bytes == 2 ? 1 : 2;
		else if (**at == 'l')
			bytes = (*at)[1] == 'l' || (*at)[-1] == 'l' ? 8 : long_size;
		else if (**at == 'z' || **at == 't')
			bytes = long_size;
		else if (**at == 'L' || **at == 'q' || **at == 'j')
			bytes = 8;
		else
			return bytes;
	}
}

/* After '%'. */
static void read_conversion(struct parser *s, const char **at, struct print_piece *piece)
{
	size_t nr_flags = 0;

	for (; **at && strchr("-+ #0", **at); (*at)++)
		if (nr_flags < sizeof(piece->flags) - 1)
			piece->flags[nr_flags++] = **at;
	piece->width = read_width(s, at, &piece->width_argument);
	if (**at == '.') {
		(*at)++;
		piece->precision = read_width(s, at, &piece->precision_argument);
		if (piece->precision == -1)
			piece->precision = 0;
	}
	piece->bytes = read_length(at, s->out->long_size);
	piece->conversion = *(*at)++;
	switch (piece->conversion) {
	case 'i':
		piece->conversion = 'd';
		break;
	case 'd':
	case 'u':
	case 'x':
	case 'X':
	case 'o':
	case 'c':
	case 's':
		break;
	case 'p':
		piece->bytes = 8;
		if (**at == 'S' || **at == 'F' || **at == 'B')
			piece->conversion = 'S';
		else if (**at == 's' || **at == 'f')
			piece->conversion = 'f';
		else if (isalpha((unsigned char)**at) && **at != 'K' && **at != 'x')
			fail(s); /* addresses of networks and the like */
		if (isalpha((unsigned char)**at))
			(*at)++;
		break;
	default:
		fail(s);
	}
	piece->argument = read_argument(s);
}

static void read_pieces(struct parser *s)
{
	struct print_parsed *o = s->out;
	const char *at = read_text(s);

	while (!o->failed && *at) {
		struct print_piece piece = {.text = at, .width = -1, .precision = -1};

		while (*at && *at != '%')
			at++;
		piece.len = (size_t)(at - piece.text);
		if (*at == '%' && at[1] == '%') {
			piece.len++;
			at += 2;
		} else if (*at) {
			at++;
			read_conversion(s, &at, &piece);
		}
		if (o->failed || !grow(s, (void **)&o->pieces, o->nr_pieces, sizeof(*o->pieces)))
			return;
		o->pieces[o->nr_pieces++] = piece;
	}
}

/* ---- fields ---- */

/* "unsigned long args[6]": the name is the last word. */
static bool read_declaration(struct print_field *f, char *decl, unsigned long size)
{
	char *bracket = strrchr(decl, '['), *name;
	unsigned long nr;

	f->is_dynamic = !strncmp(decl, "__data_loc", 10) || !strncmp(decl, "__rel_loc", 9) ||
			!strncmp(decl, "__rel_data_loc", 14);
	f->is_relative = !strncmp(decl, "__rel", 5);
	if (!f->is_dynamic && bracket && bracket[1] != ']') {
		nr = strtoul(bracket + 1, NULL, 0);
		*bracket = '\0';
		f->is_text = strstr(decl, "char ") && (!nr || size / nr == 1);
		f->element = nr && size / nr <= 8 ? (uint32_t)(size / nr) : 1;
	}
	for (name = decl + strlen(decl); name > decl && is_word(name[-1]); name--)
		;
	if (!*name || name == decl)
		return false;
	f->name = strdup(name);
	*name = '\0';
	f->is_pointer = strchr(decl, '*') != NULL;
	f->is_long = strstr(decl, "long") != NULL;
	return true;
}

static void read_field_line(struct parser *s, const char *line, size_t len)
{
	struct print_parsed *o = s->out;
	struct print_field f = {.name = NULL};
	char text[512], decl[256], offset[10], size[10], is_signed[2] = "0";

	if (len >= sizeof(text) || o->nr_fields >= FIELDS_MAX)
		return;
	memcpy(text, line, len);
	text[len] = '\0';
	if (sscanf(text, " field:%255[^;]; offset:%9[0-9]; size:%9[0-9]; signed:%1[01];", decl,
		   offset, size, is_signed) < 3)
		return;
	f.offset = (uint32_t)strtoul(offset, NULL, 10);
	f.size = (uint32_t)strtoul(size, NULL, 10);
	f.is_signed = is_signed[0] == '1';
	if (!read_declaration(&f, decl, f.size))
		return;
	if (!f.name) {
		s->no_memory = true;
		return;
	}
	printable_make(f.name);
	if (!grow(s, (void **)&o->fields, o->nr_fields, sizeof(*o->fields))) {
		free(f.name);
		return;
	}
	o->fields[o->nr_fields++] = f;
}

int print_parse(struct print_parsed *p, const struct trace_text *format, uint8_t long_size)
{
	static const char mark[] = "print fmt:";
	_cleanup_free_ char *text = NULL;
	struct parser s = {.out = p, .p = ""};
	char *line, *next;

	*p = (struct print_parsed){.long_size = long_size};
	text = strndup(format->text, format->len < FORMAT_MAX ? format->len : FORMAT_MAX);
	if (!text)
		return -ENOMEM;
	for (line = text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (!strncmp(line, mark, sizeof(mark) - 1)) {
			s.p = line + sizeof(mark) - 1;
			break;
		}
		read_field_line(&s, line, next ? (size_t)(next - line) : strlen(line));
		next = next ? next + 1 : NULL;
	}
	read_pieces(&s);
	if (s.no_memory) {
		print_parsed_deinit(p);
		return -ENOMEM;
	}
	return 0;
}

void print_parsed_deinit(struct print_parsed *p)
{
	for (size_t i = 0; i < p->nr_fields; i++)
		free(p->fields[i].name);
	for (size_t i = 0; i < p->nr_texts; i++)
		free(p->texts[i]);
	free(p->fields);
	free(p->nodes);
	free(p->entries);
	free(p->pieces);
	free(p->texts);
	*p = (struct print_parsed){0};
}
