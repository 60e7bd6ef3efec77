// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/decode/filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/pattern.h"
#include "util/base/units.h"
#include "util/event/event_key.h"
#include "util/event/gfp.h"

/* The values that a condition tests. */
struct filter_subject {
	const struct naming *naming;
	const struct kmem_event *event;
};

struct filter_condition {
	const struct condition_kind *kind;
	const char *text; /* without the "!" */
	bool negated;
	uint64_t from, to; /* parsed values of ranges and numbers */
	regex_t regex;
};

struct condition_kind {
	const char *name;
	enum kmem_key key; /* the tested key; KEY_NR: bytes */
	int (*parse)(struct filter_condition *c, struct error *err);
	bool (*matches)(const struct filter_condition *c, const struct filter_subject *s);
};

/* Whether fn is true for an element of "a,b,c". */
static bool any_element(const char *list, bool (*fn)(const char *element, const void *data),
			const void *data)
{
	char element[256];

	while (*list) {
		size_t len = strcspn(list, ",");

		if (len && len < sizeof(element)) {
			memcpy(element, list, len);
			element[len] = '\0';
			if (fn(element, data))
				return true;
		}
		list += len + (list[len] == ',');
	}
	return false;
}

/* "3", "0-3", "4-": a range; -1 stands for "none" where that is a value. */
static int parse_range(const char *text, size_t len, uint64_t *ret_from, uint64_t *ret_to)
{
	char buf[64], *dash;

	if (!len || len >= sizeof(buf))
		return -EINVAL;
	memcpy(buf, text, len);
	buf[len] = '\0';
	if (!strcmp(buf, "-1")) {
		*ret_from = *ret_to = UINT64_MAX;
		return 0;
	}
	dash = strchr(buf, '-');
	if (dash)
		*dash = '\0';
	if (units_parse_u64(buf, ret_from))
		return -EINVAL;
	*ret_to = *ret_from;
	if (dash && !dash[1])
		*ret_to = INT64_MAX;
	else if (dash && (units_parse_u64(dash + 1, ret_to) || *ret_to < *ret_from))
		return -EINVAL;
	return 0;
}

static int parse_ranges(struct filter_condition *c, struct error *err)
{
	const char *p = c->text;
	uint64_t from, to;

	do {
		size_t len = strcspn(p, ",");

		if (parse_range(p, len, &from, &to))
			return error_set(err, EINVAL, "'%s' is not a list of numbers such as 0-3,8",
					 c->text);
		p += len + (p[len] == ',');
	} while (*p);
	return 0;
}

static bool range_has(const char *element, const void *data)
{
	uint64_t from, to, v = *(const uint64_t *)data;

	return !parse_range(element, strlen(element), &from, &to) && v >= from && v <= to;
}

static bool number_matches(const struct filter_condition *c, const struct filter_subject *s)
{
	uint64_t v = kmem_event_key(s->event, c->kind->key);

	return any_element(c->text, range_has, &v);
}

static bool glob_has(const char *element, const void *data)
{
	return !fnmatch(element, data, 0);
}

static bool name_matches(const struct filter_condition *c, const char *name)
{
	/* the name itself may contain a comma */
	return !strcmp(c->text, name) || any_element(c->text, glob_has, name);
}

static bool string_matches(const struct filter_condition *c, const struct filter_subject *s)
{
	uint32_t number = (uint32_t)kmem_event_key(s->event, c->kind->key);

	return name_matches(c, intern_get(&s->naming->names.strings, number, NULL));
}

/* The path with or without its leading slash. */
static bool cgroup_matches(const struct filter_condition *c, const struct filter_subject *s)
{
	const char *path = intern_get(&s->naming->names.strings, s->event->cgroup, NULL);

	return name_matches(c, path) || (path[0] == '/' && path[1] && name_matches(c, path + 1));
}

