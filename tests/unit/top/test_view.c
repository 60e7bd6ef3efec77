// SPDX-License-Identifier: GPL-2.0-or-later
/* The state of top's screen: keys and frames; and what is drawn of it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/cells_text.h"
#include "util/top/draw.h"

enum { HIT_RATE, BYTE_RATE, FREE_RATE, HITS, BYTES, FREED, LIVE, LIVE_HITS, GROWTH, SUSPECT };

static const char *const slab[] = {"callsite", "cache", "comm"};
static const char *const page[] = {"callsite", "order", "comm"};

static const struct {
	const char *name;
	uint64_t rate, live, total;
	int64_t growth;
} given[] = {
	{"alloc_skb+10", 1000, 4096, 50000, 10},
	{"getname+8", 3000, 0, 3000, 0},
	{"dup_task+4", 20, 1 << 20, 100, -70},
	{"forgotten+1", 0, 0, 7, 0},
};

static struct top_frame *make_frame(const struct top_view *v)
{
	struct top_frame *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	strbuf_init(&f->details);
	assert_int_equal(top_request_copy(&f->request, &v->request), 0);
	f->accounts = 1u << ACCOUNT_slab | 1u << ACCOUNT_page;
	f->begin_ns = 1000000000;
	f->start_ns = 3000000000;
	f->end_ns = 4000000000;
	f->nr_events = 4000;
	f->nr_rows = f->rows_total = sizeof(given) / sizeof(given[0]);
	f->rows = calloc(f->nr_rows, sizeof(*f->rows));
	assert_non_null(f->rows);
	for (size_t i = 0; i < f->nr_rows; i++) {
		struct top_row *r = &f->rows[i];

		r->name = strdup(given[i].name);
		r->values[HIT_RATE] = given[i].rate;
		r->values[BYTE_RATE] = given[i].rate * 64;
		r->values[HITS] = given[i].total;
		r->values[BYTES] = given[i].total * 64;
		r->values[LIVE] = given[i].live;
		r->values[GROWTH] = (uint64_t)given[i].growth;
		for (unsigned int k = 0; k < RECENT_MOMENTS; k++)
			r->live[k] = k * given[i].live;
	}
	f->sums.hits = 4020;
	f->sums.bytes_alloc = 4020 * 64;
	f->sums.live_bytes = 4096 + (1 << 20);
	f->sums.live_hits = 12;
	return f;
}

static void begin(struct top_view *v)
{
	top_view_init(v);
	v->groupings[ACCOUNT_slab] = slab;
	v->groupings[ACCOUNT_page] = page;
	v->nr_groupings[ACCOUNT_slab] = v->nr_groupings[ACCOUNT_page] = 3;
	v->interval_ns = 1000000000;
	v->page = 10;
	top_view_take(v, make_frame(v));
}

static void assert_rows(const struct top_view *v, const char *first, const char *second, size_t nr)
{
	assert_int_equal(v->nr_rows, nr);
	if (first)
		assert_string_equal(top_view_row(v, 0)->name, first);
	if (second)
		assert_string_equal(top_view_row(v, 1)->name, second);
	assert_null(top_view_row(v, nr));
}

static void press(struct top_view *v, const char *keys)
{
	for (; *keys; keys++)
		top_view_key(v, (unsigned char)*keys);
}

static void test_rows_are_sorted_and_idle_ones_left_out(void **state)
{
	struct top_view v;

	(void)state;
	begin(&v);
	assert_rows(&v, "getname+8", "alloc_skb+10", 3);
	assert_int_equal(top_view_key(&v, 'r'), TOP_DRAW);
	assert_rows(&v, "dup_task+4", "alloc_skb+10", 3);
	press(&v, "r>"); /* live */
	assert_rows(&v, "dup_task+4", "alloc_skb+10", 3);
	press(&v, ">"); /* growth, which has a sign */
	assert_rows(&v, "alloc_skb+10", "getname+8", 3);
	top_view_key(&v, TOP_KEY_LEFT);
	top_view_key(&v, TOP_KEY_LEFT);
	assert_int_equal(v.order[0], BYTE_RATE);
	/* since the start, with an order of its own */
	assert_int_equal(top_view_key(&v, 't'), TOP_DRAW);
	assert_rows(&v, "alloc_skb+10", "getname+8", 4);
	top_view_deinit(&v);
}

