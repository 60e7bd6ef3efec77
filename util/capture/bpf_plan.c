// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/capture/bpf_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Sources of fields: numbers of values. The values of a layout follow those common to all events,
 * in the order of its fields.
 */
enum { V_NONE, V_TID, V_OBJECT /* ptr or pfn */, V_CALL_SITE, V_LAYOUT };

#define FIELD_NAME(type, field, member) #field,
#define NO_FIELD(type, name)
#define FIELD_NAMES(layout)                                                                        \
	static const char *const layout##_fields[] = {BPF_FIELDS_##layout(FIELD_NAME, NO_FIELD)    \
							      NULL};
BPF_LAYOUTS(FIELD_NAMES)

#define KIND(kind, layout, system, tracepoint)                                                     \
	[BPF_##kind] = {#system, #tracepoint, layout##_fields},
static const struct {
	const char *system, *event; /* of the tracepoint; NULL: it is not recorded as a sample */
	const char *const *fields;  /* fields of the layout, terminated by NULL */
} kinds[BPF_KINDS] = {BPF_MEMORY_EVENTS(KIND)};

static const uint32_t body_sizes[BPF_KINDS] = BPF_BODY_SIZES;

enum bpf_kind bpf_plan_kind(const char *system, const char *name)
{
	enum bpf_kind kind = 0;

	while (kind < BPF_KINDS && (!kinds[kind].event || strcmp(kinds[kind].event, name) != 0 ||
				    strcmp(kinds[kind].system, system) != 0))
		kind++;
	return kind;
}

const char *bpf_plan_event(enum bpf_kind kind, const char **ret_system)
{
	*ret_system = kinds[kind].system;
	return kinds[kind].event;
}

/* ---- plans: from the text of a format ---- */

static bool is_name(const char *s, const char *name, size_t len)
{
	return strlen(s) == len && !memcmp(s, name, len);
}

static unsigned int value_of(enum bpf_kind kind, const char *name, size_t len)
{
	const char *const *fields = kinds[kind].fields;

	if (is_name("common_pid", name, len))
		return V_TID;
	if (is_name("ptr", name, len) || is_name("pfn", name, len) || is_name("addr", name, len) ||
	    is_name("va_start", name, len))
		return V_OBJECT;
	if (is_name("call_site", name, len))
		return V_CALL_SITE;
	for (unsigned int i = 0; fields[i]; i++)
		if (is_name(fields[i], name, len))
			return V_LAYOUT + i;
	return V_NONE;
}

/* Parse "field:TYPE NAME; offset:N; size:N; signed:N;". Returns false for other lines. */
static bool parse_field(const char *line, const char **ret_name, size_t *ret_len, uint32_t *ret_at,
			uint32_t *ret_size)
{
	const char *end = strchr(line, ';'), *name = end;
	unsigned int at, size;

	line += strspn(line, "\t ");
	if (!end || strncmp(line, "field:", 6) != 0 ||
	    sscanf(end, "; offset:%u; size:%u;", &at, &size) != 2 || at > 1024 || size > 1024)
		return false;
	while (name > line && (name[-1] == '_' || (name[-1] >= '0' && name[-1] <= '9') ||
			       ((name[-1] | 0x20) >= 'a' && (name[-1] | 0x20) <= 'z')))
		name--;
	*ret_name = name;
	*ret_len = (size_t)(end - name);
	*ret_at = at;
	*ret_size = size;
	return true;
}

static int add_field(struct bpf_plan *p, unsigned int value, uint32_t at, uint32_t size)
{
	bool is_u32 = size == sizeof(uint32_t), is_u64 = size == sizeof(uint64_t);

	if (value == V_NONE)
		return 0;
	if (value == V_TID) {
		p->tid_at = (uint16_t)at;
		return is_u32 ? 0 : -E2BIG;
	}
	if (value == V_OBJECT) {
		p->object_at = (uint16_t)at;
		p->object_is_u64 = is_u64;
		return is_u32 || is_u64 ? 0 : -E2BIG;
	}
	if (p->nr_fields == BPF_PLAN_FIELDS || size > sizeof(uint64_t))
		return -E2BIG;
	p->fields[p->nr_fields++] = (struct bpf_plan_field){
		.value = (uint8_t)value, .at = (uint16_t)at, .size = (uint8_t)size};
	p->nr_u64 += is_u64;
	p->nr_u32 += is_u32;
	return 0;
}

static int larger_first(const void *a, const void *b)
{
	const struct bpf_plan_field *x = a, *y = b;

	return y->size - x->size;
}

/* Whether the field is the event's text. */
static bool is_text(enum bpf_kind kind, const char *name, size_t len)
{
	return (bpf_kind_has_cache(kind) && is_name("name", name, len)) ||
	       (kind == BPF_MARK_VICTIM && is_name("comm", name, len));
}

static int plan_fields(struct bpf_plan *p, enum bpf_kind kind, const struct evsel *e,
		       struct error *err)
{
	const char *line = e->format.buf, *name;
	uint32_t at, size, end = 0;
	int ret = 0;
	size_t len;

	for (; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		if (!parse_field(line, &name, &len, &at, &size))
			continue;
		if (at + size > end)
			end = at + size;
		if (is_text(kind, name, len) && size == 4)
			p->name_at = (uint16_t)at;
		else if (!ret)
			ret = add_field(p, value_of(kind, name, len), at, size);
	}
	if (!end)
		return error_set(err, EINVAL, "the format of '%s:%s' has no fields", e->system,
				 e->name);
	if (ret || end > BPF_FIXED_MAX)
		return error_set(err, E2BIG, "'%s:%s' has too many fields", e->system, e->name);
	p->fixed_bytes = (uint16_t)end;
	p->has_likes = !p->callchain && !p->cgroup && p->tid_at && p->object_is_u64 &&
		       p->object_at >= p->tid_at + sizeof(uint32_t);
	p->body_words = (uint8_t)(body_sizes[kind] / sizeof(uint64_t));
	qsort(p->fields, p->nr_fields, sizeof(p->fields[0]), larger_first);
	return 0;
}

int bpf_plan_init(struct bpf_plan *p, enum bpf_kind kind, const struct evsel *e, struct error *err)
{
	*p = (struct bpf_plan){
		.wanted = true,
		.callchain = e->attr.sample_type & PERF_SAMPLE_CALLCHAIN,
		.cgroup = e->attr.sample_type & PERF_SAMPLE_CGROUP,
		.id = e->fds[0].id,
		.type = e->attr.config,
	};
	return plan_fields(p, kind, e, err);
}

/* ---- values ---- */

#define PUT_VALUE(type, field, member) *at++ = (uint64_t)body->field; /* sign-extended */
#define PUT_VALUES(kind, layout, system, tracepoint)                                               \
	case BPF_##kind: {                                                                         \
		const struct bpf_##layout *body = &ev->layout;                                     \
                                                                                                   \
		(void)body;                                                                        \
		BPF_FIELDS_##layout(PUT_VALUE, NO_FIELD) break;                                    \
	}

