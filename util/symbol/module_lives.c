// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/symbol/module_lives.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/host/kallsyms.h"

/* Identities: 0x9000000000000000 and up, 4 GiB for each module (util/source/site_names.h has
 * those from 0x8000000000000000). */
#define FIRST_IDENTITY 0x9000000000000000ull
#define LIFE_SHIFT     32

/* Chunks do not move, as other threads look names up while lives are added.  A look-up may go
 * through all of them: more than LIVES_MAX are ignored. */
#define CHUNK_LIVES 256u
#define CHUNKS_MAX  8u
#define LIVES_MAX   (CHUNK_LIVES * CHUNKS_MAX)

/* As many lines as a source has at most, as those from tables may be the same again and again. */
#define LIVES_BYTES_MAX (64u << 20)

#define CACHED 1024u /* a power of two */

struct module_life {
	struct symbol_table table; /* by identity */
	uint64_t from_ns;
	uint64_t moved_by; /* identity - address; 0: it was there before everything else */
};

struct module_lives {
	const struct strbuf *text;
	size_t read;  /* bytes of the text */
	size_t bytes; /* of the lines that lives were made of */
	struct module_life *chunks[CHUNKS_MAX];
	uint32_t nr;
	uint64_t low, high; /* real addresses of all lives that were moved */
	/* of the time that was asked for last */
	uint32_t epoch;
	uint64_t epoch_from_ns, epoch_until_ns;
	struct known_identity {
		uint64_t address, identity;
		uint32_t epoch;
	} known[CACHED];
};

struct module_lives *module_lives_new(const struct strbuf *text)
{
	struct module_lives *l = calloc(1, sizeof(*l));

	if (l) {
		l->text = text;
		l->low = UINT64_MAX;
	}
	return l;
}

static struct module_life *life_at(const struct module_lives *l, uint32_t i)
{
	return &l->chunks[i / CHUNK_LIVES][i % CHUNK_LIVES];
}

/* Those that are complete. */
static uint32_t count(const struct module_lives *l)
{
	return __atomic_load_n(&l->nr, __ATOMIC_ACQUIRE);
}

void module_lives_free(struct module_lives *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < l->nr; i++)
		symbol_table_deinit(&life_at(l, i)->table);
	for (uint32_t i = 0; i < CHUNKS_MAX; i++)
		free(l->chunks[i]);
	free(l);
}

bool module_lives_has_news(const struct module_lives *l)
{
	return l->read < l->text->len;
}

bool module_lives_none(const struct module_lives *l)
{
	return !count(l);
}

/* ---- reading -------------------------------------------------------------------------------- */

static void move(struct module_lives *l, struct module_life *life)
{
	struct symbol_table *t = &life->table;
	uint64_t low = t->v[0].start, high = t->v[t->nr - 1].end;

	life->moved_by = FIRST_IDENTITY + ((uint64_t)l->nr << LIFE_SHIFT) - low;
	l->low = low < l->low ? low : l->low;
	l->high = high > l->high ? high : l->high;
	for (size_t i = 0; i < t->nr; i++) {
		t->v[i].start += life->moved_by;
		t->v[i].end += life->moved_by;
	}
}

static bool fits(const struct symbol_table *t)
{
	return t->nr && t->v[t->nr - 1].end - t->v[0].start <= 1ull << LIFE_SHIFT;
}

/* Takes over the table. */
static int add_life(struct module_lives *l, struct symbol_table *table, bool loaded,
		    uint64_t time_ns)
{
	struct module_life **chunk = &l->chunks[l->nr / CHUNK_LIVES], *life;

	if (!*chunk)
		*chunk = calloc(CHUNK_LIVES, sizeof(**chunk));
	if (!*chunk) {
		symbol_table_deinit(table);
		return -ENOMEM;
	}
	life = life_at(l, l->nr);
	*life = (struct module_life){.table = *table, .from_ns = loaded ? time_ns : 0};
	if (loaded)
		move(l, life);
	__atomic_store_n(&l->nr, l->nr + 1, __ATOMIC_RELEASE);
	/* what was known of the time so far may be wrong */
	l->epoch++;
	l->epoch_until_ns = 0;
	return 0;
}

/* Only the tables have the functions of a module whose names could not be read when it was loaded.
 */
static void add_from_tables(struct strbuf *text, const char *module,
			    const struct symbol_table *tables, size_t nr_tables)
{
	for (size_t i = 0; i < nr_tables; i++)
		for (size_t j = 0; j < tables[i].nr; j++) {
			const struct symbol *sym = &tables[i].v[j];

			if (sym->module && !strcmp(sym->module, module))
				strbuf_addf(text, "%" PRIx64 " %c %s\t[%s]\n", sym->start,
					    sym->type, sym->name, module);
		}
}

static int add_symbols(struct module_lives *l, struct strbuf *text, bool loaded, uint64_t time_ns)
{
	struct symbol_table table;
	size_t len = text->len;
	uint64_t moved_by;
	char *copy;

	if (!len || len > LIVES_BYTES_MAX - l->bytes)
		return 0;
	l->bytes += len;
	copy = strbuf_detach(text);
	if (!copy || symbol_table_init(&table, copy, len, "", 0, &moved_by))
		return -ENOMEM;
	if (l->nr < LIVES_MAX && fits(&table))
		return add_life(l, &table, loaded, time_ns);
	symbol_table_deinit(&table);
	return 0;
}