static void test_another_order_of_more_rows_than_there_are_is_asked_for(void **state)
{
	struct top_view v;

	(void)state;
	begin(&v);
	v.frame->rows_total = 5000;
	assert_int_equal(top_view_key(&v, 's'), TOP_ASK | TOP_DRAW);
	assert_int_equal(v.request.order, LIVE);
	assert_int_equal(v.request.serial, 1);
	top_view_deinit(&v);
}

static void test_groupings_and_allocators_are_asked_for(void **state)
{
	struct top_view v;

	(void)state;
	begin(&v);
	assert_int_equal(top_view_key(&v, 'g'), TOP_ASK | TOP_DRAW);
	assert_int_equal(v.request.grouping, 1);
	press(&v, "GG");
	assert_int_equal(v.request.grouping, 2);
	assert_int_equal(top_view_key(&v, '4'), TOP_DRAW);
	assert_string_equal(v.message, "there are only 3 groupings");
	/* the same one of the other allocator */
	assert_int_equal(top_view_key(&v, 'a'), TOP_ASK | TOP_DRAW);
	assert_int_equal(v.request.account, ACCOUNT_page);
	assert_int_equal(v.request.grouping, 2);
	press(&v, "2a");
	assert_int_equal(v.request.account, ACCOUNT_slab);
	assert_int_equal(v.request.grouping, 0); /* slab has no orders */
	/* only one is accounted */
	v.frame->accounts = 1u << ACCOUNT_slab;
	assert_int_equal(top_view_key(&v, 'a'), TOP_DRAW);
	assert_non_null(strstr(v.message, "no other allocator is traced"));
	top_view_deinit(&v);
}

static void test_a_frame_of_an_earlier_request_is_dropped(void **state)
{
	struct top_frame *late;
	struct top_view v;

	(void)state;
	begin(&v);
	late = make_frame(&v);
	late->end_ns = 5000000000;
	top_view_key(&v, 'g');
	top_view_take(&v, late);
	assert_int_equal(v.frame->end_ns, 4000000000);
	top_view_take(&v, make_frame(&v));
	assert_int_equal(v.frame->request.grouping, 1);
	top_view_deinit(&v);
}

static void test_the_allocator_that_is_not_accounted_is_not_insisted_on(void **state)
{
	struct top_frame *f;
	struct top_view v;

	(void)state;
	begin(&v);
	f = make_frame(&v);
	f->request.account = ACCOUNT_page;
	f->accounts = 1u << ACCOUNT_page;
	top_view_take(&v, f);
	assert_int_equal(v.request.account, ACCOUNT_page);
	top_view_deinit(&v);
}

static void test_a_pause_keeps_the_screen_but_not_an_answer(void **state)
{
	struct top_frame *next;
	struct top_view v;

	(void)state;
	begin(&v);
	press(&v, " ");
	next = make_frame(&v);
	next->end_ns = 9000000000;
	next->last = true;
	top_view_take(&v, next);
	assert_int_equal(v.frame->end_ns, 4000000000);
	assert_true(v.frame->last); /* the end is reported */
	press(&v, "g");
	next = make_frame(&v);
	next->end_ns = 9000000000;
	top_view_take(&v, next);
	assert_int_equal(v.frame->end_ns, 9000000000);
	top_view_deinit(&v);
}

