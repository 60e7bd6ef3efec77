// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/watch/live_kinds.h"

#include <errno.h>
#include <fnmatch.h>

#include "util/kmem/accounts.h"
#include "util/decode/filter.h"
#include "util/watch/convert.h"

#define SITE_KEYS (1u << KEY_CALLSITE | 1u << KEY_MODULE)

/* Bits of the keys that tables or the filter use. */
static uint32_t keys_of(const struct table_spec *tables, unsigned int nr,
			const struct kmem_filter *filter)
{
	struct event_completer filtered = {.wanted = 0};
	uint32_t keys = 0;

	for (unsigned int i = 0; i < nr; i++)
		for (unsigned int k = 0; k < tables[i].nr_by; k++)
			keys |= 1u << tables[i].by[k];
	if (filter)
		kmem_filter_want(filter, &filtered);
	return keys | filtered.wanted;
}

struct choice {
	const struct kmem_options *options;
	struct bpf_capture_options *capture;
	uint32_t slab_keys, page_keys;
};

/* Number of frames that the keys need. chain: the call site comes from the callchain. */
static uint8_t frames_for(const struct choice *c, uint32_t keys, bool chain)
{
	unsigned int max = c->options->max_stack;

	if (keys & 1u << KEY_STACK)
		return max && max < BPF_STACK_MAX ? (uint8_t)max : BPF_STACK_MAX;
	return chain && keys & SITE_KEYS ? CALLSITE_FRAMES : 0;
}

/* callchain: an account needs it. */
static uint8_t frames_of(const struct choice *c, enum kmem_kind kind, bool callchain)
{
	switch (kind) {
	case KMEM_SLAB_ALLOC:
		return frames_for(c, c->slab_keys, false);
	case KMEM_PAGE_ALLOC:
		return callchain ? frames_for(c, c->page_keys, true) : 0;
	default:
		return callchain ? CALLSITE_FRAMES : 0;
	}
}

/* An account_record_fn. */
static int add_record(void *ctx, const struct account_record *record, struct error *err)
{
	const struct choice *c = ctx;
	bool known = false;

	for (unsigned int kind = 0; kind < BPF_KINDS; kind++) {
		const char *name = live_kind_name(kind);

		if (!name || fnmatch(record->event, name, 0))
			continue;
		known = true;
		c->capture->kinds |= 1u << kind;
		c->capture->max_stack[kind] = frames_of(c, live_kind(kind), record->callchain);
	}
	return known ? 0
		     : error_set(err, EOPNOTSUPP,
				 "%s can only be recorded (perf kmem record), not accounted as it "
				 "happens",
				 record->event);
}

int live_kinds_choose(const struct kmem_options *options, struct bpf_capture_options *capture,
		      struct error *err)
{
	struct choice c = {
		.options = options,
		.capture = capture,
		.slab_keys =
			keys_of(options->slab_tables, options->nr_slab_tables, options->filter),
		.page_keys =
			keys_of(options->page_tables, options->nr_page_tables, options->filter),
	};

	/* for live_untraced.h */
	if (options->live_sites)
		c.slab_keys |= 1u << KEY_CALLSITE | 1u << KEY_CACHE;
	capture->cgroup_ids = ((c.slab_keys | c.page_keys) & 1u << KEY_CGROUP) != 0;
	return accounts_each_recorded(options->wanted, false, add_record, &c, err);
}

int live_kinds_check_counted(const struct kmem_options *options, struct error *err)
{
	uint32_t keys = keys_of(options->slab_tables, options->nr_slab_tables, options->filter);

	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (options->wanted[i] && i != ACCOUNT_slab)
			return error_set(err, EINVAL, "--in-kernel counts --slab, not --%s",
					 account_table[i]->id);
	for (int key = 0; key < KEY_NR; key++)
		if ((keys & ~LIVE_COUNTED_KEYS) >> key & 1)
			return error_set(err, EINVAL,
					 "--in-kernel counts by callsite, cache and module, not by "
					 "%s",
					 kmem_key_name(key));
	return 0;
}
