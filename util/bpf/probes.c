// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bpf/probes.h"

enum bpf_kind bpf_probe_adds_to(enum bpf_kind kind)
{
	switch (kind) {
	case BPF_FREE_RCU:
		return BPF_KFREE;
	case BPF_FREE_BULK:
		return BPF_CACHE_FREE;
	default:
		return BPF_CACHE_ALLOC;
	}
}

#ifdef HAVE_LIBBPF

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/bpf/libbpf.h"

/*
 * kvfree_call_rcu: since 5.9; the second argument was the offset of the first one until 6.3 ("rcu:
 * Refactor kvfree_call_rcu() and high-level helpers"). kmem_cache_alloc_bulk: renamed in 6.10 ("mm:
 * change inlined allocation helpers to account at the call site"), returns bool in 7.2 and a number
 * in 6.18. Programs on both bulk functions call bpf_loop(), since 5.17.
 */
static const struct probe_variant {
	struct bpf_probe probe;
	const char *second; /* name of the second argument; NULL: any */
	uint8_t nr_args;
	bool loops;
	bool returns_bool;
} variants[] = {
	{{BPF_FREE_RCU, "kvfree_call_rcu", "free_rcu", false}, "ptr", 2, false, false},
	{{BPF_FREE_RCU, "kvfree_call_rcu", "free_rcu_6_2", false}, "func", 2, false, false},
	{{BPF_FREE_BULK, "kmem_cache_free_bulk", "free_bulk", false}, NULL, 3, true, false},
	{{BPF_ALLOC_BULK, "kmem_cache_alloc_bulk_noprof", "alloc_bulk", true}, NULL, 4, true, true},
	{{BPF_ALLOC_BULK, "kmem_cache_alloc_bulk_noprof", "alloc_bulk_6_18", true},
	 NULL,
	 4,
	 true,
	 false},
	{{BPF_ALLOC_BULK, "kmem_cache_alloc_bulk", "alloc_bulk_6_18", true}, NULL, 4, true, false},
};

#define NAME(kind, layout, system, function) [BPF_##kind] = #function,
static const char *const names[BPF_KINDS] = {BPF_PROBE_EVENTS(NAME)};

static bool has_loop(const struct btf *btf)
{
	int id = btf__find_by_name_kind(btf, "bpf_func_id", BTF_KIND_ENUM);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

	for (int i = 0; t && i < btf_vlen(t); i++)
		if (btf_enum(t)[i].val == BPF_FUNC_loop)
			return true;
	return false;
}

static bool returns_bool(const struct btf *btf, const struct btf_type *proto)
{
	const struct btf_type *t = btf__type_by_id(btf, proto->type);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t && btf_is_int(t) && t->size == 1;
}

static bool fits(const struct btf *btf, const struct probe_variant *v)
{
	int id = btf__find_by_name_kind(btf, v->probe.function, BTF_KIND_FUNC);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;
	const char *second;

	t = t ? btf__type_by_id(btf, t->type) : NULL;
	if (!t || !btf_is_func_proto(t) || btf_vlen(t) != v->nr_args ||
	    returns_bool(btf, t) != v->returns_bool)
		return false;
	second = btf__name_by_offset(btf, btf_params(t)[1].name_off);
	return (!v->second || (second && !strcmp(second, v->second))) &&
	       (!v->loops || has_loop(btf));
}

const struct bpf_probe *bpf_probe_find(const struct btf *btf, enum bpf_kind kind)
{
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++)
		if (variants[i].probe.kind == kind && fits(btf, &variants[i]))
			return &variants[i].probe;
	return NULL;
}

/* Attach a program that does nothing: the kernel may refuse to load it, or to attach it. */
static int try_probe(const struct btf *btf, const struct bpf_probe *probe)
{
	const struct bpf_insn insns[] = {
		{BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0},
		{BPF_JMP | BPF_EXIT, 0, 0, 0, 0},
	};
	struct bpf_prog_load_opts opts = {
		.sz = sizeof(opts),
		.expected_attach_type = probe->at_exit ? BPF_TRACE_FEXIT : BPF_TRACE_FENTRY,
		.attach_btf_id =
			(uint32_t)btf__find_by_name_kind(btf, probe->function, BTF_KIND_FUNC),
	};
	_cleanup_close_ int fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "perf_kmem_trial", "GPL",
					       insns, sizeof(insns) / sizeof(insns[0]), &opts);
	_cleanup_close_ int link = fd < 0 ? -1 : bpf_raw_tracepoint_open(NULL, fd);

	return fd < 0 ? fd : link < 0 ? link : 0;
}

bpf_kinds_t bpf_probes_for(bpf_kinds_t kinds)
{
	const struct btf *btf = bpf_kernel_types();
	bpf_kinds_t ret = 0;

	for (int kind = 0; btf && kind < BPF_KINDS; kind++) {
		const struct bpf_probe *probe = NULL;
		int why;

		if (!(BPF_PROBE_KINDS >> kind & 1) ||
		    !(kinds >> bpf_probe_adds_to((enum bpf_kind)kind) & 1))
			continue;
		probe = bpf_probe_find(btf, (enum bpf_kind)kind);
		why = probe ? try_probe(btf, probe) : -ENOENT;
		if (!why)
			ret |= BPF_BIT(kind);
		else
			log_info("%s is not probed: %s", names[kind],
				 probe ? strerror(-why) : "this kernel has no such function");
	}
	return ret;
}

#else

bpf_kinds_t bpf_probes_for(bpf_kinds_t kinds)
{
	(void)kinds;
	return 0;
}

#endif
