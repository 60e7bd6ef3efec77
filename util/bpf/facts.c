// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bpf/facts.h"

#ifdef HAVE_LIBBPF

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/base/bytes.h"
#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/bpf/facts.skel.h"
#include "util/bpf/libbpf.h"
#include "util/bpf/programs.h"
#include "util/host/tracefs.h"

/* The bits that a task may have set: disabled preemption and softirqs, and rescheduling. */
#define PREEMPT_COUNT_OF_TASKS 0x8000feffULL
/* The ones of disabled preemption. */
#define PREEMPT_COUNT_DISABLED 0xffULL

#define STACK_BYTES_MIN 16384
#define STACK_BYTES_MAX (1u << 20)
#define TOUCHED_PAGES	4
#define RING_PAGES	16
#define TRIES		8
/* bpf_prog, bpf_trace_run: on every kernel seen so far, x86 and arm64 */
#define USUAL_SKIP 2
#define SKIP_MAX   8

/* A perf event of this thread on mm_page_alloc. */
struct watcher {
	int fd;
	uint32_t pfn_offset, pfn_size; /* in its raw data */
	struct perf_event_mmap_page *ring;
	size_t ring_size;
};

static void watcher_deinit(struct watcher *w)
{
	if (w->ring)
		munmap(w->ring, w->ring_size);
	if (w->fd >= 0)
		close(w->fd);
}

static int watcher_init(struct watcher *w, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf format = STRBUF_INIT;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW,
		.disabled = 1,
		.exclude_callchain_user = 1,
	};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct tracefs tracefs;
	uint64_t id = 0;
	void *ring;
	int ret = tracefs_find(&tracefs, true, err);

	if (!ret)
		ret = tracefs_event_id(&tracefs, "kmem", "mm_page_alloc", &id, err);
	if (!ret)
		ret = tracefs_event_format(&tracefs, "kmem", "mm_page_alloc", &format, err);
	if (ret)
		return ret;
	/* the kernel's long, also if this program has 32 bits and the kernel 64 */
	if (!tracefs_format_field(format.buf, "pfn", &w->pfn_offset, &w->pfn_size) ||
	    (w->pfn_size != sizeof(uint32_t) && w->pfn_size != sizeof(uint64_t)))
		return error_set(err, ENOTSUP, "the event kmem:mm_page_alloc has no 'pfn'");
	attr.config = id;
	w->fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (w->fd < 0 && errno == EACCES)
		return error_set(err, EACCES,
				 "no permission to open the event kmem:mm_page_alloc (kernels of "
				 "distributions need CAP_SYS_ADMIN if kernel.perf_event_paranoid "
				 "is above 2)");
	if (w->fd < 0)
		return error_set_errno(err, errno, "cannot open the event kmem:mm_page_alloc");
	w->ring_size = (1 + RING_PAGES) * page;
	ring = mmap(NULL, w->ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, w->fd, 0);
	if (ring == MAP_FAILED)
		return error_set_errno(err, errno, "cannot map an event's ring buffer");
	w->ring = ring;
	return 0;
}

/* Read its samples. The ring was empty before, and is large enough. */
static uint32_t watcher_samples(struct watcher *w, struct bpf_calibration_sample *samples,
				uint32_t max)
{
	uint64_t head = __atomic_load_n(&w->ring->data_head, __ATOMIC_ACQUIRE);
	const uint8_t *data = (const uint8_t *)w->ring + sysconf(_SC_PAGESIZE);
	uint64_t at = w->ring->data_tail, size = w->ring_size - (size_t)sysconf(_SC_PAGESIZE);
	uint32_t nr = 0;

	if (head > size) /* no sample may wrap around its end */
		return 0;
	while (at < head) {
		const struct perf_event_header *h = (const void *)(data + at);
		const uint64_t *chain = (const uint64_t *)(const void *)(h + 1);

		at += h->size;
		if (h->type != PERF_RECORD_SAMPLE)
			continue;
		if (nr < max) {
			const uint8_t *raw = (const uint8_t *)(chain + 1 + chain[0]);
			const uint8_t *pfn = raw + sizeof(uint32_t) + w->pfn_offset;

			samples[nr] = (struct bpf_calibration_sample){
				w->pfn_size == 4 ? load_u32(pfn, false) : load_u64(pfn, false),
				chain + 1, chain[0]};
		}
		nr++;
	}
	w->ring->data_tail = head;
	return nr;
}

