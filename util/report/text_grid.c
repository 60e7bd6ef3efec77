// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/text_grid.h"

#include <string.h>

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
	int width = 0;

	for (; *text; text++)
		width += !is_continuation(*text);
	return width;
}

/* Bytes of the first `width` characters. */
static int bytes_of(const char *text, int width)
{
	const char *p = text;

	while (*p && (is_continuation(*p) || width-- > 0))
		p++;
	return (int)(p - text);
}

void text_grid_add(struct text_grid *g, const char *heading, unsigned int cut)
{
	if (g->nr == COLUMNS_MAX)
		return;
	g->v[g->nr++] = (struct text_grid_column){heading, width_of(heading), cut};
	g->nr_shown = g->nr;
}

void text_grid_measure(struct text_grid *g, unsigned int i, const char *text)
{
	int width = width_of(text);

	if (width > g->v[i].width)
		g->v[i].width = width;
}

static int total_width(const struct text_grid *g)
{
	int width = 1;

	for (unsigned int i = 0; i < g->nr_shown; i++)
		width += g->v[i].width + (i ? GAP : 0);
	return width;
}

/* Take what is too much from the names, those of the lowest `cut` first. */
static void cut_names(struct text_grid *g)
{
	unsigned int last = 0;

	for (unsigned int i = 0; i < g->nr_shown; i++)
		if (g->v[i].cut > last)
			last = g->v[i].cut;
	for (unsigned int cut = 1; cut <= last; cut++)
		for (unsigned int i = 0; i < g->nr_shown; i++) {
			int over = total_width(g) - g->terminal;
			int room = g->v[i].width - TEXT_NAME_MIN;

			if (over <= 0)
				return;
			if (g->v[i].cut == cut && room > 0)
				g->v[i].width -= over < room ? over : room;
		}
}

void text_grid_fit(struct text_grid *g)
{
	int full[COLUMNS_MAX] = {0};

	if (!g->terminal)
		return;
	for (unsigned int i = 0; i < g->nr; i++)
		full[i] = g->v[i].width;
	cut_names(g);
	if (total_width(g) <= g->terminal)
		return;
	while (g->nr_shown > 1 && total_width(g) > g->terminal)
		g->nr_shown--;
	/* a column that went may have left room for the names */
	for (unsigned int i = 0; i < g->nr; i++)
		g->v[i].width = full[i];
	cut_names(g);
}

/* A table may have a million rows: without a lock for each piece. */
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

void text_grid_cell(const struct text_grid *g, unsigned int i, const char *text)
{
	const struct text_grid_column *c = &g->v[i];
	int blanks = c->width - width_of(text);

	if (i >= g->nr_shown)
		return;
	put(g, i ? " | " : " ", i ? GAP : 1);
	if (blanks < 0) {
		put(g, text, (size_t)bytes_of(text, c->width - 1));
		put(g, "~", 1);
	} else if (!c->cut) {
		put_blanks(g, (size_t)blanks);
		put(g, text, strlen(text));
	} else {
		put(g, text, strlen(text));
		put_blanks(g, i + 1 < g->nr_shown ? (size_t)blanks : 0);
	}
	if (i + 1 == g->nr_shown)
		put(g, "\n", 1);
}

void text_grid_headings(const struct text_grid *g)
{
	for (unsigned int i = 0; i < g->nr_shown; i++)
		text_grid_cell(g, i, g->v[i].heading);
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

void text_grid_end(const struct text_grid *g)
{
	struct strbuf sb = STRBUF_INIT;

	if (g->nr_shown == g->nr)
		return;
	strbuf_addf(&sb, "no room for: ");
	for (unsigned int i = g->nr_shown; i < g->nr; i++)
		strbuf_addf(&sb, "%s%s", i > g->nr_shown ? ", " : "", g->v[i].heading);
	text_grid_line(g, 1, sb.buf);
	strbuf_deinit(&sb);
}
