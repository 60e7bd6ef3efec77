// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/session/about_record.h"

#include <errno.h>
#include <string.h>

#include "util/base/bytes.h"
#include "util/perfdata/attr.h"
#include "util/perfdata/format.h"
#include "util/session/feature.h"

/* u64 id, u64 lost */
static int note_lost(struct recording *r, const struct record *rec)
{
	const uint64_t id = load_u64(rec->data + 8, r->swap);
	const uint64_t lost = load_u64(rec->data + 16, r->swap);
	struct recorded_event *ev = recording_event_by_id(r, id);

	if (!ev && id && r->facts.nr_events)
		ev = recording_event(r, 0);
	if (ev)
		ev->nr_lost_records += lost;
	else
		r->nr_lost_of_any += lost;
	return 0;
}

/*
 * Modules with a build-id, and the length of their names (a path, in files of stock).  Further ones
 * are ignored, as compressed records could contain any number.
 */
#define MODULES_MAX	8192
#define MODULE_NAME_MAX 255

/* The kernel's name, and after it that of the symbol whose address is pgoff. */
static void note_kernel(struct recording *r, const char *symbol, uint64_t address, uint64_t length,
			uint64_t pgoff)
{
	if (strlen(symbol) >= sizeof(r->facts.kernel_text_symbol))
		return;
	memcpy(r->facts.kernel_text_symbol, symbol, strlen(symbol) + 1);
	r->facts.kernel_text = pgoff;
	r->facts.kernel_start = address;
	r->facts.kernel_end = length <= UINT64_MAX - address ? address + length : UINT64_MAX;
}

/*
 * u32 pid, u32 tid, u64 addr, u64 len, u64 pgoff, filename; before the name MMAP2 has 24 bytes with
 * u8 size, 3 bytes and the build-id, then u32 prot and u32 flags.
 */
static int note_mmap(struct recording *r, const struct record *rec)
{
	const bool has_id =
		rec->type == PERF_RECORD_MMAP2 && rec->misc & PERF_RECORD_MISC_MMAP_BUILD_ID;
	struct bytes b = bytes_make(rec->data + 16, rec->size - 16, r->swap), identity;
	uint64_t address, length, pgoff;
	const char *name;
	bool is_kernel;
	size_t size;

	if ((rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL)
		return 0;
	address = bytes_u64(&b);
	length = bytes_u64(&b);
	pgoff = bytes_u64(&b);
	identity = bytes_sub(&b, rec->type == PERF_RECORD_MMAP2 ? 24 : 0);
	if (rec->type == PERF_RECORD_MMAP2)
		bytes_take(&b, 8);
	name = bytes_cstr(&b);
	if (!name)
		return 0;
	is_kernel = !strncmp(name, RECORDING_KERNEL, sizeof(RECORDING_KERNEL) - 1);
	if (is_kernel && name[sizeof(RECORDING_KERNEL) - 1])
		note_kernel(r, name + sizeof(RECORDING_KERNEL) - 1, address, length, pgoff);
	if (!has_id || r->facts.nr_build_ids > MODULES_MAX || strlen(name) > MODULE_NAME_MAX)
		return 0;
	size = bytes_u8(&identity);
	bytes_take(&identity, 3);
	return size > BUILD_ID_MAX ? 0
				   : recording_add_build_id(r, is_kernel ? RECORDING_KERNEL : name,
							    true, identity.pos, size);
}

/* In a pipe: an event and its ids. */
static int note_attr(struct recording *r, const struct record *rec)
{
	struct bytes b = bytes_make(rec->data + 8, rec->size - 8, r->swap);
	struct event_attr attr;

	if (!r->pipe)
		return 0;
	if (r->facts.nr_events >= UINT16_MAX || attr_parse(&b, 0, r->facts.big_endian, &attr, NULL))
		return -EBADMSG;
	if (!recording_add_event(r, &attr))
		return -ENOMEM;
	while (bytes_left(&b) >= 8) {
		int ret = recording_add_id(r, bytes_u64(&b), (uint32_t)r->facts.nr_events - 1);

		if (ret)
			return ret;
	}
	return 0;
}

/* In a pipe: u64 feature, then its bytes. */
static int note_feature(struct recording *r, const struct record *rec)
{
	struct bytes b = bytes_make(rec->data + 8, rec->size - 8, r->swap);
	uint64_t bit = bytes_u64(&b);

	if (bit >= PERFDATA_FEATURE_BITS)
		return 0;
	return feature_read(r, (unsigned int)bit, b);
}

static int note_build_id(struct recording *r, const struct record *rec)
{
	return feature_read(r, HEADER_BUILD_ID, bytes_make(rec->data, rec->size, r->swap));
}

/* The records that mean something to us; all others are skipped. */
static int (*const handlers[])(struct recording *r, const struct record *rec) = {
	[PERF_RECORD_MMAP] = note_mmap,
	[PERF_RECORD_LOST] = note_lost,
	[PERF_RECORD_MMAP2] = note_mmap,
	[PERF_RECORD_HEADER_ATTR] = note_attr,
	[PERF_RECORD_HEADER_BUILD_ID] = note_build_id,
	[PERF_RECORD_HEADER_FEATURE] = note_feature,
};

int about_record_note(struct recording *r, const struct record *rec)
{
	if (rec->type < sizeof(handlers) / sizeof(handlers[0]) && handlers[rec->type])
		return handlers[rec->type](r, rec);
	return 0;
}
