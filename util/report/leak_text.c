// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "util/report/cell.h"
#include "util/report/key_format.h"
#include "util/report/leak_report.h"

/* Room for names: what a row of figures leaves on the terminal. */
#define FIGURES_WIDTH 68
#define NAMES_WIDTH   56
#define NAMES_MIN     12

struct leak_text {
	FILE *out;
	const struct leak *l;
	const struct kmem_analysis *a;
	const struct report_options *o;
	struct strbuf a_buf, b_buf;
};

static const char *grouped(struct leak_text *t, struct strbuf *sb, uint64_t v)
{
	strbuf_reset(sb);
	cell_add_grouped(sb, t->o, v);
	return sb->buf;
}

static const char *bytes(struct leak_text *t, struct strbuf *sb, uint64_t v)
{
	struct report_options human = *t->o;

	human.human = true;
	strbuf_reset(sb);
	cell_add_bytes(sb, &human, v);
	return sb->buf;
}

static const struct leak_row *surest(const struct leak_rows *rows)
{
	const struct leak_row *best = NULL;

	for (size_t i = 0; i < rows->nr; i++)
		if (!best || (double)rows->v[i].bytes * rows->v[i].confidence >
				     (double)best->bytes * best->confidence)
			best = &rows->v[i];
	return best;
}

static void print_sentence(struct leak_text *t, const char *what, const struct leak_rows *rows)
{
	const struct leak_row *first = surest(rows);
	struct strbuf name = STRBUF_INIT;

	if (!first) {
		fprintf(t->out, "Every %s allocated in the recording was freed in it.\n", what);
		return;
	}
	fprintf(t->out, "%s %ss (%s) from %zu call sites were allocated and not freed.\n",
		grouped(t, &t->a_buf, rows->hits), what, bytes(t, &t->b_buf, rows->bytes),
		rows->nr);
	key_format_address(&name, t->a, stat_table_keys(first->table, first->row)[0], t->o->raw_ip);
	fprintf(t->out, "The most, %s in %s, came from %s (confidence %s).\n",
		bytes(t, &t->b_buf, first->bytes), grouped(t, &t->a_buf, first->hits), name.buf,
		leak_confidence_word(first->confidence));
	strbuf_deinit(&name);
}

static void print_summary(struct leak_text *t)
{
	if (t->a->do_slab)
		print_sentence(t, "object", &t->l->slab);
	if (t->a->do_page)
		print_sentence(t, "page block", &t->l->page);
	if (t->l->lost > 0)
		fprintf(t->out,
			"%.1f%% of the free events are missing from the recording, so some of this "
			"was freed.\n",
			100 * t->l->lost);
	if (t->l->nr_untraced)
		fprintf(t->out,
			"The frees of %zu caches are mostly not traced: these are listed apart and "
			"not judged.\n",
			t->l->nr_untraced);
}

static int name_width(const struct leak_text *t)
{
	int room = t->o->columns ? t->o->columns - FIGURES_WIDTH : NAMES_WIDTH;

	return room < NAMES_MIN ? NAMES_MIN : room > NAMES_WIDTH ? NAMES_WIDTH : room;
}

/* "callsite (cache)" */
static void add_name(const struct leak_text *t, struct strbuf *sb, const struct leak_row *r)
{
	const uint64_t *key = stat_table_keys(r->table, r->row);

	strbuf_reset(sb);
	key_format_address(sb, t->a, key[0], t->o->raw_ip);
	if (r->table->nr_by > 1 && r->table->by[1] == KEY_CACHE) {
		strbuf_addstr(sb, " (");
		key_format_text(sb, t->a, KEY_CACHE, key[1], false);
		strbuf_addch(sb, ')');
	}
}

static void print_stack(struct leak_text *t, const struct leak_row *r)
{
	const uint64_t *key = stat_table_keys(r->table, r->row);
	unsigned int last = r->table->nr_by - 1;
	const uint64_t *frames;
	size_t nr;

	if (r->table->by[last] != KEY_STACK)
		return;
	frames = key_stack_frames(t->a, key[last], &nr);
	for (size_t i = 1; i < nr; i++) {
		strbuf_reset(&t->a_buf);
		key_format_address(&t->a_buf, t->a, frames[i], t->o->raw_ip);
		fprintf(t->out, "     %s\n", t->a_buf.buf);
	}
}

static void print_row(struct leak_text *t, const struct leak_row *r, int width)
{
	struct strbuf oldest = STRBUF_INIT, youngest = STRBUF_INIT;

	add_name(t, &t->a_buf, r);
	if ((int)t->a_buf.len > width)
		fprintf(t->out, " %.*s~", width - 1, t->a_buf.buf);
	else
		fprintf(t->out, " %-*s", width, t->a_buf.buf);
	cell_add_duration(&oldest, r->oldest_ns);
	cell_add_duration(&youngest, r->youngest_ns);
	strbuf_reset(&t->b_buf);
	cell_add_bytes(&t->b_buf, t->o, r->bytes);
	fprintf(t->out, " | %8s | %12s | %8s | %8s | %3.0f%% %s\n", grouped(t, &t->a_buf, r->hits),
		t->b_buf.buf, oldest.buf, youngest.buf, 100 * r->confidence,
		leak_confidence_word(r->confidence));
	if (r->reason != LEAK_SURE)
		fprintf(t->out, "     %s\n", leak_reason_text(r->reason));
	print_stack(t, r);
	strbuf_deinit(&oldest);
	strbuf_deinit(&youngest);
}

static void print_rows(struct leak_text *t, const char *title, const struct leak_rows *rows,
		       uint64_t lines)
{
	int width = name_width(t);

	if (!rows->nr)
		return;
	fprintf(t->out, "\n %-*s | %8s | %12s | %8s | %8s | %s\n", width, title, "Count", "Bytes",
		"Oldest", "Youngest", "Confidence");
	for (size_t i = 0; i < rows->nr && i < lines; i++)
		print_row(t, &rows->v[i], width);
	if (rows->nr > lines)
		fprintf(t->out, " ... %s more\n", grouped(t, &t->a_buf, rows->nr - lines));
}

static void print_untraced(struct leak_text *t, uint64_t lines)
{
	if (!t->l->nr_untraced)
		return;
	fprintf(t->out, "\n %-24s | %11s | %11s | %12s | %10s\n", "Frees not traced", "Allocations",
		"Frees seen", "Frees unseen", "Live bytes");
	for (size_t i = 0; i < t->l->nr_untraced && i < lines; i++) {
		const struct untraced_cache *u = &t->l->untraced[i];

		strbuf_reset(&t->a_buf);
		key_format_text(&t->a_buf, t->a, KEY_CACHE, u->cache, false);
		fprintf(t->out, " %-24s | %11" PRIu64 " | %11" PRIu64 " | %12" PRIu64 " | %10s\n",
			t->a_buf.buf, u->allocations, u->frees_seen, u->frees_unseen,
			grouped(t, &t->b_buf, u->live_bytes));
	}
}

int leak_report_text(FILE *out, const struct leak *l, const struct kmem_analysis *a,
		     const struct report_options *o, uint64_t lines)
{
	struct leak_text t = {
		.out = out, .l = l, .a = a, .o = o, .a_buf = STRBUF_INIT, .b_buf = STRBUF_INIT};

	print_summary(&t);
	if (a->do_slab)
		print_rows(&t, "Call site (cache)", &l->slab, lines);
	if (a->do_page)
		print_rows(&t, "Call site (pages)", &l->page, lines);
	print_untraced(&t, lines);
	strbuf_deinit(&t.a_buf);
	strbuf_deinit(&t.b_buf);
	return 0;
}
