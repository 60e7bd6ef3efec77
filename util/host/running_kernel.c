// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/host/running_kernel.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#include "util/base/bytes.h"
#include "util/base/cleanup.h"
#include "util/base/strbuf.h"

#define RUNNING_NOTES "/sys/kernel/notes"

/* Read the build-id among the ELF notes in this file. */
static size_t build_id_of_notes(const char *path, uint8_t id[BUILD_ID_MAX])
{
	_cleanup_(strbuf_deinit) struct strbuf sb = STRBUF_INIT;
	struct bytes b;

	if (strbuf_read_file(&sb, path))
		return 0;
	b = bytes_make(sb.buf, sb.len, false);
	while (bytes_left(&b)) {
		uint32_t name_size = bytes_u32(&b), desc_size = bytes_u32(&b), type = bytes_u32(&b);
		const char *name = bytes_take(&b, ((uint64_t)name_size + 3) & ~3ull);
		const uint8_t *desc = bytes_take(&b, ((uint64_t)desc_size + 3) & ~3ull);

		if (b.failed)
			break;
		if (type != NT_GNU_BUILD_ID || name_size != 4 || memcmp(name, "GNU", 4) != 0 ||
		    desc_size > BUILD_ID_MAX)
			continue;
		memcpy(id, desc, desc_size);
		return desc_size;
	}
	return 0;
}

size_t running_kernel_build_id(uint8_t id[BUILD_ID_MAX])
{
	return build_id_of_notes(RUNNING_NOTES, id);
}

static size_t module_build_id(const char *module, uint8_t id[BUILD_ID_MAX])
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", module);
	return build_id_of_notes(path, id);
}

int running_modules_for_each(const char *path, int (*fn)(void *ctx, const struct running_module *m),
			     void *ctx)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t cap = 0;
	int ret = 0;

	/* "name size refs users state 0xaddress"; the address is 0 if it is hidden */
	while (!ret && f && getline(&line, &cap, f) > 0) {
		struct running_module m;
		char name[128];
		uint64_t size;

		if (sscanf(line, "%127s %" SCNu64 " %*s %*s %*s 0x%" SCNx64, name, &size,
			   &m.start) != 3 ||
		    !m.start)
			continue;
		m.name = name;
		m.end = m.start + size;
		m.build_id_size = module_build_id(name, m.build_id);
		ret = fn(ctx, &m);
	}
	return ret;
}

bool running_kernel_is(const struct kernel_identity *k)
{
	uint8_t id[BUILD_ID_MAX];
	struct utsname uts;

	if (k->build_id_size && running_kernel_build_id(id) == k->build_id_size)
		return !memcmp(id, k->build_id, k->build_id_size);
	return !uname(&uts) && k->release && !strcmp(uts.release, k->release) && k->machine &&
	       !strcmp(uts.machine, k->machine);
}

/* Its end is in /proc/self/maps only. */
static size_t size_from(uintptr_t start)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/maps", "re");
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		unsigned long from, to;

		if (sscanf(line, "%lx-%lx", &from, &to) == 2 && from == start && to > from)
			return to - from;
	}
	return 0;
}

bool running_kernel_is_confidential(const char *path)
{
	_cleanup_(strbuf_deinit) struct strbuf levels = STRBUF_INIT;

	/* all levels; the present one is in brackets */
	return !strbuf_read_file(&levels, path) && levels.len &&
	       strstr(levels.buf, "[confidentiality]");
}

int running_kernel_vdso(void **ret_image, size_t *ret_size)
{
	uintptr_t start = getauxval(AT_SYSINFO_EHDR);
	size_t size = start ? size_from(start) : 0;
	void *image;

	if (!size)
		return -ENOENT;
	image = malloc(size);
	if (!image)
		return -ENOMEM;
	memcpy(image, (const void *)start, size);
	*ret_image = image;
	*ret_size = size;
	return 0;
}

/* Parse the heading of the last table: "Number of blocks type  Unmovable  Movable ..." */
static int read_migratetypes(struct page_types *p, const char *text)
{
	static const char heading[] = "Number of blocks type";
	_cleanup_(strbuf_deinit) struct strbuf names = STRBUF_INIT;
	const char *s = strstr(text, heading);

	if (!s)
		return 0;
	for (s += sizeof(heading) - 1; *s && *s != '\n';) {
		size_t len;

		s += strspn(s, " ");
		len = strcspn(s, " \n");
		if (len && names.len)
			strbuf_addch(&names, ' ');
		strbuf_add(&names, s, len);
		s += len;
	}
	if (!names.len)
		return names.failed ? -ENOMEM : 0;
	p->migratetypes = strbuf_detach(&names);
	return p->migratetypes ? 0 : -ENOMEM;
}

int page_types_init(struct page_types *p, const char *path)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;
	int ret = strbuf_read_file(&text, path);
	const char *order;

	*p = (struct page_types){0};
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	order = strstr(text.buf, "Page block order:");
	if (order)
		sscanf(order, "Page block order: %" SCNu64, &p->pageblock_order);
	return read_migratetypes(p, text.buf);
}

void page_types_deinit(struct page_types *p)
{
	free(p->migratetypes);
	*p = (struct page_types){0};
}
