// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/key_format.h"

#include <inttypes.h>

#include "util/base/printable.h"
#include "util/kmem/gfp.h"

void key_format_address(struct strbuf *sb, const struct kmem_analysis *a, uint64_t address,
			bool raw_ip)
{
	const struct symbol *sym =
		raw_ip || !address ? NULL : symbols_find(&a->naming.symbols, address);

	if (sym)
		strbuf_addf(sb, "%s+%" PRIx64, sym->name, address - sym->start);
	else if (!address)
		strbuf_addstr(sb, "unknown");
	else
		strbuf_addf(sb, "0x%" PRIx64, address);
}

const uint64_t *key_stack_frames(const struct kmem_analysis *a, uint64_t stack, size_t *ret_nr)
{
	size_t len;
	const uint64_t *frames = intern_get(&a->naming.names.stacks, (uint32_t)stack, &len);

	*ret_nr = len / sizeof(*frames);
	return frames;
}

typedef void (*text_fn)(struct strbuf *sb, const struct kmem_analysis *a, uint64_t v, bool raw_ip);
typedef void (*json_fn)(struct json *j, const struct kmem_analysis *a, const char *name,
			uint64_t v);

static void callsite_text(struct strbuf *sb, const struct kmem_analysis *a, uint64_t v, bool raw_ip)
{
	key_format_address(sb, a, v, raw_ip);
}

static void hex_text(struct strbuf *sb, const struct kmem_analysis *a, uint64_t v, bool raw_ip)
{
	(void)a, (void)raw_ip;
	strbuf_addf(sb, "0x%" PRIx64, v);
}

static void hex_json(struct json *j, const struct kmem_analysis *a, const char *name, uint64_t v)
{
	(void)a;
	json_hex(j, name, v);
}

static void unsigned_text(struct strbuf *sb, const struct kmem_analysis *a, uint64_t v, bool raw_ip)
{
	(void)a, (void)raw_ip;
	strbuf_addf(sb, "%" PRIu64, v);
}

static void unsigned_json(struct json *j, const struct kmem_analysis *a, const char *name,
			  uint64_t v)
{
	(void)a;
	json_u64(j, name, v);
}

static void signed_text(struct strbuf *sb, const struct kmem_analysis *a, uint64_t v, bool raw_ip)
{
	(void)a, (void)raw_ip;
	strbuf_addf(sb, "%" PRId64, (int64_t)v);
}

static void signed_json(struct json *j, const struct kmem_analysis *a, const char *name, uint64_t v)
{
	(void)a;
	json_i64(j, name, (int64_t)v);
}

static void string_text(struct strbuf *sb, const struct kmem_analysis *a, uint64_t v, bool raw_ip)
{
	(void)raw_ip;
	strbuf_addstr(sb, intern_get(&a->naming.names.strings, (uint32_t)v, NULL));
}

static void string_json(struct json *j, const struct kmem_analysis *a, const char *name, uint64_t v)
{
	json_string(j, name, intern_get(&a->naming.names.strings, (uint32_t)v, NULL));
}

static void cache_text(struct strbuf *sb, const struct kmem_analysis *a, uint64_t v, bool raw_ip)
{
	string_text(sb, a, v, raw_ip);
}

/* The cache, and what else was merged into it, where the recording tells. */
static void cache_json(struct json *j, const struct kmem_analysis *a, const char *name, uint64_t v)
{
	struct strbuf alias = STRBUF_INIT;
	const char *at = NULL;

	string_json(j, a, name, v);
	if (cache_aliases_next(&a->naming.cache_aliases, &a->naming.names.strings, v, &at,
			       &alias)) {
		json_open(j, "aliases", '[', true);
		do
			json_string(j, NULL, alias.buf);
		while (cache_aliases_next(&a->naming.cache_aliases, &a->naming.names.strings, v,
					  &at, &alias));
		json_close(j, ']');
	}
	j->failed |= alias.failed;
	strbuf_deinit(&alias);
}

static void callsite_json(struct json *j, const struct kmem_analysis *a, const char *name,
			  uint64_t v)
{
	const struct symbol *sym = v ? symbols_find(&a->naming.symbols, v) : NULL;

	json_hex(j, name, v);
	json_string(j, "symbol", sym ? sym->name : NULL);
	json_u64(j, "offset", sym ? v - sym->start : 0);
}

