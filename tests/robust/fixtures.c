// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write every fixture to a directory, for tests/robust/run and as seeds of the fuzz corpora:
 *
 *	fixtures DIR
 *
 * NAME is the recording, NAME.expect the figures of its JSON report ("key": value, in the
 * report's order), NAME.warns is there when the report must come with a warning; their names are
 * printed.  no-tracing and bomb are there beside them; DIR.tracefs holds the formats of the
 * scenario as a tracefs has them, for the former.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixture/fixture.h"

static FILE *open_beside(const char *dir, const struct fixture *f, const char *suffix)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s.%s", dir, f->name, suffix);
	out = fopen(path, "we");
	if (!out)
		abort();
	return out;
}

static void write_expect(const char *dir, const struct fixture *f)
{
	const struct fixture_expect *e = &f->expect;
	uint64_t page_size = f->options.page_size ? f->options.page_size : 4096;
	FILE *out = open_beside(dir, f, "expect");
	const struct {
		const char *key;
		uint64_t value;
	} lines[] = {
		{"page_size_bytes", page_size},
		{"lost_samples", e->lost},
		{"bytes_requested", e->bytes_requested},
		{"bytes_allocated", e->bytes_allocated},
		{"bytes_freed", e->bytes_freed},
		{"allocations", e->allocations},
		{"frees", e->frees},
		{"frees_unmatched", e->frees_unmatched},
		{"alloc_requests", e->alloc_requests},
		{"alloc_bytes", e->alloc_pages * page_size},
		{"free_requests", e->free_requests},
		{"matched_requests", e->matched_requests},
		{"free_only_requests", e->free_only_requests},
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		fprintf(out, "\"%s\": %" PRIu64 "\n", lines[i].key, lines[i].value);
	fclose(out);
	if (e->truncated || e->skipped_records)
		fclose(open_beside(dir, f, "warns"));
}

/* The caller checks whether it exists. */
static void write_other(const char *dir, const struct fixture *f)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, f->name);
	if (fixture_possible(&f->options) && !fixture_write(&f->options, path))
		write_expect(dir, f);
}

int main(int argc, char **argv)
{
	static const struct fixture_options host = {.long_size = 8};
	char path[4096];

	if (argc != 2)
		return 2;
	for (size_t i = 0; i < fixture_list_nr; i++) {
		const struct fixture *f = &fixture_list[i];
		int ret;

		if (!fixture_possible(&f->options))
			continue;
		snprintf(path, sizeof(path), "%s/%s", argv[1], f->name);
		ret = fixture_write(&f->options, path);
		if (ret) {
			fprintf(stderr, "fixtures: %s: %s\n", path, strerror(-ret));
			return 1;
		}
		write_expect(argv[1], f);
		puts(f->name);
	}
	write_other(argv[1], &fixture_no_tracing);
	write_other(argv[1], &fixture_bomb);
	snprintf(path, sizeof(path), "%s.tracefs", argv[1]);
	return fixture_write_tracefs(&host, path) != 0;
}
