// SPDX-License-Identifier: GPL-2.0-or-later
/* The records that a session delivers, and their order: from a recording of a few records, written
 * here. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "util/base/strbuf.h"
#include "util/perfdata/writer.h"
#include "util/session/session.h"

#define ID	   7
#define ID_UNKNOWN 99

/* ---- the recording ---------------------------------------------------------- */

struct sample_record {
	struct perf_event_header header;
	uint64_t id;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint32_t raw_size, raw;
};

/* The bytes after the fields of each other record. */
struct tail {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, reserved;
	uint64_t id;
};

struct comm_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	char comm[8];
	struct tail tail;
};

struct fork_record {
	struct perf_event_header header;
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time_ns;
	struct tail tail;
};

struct cgroup_record {
	struct perf_event_header header;
	uint64_t id;
	char path[8];
	struct tail tail;
};

/* The inode may be replaced by a build-id. */
struct mmap2_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, length, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t prot, flags;
	char path[8];
	struct tail tail;
};

static char path[] = "/tmp/test_session.XXXXXX";
static struct perfdata_writer writer;

static void begin(void)
{
	static const uint64_t ids[] = {ID};
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT,
				       .size = sizeof(attr),
				       .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
						      PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
						      PERF_SAMPLE_RAW,
				       .sample_id_all = 1};
	const struct perfdata_writer_attr a = {&attr, ids, 1};
	int fd;

	memset(path + strlen(path) - 6, 'X', 6);
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	assert_int_equal(perfdata_writer_open(&writer, path, NULL, NULL), 0);
	assert_int_equal(perfdata_writer_begin(&writer, &a, 1, NULL), 0);
	assert_int_equal(perfdata_writer_publish(&writer, NULL), 0);
}

static void append(const void *record)
{
	const struct perf_event_header *h = record;
	struct iovec piece = {(void *)record, h->size};

	assert_int_equal(perfdata_writer_append(&writer, &piece, 1, NULL), 0);
}

static void add_sample_of(uint64_t id, uint64_t time_ns, uint16_t size)
{
	const struct sample_record r = {.header = {PERF_RECORD_SAMPLE, 0, size},
					.id = id,
					.pid = 4,
					.tid = 5,
					.time_ns = time_ns,
					.cpu = 1,
					.raw_size = 4};

	append(&r);
}

static void add_sample(uint64_t time_ns)
{
	add_sample_of(ID, time_ns, sizeof(struct sample_record));
}

static void add_comm(uint64_t time_ns, uint32_t tid, const char *comm)
{
	struct comm_record r = {.header = {PERF_RECORD_COMM, 0, sizeof(r)},
				.pid = 4,
				.tid = tid,
				.tail = {.time_ns = time_ns, .id = ID}};

	snprintf(r.comm, sizeof(r.comm), "%s", comm);
	append(&r);
}

static void add_fork(uint64_t time_ns, uint32_t parent_tid, uint32_t tid)
{
	const struct fork_record r = {.header = {PERF_RECORD_FORK, 0, sizeof(r)},
				      .tid = tid,
				      .parent_tid = parent_tid,
				      .time_ns = time_ns,
				      .tail = {.time_ns = time_ns, .id = ID}};

	append(&r);
}

/* size: of the record, which may be cut off. */
static void add_cgroup(uint64_t time_ns, uint64_t id, const char *name, uint16_t size)
{
	struct cgroup_record r = {.header = {PERF_RECORD_CGROUP, 0, size},
				  .id = id,
				  .tail = {.time_ns = time_ns, .id = ID}};

	memcpy(r.path, name, strnlen(name, sizeof(r.path)));
	append(&r);
}

static void add_mmap2(uint64_t time_ns, uint16_t misc, const char *name)
{
	struct mmap2_record r = {.header = {PERF_RECORD_MMAP2, misc, sizeof(r)},
				 .pid = 4,
				 .tid = 5,
				 .start = 0x1000,
				 .length = 0x2000,
				 .offset = 0x3000,
				 .major = 8,
				 .minor = 1,
				 .inode = 77,
				 .prot = 5,
				 .flags = 2,
				 .tail = {.time_ns = time_ns, .id = ID}};

	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		memset(&r.major, 0, 24);
		memcpy(&r.major, "\x03\0\0\0abc", 7);
	}
	memcpy(r.path, name, strnlen(name, sizeof(r.path)));
	append(&r);
}

