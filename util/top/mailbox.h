/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct top_mailbox: between the thread that reads events and the one that draws.
 *
 * Frames go one way, requests the other.  Neither side ever waits for the other: a frame that was
 * not taken is replaced by the next, and both sides have a descriptor that becomes readable when
 * there is something for them.
 */
#ifndef TOP_MAILBOX_H
#define TOP_MAILBOX_H

#include <pthread.h>
#include <stdbool.h>

#include "util/top/frame.h"

struct top_mailbox {
	pthread_mutex_t lock;
	int frame_fd;		    /* readable: there is a frame, or nothing more will come */
	int wake_fd;		    /* readable: there is a request */
	struct top_frame *frame;    /* not yet taken; NULL: none */
	struct top_request request; /* the latest */
	bool is_asked;		    /* it has not been answered */
	bool is_paused, has_quit;
	bool is_closed; /* nothing more will come */
};

/* Errors: -errno; deinit is not needed then. */
int top_mailbox_init(struct top_mailbox *m, const struct top_request *request);
void top_mailbox_deinit(struct top_mailbox *m);

/* ---- on the reading side ---- */

/* The frame is the mailbox's from now on. */
void top_mailbox_put(struct top_mailbox *m, struct top_frame *frame);
void top_mailbox_close(struct top_mailbox *m);

enum top_wish { TOP_GO_ON, TOP_ANSWER, TOP_STOP };

/* What is wanted now; *ret_request is a copy of the request, which the caller deinits. */
enum top_wish top_mailbox_look(struct top_mailbox *m, struct top_request *ret_request,
			       bool *ret_paused);

/* ---- on the drawing side ---- */

/* The latest frame, which is the caller's now; NULL: no new one. */
struct top_frame *top_mailbox_take(struct top_mailbox *m, bool *ret_closed);
void top_mailbox_ask(struct top_mailbox *m, const struct top_request *request);
void top_mailbox_pause(struct top_mailbox *m, bool paused);
void top_mailbox_quit(struct top_mailbox *m);

#endif
