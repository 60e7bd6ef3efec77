// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "util/output/batch.h"
#include "util/output/synthesize.h"

struct sample {
	struct sample_head head;
	uint32_t raw_size;
	uint8_t raw[12];
};

static void add_sample(struct strbuf *sb, uint64_t id, uint64_t time)
{
	const struct sample s = {
		.head = {.header = {.type = PERF_RECORD_SAMPLE, .size = sizeof(s)},
			 .id = id,
			 .time = time},
		.raw_size = sizeof(s.raw),
	};

	assert_int_equal(strbuf_add(sb, &s, sizeof(s)), 0);
}

static void add_other(struct strbuf *sb)
{
	const struct perf_event_header h = {.type = PERF_RECORD_COMM, .size = sizeof(h)};

	assert_int_equal(strbuf_add(sb, &h, sizeof(h)), 0);
}

struct fixture {
	struct evsel_fd fds[2];
	struct evsel evsels[2];
	struct evlist l;
	struct sample_scan scan;
	struct batch batch;
	struct batch_stream stream;
	struct strbuf records;
};

static void fixture_init(struct fixture *f, bool grouped)
{
	*f = (struct fixture){.fds = {{.id = 10}, {.id = 11}}, .records = STRBUF_INIT};
	f->evsels[0] = (struct evsel){.fds = &f->fds[0], .nr_fds = 1};
	f->evsels[1] = (struct evsel){.fds = &f->fds[1], .nr_fds = 1};
	f->l = (struct evlist){f->evsels, 2};
	assert_int_equal(sample_scan_init(&f->scan, &f->l, NULL), 0);
	assert_int_equal(batch_init(&f->batch, &f->scan, grouped, NULL), 0);
	add_sample(&f->records, 11, 1000);
	add_sample(&f->records, 10, 2000);
	add_other(&f->records);
	add_sample(&f->records, 11, 3000);
}

static void fixture_deinit(struct fixture *f)
{
	batch_deinit(&f->batch);
	sample_scan_deinit(&f->scan);
	strbuf_deinit(&f->records);
}

/* The i-th of the records as they are to be written. */
static struct sample_head sorted(const struct record_order *order, size_t i)
{
	struct sample_head head = {.id = 0};
	uint16_t size;
	const uint8_t *record = record_order_get(order, i, &size);

	memcpy(&head, record, size < sizeof(head) ? size : sizeof(head));
	return head;
}

/* Split into two pieces at every place where the kernel may wrap, nothing is lost or mixed up. */
static void test_grouped(void **state)
{
	(void)state;
	for (size_t cut = 0; cut < 3 * sizeof(struct sample); cut += 8) {
		struct record_order order;
		struct iovec pieces[2];
		struct fixture f;
		uint64_t at = 0;

		fixture_init(&f, true);
		pieces[0] = (struct iovec){f.records.buf, cut};
		pieces[1] = (struct iovec){f.records.buf + cut, f.records.len - cut};
		assert_int_equal(batch_fill(&f.batch, &f.stream, cut ? pieces : pieces + 1,
					    cut ? 2 : 1, &at),
				 0);
		assert_int_equal(at, f.records.len);
		order = batch_sort(&f.batch);
		assert_int_equal(order.nr, 4);
		assert_int_equal(sorted(&order, 0).header.type, PERF_RECORD_COMM);
		assert_int_equal(sorted(&order, 1).time, 1000 - 1000 % BATCH_TIME_STEP_NS);
		assert_int_equal(sorted(&order, 2).time, 3000 - 3000 % BATCH_TIME_STEP_NS);
		assert_int_equal(sorted(&order, 3).time, 2000 - 2000 % BATCH_TIME_STEP_NS);
		assert_int_equal(sorted(&order, 3).id, 10);
		assert_int_equal(f.scan.samples[0], 1);
		assert_int_equal(f.scan.samples[1], 2);
		assert_int_equal(batch_fill(&f.batch, &f.stream, pieces, 2, &at), 0);
		assert_int_equal(f.batch.bytes, 0);
		fixture_deinit(&f);
	}
}

