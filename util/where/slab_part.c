// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/where/slab_part.h"

#include <string.h>

#include "util/base/cleanup.h"
#include "util/event/cache_aliases.h"
#include "util/event/reclaimable_caches.h"
#include "util/host/slab_counts.h"
#include "util/where/scan.h"

/* Number of names of merged caches in a label. */
#define ALIASES_SHOWN 2

/* Caches whose objects processes hold through descriptors, threads or timers. */
static const struct {
	const char *cache; /* the beginning of its name */
	enum holder_number number;
} owners[] = {
	{"filp", HOLDER_NR_files},
	{"sock_inode_cache", HOLDER_NR_sockets},
	{"TCP", HOLDER_NR_sockets},
	{"UDP", HOLDER_NR_sockets},
	{"UNIX", HOLDER_NR_sockets},
	{"skbuff_", HOLDER_NR_sockets},
	{"eventpoll_epi", HOLDER_NR_epoll_items},
	{"ep_item", HOLDER_NR_epoll_items},
	{"inotify_inode_mark", HOLDER_NR_inotify_watches},
	{"posix_timers_cache", HOLDER_NR_timers},
	{"task_struct", HOLDER_NR_threads},
	{"kmalloc-cg-1k", HOLDER_NR_pipes},
};

struct caches {
	struct intern names;
	struct reclaimable_caches reclaimable;
	struct cache_aliases aliases;
	uint32_t lines[2]; /* unreclaimable, reclaimable */
};

/* Returns whether the objects of a cache with this name belong to what processes hold. */
static bool set_owners(struct balance *b, uint32_t line, const char *cache,
		       const struct holders *holders)
{
	for (size_t i = 0; i < sizeof(owners) / sizeof(owners[0]); i++) {
		struct strbuf who = STRBUF_INIT;

		if (strncmp(cache, owners[i].cache, strlen(owners[i].cache)) != 0)
			continue;
		holders_add_largest(holders, owners[i].number, &who);
		b->failed |= who.failed;
		balance_set_who(b, line, who.buf);
		strbuf_deinit(&who);
		return true;
	}
	return false;
}

/* The label of a cache, with the names of the caches that the kernel merged with it: "a = b, c". */
static void set_label(const struct caches *caches, uint32_t number, const char *name,
		      struct strbuf *label)
{
	_cleanup_(strbuf_deinit) struct strbuf alias = STRBUF_INIT;
	const char *at = NULL;
	unsigned int nr = 0;

	strbuf_addstr(label, name);
	while (cache_aliases_next(&caches->aliases, &caches->names, number, &at, &alias)) {
		if (nr < ALIASES_SHOWN)
			strbuf_addf(label, "%s%s", nr ? ", " : " = ", alias.buf);
		nr++;
	}
	if (nr > ALIASES_SHOWN)
		strbuf_addf(label, " and %u more", nr - ALIASES_SHOWN);
	label->failed |= alias.failed;
}

/* Who holds objects of the cache, or of one of those that the kernel merged with it. */
static void set_owners_of_all(struct balance *b, uint32_t line, const struct caches *caches,
			      uint32_t number, const char *name, const struct holders *holders)
{
	_cleanup_(strbuf_deinit) struct strbuf alias = STRBUF_INIT;
	const char *at = NULL;
	bool found = set_owners(b, line, name, holders);

	while (!found && cache_aliases_next(&caches->aliases, &caches->names, number, &at, &alias))
		found = set_owners(b, line, alias.buf, holders);
	b->failed |= alias.failed;
}

static void add_cache(struct balance *b, struct caches *caches, const struct slabinfo_cache *c,
		      uint32_t page_size, const struct holders *holders)
{
	const uint32_t number = intern_add_str(&caches->names, c->name);
	struct strbuf label = STRBUF_INIT;
	uint64_t bytes;
	uint32_t line;

	b->failed |= number == INTERN_NONE;
	if (b->failed || __builtin_mul_overflow(c->slabs, c->slab_pages, &bytes) ||
	    __builtin_mul_overflow(bytes, page_size, &bytes) || !bytes || bytes > SCAN_NUMBER_MAX)
		return;
	line = caches->lines[reclaimable_caches_has(&caches->reclaimable, &caches->names, number)];
	set_label(caches, number, c->name, &label);
	b->failed |= label.failed;
	line = balance_add_new(b, line, c->name, label.buf, (int64_t)bytes);
	set_owners_of_all(b, line, caches, number, c->name, holders);
	strbuf_deinit(&label);
}

static void add_caches(struct balance *b, struct caches *caches, const struct where_texts *texts,
		       const struct holders *holders)
{
	const struct strbuf *text = &texts->v[WHERE_SLABINFO].text;
	struct slabinfo_cache c;
	struct scan s;

	intern_init(&caches->names);
	if (reclaimable_caches_init(&caches->reclaimable, &caches->names,
				    texts->facts.reclaimable_caches))
		b->failed = true;
	if (cache_aliases_init(&caches->aliases, &caches->names, texts->facts.cache_aliases.buf))
		b->failed = true;
	scan_init(&s, text->buf, text->len);
	while (!b->failed && scan_next(&s))
		if (s.line[0] != '#' && slabinfo_parse(s.line, s.len, &c))
			add_cache(b, caches, &c, texts->facts.page_size, holders);
	cache_aliases_deinit(&caches->aliases);
	reclaimable_caches_deinit(&caches->reclaimable);
	intern_deinit(&caches->names);
}

void slab_part_add(struct balance *b, const struct meminfo *m, const struct where_texts *texts,
		   const struct holders *holders)
{
	const int64_t reclaimable = meminfo_bytes(m->slab_reclaimable);
	const int64_t unreclaimable = meminfo_bytes(m->slab_unreclaimable);
	uint32_t slab = balance_add(b, BALANCE_ROOT, "slab", "slab",
				    balance_sum(reclaimable, unreclaimable));
	struct caches caches;

	caches.lines[0] = balance_add(b, slab, "unreclaimable", NULL, unreclaimable);
	caches.lines[1] = balance_add(b, slab, "reclaimable", NULL, reclaimable);
	add_caches(b, &caches, texts, holders);
	balance_add_rest(b, caches.lines[0], "large_kmalloc", "large kmalloc, over two pages");
	/* the kind of some caches is unknown to who is not root, and before 6.8 with CONFIG_SLAB */
	balance_add_rest(b, caches.lines[1], "rest",
			 texts->facts.reclaimable_caches ? "changed while reading"
							 : "caches not known as such");
}
