// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/capture/cgroup_news.h"

#include <errno.h>

int cgroup_news_init(struct cgroup_news *n, struct error *err)
{
	*n = (struct cgroup_news){.last_id = 0};
	table_init(&n->told, sizeof(uint64_t), sizeof(uint64_t));
	return cgroup_tree_init(&n->tree, err);
}

void cgroup_news_deinit(struct cgroup_news *n)
{
	table_deinit(&n->told);
	cgroup_tree_deinit(&n->tree);
}

void cgroup_news_forget(struct cgroup_news *n)
{
	table_deinit(&n->told);
	table_init(&n->told, sizeof(uint64_t), sizeof(uint64_t));
	n->last_id = 0;
}

int cgroup_news_look_up(struct cgroup_news *n, uint64_t id, const struct sample_id *when,
			struct strbuf *out)
{
	const char *path;

	n->last_id = id;
	if (table_find(&n->told, &id))
		return 0;
	if (!table_insert(&n->told, &id))
		return -ENOMEM;
	path = cgroup_tree_path(&n->tree, id);
	return path ? synthesize_cgroup(out, id, path, when) : 0;
}
