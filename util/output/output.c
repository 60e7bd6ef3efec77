// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/output/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/base/clock.h"
#include "util/output/kernel_symbols.h"
#include "util/output/synthesize.h"

static int append(struct output *o, const struct strbuf *records, struct error *err)
{
	struct iovec piece = {records->buf, records->len};

	if (records->failed)
		return error_nomem(err);
	return records->len ? perfdata_writer_append(&o->writer, &piece, 1, err) : 0;
}

/* Header and attrs. */
static int begin(struct output *o, struct error *err)
{
	const struct evlist *l = o->config->evlist;
	_cleanup_free_ struct perfdata_writer_attr *attrs = calloc(l->nr, sizeof(*attrs));
	_cleanup_(strbuf_deinit) struct strbuf ids = STRBUF_INIT;
	size_t at = 0;

	for (size_t i = 0; i < l->nr; i++)
		for (size_t j = 0; j < l->evsels[i].nr_fds; j++)
			strbuf_add(&ids, &l->evsels[i].fds[j].id, sizeof(uint64_t));
	if (!attrs || ids.failed)
		return error_nomem(err);
	for (size_t i = 0; i < l->nr; i++) {
		attrs[i] = (struct perfdata_writer_attr){
			.attr = &l->evsels[i].attr,
			.ids = (const uint64_t *)ids.buf + at,
			.nr_ids = l->evsels[i].nr_fds,
		};
		at += l->evsels[i].nr_fds;
	}
	return perfdata_writer_begin(&o->writer, attrs, l->nr, err);
}

/* Facts about the machine. */
static int add_info(const struct output *o, struct strbuf *out)
{
	_cleanup_(strbuf_deinit) struct strbuf info = STRBUF_INIT;

	if (host_info_machine(&info, o->config->filter) || host_info_clock(&info, o->begun_ns))
		return -ENOMEM;
	if (o->config->kernel_frees)
		strbuf_addstr(&info, "kernel-frees: all\n");
	return feature_early_lines(out, HEADER_RECORDING_INFO, &info);
}

/* The event formats, the machine and the kernel's location as the first records. */
static int add_early(struct output *o, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf tracing = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf records = STRBUF_INIT;
	_cleanup_(kernel_symbols_deinit) struct kernel_symbols ks = {.text = STRBUF_INIT};
	int ret = evlist_tracing_data(o->config->evlist, o->config->tracefs,
				      &(struct strbuf)STRBUF_INIT, &tracing, err);

	if (!ret)
		ret = kernel_symbols_locate(&ks, NULL, o->config->etext, err);
	if (ret)
		return ret;
	o->symbols = ks.visibility;
	feature_early_stream(&records, HEADER_TRACING_DATA, &tracing);
	if (add_info(o, &records))
		return error_nomem(err);
	synthesize_kernel(&records, &ks);
	return append(o, &records, err);
}

/* ---- pipes --------------------------------------------------------------------------------- */

/*
 * In a pipe, data that a file has after its samples come before them.
 *
 * Features are records (type 80), followed by the tracing data (type 66). Stock reads both, and
 * seeks over the kallsyms part, which must therefore be empty. So symbols are in records that stock
 * ignores (struct perfdata_early): the whole tracing data with all functions of the kernel, since
 * the recorded addresses are not known yet (2 to 5 MB; compressed, a fifth of that). The time span,
 * known only at the end, comes last.
 *
 * The size of each record is a multiple of 8, which perf 7.2 requires, except for two whose sizes
 * are odd in stock, too: TRACING_DATA has 12 bytes, COMPRESSED as many as zstd needs.
 */

struct feature_record {
	struct perf_event_header header;
	uint64_t bit;
};

/* stock's struct perf_record_header_tracing_data: no padding after the size */
struct tracing_record {
	struct perf_event_header header;
	uint32_t size;
} __attribute__((packed));

static int append_plain(struct output *o, const struct strbuf *records, struct error *err)
{
	struct iovec piece = {records->buf, records->len};

	if (records->failed)
		return error_nomem(err);
	return perfdata_writer_append_plain(&o->writer, &piece, 1, err);
}

