/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct top_mailbox: passes frames from the reading thread to the drawing thread, and requests
 * back.
 *
 * Neither thread waits for the other. A frame that was not taken is replaced by the next. Each side
 * has a descriptor that becomes readable when there is a message for it.
 */
#ifndef TOP_MAILBOX_H
#define TOP_MAILBOX_H

#include <pthread.h>
#include <stdbool.h>

#include "util/top/frame.h"

struct top_mailbox {
	pthread_mutex_t lock;
	int frame_fd;		    /* readable: there is a frame, or no more will follow */
	int wake_fd;		    /* readable: there is a request */
	struct top_frame *frame;    /* not taken yet; may be NULL */
	struct top_request request; /* the latest request */
	bool is_asked;		    /* the request has not been answered */
	bool is_paused, has_quit;
	bool is_closed; /* no more frames will follow */
};

/* Errors: -errno; deinit is not needed then. */
int top_mailbox_init(struct top_mailbox *m, const struct top_request *request);
void top_mailbox_deinit(struct top_mailbox *m);

/* ---- on the reading side ---- */

/* The mailbox takes over the frame. */
void top_mailbox_put(struct top_mailbox *m, struct top_frame *frame);
void top_mailbox_close(struct top_mailbox *m);

enum top_action { TOP_GO_ON, TOP_ANSWER, TOP_STOP };

/* The current request; *ret_request is a copy, which the caller deinits. */
enum top_action top_mailbox_look(struct top_mailbox *m, struct top_request *ret_request,
				 bool *ret_paused);

/* ---- on the drawing side ---- */

/* The latest frame, which the caller takes over. NULL if there is no new one. */
struct top_frame *top_mailbox_take(struct top_mailbox *m, bool *ret_closed);
void top_mailbox_ask(struct top_mailbox *m, const struct top_request *request);
void top_mailbox_pause(struct top_mailbox *m, bool paused);
void top_mailbox_quit(struct top_mailbox *m);

#endif
