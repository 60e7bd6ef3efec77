// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/key_column.h"

#include <string.h>

#include "util/event/gfp.h"
#include "util/event/migratetype.h"
#include "util/usersym/user_stacks.h"

static struct value_callsite name_user_frame(const struct naming *n, uint64_t frame)
{
	struct user_name name;

	if (!user_stacks_name(n->user, frame, &name))
		return (struct value_callsite){.address = 0};
	return (struct value_callsite){
		.address = name.address,
		.symbol = name.symbol,
		.dso = name.dso ? name.dso : "unknown",
		.offset = name.offset,
	};
}

static bool find_map(const void *naming, const struct value_callsite *c, struct code_map *ret)
{
	const struct naming *n = naming;

	return symbols_find_map(&n->symbols, c->module, c->address, ret);
}

struct value_callsite naming_callsite(const struct naming *n, uint64_t address)
{
	const struct symbol *sym;

	if (n->user && user_stacks_is_frame(address))
		return name_user_frame(n, address);
	sym = address ? symbols_find(&n->symbols, address) : NULL;

	return (struct value_callsite){
		.address = symbols_address(&n->symbols, address),
		.symbol = sym ? sym->name : NULL,
		.module = address ? symbols_module(&n->symbols, sym, address) : NULL,
		.offset = sym ? address - sym->start : 0,
		.is_place = sym && sym->end - sym->start == 1,
		.find_map = find_map,
		.naming = n,
	};
}

static struct value_callsite name_frame(const void *naming, uint64_t address)
{
	return naming_callsite(naming, address);
}

static int compare_frames(const struct naming *n, uint64_t a, uint64_t b)
{
	struct value_callsite x = naming_callsite(n, a), y = naming_callsite(n, b);
	int ret = strcmp(x.symbol ? x.symbol : "", y.symbol ? y.symbol : "");

	if (!ret && x.symbol)
		ret = (x.offset > y.offset) - (x.offset < y.offset);
	return ret ? ret : (a > b) - (a < b);
}

int key_compare_by_name(const struct naming *n, enum kmem_key key, uint64_t a, uint64_t b)
{
	const uint64_t *x, *y;
	size_t nr_x, nr_y, i = 0;

	if (a == b || (key != KEY_STACK && key != KEY_USTACK))
		return kmem_key_compare(key, &n->names, a, b);
	x = intern_get(&n->names.stacks, (uint32_t)a, &nr_x);
	y = intern_get(&n->names.stacks, (uint32_t)b, &nr_y);
	nr_x /= sizeof(*x);
	nr_y /= sizeof(*y);
	while (i < nr_x && i < nr_y && x[i] == y[i])
		i++;
	return i < nr_x && i < nr_y ? compare_frames(n, x[i], y[i]) : (nr_x > nr_y) - (nr_x < nr_y);
}

/* ---- looks, as named in key_list.h ----------------------------------------------------------- */

static struct value look_callsite(const struct naming *n, uint64_t v, struct strbuf *scratch)
{
	(void)scratch;
	return value_callsite(naming_callsite(n, v));
}

static struct value look_stack(const struct naming *n, uint64_t v, struct strbuf *scratch)
{
	struct value stack = {.kind = VALUE_STACK, .stack = {.name = name_frame, .naming = n}};
	size_t len;

	(void)scratch;
	stack.stack.frames = intern_get(&n->names.stacks, (uint32_t)v, &len);
	stack.stack.nr = len / sizeof(*stack.stack.frames);
	return stack;
}

static struct value look_hex(const struct naming *n, uint64_t v, struct strbuf *scratch)
{
	(void)n, (void)scratch;
	return value_hex(v);
}

static struct value look_unsigned(const struct naming *n, uint64_t v, struct strbuf *scratch)
{
	(void)n, (void)scratch;
	return value_id(v);
}

static struct value look_signed(const struct naming *n, uint64_t v, struct strbuf *scratch)
{
	(void)n, (void)scratch;
	return value_signed_id((int64_t)v);
}

static struct value look_string(const struct naming *n, uint64_t v, struct strbuf *scratch)
{
	(void)scratch;
	return value_text(intern_get(&n->names.strings, (uint32_t)v, NULL));
}

#define look_cache look_string

static struct value look_gfp(const struct naming *n, uint64_t v, struct strbuf *scratch)
{
	gfp_format_compact(scratch, &n->gfp, v);
	return value_text(scratch->buf);
}

/* A number without a name in this kernel is shown as a number. */
static struct value look_migratetype(const struct naming *n, uint64_t v, struct strbuf *scratch)
{
	const char *name = migratetype_name(migratetype_of(&n->migratetypes, v));

	if (name)
		return value_text(name);
	strbuf_addf(scratch, "%lld", (long long)v);
	return value_text(scratch->buf);
}

static struct value look_migrate_reason(const struct naming *n, uint64_t v, struct strbuf *scratch)
{
	(void)n, (void)scratch;
	return value_text(migrate_reason_name(v));
}

static struct value look_age(const struct naming *n, uint64_t v, struct strbuf *scratch)
{
	(void)n, (void)scratch;
	return value_text(age_class_name(v));
}

static struct value look_bool(const struct naming *n, uint64_t v, struct strbuf *scratch)
{
	(void)n, (void)scratch;
	return value_bool(v);
}

/* ---- columns --------------------------------------------------------------------------------- */

