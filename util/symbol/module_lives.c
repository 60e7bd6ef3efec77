// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/symbol/module_lives.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/base/hash.h"
#include "util/host/kallsyms.h"

/* Identities: 0x9000000000000000 and up, 4 GiB for each module (util/source/site_names.h has
 * those from 0x8000000000000000). */
#define FIRST_IDENTITY 0x9000000000000000ull
#define LIFE_SHIFT     32

/* This bit is inverted in the identity of an address whose module is gone. */
#define NOBODYS (1ull << 61)

/* Chunks do not move, because other threads look names up while lives are added. A lookup may walk
 * all lives and search each image: those beyond LIVES_MAX or IMAGES_MAX are ignored. */
#define CHUNK_LIVES 256u
#define CHUNKS_MAX  4u
#define LIVES_MAX   (CHUNK_LIVES * CHUNKS_MAX)
#define IMAGES_MAX  256u
#define BLOCKS_MAX  (1u << 16) /* number of loads and unloads */

/* Bytes. The names of all modules of a large machine take 20 MB. A source may have many short
 * lines, and those from tables may repeat. */
#define LIVES_BYTES_MAX (64u << 20)

/* Limit of table symbols that are compared with module names: each load may need all of them. */
#define COMPARED_MAX (256u << 20)

/* Limit of image searches, some seconds. Beyond it an address is its own identity. */
#define SEARCHED_MAX (256u << 20)

#define CACHED 1024u /* a power of two */

#define NAME_BYTES 64 /* more than MODULE_NAME_LEN */

/* A module at the same addresses is one image, however often it is loaded. */
struct module_life {
	struct symbol_table table; /* by identity; empty: see the image's table */
	uint64_t moved_by;	   /* identity - address; 0 for modules from before the recording */
	uint32_t image;		   /* the life that owns the table */
	/* used only by the decoding thread */
	uint64_t from_ns, until_ns;
	uint64_t lines;	    /* hash of its kallsyms lines */
	uint64_t missed_by; /* the latest lookup whose address is not in this image */
	char name[NAME_BYTES];
};

