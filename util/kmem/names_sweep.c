// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/kmem/names_sweep.h"

#include "util/event/naming.h"

static void mark_rows(struct key_marks *m, const struct stat_table *t)
{
	uint32_t row;

	stat_table_for_each (row, t)
		for (unsigned int i = 0; i < t->nr_by; i++)
			key_marks_add(m, t->by[i], stat_table_keys(t, row)[i]);
}

static void mark_tables(struct key_marks *m, const struct allocator_accounts *a)
{
	for (unsigned int i = 0; i < a->nr_tables; i++)
		mark_rows(m, &a->tables[i]);
}

/* Whatever the key: a mark too many keeps a name longer. */
static void mark_tally(struct key_marks *m, const struct filter_tally *tally)
{
	for (size_t i = 0; i < tally->nr; i++) {
		const uint64_t *value;
		uint64_t at = 0;

		while ((value = table_next(&tally->v[i].values, &at))) {
			key_marks_add_string(m, *value);
			key_marks_add_stack(m, *value);
		}
	}
}

static void mark_comm(void *ctx, uint32_t comm)
{
	key_marks_add_string(ctx, comm);
}

int names_sweep(struct kmem_decoding *d, const struct kmem_accounts *a)
{
	struct key_names *names = &d->naming->names;
	struct key_marks marks;
	int ret = threads_sweep(&d->completer.threads);

	if (ret || !key_names_sweep_is_due(names))
		return ret;
	ret = key_marks_init(&marks, names);
	if (ret)
		return ret;
	if (a->slab)
		mark_tables(&marks, &a->slab->common);
	if (a->page)
		mark_tables(&marks, &a->page->common);
	mark_tally(&marks, &d->tally);
	threads_for_each_name(&d->completer.threads, mark_comm, &marks);
	ret = key_names_sweep(names, &marks);
	event_completer_forget_stacks(&d->completer);
	key_marks_deinit(&marks);
	return ret;
}