static void test_the_filter_is_typed(void **state)
{
	struct top_view v;

	(void)state;
	begin(&v);
	press(&v, "/ALLOC");
	assert_int_equal(v.mode, TOP_TYPING);
	assert_rows(&v, "alloc_skb+10", NULL, 1);
	top_view_key(&v, TOP_KEY_BACKSPACE);
	assert_string_equal(v.filter, "ALLO");
	press(&v, "\n");
	assert_int_equal(v.mode, TOP_TABLE);
	press(&v, "/q"); /* a letter, not an order */
	top_view_key(&v, TOP_KEY_ESCAPE);
	assert_string_equal(v.filter, "ALLO");
	top_view_key(&v, TOP_KEY_ESCAPE);
	assert_string_equal(v.filter, "");
	assert_rows(&v, "getname+8", NULL, 3);
	/* however long, and without what is not a letter */
	press(&v, "/");
	for (int i = 0; i < 200; i++)
		top_view_key(&v, i % 2 ? 'x' : TOP_KEY_HOME + 20u);
	assert_int_equal(strlen(v.filter), TOP_FILTER_MAX - 1);
	press(&v, "\x15");
	assert_string_equal(v.filter, "");
	top_view_deinit(&v);
}

static void test_the_cursor_stays_on_its_row(void **state)
{
	struct top_view v;

	(void)state;
	begin(&v);
	assert_false(v.has_cursor);
	top_view_key(&v, TOP_KEY_DOWN);
	assert_true(v.has_cursor);
	assert_int_equal(v.cursor, 0);
	press(&v, "j");
	assert_int_equal(v.cursor, 1); /* alloc_skb */
	press(&v, "r");
	assert_string_equal(top_view_row(&v, v.cursor)->name, "alloc_skb+10");
	top_view_key(&v, TOP_KEY_END);
	assert_int_equal(v.cursor, 2);
	press(&v, "j");
	assert_int_equal(v.cursor, 2);
	v.page = 2;
	top_view_key(&v, TOP_KEY_HOME);
	top_view_key(&v, TOP_KEY_END);
	assert_int_equal(v.first, 1);
	top_view_key(&v, TOP_KEY_PAGE_UP);
	assert_int_equal(v.cursor, 1);
	press(&v, "/nothing\n");
	assert_int_equal(v.nr_rows, 0);
	assert_int_equal(top_view_key(&v, TOP_KEY_ENTER), TOP_DRAW);
	assert_string_equal(v.message, "there is no row to show");
	assert_int_equal(v.mode, TOP_TABLE);
	top_view_deinit(&v);
}

static void test_details_are_asked_for_until_one_leaves(void **state)
{
	struct top_view v;

	(void)state;
	begin(&v);
	assert_int_equal(top_view_key(&v, TOP_KEY_ENTER), TOP_ASK | TOP_DRAW);
	assert_int_equal(v.mode, TOP_DETAILS);
	assert_string_equal(v.request.details, "getname+8");
	press(&v, "?");
	assert_int_equal(v.mode, TOP_HELP);
	top_view_key(&v, TOP_KEY_ESCAPE);
	assert_int_equal(v.mode, TOP_DETAILS);
	assert_int_equal(top_view_key(&v, TOP_KEY_ESCAPE), TOP_ASK | TOP_DRAW);
	assert_int_equal(v.mode, TOP_TABLE);
	assert_null(v.request.details);
	assert_int_equal(top_view_key(&v, 'q'), TOP_QUIT);
	top_view_deinit(&v);
}

/* ---- what it looks like ---------------------------------------------------------------------- */

static char *drawn(struct top_view *v, int lines, int columns, bool utf8)
{
	const struct draw_options o = {.utf8 = utf8};
	struct strbuf sb = STRBUF_INIT;
	struct cells c;

	assert_int_equal(cells_init(&c, lines, columns), 0);
	top_draw(&c, v, &o);
	cells_add_text(&sb, &c);
	cells_deinit(&c);
	return strbuf_detach(&sb);
}

