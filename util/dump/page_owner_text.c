// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/dump/page_owner_text.h"

#include <errno.h>
#include <string.h>

#include "util/event/kmem_event.h"

/* Limit of pages of 4 KiB in a 64-bit address space. */
#define PFN_MAX ((1ull << 52) - 1)

/* The unparsed rest of a line. */
struct rest {
	const char *at, *end;
};

static bool starts(const char *line, size_t len, const char *with, size_t with_len)
{
	return len >= with_len && !memcmp(line, with, with_len);
}

#define STARTS(line, len, literal) starts(line, len, literal, sizeof(literal) - 1)

static bool take(struct rest *r, const char *text, size_t len)
{
	if (!starts(r->at, (size_t)(r->end - r->at), text, len))
		return false;
	r->at += len;
	return true;
}

#define TAKE(r, literal) take(r, literal, sizeof(literal) - 1)

static bool take_decimal(struct rest *r, uint64_t *ret_value)
{
	const char *from = r->at;
	uint64_t v = 0;

	while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
		if (__builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*r->at++ - '0'), &v))
			return false;
	*ret_value = v;
	return r->at > from;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool take_hex(struct rest *r, uint64_t *ret_value)
{
	const char *from;
	uint64_t v = 0;

	if (!TAKE(r, "0x"))
		return false;
	for (from = r->at; r->at < r->end && hex_digit(*r->at) >= 0; r->at++) {
		if (v >> 60)
			return false;
		v = v << 4 | (uint64_t)hex_digit(*r->at);
	}
	*ret_value = v;
	return r->at > from;
}

static bool take_number(struct rest *r, uint64_t *ret_value)
{
	return STARTS(r->at, (size_t)(r->end - r->at), "0x") ? take_hex(r, ret_value)
							     : take_decimal(r, ret_value);
}

static bool take_pid(struct rest *r, int32_t *ret_pid)
{
	uint64_t v;

	if (!take_decimal(r, &v) || v > INT32_MAX)
		return false;
	*ret_pid = (int32_t)v;
	return true;
}

/* Remove ", ts 123 ns" from the end of the rest. */
static bool take_time_from_end(struct rest *r, const char *name, size_t name_len,
			       uint64_t *ret_time)
{
	struct rest number = {r->end, r->end};

	if ((size_t)(r->end - r->at) < name_len + 4 || memcmp(r->end - 3, " ns", 3) != 0)
		return false;
	number.at = number.end = r->end - 3;
	while (number.at > r->at && number.at[-1] >= '0' && number.at[-1] <= '9')
		number.at--;
	if ((size_t)(number.at - r->at) < name_len ||
	    memcmp(number.at - name_len, name, name_len) != 0)
		return false;
	name = number.at - name_len;
	if (!take_decimal(&number, ret_time) || *ret_time > INT64_MAX)
		return false;
	r->end = name;
	return true;
}

#define TAKE_TIME(r, literal, ret) take_time_from_end(r, literal, sizeof(literal) - 1, ret)

/* The command is between numbers; those after it are parsed from the end of the line. */
static int take_comm(struct rest *r, struct page_owner_header *h)
{
	/* a command may look like its own end: a line that ends like a header is complete */
	if (!h->has_ts || r->at >= r->end || r->end[-1] != ')')
		return -EAGAIN;
	h->has_comm = true;
	h->comm = r->at;
	h->comm_len = (size_t)(r->end - 1 - r->at);
	return 0;
}

int page_owner_parse_header(const char *line, size_t len, struct page_owner_header *ret_header)
{
	struct page_owner_header h = {.pid = -1, .tgid = -1};
	struct rest r = {line, line + len};
	uint64_t v;

	if (!TAKE(&r, PAGE_OWNER_HEADER) || !take_decimal(&r, &v) || v > UINT32_MAX)
		return -EINVAL;
	h.order = (uint32_t)v;
	if (!TAKE(&r, ", mask ") || !take_hex(&r, &v) || !TAKE(&r, "("))
		return -EINVAL;
	h.gfp_flags = (uint32_t)v;
	h.gfp_names = r.at;
	r.at = memchr(r.at, ')', (size_t)(r.end - r.at));
	if (!r.at)
		return -EINVAL;
	h.gfp_names_len = (size_t)(r.at++ - h.gfp_names);
	h.has_free_ts = TAKE_TIME(&r, ", free_ts ", &h.free_ts_ns);
	h.has_ts = TAKE_TIME(&r, ", ts ", &h.ts_ns);
	if (TAKE(&r, ", pid ")) {
		if (!take_pid(&r, &h.pid))
			return -EINVAL;
		h.has_pid = true;
		h.tgid = h.pid;
	}
	if (TAKE(&r, ", tgid ")) {
		int ret;

		if (!take_pid(&r, &h.tgid) || !TAKE(&r, " ("))
			return -EINVAL;
		ret = take_comm(&r, &h);
		if (ret)
			return ret;
	} else if (r.at != r.end) {
		return -EINVAL;
	}
	*ret_header = h;
	return 0;
}