/* Add a task record. */
static void add_task(uint64_t time_ns, uint32_t type, uint16_t misc, uint32_t pid, uint32_t parent,
		     uint32_t tid)
{
	const struct fork_record r = {.header = {type, misc, sizeof(r)},
				      .pid = pid,
				      .parent_pid = parent,
				      .tid = tid,
				      .time_ns = time_ns,
				      .tail = {.time_ns = time_ns, .id = ID}};

	append(&r);
}

static void add_round(void)
{
	const struct perf_event_header h = {PERF_RECORD_FINISHED_ROUND, 0, sizeof(h)};

	append(&h);
}

static void end(void)
{
	struct perfdata_features features = PERFDATA_FEATURES_INIT;

	assert_int_equal(perfdata_writer_finish(&writer, &features, NULL), 0);
	perfdata_features_deinit(&features);
	perfdata_writer_deinit(&writer);
}

/* ---- the consumer: records its arguments ------------------------------------ */

struct consumer {
	struct strbuf heard;
	int ret; /* of the next call */
};

static int take_sample(void *ctx, const struct sample *sample, struct error *err)
{
	struct consumer *c = ctx;

	(void)err;
	assert_int_equal(sample->tid, 5);
	assert_int_equal(sample->cpu, 1);
	assert_int_equal(sample->raw_size, 4);
	strbuf_addf(&c->heard, "%d ", (int)sample->time_ns);
	return c->ret;
}

static int take_comm(void *ctx, uint32_t tid, const char *comm)
{
	struct consumer *c = ctx;

	strbuf_addf(&c->heard, "%u=%s ", tid, comm);
	return c->ret;
}

static int take_fork(void *ctx, uint32_t parent_tid, uint32_t tid)
{
	struct consumer *c = ctx;

	strbuf_addf(&c->heard, "%u>%u ", parent_tid, tid);
	return c->ret;
}

static int take_cgroup(void *ctx, uint64_t id, const char *name)
{
	struct consumer *c = ctx;

	strbuf_addf(&c->heard, "cgroup%" PRIu64 "=%s ", id, name);
	return c->ret;
}

static int take_map(void *ctx, const struct source_map *map)
{
	struct consumer *c = ctx;

	assert_int_equal(map->pid, 4);
	assert_int_equal(map->start, 0x1000);
	assert_int_equal(map->length, 0x2000);
	assert_int_equal(map->file_offset, 0x3000);
	assert_int_equal(map->prot, 5);
	assert_int_equal(map->flags, 2);
	strbuf_addf(&c->heard, "%s/%d/%.*s ", map->path, (int)map->inode, (int)map->build_id_size,
		    map->build_id ? (const char *)map->build_id : "");
	return c->ret;
}

static int take_process(void *ctx, enum source_process_change change, uint32_t pid, uint32_t parent)
{
	static const char *const words[] = {
		[PROCESS_FORKED] = "fork",
		[PROCESS_NEW] = "new",
		[PROCESS_EXEC] = "exec",
		[PROCESS_EXITED] = "exit",
	};
	struct consumer *c = ctx;

	strbuf_addf(&c->heard, "%s:%u:%u ", words[change], pid, parent);
	return c->ret;
}

static const struct event_sink all_ops = {
	.sample = take_sample, .comm = take_comm, .fork = take_fork, .cgroup = take_cgroup};

static struct event_source *open_it(void)
{
	const struct source_options options = {.force = true};
	struct event_source *s;

	assert_int_equal(event_source_perfdata.open(path, &options, &s, NULL), 0);
	unlink(path);
	return s;
}

/* Read everything; the consumer must have received exactly this. Returns the session. */
static struct event_source *expect(const struct event_sink *ops, const char *heard)
{
	struct consumer c = {.heard = STRBUF_INIT};
	struct event_source *s = open_it();

	assert_int_equal(event_source_read(s, ops, &c, NULL), 0);
	assert_string_equal(c.heard.buf, heard);
	strbuf_deinit(&c.heard);
	return s;
}

/* ---- tests ------------------------------------------------------------------ */

/* One buffer after another, as a recorder writes them. */
static void add_two_cpus(void)
{
	add_sample(10);
	add_comm(20, 5, "first");
	add_sample(30);
	add_fork(45, 5, 6);
	add_cgroup(48, 7, "/a", sizeof(struct cgroup_record));
	add_sample(50);

	add_sample(15);
	add_sample(35);
	add_comm(40, 5, "second");
	add_sample(46);
}