/* A full disk took only the first of them, in the order in which they were written. */
static void test_unwritten(void **state)
{
	(void)state;
	for (int grouped = 0; grouped < 2; grouped++) {
		struct iovec piece;
		struct fixture f;
		uint64_t at = 0;

		fixture_init(&f, grouped);
		piece = (struct iovec){f.records.buf, f.records.len};
		assert_int_equal(batch_fill(&f.batch, &f.stream, &piece, 1, &at), 0);
		if (grouped)
			batch_sort(&f.batch);
		batch_unwritten(&f.batch, 2 * sizeof(struct sample) + 8);
		assert_int_equal(f.scan.nr_samples, 2);
		assert_int_equal(f.scan.samples[0], grouped ? 0 : 1);
		assert_int_equal(f.scan.samples[1], grouped ? 2 : 1);
		fixture_deinit(&f);
	}
}

/* Samples of which only what differs is kept count like whole ones. */
static void test_likes(void **state)
{
	const struct sample_head head = {
		.header = {.type = PERF_RECORD_SAMPLE, .size = sizeof(head)}, .id = 11, .time = 64};
	struct record_order order;
	uint32_t group, nr = 1;
	struct fixture f;
	uint64_t number;
	uint16_t size;

	(void)state;
	fixture_init(&f, true);
	number = f.batch.number;
	batch_begin(&f.batch, &f.stream);
	assert_true(f.batch.number != number);
	group = batch_group(&f.batch, 1);
	memcpy(batch_reserve(&f.batch, group, sizeof(head)), &head, sizeof(head));
	sample_scan_count(&f.scan, 1, head.time);
	for (; !batch_full(&f.batch); nr++) {
		batch_add_like(&f.batch, group, sizeof(head),
			       &(struct record_like){.at = 0, .time = 64 + nr});
		sample_scan_count(&f.scan, 1, head.time);
	}
	assert_int_equal(nr, (BATCH_BYTES + sizeof(head) - 1) / sizeof(head));
	assert_int_equal(f.batch.bytes, sizeof(head));
	order = batch_sort(&f.batch);
	assert_int_equal(order.nr, nr);
	assert_null(record_order_like(&order, 0));
	for (uint32_t i = 1; i < nr; i++) {
		assert_int_equal(record_order_like(&order, i)->time, 64 + i);
		assert_ptr_equal(record_order_get(&order, i, &size), f.batch.records);
		assert_int_equal(size, sizeof(head));
	}
	batch_unwritten(&f.batch, 10 * sizeof(head));
	assert_int_equal(f.scan.nr_samples, 10);
	batch_begin(&f.batch, &f.stream);
	assert_int_equal(batch_sort(&f.batch).nr, 0);
	assert_false(batch_full(&f.batch));
	fixture_deinit(&f);
}

/* As the kernel sends them if three events hear of a symbol. */
static void add_long(struct strbuf *sb, uint32_t type, const void *content, size_t size,
		     uint64_t time)
{
	const uint8_t old[64] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
				 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	const struct sample_id id = {.pid = 1, .tid = 2, .time = time, .id = 11};
	const struct perf_event_header h = {
		.type = type, .size = (uint16_t)(sizeof(h) + size + sizeof(id) + sizeof(old))};

	assert_int_equal(strbuf_add(sb, &h, sizeof(h)), 0);
	assert_int_equal(strbuf_add(sb, content, size), 0);
	assert_int_equal(strbuf_add(sb, &id, sizeof(id)), 0);
	assert_int_equal(strbuf_add(sb, old, sizeof(old)), 0);
}

static void test_old_bytes_behind_a_record_are_left_out(void **state)
{
	/* the name takes all of its 8 bytes, with its NUL */
	const char ksymbol[] = "address lengtyflbpf_prg";
	const char bpf_event[] = "typflidn_tag_tag";
	struct iovec piece;
	struct fixture f;
	uint64_t at = 0;
	struct sample_id id;

	(void)state;
	fixture_init(&f, true);
	strbuf_reset(&f.records);
	add_long(&f.records, PERF_RECORD_KSYMBOL, ksymbol, 24, 1000);
	add_long(&f.records, PERF_RECORD_BPF_EVENT, bpf_event, 16, 2000);
	add_sample(&f.records, 11, 300000);
	piece = (struct iovec){f.records.buf, f.records.len};
	assert_int_equal(batch_fill(&f.batch, &f.stream, &piece, 1, &at), 0);
	assert_int_equal(at, f.records.len);
	assert_int_equal(f.batch.bytes,
			 8 + 24 + sizeof(id) + 8 + 16 + sizeof(id) + sizeof(struct sample));
	memcpy(&id, f.batch.records + 8 + 24, sizeof(id));
	assert_int_equal(id.time, 1000);
	memcpy(&id, f.batch.records + 8 + 24 + sizeof(id) + 8 + 16, sizeof(id));
	assert_int_equal(id.time, 2000);
	assert_in_range(f.stream.last_ns, 299000, 300000);
	fixture_deinit(&f);
}