static int touch_pages(struct error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile uint8_t *memory = mmap(NULL, TOUCHED_PAGES * page, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return error_nomem(err);
	for (size_t i = 0; i < TOUCHED_PAGES; i++)
		memory[i * page] = 1;
	munmap((void *)(uintptr_t)memory, TOUCHED_PAGES * page);
	return 0;
}

bool bpf_calibration_vmemmap(const struct bpf_calibration *seen,
			     const struct bpf_calibration_sample *samples, uint32_t nr,
			     uint32_t page_bytes, uint64_t *ret_vmemmap)
{
	uint64_t vmemmap = 0;

	for (uint32_t i = 0; i < nr; i++) {
		uint64_t base = seen[i].page - samples[i].pfn * page_bytes;

		if (!seen[i].page || (i && base != vmemmap))
			return false;
		vmemmap = base;
	}
	if (nr)
		*ret_vmemmap = vmemmap;
	return nr > 0;
}

/* Whether both callchains have equal functions from some frame on. */
bool bpf_calibration_skip(const struct bpf_calibration *seen,
			  const struct bpf_calibration_sample *sample, uint32_t *ret_skip)
{
	const uint32_t alike = 4;
	uint32_t nr = seen->frames_bytes > 0 ? (uint32_t)(seen->frames_bytes / 8) : 0;

	for (uint32_t skip = 0; skip <= SKIP_MAX && skip + alike <= nr; skip++)
		for (uint64_t i = 0; i + alike <= sample->nr_chain; i++)
			if (!memcmp(seen->frames + skip, sample->chain + i,
				    alike * sizeof(uint64_t))) {
				*ret_skip = skip;
				return true;
			}
	return false;
}

/* The count that is read there in a task must be that of a task. If the kernel disables preemption
 * before it calls a program, the count shows it. */
static void check_preempt_count(struct bpf_facts *f, const struct bpf_calibration *seen,
				uint32_t nr)
{
	bool is_disabled = true;

	for (uint32_t i = 0; i < nr; i++) {
		if (seen[i].preempt_count & ~PREEMPT_COUNT_OF_TASKS)
			f->preempt_count_distance = 0;
		if (!(seen[i].preempt_count & PREEMPT_COUNT_DISABLED))
			is_disabled = false;
	}
	if (f->preempt_count_distance && is_disabled)
		f->is_preemptible = false;
}

/* Try once, with the perf event if there is one. Returns false to try again. */
static bool attempt(struct bpf_facts *f, struct watcher *w, int *ret, struct error *err)
{
	struct bpf_calibration_sample samples[BPF_CALIBRATIONS];
	struct facts_bpf__bss *bss = f->programs->bss;
	const struct bpf_calibration *seen = bss->calibrations;
	uint32_t nr;

	bss->nr_calibrations = 0;
	if (w)
		ioctl(w->fd, PERF_EVENT_IOC_ENABLE, 0);
	__atomic_store_n(&bss->calibrated_tid, (uint32_t)gettid(), __ATOMIC_SEQ_CST);
	*ret = touch_pages(err);
	__atomic_store_n(&bss->calibrated_tid, 0, __ATOMIC_SEQ_CST);
	if (w)
		ioctl(w->fd, PERF_EVENT_IOC_DISABLE, 0);
	if (*ret)
		return true;
	nr = __atomic_load_n(&bss->nr_calibrations, __ATOMIC_ACQUIRE);
	if (!nr)
		return false;
	while (f->own_stack_bytes < seen[0].stack_usage - seen[0].stack &&
	       f->own_stack_bytes < STACK_BYTES_MAX)
		f->own_stack_bytes *= 2;
	check_preempt_count(f, seen, nr);
	if (!w)
		return true;
	f->has_vmemmap = false;
	/* an interrupt may have allocated before both were watching */
	if (watcher_samples(w, samples, BPF_CALIBRATIONS) != nr || nr == BPF_CALIBRATIONS ||
	    !bpf_calibration_vmemmap(seen, samples, nr, f->page_bytes, &f->vmemmap))
		return false;
	f->has_vmemmap = true;
	return bpf_calibration_skip(&seen[nr - 1], &samples[nr - 1], &f->skip_frames);
}

static int calibrate(struct bpf_facts *f, enum bpf_facts_watch watch, struct error *err)
{
	_cleanup_(watcher_deinit) struct watcher watcher = {.fd = -1};
	struct error why = ERROR_INIT;
	struct watcher *w = watch == BPF_FACTS_UNWATCHED ? NULL : &watcher;
	struct bpf_link *link;
	int ret = 0;
	bool done = false;

	if (w && watcher_init(w, &why)) {
		if (watch == BPF_FACTS_PAGES) {
			error_set(err, why.code, "%s", why.msg);
			return error_prefix(err, "page numbers are not known");
		}
		log_debug("BPF: not calibrated: %s", why.msg);
		w = NULL;
	}
	link = bpf_program__attach(f->programs->progs.calibrate);
	if (!link)
		return error_set_errno(err, errno, "cannot attach a BPF program to mm_page_alloc");
	for (int i = 0; i < TRIES && !done; i++)
		done = attempt(f, w, &ret, err);
	bpf_link__destroy(link);
	if (ret)
		return ret;
	if (!f->has_vmemmap && watch == BPF_FACTS_PAGES)
		return error_set(err, ENOTSUP,
				 "page numbers are not known: what BPF and perf see of page "
				 "allocations does not agree");
	if (!f->has_vmemmap)
		f->vmemmap = 0;
	log_debug("BPF: struct page from %#llx, kernel stacks of %llu bytes, %u frames skipped, "
		  "preempt_count %lld bytes behind a run queue, programs %s",
		  (unsigned long long)f->vmemmap, (unsigned long long)f->own_stack_bytes,
		  f->skip_frames, (long long)f->preempt_count_distance,
		  f->is_preemptible ? "may be preempted" : "run without preemption");
	return 0;
}

/* libbpf parses the kernel's types again, for each object. */
static int load(struct bpf_facts *f, struct error *err)
{
	const struct btf *types = bpf_kernel_types();
	const struct btf_type *page;
	int id, ret;

	if (!types)
		return error_set_errno(err, errno, "cannot read the kernel's types");
	id = btf__find_by_name_kind(types, "page", BTF_KIND_STRUCT);
	page = id > 0 ? btf__type_by_id(types, (uint32_t)id) : NULL;
	if (!page || !page->size)
		return error_set(err, ENOTSUP, "the kernel does not describe its 'struct page'");
	f->page_bytes = page->size;
	f->gfp_account = bpf_program_gfp_account(types);
	f->slab_account = bpf_program_slab_account(types);
	f->free_has_name = bpf_program_free_has_name(types);
	f->has_cache_of = btf__find_by_name_kind(types, "bpf_get_kmem_cache", BTF_KIND_FUNC) > 0;
	f->has_cast = btf__find_by_name_kind(types, "bpf_rdonly_cast", BTF_KIND_FUNC) > 0;
	f->has_preempt = btf__find_by_name_kind(types, "bpf_preempt_disable", BTF_KIND_FUNC) > 0;
	f->is_preemptible = f->has_preempt;
	f->preempt_count_distance = bpf_program_preempt_count(types);
	f->programs = facts_bpf__open();
	ret = f->programs ? facts_bpf__load(f->programs) : -errno;
	if (!ret)
		f->programs->bss->preempt_count_distance = f->preempt_count_distance;
	return ret ? bpf_load_error(ret, err) : 0;
}

int bpf_facts_init(struct bpf_facts *f, enum bpf_facts_watch watch, struct error *err)
{
	int ret;

	*f = (struct bpf_facts){.own_stack_bytes = STACK_BYTES_MIN, .skip_frames = USUAL_SKIP};
	bpf_caches_init(&f->caches);
	ret = load(f, err);
	if (!ret)
		ret = calibrate(f, watch, err);
	if (ret)
		bpf_facts_deinit(f);
	return ret;
}

/*
 * libbpf searches the types of all modules for an optional function that the kernel lacks. It needs
 * CAP_SYS_ADMIN for that, and before 1.5 it does not load the object without. It searches only
 * once for each object, and if it does so for a target that does not exist, the failure is
 * harmless.
 */
void bpf_facts_skip_modules(const struct bpf_facts *f, struct bpf_object *programs)
{
	if (!f->has_cache_of || !f->has_cast || !f->has_preempt)
		bpf_program__set_attach_target(bpf_object__next_program(programs, NULL), 0,
					       "perf_kmem_none");
}

void bpf_facts_deinit(struct bpf_facts *f)
{
	if (f->programs)
		facts_bpf__destroy(f->programs);
	bpf_caches_deinit(&f->caches);
	*f = (struct bpf_facts){0};
}

uint64_t bpf_facts_symbol(const struct bpf_facts *f, const char *name)
{
	struct bpf_symbol_query *q = &f->programs->bss->symbol_query;
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	memset(q->name, 0, sizeof(q->name));
	memcpy(q->name, name, strnlen(name, sizeof(q->name) - 1));
	if (bpf_prog_test_run_opts(bpf_program__fd(f->programs->progs.find_symbol), &opts))
		return 0;
	return q->address;
}

struct cache_reader {
	const struct bpf_facts *facts;
	bool is_name;
};

static bool read_cache(void *ctx, uint64_t address, struct bpf_cache *ret_cache)
{
	const struct cache_reader *r = ctx;
	const struct facts_bpf *programs = r->facts->programs;
	struct bpf_cache_query *q = &programs->bss->cache_query;
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	q->address = address;
	q->is_name = r->is_name;
	if (bpf_prog_test_run_opts(bpf_program__fd(programs->progs.read_cache), &opts))
		return false;
	*ret_cache = (struct bpf_cache){
		.name = q->name,
		.object_size = q->object_size,
		.size = q->size,
		.accounted = q->flags & r->facts->slab_account,
	};
	return true;
}

const struct bpf_cache *bpf_facts_cache(struct bpf_facts *f, uint64_t address, bool is_name)
{
	struct cache_reader reader = {f, is_name};

	return address ? bpf_caches_find(&f->caches, address, read_cache, &reader) : NULL;
}

#endif