/* Up to the next line that begins with a sign, or the end. */
static size_t block_length(const char *text, size_t len)
{
	size_t at = 0;

	do {
		const char *newline = memchr(text + at, '\n', len - at);

		at = newline ? (size_t)(newline + 1 - text) : len;
	} while (at < len && text[at] != '+' && text[at] != '-');
	return at;
}

/* Has it more than what only ran while the module was initialised? */
static bool has_functions(const char *text, size_t len)
{
	struct kallsyms_line line;
	const char *pos = text;

	while (kallsyms_next(&pos, text + len, &line))
		if (line.name[0] != '.')
			return true;
	return false;
}

/* A line "+ NS NAME" or "- NS NAME", and kallsyms lines. */
static int read_block(struct module_lives *l, const char *text, size_t len,
		      const struct symbol_table *tables, size_t nr_tables)
{
	_cleanup_(strbuf_deinit) struct strbuf lines = STRBUF_INIT;
	const char *newline = memchr(text, '\n', len);
	bool loaded = *text == '+';
	char name[64];
	uint64_t time_ns;

	if (!newline || sscanf(text, "%*1[+-] %" SCNu64 " %63s", &time_ns, name) != 2)
		return 0;
	len -= (size_t)(newline + 1 - text);
	strbuf_add(&lines, newline + 1, len);
	if (loaded && !has_functions(newline + 1, len))
		add_from_tables(&lines, name, tables, nr_tables);
	return lines.failed ? -ENOMEM : add_symbols(l, &lines, loaded, time_ns);
}

int module_lives_read(struct module_lives *l, const struct symbol_table *tables, size_t nr_tables)
{
	int ret = 0;

	while (!ret && l->read < l->text->len) {
		const char *text = l->text->buf + l->read;
		size_t len = block_length(text, l->text->len - l->read);

		l->read += len;
		ret = read_block(l, text, len, tables, nr_tables);
	}
	return ret;
}

/* ---- identities ----------------------------------------------------------------------------- */

static void find_epoch(struct module_lives *l, uint64_t time_ns)
{
	if (time_ns >= l->epoch_from_ns && time_ns < l->epoch_until_ns)
		return;
	l->epoch++;
	l->epoch_from_ns = 0;
	l->epoch_until_ns = UINT64_MAX;
	for (uint32_t i = 0; i < l->nr; i++) {
		uint64_t from_ns = life_at(l, i)->from_ns;

		if (from_ns <= time_ns && from_ns > l->epoch_from_ns)
			l->epoch_from_ns = from_ns;
		if (from_ns > time_ns && from_ns < l->epoch_until_ns)
			l->epoch_until_ns = from_ns;
	}
}

static uint64_t find_identity(const struct module_lives *l, uint64_t address, uint64_t time_ns)
{
	for (uint32_t i = l->nr; i-- > 0;) {
		const struct module_life *life = life_at(l, i);

		if (life->moved_by && life->from_ns <= time_ns &&
		    symbol_table_find(&life->table, address + life->moved_by))
			return address + life->moved_by;
	}
	return address;
}

uint64_t module_lives_identity(struct module_lives *l, uint64_t address, uint64_t time_ns)
{
	struct known_identity *known = &l->known[(address >> 2) % CACHED];

	if (address < l->low || address >= l->high)
		return address;
	find_epoch(l, time_ns);
	if (known->address != address || known->epoch != l->epoch)
		*known = (struct known_identity){address, find_identity(l, address, time_ns),
						 l->epoch};
	return known->identity;
}

uint32_t module_lives_epoch(struct module_lives *l, uint64_t time_ns)
{
	find_epoch(l, time_ns);
	return l->epoch;
}

static const struct module_life *life_of(const struct module_lives *l, uint64_t identity)
{
	uint64_t i = (identity - FIRST_IDENTITY) >> LIFE_SHIFT;

	return identity >= FIRST_IDENTITY && i < count(l) && life_at(l, (uint32_t)i)->moved_by
		       ? life_at(l, (uint32_t)i)
		       : NULL;
}

uint64_t module_lives_address(const struct module_lives *l, uint64_t identity)
{
	const struct module_life *life = life_of(l, identity);

	return life ? identity - life->moved_by : identity;
}

const struct symbol *module_lives_find(const struct module_lives *l, uint64_t identity)
{
	const struct module_life *life = life_of(l, identity);

	if (life)
		return symbol_table_find(&life->table, identity);
	for (uint32_t i = 0, nr = count(l); i < nr; i++) {
		const struct symbol *sym;

		life = life_at(l, i);
		sym = life->moved_by ? NULL : symbol_table_find(&life->table, identity);
		if (sym)
			return sym;
	}
	return NULL;
}

bool module_lives_replaced(const struct module_lives *l, uint64_t address)
{
	for (uint32_t i = 0, nr = count(l); i < nr; i++) {
		const struct module_life *life = life_at(l, i);

		if (life->moved_by && symbol_table_find(&life->table, address + life->moved_by))
			return true;
	}
	return false;
}
