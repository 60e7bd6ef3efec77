// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/source/running_kernel.h"

#include <elf.h>
#include <string.h>
#include <sys/utsname.h>

#include "util/base/bytes.h"
#include "util/base/strbuf.h"
#include "util/source/facts.h"

#define RUNNING_NOTES "/sys/kernel/notes"

/* The GNU build-id among the notes that the running kernel shows. 0: not there. */
static size_t running_build_id(uint8_t *id)
{
	struct strbuf sb = STRBUF_INIT;
	size_t size = 0;
	struct bytes b;

	if (strbuf_read_file(&sb, RUNNING_NOTES))
		sb.len = 0;
	b = bytes_make(sb.buf, sb.len, false);
	while (!size && bytes_left(&b) >= sizeof(Elf32_Nhdr)) {
		uint32_t name_size = bytes_u32(&b), desc_size = bytes_u32(&b), type = bytes_u32(&b);
		const char *name = bytes_take(&b, ((uint64_t)name_size + 3) & ~3ull);
		const uint8_t *desc = bytes_take(&b, ((uint64_t)desc_size + 3) & ~3ull);

		if (!name || !desc)
			break;
		if (type != NT_GNU_BUILD_ID || name_size != 4 || memcmp(name, "GNU", 4) != 0 ||
		    desc_size > BUILD_ID_MAX)
			continue;
		memcpy(id, desc, desc_size);
		size = desc_size;
	}
	strbuf_deinit(&sb);
	return size;
}

bool source_facts_are_of_running_kernel(const struct source_facts *f)
{
	uint8_t id[BUILD_ID_MAX];
	struct utsname uts;

	if (f->kernel_build_id_size && running_build_id(id) == f->kernel_build_id_size)
		return !memcmp(id, f->kernel_build_id, f->kernel_build_id_size);
	return !uname(&uts) && f->osrelease && !strcmp(uts.release, f->osrelease) && f->arch &&
	       !strcmp(uts.machine, f->arch);
}
