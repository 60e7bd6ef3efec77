// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/record/output_pipe.h"

#include <string.h>

#include "util/base/cleanup.h"
#include "util/record/kernel_symbols.h"
#include "util/record/synthesize.h"
#include "util/record/tracing_data.h"

struct feature_record {
	struct perf_event_header header;
	uint64_t bit;
};

/* struct perf_record_header_tracing_data of stock: no padding behind the size */
struct tracing_record {
	struct perf_event_header header;
	uint32_t size;
} __attribute__((packed));

static int append_packed(struct output *o, const struct strbuf *records, struct error *err)
{
	struct iovec piece = {records->buf, records->len};

	if (records->failed)
		return error_nomem(err);
	return records->len ? perfdata_writer_append(&o->writer, &piece, 1, err) : 0;
}

static int append_plain(struct output *o, const struct strbuf *records, struct error *err)
{
	struct iovec piece = {records->buf, records->len};

	if (records->failed)
		return error_nomem(err);
	return perfdata_writer_append_plain(&o->writer, &piece, 1, err);
}

/* The entry of the feature is a record already, but for its type. */
static void add_build_id(struct strbuf *out, const struct strbuf *feature)
{
	size_t at = out->len;
	uint32_t type = PERF_RECORD_HEADER_BUILD_ID;

	if (!strbuf_add(out, feature->buf, feature->len))
		memcpy(out->buf + at, &type, sizeof(type));
}

static void add_feature(struct strbuf *out, const struct perfdata_feature_bytes *f)
{
	size_t size = sizeof(struct feature_record) + f->bytes.len;
	const struct feature_record r = {
		.header = {.type = PERF_RECORD_HEADER_FEATURE, .size = (uint16_t)size},
		.bit = f->bit,
	};

	if (f->bit == HEADER_BUILD_ID) {
		add_build_id(out, &f->bytes);
	} else if (f->bit == HEADER_RECORDING_INFO) {
		early_info_records(out, &f->bytes);
	} else if (size <= UINT16_MAX) {
		/* a description of events on thousands of CPUs is too long; the attrs have ids, too
		 */
		strbuf_add(out, &r, sizeof(r));
		strbuf_add(out, f->bytes.buf, f->bytes.len);
	}
}

static int add_features(struct output *o, const struct perfdata_features *f, struct error *err)
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
	struct strbuf *info;
	int ret = host_features_add(&f, c->version, err);

	if (!ret)
		ret = host_features_add_events(&f, c->evlist, err);
	if (ret)
		return ret;
	if (c->compress_level && host_features_add_compressed(&f, c->compress_level))
		return error_nomem(err);
	info = perfdata_features_set(&f, HEADER_RECORDING_INFO);
	if (!info || host_info_machine(info, c->filter, o->begun_ns))
		return error_nomem(err);
	return add_features(o, &f, err);
}

static int add_symbols(struct output *o, const struct kernel_symbols *ks, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf kallsyms = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf tracing = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf records = STRBUF_INIT;
	int ret;

	if (kernel_symbols_all(ks, &kallsyms))
		return error_nomem(err);
	ret = tracing_data_make(&tracing, o->config->tracefs, o->config->evlist, &kallsyms, err);
	if (ret)
		return ret;
	tracing_data_early_records(&records, &tracing);
	synthesize_kernel(&records, ks);
	return append_packed(o, &records, err);
}

static int add_tracing_data(struct output *o, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf tracing = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf record = STRBUF_INIT;
	struct tracing_record r = {
		.header = {.type = PERF_RECORD_HEADER_TRACING_DATA, .size = sizeof(r)},
	};
	int ret = tracing_data_make(&tracing, o->config->tracefs, o->config->evlist,
				    &(struct strbuf)STRBUF_INIT, err);

	if (ret)
		return ret;
	r.size = (uint32_t)(tracing.len + 7) / 8 * 8;
	strbuf_add(&record, &r, sizeof(r));
	strbuf_add(&record, tracing.buf, tracing.len);
	strbuf_add(&record, "\0\0\0\0\0\0\0", r.size - tracing.len);
	return append_plain(o, &record, err);
}

int output_pipe_begin(struct output *o, struct error *err)
{
	_cleanup_(kernel_symbols_deinit) struct kernel_symbols ks = {.text = STRBUF_INIT};
	int ret = kernel_symbols_init(&ks, NULL, err);

	if (ret)
		return ret;
	o->symbols_hidden = ks.hidden;
	ret = add_machine(o, err);
	if (!ret)
		ret = add_symbols(o, &ks, err);
	return ret ? ret : add_tracing_data(o, err);
}

int output_pipe_finish(struct output *o, const struct event_counts *counts,
		       const struct perfdata_features *features, struct error *err)
{
	_cleanup_(strbuf_deinit) struct strbuf info = STRBUF_INIT;
	_cleanup_(strbuf_deinit) struct strbuf out = STRBUF_INIT;

	if (host_info_counts(&info, o->config->evlist, o->config->rings, counts))
		return error_nomem(err);
	early_info_records(&out, &info);
	for (size_t i = 0; i < features->nr; i++)
		add_feature(&out, &features->v[i]);
	return append_plain(o, &out, err);
}
