/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct bpf_samples: events that BPF programs send, as records of perf.data.
 *
 * An event of a tracepoint becomes the sample that perf_event_open would have made of it: the fixed
 * part and callchain that the attr describes, and raw data in the event's own format, as its plan
 * says.  Samples of a kind, call site and cache have most of their bytes in common, as a rule all
 * but time, task and object: a form has them, with the values of the latest such event, and is
 * copied; or, in a batch that is grouped, is there already, and only those are added.  Events about
 * tasks become COMM, FORK and EXIT.  Records go into a batch, and the batch's scan is told what
 * they are.
 *
 * The instruction pointer is the innermost frame; without a callchain the call site.
 */
#ifndef CAPTURE_BPF_SAMPLES_H
#define CAPTURE_BPF_SAMPLES_H

#include "util/bpf/capture.h"
#include "util/capture/bpf_plan.h"
#include "util/output/batch.h"

#define BPF_SAMPLES_FORMS 1024 /* remembered forms; a power of two */
#define BPF_FORM_BYTES	  384
#define BPF_FORM_BODY	  3 /* words; no event with fields has more */

/* A sample without callchain and cgroup id, whose task and object are 0. */
struct bpf_form {
	uint64_t cache, call_site;
	uint64_t body[BPF_FORM_BODY]; /* of the event that its values are from */
	uint16_t size;		      /* of the sample, a multiple of 8; 0: there is none yet */
	uint8_t kind;
	/* the last sample with these values, for others like it: in this batch, of this CPU */
	uint64_t batch; /* its number; 0: there is none */
	uint32_t sample_at, group;
	int cpu;
	/* what is behind the sample is copied, too */
	_Alignas(32) uint8_t bytes[BPF_FORM_BYTES];
};

/* Which cache an event is about, as bpf_capture_cache() knows. */
typedef const struct bpf_cache *(*bpf_cache_fn)(void *ctx, const struct bpf_event *ev);

struct bpf_samples {
	bpf_cache_fn find_cache;
	void *find_cache_ctx;
	uint64_t task_id; /* of the evsel that tracks tasks */
	struct bpf_plan plans[BPF_KINDS];
	struct bpf_form forms[BPF_SAMPLES_FORMS];
};

/*
 * Plans for all events of the evlist, whose ids are known.  Errors: an event that is of no kind, or
 * has a format that cannot be filled.
 */
int bpf_samples_init(struct bpf_samples *s, const struct evlist *l, bpf_cache_fn find_cache,
		     void *find_cache_ctx, struct error *err);

/* Add the event to the batch. Returns 0 or -ENOMEM. */
int bpf_samples_add(struct bpf_samples *s, struct batch *b, int cpu, const struct bpf_event *ev,
		    const struct bpf_extra *extra);

#endif