/* Only the type of the feature's entry must be changed for a record. */
static void add_build_id(struct strbuf *out, const struct strbuf *feature)
{
	size_t at = out->len;
	uint32_t type = PERF_RECORD_HEADER_BUILD_ID;

	if (!strbuf_add(out, feature->buf, feature->len))
		memcpy(out->buf + at, &type, sizeof(type));
}

static void add_feature(struct strbuf *out, const struct perfdata_feature_bytes *f)
{
	size_t size = (sizeof(struct feature_record) + f->bytes.len + 7) / 8 * 8;
	const struct feature_record r = {
		.header = {.type = PERF_RECORD_HEADER_FEATURE, .size = (uint16_t)size},
		.bit = f->bit,
	};

	if (f->bit == HEADER_BUILD_ID) {
		add_build_id(out, &f->bytes);
	} else if (size <= UINT16_MAX) {
		/* the description of events on thousands of CPUs is too long; the attrs have the
		 * ids, too */
		strbuf_add(out, &r, sizeof(r));
		strbuf_add(out, f->bytes.buf, f->bytes.len);
		strbuf_add(out, "\0\0\0\0\0\0\0", size - sizeof(r) - f->bytes.len);
	}
}

static int add_feature_records(struct output *o, const struct perfdata_features *f,
			       struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < f->nr; i++)
		add_feature(&out, &f->v[i]);
	return append_plain(o, &out, err);
}

static int add_machine(struct output *o, struct error *err)
{
	_cleanup_(perfdata_features_deinit) struct perfdata_features f = PERFDATA_FEATURES_INIT;
	const struct output_config *c = o->config;
	int ret = host_features_add(&f, c->version, err);

	if (!ret)
		ret = host_features_add_events(&f, c->evlist, err);
	if (ret)
		return ret;
	if (c->compress_level && host_features_add_compressed(&f, c->compress_level))
		return error_nomem(err);
	return add_feature_records(o, &f, err);
}

static int add_symbols(struct output *o, const struct kernel_symbols *ks, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf kallsyms = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf tracing = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf records = STRBUF_INIT;
	int ret;

	if (kernel_symbols_all(ks, &kallsyms))
		return error_nomem(err);
	ret = evlist_tracing_data(o->config->evlist, o->config->tracefs, &kallsyms, &tracing, err);
	if (ret)
		return ret;
	if (add_info(o, &records))
		return error_nomem(err);
	feature_early_stream(&records, HEADER_TRACING_DATA, &tracing);
	synthesize_kernel(&records, ks);
	return append(o, &records, err);
}

static int add_tracing_data(struct output *o, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf tracing = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf record = STRBUF_INIT;
	struct tracing_record r = {
		.header = {.type = PERF_RECORD_HEADER_TRACING_DATA, .size = sizeof(r)},
	};
	int ret = evlist_tracing_data(o->config->evlist, o->config->tracefs,
				      &(struct strbuf)STRBUF_INIT, &tracing, err);

	if (ret)
		return ret;
	r.size = (uint32_t)(tracing.len + 7) / 8 * 8;
	strbuf_add(&record, &r, sizeof(r));
	strbuf_add(&record, tracing.buf, tracing.len);
	strbuf_add(&record, "\0\0\0\0\0\0\0", r.size - tracing.len);
	return append_plain(o, &record, err);
}

/* Facts known at the start. */
static int begin_pipe(struct output *o, struct error *err)
{
	_cleanup_(kernel_symbols_deinit) struct kernel_symbols ks = {.text = STRBUF_INIT};
	int ret = kernel_symbols_init(&ks, NULL, err);

	if (ret)
		return ret;
	o->symbols = ks.visibility;
	ret = add_machine(o, err);
	if (!ret)
		ret = add_symbols(o, &ks, err);
	return ret ? ret : add_tracing_data(o, err);
}

/* features: those that a file has at its end. */
static int finish_pipe(struct output *o, const struct perfdata_features *features,
		       struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < features->nr; i++)
		add_feature(&out, &features->v[i]);
	return append_plain(o, &out, err);
}

/* ---- files and pipes ----------------------------------------------------------------------- */

int output_open(struct output *o, const struct output_config *config, const char *path,
		struct error *err)
{
	int ret;

