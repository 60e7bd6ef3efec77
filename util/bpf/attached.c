// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bpf/attached.h"

/* A burst lasts about a millisecond, and a reading takes a few microseconds. */
#define TRIES 1000

int missed_read(const struct missed_counts *counts, uint64_t *ret_missed)
{
	uint64_t caught = counts->caught(counts->ctx), missed = 0, caught_before, missed_before;
	int tries = 0;

	do {
		uint64_t skipped;
		int ret = counts->skipped(counts->ctx, &skipped);

		if (ret)
			return ret;
		caught_before = caught;
		missed_before = missed;
		caught = counts->caught(counts->ctx);
		/* events caught after the other count was read are not in it: the result is rather
		 * too low */
		missed = caught < skipped ? skipped - caught : 0;
	} while ((caught != caught_before || missed != missed_before) && ++tries < TRIES);
	*ret_missed = missed;
	return 0;
}

#ifdef HAVE_LIBBPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/clock.h"
#include "util/base/log.h"
#include "util/bpf/probes.h"
#include "util/bpf/programs.h"
#include "util/bpf/kmem.skel.h"

#define MISSED_EVERY_NS 500000000 /* interval between checks for missed events */

static const bpf_kinds_t freed_by_interrupts =
	BPF_BIT(BPF_KFREE) | BPF_BIT(BPF_CACHE_FREE) | BPF_BIT(BPF_PAGE_FREE) |
	BPF_BIT(BPF_PAGE_FREE_BATCHED) | BPF_BIT(BPF_FREE_BULK);

/* function: what a probe's program is attached to; NULL: a tracepoint. */
static struct bpf_program *load_program(struct kmem_bpf *skel, const char *name,
					const char *function, bool is_nested)
{
	char full[64];
	struct bpf_program *program;

	snprintf(full, sizeof(full), "%s%s", name, is_nested ? "_nested" : "");
	program = bpf_object__find_program_by_name(skel->obj, full);
	if (program)
		bpf_program__set_autoload(program, true);
	if (program && function)
		bpf_program__set_attach_target(program, 0, function);
	return program;
}

void bpf_attached_choose(struct bpf_attached *a, struct kmem_bpf *skel, const struct btf *btf,
			 bpf_kinds_t kinds)
{
	struct bpf_program *program = NULL;

	while ((program = bpf_object__next_program(skel->obj, program)))
		bpf_program__set_autoload(program, false);
	for (int kind = 0; kind < BPF_KINDS; kind++) {
		const char *name =
			kinds & BPF_BIT(kind) ? bpf_program_for(btf, (enum bpf_kind)kind) : NULL;
		const struct bpf_probe *probe =
			kinds & BPF_BIT(kind) ? bpf_probe_find(btf, (enum bpf_kind)kind) : NULL;
		const char *function = probe ? probe->function : NULL;

		if (probe)
			name = probe->program;
		if (!name && kinds & BPF_BIT(kind) && bpf_program_unfit(btf, (enum bpf_kind)kind))
			log_warn("'%s' has unknown arguments in this kernel: without its events",
				 bpf_program_unfit(btf, (enum bpf_kind)kind));
		if (!name)
			continue;
		a->kinds[kind].program = load_program(skel, name, function, false);
		a->kinds[kind].nested = load_program(skel, name, function, true);
		a->kinds[kind].function = function;
	}
	bpf_program__set_autoload(skel->progs.find_active, true);
}

/*
 * Finds the address at which the kernel counts active runs of a program, which the second program
 * on each tracepoint needs (kmem.bpf.c). It is read from the kernel's struct bpf_prog, by a program
 * that is called for each of them. Called when the programs are loaded; entries are NULL for kinds
 * without a program.
 */
static int find_active_counts(struct kmem_bpf *skel, struct bpf_program *const programs[BPF_KINDS],
			      struct error *err)
{
	_cleanup_close_ int fd = -1;
	struct bpf_link *link;
	char unused[64];
	ssize_t n;

	for (int kind = 0; kind < BPF_KINDS; kind++) {
		struct bpf_prog_info info = {0};
		uint32_t size = sizeof(info);
		int ret = programs[kind] ? bpf_obj_get_info_by_fd(bpf_program__fd(programs[kind]),
								  &info, &size)
					 : 0;

		if (ret)
			return error_set_errno(err, -ret, "cannot read the id of a BPF program");
		skel->bss->program_ids[kind] = info.id; /* 0 is not a valid id */
	}
	link = bpf_program__attach_iter(skel->progs.find_active, NULL);
	if (!link)
		return error_set_errno(err, errno, "cannot attach to the list of BPF programs");
	fd = bpf_iter_create(bpf_link__fd(link));
	bpf_link__destroy(link);
	if (fd < 0)
		return error_set_errno(err, -fd, "cannot walk the list of BPF programs");
	/* reading the iterator calls the program; its output is empty */
	do
		n = read(fd, unused, sizeof(unused));
	while (n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)));
	return n ? error_set_errno(err, errno, "cannot walk the list of BPF programs") : 0;
}

int bpf_attached_prepare(struct bpf_attached *a, struct kmem_bpf *skel, struct error *err)
{
	struct bpf_program *programs[BPF_KINDS];

	for (int kind = 0; kind < BPF_KINDS; kind++)
		programs[kind] = a->kinds[kind].nested ? a->kinds[kind].program : NULL;
	a->nested_kinds = skel->rodata->is_preemptible ? ~(bpf_kinds_t)0 : freed_by_interrupts;
	return find_active_counts(skel, programs, err);
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
		if (k->nested && BPF_BIT(kind) & a->nested_kinds &&
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
			k->nested = NULL; /* do not retry */
	}
}

void bpf_switch_on(bool *enabled)
{
	__atomic_store_n(enabled, true, __ATOMIC_SEQ_CST);
}

void bpf_switch_off(bool *enabled)
{
	const struct timespec pause = {.tv_nsec = 50000000};

	__atomic_store_n(enabled, false, __ATOMIC_SEQ_CST);
	/* waits for the end of RCU read-side sections, in which programs run; not available with
	 * nohz_full */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		nanosleep(&pause, NULL);
}

int bpf_program_missed(const struct bpf_program *program, uint64_t *ret_missed)
{
	struct bpf_prog_info info = {0};
	uint32_t size = sizeof(info);
	int ret = bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size);

	if (!ret)
		*ret_missed = info.recursion_misses;
	return ret;
}

#endif