static void test_as_they_are(void **state)
{
	struct iovec piece;
	struct fixture f;
	uint64_t at = 0;

	(void)state;
	fixture_init(&f, false);
	piece = (struct iovec){f.records.buf, f.records.len};
	assert_int_equal(batch_fill(&f.batch, &f.stream, &piece, 1, &at), 0);
	assert_int_equal(f.batch.bytes, f.records.len);
	assert_memory_equal(f.batch.records, f.records.buf, f.records.len);
	assert_int_equal(f.scan.nr_samples, 3);
	fixture_deinit(&f);
}

/* Records that exceed one batch come in several, each of whole records. */
static void test_several(void **state)
{
	uint64_t at = 0, bytes = 0;
	struct iovec piece;
	struct fixture f;
	int fills = 0;

	(void)state;
	fixture_init(&f, false);
	while (f.records.len < 2 * BATCH_BYTES)
		add_sample(&f.records, 10, 1);
	piece = (struct iovec){f.records.buf, f.records.len};
	while (!batch_fill(&f.batch, &f.stream, &piece, 1, &at) && f.batch.bytes) {
		assert_in_range(f.batch.bytes, 1, BATCH_BYTES + sizeof(struct sample));
		bytes += f.batch.bytes;
		fills++;
	}
	assert_int_equal(fills, 2);
	assert_int_equal(bytes, f.records.len);
	/* Bytes that are not a record end it. */
	memset(f.records.buf, 0, 8);
	at = 0;
	assert_int_equal(batch_fill(&f.batch, &f.stream, &piece, 1, &at), 0);
	assert_int_equal(f.batch.bytes, 0);
	fixture_deinit(&f);
}

/*
 * There may be more likenesses than can be distinguished: then some share a group, until the next
 * batch.
 */
static void test_many_groups(void **state)
{
	static const uint64_t nrs[] = {BATCH_GROUPS / 2, 3ULL * BATCH_GROUPS, BATCH_GROUPS / 2};
	struct fixture f;

	(void)state;
	fixture_init(&f, true);
	for (size_t n = 0; n < sizeof(nrs) / sizeof(nrs[0]); n++) {
		struct record_order order;
		uint64_t nr = nrs[n], seen = 0;

		batch_begin(&f.batch, &f.stream);
		for (uint64_t i = 0; i < 2 * nr; i++) {
			const struct sample_head head = {
				.header = {.type = PERF_RECORD_SAMPLE, .size = sizeof(head)},
				.time = i,
			};

			memcpy(batch_reserve(&f.batch,
					     batch_group(&f.batch, batch_likeness(1, i % nr)),
					     sizeof(head)),
			       &head, sizeof(head));
		}
		order = batch_sort(&f.batch);
		assert_int_equal(order.nr, 2 * nr);
		for (size_t i = 0; i < order.nr; i++)
			seen += sorted(&order, i).time;
		assert_int_equal(seen, nr * (2 * nr - 1));
		for (size_t i = 0; i < order.nr && nr < BATCH_GROUPS; i += 2)
			assert_int_equal(sorted(&order, i + 1).time, sorted(&order, i).time + nr);
	}
	fixture_deinit(&f);
}

/* ---- the order of a CPU's records ---- */

enum { CPUS = 2, PER_BATCH = 200, BATCHES = 50, ALL = BATCHES * PER_BATCH };

/* A COMM record, whose name is its number. */
struct named {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t number;
	struct sample_id id;
};

/* Record `number` of this CPU, as it is in the file. */
struct placed {
	uint64_t time, number;
	size_t at;
	unsigned int cpu;
};