/* The module of a call site, unless it is a key of its own. */
static void callsite_module_json(struct json *j, const struct kmem_analysis *a, uint64_t v)
{
	const struct symbol *sym = v ? symbols_find(&a->naming.symbols, v) : NULL;

	json_string(j, "module", sym ? sym->module : NULL);
}

static void stack_text(struct strbuf *sb, const struct kmem_analysis *a, uint64_t v, bool raw_ip)
{
	size_t nr;
	const uint64_t *frames = key_stack_frames(a, v, &nr);

	for (size_t i = 0; i < nr; i++) {
		if (i)
			strbuf_addstr(sb, " < ");
		key_format_address(sb, a, frames[i], raw_ip);
	}
	if (!nr)
		strbuf_addstr(sb, "unknown");
}

static void stack_json(struct json *j, const struct kmem_analysis *a, const char *name, uint64_t v)
{
	struct strbuf sb = STRBUF_INIT;
	size_t nr;
	const uint64_t *frames = key_stack_frames(a, v, &nr);

	json_open(j, name, '[', true);
	for (size_t i = 0; i < nr; i++) {
		strbuf_reset(&sb);
		key_format_address(&sb, a, frames[i], false);
		json_string(j, NULL, sb.buf);
	}
	json_close(j, ']');
	j->failed |= sb.failed;
	strbuf_deinit(&sb);
}

static void gfp_text(struct strbuf *sb, const struct kmem_analysis *a, uint64_t v, bool raw_ip)
{
	(void)raw_ip;
	gfp_format_compact(sb, &a->naming.gfp.names, v);
}

static void gfp_name_json(void *ctx, const char *name)
{
	json_string(ctx, NULL, name);
}

static void gfp_json(struct json *j, const struct kmem_analysis *a, const char *name, uint64_t v)
{
	json_hex(j, "gfp_flags", v);
	json_open(j, name, '[', true);
	gfp_for_each(&a->naming.gfp.names, v, gfp_name_json, j);
	json_close(j, ']');
}

static void migratetype_text(struct strbuf *sb, const struct kmem_analysis *a, uint64_t v,
			     bool raw_ip)
{
	const char *name = migratetype_name(migratetype_of(&a->naming.migratetypes, v));

	(void)raw_ip;
	if (name)
		strbuf_addstr(sb, name);
	else
		strbuf_addf(sb, "%" PRId64, (int64_t)v);
}

static void migratetype_json(struct json *j, const struct kmem_analysis *a, const char *name,
			     uint64_t v)
{
	struct strbuf sb = STRBUF_INIT;

	(void)name;
	migratetype_text(&sb, a, v, false);
	json_string(j, "migratetype", sb.buf);
	j->failed |= sb.failed;
	strbuf_deinit(&sb);
}

static void bool_text(struct strbuf *sb, const struct kmem_analysis *a, uint64_t v, bool raw_ip)
{
	(void)a, (void)raw_ip;
	strbuf_addstr(sb, v ? "yes" : "no");
}

static void bool_json(struct json *j, const struct kmem_analysis *a, const char *name, uint64_t v)
{
	(void)a;
	json_bool(j, name, v);
}

#define KEY_LOOK(id, name, allocator, kind, heading, look) [KEY_##id] = {look##_text, look##_json},

static const struct {
	text_fn text;
	json_fn json;
} formats[KEY_NR] = {KMEM_KEYS(KEY_LOOK)};

void key_format_exact(struct strbuf *sb, const struct kmem_analysis *a, enum kmem_key key,
		      uint64_t value)
{
	formats[key].text(sb, a, value, false);
}

void key_format_text(struct strbuf *sb, const struct kmem_analysis *a, enum kmem_key key,
		     uint64_t value, bool raw_ip)
{
	size_t start = sb->len;

	formats[key].text(sb, a, value, raw_ip);
	printable_strbuf(sb, start);
}

void key_format_json(struct json *j, const struct kmem_analysis *a, const enum kmem_key *by,
		     unsigned int nr_by, const uint64_t *values)
{
	bool has_module = false;

	for (unsigned int i = 0; i < nr_by; i++)
		has_module |= by[i] == KEY_MODULE;
	for (unsigned int i = 0; i < nr_by; i++) {
		formats[by[i]].json(j, a, kmem_key_name(by[i]), values[i]);
		if (by[i] == KEY_CALLSITE && !has_module)
			callsite_module_json(j, a, values[i]);
	}
}
