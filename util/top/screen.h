/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct top_screen: the view on a terminal (ncurses), on a thread of its own.
 *
 * It draws each frame that comes through the mailbox, reads keys, and follows the terminal's size.
 * A terminal that takes no output stops this thread, and nothing else.
 */
#ifndef TOP_SCREEN_H
#define TOP_SCREEN_H

#include <stdbool.h>
#include <stdio.h>

#include "util/base/error.h"
#include "util/top/mailbox.h"
#include "util/top/view.h"

struct top_screen;

/* Is it built with ncurses? */
bool top_screen_exists(void);

/*
 * Take over the terminal of `in` and `out`. The view and the mailbox must outlive the screen,
 * and belong to it until it is closed. Errors: the terminal is unknown (TERM), memory.
 */
int top_screen_open(struct top_screen **ret_screen, FILE *in, FILE *out, struct top_view *view,
		    struct top_mailbox *mailbox, struct error *err);

/* Give the terminal back. NULL: nothing to do. */
void top_screen_close(struct top_screen *s);

#endif
