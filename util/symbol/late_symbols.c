// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/symbol/late_symbols.h"

#include <pthread.h>
#include <stdlib.h>

#include "util/base/log.h"
#include "util/base/strbuf.h"

struct late_symbols {
	const char *kallsyms;
	pthread_mutex_t lock; /* of the reading */
	bool is_read;
	struct symbol_table table;
	struct module_space modules;
};

struct late_symbols *late_symbols_new(const char *kallsyms)
{
	struct late_symbols *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->kallsyms = kallsyms;
	pthread_mutex_init(&l->lock, NULL);
	return l;
}

void late_symbols_free(struct late_symbols *l)
{
	if (!l)
		return;
	symbol_table_deinit(&l->table);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

static void read_table(struct late_symbols *l)
{
	struct strbuf text = STRBUF_INIT;
	uint64_t moved_by;
	size_t len;
	char *v;

	if (strbuf_read_file(&text, l->kallsyms)) {
		strbuf_deinit(&text);
		return;
	}
	len = text.len;
	v = strbuf_detach(&text);
	if (!v || symbol_table_init(&l->table, v, len, "", 0, &moved_by)) {
		l->table = (struct symbol_table){0};
		return;
	}
	log_info("%s: %zu kernel symbols", l->kallsyms, l->table.nr);
	module_space_add(&l->modules, &l->table);
}

const struct symbol_table *late_symbols_table(struct late_symbols *l)
{
	if (__atomic_load_n(&l->is_read, __ATOMIC_ACQUIRE))
		return &l->table;
	pthread_mutex_lock(&l->lock);
	if (!l->is_read)
		read_table(l);
	__atomic_store_n(&l->is_read, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&l->lock);
	return &l->table;
}

const struct module_space *late_symbols_modules(const struct late_symbols *l)
{
	return &l->modules;
}
