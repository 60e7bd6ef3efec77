// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/where/slab_part.h"

#include <string.h>

#include "util/host/slab_counts.h"
#include "util/event/reclaimable_caches.h"
#include "util/where/scan.h"

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

static void set_owners(struct balance *b, uint32_t line, const char *cache,
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
		return;
	}
}

struct caches {
	struct intern names;
	struct reclaimable_caches reclaimable;
	uint32_t lines[2]; /* unreclaimable, reclaimable */
};

static void add_cache(struct balance *b, struct caches *caches, const struct slabinfo_cache *c,
		      uint32_t page_size, const struct holders *holders)
{
	const uint32_t number = intern_add_str(&caches->names, c->name);
	uint64_t bytes;
	uint32_t line;

	b->failed |= number == INTERN_NONE;
	if (b->failed || __builtin_mul_overflow(c->slabs, c->slab_pages, &bytes) ||
	    __builtin_mul_overflow(bytes, page_size, &bytes) || !bytes || bytes > SCAN_NUMBER_MAX)
		return;
	line = caches->lines[reclaimable_caches_has(&caches->reclaimable, &caches->names, number)];
	line = balance_add_new(b, line, c->name, NULL, (int64_t)bytes);
	set_owners(b, line, c->name, holders);
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
	scan_init(&s, text->buf, text->len);
	while (!b->failed && scan_next(&s))
		if (s.line[0] != '#' && slabinfo_parse(s.line, s.len, &c))
			add_cache(b, caches, &c, texts->facts.page_size, holders);
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