/* Any of the names: objects of merged caches cannot be distinguished. */
static bool cache_matches(const struct filter_condition *c, const struct filter_subject *s)
{
	const struct naming *n = s->naming;
	struct strbuf alias = STRBUF_INIT;
	const char *at = NULL;
	bool found = string_matches(c, s);

	while (!found && cache_aliases_next(&n->cache_aliases, &n->names.strings, s->event->cache,
					    &at, &alias))
		found = name_matches(c, alias.buf);
	strbuf_deinit(&alias);
	return found;
}

static int parse_regex(struct filter_condition *c, struct error *err)
{
	return pattern_compile(&c->regex, c->text, err);
}

static bool callsite_matches(const struct filter_condition *c, const struct filter_subject *s)
{
	uint64_t address = s->event->call_site;
	const struct symbol *sym = address ? symbols_find(&s->naming->symbols, address) : NULL;
	char hex[24];

	snprintf(hex, sizeof(hex), "0x%" PRIx64, symbols_address(&s->naming->symbols, address));
	return !regexec(&c->regex, sym ? sym->name : address ? hex : "unknown", 0, NULL, 0);
}

#define GFP_NONE "none" /* the text for an empty set of flags */

/* Whether it is a mask, or a name that the recording's kernel prints. Names that a source has for
 * each mask are not known yet. */
static bool is_gfp(const struct filter_condition *c, const struct gfp *g)
{
	for (size_t i = 0; i < g->names.nr; i++)
		if (!strcmp(g->names.v[i].name, c->text))
			return true;
	return c->from || !strcmp(c->text, GFP_NONE) ||
	       (g->texts && (!strncmp(c->text, "__GFP_", 6) || !strncmp(c->text, "GFP_", 4)));
}

struct gfp_search {
	const char *name;
	bool found;
};

static void compare_gfp(void *ctx, const char *name)
{
	struct gfp_search *search = ctx;

	search->found |= !strcmp(name, search->name);
}

/*
 * A name matches where the kernel would print it: GFP_NOFS does not match GFP_KERNEL, which
 * contains its bits. A mask matches if all its bits are set.
 */
static bool gfp_matches(const struct filter_condition *c, const struct filter_subject *s)
{
	struct gfp_search search = {c->text, false};
	uint64_t flags = s->event->gfp_flags;

	if (c->from)
		return (flags & c->from) == c->from;
	if (!flags)
		return !strcmp(c->text, GFP_NONE);
	gfp_for_each(&s->naming->gfp, flags, compare_gfp, &search);
	return search.found;
}

static int parse_gfp(struct filter_condition *c, struct error *err)
{
	(void)err;
	/* a mask in hex, or a name that the recording must resolve */
	if (units_parse_u64(c->text, &c->from))
		c->from = 0;
	return 0;
}

static int parse_bytes(struct filter_condition *c, struct error *err)
{
	if (units_parse_size(c->text, &c->from))
		return error_set(err, EINVAL, "'%s' is not a size such as 4096 or 4K", c->text);
	return 0;
}

/* Only allocations have bytes_req; other events are about blocks of pages. */
static uint64_t bytes_of(const struct filter_subject *s)
{
	return KMEM_ALLOCATIONS >> s->event->kind & 1
		       ? s->event->bytes_req
		       : (uint64_t)s->naming->page_size << s->event->order;
}

static bool bytes_match(const struct filter_condition *c, const struct filter_subject *s)
{
	return bytes_of(s) >= c->from;
}

/* At least one name; the recording determines the matching bits. */
static int parse_globs(struct filter_condition *c, struct error *err)
{
	if (c->text[strspn(c->text, ",")])
		return 0;
	return error_set(err, EINVAL, "'%s' is not a name or a pattern such as a*,b", c->text);
}

