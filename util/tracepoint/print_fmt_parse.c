// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/tracepoint/print_fmt_parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/base/printable.h"
#include "util/tracepoint/print_expr.h"

#define FIELDS_MAX 512
#define FORMAT_MAX (1u << 20)

/* ---- the format string ---- */

/* Parse the next argument. Returns its node. */
static uint32_t read_argument(struct print_parser *s)
{
	print_parser_expect(s, ",");
	return print_expr_read(s);
}

/* Parse "*" or digits; -1 if there are neither. */
static int read_width(struct print_parser *s, const char **at, uint32_t *ret_argument)
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

/* Parse a conversion, after its '%'. */
static void read_conversion(struct print_parser *s, const char **at, struct print_piece *piece)
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
			print_parser_fail(s); /* network addresses and the like */
		if (isalpha((unsigned char)**at))
			(*at)++;
		break;
	default:
		print_parser_fail(s);
	}
	piece->argument = read_argument(s);
}

static void read_pieces(struct print_parser *s)
{
	struct print_parsed *o = s->out;
	const char *at = print_expr_read_text(s);

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
		if (o->failed ||
		    !print_parser_grow(s, (void **)&o->pieces, o->nr_pieces, sizeof(*o->pieces)))
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
	for (name = decl + strlen(decl); name > decl && c_is_word(name[-1]); name--)
		;
	if (!*name || name == decl)
		return false;
	f->name = strdup(name);
	*name = '\0';
	f->is_pointer = strchr(decl, '*') != NULL;
	f->is_long = strstr(decl, "long") != NULL;
	return true;
}

static void read_field_line(struct print_parser *s, const char *line, size_t len)
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
	if (!print_parser_grow(s, (void **)&o->fields, o->nr_fields, sizeof(*o->fields))) {
		free(f.name);
		return;
	}
	o->fields[o->nr_fields++] = f;
}

int print_parse(struct print_parsed *p, const struct trace_text *format, uint8_t long_size)
{
	static const char mark[] = "print fmt:";
	_cleanup_free_ char *text = NULL;
	struct print_parser s = {.out = p};
	char *line, *next;

	*p = (struct print_parsed){.long_size = long_size};
	text = strndup(format->text, format->len < FORMAT_MAX ? format->len : FORMAT_MAX);
	if (!text)
		return -ENOMEM;
	for (line = text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (!strncmp(line, mark, sizeof(mark) - 1)) {
			s.t = (struct c_tokens){line + sizeof(mark) - 1, line + strlen(line)};
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
