// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/source_checks.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/base/strbuf.h"

/* ---- before the first event ------------------------------------------------------------------ */

/* Keys that events lack, unless the source supplies them. */
#define SNAPSHOT_KEYS                                                                              \
	(KEY_BIT(KEY_MEMCG) | KEY_BIT(KEY_BLOCK_MIGRATETYPE) | KEY_BIT(KEY_MIGRATE_REASON))

static key_mask_t keys_of(const struct source_facts *facts)
{
	const char *names = facts->keys;
	key_mask_t keys = 0;

	if (!names)
		return ~SNAPSHOT_KEYS;
	while (*names) {
		size_t len = strcspn(names, " ");

		keys |= KEY_BIT(kmem_key_find(names, len));
		names += len + strspn(names + len, " ");
	}
	return keys;
}

bool source_tells_key(const struct source_facts *facts, enum kmem_key key)
{
	return keys_of(facts) >> key & 1;
}

/* Keys that group rows; accounts have tables of their own, too. */
static key_mask_t grouped_by(const struct table_spec *tables, unsigned int nr)
{
	key_mask_t keys = 0;

	for (unsigned int t = 0; t < nr; t++)
		for (unsigned int i = 0; i < tables[t].nr_by; i++)
			keys |= KEY_BIT(tables[t].by[i]);
	return keys;
}

int source_check_keys(const struct source_checks *s, key_mask_t filtered, struct error *err)
{
	const struct source_facts *facts = s->facts;
	const struct kmem_options *o = s->options;
	key_mask_t asked = filtered, lacking;

	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (accounts_allocator(s->accounts, i))
			asked |= grouped_by(o->tables[i].v, o->tables[i].nr);
	lacking = asked & ~o->optional_keys & ~keys_of(facts);

	for (int key = 0; key < KEY_NR; key++)
		if (lacking >> key & 1)
			return error_set(err, ENODATA, "'%s' has no %s (it has:%s%s)", facts->path,
					 kmem_key_name(key), facts->keys ? " " : "",
					 facts->keys
						 ? facts->keys
						 : " the keys of events; a page_owner dump has it");
	return 0;
}

static key_mask_t grouped_with_history(const struct table_spec *tables, unsigned int nr)
{
	key_mask_t keys = 0;

	for (unsigned int t = 0; t < nr; t++)
		keys |= tables[t].history ? grouped_by(&tables[t], 1) : 0;
	return keys;
}

int source_check_histories(const struct source_checks *s, struct error *err)
{
	const struct kmem_options *o = s->options;
	enum kmem_key key;
	key_mask_t keys = 0;

	for (int i = 0; i < ACCOUNTS_NR; i++)
		keys |= grouped_with_history(o->tables[i].v, o->tables[i].nr);
	key = keys & KEY_BIT(KEY_PTR) ? KEY_PTR : KEY_PAGE;
	if (s->facts->is_snapshot || !(keys >> key & 1))
		return 0;
	return error_set(err, EINVAL,
			 "leak cannot group by %s, which is used again and again (stat --live --by "
			 "%s lists what is live)",
			 kmem_key_name(key), kmem_key_name(key));
}

int source_check_all_told(const struct source_checks *s, struct error *err)
{
	for (int i = 0; i < ACCOUNTS_NR; i++) {
		const struct account_ops *ops = account_table[i];

		if (!s->chosen[i] || !ops->source_keys)
			continue;
		if (!s->facts->keys || ops->source_keys & ~keys_of(s->facts))
			return error_set(
				err, ENODATA,
				"'%s' does not list all pages with their pageblocks, which "
				"--%s needs (a page_owner dump does)",
				s->facts->path, ops->id);
		if (s->options->nr_windows)
			return error_set(err, EINVAL,
					 "--%s is about all pages that are there: not with --time",
					 ops->id);
	}
	return 0;
}

int source_check_cgroups(const struct source_checks *s, struct error *err)
{
	if (!(s->decoding->completer.wanted & CGROUP_KEYS & ~s->options->optional_keys))
		return 0;
	for (size_t i = 0; i < s->facts->nr_events; i++)
		if (s->facts->events[i]->has_cgroup)
			return 0;
	return error_set(err, ENODATA,
			 "'%s' does not say in which control groups its events happened (record "
			 "with --all-cgroups)",
			 s->facts->path);
}

int source_check_user_stacks(const struct source_checks *s, struct error *err)
{
	const struct event_completer *c = &s->decoding->completer;
	key_mask_t lacking = c->wanted & USER_KEYS & ~s->options->optional_keys;

	if (c->user || !lacking)
		return 0;
	return error_set(err, ENODATA,
			 "'%s' has no user callchains, which %s needs (record with --user-stacks)",
			 s->facts->path, kmem_key_name((enum kmem_key)__builtin_ctzll(lacking)));
}

/* ---- after reading --------------------------------------------------------------------------- */

int source_check_read(const struct source_checks *s, struct error *err)
{
	const struct source_facts *r = s->facts;

	if (!r->nr_samples && r->stop.stopped)
		return error_set(err, ECANCELED, "'%s': stopped before the first event was read",
				 r->path);
	if (!r->nr_samples && r->damage.what[0])
		return error_set(err, EIO, "nothing can be read from '%s': %s at offset 0x%" PRIx64,
				 r->path, r->damage.what, r->damage.first_pos);
	return 0;
}

/* "it has: sched:sched_switch, ..." */
static int error_no_kmem_events(const struct source_checks *s, struct error *err)
{
	struct strbuf sb = STRBUF_INIT;
	int ret;

	for (size_t i = 0; i < s->facts->nr_events; i++) {
		const struct source_event *ev = s->facts->events[i];

		if (ev->is_dummy)
			continue;
		if (sb.len)
			strbuf_addstr(&sb, ", ");
		if (ev->name)
			strbuf_addstr(&sb, ev->name);
		else
			strbuf_addf(&sb, "type %u config 0x%" PRIx64, ev->type, ev->config);
	}
	if (s->facts->page_size)
		ret = error_set(err, ENODATA, "'%s' holds no kmem events", s->facts->path);
	else if (!sb.len)
		ret = error_set(err, ENODATA,
				"'%s' holds no events (make a recording with 'perf kmem record')",
				s->facts->path);
	else
		ret = error_set(
			err, ENODATA,
			"'%s' holds no kmem events, says its tracing data at offset 0x%" PRIx64
			", but: %s (make a recording with 'perf kmem record')",
			s->facts->path, s->facts->formats_pos, sb.buf);
	strbuf_deinit(&sb);
	return ret;
}

int source_check_kinds(const struct source_checks *s, struct error *err)
{
	uint32_t kinds = decoding_kinds(s->decoding);

	if (!kinds && s->facts->nr_tables)
		return 0;
	if (!kinds && !s->facts->is_live)
		return error_no_kmem_events(s, err);
	return accounts_check(s->options->wanted, s->chosen, kinds, s->facts, err);
}