static const struct naming *naming_of(const struct document_cell *cell)
{
	return cell->column->arg;
}

static uint64_t key_of(const struct document_cell *cell)
{
	return (*(const uint64_t *const *)cell->row)[cell->column->index];
}

/* Define a function for each key: cell_CALLSITE() and so on. */
#define KEY_CELL(id, name, allocator, kind, heading, look, ...)                                    \
	static struct value cell_##id(const struct document_cell *cell)                            \
	{                                                                                          \
		return look_##look(naming_of(cell), key_of(cell), cell->scratch);                  \
	}
KMEM_KEYS(KEY_CELL)

#define KEY_ROW(id, name, allocator, kind, heading, look, cut, ...)                                \
	[KEY_##id] = {heading, look_##look, cell_##id, cut},

static const struct {
	const char *heading;
	struct value (*look)(const struct naming *n, uint64_t v, struct strbuf *scratch);
	struct value (*cell)(const struct document_cell *cell);
	unsigned int cut;
} keys[KEY_NR] = {KMEM_KEYS(KEY_ROW)};

struct value key_value(const struct naming *n, enum kmem_key key, uint64_t v,
		       struct strbuf *scratch)
{
	return keys[key].look(n, v, scratch);
}

struct document_column key_column(const struct naming *n, enum kmem_key key, unsigned int i)
{
	unsigned int cut = keys[key].cut;

	return (struct document_column){
		.id = kmem_key_name(key),
		.heading = keys[key].heading,
		.value = keys[key].cell,
		.arg = n,
		.index = i,
		.is_key = true,
		.is_name = cut != 0,
		.cut = cut,
		.sort = kmem_key_name(key),
	};
}

/* ---- keys in JSON ---------------------------------------------------------------------------- */

/* The call site without its module, if the module is a key of its own. */
static struct value bare_callsite(const struct document_cell *cell)
{
	struct value v = cell_CALLSITE(cell);

	v.callsite.bare = true;
	return v;
}

static void for_each_alias(const struct value_strings *s, void (*fn)(void *ctx, const char *text),
			   void *ctx)
{
	const struct naming *n = s->source;
	const char *at = NULL;

	while (cache_aliases_next(&n->cache_aliases, &n->names.strings, s->number, &at, s->scratch))
		fn(ctx, s->scratch->buf);
}

struct value key_cache_aliases(const struct naming *n, uint64_t cache, struct strbuf *scratch)
{
	const char *at = NULL;

	if (!cache_aliases_next(&n->cache_aliases, &n->names.strings, cache, &at, scratch))
		return value_absent();
	return (struct value){.kind = VALUE_STRINGS,
			      .strings = {for_each_alias, n, cache, scratch}};
}

static struct value aliases(const struct document_cell *cell)
{
	return key_cache_aliases(naming_of(cell), key_of(cell), cell->scratch);
}

static struct value gfp_mask(const struct document_cell *cell)
{
	return value_hex(key_of(cell));
}

static void for_each_flag(const struct value_strings *s, void (*fn)(void *ctx, const char *text),
			  void *ctx)
{
	gfp_for_each(s->source, s->number, fn, ctx);
}

static struct value gfp_flags(const struct document_cell *cell)
{
	return (struct value){
		.kind = VALUE_STRINGS,
		.strings = {for_each_flag, &naming_of(cell)->gfp, key_of(cell), NULL}};
}

static struct value age_up_to_ns(const struct document_cell *cell)
{
	uint64_t limit = age_class_limit_ns(key_of(cell));

	return limit == UINT64_MAX ? value_absent() : value_u64(limit);
}

/* JSON members that replace the key's own; id NULL: the key's. */
static const struct member {
	enum kmem_key key;
	const char *id;
	struct value (*value)(const struct document_cell *cell);
} members[] = {
	{KEY_CACHE, NULL, cell_CACHE},
	{KEY_CACHE, "aliases", aliases},
	{KEY_GFP, "gfp_flags", gfp_mask},
	{KEY_GFP, NULL, gfp_flags},
	{KEY_MIGRATETYPE, "migratetype", cell_MIGRATETYPE},
	{KEY_BLOCK_MIGRATETYPE, "block_migratetype", cell_BLOCK_MIGRATETYPE},
	{KEY_AGE, "age_up_to_ns", age_up_to_ns},
};

static void add_members(struct document_columns *columns, struct document_column column,
			enum kmem_key key, bool has_module)
{
	bool any = false;

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		struct document_column member = column;

		if (members[i].key != key)
			continue;
		if (members[i].id)
			member.id = members[i].id;
		member.value = members[i].value;
		document_columns_add(columns, &member);
		any = true;
	}
	if (any)
		return;
	if (key == KEY_CALLSITE && has_module)
		column.value = bare_callsite;
	document_columns_add(columns, &column);
}

void key_columns_add(struct document_columns *columns, const struct naming *n,
		     const enum kmem_key *by, unsigned int nr_by, enum document_audience audience)
{
	bool has_module = false;

	for (unsigned int i = 0; i < nr_by; i++)
		has_module |= by[i] == KEY_MODULE;
	for (unsigned int i = 0; i < nr_by; i++) {
		struct document_column column = key_column(n, by[i], i);

		column.audience = audience;
		if (audience == FOR_PROGRAMS)
			add_members(columns, column, by[i], has_module);
		else
			document_columns_add(columns, &column);
	}
}
