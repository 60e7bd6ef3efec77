// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Broken variants of recordings, from reading to the report, many a second.
 *
 *	mutate [-c CUTS] [-b BOUNDARIES] [-n CORRUPTIONS] [-r] [-j JOBS [-t]] [-s SEED]
 *	       [-o DIR] FILE...
 *
 * Each file is cut at CUTS places spread over its length and at BOUNDARIES record boundaries, and
 * one byte before and after those; and one byte of it is overwritten, CORRUPTIONS times, in
 * headers, features, tracing data and records in turn.  -r: keep only the first records of a large
 * file.  -j: threads of the reader (1); -t: check that the report is the same with one thread.  A
 * variant runs in a child: dying, using 5 s of CPU time (60 s of wall time: the machine may be
 * busy) or 1 GiB, or an error message without an offset is a failure; -o keeps the files that
 * failed.  The last line has the counts; status 1: something failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fixture/recording_map.h"
#include "util/base/log.h"
#include "util/report/report.h"
#include "util/report/report_stat.h"

#define SECONDS_MAX  5
#define CLOCK_MAX    60
#define RSS_MAX_KIB  (1024l * 1024)
#define PER_CHILD    64
#define MESSAGES_MAX 64

struct options {
	unsigned int cuts, boundaries, corruptions, jobs;
	bool reduce, twice;
	uint64_t seed;
	const char *keep_dir;
};

/* Results of the children, for the parent. */
struct shared {
	unsigned int at; /* the running variant */
	unsigned int answers, salvaged, refused, no_offset;
	unsigned int died, slow, large, differ;
	char messages[MESSAGES_MAX][256]; /* distinct errors without an offset */
};

static struct shared *shared;

const char *__lsan_default_suppressions(void);

/* libtraceevent 1.7 leaks a few bytes on a format that it rejects; ours are still found. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent";
}

static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Variant number n of the file: its length, and the byte that is changed. */
struct variant {
	size_t len;
	size_t at;
	uint8_t byte;
	bool corrupt;
	char what[64];
};

static struct variant make_variant(const struct options *o, const struct recording_map *map,
				   const struct strbuf *file, unsigned int n)
{
	uint64_t random = o->seed + n * 0x1234567ull;
	struct variant v = {.len = file->len};

	random_next(&random);
	if (n < o->cuts) {
		v.len = (size_t)((uint64_t)file->len * (n + 1) / (o->cuts + 1));
		snprintf(v.what, sizeof(v.what), "cut at %zu", v.len);
		return v;
	}
	n -= o->cuts;
	if (n < 3 * o->boundaries) {
		uint64_t pick = o->seed + n / 3;

		v.len = map->nr_records ? map->records[random_next(&pick) % map->nr_records] : 8;
		v.len = v.len + n % 3 - 1;
		if (v.len > file->len)
			v.len = file->len;
		snprintf(v.what, sizeof(v.what), "cut at record border %zu", v.len);
		return v;
	}
	n -= 3 * o->boundaries;
	v.corrupt = true;
	v.at = recording_map_pick(map, n % RECORDING_REGIONS, random_next(&random));
	v.byte = (uint8_t)file->buf[v.at];
	switch (random_next(&random) % 4) {
	case 0:
		v.byte ^= (uint8_t)(1u << random_next(&random) % 8);
		break;
	case 1:
		v.byte = v.byte ? 0 : 0xff;
		break;
	default:
		v.byte ^= (uint8_t)(1 + random_next(&random) % 255);
	}
	snprintf(v.what, sizeof(v.what), "byte %zu = 0x%02x", v.at, v.byte);
	return v;
}

static void note_no_offset(const char *message)
{
	/* without the file's name and numbers, messages are few */
	const char *what = strstr(message, "': ");

	what = what ? what + 3 : message;
	shared->no_offset++;
	for (int i = 0; i < MESSAGES_MAX; i++) {
		if (!shared->messages[i][0])
			snprintf(shared->messages[i], sizeof(shared->messages[i]), "%.255s", what);
		if (!strncmp(shared->messages[i], what, 40))
			return;
	}
}

static void report(FILE *out, const struct kmem_pipeline *a)
{
	static const struct report_options options = {
		.by[ACCOUNT_slab] = {{.lines = 20}},
		.by[ACCOUNT_page] = {{.lines = 20}},
		.by[ACCOUNT_vmalloc] = {{.lines = 20}},
		.by[ACCOUNT_percpu_mem] = {{.lines = 20}},
		.thousands_sep = "",
	};
	const struct source_damage *d = &a->facts->damage;
	struct error err = ERROR_INIT;

	report_write_stat(out, &form_text, a, &options, &err);
	report_write_stat(out, &form_json, a, &options, &err);
	fprintf(out, "%s: 0x%" PRIx64 " %" PRIu64 " %" PRIu64 " %d\n", d->what, d->first_pos,
		d->nr_skipped_records, d->nr_skipped_bytes, d->truncated);
}

