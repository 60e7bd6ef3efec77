// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/where/holders.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/array.h"
#include "util/base/printable.h"
#include "util/base/units.h"
#include "util/where/scan.h"

#define NAME_KEY "name="

#define WORD(name) #name,

static const char *const kinds[] = {HOLDER_KINDS(WORD)};
static const char *const numbers[] = {HOLDER_NUMBERS(WORD)};

static const char *const units[HOLDER_NUMBERS_NR] = {
	[HOLDER_NR_threads] = "threads",	 [HOLDER_NR_files] = "files",
	[HOLDER_NR_sockets] = "sockets",	 [HOLDER_NR_pipes] = "pipe ends",
	[HOLDER_NR_epoll_items] = "epoll items", [HOLDER_NR_inotify_watches] = "watches",
	[HOLDER_NR_timers] = "timers",
};

const char *holder_number_name(enum holder_number number)
{
	return numbers[number];
}

const char *holder_number_unit(enum holder_number number)
{
	return units[number];
}

void holder_write(struct strbuf *sb, const struct holder *h)
{
	size_t start;

	strbuf_addstr(sb, kinds[h->kind]);
	for (int i = 0; i < HOLDER_NUMBERS_NR; i++)
		if (h->v[i] > 0)
			strbuf_addf(sb, " %s=%" PRId64, numbers[i], h->v[i]);
	if (h->name && *h->name) {
		strbuf_addstr(sb, " " NAME_KEY);
		start = sb->len;
		strbuf_addstr(sb, h->name);
		printable_strbuf(sb, start);
	}
	strbuf_addch(sb, '\n');
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The index of the word of len bytes, or nr. */
static int find_word(const char *const *words, int nr, const char *word, size_t len)
{
	int i = 0;

	while (i < nr && (strncmp(words[i], word, len) != 0 || words[i][len]))
		i++;
	return i;
}

/* Returns false if the line is invalid. */
static bool parse(char *line, struct holder *h)
{
	const char *at = line + strcspn(line, " ");
	int kind = find_word(kinds, HOLDER_KINDS_NR, line, (size_t)(at - line));

	*h = (struct holder){.kind = (enum holder_kind)kind};
	while (*at == ' ') {
		const char *word = at + 1, *equals = strchr(word, '=');
		int64_t value;
		int i;

		if (!strncmp(word, NAME_KEY, strlen(NAME_KEY))) {
			h->name = line + (word - line) + strlen(NAME_KEY);
			break;
		}
		if (!equals || *word == ' ')
			return false;
		i = find_word(numbers, HOLDER_NUMBERS_NR, word, (size_t)(equals - word));
		at = equals + 1;
		if (!scan_number(&at, &value))
			return false;
		if (i < HOLDER_NUMBERS_NR)
			h->v[i] = value;
	}
	return kind < HOLDER_KINDS_NR && (h->name || !*at);
}

static void add(struct holders *h, const struct holder *holder)
{
	struct holder *v = array_room(h->v, h->nr, &h->cap, sizeof(*v));
	char *name = strdup(holder->name ? holder->name : "");

	if (v)
		h->v = v;
	if (!v || !name) {
		h->failed = true;
		free(name);
		return;
	}
	printable_make(name);
	v[h->nr] = *holder;
	v[h->nr++].name = name;
}

void holders_init(struct holders *h, const char *text, size_t len)
{
	struct holder holder;
	struct scan s;

	*h = (struct holders){.v = NULL};
	scan_init(&s, text, len);
	while (!h->failed && h->nr < HOLDERS_MAX && scan_next(&s))
		if (parse(s.line, &holder))
			add(h, &holder);
}

void holders_deinit(struct holders *h)
{
	for (size_t i = 0; i < h->nr; i++)
		free(h->v[i].name);
	free(h->v);
}

const struct holder *holders_next(const struct holders *h, enum holder_kind kind, size_t *at)
{
	while (*at < h->nr) {
		const struct holder *holder = &h->v[(*at)++];

		if (holder->kind == kind)
			return holder;
	}
	return NULL;
}

/* ---- the largest ----------------------------------------------------------------------------- */

size_t holders_find_largest(const struct holders *h, enum holder_kind kind,
			    enum holder_number number,
			    const struct holder *largest[HOLDERS_LARGEST])
{
	const struct holder *p;
	size_t at = 0, nr = 0;

	while ((p = holders_next(h, kind, &at))) {
		size_t i = nr;

		while (i > 0 && largest[i - 1]->v[number] < p->v[number])
			i--;
		if (i == HOLDERS_LARGEST || !p->v[number])
			continue;
		nr += nr < HOLDERS_LARGEST;
		memmove(&largest[i + 1], &largest[i], (nr - 1 - i) * sizeof(p));
		largest[i] = p;
	}
	return nr;
}

/* Without the ending of the plural for one. */
static int unit_length(enum holder_number number, int64_t value)
{
	const int ending = number == HOLDER_NR_inotify_watches ? 2 : 1;

	return (int)strlen(units[number]) - (value == 1 ? ending : 0);
}

void holders_add_largest(const struct holders *h, enum holder_number number, struct strbuf *sb)
{
	const struct holder *largest[HOLDERS_LARGEST];
	const size_t nr = holders_find_largest(h, HOLDER_process, number, largest);

	for (size_t i = 0; i < nr; i++) {
		char text[UNITS_BUF];
		int64_t value = largest[i]->v[number];

		if (units[number])
			snprintf(text, sizeof(text), "%" PRId64 " %.*s", value,
				 unit_length(number, value), units[number]);
		else
			units_bytes(text, sizeof(text), (uint64_t)value);
		strbuf_addf(sb, "%s%s %" PRId64 " (%s)", i ? ", " : "", largest[i]->name,
			    largest[i]->v[HOLDER_NR_pid], text);
	}
}
