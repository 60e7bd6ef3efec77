// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/tracepoint/event_format.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/event-parse.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/base/strbuf.h"
#include "util/tracepoint/format_text.h"

static int parse_formats(struct trace *t, const struct tracing_data *td)
{
	_cleanup_(strbuf_deinit) struct strbuf fields = STRBUF_INIT;

	for (size_t i = 0; i < td->nr_formats; i++) {
		const struct trace_format *f = &td->formats[i];
		struct tep_event *event = NULL;
		int ret;

		ret = format_text_rewrite(&fields, &f->text);
		if (ret == -ENOMEM)
			return ret;
		if (!ret)
			ret = (int)tep_parse_format(t->tep, &event, fields.buf, fields.len,
						    f->system);
		if (ret)
			log_debug("an event of '%s' has a format that cannot be read: error %d",
				  f->system, ret);
	}
	return 0;
}

static int init(struct trace *t, const struct tracing_data *td)
{
	enum tep_endian host =
		__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN;
	enum tep_endian file = td->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN;

	t->long_size = td->long_size;
	t->page_size = td->page_size;
	t->swap = host != file;
	t->tep = tep_alloc();
	if (!t->tep)
		return -ENOMEM;
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(t->tep, td->long_size);
	tep_set_page_size(t->tep, (int)td->page_size);
	tep_set_file_bigendian(t->tep, file);
	tep_set_local_bigendian(t->tep, host);
	return parse_formats(t, td);
}

int trace_init(struct trace *t, const struct tracing_data *td, struct error *err)
{
	*t = (struct trace){0};
	if (td->truncated)
		log_warn("the tracing data end early: some event formats may be missing");
	if (td->nr_left_out)
		log_warn("the tracing data have more event formats than any kernel: %zu are read, "
			 "%zu left out",
			 td->nr_formats, td->nr_left_out);
	if (init(t, td)) {
		trace_deinit(t);
		return error_nomem(err);
	}
	return 0;
}

void trace_deinit(struct trace *t)
{
	tep_free(t->tep);
	*t = (struct trace){0};
}

const struct tep_event *trace_event(const struct trace *t, uint64_t id)
{
	if (!t->tep || id > INT32_MAX)
		return NULL;
	return tep_find_event(t->tep, (int)id);
}

const char *trace_event_system(const struct tep_event *event)
{
	return event->system;
}

const char *trace_event_name(const struct tep_event *event)
{
	return event->name;
}

struct field_place trace_field(const struct tep_event *event, const char *name)
{
	/* libtraceevent takes a non-const event, but does not change it */
	const struct tep_format_field *f = tep_find_any_field((struct tep_event *)event, name);
	struct field_place place = {.kind = FIELD_ABSENT};

	if (!f || f->offset < 0 || f->size <= 0)
		return place;
	place.kind = FIELD_NUMBER;
	place.offset = (uint32_t)f->offset;
	place.is_signed = f->flags & TEP_FIELD_IS_SIGNED;
	if (f->flags & TEP_FIELD_IS_DYNAMIC) {
		place.kind = FIELD_DATA_LOC;
		if (f->flags & TEP_FIELD_IS_RELATIVE)
			place.kind = FIELD_REL_LOC;
	}
	if (f->size > 8)
		place.kind = FIELD_ABSENT;
	else
		place.size = (uint8_t)f->size;
	return place;
}