/* Write everything there is to report to out. */
static void analyse(const char *path, unsigned int jobs, FILE *out)
{
	const struct source_options reader = {.force = true, .jobs = jobs};
	/* no account is requested: those that the recording has */
	static const struct kmem_options options = {
		.tables[ACCOUNT_slab] = {.v = {{{KEY_CALLSITE}, 1}}, .nr = 1},
		.tables[ACCOUNT_page] = {.v = {{{KEY_CALLSITE, KEY_ORDER, KEY_MIGRATETYPE, KEY_GFP},
						4}},
					 .nr = 1},
		.tables[ACCOUNT_vmalloc] = {.v = {{{KEY_CALLSITE, KEY_USE}, 2}}, .nr = 1},
		.tables[ACCOUNT_percpu_mem] = {.v = {{{KEY_CALLSITE}, 1}}, .nr = 1},
	};
	struct event_source *source = NULL;
	struct error err = ERROR_INIT;
	struct kmem_pipeline a;
	int ret = event_source_open(path, &reader, &source, &err);

	if (!ret) {
		ret = kmem_pipeline_run(&a, source, &options, &err);
		if (!ret) {
			report(out, &a);
			if (a.facts->damage.what[0])
				shared->salvaged++;
			else
				shared->answers++;
			kmem_pipeline_deinit(&a);
		}
	}
	event_source_free(source);
	if (!ret)
		return;
	fprintf(out, "%s\n", err.msg);
	shared->refused++;
	if (!strstr(err.msg, "0x") && !strstr(err.msg, "offset"))
		note_no_offset(err.msg);
}

/* SIGPROF or SIGALRM ends what takes longer; 0 removes the limit. */
static void limit_time(unsigned int seconds, unsigned int by_the_clock)
{
	struct itimerval cpu = {.it_value.tv_sec = seconds};

	setitimer(ITIMER_PROF, &cpu, NULL);
	alarm(by_the_clock);
}

static char *analyse_to_memory(const char *path, unsigned int jobs)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		abort();
	analyse(path, jobs, out);
	if (fclose(out))
		abort();
	return text;
}

static void analyse_twice(const char *path, unsigned int jobs, const struct variant *v)
{
	const struct shared before = *shared;
	char *one = analyse_to_memory(path, 1), *many;

	/* only variants are counted */
	shared->answers = before.answers;
	shared->salvaged = before.salvaged;
	shared->refused = before.refused;
	shared->no_offset = before.no_offset;
	many = analyse_to_memory(path, jobs);
	if (strcmp(one, many)) {
		printf("%s: another report with %u threads\n", v->what, jobs);
		shared->differ++;
	}
	free(one);
	free(many);
}

static void analyse_once(const char *path, unsigned int jobs)
{
	FILE *out = fopen("/dev/null", "we");

	if (!out)
		abort();
	analyse(path, jobs, out);
	fclose(out);
}

/* The variant as a file: the recording is written once, then one byte is changed and restored. */
static void run_variant(int fd, const struct strbuf *file, const struct variant *v,
			const struct options *o)
{
	char path[64];

	if (ftruncate(fd, (off_t)v->len) ||
	    (v->corrupt && pwrite(fd, &v->byte, 1, (off_t)v->at) != 1))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	limit_time(SECONDS_MAX, CLOCK_MAX);
	if (o->twice)
		analyse_twice(path, o->jobs, v);
	else
		analyse_once(path, o->jobs);
	limit_time(0, 0);
	if (v->corrupt && pwrite(fd, file->buf + v->at, 1, (off_t)v->at) != 1)
		abort();
	if (v->len < file->len && pwrite(fd, file->buf + v->len, file->len - v->len,
					 (off_t)v->len) != (ssize_t)(file->len - v->len))
		abort();
}

static int make_file(const struct strbuf *file)
{
	int fd = memfd_create("variant", MFD_CLOEXEC);
	size_t at = 0;

	while (fd >= 0 && at < file->len) {
		ssize_t n = write(fd, file->buf + at, file->len - at);

		if (n <= 0)
			abort();
		at += (size_t)n;
	}
	return fd;
}

