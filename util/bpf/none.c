// SPDX-License-Identifier: GPL-2.0-or-later
/* struct bpf_capture in builds without BPF: it cannot be opened. */
#ifndef HAVE_LIBBPF

#include "util/bpf/capture.h"

#include <errno.h>

bpf_kinds_t bpf_capture_kinds(bpf_kinds_t kinds)
{
	(void)kinds;
	return 0;
}

int bpf_capture_open(struct bpf_capture **ret_capture, const struct bpf_capture_options *options,
		     struct error *err)
{
	(void)ret_capture;
	(void)options;
	return bpf_capture_probe(err);
}

/* The other functions can only be called with NULL. */
void bpf_capture_free(struct bpf_capture *c)
{
	(void)c;
}

int bpf_capture_enable(struct bpf_capture *c)
{
	(void)c;
	return -ENOTSUP;
}

int bpf_capture_disable(struct bpf_capture *c)
{
	(void)c;
	return -ENOTSUP;
}

unsigned int bpf_capture_nr_cpus(const struct bpf_capture *c)
{
	(void)c;
	return 0;
}

int bpf_capture_cpu(const struct bpf_capture *c, unsigned int i)
{
	(void)c;
	(void)i;
	return -1;
}

bool bpf_capture_addresses_pages(const struct bpf_capture *c)
{
	(void)c;
	return false;
}

bool bpf_capture_finds_caches(const struct bpf_capture *c)
{
	(void)c;
	return false;
}

uint64_t bpf_capture_symbol(const struct bpf_capture *c, const char *name)
{
	(void)c;
	(void)name;
	return 0;
}

int bpf_capture_drain(struct bpf_capture *c, unsigned int i, uint64_t end, bpf_event_fn fn,
		      void *ctx)
{
	(void)c;
	(void)i;
	(void)end;
	(void)fn;
	(void)ctx;
	return -ENOTSUP;
}

uint64_t bpf_capture_position(const struct bpf_capture *c, unsigned int i)
{
	(void)c;
	(void)i;
	return 0;
}

uint64_t bpf_capture_peek(struct bpf_capture *c, unsigned int i)
{
	(void)c;
	(void)i;
	return 0;
}

uint64_t bpf_capture_complete_ns(const struct bpf_capture *c, unsigned int i)
{
	(void)c;
	(void)i;
	return 0;
}

const struct bpf_event *bpf_capture_event(struct bpf_capture *c, unsigned int i, uint64_t *position)
{
	(void)c;
	(void)i;
	(void)position;
	return NULL;
}

struct bpf_extra bpf_capture_extra(const struct bpf_capture *c, const struct bpf_event *event)
{
	(void)c;
	(void)event;
	return (struct bpf_extra){.nr_frames = 0};
}

void bpf_capture_give_back(struct bpf_capture *c, unsigned int i, uint64_t position)
{
	(void)c;
	(void)i;
	(void)position;
}

uint64_t bpf_capture_unread(const struct bpf_capture *c, unsigned int i)
{
	(void)c;
	(void)i;
	return 0;
}

uint64_t bpf_capture_ring_bytes(const struct bpf_capture *c)
{
	(void)c;
	return 0;
}

int bpf_capture_counts(struct bpf_capture *c, struct bpf_counts ret_counts[BPF_KINDS],
		       struct error *err)
{
	(void)c;
	(void)ret_counts;
	return error_set(err, ENOTSUP, "BPF is not built in");
}

struct bpf_stack_counts bpf_capture_stacks(const struct bpf_capture *c)
{
	(void)c;
	return (struct bpf_stack_counts){0};
}

const struct bpf_cache *bpf_capture_cache(struct bpf_capture *c, const struct bpf_event *event)
{
	(void)c;
	(void)event;
	return NULL;
}

#endif
