// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/render/text_grid.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "util/base/printable.h"
#include "util/base/strbuf.h"

/* " | " */
#define GAP 3

void text_grid_init(struct text_grid *g, FILE *out, int terminal)
{
	*g = (struct text_grid){.out = out, .terminal = terminal};
}

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static int width_of(const char *text)
{
	return (int)utf8_count(text, strlen(text));
}

/* Number of bytes of the first `width` characters. */
static int bytes_of(const char *text, int width)
{
	const char *p = text;

	while (*p && (is_continuation(*p) || width-- > 0))
		p++;
	return (int)(p - text);
}

void text_grid_add(struct text_grid *g, const struct text_grid_column *column)
{
	if (g->nr == TEXT_GRID_MAX)
		return;
	g->v[g->nr] = *column;
	g->v[g->nr].width = width_of(column->heading) + (column->mark ? width_of(column->mark) : 0);
	g->v[g->nr].heading_width = g->v[g->nr].width;
	g->last = g->nr++;
}

void text_grid_measure(struct text_grid *g, unsigned int i, const char *text)
{
	int width = width_of(text);

	if (width > g->v[i].width)
		g->v[i].width = width;
}

static int total_width(const struct text_grid *g)
{
	int width = 1 - GAP;

	for (unsigned int i = 0; i < g->nr; i++)
		if (!g->v[i].hidden)
			width += g->v[i].width + GAP;
	return width;
}

static bool fits(const struct text_grid *g)
{
	return total_width(g) <= g->terminal;
}

/* Cut a name by the excess, but not below min. */
static void cut_name(const struct text_grid *g, struct text_grid_column *c, int min)
{
	int over = total_width(g) - g->terminal, room = c->width - min;

	if (over > 0 && room > 0)
		c->width -= over < room ? over : room;
}

/* The heading stays whole, too. */
static int readable(const struct text_grid_column *c)
{
	int width = c->readable ? c->readable : TEXT_NAME_READABLE;

	return width > c->heading_width ? width : c->heading_width;
}

/* How far names are cut. */
enum name_cut { CUT_READABLE, CUT_SHORTEST, CUT_MIN };

static int min_width(const struct text_grid_column *c, enum name_cut how)
{
	if (how == CUT_MIN)
		return TEXT_NAME_MIN;
	if (how == CUT_READABLE || !c->shortest)
		return readable(c);
	return c->shortest > c->heading_width ? c->shortest : c->heading_width;
}

/* Cut the names with the lowest `cut` first, as far as min_width(). */
static void cut_names(struct text_grid *g, enum name_cut how)
{
	unsigned int last = 0;

	for (unsigned int i = 0; i < g->nr; i++)
		if (g->v[i].is_name && g->v[i].cut > last)
			last = g->v[i].cut;
	for (unsigned int cut = 0; cut <= last; cut++)
		for (unsigned int i = 0; i < g->nr; i++)
			if (g->v[i].is_name && g->v[i].cut == cut && !g->v[i].hidden)
				cut_name(g, &g->v[i], min_width(&g->v[i], how));
}

/* Which columns may be left out: keys or figures, how many of them stay, and up to which `keep`. */
struct excess {
	bool is_key;
	unsigned int min, keep;
};

/* The least important column that may be left out, or NULL if there is none. */
static struct text_grid_column *least(struct text_grid *g, struct excess e)
{
	struct text_grid_column *least = NULL;
	unsigned int nr = 0;

	for (unsigned int i = 0; i < g->nr; i++) {
		struct text_grid_column *c = &g->v[i];

		if (c->is_key != e.is_key || c->hidden)
			continue;
		nr++;
		if (c->keep <= e.keep && (!least || c->keep <= least->keep))
			least = c;
	}
	return nr > e.min ? least : NULL;
}

/* Hide such columns until the row fits. */
static void hide(struct text_grid *g, struct excess e)
{
	struct text_grid_column *c;

	while (!fits(g) && (c = least(g, e)))
		c->hidden = true;
}

/* Find the first and the last column shown. */
static void find_ends(struct text_grid *g)
{
	for (g->first = 0; g->first < g->nr && g->v[g->first].hidden;)
		g->first++;
	for (g->last = g->nr ? g->nr - 1 : 0; g->last > g->first && g->v[g->last].hidden;)
		g->last--;
}

void text_grid_fit(struct text_grid *g)
{
	int full[TEXT_GRID_MAX] = {0};
	bool has_key = false;

	if (!g->terminal)
		return;
	for (unsigned int i = 0; i < g->nr; i++) {
		full[i] = g->v[i].width;
		has_key |= g->v[i].is_key;
	}
	cut_names(g, CUT_READABLE);
	hide(g, (struct excess){.min = 1});
	cut_names(g, CUT_SHORTEST);
	hide(g, (struct excess){.min = 1, .keep = UINT_MAX});
	cut_names(g, CUT_MIN);
	hide(g, (struct excess){.is_key = true, .min = 1, .keep = UINT_MAX});
	hide(g, (struct excess){.min = !has_key, .keep = UINT_MAX});
	/* names may be longer again now that columns are hidden */
	for (unsigned int i = 0; i < g->nr; i++)
		g->v[i].width = full[i];
	cut_names(g, CUT_READABLE);
	cut_names(g, CUT_SHORTEST);
	cut_names(g, CUT_MIN);
	find_ends(g);
}

/* A table may have a million rows, so avoid a lock for each piece. */
static void put(const struct text_grid *g, const char *text, size_t len)
{
	fwrite_unlocked(text, 1, len, g->out);
}