static void assert_drawn(struct top_view *v, int lines, int columns, bool utf8,
			 const char *expected)
{
	char *text = drawn(v, lines, columns, utf8);

	assert_string_equal(text, expected);
	free(text);
}

static void test_a_terminal_of_80_columns(void **state)
{
	struct top_view v;

	(void)state;
	begin(&v);
	assert_drawn(
		&v, 12, 80, false,
		"perf kmem top: slab by callsite, each 1.00 s                             0:00:03\n"
		"allocated 4020/s, 251.3 KiB/s   freed 0/s, 0 B/s\n"
		"live 1.0 MiB in 12 objects, 0/s   [                ]\n"
		"no event was lost\n"
		"callsite                     Hits/s  Bytes/s v       Live   Growth/s   Behaviour\n"
		"getname+8                      3000  187.5 KiB        0 B          0\n"
		"alloc_skb+10                   1000   62.5 KiB    4.0 KiB      +10 B\n"
		"dup_task+4                       20    1.3 KiB    1.0 MiB      -70 B\n"
		"\n\n\n"
		"? help  s sort  g group  a slab/page  t total  / filter  enter stacks  q quit\n");
	top_view_deinit(&v);
}

/* Figures stay near the names. */
static void test_a_wide_terminal(void **state)
{
	struct top_view v;
	char *text;

	(void)state;
	begin(&v);
	text = drawn(&v, 12, 200, false);
	assert_non_null(strstr(text, "\ngetname+8                                      3000"));
	free(text);
	free(v.frame->rows[1].name);
	v.frame->rows[1].name = strdup("a_name_that_is_longer_than_forty_characters+10");
	text = drawn(&v, 12, 200, false);
	assert_non_null(strstr(text, "a_name_that_is_longer_than_forty_characters+10 "));
	free(text);
	top_view_deinit(&v);
}

static void test_loss_is_told_also_where_there_is_little_room(void **state)
{
	struct top_view v;

	(void)state;
	begin(&v);
	v.frame->nr_lost = 1000;
	v.frame->nr_lost_now = 10;
	v.frame->lost = strdup("kmalloc 1000");
	press(&v, "jj");
	assert_drawn(&v, 6, 60, false,
		     "perf kmem top: slab by callsite, each 1.00 s         0:00:03\n"
		     "LOST 1000 events (20.00%), 10 of them now: kmalloc 1000: to~\n"
		     "callsite                        Hits/s  Bytes/s v       Live\n"
		     "getname+8                         3000  187.5 KiB        0 B\n"
		     "alloc_skb+10                      1000   62.5 KiB    4.0 KiB\n"
		     "? help  s sort  g group  a slab/page  t total  / filter  en~\n");
	top_view_deinit(&v);
}

/* Any size, any state: nothing outside is written (the sanitizers would tell). */
static void test_a_sample_is_told(void **state)
{
	struct top_view v;

	(void)state;
	begin(&v);
	v.frame->sample_one_in = 8;
	v.frame->max_live = 50;
	assert_drawn(
		&v, 5, 80, false,
		"perf kmem top: slab by callsite, each 1.00 s                             0:00:03\n"
		"more than 50 are live, one in 8 is followed: live figures are estimates\n"
		"callsite                     Hits/s  Bytes/s v       Live   Growth/s   Behaviour\n"
		"getname+8                      3000  187.5 KiB        0 B          0\n"
		"? help  s sort  g group  a slab/page  t total  / filter  enter stacks  q quit\n");
	top_view_deinit(&v);
}

