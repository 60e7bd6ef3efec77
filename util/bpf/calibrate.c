// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bpf/calibrate.h"

#ifdef HAVE_LIBBPF

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/bpf/kmem.skel.h"
#include "util/host/tracefs.h"

#define STACK_BYTES_MIN 16384
#define TOUCHED_PAGES	4
#define RING_PAGES	16
#define TRIES		8
/* bpf_prog, bpf_trace_run: on every kernel looked at, x86 and arm64 */
#define USUAL_SKIP 2
#define SKIP_MAX   8

/* A perf event of this thread on mm_page_alloc. */
struct watcher {
	int fd;
	uint32_t pfn_offset; /* in its raw data */
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
	uint32_t size;
	void *ring;
	int ret = tracefs_find(&tracefs, true, err);

	if (!ret)
		ret = tracefs_event_id(&tracefs, "kmem", "mm_page_alloc", &id, err);
	if (!ret)
		ret = tracefs_event_format(&tracefs, "kmem", "mm_page_alloc", &format, err);
	if (ret)
		return ret;
	if (!tracefs_format_field(format.buf, "pfn", &w->pfn_offset, &size) ||
	    size != sizeof(unsigned long))
		return error_set(err, ENOTSUP, "the event kmem:mm_page_alloc has no 'pfn'");
	attr.config = id;
	w->fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (w->fd < 0)
		return error_set_errno(err, errno, "cannot open the event kmem:mm_page_alloc");
	w->ring_size = (1 + RING_PAGES) * page;
	ring = mmap(NULL, w->ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, w->fd, 0);
	if (ring == MAP_FAILED)
		return error_set_errno(err, errno, "cannot map an event's ring buffer");
	w->ring = ring;
	return 0;
}

/* Its samples; the ring is empty before, and large enough. */
static uint32_t watcher_samples(struct watcher *w, struct bpf_calibration_sample *samples,
				uint32_t max)
{
	uint64_t head = __atomic_load_n(&w->ring->data_head, __ATOMIC_ACQUIRE);
	const uint8_t *data = (const uint8_t *)w->ring + sysconf(_SC_PAGESIZE);
	uint64_t at = w->ring->data_tail, size = w->ring_size - (size_t)sysconf(_SC_PAGESIZE);
	uint32_t nr = 0;

	if (head > size) /* nothing may be wrapped around its end */
		return 0;
	while (at < head) {
		const struct perf_event_header *h = (const void *)(data + at);
		const uint64_t *chain = (const uint64_t *)(const void *)(h + 1);

		at += h->size;
		if (h->type != PERF_RECORD_SAMPLE)
			continue;
		if (nr < max) {
			const uint8_t *raw = (const uint8_t *)(chain + 1 + chain[0]);
			unsigned long pfn;

			memcpy(&pfn, raw + sizeof(uint32_t) + w->pfn_offset, sizeof(pfn));
			samples[nr] = (struct bpf_calibration_sample){pfn, chain + 1, chain[0]};
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

/* Both callchains go through the same functions from somewhere on. */
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

/* Once, with the perf event if there is one. False: try again. */
static bool attempt(struct kmem_bpf *skel, struct watcher *w, uint32_t page_bytes,
		    struct bpf_calibrated *result, int *ret, struct error *err)
{
	struct bpf_calibration_sample samples[BPF_CALIBRATIONS];
	const struct bpf_calibration *seen = skel->bss->calibrations;
	uint32_t nr;

	skel->bss->nr_calibrations = 0;
	if (w)
		ioctl(w->fd, PERF_EVENT_IOC_ENABLE, 0);
	__atomic_store_n(&skel->bss->calibrated_tid, (uint32_t)gettid(), __ATOMIC_SEQ_CST);
	*ret = touch_pages(err);
	__atomic_store_n(&skel->bss->calibrated_tid, 0, __ATOMIC_SEQ_CST);
	if (w)
		ioctl(w->fd, PERF_EVENT_IOC_DISABLE, 0);
	if (*ret)
		return true;
	nr = __atomic_load_n(&skel->bss->nr_calibrations, __ATOMIC_ACQUIRE);
	result->own_stack_bytes = STACK_BYTES_MIN;
	if (nr)
		while (result->own_stack_bytes < seen[0].stack_usage - seen[0].stack)
			result->own_stack_bytes *= 2;
	if (!w)
		return nr > 0;
	/* an interrupt may have allocated before both watched */
	return watcher_samples(w, samples, BPF_CALIBRATIONS) == nr && nr < BPF_CALIBRATIONS &&
	       bpf_calibration_vmemmap(seen, samples, nr, page_bytes, &result->vmemmap) &&
	       bpf_calibration_skip(&seen[nr - 1], &samples[nr - 1], &result->skip_frames);
}

int bpf_calibrate(struct kmem_bpf *skel, uint32_t page_bytes, bool need_pages,
		  struct bpf_calibrated *ret_calibrated, struct error *err)
{
	_cleanup_(watcher_deinit) struct watcher watcher = {.fd = -1};
	struct error why = ERROR_INIT;
	struct watcher *w = &watcher;
	struct bpf_link *link;
	int ret = 0;
	bool done = false;

	if (watcher_init(&watcher, &why)) {
		if (need_pages) {
			error_set(err, why.code, "%s", why.msg);
			return error_prefix(err, "page numbers are not known");
		}
		log_debug("BPF is not calibrated: %s", why.msg);
		w = NULL;
	}
	link = bpf_program__attach(skel->progs.calibrate);
	if (!link)
		return error_set_errno(err, errno, "cannot attach a BPF program to mm_page_alloc");
	*ret_calibrated = (struct bpf_calibrated){.skip_frames = USUAL_SKIP};
	for (int i = 0; i < TRIES && !done; i++)
		done = attempt(skel, w, page_bytes, ret_calibrated, &ret, err);
	bpf_link__destroy(link);
	if (ret)
		return ret;
	if (!done && need_pages)
		return error_set(err, ENOTSUP,
				 "page numbers are not known: this kernel's array of "
				 "page structs is not contiguous");
	return 0;
}

#endif