static int32_t migratetype_of(const char *name, size_t len)
{
	const char *list = PAGE_OWNER_MIGRATETYPES;
	int32_t number = 0;

	while (*list) {
		size_t n = strcspn(list, " ");

		if (n == len && !memcmp(list, name, n))
			return number;
		number++;
		list += n + strspn(list + n, " ");
	}
	return -1;
}

static bool take_type(struct rest *r, int32_t *ret_type)
{
	const char *from = r->at;
	const char *blank = memchr(from, ' ', (size_t)(r->end - from));

	if (!blank || blank == from)
		return false;
	*ret_type = migratetype_of(from, (size_t)(blank - from));
	r->at = blank;
	return true;
}

/* A value among the flags: "node=1". */
static int32_t number_of(struct rest r, const char *name, uint64_t max)
{
	uint64_t v;

	r.at = memmem(r.at, (size_t)(r.end - r.at), name, strlen(name));
	if (!r.at)
		return -1;
	r.at += strlen(name);
	return take_decimal(&r, &v) && v <= max ? (int32_t)v : -1;
}

int page_owner_parse_place(const char *line, size_t len, struct page_owner_place *ret_place)
{
	struct page_owner_place p;
	struct rest r = {line, line + len};

	if (!TAKE(&r, "PFN ") || !take_number(&r, &p.pfn) || p.pfn > PFN_MAX ||
	    !TAKE(&r, " type ") || !take_type(&r, &p.migratetype) || !TAKE(&r, " Block ") ||
	    !take_number(&r, &p.block) || !TAKE(&r, " type ") ||
	    !take_type(&r, &p.block_migratetype) || !TAKE(&r, " Flags "))
		return -EINVAL;
	p.node = number_of(r, "node=", INT32_MAX);
	p.zone = number_of(r, "zone=", INT8_MAX);
	*ret_place = p;
	return 0;
}

uint32_t page_owner_pageblock_order(const struct page_owner_place *place)
{
	/* each order yields another block for the pfn, until it is 0 */
	for (uint32_t order = 1; place->block && order <= PAGE_ORDER_MAX; order++)
		if (place->pfn >> order == place->block)
			return order;
	return 0;
}

enum page_owner_line page_owner_line_of(const char *line, size_t len)
{
	if (!len)
		return PAGE_OWNER_END;
	switch (line[0]) {
	case ' ':
		return PAGE_OWNER_FRAME;
	case 'P':
		if (STARTS(line, len, PAGE_OWNER_HEADER))
			return PAGE_OWNER_FIRST;
		if (STARTS(line, len, "PFN "))
			return PAGE_OWNER_PLACE;
		if (STARTS(line, len, "Page has been migrated"))
			return PAGE_OWNER_MIGRATED;
		break;
	case 'S':
		if (STARTS(line, len, "Slab cache page"))
			return PAGE_OWNER_SLAB;
		break;
	case 'C':
		if (STARTS(line, len, "Charged "))
			return PAGE_OWNER_CHARGED;
		break;
	default:
		break;
	}
	return PAGE_OWNER_OTHER;
}

const char *page_owner_reason(const char *line, size_t len, size_t *ret_len)
{
	static const char before[] = "reason: ";
	const char *at = memmem(line, len, before, sizeof(before) - 1);

	if (!at)
		return NULL;
	at += sizeof(before) - 1;
	*ret_len = (size_t)(line + len - at);
	return at;
}

const char *page_owner_memcg(const char *line, size_t len, size_t *ret_len, bool *ret_offline)
{
	struct rest r = {line, line + len};

	if (!TAKE(&r, "Charged "))
		return NULL;
	TAKE(&r, "(via objcg) ");
	if (!TAKE(&r, "to "))
		return NULL;
	*ret_offline = TAKE(&r, "offline ");
	if (!TAKE(&r, "memcg ") || r.at == r.end)
		return NULL;
	*ret_len = (size_t)(r.end - r.at);
	return r.at;
}
