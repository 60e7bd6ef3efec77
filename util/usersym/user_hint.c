// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/usersym/user_hint.h"

#include <string.h>

#include "util/base/path.h"
#include "util/base/table.h"

/* Why a chain has no line. */
enum reason {
	REASON_RUNTIME = 1, /* code of a run-time system that is known: index in runtimes[] */
	REASON_GENERATED,   /* code generated at run time by another one */
	REASON_CUT,	    /* only frames of a library that is skipped: the caller is missing */
	REASON_CUT_INSIDE,  /* the same, of skipped functions in the program: Go's */
	REASON_NO_FILE,	    /* not found, or another one: there is a warning */
	REASON_NO_SYMBOLS,
	REASON_NO_LINES,
	REASON_OTHER, /* unknown memory; the loader */
};

struct group {
	uint64_t reason, of; /* of: the runtime or the file */
	uint64_t hits;
};

/* The run-time system that has a frame in the chain. */
static size_t runtime_of_chain(const struct user_stacks *u, const struct frame_chain *frames)
{
	size_t found = NR_RUNTIMES;

	for (size_t i = 0; i < frames->nr && found == NR_RUNTIMES; i++) {
		struct mapped_file file;

		if (user_stacks_file(u, frame_chain_at(frames, i), &file))
			found = runtime_of_path(file.path);
	}
	return found;
}

/* The run-time system whose program or library the process was the first to map. Generated code has
 * no frame pointers that lead to it. */
static size_t runtime_of_process(const struct user_stacks *u, uint32_t pid)
{
	size_t found = NR_RUNTIMES;

	for (uint32_t i = 0; i < process_maps_nr_files(&u->maps) && found == NR_RUNTIMES; i++) {
		const struct mapped_file file = process_maps_file(&u->maps, i);

		if (file.pid == pid && !file.is_private)
			found = runtime_of_path(file.path);
	}
	return found;
}

/* The group of a chain whose frames are all skipped. */
static struct group group_of_skipped(const struct user_stacks *u, uint32_t file)
{
	const char *path = process_maps_file(&u->maps, file).path;
	const char *base = path_base(path);

	if (!strncmp(base, "ld-", 3) || base[0] == '[')
		return (struct group){REASON_OTHER, 0, 0};
	if (user_skip_library(&u->skip, path))
		return (struct group){REASON_CUT, file, 0};
	return (struct group){REASON_CUT_INSIDE, file, 0};
}

static struct group group_of_file(struct user_stacks *u, uint32_t file, bool is_skipped)
{
	const struct dso *dso = user_names_dso(&u->names, file);

	if (is_skipped)
		return group_of_skipped(u, file);
	if (!dso || !dso->has_file)
		return (struct group){REASON_NO_FILE, 0, 0};
	return (struct group){dso->symbols.nr ? REASON_NO_LINES : REASON_NO_SYMBOLS, file, 0};
}

static struct group group_of(struct user_stacks *u, const struct frame_chain *frames)
{
	const uint64_t frame = user_stacks_caller(u, frames);
	size_t runtime = runtime_of_chain(u, frames);
	struct mapped_file mapped;
	uint32_t file;

	if (!user_stacks_file_number(u, frame, &file))
		return (struct group){REASON_OTHER, 0, 0};
	mapped = process_maps_file(&u->maps, file);
	if (mapped.is_private && runtime == NR_RUNTIMES)
		runtime = runtime_of_process(u, mapped.pid);
	if (runtime < NR_RUNTIMES)
		return (struct group){REASON_RUNTIME, runtime, 0};
	if (mapped.is_private)
		return (struct group){REASON_GENERATED, 0, 0};
	return group_of_file(u, file, user_stacks_skipped(u, frame));
}

/* Add why those of the group have no line, as the rest of a sentence, and the advice. */
static void add_advice(const struct user_stacks *u, const struct group *g, struct strbuf *sb)
{
	const bool has_file = g->reason == REASON_CUT || g->reason == REASON_CUT_INSIDE ||
			      g->reason == REASON_NO_SYMBOLS || g->reason == REASON_NO_LINES;
	const char *path = has_file ? process_maps_file(&u->maps, (uint32_t)g->of).path : "";

	switch ((enum reason)g->reason) {
	case REASON_RUNTIME:
		strbuf_addf(sb, "are of %s: for the names of its functions %s",
			    runtimes[g->of].name, runtimes[g->of].advice);
		break;
	case REASON_GENERATED:
		strbuf_addstr(sb, "are in code generated at run time: let its run-time system "
				  "write /tmp/perf-PID.map");
		break;
	case REASON_CUT:
		strbuf_addf(sb,
			    "have stacks that end in '%s': record with --user-stacks=dwarf, or "
			    "build the program with -fno-omit-frame-pointer",
			    path);
		break;
	case REASON_CUT_INSIDE:
		strbuf_addf(sb,
			    "have stacks that end in '%s' before the program's own code: if it was "
			    "recorded with --user-stacks=dwarf, try --user-stacks=fp (Go "
			    "programs have frame pointers)",
			    path);
		break;
	case REASON_NO_SYMBOLS:
	case REASON_NO_LINES:
		strbuf_addf(sb,
			    "are in '%s', which has no debug information%s: build it with "
			    "-g, install its -dbgsym package, or use --debuginfod",
			    path, g->reason == REASON_NO_SYMBOLS ? " and no symbols" : "");
		break;
	case REASON_NO_FILE:
		strbuf_addstr(sb, "are in files that were not found (-v lists them)");
		break;
	case REASON_OTHER:
		strbuf_addstr(sb, "are in the loader or in unknown memory");
		break;
	}
}

bool user_hint_add(struct user_stacks *u, struct strbuf *sb)
{
	uint64_t hits = 0, without = 0;
	const struct group *most = NULL;
	struct table groups;

	table_init(&groups, sizeof(struct group), offsetof(struct group, hits));
	for (uint32_t i = 0; i < u->cap_keys; i++) {
		const struct user_keys *keys = &u->keys[i];
		struct frame_chain frames;
		struct group key, *group;

		if (!keys->nr_lines)
			continue;
		frames = user_stacks_frames(u, i);
		hits += frames.nr ? keys->nr_lines : 0;
		if (!keys->no_line)
			continue;
		without += keys->nr_lines;
		key = group_of(u, &frames);
		group = table_insert(&groups, &key);
		if (group)
			group->hits += keys->nr_lines;
	}
	for (uint32_t i = 0; i < groups.nr; i++) {
		const struct group *g = table_row(&groups, i);

		if (!most || g->hits > most->hits)
			most = g;
	}
	if (most && without > hits / 5) {
		strbuf_addf(sb,
			    "%.0f%% of the allocations of user space have no source line, %.0f%% ",
			    100.0 * (double)without / (double)hits,
			    100.0 * (double)most->hits / (double)hits);
		add_advice(u, most, sb);
	} else {
		most = NULL;
	}
	table_deinit(&groups);
	return most != NULL;
}