static int by_time(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void add_numbered(struct strbuf *sb, uint64_t number, uint64_t time, uint32_t x)
{
	struct sample s = {
		.head = {.header = {.type = PERF_RECORD_SAMPLE, .size = sizeof(s)},
			 .id = 10 + x % 2,
			 .ip = number,
			 .time = time},
		.raw_size = sizeof(s.raw),
	};
	const struct named n = {.header = {.type = PERF_RECORD_COMM, .size = sizeof(n)},
				.number = number,
				.id.time = time};

	if (x % 32)
		strbuf_add(sb, &s, sizeof(s));
	else
		strbuf_add(sb, &n, sizeof(n));
}

/* Where the records of the batch are in the file, which has `nr` so far. */
static size_t place_batch(const struct record_order *order, unsigned int cpu, size_t nr,
			  struct placed *v)
{
	for (size_t i = 0; i < order->nr; i++) {
		uint16_t size;
		const uint8_t *record = record_order_get(order, i, &size);
		struct placed *p = &v[nr + i];
		struct sample_head head = {.id = 0};
		struct named named;

		*p = (struct placed){.at = nr + i, .cpu = cpu};
		if (size == sizeof(named)) {
			memcpy(&named, record, sizeof(named));
			p->time = named.id.time;
			p->number = named.number;
		} else {
			memcpy(&head, record, sizeof(head));
			p->time = head.time;
			p->number = head.ip;
		}
	}
	return nr + order->nr;
}

/*
 * A reader that sorts the file by time sees the records of each CPU in their original order, even
 * if they are only `closest` ns or a few more apart, across steps and batches.
 */
static void check_order(uint64_t closest)
{
	struct batch_stream streams[CPUS] = {{0}};
	uint64_t now[CPUS] = {1000, 1010}, next[CPUS] = {0}, came[CPUS][ALL];
	struct placed *v = calloc(ALL, sizeof(*v));
	struct fixture f;
	uint32_t x = 1;
	size_t nr = 0;

	assert_non_null(v);
	fixture_init(&f, true);
	for (unsigned int n = 0; n < BATCHES; n++) {
		unsigned int cpu = n % CPUS;
		struct record_order order;
		struct iovec piece;
		uint64_t at = 0;

		strbuf_reset(&f.records);
		for (int i = 0; i < PER_BATCH; i++) {
			x = x * 1103515245 + 12345;
			add_numbered(&f.records, next[cpu], now[cpu], x >> 8);
			came[cpu][next[cpu]++] = now[cpu];
			now[cpu] += closest + (x >> 16) % 8 * (x >> 24 & 1);
		}
		piece = (struct iovec){f.records.buf, f.records.len};
		assert_int_equal(batch_fill(&f.batch, &streams[cpu], &piece, 1, &at), 0);
		order = batch_sort(&f.batch);
		nr = place_batch(&order, cpu, nr, v);
	}
	assert_int_equal(nr, ALL);
	qsort(v, nr, sizeof(*v), by_time);
	memset(next, 0, sizeof(next));
	for (size_t i = 0; i < nr; i++) {
		uint64_t exact = came[v[i].cpu][v[i].number];

		assert_int_equal(v[i].number, next[v[i].cpu]++);
		assert_in_range(v[i].time, exact - exact % BATCH_TIME_STEP_NS,
				closest ? exact : UINT64_MAX);
	}
	fixture_deinit(&f);
	free(v);
}

static void test_order_of_a_cpu(void **state)
{
	static const uint64_t closest[] = {1, 5, 20, 40, 70, 500};

	(void)state;
	for (size_t i = 0; i < sizeof(closest) / sizeof(closest[0]); i++)
		check_order(closest[i]);
}

/* As with clocks whose resolution is lower than a nanosecond. */
static void test_order_at_equal_times(void **state)
{
	(void)state;
	check_order(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grouped),
		cmocka_unit_test(test_unwritten),
		cmocka_unit_test(test_old_bytes_behind_a_record_are_left_out),
		cmocka_unit_test(test_as_they_are),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_many_groups),
		cmocka_unit_test(test_likes),
		cmocka_unit_test(test_order_of_a_cpu),
		cmocka_unit_test(test_order_at_equal_times),
	};

	return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}
