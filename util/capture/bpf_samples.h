/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct bpf_samples: turns events of BPF programs into records of perf.data.
 *
 * An event of a tracepoint becomes the sample that perf_event_open would have made: the fixed part
 * and the callchain of the attr, and raw data in the event's own format, according to its plan.
 * Samples of one kind, call site and cache usually differ in time, task and object only. A form has
 * the common bytes, with the values of the latest such event, and is copied; in a grouped batch
 * that contains it already, only the differences are added. Events about tasks become COMM, FORK
 * and EXIT. Records go into a batch, and are reported to its scan.
 *
 * The instruction pointer is the innermost frame; without a callchain, the call site.
 */
#ifndef CAPTURE_BPF_SAMPLES_H
#define CAPTURE_BPF_SAMPLES_H

#include "util/bpf/capture.h"
#include "util/capture/bpf_plan.h"
#include "util/output/batch.h"

#define BPF_SAMPLES_FORMS 1024 /* number of remembered forms; a power of two */
#define BPF_FORM_BYTES	  384
#define BPF_FORM_BODY	  4 /* words; the limit for events with fields */

/* A sample without callchain and cgroup id; its task and object are 0. */
struct bpf_form {
	uint64_t cache, call_site;
	uint64_t body[BPF_FORM_BODY]; /* the event that its values come from */
	uint16_t size;		      /* size of the sample, a multiple of 8; 0: empty */
	uint8_t kind;
	/* the last sample with these values, for similar ones: in this batch, of this CPU */
	uint64_t batch; /* its number; 0 if there is none */
	uint32_t sample_at, group;
	int cpu;
	/* bytes after the sample are copied, too */
	_Alignas(32) uint8_t bytes[BPF_FORM_BYTES];
};

/* The cache of an event, see bpf_capture_cache(). */
typedef const struct bpf_cache *(*bpf_cache_fn)(void *ctx, const struct bpf_event *ev);

struct bpf_samples {
	bpf_cache_fn find_cache;
	void *find_cache_ctx;
	uint64_t task_id; /* id of the evsel that tracks tasks */
	struct bpf_plan plans[BPF_KINDS];
	struct bpf_form forms[BPF_SAMPLES_FORMS];
};

/*
 * Make plans for all events of the evlist, whose ids must be known. Errors: an event has no kind,
 * or its format cannot be filled.
 */
int bpf_samples_init(struct bpf_samples *s, const struct evlist *l, bpf_cache_fn find_cache,
		     void *find_cache_ctx, struct error *err);

/* Add the event to the batch. Returns 0, or -ENOMEM. */
int bpf_samples_add(struct bpf_samples *s, struct batch *b, int cpu, const struct bpf_event *ev,
		    const struct bpf_extra *extra);

#endif
