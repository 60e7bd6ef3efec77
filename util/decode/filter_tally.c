// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/decode/filter_tally.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/array.h"
#include "util/cli/similar.h"
#include "util/event/gfp.h"

#define LISTED 5

int filter_tally_init(struct filter_tally *t, size_t nr_conditions)
{
	*t = (struct filter_tally){0};
	if (!nr_conditions)
		return 0;
	t->v = calloc(nr_conditions, sizeof(*t->v));
	if (!t->v)
		return -ENOMEM;
	t->nr = nr_conditions;
	for (size_t i = 0; i < t->nr; i++)
		table_init(&t->v[i].values, sizeof(uint64_t), sizeof(uint64_t));
	return 0;
}

void filter_tally_deinit(struct filter_tally *t)
{
	for (size_t i = 0; i < t->nr; i++)
		table_deinit(&t->v[i].values);
	free(t->v);
	*t = (struct filter_tally){0};
}

/* Without memory, the list is shorter. */
void filter_tally_note(struct filter_tally *t, size_t condition, bool matched, uint64_t value)
{
	struct tally_entry *e = &t->v[condition];

	e->matched |= matched;
	if (!e->matched && e->values.nr < TALLY_VALUES_MAX)
		table_insert(&e->values, &value);
}

/* A value as text, and its distance from the wanted text. */
struct candidate {
	char *text;
	uint64_t distance;
};

struct candidates {
	struct candidate *v;
	size_t nr, cap;
	const char *wanted;
	bool failed;
};

/* Values that contain the wanted text, or are part of it, come first; then similar ones, compared
 * in full or up to the length of the typed text. */
static uint64_t distance_of(const char *wanted, const char *text)
{
	size_t len = strlen(wanted);
	unsigned int whole, part = SIMILAR_MAX;
	char start[SIMILAR_MAX];

	if (*wanted && (strcasestr(text, wanted) || strcasestr(wanted, text)))
		return 0;
	whole = similar_distance(wanted, text);
	if (len < sizeof(start)) {
		snprintf(start, sizeof(start), "%.*s", (int)len, text);
		part = similar_distance(wanted, start) + 1;
	}
	return whole < part ? whole : part;
}

static void add_text(void *ctx, const char *text)
{
	struct candidates *c = ctx;
	struct candidate *v = array_room(c->v, c->nr, &c->cap, sizeof(*v));

	if (!v) {
		c->failed = true;
		return;
	}
	c->v = v;
	c->v[c->nr] = (struct candidate){strdup(text), distance_of(c->wanted, text)};
	if (c->v[c->nr].text)
		c->nr++;
	else
		c->failed = true;
}

static void add_number(struct candidates *c, int64_t number, int64_t wanted)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, number);
	add_text(c, text);
	if (c->nr && !c->failed)
		c->v[c->nr - 1].distance = number > wanted ? (uint64_t)number - (uint64_t)wanted
							   : (uint64_t)wanted - (uint64_t)number;
}

static void add_callsite(struct candidates *c, const struct symbols *symbols, uint64_t address)
{
	const struct symbol *sym = address ? symbols_find(symbols, address) : NULL;
	char hex[24];

	snprintf(hex, sizeof(hex), "0x%" PRIx64, symbols_address(symbols, address));
	add_text(c, sym ? sym->name : address ? hex : "unknown");
}

static void add_value(struct candidates *c, const struct tally_look *look, uint64_t value)
{
	if (look->key == KEY_CALLSITE)
		add_callsite(c, &look->naming->symbols, value);
	else if (look->key == KEY_GFP && !value)
		add_text(c, "none");
	else if (look->key == KEY_GFP)
		gfp_for_each(&look->naming->gfp, value, add_text, c);
	else if (look->key < KEY_NR && kmem_key_kind(look->key) == KEY_KIND_STRING)
		add_text(c, intern_get(&look->naming->names.strings, (uint32_t)value, NULL));
	else /* for sizes, the largest */
		add_number(c, (int64_t)value,
			   look->key < KEY_NR ? strtoll(c->wanted, NULL, 10) : INT64_MAX);
}

static int compare(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	return strcmp(a->text, b->text);
}

/* Nearest first, without duplicates. */
static void sort(struct candidates *c)
{
	size_t out = 0;

	if (c->nr)
		qsort(c->v, c->nr, sizeof(*c->v), compare);
	for (size_t i = 0; i < c->nr; i++) {
		if (out && !strcmp(c->v[out - 1].text, c->v[i].text))
			free(c->v[i].text);
		else
			c->v[out++] = c->v[i];
	}
	c->nr = out;
}

int filter_tally_list(const struct filter_tally *t, size_t condition, const struct tally_look *look,
		      const char *wanted, struct strbuf *sb)
{
	const struct table *values = &t->v[condition].values;
	struct candidates c = {.wanted = wanted};

	for (uint32_t i = 0; !c.failed && i < values->nr; i++)
		add_value(&c, look, *(const uint64_t *)table_row(values, i));
	sort(&c);
	for (size_t i = 0; i < c.nr && i < LISTED; i++)
		strbuf_addf(sb, "%s%s", i ? ", " : "", c.v[i].text);
	if (c.nr > LISTED)
		strbuf_addf(sb, ", ... %zu more", c.nr - LISTED);
	for (size_t i = 0; i < c.nr; i++)
		free(c.v[i].text);
	free(c.v);
	return c.failed ? -ENOMEM : 0;
}
