/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct top_screen: the view on a terminal (ncurses), on its own thread.
 *
 * The thread draws each frame from the mailbox, reads keys, and follows the terminal's size. A
 * terminal that accepts no output blocks only this thread.
 */
#ifndef TOP_SCREEN_H
#define TOP_SCREEN_H

#include <stdbool.h>
#include <stdio.h>

#include "util/base/error.h"
#include "util/top/mailbox.h"
#include "util/top/view.h"

struct top_screen;

/* Whether ncurses is built in. */
bool top_screen_exists(void);

/*
 * Take over the terminal of `in` and `out`. The view and the mailbox must outlive the screen, and
 * must not be used until it is closed. Errors: -ENOTTY if TERM is unknown; -ENOMEM.
 */
int top_screen_open(struct top_screen **ret_screen, FILE *in, FILE *out, struct top_view *view,
		    struct top_mailbox *mailbox, struct error *err);

/* Restore the terminal. May be called with NULL. */
void top_screen_close(struct top_screen *s);

#endif
