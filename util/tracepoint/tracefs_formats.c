// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/tracepoint/tracefs_formats.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/strbuf.h"
#include "util/source/running_kernel.h"

#define SYSTEM "kmem"

/* No format is larger; a file may be any. */
#define FORMAT_BYTES_MAX (1u << 20)

/* The texts that a struct tracing_data points into. */
struct formats {
	struct tracing_data td;
	char **texts;
};

static void formats_deinit(struct formats *f)
{
	for (size_t i = 0; i < f->td.nr_formats; i++)
		free(f->texts[i]);
	free(f->texts);
	tracing_data_deinit(&f->td);
}

static int add_text(struct formats *f, struct strbuf *sb)
{
	size_t nr = f->td.nr_formats, len = sb->len;
	struct trace_format *formats = reallocarray(f->td.formats, nr + 1, sizeof(*formats));
	char **texts;

	if (!formats)
		return -ENOMEM;
	f->td.formats = formats;
	texts = reallocarray(f->texts, nr + 1, sizeof(*texts));
	if (!texts)
		return -ENOMEM;
	f->texts = texts;
	texts[nr] = strbuf_detach(sb);
	if (!texts[nr])
		return -ENOMEM;
	formats[nr] = (struct trace_format){.system = SYSTEM, .text = {texts[nr], len}};
	f->td.nr_formats++;
	return 0;
}

static int read_small(const char *path, struct strbuf *sb)
{
	int ret = strbuf_read_file(sb, path);

	return !ret && sb->len > FORMAT_BYTES_MAX ? -EFBIG : ret;
}

static int add_events(struct formats *f, const char *dir, struct error *err)
{
	_cleanup_free_ char *path = NULL;
	struct dirent *entry;
	DIR *d;
	int ret = 0;

	if (asprintf(&path, "%s/events/" SYSTEM, dir) < 0) {
		path = NULL;
		return error_nomem(err);
	}
	d = opendir(path);
	if (!d)
		return error_set_errno(err, errno, "cannot read event formats from '%s'", path);
	while (!ret && (entry = readdir(d))) {
		_cleanup_(strbuf_deinit) struct strbuf sb = STRBUF_INIT;
		_cleanup_free_ char *format = NULL;

		if (entry->d_name[0] == '.')
			continue;
		if (asprintf(&format, "%s/%s/format", path, entry->d_name) < 0) {
			format = NULL;
			ret = error_nomem(err);
			break;
		}
		ret = read_small(format, &sb);
		if (ret == -ENOENT || ret == -ENOTDIR)
			ret = 0; /* "enable", "filter" */
		else if (ret)
			ret = error_set_errno(err, -ret, "cannot read '%s'", format);
		else if (add_text(f, &sb))
			ret = error_nomem(err);
	}
	closedir(d);
	if (!ret && !f->td.nr_formats)
		ret = error_set(err, ENOENT, "'%s' has no events", path);
	return ret;
}

/* The numbers behind `field` in a line of header_page: where it is and how large. */
static bool header_field(const char *text, const char *field, unsigned int *ret_offset,
			 unsigned int *ret_size)
{
	const char *p = strstr(text, field);

	return p && sscanf(p + strlen(field), " offset:%9u; size:%9u;", ret_offset, ret_size) == 2;
}

/* A page of the ring buffer is one of the kernel's, and counts its bytes in a long. */
static int read_header_page(struct tracing_data *td, const char *dir)
{
	_cleanup_(strbuf_deinit) struct strbuf sb = STRBUF_INIT;
	_cleanup_free_ char *path = NULL;
	unsigned int offset, size;
	int ret;

	if (asprintf(&path, "%s/events/header_page", dir) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	ret = read_small(path, &sb);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	if (header_field(sb.buf, " commit;", &offset, &size) && (size == 4 || size == 8))
		td->long_size = (uint8_t)size;
	if (header_field(sb.buf, " data;", &offset, &size) && offset < 64 &&
	    tracing_page_size_valid(offset + size))
		td->page_size = offset + size;
	return 0;
}

/* What uname calls machines whose long has 4 bytes. */
static uint8_t long_size_of(const char *arch)
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

static int init(struct trace *t, const char *dir, const struct source_facts *r, uint32_t page_size,
		struct error *err)
{
	struct formats f = {.td = {.big_endian = r->big_endian,
				   .long_size = long_size_of(r->arch),
				   .page_size = page_size}};
	int ret = read_header_page(&f.td, dir);

	if (ret)
		ret = error_nomem(err);
	if (!ret)
		ret = add_events(&f, dir, err);
	if (!ret)
		ret = trace_init_from(t, &f.td, r->osrelease, err);
	formats_deinit(&f);
	return ret;
}

int trace_init_tracefs(struct trace *t, const char *dir, const struct source_facts *recording,
		       struct error *err)
{
	*t = (struct trace){.pageblock_order = PAGEBLOCK_ORDER_UNKNOWN};
	return init(t, dir, recording, 4096, err);
}

int trace_init_running(struct trace *t, const struct source_facts *recording, struct error *err)
{
	static const char *const dirs[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	long page_size = sysconf(_SC_PAGESIZE);
	int ret = -ENOENT;

	*t = (struct trace){.pageblock_order = PAGEBLOCK_ORDER_UNKNOWN};
	if (!source_facts_are_of_running_kernel(recording))
		return error_set(
			err, ENODATA,
			"it is of kernel '%s', not of the running one (name a copy of that "
			"kernel's tracefs with --tracefs)",
			recording->osrelease ? recording->osrelease : "unknown");
	for (size_t i = 0; ret && ret != -ENOMEM && i < sizeof(dirs) / sizeof(dirs[0]); i++)
		ret = init(t, dirs[i], recording, page_size > 0 ? (uint32_t)page_size : 4096, err);
	return ret;
}
