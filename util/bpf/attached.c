// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bpf/attached.h"

#ifdef HAVE_LIBBPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/bpf/kmem.skel.h"
#include "util/bpf/nested.h"
#include "util/bpf/programs.h"
#include "util/bpf/switch.h"

#define MISSED_EVERY_NS 500000000 /* how often it is looked whether something was missed */

static const uint32_t freed_by_interrupts =
	1u << BPF_KFREE | 1u << BPF_CACHE_FREE | 1u << BPF_PAGE_FREE | 1u << BPF_PAGE_FREE_BATCHED;

static struct bpf_program *load_program(struct kmem_bpf *skel, const char *name, bool is_nested)
{
	char full[64];
	struct bpf_program *program;

	snprintf(full, sizeof(full), "%s%s", name, is_nested ? "_nested" : "");
	program = bpf_object__find_program_by_name(skel->obj, full);
	if (program)
		bpf_program__set_autoload(program, true);
	return program;
}

void bpf_attached_choose(struct bpf_attached *a, struct kmem_bpf *skel, const struct btf *btf,
			 uint32_t kinds)
{
	struct bpf_program *program = NULL;

	while ((program = bpf_object__next_program(skel->obj, program)))
		bpf_program__set_autoload(program, false);
	for (int kind = 0; kind < BPF_KINDS; kind++) {
		const char *name =
			kinds & 1u << kind ? bpf_program_for(btf, (enum bpf_kind)kind) : NULL;

		if (!name)
			continue;
		a->kinds[kind].program = load_program(skel, name, false);
		a->kinds[kind].nested = load_program(skel, name, true);
	}
	bpf_program__set_autoload(skel->progs.find_active, true);
}

int bpf_attached_prepare(struct bpf_attached *a, struct kmem_bpf *skel, struct error *err)
{
	struct bpf_program *programs[BPF_KINDS];

	for (int kind = 0; kind < BPF_KINDS; kind++)
		programs[kind] = a->kinds[kind].nested ? a->kinds[kind].program : NULL;
	return bpf_nested_find(skel, programs, err);
}

static struct bpf_link *attach_one(const struct bpf_program *program, struct error *err)
{
	struct bpf_link *link = bpf_program__attach(program);

	if (!link && errno == EACCES)
		error_set(
			err, EACCES,
			"no permission to read the number of the event '%s' in tracefs (--extfrag "
			"and --percpu need it)",
			bpf_program__name(program));
	else if (!link)
		error_set_errno(err, errno, "cannot attach the BPF program '%s'",
				bpf_program__name(program));
	return link;
}

int bpf_attached_attach(struct bpf_attached *a, struct error *err)
{
	for (int kind = 0; kind < BPF_KINDS; kind++) {
		struct bpf_attached_kind *k = &a->kinds[kind];

		if (k->program && !(k->link = attach_one(k->program, err)))
			return -err->code;
		if (k->nested && 1u << kind & freed_by_interrupts &&
		    !(k->nested_link = attach_one(k->nested, err)))
			return -err->code;
	}
	return 0;
}

void bpf_attached_deinit(struct bpf_attached *a)
{
	for (int kind = 0; kind < BPF_KINDS; kind++) {
		bpf_link__destroy(a->kinds[kind].link);
		bpf_link__destroy(a->kinds[kind].nested_link);
	}
}

void bpf_attached_look(struct bpf_attached *a)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC_COARSE);

	if (now < a->look_ns)
		return;
	a->look_ns = now + MISSED_EVERY_NS;
	for (int kind = 0; kind < BPF_KINDS; kind++) {
		struct bpf_attached_kind *k = &a->kinds[kind];
		uint64_t missed = 0;

		if (!k->nested || k->nested_link || bpf_program_missed(k->program, &missed) ||
		    !missed)
			continue;
		log_debug("BPF: %s was skipped %llu times; attaching its second program",
			  bpf_program__name(k->program), (unsigned long long)missed);
		k->nested_link = attach_one(k->nested, NULL);
		if (!k->nested_link)
			k->nested = NULL; /* not again */
	}
}

#endif
