// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/watch/live_kinds.h"

#include <errno.h>
#include <fnmatch.h>

#include "util/bpf/probes.h"
#include "util/kmem/accounts.h"
#include "util/decode/filter.h"
#include "util/watch/convert.h"

/* The frame that keys of user space name may be below those of several libraries. */
#define USER_KEY_FRAMES 48

#define SITE_KEYS (KEY_BIT(KEY_CALLSITE) | KEY_BIT(KEY_MODULE))

/* Bits of the keys that an account's tables or the filter use. */
static key_mask_t keys_of(const struct kmem_options *o, int account)
{
	const struct tables_spec *tables = &o->tables[account];
	struct event_completer filtered = {.wanted = 0};
	key_mask_t keys = 0;

	for (unsigned int i = 0; i < tables->nr; i++)
		for (unsigned int k = 0; k < tables->v[i].nr_by; k++)
			keys |= KEY_BIT(tables->v[i].by[k]);
	if (o->filter)
		kmem_filter_want(o->filter, &filtered);
	return keys | filtered.wanted;
}

struct choice {
	const struct kmem_options *options;
	struct bpf_capture_options *capture;
	key_mask_t keys[ACCOUNTS_NR]; /* of wanted accounts */
};

/* Number of frames that the keys need. chain: the call site comes from the callchain. */
static uint8_t frames_for(const struct choice *c, key_mask_t keys, bool chain)
{
	unsigned int max = c->options->max_stack;

	if (keys & KEY_BIT(KEY_STACK))
		return max && max < BPF_STACK_MAX ? (uint8_t)max : BPF_STACK_MAX;
	return chain && keys & SITE_KEYS ? CALLSITE_FRAMES : 0;
}

/* Number of user frames that the keys need. */
static uint8_t user_frames_for(const struct choice *c, key_mask_t keys)
{
	unsigned int max = c->options->max_stack;

	if (keys & KEY_BIT(KEY_USTACK) || (keys & KEY_BIT(KEY_STACK) && c->options->user_stacks))
		return max && max < BPF_STACK_MAX ? (uint8_t)max : BPF_STACK_MAX;
	return keys & USER_KEYS ? USER_KEY_FRAMES : 0;
}

static uint8_t user_frames_of(const struct choice *c, enum kmem_kind kind)
{
	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (account_table[i]->allocator && account_table[i]->allocator->alloc == kind)
			return user_frames_for(c, c->keys[i]);
	return 0;
}

/* Whether an account other than the allocator's needs the call site of each such event. */
static bool needs_callsite(const struct choice *c, enum kmem_kind kind)
{
	bool needs = false;

	for (int i = 0; i < ACCOUNTS_NR; i++)
		needs |= c->options->wanted[i] && !account_table[i]->allocator &&
			 account_table[i]->completed & KIND_BIT(kind);
	return needs;
}

static uint8_t frames_of(const struct choice *c, enum kmem_kind kind,
			 const struct account_record *record)
{
	const uint8_t callsite =
		record->callchain ? (uint8_t)accounts_callsite_frames(record->event) : 0;

	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (account_table[i]->allocator && account_table[i]->allocator->alloc == kind) {
			uint8_t frames = frames_for(c, c->keys[i], record->callchain);

			return frames < callsite && needs_callsite(c, kind) ? callsite : frames;
		}
	return callsite;
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
		c->capture->kinds |= BPF_BIT(kind);
		c->capture->failed_only |= record->failed_only ? BPF_BIT(kind) : 0;
		c->capture->max_stack[kind] = frames_of(c, live_kind(kind), record);
		c->capture->max_user_stack[kind] = user_frames_of(c, live_kind(kind));
	}
	return known ? 0
		     : error_set(err, EOPNOTSUPP,
				 "%s can only be recorded (perf kmem record), not accounted as it "
				 "happens",
				 record->event);
}

void live_kinds_add_probes(struct bpf_capture_options *capture)
{
	bpf_kinds_t probes = bpf_probes_for(capture->kinds & ~capture->failed_only);

	capture->kinds |= probes;
	capture->find_caches = true;
	for (unsigned int kind = 0; kind < BPF_KINDS; kind++) {
		enum bpf_kind to = bpf_probe_adds_to(kind);

		if (!(probes >> kind & 1))
			continue;
		capture->max_stack[kind] = capture->max_stack[to];
		capture->max_user_stack[kind] = capture->max_user_stack[to];
	}
}

int live_kinds_choose(const struct kmem_options *options, struct bpf_capture_options *capture,
		      struct error *err)
{
	struct choice c = {.options = options, .capture = capture};
	bool all = !accounts_any(options->wanted, ACCOUNTS_ALL);

	for (int i = 0; i < ACCOUNTS_NR; i++) {
		c.keys[i] = all || options->wanted[i] ? keys_of(options, i) : 0;
		capture->cgroup_ids |=
			(c.keys[i] & CGROUP_KEYS) ||
			(options->wanted[i] && account_table[i]->context & CGROUP_KEYS);
	}
	return accounts_each_recorded(options->wanted, false, add_record, &c, err);
}

int live_kinds_check_counted(const struct kmem_options *options, struct error *err)
{
	key_mask_t keys = 0;

	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (account_table[i]->allocator &&
		    account_table[i]->allocator->alloc == LIVE_COUNTED_KIND)
			keys |= keys_of(options, i);
		else if (options->wanted[i])
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