static void put_blanks(const struct text_grid *g, size_t nr)
{
	static const char blanks[] = "                                ";

	for (; nr >= sizeof(blanks); nr -= sizeof(blanks) - 1)
		put(g, blanks, sizeof(blanks) - 1);
	put(g, blanks, nr);
}

static void put_text(const struct text_grid *g, const char *text, size_t len, enum text_style style)
{
	static const char *const escapes[] = {
		[TEXT_ALARM] = "\033[1;31m",
		[TEXT_CAUTION] = "\033[33m",
		[TEXT_SORTED] = "\033[1m",
	};
	static const char normal[] = "\033[0m";
	const char *escape = g->colours ? escapes[style] : NULL;

	if (escape)
		put(g, escape, strlen(escape));
	put(g, text, len);
	if (escape)
		put(g, normal, sizeof(normal) - 1);
}

/* The limit of characters kept at the end of a cut name, and the minimum of those before them. */
#define TAIL_MAX 7
#define HEAD_MIN 5

/*
 * The distinguishing end of a name's first `len` bytes: "+18a" of a call site, "-23966" of a
 * process. Returns its length, 0 if there is none or no room for it.
 */
static size_t distinct_end(const char *text, size_t len, int width)
{
	size_t nr = 0;

	while (nr < len && strchr("0123456789abcdefghijklmnopqrstuvwxyz", text[len - nr - 1]))
		nr++;
	if (!nr || nr == len || !strchr("+-", text[len - nr - 1]))
		return 0;
	nr++;
	return nr <= TAIL_MAX && (int)nr + 1 + HEAD_MIN <= width ? nr : 0;
}

/* The length of a name without " (21)" at its end. */
static size_t without_number(const char *text)
{
	size_t len = strlen(text), at = len - (len > 0);

	if (text[at] != ')')
		return len;
	while (at > 2 && strchr("0123456789,", text[at - 1]))
		at--;
	return at > 2 && text[at - 1] == '(' && text[at - 2] == ' ' ? at - 2 : len;
}

static bool is_address(const char *text, size_t len)
{
	return len > 2 && !strncmp(text, "0x", 2) &&
	       strspn(text + 2, "0123456789abcdef") == len - 2;
}

/*
 * "python3-25098 (21)" loses its end, then its middle: "python3-25098~", "pytho~-25098". An address
 * loses its front: "~924d15a6".
 */
static void put_cut(const struct text_grid *g, const char *text, int width, enum text_style style)
{
	size_t len = without_number(text), tail = 0, head;

	head = (size_t)bytes_of(text, width - 1);
	if (head >= len) {
		head = len;
	} else if (is_address(text, len)) {
		tail = (size_t)width - 1;
		head = 0;
	} else {
		tail = distinct_end(text, len, width);
		head = (size_t)bytes_of(text, width - 1 - (int)tail);
	}
	put_text(g, text, head, style);
	put(g, "~", 1);
	put_text(g, text + len - tail, tail, style);
	put_blanks(g, (size_t)(width - 1 - (int)tail - (int)utf8_count(text, head)));
}

void text_grid_cell(const struct text_grid *g, unsigned int i, const char *text,
		    enum text_style style)
{
	const struct text_grid_column *c = &g->v[i];
	int blanks = c->width - width_of(text);

	if (c->hidden)
		return;
	put(g, i == g->first ? " " : " | ", i == g->first ? 1 : GAP);
	if (blanks < 0) {
		put_cut(g, text, c->width, style);
	} else if (!c->is_name) {
		put_blanks(g, (size_t)blanks);
		put_text(g, text, strlen(text), style);
	} else {
		put_text(g, text, strlen(text), style);
		put_blanks(g, i == g->last ? 0 : (size_t)blanks);
	}
	if (i == g->last)
		put(g, "\n", 1);
}

int text_grid_headings(const struct text_grid *g)
{
	struct strbuf heading = STRBUF_INIT;
	int ret;

	for (unsigned int i = 0; i < g->nr; i++) {
		const char *mark = g->v[i].mark ? g->v[i].mark : "";

		strbuf_reset(&heading);
		strbuf_addf(&heading, "%s%s", g->v[i].heading, mark);
		text_grid_cell(g, i, heading.buf, *mark ? TEXT_SORTED : TEXT_NORMAL);
	}
	ret = heading.failed ? -ENOMEM : 0;
	strbuf_deinit(&heading);
	return ret;
}

void text_grid_rule(const struct text_grid *g)
{
	int width = total_width(g) + 1;

	if (g->terminal && width > g->terminal)
		width = g->terminal;
	for (int i = 0; i < width; i++)
		fputc('-', g->out);
	fputc('\n', g->out);
}

void text_grid_line(const struct text_grid *g, int indent, const char *text)
{
	int room = g->terminal - indent;

	if (g->terminal && width_of(text) > room && room > 0)
		fprintf(g->out, "%*s%.*s~\n", indent, "", bytes_of(text, room - 1), text);
	else
		fprintf(g->out, "%*s%s\n", indent, "", text);
}

int text_grid_end(const struct text_grid *g)
{
	struct strbuf sb = STRBUF_INIT;
	int ret;

	for (unsigned int i = 0; i < g->nr; i++)
		if (g->v[i].hidden)
			strbuf_addf(&sb, "%s%s", sb.len ? ", " : "no room for: ", g->v[i].heading);
	if (sb.len)
		text_grid_line(g, 1, sb.buf);
	ret = sb.failed ? -ENOMEM : 0;
	strbuf_deinit(&sb);
	return ret;
}