/* A new condition is a line here, and one in builtin/kmem/filters.c. */
static const struct condition_kind kinds[] = {
	{"comm", KEY_COMM, parse_globs, string_matches},
	{"pid", KEY_PID, parse_ranges, number_matches},
	{"tid", KEY_TID, parse_ranges, number_matches},
	{"cpu", KEY_CPU, parse_ranges, number_matches},
	{"node", KEY_NODE, parse_ranges, number_matches},
	{"cache", KEY_CACHE, parse_globs, cache_matches},
	{"cgroup", KEY_CGROUP, parse_globs, cgroup_matches},
	{"callsite", KEY_CALLSITE, parse_regex, callsite_matches},
	{"module", KEY_MODULE, parse_globs, string_matches},
	{"gfp", KEY_GFP, parse_gfp, gfp_matches},
	{"order", KEY_ORDER, parse_ranges, number_matches},
	{"min-bytes", KEY_NR, parse_bytes, bytes_match},
};

void kmem_filter_init(struct kmem_filter *f)
{
	*f = (struct kmem_filter){0};
}

void kmem_filter_deinit(struct kmem_filter *f)
{
	for (size_t i = 0; i < f->nr; i++)
		if (f->conditions[i].kind->parse == parse_regex)
			regfree(&f->conditions[i].regex);
	free(f->conditions);
	kmem_filter_init(f);
}

int kmem_filter_add(struct kmem_filter *f, const char *name, const char *text, struct error *err)
{
	struct filter_condition *v = reallocarray(f->conditions, f->nr + 1, sizeof(*v));
	int ret;

	if (!v)
		return error_nomem(err);
	f->conditions = v;
	v[f->nr] =
		(struct filter_condition){.text = text + (*text == '!'), .negated = *text == '!'};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, name))
			v[f->nr].kind = &kinds[i];
	if (!v[f->nr].kind)
		return error_set(err, EINVAL, "there is no filter '%s'", name);
	ret = v[f->nr].kind->parse(&v[f->nr], err);
	if (!ret)
		f->nr++;
	return ret;
}

enum allocator kmem_filter_allocators(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, name) && kinds[i].key < KEY_NR)
			return kmem_key_allocators(kinds[i].key);
	return ALLOCATOR_ALL;
}

int kmem_filter_check(const struct kmem_filter *f, const struct gfp *gfp, struct error *err)
{
	for (size_t i = 0; i < f->nr; i++) {
		const struct filter_condition *c = &f->conditions[i];

		if (c->kind->key == KEY_GFP && !is_gfp(c, gfp))
			return error_set(err, EINVAL,
					 "'%s' is not a gfp flag of the recording's kernel (such "
					 "as GFP_KERNEL or __GFP_ZERO, or a mask such as 0xcc0)",
					 c->text);
	}
	return 0;
}

int kmem_filter_check_keys(const struct kmem_filter *f, key_mask_t keys, const char *account,
			   struct error *err)
{
	struct strbuf others = STRBUF_INIT;
	const char *name = NULL;
	int ret;

	for (size_t i = 0; i < f->nr && !name; i++)
		if (!(keys >> f->conditions[i].kind->key & 1))
			name = f->conditions[i].kind->name;
	if (!name)
		return 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (keys >> kinds[i].key & 1)
			strbuf_addf(&others, " --%s", kinds[i].name);
	ret = error_set(err, EINVAL, "--%s cannot be filtered by --%s%s%s%s", account, name,
			others.len ? " (but by:" : "", others.buf, others.len ? ")" : "");
	strbuf_deinit(&others);
	return ret;
}

void kmem_filter_want(const struct kmem_filter *f, struct event_completer *m)
{
	for (size_t i = 0; i < f->nr; i++)
		if (f->conditions[i].kind->key < KEY_NR)
			event_completer_want(m, f->conditions[i].kind->key);
}

/* Conditions of a kind are decided together: one of those without "!" must match, if there are any,
 * and none of those with "!". */