static void test_names_come_in_time_with_the_samples(void **state)
{
	(void)state;
	begin();
	add_two_cpus();
	end();
	event_source_free(expect(&all_ops, "10 15 5=first 30 35 5=second 5>6 46 cgroup7=/a 50 "));
}

static void test_who_wants_no_names_gets_none(void **state)
{
	static const struct event_sink samples_only = {.sample = take_sample};

	(void)state;
	begin();
	add_two_cpus();
	end();
	event_source_free(expect(&samples_only, "10 15 30 35 46 50 "));
}

static void test_cgroups_come_in_time_with_the_samples(void **state)
{
	const uint16_t whole = sizeof(struct cgroup_record), head = 8 + sizeof(uint64_t);

	(void)state;
	begin();
	add_sample(10);
	add_cgroup(30, 7, "/late", whole);
	add_sample(40);

	add_cgroup(0, 7, "/early", whole);
	add_sample(20);
	end();
	event_source_free(expect(&all_ops, "cgroup7=/early 10 20 cgroup7=/late 40 "));

	/* a path without its end in the record is ignored */
	begin();
	add_cgroup(0, 7, "/endless", head + 8);
	add_cgroup(0, 8, "", head + 1);
	add_sample(10);
	end();
	event_source_free(expect(&all_ops, "cgroup8= 10 "));

	/* too small for an id */
	begin();
	add_cgroup(0, 7, "", head);
	add_sample(10);
	end();
	event_source_free(expect(&all_ops, "10 "));
}

static void test_maps_come_in_time_with_the_samples(void **state)
{
	static const struct event_sink ops = {.sample = take_sample, .map = take_map};
	const uint16_t user = PERF_RECORD_MISC_USER;

	(void)state;
	begin();
	add_sample(10);
	add_mmap2(30, user, "/late");
	add_sample(40);
	add_mmap2(45, PERF_RECORD_MISC_KERNEL, "[k]");

	add_mmap2(0, user, "/early");
	add_mmap2(15, user | PERF_RECORD_MISC_MMAP_BUILD_ID, "/id");
	add_sample(20);
	end();
	event_source_free(expect(&ops, "/early/77/ 10 /id/0/abc 20 /late/77/ 40 "));
}

/* The kernel or a module, with a build-id of 4 bytes or without one. */
static void add_kernel_mmap2(const char *name, const char *id)
{
	struct {
		struct mmap2_record head;
		char rest[32];
	} r = {.head = {.header = {PERF_RECORD_MMAP2, PERF_RECORD_MISC_KERNEL, sizeof(r)},
			.pid = UINT32_MAX,
			.start = 0xffffffff81000000,
			.length = 0x2000,
			.offset = 0xffffffff81000010}};

	if (id) {
		r.head.header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		memcpy(&r.head.major, "\4", 1); /* the size of the id */
		memcpy(&r.head.minor, id, 4);
	}
	memcpy((char *)&r + offsetof(struct mmap2_record, path), name, strlen(name));
	append(&r);
}

static void test_the_kernel_and_its_modules(void **state)
{
	static const struct event_sink ops = {.sample = take_sample};
	const struct source_facts *f;
	struct event_source *s;

	(void)state;
	begin();
	add_kernel_mmap2("[kernel.kallsyms]_text", "\1\2\3\4");
	add_kernel_mmap2("[ext4]", "\5\6\7\x8");
	add_kernel_mmap2("[out_of_tree]", NULL);
	add_kernel_mmap2("/lib/snd-pcm.ko.xz", NULL);
	add_kernel_mmap2("[kernel.kallsyms]_text", "\4\4\4\4");
	add_sample(10);
	end();
	s = expect(&ops, "10 ");
	f = s->facts;
	assert_int_equal(f->kernel_start, 0xffffffff81000000);
	assert_int_equal(f->kernel_text_address, 0xffffffff81000010);
	assert_string_equal(f->kernel_text_symbol, "_text");
	assert_int_equal(f->kernel_build_id_size, 4);
	assert_memory_equal(f->kernel_build_id, "\1\2\3\4", 4);
	assert_int_equal(f->nr_build_ids, 2);
	assert_string_equal(f->build_ids[0].path, "[kernel.kallsyms]");
	assert_string_equal(f->build_ids[1].path, "[ext4]");
	assert_true(f->build_ids[1].of_kernel);
	assert_memory_equal(f->build_ids[1].id, "\5\6\7\x8", 4);
	assert_int_equal(f->nr_loaded, 3);
	assert_string_equal(f->loaded[0].name, "ext4");
	assert_int_equal(f->loaded[0].start, 0xffffffff81000000);
	assert_int_equal(f->loaded[0].end, 0xffffffff81002000);
	assert_int_equal(f->loaded[0].build_id_size, 4);
	assert_memory_equal(f->loaded[0].build_id, "\5\6\7\x8", 4);
	assert_string_equal(f->loaded[1].name, "out_of_tree");
	assert_int_equal(f->loaded[1].build_id_size, 0);
	assert_string_equal(f->loaded[2].name, "snd_pcm");
	event_source_free(s);
}

