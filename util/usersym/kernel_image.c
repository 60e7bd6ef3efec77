// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/usersym/kernel_image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/usersym/elf_functions.h"

static void add_build_id(struct strbuf *path, const struct source_facts *facts)
{
	for (size_t i = 0; i < facts->kernel_build_id_size; i++)
		strbuf_addf(path, "%s%02x", i == 1 ? "/" : "", facts->kernel_build_id[i]);
}

/* Paths to try; %r is the release, %b the build-id, %h the user's home. */
static const char *const places[] = {
	"%h/.debug/.build-id/%b/vmlinux",
	"%h/.debug/.build-id/%b/elf",
	"/usr/lib/debug/.build-id/%b.debug",
	"/usr/lib/debug/boot/vmlinux-%r",
	"/usr/lib/debug/lib/modules/%r/vmlinux",
	"/lib/modules/%r/build/vmlinux",
	"/boot/vmlinux-%r",
};

/* Returns false if a value in the path is unknown. */
static bool make_path(struct strbuf *path, const char *place, const struct source_facts *facts)
{
	const char *home = getenv("HOME");

	strbuf_reset(path);
	for (; *place; place++) {
		if (*place != '%') {
			strbuf_addch(path, *place);
			continue;
		}
		switch (*++place) {
		case 'r':
			if (!facts->osrelease || strchr(facts->osrelease, '/'))
				return false;
			strbuf_addstr(path, facts->osrelease);
			break;
		case 'b':
			if (facts->kernel_build_id_size < 2)
				return false;
			add_build_id(path, facts);
			break;
		default:
			if (!home)
				return false;
			strbuf_addstr(path, home);
			break;
		}
	}
	return !path->failed;
}

static bool is_that_kernel(const struct elf_file *f, const struct source_facts *facts)
{
	return f->build_id_size == facts->kernel_build_id_size &&
	       !memcmp(f->build_id, facts->kernel_build_id, f->build_id_size);
}

/* The recorded kernel's addresses minus those of the file. */
static bool find_moved_by(struct kernel_image *k, const struct source_facts *facts)
{
	uint64_t address;

	if (!facts->kernel_text_address || !facts->kernel_text_symbol[0])
		return false;
	if (!elf_file_symbol(&k->dso.file, facts->kernel_text_symbol, &address))
		return false;
	k->moved_by = facts->kernel_text_address - address;
	return true;
}

static int open_path(struct kernel_image *k, const char *path, bool is_named,
		     const struct source_facts *facts, struct error *err)
{
	struct dso *d = &k->dso;
	int ret;

	*k = (struct kernel_image){.dso = DSO_INIT};
	ret = elf_file_open(&d->file, path, err);
	if (ret)
		return ret;
	d->has_file = true;
	if ((facts->kernel_build_id_size || !is_named) && !is_that_kernel(&d->file, facts))
		ret = error_set(err, EINVAL,
				"'%s' is not the kernel that was recorded: its build-id is another "
				"one",
				path);
	else if (elf_functions_read(&d->symbols, &d->file, NULL, NULL, err))
		ret = -ENOMEM;
	else if (!d->symbols.nr)
		ret = error_set(err, ENODATA, "'%s' has no functions", path);
	else if (!find_moved_by(k, facts))
		ret = error_set(err, ENODATA,
				"the recording has no load address of the kernel for '%s'", path);
	if (ret)
		kernel_image_close(k);
	return ret;
}

/* Request it from a server by build-id. */
static bool fetch(struct kernel_image *k, enum debuginfod_kind kind, struct debuginfod *server,
		  const struct source_facts *facts)
{
	static const char name[] = "vmlinux";
	_cleanup_(strbuf_deinit) struct strbuf path = STRBUF_INIT;
	struct error why = ERROR_INIT;

	if (!debuginfod_find(server, kind, facts->kernel_build_id, facts->kernel_build_id_size,
			     name, &path))
		return false;
	if (!open_path(k, path.buf, false, facts, &why))
		return true;
	/* ENODATA: the file is right, but the recording has no load address of the kernel */
	if (why.code != ENODATA)
		debuginfod_refuse(kind, name, path.buf);
	return false;
}

int kernel_image_open(struct kernel_image *k, const char *path, const struct source_facts *facts,
		      const struct dso_search *search, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf found = STRBUF_INIT, below = STRBUF_INIT;
	const char *symfs = search && search->symfs ? search->symfs : "";

	if (path)
		return open_path(k, path, true, facts, err);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (!make_path(&found, places[i], facts))
			continue;
		strbuf_reset(&below);
		strbuf_addf(&below, "%s%s", symfs, found.buf);
		if (!below.failed && !open_path(k, below.buf, false, facts, NULL))
			return 0;
	}
	/* for debuginfod, an image with debug information is a debug file, which may lack the
	 * code */
	if (search && search->debuginfod && facts->kernel_build_id_size &&
	    (fetch(k, DEBUGINFOD_DEBUG_FILE, search->debuginfod, facts) ||
	     fetch(k, DEBUGINFOD_EXECUTABLE, search->debuginfod, facts)))
		return 0;
	return error_set(err, ENOENT,
			 "no vmlinux of the recorded kernel was found; --vmlinux names one");
}

void kernel_image_close(struct kernel_image *k)
{
	dso_deinit(&k->dso);
}
