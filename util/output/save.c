// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/output/save.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/bytes.h"
#include "util/base/cleanup.h"
#include "util/base/table.h"
#include "util/output/evlist.h"
#include "util/output/host_features.h"
#include "util/output/kernel_symbols.h"
#include "util/output/sample_scan.h"
#include "util/output/synthesize.h"
#include "util/perfdata/writer.h"

/* Records are written in pieces of this size; each ends a round. */
#define PIECE_BYTES (1u << 20)

struct saving {
	const struct save_options *options;
	struct evlist evlist;
	struct perfdata_writer writer;
	struct strbuf records;
	struct table addresses; /* addresses of functions: u64 */
	uint64_t nr_samples;
	struct error *err;
};

static int write_records(struct saving *s)
{
	struct iovec piece = {s->records.buf, s->records.len};
	int ret;

	if (s->records.failed)
		return error_nomem(s->err);
	if (!s->records.len)
		return 0;
	ret = perfdata_writer_append(&s->writer, &piece, 1, s->err);
	strbuf_reset(&s->records);
	return ret;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* The attr that perf_event_open would have used (evlist.c). */
static int add_evsel(struct saving *s, const struct source_event *ev, struct error *err)
{
	struct evsel *e = &s->evlist.evsels[s->evlist.nr];
	const char *colon = ev->name ? strchr(ev->name, ':') : NULL;
	int ret;

	if (!colon)
		return error_set(err, EINVAL, "an event has no name");
	strbuf_init(&e->format);
	s->evlist.nr++;
	e->system = strndup(ev->name, (size_t)(colon - ev->name));
	e->name = strdup(colon + 1);
	e->fds = calloc(1, sizeof(*e->fds));
	if (!e->system || !e->name || !e->fds)
		return error_nomem(err);
	e->nr_fds = 1;
	e->fds[0] = (struct evsel_fd){.fd = -1, .cpu = -1, .id = s->evlist.nr};
	e->attr = (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(e->attr),
		.config = ev->config,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
		.sample_id_all = 1,
	};
	if (ev->has_callchain) {
		e->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
		e->attr.exclude_callchain_user = 1;
	}
	ret = tracefs_event_format(s->options->tracefs, e->system, e->name, &e->format, err);
	if (!ret)
		tracefs_format_field(e->format.buf, "call_site", &e->call_site_offset,
				     &e->call_site_size);
	return ret;
}

static int init_evlist(struct saving *s, const struct source_facts *facts, struct error *err)
{
	int ret = 0;

	if (!facts->nr_events)
		return error_set(err, ENODATA, "'%s' holds no kmem events", facts->path);
	s->evlist.evsels = calloc(facts->nr_events, sizeof(*s->evlist.evsels));
	if (!s->evlist.evsels)
		return error_nomem(err);
	for (size_t i = 0; !ret && i < facts->nr_events; i++)
		ret = add_evsel(s, facts->events[i], err);
	return ret;
}

static int begin_file(struct saving *s, struct error *err)
{
	struct perfdata_writer *w = &s->writer;
	_cleanup_free_ struct perfdata_writer_attr *attrs = calloc(s->evlist.nr, sizeof(*attrs));
	int ret;

	if (!attrs)
		return error_nomem(err);
	for (size_t i = 0; i < s->evlist.nr; i++) {
		const struct evsel *e = &s->evlist.evsels[i];

		attrs[i] = (struct perfdata_writer_attr){&e->attr, &e->fds[0].id, 1};
	}
	ret = perfdata_writer_open(w, s->options->output, NULL, err);
	if (!ret && w->pipe_form)
		ret = error_set(err, EINVAL, "'%s' is a pipe: what is kept goes into a file",
				s->options->output);
	if (!ret && s->options->compress_level)
		ret = perfdata_writer_compress(w, s->options->compress_level, err);
	return ret ? ret : perfdata_writer_begin(w, attrs, s->evlist.nr, err);
}

/* ---- samples --------------------------------------------------------------------------------- */

static int note_address(struct saving *s, uint64_t address)
{
	return table_insert_number(&s->addresses, &address) == TABLE_NO_ROW ? -ENOMEM : 0;
}

/* The call site of a slab event. */
static int note_call_site(struct saving *s, const struct evsel *e, const struct sample *sample)
{
	const uint8_t *at = sample->raw + e->call_site_offset;

	if (!e->call_site_size || e->call_site_offset + e->call_site_size > sample->raw_size)
		return 0;
	return note_address(s, e->call_site_size == 8 ? load_u64(at, sample->swap)
						      : load_u32(at, sample->swap));
}

static int add_callchain(struct saving *s, const struct sample *sample)
{
	strbuf_add(&s->records, &sample->nr_callchain, sizeof(sample->nr_callchain));
	for (uint64_t i = 0; i < sample->nr_callchain; i++) {
		uint64_t entry = load_u64(sample->callchain + i * 8, sample->swap);

		strbuf_add(&s->records, &entry, sizeof(entry));
		if (entry < (uint64_t)PERF_CONTEXT_MAX && note_address(s, entry))
			return -ENOMEM;
	}
	return 0;
}

static int take_sample(void *ctx, const struct sample *sample, struct error *err)
{
	static const char zeros[8];
	struct saving *s = ctx;
	const struct evsel *e = &s->evlist.evsels[sample->event->index];
	bool has_chain = e->attr.sample_type & PERF_SAMPLE_CALLCHAIN;
	uint32_t raw_size = (sample->raw_size + 4 + 7) / 8 * 8 - 4;
	uint64_t size = sizeof(struct sample_head) + 4 + raw_size +
			(has_chain ? 8 + sample->nr_callchain * 8 : 0);
	const struct sample_head head = {
		.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, (uint16_t)size},
		.id = e->fds[0].id,
		.ip = sample->nr_callchain > 1 ? load_u64(sample->callchain + 8, sample->swap) : 0,
		.pid = sample->pid,
		.tid = sample->tid,
		.time = sample->time_ns,
		.cpu = (uint32_t)sample->cpu,
	};

	(void)err;
	if (size > UINT16_MAX)
		return 0;
	strbuf_add(&s->records, &head, sizeof(head));
	if ((has_chain && add_callchain(s, sample)) || note_call_site(s, e, sample))
		return -ENOMEM;
	strbuf_add(&s->records, &raw_size, sizeof(raw_size));
	strbuf_add(&s->records, sample->raw, sample->raw_size);
	strbuf_add(&s->records, zeros, raw_size - sample->raw_size);
	s->nr_samples++;
	if (s->records.len < PIECE_BYTES)
		return s->records.failed ? -ENOMEM : 0;
	synthesize_finished_round(&s->records);
	return write_records(s);
}

