// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/dump/archive_series.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/base/log.h"
#include "util/dump/archive_entries.h"

int archive_skip_entries(struct input *in, struct source_facts *damage)
{
	for (int i = 0; i < ARCHIVE_ENTRIES_MAX; i++) {
		struct tar_entry e;
		struct input *part = NULL;
		int ret = archive_next_entry(in, damage, &e);

		if (ret > 0)
			ret = archive_open_entry(in, &e, &part) ? -ENOMEM : 1;
		if (ret <= 0)
			return ret;
		input_free(part); /* which skips its bytes */
		ret = archive_end_entry(in, &e);
		if (ret)
			return ret;
	}
	source_facts_damage(damage, input_pos(in), "a snapshot has too many entries");
	return 0;
}

static int count(struct input *in, struct source_facts *damage, uint64_t *ret_nr, struct error *err)
{
	struct source_facts unused;
	unsigned int parts;
	int ret;

	source_facts_init(&unused);
	input_serve(in, damage);
	ret = archive_read_info(in, &unused, &parts, err);
	ret = ret ? ret : 1;
	while (ret > 0) {
		ret = archive_skip_entries(in, damage);
		if (ret || damage->damage.what[0])
			break;
		++*ret_nr;
		source_facts_deinit(&unused);
		source_facts_init(&unused);
		ret = archive_read_next_info(in, &unused, damage, &parts, err);
	}
	source_facts_deinit(&unused);
	return ret;
}

int archive_series_count(const struct input *in, bool force, struct source_facts *damage,
			 uint64_t *ret_nr, struct error *err)
{
	const struct source_options how = {.force = force, .jobs = 1};
	struct input *again;
	int ret;

	if (input_is_stream(in) || !strcmp(input_path(in), "-"))
		return error_set(err, EINVAL,
				 "'%s' is a series of snapshots, which cannot come through a pipe",
				 input_path(in));
	ret = input_open(input_path(in), &how, &again, err);
	if (ret)
		return ret;
	*ret_nr = 0;
	ret = count(again, damage, ret_nr, err);
	input_free(again);
	if (ret && err && !err->code)
		return error_set_errno(err, -ret, "cannot read '%s'", input_path(in));
	return ret;
}

/* The snapshot after nr - 1 others. */
static int read_nth_info(struct input *in, uint64_t nr, struct source_facts *facts,
			 unsigned int *parts, struct error *err)
{
	struct source_facts unused;
	unsigned int skipped;
	int ret;

	source_facts_init(&unused);
	ret = archive_read_info(in, &unused, &skipped, err);
	for (uint64_t i = 1; !ret && i < nr; i++) {
		ret = archive_skip_entries(in, &unused);
		source_facts_deinit(&unused);
		source_facts_init(&unused);
		if (!ret)
			ret = archive_read_next_info(in, i + 1 < nr ? &unused : facts, facts,
						     i + 1 < nr ? &skipped : parts, err);
		ret = ret > 0 ? 0 : ret ? ret : -ENODATA;
	}
	source_facts_deinit(&unused);
	if (ret && err && !err->code)
		return error_set_errno(err, -ret, "cannot read '%s'", input_path(in));
	return ret;
}

int archive_read_last_info(struct input *in, bool force, struct source_facts *facts,
			   unsigned int *parts, struct error *err)
{
	uint64_t nr = 1;
	int ret = 0;

	if (archive_is_series(input_probed(in)))
		ret = archive_series_count(in, force, facts, &nr, err);
	if (ret || nr < 2)
		return ret ? ret : archive_read_info(in, facts, parts, err);
	log_warn("'%s' is a series: this is the last of its %" PRIu64 " snapshots", input_path(in),
		 nr);
	return read_nth_info(in, nr, facts, parts, err);
}