static void test_modules_are_bounded(void **state)
{
	static const struct event_sink ops = {.sample = take_sample};
	struct event_source *s;

	(void)state;
	begin();
	for (int i = 0; i < 20000; i++)
		add_kernel_mmap2("[module]", "\1\2\3\4");
	add_sample(10);
	end();
	s = expect(&ops, "10 ");
	assert_in_range(s->facts->nr_build_ids, 1000, 10000);
	assert_in_range(s->facts->nr_loaded, 1000, 10000);
	event_source_free(s);
}

/* One of our own records, of the present type or that before 2026; or an update of another kind. */
static void add_lines_of(uint32_t kind, uint32_t type, uint64_t magic, const char *lines)
{
	const uint32_t about[] = {kind, 0, (uint32_t)strlen(lines), (uint32_t)strlen(lines)};
	uint64_t v[16] = {0}, *at = v + 1;

	*at++ = magic;
	if (type == PERF_RECORD_EVENT_UPDATE)
		at++;
	memcpy(at, about, sizeof(about));
	memcpy(at + 2, lines, strlen(lines));
	*(struct perf_event_header *)v = (struct perf_event_header){type, 0, sizeof(v)};
	append(v);
}

static void add_lines(uint32_t type, uint64_t magic, const char *lines)
{
	add_lines_of(HEADER_RECORDING_INFO, type, magic, lines);
}

static void test_modules_are_facts(void **state)
{
	static const char lines[] = "+ 15 leaky\nc0 t f\t[leaky]\n";
	struct event_source *source;

	(void)state;
	begin();
	add_sample(10);
	add_lines_of(HEADER_MODULES, PERF_RECORD_EVENT_UPDATE, PERFDATA_EARLY_MAGIC, lines);
	add_sample(20);
	add_lines_of(HEADER_MODULES, PERF_RECORD_EVENT_UPDATE, PERFDATA_EARLY_MAGIC, "- 25 x\n");
	end();
	source = expect(&all_ops, "10 20 ");
	assert_string_equal(source->facts->modules.buf, "+ 15 leaky\nc0 t f\t[leaky]\n- 25 x\n");
	event_source_free(source);
}

static void test_our_own_records(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t magic;
		const char *aliases, *migratetypes;
	} forms[] = {
		{PERF_RECORD_EVENT_UPDATE, PERFDATA_EARLY_MAGIC, "a/b\nc/d\n", "One Two"},
		{PERF_RECORD_HEADER_EVENT_TYPE, PERFDATA_EARLY_MAGIC, "a/b\nc/d\n", "One Two"},
		{PERF_RECORD_EVENT_UPDATE, 2, "", NULL}, /* a name, for stock */
	};

	static const struct event_sink ops = {.sample = take_sample};

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct event_source *s;

		begin();
		add_lines(forms[i].type, forms[i].magic, "cache-aliases: a/b\n");
		add_lines(forms[i].type, forms[i].magic, "cache-aliases: c/d\n");
		add_sample(10);
		add_lines(forms[i].type, forms[i].magic, "migratetypes: One Two\n");
		end();
		s = expect(&ops, "10 ");
		assert_string_equal(s->facts->cache_aliases.buf, forms[i].aliases);
		if (forms[i].migratetypes)
			assert_string_equal(s->facts->migratetypes, forms[i].migratetypes);
		else
			assert_null(s->facts->migratetypes);
		event_source_free(s);
	}
}