struct module_lives {
	const struct strbuf *text;
	size_t read;	   /* bytes of text */
	size_t bytes;	   /* bytes of all tables, a lower bound */
	uint64_t compared; /* compared symbols of tables */
	uint32_t nr_blocks;
	struct module_life *chunks[CHUNKS_MAX];
	uint32_t nr, nr_images;
	uint64_t low, high; /* real addresses of all lives */
	uint64_t lookups;
	uint64_t searched; /* number of image searches */
	/* as of the latest lookup */
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

/* Number of complete lives. */
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

bool module_lives_none(const struct module_lives *l)
{
	return !count(l);
}

/* ---- reading -------------------------------------------------------------------------------- */

static void note_range(struct module_lives *l, const struct symbol_table *t)
{
	uint64_t low, high;

	symbol_table_range(t, &low, &high);
	l->low = low < l->low ? low : l->low;
	l->high = high > l->high ? high : l->high;
}

static void move(const struct module_lives *l, struct module_life *life)
{
	uint64_t low, high;

	symbol_table_range(&life->table, &low, &high);
	life->moved_by = FIRST_IDENTITY + ((uint64_t)l->nr << LIFE_SHIFT) - low;
	symbol_table_shift(&life->table, life->moved_by);
}

static bool fits(const struct symbol_table *t)
{
	uint64_t low, high;

	if (!t->nr)
		return false;
	symbol_table_range(t, &low, &high);
	return high - low <= 1ull << LIFE_SHIFT;
}

/* Takes over the life's table. */
static int add_life(struct module_lives *l, struct module_life *life)
{
	struct module_life **chunk = &l->chunks[l->nr / CHUNK_LIVES];

	if (!*chunk)
		*chunk = calloc(CHUNK_LIVES, sizeof(**chunk));
	if (!*chunk) {
		symbol_table_deinit(&life->table);
		return -ENOMEM;
	}
	*life_at(l, l->nr) = *life;
	__atomic_store_n(&l->nr, l->nr + 1, __ATOMIC_RELEASE);
	return 0;
}

/* The latest image of the module, with these lines unless they are 0. UINT32_MAX if there is
 * none. */
static uint32_t find_image(const struct module_lives *l, const char *name, uint64_t lines)
{
	for (uint32_t i = l->nr; i-- > 0;) {
		const struct module_life *life = life_at(l, i);

		if (!strcmp(life->name, name) && (!lines || life->lines == lines))
			return life->image;
	}
	return UINT32_MAX;
}

/* Record an unload. */
static void end_lives(struct module_lives *l, const char *name, uint64_t time_ns)
{
	for (uint32_t i = l->nr; i-- > 0;) {
		struct module_life *life = life_at(l, i);

		if (life->until_ns == UINT64_MAX && !strcmp(life->name, name))
			life->until_ns = time_ns;
	}
}

static void add_from_table(struct strbuf *text, const char *module, const struct symbol_table *t)
{
	for (size_t i = 0; i < t->nr_lines; i++) {
		const struct symbol *sym = symbol_table_at(t, i);

		if (sym && sym->module && !strcmp(sym->module, module))
			strbuf_addf(text, "%" PRIx64 " %c %s\t[%s]\n", sym->start, sym->type,
				    sym->name, module);
	}
}

/* For a module whose functions could not be read when it was loaded: take them from the tables. */
static void add_from_tables(struct module_lives *l, struct strbuf *text, const char *module,
			    const struct symbol_table *tables, size_t nr_tables)
{
	for (size_t i = 0; i < nr_tables; i++) {
		if (tables[i].nr_lines > COMPARED_MAX - l->compared)
			return;
		l->compared += tables[i].nr_lines;
		add_from_table(text, module, &tables[i]);
	}
}

/* Bytes of a table made from these lines. */
static size_t table_bytes(const struct strbuf *lines)
{
	const char *at = lines->buf, *end = at + lines->len;
	size_t bytes = lines->len;

	for (; (at = memchr(at, '\n', (size_t)(end - at))); at++)
		bytes += sizeof(struct symbol) + sizeof(struct symbol_line);
	return bytes;
}

static int add_image(struct module_lives *l, struct strbuf *lines, bool loaded,
		     struct module_life *life)
{
	size_t len = lines->len, bytes = table_bytes(lines);
	uint64_t moved_by;
	char *text;

	if (bytes > LIVES_BYTES_MAX - l->bytes || l->nr_images == IMAGES_MAX)
		return 0;
	l->bytes += bytes;
	l->nr_images++;
	text = strbuf_detach(lines);
	if (!text || symbol_table_init(&life->table, text, len, "", 0, &moved_by))
		return -ENOMEM;
	if (!fits(&life->table)) {
		symbol_table_deinit(&life->table);
		return 0;
	}
	note_range(l, &life->table);
	if (loaded)
		move(l, life);
	return add_life(l, life);
}

/* life: name and times are set. lines: its functions; empty if unknown. */
static int add_lines(struct module_lives *l, struct strbuf *lines, bool loaded,
		     struct module_life *life)
{
	static const struct hash_key key = {{0x6d6f64756c65206c, 0x697665732e2e2e21}};
	uint32_t image;