/* All values except the task and the object. */
static void values_of(const struct bpf_event *ev, uint64_t v[V_LAYOUT + BPF_PLAN_FIELDS])
{
	uint64_t *at = v + V_LAYOUT;

	v[V_CALL_SITE] = ev->call_site;
	switch (ev->kind) {
		BPF_MEMORY_EVENTS(PUT_VALUES)
	default:
		break;
	}
}

/* The fields of a plan grouped by size, so that no size must be tested. */
void bpf_plan_store(const struct bpf_plan *p, const struct bpf_event *ev, uint8_t *raw)
{
	uint64_t v[V_LAYOUT + BPF_PLAN_FIELDS];
	const struct bpf_plan_field *f = p->fields, *u64_end = f + p->nr_u64,
				    *u32_end = u64_end + p->nr_u32, *end = f + p->nr_fields;

	values_of(ev, v);
	for (; f < u64_end; f++)
		memcpy(raw + f->at, &v[f->value], sizeof(uint64_t));
	for (; f < u32_end; f++) {
		uint32_t u32 = (uint32_t)v[f->value];

		memcpy(raw + f->at, &u32, sizeof(u32));
	}
	for (; f < end; f++) {
		uint16_t u16 = (uint16_t)v[f->value];

		if (f->size == sizeof(u16))
			memcpy(raw + f->at, &u16, sizeof(u16));
		else
			raw[f->at] = (uint8_t)u16;
	}
}