static void keep(const struct options *o, const char *name, const struct strbuf *file,
		 const struct variant *v, unsigned int n)
{
	char path[PATH_MAX];
	const char *base = strrchr(name, '/');
	FILE *f;

	if (!o->keep_dir)
		return;
	snprintf(path, sizeof(path), "%s/%s-%u", o->keep_dir, base ? base + 1 : name, n);
	f = fopen(path, "we");
	if (!f)
		return;
	fwrite(file->buf, 1, v->len, f);
	if (v->corrupt && !fseek(f, (long)v->at, SEEK_SET))
		fputc(v->byte, f);
	fclose(f);
}

static void run_all(const struct options *o, const char *name, const struct strbuf *file)
{
	unsigned int nr = o->cuts + 3 * o->boundaries + o->corruptions;
	struct recording_map map;

	recording_map_init(&map, file);
	for (unsigned int n = 0; n < nr;) {
		unsigned int end = n + PER_CHILD < nr ? n + PER_CHILD : nr;
		struct rusage usage;
		pid_t pid;
		int status;

		fflush(NULL);
		pid = fork();
		if (pid < 0)
			abort();
		if (!pid) {
			int fd = make_file(file);

			for (; n < end; n++) {
				struct variant v = make_variant(o, &map, file, n);

				shared->at = n;
				run_variant(fd, file, &v, o);
			}
			exit(0); /* not _exit(): leaks and coverage are reported at exit */
		}
		if (wait4(pid, &status, 0, &usage) != pid)
			abort();
		if (usage.ru_maxrss > RSS_MAX_KIB) {
			printf("%s: variants %u to %u took %ld MiB\n", name, n, end,
			       usage.ru_maxrss / 1024);
			shared->large++;
		}
		n = end;
		if (!WIFEXITED(status) || WEXITSTATUS(status)) {
			struct variant v = make_variant(o, &map, file, shared->at);
			bool slow = WIFSIGNALED(status) &&
				    (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM);

			printf("%s: variant %u (%s): %s\n", name, shared->at, v.what,
			       slow ? "took more than 5 s" : "died");
			shared->slow += slow;
			shared->died += !slow;
			keep(o, name, file, &v, shared->at);
			n = shared->at + 1;
		}
	}
	recording_map_deinit(&map);
}

static unsigned int number(const char *s)
{
	return (unsigned int)strtoul(s, NULL, 0);
}

int main(int argc, char **argv)
{
	struct options o = {.cuts = 20, .boundaries = 5, .corruptions = 100, .jobs = 1, .seed = 1};
	unsigned int files = 0, variants;
	int c;

	while ((c = getopt(argc, argv, "c:b:n:rj:ts:o:")) != -1) {
		switch (c) {
		case 'c':
			o.cuts = number(optarg);
			break;
		case 'b':
			o.boundaries = number(optarg);
			break;
		case 'n':
			o.corruptions = number(optarg);
			break;
		case 'r':
			o.reduce = true;
			break;
		case 'j':
			o.jobs = number(optarg);
			break;
		case 't':
			o.twice = true;
			break;
		case 's':
			o.seed = number(optarg);
			break;
		case 'o':
			o.keep_dir = optarg;
			break;
		default:
			return 2;
		}
	}
	log_set_level(LOG_QUIET);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		return 2;
	for (; optind < argc; optind++, files++) {
		struct strbuf file = STRBUF_INIT;
		int ret = strbuf_read_file(&file, argv[optind]);

		if (ret) {
			fprintf(stderr, "mutate: %s: %s\n", argv[optind], strerror(-ret));
			return 2;
		}
		if (o.reduce)
			recording_reduce(&file);
		run_all(&o, argv[optind], &file);
		strbuf_deinit(&file);
	}
	for (int i = 0; i < MESSAGES_MAX && shared->messages[i][0]; i++)
		printf("an error without an offset: %s\n", shared->messages[i]);
	variants = files * (o.cuts + 3 * o.boundaries + o.corruptions);
	printf("%u variants of %u files (%u cuts, %u cuts at borders, %u corruptions): %u answers, "
	       "%u "
	       "salvaged, %u refused (%u without an offset), %u died, %u over %d s, %u over 1 "
	       "GiB, %u not the same with more threads\n",
	       variants, files, files * o.cuts, files * 3 * o.boundaries, files * o.corruptions,
	       shared->answers, shared->salvaged, shared->refused, shared->no_offset, shared->died,
	       shared->slow, SECONDS_MAX, shared->large, shared->differ);
	return shared->no_offset || shared->died || shared->slow || shared->large || shared->differ;
}