/* The kernel counts by itself: no column of live memory, also after a change of the order. */
static void test_what_is_not_known_is_not_shown(void **state)
{
	struct top_view v;
	char *text;

	(void)state;
	begin(&v);
	v.live_unknown = true;
	v.frame->sums.freed_hits = 3;
	press(&v, "s");
	assert_drawn(
		&v, 9, 80, false,
		"perf kmem top: slab by callsite, each 1.00 s                             0:00:03\n"
		"callsite                                     Hits/s    Bytes/s  Frees/s v\n"
		"alloc_skb+10                                   1000   62.5 KiB          0\n"
		"dup_task+4                                       20    1.3 KiB          0\n"
		"getname+8                                      3000  187.5 KiB          0\n"
		"\n\n\n"
		"? help  s sort  g group  a slab/page  t total  / filter  enter stacks  q quit\n");
	press(&v, "s");
	assert_int_equal(v.order[0], HIT_RATE);
	press(&v, "tss");
	assert_int_equal(v.order[1], HITS);
	text = drawn(&v, 12, 90, false);
	assert_non_null(strstr(text, "freed 3/s   (the kernel counts: live is not known)\n"));
	assert_null(strstr(text, "Live"));
	free(text);
	top_view_deinit(&v);
}

static void test_the_mouse_sorts_and_chooses_rows(void **state)
{
	struct top_view v;

	(void)state;
	begin(&v);
	free(drawn(&v, 12, 80, false));
	/* "callsite                     Hits/s  Bytes/s v       Live   Growth/s   Behaviour" */
	assert_int_equal(top_view_click(&v, v.heading_line, 50), TOP_DRAW);
	assert_int_equal(v.order[0], LIVE);
	assert_rows(&v, "dup_task+4", "alloc_skb+10", 3);
	top_view_click(&v, v.heading_line, 50);
	assert_true(v.ascending);
	assert_rows(&v, "getname+8", "alloc_skb+10", 3);
	top_view_click(&v, v.heading_line, 30);
	assert_int_equal(v.order[0], HIT_RATE);
	assert_false(v.ascending);
	top_view_click(&v, v.heading_line, 5); /* not a column that sorts */
	assert_int_equal(v.order[0], HIT_RATE);
	assert_false(v.has_cursor);
	top_view_click(&v, v.heading_line + 2, 5);
	assert_true(v.has_cursor);
	assert_int_equal(v.cursor, 1);
	top_view_click(&v, v.heading_line + 9, 5); /* below the last row */
	assert_int_equal(v.cursor, 1);
	top_view_key(&v, TOP_KEY_WHEEL_DOWN);
	assert_int_equal(v.cursor, 2);
	top_view_key(&v, TOP_KEY_WHEEL_UP);
	assert_int_equal(v.cursor, 0);
	assert_int_equal(top_view_click(&v, v.heading_line + 1, 5) & TOP_ASK, TOP_ASK);
	assert_int_equal(v.mode, TOP_DETAILS);
	assert_int_equal(top_view_click(&v, v.heading_line, 50), 0);
	top_view_deinit(&v);
}

static void test_the_kernels_totals_are_those_of_slabs(void **state)
{
	struct top_view v;
	char *text;

	(void)state;
	begin(&v);
	v.frame->slabs = (struct slab_totals){530000, 612345, 120 << 20, 150 << 20};
	text = drawn(&v, 12, 80, false);
	assert_non_null(strstr(text, "\nno event was lost   all slabs: 530.0 k of 612.3 k objects "
				     "in use, 120.0 MiB\n"));
	free(text);
	v.frame->request.account = ACCOUNT_page;
	text = drawn(&v, 12, 80, false);
	assert_non_null(strstr(text, "\nno event was lost\n"));
	free(text);
	top_view_deinit(&v);
}

static void test_a_key_that_does_nothing_says_why(void **state)
{
	struct top_view v;
	char *text;

	(void)state;
	begin(&v);
	press(&v, "x");
	text = drawn(&v, 12, 80, false);
	assert_non_null(strstr(text, "\n'x' is not a key: ? lists them\n"));
	free(text);
	press(&v, "1");
	assert_string_equal(v.message, "rows are already grouped by callsite");
	press(&v, "j"); /* the next key removes it */
	assert_string_equal(v.message, "");
	press(&v, "?x");
	assert_string_equal(v.message, "'x' is not a key here: escape goes back");
	assert_int_equal(top_view_key(&v, 1), 0); /* Ctrl-A */
	assert_string_equal(v.message, "");
	top_view_deinit(&v);
}