static int take_comm(void *ctx, uint32_t tid, const char *comm)
{
	const struct sample_id id = {tid, tid, 0, 0, 0, 0};
	struct saving *s = ctx;

	return synthesize_comm(&s->records, tid, tid, comm, &id);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* The losses' events are unknown: id 0 stands for any. */
static void add_lost(struct saving *s, uint64_t lost)
{
	const struct {
		struct perf_event_header header;
		uint64_t id, lost;
		struct sample_id sample_id;
	} record = {
		.header = {PERF_RECORD_LOST, 0, sizeof(record)},
		.lost = lost,
		.sample_id = {.id = s->evlist.evsels[0].fds[0].id},
	};

	if (lost)
		strbuf_add(&s->records, &record, sizeof(record));
}

static int add_tracing_data(struct saving *s, struct perfdata_features *f, struct error *err)
{
	_cleanup_(kernel_symbols_deinit) struct kernel_symbols ks = {.text = STRBUF_INIT};
	_cleanup_(strbuf_deinit) struct strbuf kallsyms = STRBUF_INIT;
	struct strbuf *tracing = perfdata_features_set(f, HEADER_TRACING_DATA);
	int ret = 0;

	if (!tracing)
		return error_nomem(err);
	if (s->options->this_machine) {
		const uint64_t *addresses = (const uint64_t *)s->addresses.rows;

		ret = kernel_symbols_init_for(&ks, addresses, s->addresses.nr, err);
		if (!ret && kernel_symbols_select(&ks, addresses, s->addresses.nr, &kallsyms))
			ret = error_nomem(err);
	}
	return ret ? ret
		   : evlist_tracing_data(&s->evlist, s->options->tracefs, &kallsyms, tracing, err);
}

static int finish_file(struct saving *s, const struct source_facts *facts, struct error *err)
{
	_cleanup_(perfdata_features_deinit) struct perfdata_features f = PERFDATA_FEATURES_INIT;
	const struct source_span span = source_facts_span(facts);
	uint64_t times[2] = {span.start_ns, span.stop_ns};
	int ret;

	add_lost(s, facts->nr_lost);
	ret = write_records(s);
	if (!ret)
		ret = add_tracing_data(s, &f, err);
	if (!ret && s->options->this_machine)
		ret = host_features_add(&f, s->options->version, err);
	if (!ret)
		ret = host_features_add_events(&f, &s->evlist, err);
	if (ret)
		return ret;
	if (s->options->compress_level &&
	    host_features_add_compressed(&f, s->options->compress_level))
		return error_nomem(err);
	if (perfdata_features_set_u64(&f, HEADER_SAMPLE_TIME, times, 2))
		return error_nomem(err);
	return perfdata_writer_finish(&s->writer, &f, err);
}

static int add_machine(struct saving *s, struct error *err)
{
	_cleanup_(kernel_symbols_deinit) struct kernel_symbols ks = {.text = STRBUF_INIT};
	_cleanup_(strbuf_deinit) struct strbuf info = STRBUF_INIT;
	int ret = kernel_symbols_locate(&ks, NULL, 0, err);

	if (ret)
		return ret;
	return host_info_machine(&info, NULL) ||
			       feature_early_lines(&s->records, HEADER_RECORDING_INFO, &info) ||
			       synthesize_kernel(&s->records, &ks)
		       ? error_nomem(err)
		       : 0;
}

int save_source(struct event_source *source, const struct save_options *options,
		struct save_result *ret_result, struct error *err)
{
	static const struct event_sink sink = {.sample = take_sample, .comm = take_comm};
	struct saving s = {
		.options = options,
		.writer = PERFDATA_WRITER_INIT,
		.records = STRBUF_INIT,
		.err = err,
	};
	int ret;

	table_init(&s.addresses, sizeof(uint64_t), sizeof(uint64_t));
	ret = init_evlist(&s, source->facts, err);
	if (!ret)
		ret = begin_file(&s, err);
	if (!ret && options->this_machine)
		ret = add_machine(&s, err);
	if (!ret)
		ret = event_source_read(source, &sink, &s, err);
	if (!ret)
		ret = finish_file(&s, source->facts, err);
	if (!ret)
		ret = perfdata_writer_publish(&s.writer, err);
	*ret_result = (struct save_result){
		.nr_samples = s.nr_samples,
		.nr_lost = source->facts->nr_lost,
		.bytes = perfdata_writer_data_size(&s.writer),
	};
	perfdata_writer_deinit(&s.writer);
	evlist_deinit(&s.evlist);
	strbuf_deinit(&s.records);
	table_deinit(&s.addresses);
	return ret;
}
