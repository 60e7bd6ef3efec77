// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trees of callchains, in the style of stock's perf report: a branch hangs from a column of bars,
 * with its share. Frames that do not branch are listed below each other.
 */
#include <inttypes.h>

#include "util/base/printable.h"
#include "util/render/render_text.h"

#define MARGIN	12
#define BRANCH	11 /* "|          " */
#define DEEPEST 512
#define REST	"[...]"

struct drawing {
	struct text_writer *w;
	const struct value_tree *tree;
	bool bars[DEEPEST]; /* by depth: whether another branch follows */
	int margin;
};

static void add_blanks(struct strbuf *sb, int nr)
{
	while (nr-- > 0)
		strbuf_addch(sb, ' ');
}

static void flush(struct text_writer *w)
{
	strbuf_addch(&w->line, '\n');
	fwrite_unlocked(w->line.buf, 1, w->line.len, w->out);
	strbuf_reset(&w->line);
}

static void add_name(struct drawing *d, uint32_t item)
{
	struct text_writer *w = d->w;
	size_t start = w->line.len;

	strbuf_addstr(&w->line, d->tree->name(d->tree->naming, item, &w->scratch));
	printable_strbuf(&w->line, start);
}

static void add_share(struct drawing *d, uint64_t weight, uint64_t nr, uint64_t whole)
{
	struct strbuf *line = &d->w->line;

	switch (d->tree->unit) {
	case TREE_PERCENT:
		strbuf_addf(line, "%.2f%%", whole ? 100.0 * (double)weight / (double)whole : 0.0);
		break;
	case TREE_WEIGHT:
		strbuf_addf(line, "%" PRIu64, weight);
		break;
	case TREE_NUMBER:
		strbuf_addf(line, "%" PRIu64, nr);
		break;
	}
}

/* Add the bars of all depths, from the outermost to this one. */
static void add_bars(struct drawing *d, size_t depth)
{
	add_blanks(&d->w->line, d->margin);
	for (size_t i = 0; i < depth; i++) {
		strbuf_addch(&d->w->line, d->bars[i] ? '|' : ' ');
		add_blanks(&d->w->line, BRANCH - 1);
	}
}

/* Start a branch: its share hangs from the innermost bar. */
static void add_branch(struct drawing *d, size_t depth, const struct value_branch *b,
		       uint64_t whole)
{
	add_bars(d, depth - 1);
	strbuf_addstr(&d->w->line, d->bars[depth - 1] ? "|--" : " --");
	add_share(d, b->weight, b->nr, whole);
	strbuf_addstr(&d->w->line, "--");
}

/* In a fractal tree: the parent's weight that the branches shown do not account for. */
static void draw_rest(struct drawing *d, size_t depth, uint64_t rest, uint64_t rest_nr,
		      uint64_t whole)
{
	const struct value_branch b = {.weight = rest, .nr = rest_nr};

	if (d->tree->look != TREE_FRACTAL || !rest || rest == whole ||
	    (d->tree->unit == TREE_NUMBER && !rest_nr))
		return;
	d->bars[depth - 1] = false;
	add_branch(d, depth, &b, whole);
	strbuf_addstr(&d->w->line, REST);
	flush(d->w);
}

/* depth: from 1. whole: the weight that shares are relative to; whole_nr: likewise for samples. */
static void draw(struct drawing *d, size_t first, size_t nr_branches, size_t depth, uint64_t whole,
		 uint64_t whole_nr)
{
	const struct value_tree *t = d->tree;
	const bool fractal = t->look == TREE_FRACTAL;
	uint64_t rest = whole, rest_nr = whole_nr;

	if (depth > DEEPEST)
		return;
	for (size_t i = 0; i < nr_branches && (!t->limit || i < t->limit); i++) {
		const struct value_branch *b = &t->branches[first + i];

		rest -= b->weight < rest ? b->weight : rest;
		rest_nr -= b->nr < rest_nr ? b->nr : rest_nr;
		d->bars[depth - 1] = true;
		add_bars(d, depth);
		flush(d->w);
		d->bars[depth - 1] = i + 1 < nr_branches || (fractal && rest);
		for (size_t n = 0; n < b->nr_items; n++) {
			if (n)
				add_bars(d, depth);
			else
				add_branch(d, depth, b, whole);
			add_name(d, b->items[n]);
			flush(d->w);
		}
		draw(d, b->first, b->nr_branches, depth + 1, fractal ? b->weight - b->own : whole,
		     b->nr - b->own_nr);
	}
	draw_rest(d, depth, rest, rest_nr, whole);
}

/* A branch with the whole weight of its row needs no share. */
static void draw_stem(struct drawing *d, const struct value_branch *b)
{
	const uint64_t limit = d->tree->limit;

	add_blanks(&d->w->line, d->margin);
	strbuf_addch(&d->w->line, '|');
	flush(d->w);
	for (size_t i = 0; i < b->nr_items && (!limit || i < limit); i++) {
		add_blanks(&d->w->line, d->margin);
		strbuf_addstr(&d->w->line, i ? "   " : "---");
		add_name(d, b->items[i]);
		flush(d->w);
	}
	d->margin += 3;
}

static void draw_graph(struct drawing *d)
{
	const struct value_tree *t = d->tree;
	const struct value_branch *b = &t->branches[t->first];
	uint64_t whole = t->look == TREE_FRACTAL ? t->weight : t->whole;

	if (t->nr_branches > 1 || b->weight != t->weight) {
		draw(d, t->first, t->nr_branches, 1, whole, 0);
	} else {
		draw_stem(d, b);
		draw(d, b->first, b->nr_branches, 1,
		     t->look == TREE_FRACTAL ? b->weight - b->own : whole, b->nr - b->own_nr);
	}
	flush(d->w);
}

static void draw_flat(struct drawing *d)
{
	const struct value_tree *t = d->tree;

	for (size_t i = 0; i < t->nr_branches && (!t->limit || i < t->limit); i++) {
		const struct value_branch *b = &t->branches[t->first + i];

		add_blanks(&d->w->line, BRANCH);
		add_share(d, b->weight, b->nr, t->whole);
		flush(d->w);
		for (size_t n = 0; n < b->nr_items; n++) {
			add_blanks(&d->w->line, MARGIN + 4);
			add_name(d, b->items[n]);
			flush(d->w);
		}
		flush(d->w);
	}
}

static void draw_folded(struct drawing *d)
{
	const struct value_tree *t = d->tree;

	for (size_t i = 0; i < t->nr_branches && (!t->limit || i < t->limit); i++) {
		const struct value_branch *b = &t->branches[t->first + i];

		add_share(d, b->own, b->own_nr, t->whole);
		for (size_t n = 0; n < b->nr_items; n++) {
			strbuf_addch(&d->w->line, n ? ';' : ' ');
			add_name(d, b->items[n]);
		}
		flush(d->w);
	}
}

void text_tree(struct text_writer *w, const struct value_tree *t)
{
	struct drawing d = {.w = w, .tree = t, .margin = MARGIN};

	if (!t->nr_branches)
		return;
	strbuf_reset(&w->line);
	if (t->look == TREE_FLAT)
		draw_flat(&d);
	else if (t->look == TREE_FOLDED)
		draw_folded(&d);
	else
		draw_graph(&d);
}