	*o = (struct output){.config = config, .writer = PERFDATA_WRITER_INIT};
	output_begin(o);
	ret = sample_scan_init(&o->scan, config->evlist, err);
	if (!ret)
		ret = batch_init(&o->batch, &o->scan, config->compress_level, err);
	if (!ret)
		ret = perfdata_writer_open(&o->writer, path, &config->hooks, err);
	if (!ret && config->compress_level)
		ret = perfdata_writer_compress(&o->writer, config->compress_level, err);
	if (!ret)
		ret = begin(o, err);
	if (ret)
		return ret;
	return o->writer.pipe_form ? begin_pipe(o, err) : add_early(o, err);
}

void output_begin(struct output *o)
{
	o->begun_ns = clock_ns(CLOCK_REALTIME);
}

int output_publish(struct output *o, struct error *err)
{
	return perfdata_writer_publish(&o->writer, err);
}

static enum synthesize_maps maps_of(const struct evlist *l)
{
	return !evlist_user_callchains(l)    ? SYNTHESIZE_NO_MAPS
	       : l->evsels[0].attr.mmap_data ? SYNTHESIZE_DATA_MAPS
					     : SYNTHESIZE_CODE_MAPS;
}

int output_add_tasks(struct output *o, const pid_t *pids, size_t nr_pids, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf records = STRBUF_INIT;

	if (synthesize_tasks(&records, pids, nr_pids, maps_of(o->config->evlist)))
		return error_nomem(err);
	return append(o, &records, err);
}

int output_add_cgroups(struct output *o, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf records = STRBUF_INIT;

	if (synthesize_cgroups(&records))
		return error_nomem(err);
	return append(o, &records, err);
}

int output_add_modules(struct output *o, const char *lines, size_t len, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT, records = STRBUF_INIT;

	if (strbuf_add(&text, lines, len) || feature_early_lines(&records, HEADER_MODULES, &text))
		return error_nomem(err);
	return append(o, &records, err);
}

static int write_batch(struct output *o, struct error *err)
{
	struct batch *b = &o->batch;
	int ret;

	if (!b->bytes)
		return 0;
	o->round_open = true;
	if (b->grouped) {
		const struct record_order sorted = batch_sort(b);

		ret = perfdata_writer_append_ordered(&o->writer, &sorted, err);
	} else {
		const struct iovec piece = {b->records, b->bytes};

		ret = perfdata_writer_append(&o->writer, &piece, 1, err);
	}
	if (ret)
		batch_unwritten(b, o->writer.kept);
	return ret;
}

int output_add_records(struct output *o, const struct strbuf *records, struct error *err)
{
	return append(o, records, err);
}

int output_add(struct output *o, struct batch_stream *stream, const struct iovec *pieces, int nr,
	       uint64_t *at, struct error *err)
{
	return batch_fill(&o->batch, stream, pieces, nr, at) ? error_nomem(err)
							     : write_batch(o, err);
}

int output_add_batch(struct output *o, struct error *err)
{
	int ret = write_batch(o, err);

	batch_begin(&o->batch, o->batch.stream);
	return ret;
}

int output_end_round(struct output *o, uint64_t complete_ns, uint64_t newest_ns, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf round = STRBUF_INIT;

	if (!o->round_open || complete_ns < o->newest_ns)
		return 0;
	o->round_open = false;
	o->settled_ns = o->newest_ns;
	o->newest_ns = newest_ns > o->newest_ns ? newest_ns : o->newest_ns;
	synthesize_finished_round(&round);
	/* compression would make it larger */
	return append_plain(o, &round, err);
}

static int make_tracing_data(struct output *o, struct strbuf *out, struct error *err)
{
	_cleanup_(kernel_symbols_deinit) struct kernel_symbols ks = {.text = STRBUF_INIT};
	_cleanup_(strbuf_deinit) struct strbuf kallsyms = STRBUF_INIT;
	const uint64_t *addresses = (const uint64_t *)o->scan.addresses.rows;
	int ret;

	/* Read them again: modules may have been loaded since the start. */
	ret = kernel_symbols_init_for(&ks, addresses, o->scan.addresses.nr, err);
	if (ret)
		return ret;
	if (kernel_symbols_select(&ks, addresses, o->scan.addresses.nr, &kallsyms))
		return error_nomem(err);
	return evlist_tracing_data(o->config->evlist, o->config->tracefs, &kallsyms, out, err);
}

