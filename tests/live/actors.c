// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes with known names that use the kernel's memory in a known way, for tests/live/questions.
 *
 *	actors JOURNAL NAME:CPU:KEPT:PASSING:MS...
 *
 * Each actor pins itself to its CPU (-1: to none), takes its NAME (%XX is a byte), opens KEPT
 * pipes that it keeps and then PASSING pipes that it closes after MS milliseconds; a byte is
 * written to each pipe that is kept.  The command ends WAIT_MS after all have done that; the
 * actors hold what they keep until standard input ends.  JOURNAL gets the times, a line each:
 *
 *	kept ACTOR OPENED_NS | passing ACTOR LIVED_NS | end NS
 *
 * by the monotonic clock.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS	  400
#define PIPES_MAX 512

struct actor {
	char name[16];
	int cpu, kept, passing, ms;
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void sleep_ms(int ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000l};

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

static int parse_actor(const char *text, struct actor *a)
{
	const char *colon = strchr(text, ':');
	size_t n = 0;

	*a = (struct actor){.cpu = -1};
	for (; colon && text < colon && n + 1 < sizeof(a->name); n++) {
		unsigned int byte;

		if (*text == '%' && sscanf(text + 1, "%2x", &byte) == 1) {
			a->name[n] = (char)byte;
			text += 3;
		} else {
			a->name[n] = *text++;
		}
	}
	return colon &&
			       sscanf(colon, ":%d:%d:%d:%d", &a->cpu, &a->kept, &a->passing,
				      &a->ms) == 4 &&
			       a->kept <= PIPES_MAX && a->passing <= PIPES_MAX
		       ? 0
		       : -1;
}

static int take_part(const struct actor *a, int number, FILE *journal)
{
	static int kept[PIPES_MAX][2], passing[PIPES_MAX][2];
	static int64_t opened[PIPES_MAX], passed[PIPES_MAX];
	cpu_set_t set;

	CPU_ZERO(&set);
	if (a->cpu >= 0) {
		CPU_SET((size_t)a->cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			return -1;
	}
	if (prctl(PR_SET_NAME, a->name))
		return -1;
	for (int i = 0; i < a->kept; i++) {
		opened[i] = now_ns();
		if (pipe(kept[i]) || write(kept[i][1], "", 1) != 1)
			return -1;
	}
	for (int i = 0; i < a->passing; i++) {
		passed[i] = now_ns();
		if (pipe(passing[i]))
			return -1;
	}
	sleep_ms(a->ms);
	for (int i = 0; i < a->passing; i++) {
		close(passing[i][0]);
		close(passing[i][1]);
		passed[i] = now_ns() - passed[i];
	}
	for (int i = 0; i < a->kept; i++)
		fprintf(journal, "kept %d %lld\n", number, (long long)opened[i]);
	for (int i = 0; i < a->passing; i++)
		fprintf(journal, "passing %d %lld\n", number, (long long)passed[i]);
	return fflush(journal) ? -1 : 0;
}

int main(int argc, char **argv)
{
	const struct rlimit files = {8192, 8192};
	FILE *journal = argc > 2 ? fopen(argv[1], "ae") : NULL;
	/* not a pipe: those are being counted */
	int done = eventfd(0, EFD_SEMAPHORE);
	eventfd_t one;
	char c;

	if (!journal || done < 0)
		return 2;
	setrlimit(RLIMIT_NOFILE, &files);
	for (int i = 2; i < argc; i++) {
		struct actor a;
		if (parse_actor(argv[i], &a))
			return 2;
		if (fork())
			continue;
		if (take_part(&a, i - 2, journal) || eventfd_write(done, 1)) {
			kill(getppid(), SIGTERM);
			_exit(1);
		}
		while (read(STDIN_FILENO, &c, 1) > 0)
			;
		_exit(0);
	}
	for (int i = 2; i < argc; i++)
		if (eventfd_read(done, &one))
			return 1;
	sleep_ms(WAIT_MS);
	fprintf(journal, "end %lld\n", (long long)now_ns());
	return fclose(journal) ? 1 : 0;
}
