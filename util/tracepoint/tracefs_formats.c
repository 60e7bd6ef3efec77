// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/tracepoint/tracefs_formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"

/* Larger than any format; a file may have any size. */
#define FORMAT_BYTES_MAX (1u << 20)

struct reading {
	struct tracing_data *td;
	const struct tracefs *tracefs;
	const char *system;
};

static int add_text(const struct reading *r, struct strbuf *sb)
{
	struct tracing_data *td = r->td;
	size_t nr = td->nr_formats, len = sb->len;
	struct trace_format *formats = reallocarray(td->formats, nr + 1, sizeof(*formats));
	char **texts;

	if (!formats)
		return -ENOMEM;
	td->formats = formats;
	texts = reallocarray(td->texts, nr + 1, sizeof(*texts));
	if (!texts)
		return -ENOMEM;
	td->texts = texts;
	texts[nr] = strbuf_detach(sb);
	if (!texts[nr])
		return -ENOMEM;
	formats[nr] = (struct trace_format){.system = r->system, .text = {texts[nr], len}};
	td->nr_formats++;
	return 0;
}

/* A tracefs_event_fn. */
static int add_event(void *ctx, const char *system, const char *name, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf sb = STRBUF_INIT;
	struct reading *r = ctx;
	int ret = tracefs_event_format(r->tracefs, system, name, &sb, err);

	if (ret == -ENOTDIR)
		return 0; /* "enable", "filter" */
	if (sb.len > FORMAT_BYTES_MAX)
		return error_set(err, EFBIG, "the format of '%s:%s' in '%s' is too large", system,
				 name, r->tracefs->path);
	/* a copy may be incomplete */
	if (ret == -ENOENT || (!ret && strncmp(sb.buf, "name: ", 6) != 0)) {
		log_warn("'%s/events/%s/%s/format' %s: these events are left out", r->tracefs->path,
			 system, name, ret ? "is missing" : "is not a format");
		return 0;
	}
	if (ret)
		return ret;
	return add_text(r, &sb) ? error_nomem(err) : 0;
}

uint8_t long_size_of_header_page(const char *header_page)
{
	uint32_t offset, size;

	/* the byte count of a page is a long */
	if (!tracefs_format_field(header_page, "commit", &offset, &size))
		return 0;
	return size == 4 || size == 8 ? (uint8_t)size : 0;
}

/* A page of the ring buffer is a page of the kernel. */
static int read_header_page(struct tracing_data *td, const struct tracefs *t)
{
	_cleanup_(strbuf_deinit) struct strbuf sb = STRBUF_INIT;
	uint32_t offset, size;
	int ret = tracefs_header_file(t, "header_page", &sb, NULL);

	if (ret)
		return ret == -ENOMEM ? ret : 0;
	if (long_size_of_header_page(sb.buf))
		td->long_size = long_size_of_header_page(sb.buf);
	if (tracefs_format_field(sb.buf, "data", &offset, &size) && offset < 64 &&
	    size <= UINT32_MAX - offset && tracing_page_size_valid(offset + size))
		td->page_size = offset + size;
	return 0;
}

uint8_t long_size_of_arch(const char *arch)
{
	static const char *const small[] = {"arm", "mips", "ppc",    "sparc", "parisc",
					    "sh",  "m68k", "xtensa", "arc",   "riscv32"};

	if (!arch || strstr(arch, "64"))
		return 8;
	if (arch[0] == 'i' && !strcmp(arch + 2, "86"))
		return 4;
	if (!strcmp(arch, "s390"))
		return 4;
	for (size_t i = 0; i < sizeof(small) / sizeof(small[0]); i++)
		if (!strncmp(arch, small[i], strlen(small[i])))
			return 4;
	return 8;
}

int tracefs_formats_read(struct tracing_data *td, const struct tracefs *t, const char *system,
			 struct error *err)
{
	struct reading reading = {td, t, system};
	int ret;

	if (read_header_page(td, t))
		return error_nomem(err);
	ret = tracefs_for_each_event(t, system, "*", add_event, &reading, err);
	if (!ret && !td->nr_formats)
		ret = error_set(err, ENOENT, "'%s/events/%s' has no events", t->path, system);
	if (ret)
		tracing_data_deinit(td);
	return ret;
}