/*
 * Stock stores the times of the first and the last sample here. On an idle machine that is not the
 * duration of the recording.
 */
static int add_span(struct output *o, struct perfdata_features *f, const struct output_span *span)
{
	uint64_t times[2] = {span->start_ns, span->stop_ns};

	if (o->scan.last_ns && (!times[0] || times[0] > o->scan.first_ns))
		times[0] = o->scan.first_ns;
	if (times[1] < o->scan.last_ns)
		times[1] = o->scan.last_ns;
	if (o->config->compress_level)
		times[0] -= times[0] % BATCH_TIME_STEP_NS;
	if (!times[0] || times[1] < times[0])
		return 0;
	return perfdata_features_set_u64(f, HEADER_SAMPLE_TIME, times, 2);
}

static int add_features(struct output *o, struct perfdata_features *f,
			const struct output_span *span, struct error *err)
{
	const struct output_config *c = o->config;
	struct strbuf *tracing = perfdata_features_set(f, HEADER_TRACING_DATA);
	int ret;

	if (!tracing)
		return error_nomem(err);
	ret = make_tracing_data(o, tracing, err);
	if (!ret)
		ret = host_features_add(f, c->version, err);
	if (!ret)
		ret = host_features_add_events(f, c->evlist, err);
	if (!ret && c->compress_level && host_features_add_compressed(f, c->compress_level))
		ret = error_nomem(err);
	if (!ret && add_span(o, f, span))
		ret = error_nomem(err);
	return ret;
}

/* Facts known only at the end. */
static int add_counts(struct output *o, const struct event_counts *counts, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf info = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf out = STRBUF_INIT;

	if (host_info_clock(&info, o->begun_ns) ||
	    host_info_counts(&info, o->config->evlist, o->config->gone, counts) ||
	    host_info_slab_counts(&info, o->config->slab_counts))
		return error_nomem(err);
	feature_early_lines(&out, HEADER_RECORDING_INFO, &info);
	return append_plain(o, &out, err);
}

int output_finish(struct output *o, const struct event_counts *counts,
		  const struct output_span *span, bool failed, struct error *err)
{
	_cleanup_(perfdata_features_deinit) struct perfdata_features f = PERFDATA_FEATURES_INIT;
	_cleanup_(strbuf_deinit) struct strbuf lost = STRBUF_INIT;
	struct error write_error = ERROR_INIT;
	int ret;

	if (synthesize_lost(&lost, o->config->evlist))
		return error_nomem(err);
	if (!failed)
		append(o, &lost, &write_error);
	if (o->writer.pipe_form) {
		/* a reader that closed the pipe, or stopped reading, gets nothing more */
		if (failed)
			return 0;
		if (!write_error.code && add_span(o, &f, span))
			return error_nomem(err);
		if (!write_error.code && !add_counts(o, counts, &write_error))
			finish_pipe(o, &f, &write_error);
		if (write_error.code)
			*err = write_error;
		return -write_error.code;
	}
	/* also on a full disk: the reserve for features has space for them */
	ret = add_counts(o, counts, failed || write_error.code ? NULL : &write_error);
	if (ret == -ENOMEM)
		return error_nomem(err);
	ret = add_features(o, &f, span, err);
	if (!ret)
		ret = perfdata_writer_finish(&o->writer, &f, err);
	if (!ret && write_error.code) {
		*err = write_error;
		ret = -write_error.code;
	}
	return ret;
}

int output_stream(const struct output *o)
{
	return o->config && o->writer.file.stream ? o->writer.file.fd : -1;
}

int output_check(const struct output *o, struct error *err)
{
	return out_file_check(&o->writer.file, err);
}

uint64_t output_bytes(const struct output *o)
{
	return o->writer.pos;
}

void output_deinit(struct output *o)
{
	if (!o->config)
		return;
	batch_deinit(&o->batch);
	sample_scan_deinit(&o->scan);
	perfdata_writer_deinit(&o->writer);
	*o = (struct output){.writer = PERFDATA_WRITER_INIT};
}
