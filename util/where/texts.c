// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/where/texts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/dump/archive_entries.h"
#include "util/dump/archive_series.h"
#include "util/dump/take.h"
#include "util/host/mounts.h"
#include "util/source/host_facts.h"
#include "util/where/collect.h"

static const struct {
	const char *name; /* of the part of a snapshot */
	/* relative to debugfs unless it begins with '/'; NULL: made by collect_holders() */
	const char *path;
} texts[WHERE_TEXTS_NR] = {
	[WHERE_ZONEINFO] = {"zoneinfo", "/proc/zoneinfo"},
	[WHERE_MEMINFO] = {"meminfo", "/proc/meminfo"},
	[WHERE_VMSTAT] = {"vmstat", "/proc/vmstat"},
	[WHERE_VMALLOCINFO] = {"vmallocinfo", "/proc/vmallocinfo"},
	[WHERE_SLABINFO] = {"slabinfo", "/proc/slabinfo"},
	[WHERE_SOCKSTAT] = {"sockstat", "/proc/net/sockstat"},
	[WHERE_PAGE_OWNER_STACKS] = {"page_owner_stacks", "page_owner_stacks/show_stacks"},
	[WHERE_HOLDERS] = {COLLECT_PART, NULL},
};

void where_texts_init(struct where_texts *t)
{
	*t = (struct where_texts){.v = {{.missing = NULL}}};
	source_facts_init(&t->facts);
	for (int i = 0; i < WHERE_TEXTS_NR; i++) {
		strbuf_init(&t->v[i].text);
		t->v[i].missing = "not in the snapshot";
	}
}

void where_texts_deinit(struct where_texts *t)
{
	source_facts_deinit(&t->facts);
	for (int i = 0; i < WHERE_TEXTS_NR; i++)
		strbuf_deinit(&t->v[i].text);
}

const char *where_text_name(enum where_text_id id)
{
	return texts[id].name;
}

static int check(const struct where_texts *t, struct error *err)
{
	const struct where_text *meminfo = &t->v[WHERE_MEMINFO];

	for (int i = 0; i < WHERE_TEXTS_NR; i++)
		if (t->v[i].text.failed)
			return error_nomem(err);
	return meminfo->text.len ? 0
				 : error_set(err, ENODATA, "'%s' has no meminfo: %s", t->facts.path,
					     meminfo->missing);
}

/* ---- this machine ---------------------------------------------------------------------------- */

static bool find_below_debugfs(const char *path, char full[PATH_MAX])
{
	char below[64];

	return snprintf(below, sizeof(below), "/%s", path) < (int)sizeof(below) &&
	       mounts_find("debugfs", NULL, below, full);
}

static void read_text(struct where_text *to, const char *root, const char *path)
{
	char full[PATH_MAX];
	_cleanup_close_ int fd = -1;
	int ret;

	if (*path == '/')
		snprintf(full, sizeof(full), "%s%s", root, path);
	else if (*root)
		snprintf(full, sizeof(full), "%s/sys/kernel/debug/%s", root, path);
	else if (!find_below_debugfs(path, full))
		full[0] = '\0';
	fd = open(full, O_RDONLY | O_CLOEXEC);
	ret = fd < 0 ? -errno : strbuf_read_max(&to->text, fd, WHERE_TEXT_MAX);
	to->missing = !ret && to->text.len		? NULL
		      : ret == -EACCES || ret == -EPERM ? "only root may read it"
		      : ret == -ENOENT			? "this kernel has none"
							: "it cannot be read";
}

int where_texts_read_host(struct where_texts *t, const char *root, struct error *err)
{
	if (source_facts_fill_from_host(&t->facts))
		return error_nomem(err);
	free(t->facts.path);
	t->facts.path = strdup("/proc");
	if (!t->facts.path)
		return error_nomem(err);
	snapshot_refresh_counters(root);
	for (int i = 0; i < WHERE_TEXTS_NR; i++) {
		if (texts[i].path) {
			read_text(&t->v[i], root, texts[i].path);
			continue;
		}
		t->v[i].missing = NULL;
		if (collect_holders(root, &t->v[i].text))
			return error_nomem(err);
	}
	return check(t, err);
}

/* ---- a snapshot ------------------------------------------------------------------------------ */

static int take_part(struct where_texts *t, const char *name, struct input *part)
{
	char buf[16384];
	ssize_t n;

	for (int i = 0; i < WHERE_TEXTS_NR; i++) {
		struct strbuf *to = &t->v[i].text;

		/* the first part with a name counts */
		if (strcmp(texts[i].name, name) != 0 || to->len)
			continue;
		while (to->len < WHERE_TEXT_MAX && (n = input_read(part, buf, sizeof(buf))) > 0)
			if (strbuf_add(to, buf, (size_t)n))
				return -ENOMEM;
		if (to->len)
			t->v[i].missing = NULL;
	}
	return 0;
}

int where_texts_read_entries(struct where_texts *t, struct input *in, struct source_facts *damage)
{
	struct tar_entry e;
	int ret;

	for (int i = 0; i < ARCHIVE_ENTRIES_MAX; i++) {
		struct input *part = NULL;

		ret = archive_next_entry(in, damage, &e);
		if (ret > 0)
			ret = archive_open_entry(in, &e, &part) ? -ENOMEM : 1;
		if (ret <= 0)
			return ret;
		ret = archive_part_name(&e) ? take_part(t, archive_part_name(&e), part) : 0;
		input_free(part);
		if (!ret)
			ret = archive_end_entry(in, &e);
		if (ret)
			return ret;
	}
	return 0;
}

static int read_info(struct where_texts *t, struct input *in, bool first, bool force,
		     struct error *err)
{
	unsigned int parts = 0;

	if (!first || !archive_is_series(input_probed(in)))
		return archive_read_last_info(in, force, &t->facts, &parts, err);
	log_warn("'%s' is a series: this is its first snapshot ('perf kmem diff %s' finds steady "
		 "growth)",
		 t->facts.path, t->facts.path);
	return archive_read_info(in, &t->facts, &parts, err);
}

int where_texts_read_snapshot(struct where_texts *t, const char *path, bool first, bool force,
			      struct error *err)
{
	const char *const advice = "make a snapshot with 'perf kmem snapshot -o FILE'";
	const struct source_options how = {.force = force, .jobs = 1, .if_missing = advice};
	struct input *in;
	int ret = input_open(path, &how, &in, err);

	if (ret)
		return ret;
	t->facts.page_size = 4096;
	t->facts.path = strdup(input_path(in));
	input_serve(in, &t->facts);
	if (!t->facts.path)
		ret = error_nomem(err);
	else if (!archive_probe(input_probed(in)))
		ret = error_set(err, EINVAL,
				"'%s' is not a snapshot (perf kmem snapshot makes one)",
				t->facts.path);
	if (!ret)
		ret = read_info(t, in, first, force, err);
	if (!ret && (ret = where_texts_read_entries(t, in, &t->facts)))
		error_set_errno(err, -ret, "cannot read '%s'", t->facts.path);
	input_free(in);
	return ret ? ret : check(t, err);
}
