// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/record/ending.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "util/base/clock.h"

/* A command that survives a signal gets SIGTERM after the first, and keeps running after the
 * second. */
#define REAP_MS	     500
#define REAP_TERM_MS 3000

static bool is_ignored(int sig)
{
	struct sigaction action;

	return !sigaction(sig, NULL, &action) && action.sa_handler == SIG_IGN;
}

/*
 * The signals that end a recording, except those that our parent ignored (nohup). A shell without
 * job control starts background commands with both SIGINT and SIGQUIT ignored: then SIGINT is sent
 * to us explicitly (kill -INT $!), and ends the recording, as in stock.
 */
static void add_ending_signals(sigset_t *set)
{
	if (!is_ignored(SIGINT) || is_ignored(SIGQUIT))
		sigaddset(set, SIGINT);
	if (!is_ignored(SIGTERM))
		sigaddset(set, SIGTERM);
	if (!is_ignored(SIGHUP))
		sigaddset(set, SIGHUP);
}

int ending_init(struct ending *e, struct error *err)
{
	sigset_t set;

	*e = (struct ending){.workload = {.go_fd = -1, .result_fd = -1}};
	sigemptyset(&set);
	add_ending_signals(&set);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGCHLD);
	e->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (e->signal_fd < 0)
		return error_set_errno(err, errno, "cannot take signals");
	/* A file at its size limit (ulimit -f) is a write error like any other. */
	sigaddset(&set, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &set, &e->old_mask);
	return 0;
}

static void give_signals_back(struct ending *e)
{
	const struct timespec none = {0};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	sigtimedwait(&set, NULL, &none);
	sigprocmask(SIG_SETMASK, &e->old_mask, NULL);
}

void ending_deinit(struct ending *e)
{
	workload_deinit(&e->workload);
	if (e->signal_fd >= 0) {
		close(e->signal_fd);
		give_signals_back(e);
	}
	e->signal_fd = -1;
}

int ending_fork(struct ending *e, char *const *command, int stdout_fd, struct error *err)
{
	e->has_command = true;
	return workload_fork(&e->workload, command, &e->old_mask, stdout_fd, err);
}

bool ending_look(struct ending *e)
{
	struct signalfd_siginfo si;

	while (read(e->signal_fd, &si, sizeof(si)) == sizeof(si))
		if (si.ssi_signo == SIGUSR2)
			e->triggered = true;
		else if (si.ssi_signo != SIGCHLD) {
			e->signal = (int)si.ssi_signo;
			/* a signal from the terminal reached the command, too */
			e->signal_is_shared = si.ssi_code == SI_KERNEL;
		}
	return e->signal || (e->has_command && workload_ended(&e->workload));
}

/* Wait for the command to end, at most this number of milliseconds (-1: no limit). Returns whether
 * it did. */
static bool wait_for_command(struct ending *e, int ms)
{
	struct pollfd fd = {.fd = e->signal_fd, .events = POLLIN};
	uint64_t end = now_ns() + (uint64_t)ms * 1000000;

	while (!workload_ended(&e->workload)) {
		uint64_t now = now_ns();

		if (ms >= 0 && now >= end)
			return false;
		poll(&fd, 1, ms < 0 ? -1 : (int)((end - now) / 1000000) + 1);
		if (ending_look(e) && e->signal)
			return workload_ended(&e->workload);
	}
	return true;
}

bool ending_reap(struct ending *e)
{
	int sig = e->signal;

	/* The recording ended before the command: wait for it, until a signal comes. */
	if (!sig && wait_for_command(e, -1))
		return true;
	sig = e->signal;
	/* It may need time to finish; but, as with stock, one signal is enough. */
	if (!e->signal_is_shared && e->workload.pid)
		kill(e->workload.pid, sig);
	e->signal = 0;
	if (wait_for_command(e, REAP_MS))
		goto ended;
	if (e->workload.pid)
		kill(e->workload.pid, SIGTERM);
	e->signal = 0;
	if (!wait_for_command(e, REAP_TERM_MS)) {
		e->workload.status = 128 + sig;
		e->signal = sig;
		return false;
	}
ended:
	e->signal = sig;
	return true;
}