static int keep_somewhere(const struct top_view *v, struct strbuf *path, struct error *err)
{
	if (v->total)
		return error_set(err, EACCES, "no rights");
	return strbuf_addstr(path, "/a/file");
}

static void test_settings_are_kept_by_a_key(void **state)
{
	struct top_view v;

	(void)state;
	begin(&v);
	press(&v, "W");
	assert_string_equal(v.message, "settings cannot be kept here");
	v.keep = keep_somewhere;
	press(&v, "W");
	assert_string_equal(v.message, "settings kept in /a/file");
	press(&v, "tW");
	assert_string_equal(v.message, "settings are not kept: no rights");
	top_view_deinit(&v);
}

static uint64_t verdict(enum leak_behaviour behaviour, double confidence, int64_t growth)
{
	const struct leak_row r = {
		.use = LEAK_KERNEL, .behaviour = behaviour, .evidence = {.confidence = confidence}};

	return suspect_value(suspect_rank(&r), growth);
}

static void test_suspects_are_shown_and_sorted_by_a_key(void **state)
{
	struct top_view v;
	char *text;

	(void)state;
	begin(&v);
	v.frame->rows[0].values[SUSPECT] = verdict(LEAK_GROWING, 1, 5);
	v.frame->rows[1].values[SUSPECT] = verdict(LEAK_PLATEAU, 1, 900);
	v.frame->rows[2].values[SUSPECT] = verdict(LEAK_RECLAIMABLE, 1, 5);
	text = drawn(&v, 14, 80, false);
	assert_non_null(strstr(text, " reclaimable\n"));
	free(text);
	v.frame->rows[2].values[SUSPECT] = verdict(LEAK_LEAKING, 0.2, 5);
	v.frame->nr_suspects = 1;
	text = drawn(&v, 14, 80, false);
	assert_non_null(
		strstr(text, "\n1 row leaks or grows with high evidence: S sorts by that  ? help"));
	assert_non_null(strstr(text, "Growth/s   Behaviour"));
	free(text);
	press(&v, "rS");
	assert_rows(&v, "dup_task+4", "alloc_skb+10", 3);
	text = drawn(&v, 14, 80, false);
	assert_null(strstr(text, "high evidence"));
	assert_non_null(strstr(text, "Behaviour v"));
	assert_non_null(strstr(text, "   leaking?\n"));
	assert_non_null(strstr(text, "    growing\n"));
	free(text);
	/* growth decides among equals */
	v.frame->rows[1].values[SUSPECT] = verdict(LEAK_LEAKING, 0.2, 6);
	press(&v, "S");
	assert_rows(&v, "getname+8", "dup_task+4", 3);
	v.live_unknown = true;
	press(&v, "S");
	assert_string_equal(v.message, "what is live is not known: no row is judged");
	top_view_deinit(&v);
}

static void test_a_suspect_has_a_role_if_it_is_sure(void **state)
{
	char text[SUSPECT_TEXT];

	(void)state;
	assert_int_equal(suspect_role(verdict(LEAK_LEAKING, 1, -7)), ROLE_ALARM);
	assert_int_equal(suspect_role(verdict(LEAK_GROWING, 1, 0)), ROLE_CAUTION);
	assert_int_equal(suspect_role(verdict(LEAK_GROWING, 0.6, 0)), ROLE_PLAIN);
	assert_int_equal(suspect_role(verdict(LEAK_PLATEAU, 1, INT64_MAX)), ROLE_PLAIN);
	assert_int_equal(suspect_role(0), ROLE_PLAIN);
	assert_string_equal(suspect_text(text, 0), "");
	assert_string_equal(suspect_text(text, verdict(LEAK_RECLAIMABLE, 0, 1)), "reclaimable");
	assert_true(verdict(LEAK_LEAKING, 0, 0) > verdict(LEAK_GROWING, 1, INT64_MAX));
	assert_true(verdict(LEAK_LEAKING, 1, 0) > verdict(LEAK_LEAKING, 0.6, INT64_MAX));
}

