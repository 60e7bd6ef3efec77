/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct ending: external events that end a recording: a signal, or the end of its command.
 *
 * From _init to _deinit the signals (SIGINT, SIGTERM, SIGHUP, and those with another meaning for a
 * recorder: SIGUSR2, SIGCHLD, SIGXFSZ) are blocked and come through signal_fd. The command gets the
 * original mask.
 */
#ifndef RECORD_ENDING_H
#define RECORD_ENDING_H

#include <signal.h>

#include "util/record/workload.h"

struct ending {
	struct workload workload;
	bool has_command;
	int signal_fd;	/* to poll; if readable, call ending_look() */
	int signal;	/* the signal that ended it; 0 if none */
	bool triggered; /* set by SIGUSR2; the owner clears it */
	bool signal_is_shared;
	sigset_t old_mask;
};

/* _deinit is needed even if this fails. */
int ending_init(struct ending *e, struct error *err);
void ending_deinit(struct ending *e);

/* Fork the command, which waits for ending_start(). stdout_fd: its standard output; -1: ours. */
int ending_fork(struct ending *e, char *const *command, int stdout_fd, struct error *err);

/* Handle the signals that have come. Returns true if the recording must end. */
bool ending_look(struct ending *e);

/*
 * Wait for the command to end. The signal that ended the recording, or one that comes now, is
 * passed on to it; if it ignores that, SIGTERM follows. Returns false if it survived that, too, and
 * is still running.
 */
bool ending_reap(struct ending *e);

#endif
