// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bpf/unwind.h"

#include <stddef.h>

#define ENTRY_BYTES   6		 /* size of a struct orc_entry, on all kernels so far */
#define ENTRIES_MAX   (1u << 24) /* limit of the search */
#define TEXT_MAX      UINT32_MAX
#define ADDRESS_BYTES 4

const char *bpf_unwind_check(struct bpf_unwind *u, uint64_t text_end, uint64_t orc_addresses_end,
			     uint32_t entry_bytes)
{
	uint64_t nr = (orc_addresses_end - u->orc_addresses) / ADDRESS_BYTES;

	if (!u->text_begin || !text_end)
		return "the kernel hides its addresses";
	if (!u->orc_addresses || !orc_addresses_end || !u->orc_entries ||
	    entry_bytes != ENTRY_BYTES)
		return "the kernel has no ORC tables that are known";
	if (text_end <= u->text_begin || text_end - u->text_begin > TEXT_MAX ||
	    orc_addresses_end < u->orc_addresses || !nr || nr >= ENTRIES_MAX)
		return "the kernel's symbols do not fit together";
	u->text_bytes = text_end - u->text_begin;
	u->orc_nr = (uint32_t)nr;
	return NULL;
}

#ifdef HAVE_LIBBPF

#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>

#include "util/base/log.h"
#include "util/bpf/facts.h"
#include "util/bpf/libbpf.h"
#include "util/bpf/kmem.skel.h"

#define LIMIT	    "/proc/sys/kernel/perf_event_max_stack"
#define USUAL_LIMIT 127
#ifdef __x86_64__
#define HAS_ORC true
#else
#define HAS_ORC false
#endif

/* Limit of all frames, including the probe's. */
static uint32_t kernel_limit(void)
{
	FILE *f = fopen(LIMIT, "re");
	unsigned int limit = USUAL_LIMIT;

	if (!f)
		return limit;
	if (fscanf(f, "%u", &limit) != 1)
		limit = USUAL_LIMIT;
	fclose(f);
	return limit;
}

static uint32_t entry_bytes(const struct btf *btf)
{
	int id = btf__find_by_name_kind(btf, "orc_entry", BTF_KIND_STRUCT);

	return id > 0 ? btf__type_by_id(btf, (uint32_t)id)->size : 0;
}

static bool find(struct bpf_unwind *u, const struct bpf_facts *f)
{
	static const char *const trampolines[BPF_TRAMPOLINES] = {
		"return_to_handler", "arch_rethook_trampoline", "__kretprobe_trampoline"};
	uint32_t limit = kernel_limit();
	const char *why;

	*u = (struct bpf_unwind){
		.text_begin = bpf_facts_symbol(f, "_stext"),
		.orc_addresses = bpf_facts_symbol(f, "__start_orc_unwind_ip"),
		.orc_entries = bpf_facts_symbol(f, "__start_orc_unwind"),
		.limit = limit > f->skip_frames ? limit - f->skip_frames : 0,
	};
	why = bpf_unwind_check(u, bpf_facts_symbol(f, "_etext"),
			       bpf_facts_symbol(f, "__stop_orc_unwind_ip"),
			       entry_bytes(bpf_kernel_types()));
	if (!HAS_ORC)
		why = "not on this architecture";
	else if (!u->limit)
		why = "callchains are that short";
	for (int i = 0; !why && i < BPF_TRAMPOLINES; i++)
		u->trampolines[i] = bpf_facts_symbol(f, trampolines[i]);
	if (why)
		log_debug("BPF: the kernel's unwinder makes all callchains: %s", why);
	return !why;
}

int bpf_unwind_prepare(struct kmem_bpf *skel, const struct bpf_facts *facts, bool check_all)
{
	struct kmem_bpf__rodata *r = skel->rodata;
	struct bpf_unwind u;

	/* without the cast each frame takes two calls, which was not tried */
	if (!facts || !facts->has_cast || !find(&u, facts))
		return bpf_map__set_value_size(skel->maps.known_returns, sizeof(uint64_t));
	r->unwinds = true;
	r->unwind_check_all = check_all;
	r->unwind_limit = u.limit;
	r->text_begin = u.text_begin;
	r->text_bytes = u.text_bytes;
	r->orc_addresses = u.orc_addresses;
	r->orc_entries = u.orc_entries;
	r->orc_nr = u.orc_nr;
	memcpy((void *)(uintptr_t)r->trampolines, u.trampolines, sizeof(u.trampolines));
	return 0;
}

void bpf_unwind_tell(uint64_t walked, uint64_t wrong, uint64_t not_walked)
{
	if (walked + not_walked)
		log_info("callchains: %llu walked with remembered frames (%llu wrong), %llu by "
			 "the kernel's unwinder",
			 (unsigned long long)walked, (unsigned long long)wrong,
			 (unsigned long long)not_walked);
}

#endif
