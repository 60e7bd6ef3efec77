// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/dump/archive_entries.h"

#include <errno.h>
#include <string.h>

#include "util/dump/archive_info.h"
#include "util/source/text_lines.h"

bool archive_probe(const struct source_input *input)
{
	struct tar_entry e;

	return input->head_size >= TAR_BLOCK && tar_parse_header(input->head, &e) > 0 &&
	       !strcmp(e.name, ARCHIVE_FOLDER ARCHIVE_INFO);
}

bool archive_is_series(const struct source_input *input)
{
	static const char begin[] = ARCHIVE_SERIES_BEGIN;

	return archive_probe(input) && input->head_size >= TAR_BLOCK + strlen(begin) &&
	       !memcmp(input->head + TAR_BLOCK, begin, strlen(begin));
}

/* Returns the number of bytes read, or -errno. */
static ssize_t read_fully(struct input *in, uint8_t *buf, size_t size)
{
	size_t have = 0;
	ssize_t n = 1;

	while (have < size && n > 0) {
		n = input_read(in, buf + have, size - have);
		have += n > 0 ? (size_t)n : 0;
	}
	return n < 0 ? n : (ssize_t)have;
}

int archive_next_entry(struct input *in, struct source_facts *facts, struct tar_entry *ret_entry)
{
	uint8_t block[TAR_BLOCK];
	uint64_t pos = input_pos(in);
	ssize_t n = read_fully(in, block, sizeof(block));
	int ret;

	if (n < 0)
		return (int)n;
	ret = n == TAR_BLOCK ? tar_parse_header(block, ret_entry) : -EINVAL;
	if (ret >= 0)
		return ret;
	source_facts_damage(facts, pos,
			    n == TAR_BLOCK ? "the next entry has no valid header"
					   : "the archive ends too early");
	facts->damage.truncated = true;
	return 0;
}

int archive_open_entry(struct input *in, const struct tar_entry *e, struct input **ret_part)
{
	return input_open_part(in, e->name, e->size, ret_part);
}

int archive_end_entry(struct input *in, const struct tar_entry *e)
{
	uint8_t padding[TAR_BLOCK];
	ssize_t n;

	n = read_fully(in, padding, tar_padding(e->size));
	return n < 0 ? (int)n : 0;
}

const char *archive_part_name(const struct tar_entry *e)
{
	return e->is_file && !strncmp(e->name, ARCHIVE_FOLDER, strlen(ARCHIVE_FOLDER))
		       ? e->name + strlen(ARCHIVE_FOLDER)
		       : NULL;
}

/* ---- the first entry ------------------------------------------------------------------------- */

struct info {
	struct source_facts *facts;
	unsigned int *parts;
};

static int take_info_line(void *ctx, struct text_line *line)
{
	const struct info *i = ctx;

	return archive_info_read(i->facts, i->parts, line->text);
}

/* Read the bytes of the entry `info`. */
static int read_info(struct input *in, const struct tar_entry *e, struct source_facts *facts,
		     unsigned int *parts, struct error *err)
{
	struct info info = {facts, parts};
	struct input *part;
	int ret = archive_open_entry(in, e, &part);

	if (!ret) {
		ret = text_lines_each(part, take_info_line, &info);
		input_free(part);
	}
	if (!ret)
		ret = archive_end_entry(in, e);
	if (ret == -EINVAL)
		return error_set(err, EINVAL,
				 "'%s' was written by a newer perf, in a format that this one does "
				 "not know",
				 input_path(in));
	return ret ? error_set_errno(err, -ret, "cannot read '%s'", input_path(in)) : 0;
}

int archive_read_info(struct input *in, struct source_facts *facts, unsigned int *parts,
		      struct error *err)
{
	struct tar_entry e;
	int ret = archive_next_entry(in, facts, &e);

	if (ret <= 0)
		return ret ? error_set_errno(err, -ret, "cannot read '%s'", input_path(in))
			   : error_set(err, EINVAL, "'%s' is not a snapshot", input_path(in));
	return read_info(in, &e, facts, parts, err);
}

/* The first header behind blocks of zeroes. Returns 1, 0 at the end, or -errno. */
static int skip_end(struct input *in, struct source_facts *damage, struct tar_entry *ret_entry)
{
	uint8_t block[TAR_BLOCK];
	uint64_t pos;
	ssize_t n;
	int ret;

	do {
		pos = input_pos(in);
		n = read_fully(in, block, sizeof(block));
		ret = n == TAR_BLOCK ? tar_parse_header(block, ret_entry) : -EINVAL;
	} while (!ret);
	if (n <= 0)
		return (int)n;
	if (ret > 0 && !strcmp(ret_entry->name, ARCHIVE_FOLDER ARCHIVE_INFO))
		return 1;
	source_facts_damage(damage, pos, "the next snapshot has no valid header");
	damage->damage.truncated = true;
	return 0;
}

int archive_read_next_info(struct input *in, struct source_facts *facts,
			   struct source_facts *damage, unsigned int *parts, struct error *err)
{
	struct tar_entry e;
	int ret = skip_end(in, damage, &e);

	if (ret < 0)
		return error_set_errno(err, -ret, "cannot read '%s'", input_path(in));
	if (!ret)
		return 0;
	ret = read_info(in, &e, facts, parts, err);
	return ret ? ret : 1;
}
