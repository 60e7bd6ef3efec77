// SPDX-License-Identifier: GPL-2.0-or-later
/* The grammar of git's configuration files. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/base/strbuf.h"
#include "util/cli/config.h"

/* ASCII only, in any locale. */
static bool is_alpha(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name(int c)
{
	return is_alpha(c) || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

static bool is_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static char lower(int c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Reads "\r\n" as one newline; at the end it keeps returning EOF. */
struct parser {
	const char *path;
	const char *start, *pos, *end;
	unsigned int line;
	struct strbuf section; /* "kmem." or "kmem.Sub."; empty before the first section */
	struct strbuf value;
	const char *value_end; /* the end of the value, before blanks and a comment */
};

static int peek(const struct parser *p)
{
	if (p->pos == p->end)
		return EOF;
	if (*p->pos == '\r' && p->pos + 1 < p->end && p->pos[1] == '\n')
		return '\n';
	return (unsigned char)*p->pos;
}

static int next(struct parser *p)
{
	int c = peek(p);

	if (c == EOF)
		return EOF;
	if (c == '\n') {
		p->pos += *p->pos == '\r';
		p->line++;
	}
	p->pos++;
	return c;
}

static void skip_blanks(struct parser *p)
{
	while (is_blank(peek(p)))
		next(p);
}

static void skip_line(struct parser *p)
{
	while (peek(p) != EOF && peek(p) != '\n')
		next(p);
}

static int fail(const struct parser *p, unsigned int line, struct error *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static int fail(const struct parser *p, unsigned int line, struct error *err, const char *fmt, ...)
{
	char msg[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	return error_set(err, EINVAL, "%s:%u: %s", p->path, line, msg);
}

/* Parse the part after "[section", up to and including the ]. */
static int parse_subsection(struct parser *p, struct error *err)
{
	unsigned int line = p->line;
	int c;

	skip_blanks(p);
	if (next(p) != '"')
		return fail(p, line, err, "a section is [name] or [name \"subsection\"]");
	strbuf_addch(&p->section, '.');
	while ((c = next(p)) != '"') {
		if (c == '\\')
			c = next(p);
		if (c == EOF || c == '\n')
			return fail(p, line, err, "the subsection's name has no closing quote");
		strbuf_addch(&p->section, (char)c);
	}
	if (next(p) != ']')
		return fail(p, line, err, "the section has no closing ]");
	return 0;
}

/* Parse the part after the [. */
static int parse_section(struct parser *p, struct error *err)
{
	unsigned int line = p->line;
	int ret = 0;

	strbuf_reset(&p->section);
	while (is_name(peek(p)) || peek(p) == '.')
		strbuf_addch(&p->section, lower(next(p)));
	if (!p->section.len)
		return fail(p, line, err, "a section is [name] or [name \"subsection\"]");
	if (is_blank(peek(p)))
		ret = parse_subsection(p, err);
	else if (next(p) != ']')
		return fail(p, line, err, "the section has no closing ]");
	strbuf_addch(&p->section, '.');
	return ret;
}

/* Returns the escaped character, or EOF if the escape is invalid. */
static int unescape(int c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'b':
		return '\b';
	case '"':
	case '\\':
		return c;
	default:
		return EOF;
	}
}

/* Parse the part after the =, up to the newline or the comment. */
static int parse_value(struct parser *p, struct error *err)
{
	unsigned int line = p->line;
	bool quoted = false;
	size_t len = 0; /* length of the value without trailing blanks */

	p->value_end = p->pos;
	skip_blanks(p);
	for (;;) {
		int c = peek(p);

		if (c == EOF || c == '\n' || (!quoted && (c == '#' || c == ';')))
			break;
		next(p);
		if (c == '"') {
			quoted = !quoted;
			len = p->value.len;
			p->value_end = p->pos;
			continue;
		}
		if (c == '\\') {
			if (peek(p) == '\n') {
				next(p);
				continue;
			}
			c = unescape(next(p));
			if (c == EOF)
				return fail(
					p, p->line, err,
					"unknown escape in a value; write \\\\ for a backslash");
			strbuf_addch(&p->value, (char)c);
			len = p->value.len;
			p->value_end = p->pos;
			continue;
		}
		strbuf_addch(&p->value, (char)c);
		if (quoted || !is_blank(c)) {
			len = p->value.len;
			p->value_end = p->pos;
		}
	}
	if (quoted)
		return fail(p, line, err, "the value has no closing quote");
	strbuf_setlen(&p->value, len);
	return 0;
}

static int add_entry(struct config *cfg, const struct parser *p, const struct strbuf *key,
		     const char *value, unsigned int line, size_t offset, struct error *err)
{
	struct config_entry *entry;

	if (cfg->nr == cfg->room) {
		size_t room = cfg->room ? cfg->room * 2 : 16;
		struct config_entry *entries = realloc(cfg->entries, room * sizeof(*entries));

		if (!entries)
			return error_nomem(err);
		cfg->entries = entries;
		cfg->room = room;
	}
	entry = &cfg->entries[cfg->nr];
	entry->key = strdup(key->buf);
	entry->value = strdup(value);
	if (!entry->key || !entry->value) {
		free(entry->key);
		free(entry->value);
		return error_nomem(err);
	}
	entry->path = p->path;
	entry->line = line;
	entry->offset = offset;
	entry->value_end = (size_t)(p->value_end - p->start);
	entry->end = (size_t)(p->pos - p->start);
	cfg->nr++;
	return 0;
}

static int parse_entry(struct config *cfg, struct parser *p, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf key = STRBUF_INIT;
	size_t offset = (size_t)(p->pos - p->start);
	unsigned int line = p->line;
	const char *value = "true";

	if (!p->section.len)
		return fail(p, line, err, "a key before the first [section]");
	strbuf_add(&key, p->section.buf, p->section.len);
	while (is_name(peek(p)))
		strbuf_addch(&key, lower(next(p)));
	p->value_end = p->pos;
	skip_blanks(p);
	strbuf_reset(&p->value);
	if (peek(p) == '=') {
		int ret;

		next(p);
		ret = parse_value(p, err);
		if (ret)
			return ret;
		value = p->value.buf;
	} else if (peek(p) != EOF && peek(p) != '\n' && peek(p) != '#' && peek(p) != ';') {
		return fail(p, line, err, "'%.80s' must be followed by '='",
			    key.buf + p->section.len);
	}
	skip_line(p);
	if (key.failed || p->value.failed || p->section.failed)
		return error_nomem(err);
	return add_entry(cfg, p, &key, value, line, offset, err);
}

static int parse(struct config *cfg, struct parser *p, struct error *err)
{
	int ret = 0;

	while (!ret) {
		int c = peek(p);

		if (c == EOF)
			return 0;
		if (c == '\n' || is_blank(c)) {
			next(p);
		} else if (c == '#' || c == ';') {
			skip_line(p);
		} else if (c == '[') {
			next(p);
			ret = parse_section(p, err);
		} else if (is_alpha(c)) {
			ret = parse_entry(cfg, p, err);
		} else {
			const char *word = p->pos;
			unsigned int line = p->line;

			skip_line(p);
			return fail(p, line, err, "neither [section] nor key = value: '%.*s'",
				    p->pos - word < 40 ? (int)(p->pos - word) : 40, word);
		}
	}
	return ret;
}

static char *keep_path(struct config *cfg, const char *path)
{
	char **paths = realloc(cfg->paths, (cfg->nr_paths + 1) * sizeof(*paths));
	char *copy;

	if (!paths)
		return NULL;
	cfg->paths = paths;
	copy = strdup(path);
	if (copy)
		paths[cfg->nr_paths++] = copy;
	return copy;
}

int config_parse(struct config *cfg, const char *path, const char *buf, size_t len,
		 struct error *err)
{
	struct parser p = {.start = buf, .pos = buf, .end = buf + len, .line = 1};
	const char *nul = len ? memchr(buf, '\0', len) : NULL;
	int ret;

	p.path = keep_path(cfg, path);
	if (!p.path)
		return error_nomem(err);
	if (len > CONFIG_FILE_MAX)
		return error_set(err, EFBIG, "%s: larger than the %d KiB of a configuration file",
				 path, CONFIG_FILE_MAX >> 10);
	if (nul)
		return error_set(err, EINVAL, "%s: a NUL byte at offset %zu, this is not text",
				 path, (size_t)(nul - buf));
	if (len >= 3 && !memcmp(buf, "\xef\xbb\xbf", 3))
		p.pos += 3;
	strbuf_init(&p.section);
	strbuf_init(&p.value);
	ret = parse(cfg, &p, err);
	strbuf_deinit(&p.section);
	strbuf_deinit(&p.value);
	return ret;
}