static bool kind_matches(const struct kmem_filter *f, size_t first,
			 const struct filter_subject *subject)
{
	bool any = false, wanted = false;

	for (size_t i = first; i < f->nr; i++) {
		const struct filter_condition *c = &f->conditions[i];

		if (c->kind != f->conditions[first].kind)
			continue;
		if (!c->negated) {
			wanted = true;
			any = any || c->kind->matches(c, subject);
		} else if (c->kind->matches(c, subject)) {
			return false;
		}
	}
	return any || !wanted;
}

/* Whether an earlier condition is of the same kind. */
static bool is_first(const struct kmem_filter *f, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (f->conditions[k].kind == f->conditions[i].kind)
			return false;
	return true;
}

static uint64_t value_of(const struct condition_kind *kind, const struct filter_subject *s)
{
	return kind->key < KEY_NR ? kmem_event_key(s->event, kind->key) : bytes_of(s);
}

bool kmem_filter_matches(const struct kmem_filter *f, const struct naming *naming,
			 const struct kmem_event *ev, struct filter_tally *tally)
{
	const struct filter_subject subject = {naming, ev};

	for (size_t i = 0; i < f->nr; i++) {
		bool matches;

		if (!is_first(f, i))
			continue;
		matches = kind_matches(f, i, &subject);
		if (tally && i < tally->nr && !tally->v[i].matched)
			filter_tally_note(tally, i, matches,
					  value_of(f->conditions[i].kind, &subject));
		if (!matches)
			return false;
	}
	return true;
}

/* Quoted so that a shell reads it as one word. */
static void add_word(struct strbuf *sb, bool negated, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./,:+=@%";

	if (!negated && text[strspn(text, plain)] == '\0') {
		strbuf_addstr(sb, text);
		return;
	}
	strbuf_addstr(sb, negated ? "'!" : "'");
	for (const char *p = text; *p; p++)
		if (*p == '\'')
			strbuf_addstr(sb, "'\\''");
		else
			strbuf_addch(sb, *p);
	strbuf_addch(sb, '\'');
}

void kmem_filter_add_options(const struct kmem_filter *f, struct strbuf *sb)
{
	for (size_t i = 0; i < f->nr; i++) {
		const struct filter_condition *c = &f->conditions[i];

		strbuf_addf(sb, "%s--%s ", sb->len ? " " : "", c->kind->name);
		add_word(sb, c->negated, c->text);
	}
}

/* " --comm bash --comm '!sh'": the conditions of a kind, as typed. */
static void add_conditions(const struct kmem_filter *f, size_t first, struct strbuf *sb)
{
	for (size_t i = first; i < f->nr; i++) {
		const struct filter_condition *c = &f->conditions[i];

		if (c->kind == f->conditions[first].kind)
			strbuf_addf(sb, " --%s %s%s", c->kind->name, c->negated ? "!" : "",
				    c->text);
	}
}

bool kmem_filter_explain(const struct kmem_filter *f, const struct filter_tally *tally,
			 const struct naming *naming, const char *subject, struct strbuf *sb)
{
	size_t culprit = 0;
	struct tally_look look = {.naming = naming};

	while (culprit < tally->nr && (!is_first(f, culprit) || tally->v[culprit].matched))
		culprit++;
	/* if the first condition saw no values, there was nothing to match */
	if (culprit >= tally->nr || !tally->v[culprit].values.nr)
		return false;
	strbuf_addf(sb, "no %s", subject);
	for (size_t i = 0; i < culprit; i++)
		if (is_first(f, i)) {
			strbuf_addstr(sb, i ? "" : " of");
			add_conditions(f, i, sb);
		}
	strbuf_addstr(sb, " matches");
	add_conditions(f, culprit, sb);
	look.key = f->conditions[culprit].kind->key;
	strbuf_addstr(sb, " (there are: ");
	filter_tally_list(tally, culprit, &look, f->conditions[culprit].text, sb);
	strbuf_addch(sb, ')');
	return true;
}
