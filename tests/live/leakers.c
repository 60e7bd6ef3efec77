// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes that leak, fill a cache, or only use the kernel's memory, for tests/live/leaks.
 *
 *	leakers MS COUNT
 *
 * Each runs for MS milliseconds under a name of its own; those that keep something do it COUNT
 * times, evenly over the time, and hold it until standard input ends:
 *
 *	leak-socket, leak-pipe, leak-key  keep one more each time
 *	fill-eventfd                      keeps COUNT of them at the start, and no more
 *	close-timerfd                     closes what it opens, COUNT times; it is freed
 *					  after a grace period
 *	busy                              opens, uses and closes sockets, pipes and files
 *					  all the time
 *
 * The command ends when all have run.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static void sleep_until(int64_t ns)
{
	struct timespec t = {ns / 1000000000, ns % 1000000000};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static int leak_socket(int i)
{
	(void)i;
	/* cppcheck-suppress leakReturnValNotUsed ; leaking is what it is for */
	return socket(AF_UNIX, SOCK_STREAM, 0) < 0;
}

static int leak_pipe(int i)
{
	int fds[2];

	(void)i;
	return pipe(fds);
}

/* KEY_SPEC_PROCESS_KEYRING */
static int leak_key(int i)
{
	char name[32];

	snprintf(name, sizeof(name), "leak-key-%d", i);
	return syscall(SYS_add_key, "user", name, "0123456789", 10, -2) < 0;
}

static int close_timerfd(int i)
{
	(void)i;
	return close(timerfd_create(CLOCK_MONOTONIC, 0));
}

static int fill_eventfd(int i)
{
	(void)i;
	return eventfd(0, 0) < 0;
}

static int use(int i)
{
	int pair[2], fds[2], file;
	char buf[64];

	(void)i;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || pipe(fds))
		return 1;
	file = open("/proc/self/status", O_RDONLY);
	if (write(fds[1], buf, sizeof(buf)) < 0 || write(pair[0], buf, sizeof(buf)) < 0 ||
	    read(file, buf, sizeof(buf)) < 0)
		return 1;
	return close(pair[0]) | close(pair[1]) | close(fds[0]) | close(fds[1]) | close(file);
}

static const struct kind {
	const char *name;
	int (*act)(int i);
	int at_once; /* everything at the start */
	int often;   /* this many times as often */
} kinds[] = {
	{"leak-socket", leak_socket, 0, 1},	{"leak-pipe", leak_pipe, 0, 1},
	{"leak-key", leak_key, 0, 1},		{"fill-eventfd", fill_eventfd, 1, 1},
	{"close-timerfd", close_timerfd, 0, 1}, {"busy", use, 0, 20},
};

static int run(const struct kind *k, int64_t start_ns, int64_t ns, int count)
{
	count *= k->often;
	for (int i = 0; i < count; i++) {
		/* on a busy machine this would take longer than the leaks, which then look flat */
		if (k->often > 1 && now_ns() - start_ns >= ns)
			break;
		if (k->act(i)) {
			fprintf(stderr, "%s: %s\n", k->name, strerror(errno));
			return 1;
		}
		if (!k->at_once)
			sleep_until(start_ns + ns * (i + 1) / count);
	}
	sleep_until(start_ns + ns);
	return 0;
}

int main(int argc, char **argv)
{
	const struct rlimit files = {8192, 8192};
	int64_t ns = argc == 3 ? atoll(argv[1]) * 1000000 : 0, start_ns = now_ns();
	int count = argc == 3 ? atoi(argv[2]) : 0, done[2], failed = 0;
	char c;

	if (!ns || !count || pipe(done))
		return 2;
	setrlimit(RLIMIT_NOFILE, &files);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (fork())
			continue;
		prctl(PR_SET_NAME, kinds[i].name);
		c = (char)run(&kinds[i], start_ns, ns, count);
		if (write(done[1], &c, 1) != 1)
			_exit(1);
		while (read(STDIN_FILENO, &c, 1) > 0)
			;
		_exit(0);
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (read(done[0], &c, 1) != 1)
			return 1;
		failed |= c;
	}
	return failed;
}