	if (l->nr == LIVES_MAX)
		return 0;
	if (lines->len)
		life->lines = hash_bytes(&key, lines->buf, lines->len) | 1;
	image = find_image(l, life->name, life->lines);
	if (image == UINT32_MAX && !lines->len)
		return 0;
	life->image = image == UINT32_MAX ? l->nr : image;
	if (image == UINT32_MAX)
		return add_image(l, lines, loaded, life);
	life->lines = life_at(l, image)->lines;
	return add_life(l, life);
}

/* Up to the next line that begins with '+' or '-', or the end. */
static size_t block_length(const char *text, size_t len)
{
	size_t at = 0;

	do {
		const char *newline = memchr(text + at, '\n', len - at);

		at = newline ? (size_t)(newline + 1 - text) : len;
	} while (at < len && text[at] != '+' && text[at] != '-');
	return at;
}

/* Whether it has functions that remain after initialisation. */
static bool has_functions(const char *text, size_t len)
{
	struct kallsyms_line line;
	const char *pos = text;

	while (kallsyms_next(&pos, text + len, &line))
		if (line.name[0] != '.')
			return true;
	return false;
}

/* Parse "+ NS NAME" or "- NS NAME"; long text may follow. */
static bool parse_head(const char *text, size_t len, uint64_t *ret_ns, char ret_name[NAME_BYTES])
{
	char line[NAME_BYTES + 32];

	if (len >= sizeof(line))
		return false;
	memcpy(line, text, len);
	line[len] = '\0';
	return sscanf(line, "%*1[+-] %" SCNu64 " %63s", ret_ns, ret_name) == 2;
}

/* Parse a load or an unload and the kallsyms lines after it. */
static int read_block(struct module_lives *l, const char *text, size_t len,
		      const struct symbol_table *tables, size_t nr_tables)
{
	_cleanup_(strbuf_deinit) struct strbuf lines = STRBUF_INIT;
	const char *newline = memchr(text, '\n', len);
	struct module_life life = {.until_ns = UINT64_MAX};
	bool loaded = *text == '+';
	uint64_t time_ns;

	if (!newline || !parse_head(text, (size_t)(newline - text), &time_ns, life.name))
		return 0;
	if (l->nr_blocks == BLOCKS_MAX || (loaded && l->nr == LIVES_MAX))
		return 0;
	l->nr_blocks++;
	len -= (size_t)(newline + 1 - text);
	strbuf_add(&lines, newline + 1, len);
	/* cached results of earlier lookups may be wrong */
	l->epoch++;
	l->epoch_until_ns = 0;
	if (!loaded) {
		end_lives(l, life.name, time_ns);
		life.until_ns = time_ns;
		return lines.len ? add_lines(l, &lines, false, &life) : 0;
	}
	life.from_ns = time_ns;
	if (!has_functions(newline + 1, len))
		add_from_tables(l, &lines, life.name, tables, nr_tables);
	return lines.failed ? -ENOMEM : add_lines(l, &lines, true, &life);
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

static void bound_epoch(struct module_lives *l, uint64_t time_ns, uint64_t change_ns)
{
	if (change_ns <= time_ns && change_ns > l->epoch_from_ns)
		l->epoch_from_ns = change_ns;
	if (change_ns > time_ns && change_ns < l->epoch_until_ns)
		l->epoch_until_ns = change_ns;
}

static void find_epoch(struct module_lives *l, uint64_t time_ns)
{
	if (time_ns >= l->epoch_from_ns && time_ns < l->epoch_until_ns)
		return;
	l->epoch++;
	l->epoch_from_ns = 0;
	l->epoch_until_ns = UINT64_MAX;
	for (uint32_t i = 0; i < l->nr; i++) {
		bound_epoch(l, time_ns, life_at(l, i)->from_ns);
		bound_epoch(l, time_ns, life_at(l, i)->until_ns);
	}
}

/* An image shared by many lives is searched once. */
static bool image_has(struct module_lives *l, struct module_life *image, uint64_t address)
{
	if (image->missed_by == l->lookups)
		return false;
	l->searched++;
	if (symbol_table_find(&image->table, address + image->moved_by))
		return true;
	image->missed_by = l->lookups;
	return false;
}

static uint64_t find_identity(struct module_lives *l, uint64_t address, uint64_t time_ns)
{
	l->lookups++;
	for (uint32_t i = l->nr; i-- > 0 && l->searched < SEARCHED_MAX;) {
		const struct module_life *life = life_at(l, i);
		struct module_life *image = life_at(l, life->image);

		if (life->from_ns > time_ns || !image_has(l, image, address))
			continue;
		return time_ns < life->until_ns ? address + image->moved_by : address ^ NOBODYS;
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

/* The upper bits are equal in all kernel addresses (s390x uses up to 53 bits). */
static bool is_nobodys(uint64_t identity)
{
	uint64_t upper = (identity ^ NOBODYS) >> 53;

	return upper == 0x7ff || upper == 0;
}

uint64_t module_lives_address(const struct module_lives *l, uint64_t identity)
{
	const struct module_life *life = life_of(l, identity);

	if (life)
		return identity - life->moved_by;
	return is_nobodys(identity) ? identity ^ NOBODYS : identity;
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