/* Only for processes, not for each of their threads. */
static void test_changes_of_processes_come_in_time_with_the_samples(void **state)
{
	static const struct event_sink ops = {.sample = take_sample, .process = take_process};

	(void)state;
	begin();
	add_task(0, PERF_RECORD_FORK, PERF_RECORD_MISC_FORK_EXEC, 4, 1, 4);
	add_task(0, PERF_RECORD_FORK, PERF_RECORD_MISC_FORK_EXEC, 4, 4, 5);
	add_sample(10);
	add_task(20, PERF_RECORD_FORK, 0, 6, 4, 6);
	add_task(25, PERF_RECORD_FORK, 0, 6, 6, 7);
	add_comm(28, 6, "name");
	add_sample(30);
	add_task(40, PERF_RECORD_EXIT, 0, 6, 6, 7);
	add_task(41, PERF_RECORD_EXIT, 0, 6, 6, 6);
	end();
	event_source_free(expect(&ops, "new:4:1 10 fork:6:4 30 exit:6:0 "));
}

static void test_a_name_given_by_exec_is_a_change_of_the_process(void **state)
{
	static const struct event_sink ops = {.sample = take_sample,
					      .comm = take_comm,
					      .fork = take_fork,
					      .process = take_process};
	struct comm_record r = {.header = {PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, sizeof(r)},
				.pid = 4,
				.tid = 5,
				.comm = "new",
				.tail = {.time_ns = 20, .id = ID}};

	(void)state;
	begin();
	add_sample(10);
	append(&r);
	end();
	event_source_free(expect(&ops, "10 exec:4:0 5=new "));
}

/* A round may have records older than those of the previous round, but not older than the round
 * before that. */
static void test_rounds(void **state)
{
	struct event_source *s;

	(void)state;
	begin();
	add_sample(10);
	add_sample(40);
	add_round();
	add_sample(20);
	add_comm(30, 5, "name");
	add_sample(60);
	add_round();
	add_sample(50);
	add_sample(55);
	add_round();
	end();
	s = expect(&all_ops, "10 20 5=name 40 50 55 60 ");
	assert_int_equal(s->facts->first_ns, 10);
	assert_int_equal(s->facts->last_ns, 60);
	assert_int_equal(s->facts->nr_samples, 6);
	assert_int_equal(s->facts->events[0]->nr_samples, 6);
	event_source_free(s);
}

static void test_what_is_no_sample_of_ours(void **state)
{
	const struct source_facts *r;
	struct event_source *s;

	(void)state;
	begin();
	add_sample(10);
	add_sample_of(ID_UNKNOWN, 20, sizeof(struct sample_record));
	add_sample_of(ID, 30, offsetof(struct sample_record, raw_size)); /* too short */
	add_sample(40);
	end();
	s = expect(&all_ops, "10 40 ");
	r = s->facts;
	assert_int_equal(r->nr_unknown_ids, 1);
	assert_int_equal(r->nr_samples, 2);
	assert_int_equal(r->damage.nr_skipped_records, 1);
	assert_int_equal(r->damage.nr_skipped_bytes, offsetof(struct sample_record, raw_size));
	assert_non_null(strstr(r->damage.what, "too small"));
	event_source_free(s);
}

static void add_a_name(void)
{
	add_comm(20, 5, "name");
	add_sample(30);
}

static void add_a_thread(void)
{
	add_fork(20, 5, 6);
	add_sample(30);
}

static void test_the_consumer_ends_it(void **state)
{
	static const struct {
		void (*add)(void);
		const char *heard;
	} cases[] = {{add_two_cpus, "10 "}, {add_a_name, "5=name "}, {add_a_thread, "5>6 "}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct consumer c = {.heard = STRBUF_INIT, .ret = -EPIPE};
		struct event_source *s;

		begin();
		cases[i].add();
		end();
		s = open_it();
		assert_int_equal(event_source_read(s, &all_ops, &c, NULL), -EPIPE);
		assert_string_equal(c.heard.buf, cases[i].heard);
		strbuf_deinit(&c.heard);
		event_source_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_come_in_time_with_the_samples),
		cmocka_unit_test(test_who_wants_no_names_gets_none),
		cmocka_unit_test(test_cgroups_come_in_time_with_the_samples),
		cmocka_unit_test(test_maps_come_in_time_with_the_samples),
		cmocka_unit_test(test_our_own_records),
		cmocka_unit_test(test_modules_are_bounded),
		cmocka_unit_test(test_the_kernel_and_its_modules),
		cmocka_unit_test(test_modules_are_facts),
		cmocka_unit_test(test_changes_of_processes_come_in_time_with_the_samples),
		cmocka_unit_test(test_a_name_given_by_exec_is_a_change_of_the_process),
		cmocka_unit_test(test_rounds),
		cmocka_unit_test(test_what_is_no_sample_of_ours),
		cmocka_unit_test(test_the_consumer_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