static void test_every_size_is_drawn(void **state)
{
	static const char *const states[] = {"", "t", "/dup", "?", "\n", "jjj", "s"};
	struct top_view v;

	(void)state;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		begin(&v);
		press(&v, states[i]);
		for (int lines = 0; lines < 30; lines += 1 + lines / 4)
			for (int columns = 0; columns < 220; columns += 1 + columns / 4)
				free(drawn(&v, lines, columns, true));
		top_view_deinit(&v);
	}
}

static void test_the_sorted_column_is_always_shown(void **state)
{
	struct top_view v;

	(void)state;
	begin(&v);
	for (unsigned int i = 0; i < TOP_SHOWN; i++) {
		for (int columns = 40; columns < 200; columns += 7) {
			char *text = drawn(&v, 20, columns, false);
			const char *name = top_column_at(v.order[0])->heading;
			char marked[32], close[32];

			/* a long heading has no room for the blank */
			snprintf(marked, sizeof(marked), " %s v", name);
			snprintf(close, sizeof(close), " %sv", name);
			assert_true(strstr(text, marked) || strstr(text, close));
			free(text);
		}
		press(&v, "s");
	}
	top_view_deinit(&v);
}

static void test_details_scroll(void **state)
{
	struct top_view v;
	char *text;

	(void)state;
	begin(&v);
	press(&v, "\n");
	top_view_take(&v, make_frame(&v));
	for (int i = 0; i < 50; i++)
		strbuf_addf(&v.frame->details, "line %d\n", i);
	text = drawn(&v, 14, 80, false);
	assert_non_null(strstr(text, "line 8\n"));
	assert_null(strstr(text, "line 9\n"));
	free(text);
	top_view_key(&v, TOP_KEY_END);
	text = drawn(&v, 14, 80, false);
	assert_non_null(strstr(text, "line 49\n"));
	assert_non_null(strstr(text, "line 41\n"));
	free(text);
	top_view_deinit(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_sorted_and_idle_ones_left_out),
		cmocka_unit_test(test_another_order_of_more_rows_than_there_are_is_asked_for),
		cmocka_unit_test(test_groupings_and_allocators_are_asked_for),
		cmocka_unit_test(test_a_frame_of_an_earlier_request_is_dropped),
		cmocka_unit_test(test_the_allocator_that_is_not_accounted_is_not_insisted_on),
		cmocka_unit_test(test_a_pause_keeps_the_screen_but_not_an_answer),
		cmocka_unit_test(test_the_filter_is_typed),
		cmocka_unit_test(test_the_cursor_stays_on_its_row),
		cmocka_unit_test(test_details_are_asked_for_until_one_leaves),
		cmocka_unit_test(test_a_terminal_of_80_columns),
		cmocka_unit_test(test_a_wide_terminal),
		cmocka_unit_test(test_loss_is_told_also_where_there_is_little_room),
		cmocka_unit_test(test_a_sample_is_told),
		cmocka_unit_test(test_what_is_not_known_is_not_shown),
		cmocka_unit_test(test_the_mouse_sorts_and_chooses_rows),
		cmocka_unit_test(test_the_kernels_totals_are_those_of_slabs),
		cmocka_unit_test(test_a_key_that_does_nothing_says_why),
		cmocka_unit_test(test_settings_are_kept_by_a_key),
		cmocka_unit_test(test_suspects_are_shown_and_sorted_by_a_key),
		cmocka_unit_test(test_a_suspect_has_a_role_if_it_is_sure),
		cmocka_unit_test(test_every_size_is_drawn),
		cmocka_unit_test(test_the_sorted_column_is_always_shown),
		cmocka_unit_test(test_details_scroll),
	};

	return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}
