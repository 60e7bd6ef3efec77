// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/top/screen.h"

#include <errno.h>

#ifdef HAVE_NCURSESW

#define NCURSES_WIDECHAR	 1
#define NCURSES_NOMACROS	 1
#define NCURSES_ENABLE_STDBOOL_H 1
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/base/thread.h"
#include "util/top/cells.h"
#include "util/top/draw.h"

/* Interval for checking the terminal's size while nothing else happens. */
#define LOOK_MS 200

struct top_screen {
	struct top_view *view;
	struct top_mailbox *mailbox;
	SCREEN *terminal;
	pthread_t thread;
	bool is_running;
	int in_fd, out_fd;
	bool utf8, colours;
	bool is_closed; /* no more frames */
	int quit_fd[2]; /* one byte: close */
	attr_t styles[CELL_STYLES];
};

enum {
	PAIR_TITLE = 1,
	PAIR_HEADING,
	PAIR_SORTED,
	PAIR_SELECTED,
	PAIR_WARNING,
	PAIR_ALARM,
	PAIR_CAUTION
};

/* Without colour, brightness and reverse video show the same distinctions. */
static void choose_styles(struct top_screen *s)
{
	const char *no_color = getenv("NO_COLOR");

	s->styles[CELL_TITLE] = A_BOLD;
	s->styles[CELL_HEADING] = A_REVERSE;
	s->styles[CELL_SORTED] = A_REVERSE | A_BOLD;
	s->styles[CELL_SELECTED] = A_REVERSE;
	s->styles[CELL_DIM] = A_DIM;
	s->styles[CELL_WARNING] = A_BOLD | A_REVERSE;
	s->styles[CELL_ALARM] = s->styles[CELL_CAUTION] = A_BOLD;
	s->colours = has_colors() && !(no_color && *no_color);
	if (!s->colours || start_color() == ERR || use_default_colors() == ERR)
		return;
	init_pair(PAIR_TITLE, COLOR_CYAN, -1);
	init_pair(PAIR_HEADING, COLOR_BLACK, COLOR_GREEN);
	init_pair(PAIR_SORTED, COLOR_BLACK, COLOR_CYAN);
	init_pair(PAIR_SELECTED, COLOR_BLACK, COLOR_CYAN);
	init_pair(PAIR_WARNING, COLOR_WHITE, COLOR_RED);
	init_pair(PAIR_ALARM, COLOR_RED, -1);
	init_pair(PAIR_CAUTION, COLOR_YELLOW, -1);
	s->styles[CELL_TITLE] = COLOR_PAIR(PAIR_TITLE) | A_BOLD;
	s->styles[CELL_HEADING] = COLOR_PAIR(PAIR_HEADING);
	s->styles[CELL_SORTED] = COLOR_PAIR(PAIR_SORTED);
	s->styles[CELL_SELECTED] = COLOR_PAIR(PAIR_SELECTED);
	s->styles[CELL_WARNING] = COLOR_PAIR(PAIR_WARNING) | A_BOLD;
	s->styles[CELL_ALARM] = COLOR_PAIR(PAIR_ALARM) | A_BOLD;
	s->styles[CELL_CAUTION] = COLOR_PAIR(PAIR_CAUTION);
}

static void put_cell(const struct top_screen *s, int line, int column, const struct cell *cell)
{
	wchar_t text[2] = {L'?', L'\0'};
	mbstate_t state;
	cchar_t c;

	memset(&state, 0, sizeof(state));
	if (mbrtowc(text, cell->text, strlen(cell->text), &state) > sizeof(cell->text) ||
	    setcchar(&c, text, s->styles[cell->style] & ~A_COLOR,
		     (short)PAIR_NUMBER(s->styles[cell->style]), NULL) == ERR)
		return;
	mvadd_wch(line, column, &c);
}

static void draw(struct top_screen *s)
{
	const struct draw_options o = {.utf8 = s->utf8, .is_ended = s->is_closed};
	struct cells cells;

	if (LINES < 1 || COLS < 1 || cells_init(&cells, LINES, COLS))
		return;
	top_draw(&cells, s->view, &o);
	for (int line = 0; line < cells.lines; line++)
		for (int column = 0; column < cells.columns; column++)
			put_cell(s, line, column, cells_at(&cells, line, column));
	cells_deinit(&cells);
	refresh();
}

static uint32_t translate(wint_t c)
{
	switch (c) {
	case KEY_UP:
		return TOP_KEY_UP;
	case KEY_DOWN:
		return TOP_KEY_DOWN;
	case KEY_LEFT:
		return TOP_KEY_LEFT;
	case KEY_RIGHT:
		return TOP_KEY_RIGHT;
	case KEY_PPAGE:
		return TOP_KEY_PAGE_UP;
	case KEY_NPAGE:
		return TOP_KEY_PAGE_DOWN;
	case KEY_HOME:
		return TOP_KEY_HOME;
	case KEY_END:
		return TOP_KEY_END;
	case KEY_ENTER:
		return TOP_KEY_ENTER;
	case KEY_BACKSPACE:
		return TOP_KEY_BACKSPACE;
	case KEY_RESIZE:
		return TOP_KEY_RESIZE;
	default:
		return TOP_KEY_NONE;
	}
}

static unsigned int take_mouse_event(struct top_view *v, const MEVENT *event)
{
	if (event->bstate & BUTTON4_PRESSED)
		return top_view_key(v, TOP_KEY_WHEEL_UP);
	if (event->bstate & BUTTON5_PRESSED)
		return top_view_key(v, TOP_KEY_WHEEL_DOWN);
	return event->bstate & BUTTON1_PRESSED ? top_view_click(v, event->y, event->x) : 0;
}

/* One KEY_MOUSE stands for all events that had arrived; getmouse() returns the newest first. */
static unsigned int take_mouse(struct top_view *v)
{
	MEVENT events[8]; /* ncurses keeps no more */
	unsigned int change = 0;
	size_t nr = 0;

	while (nr < sizeof(events) / sizeof(events[0]) && getmouse(&events[nr]) == OK)
		nr++;
	while (nr)
		change |= take_mouse_event(v, &events[--nr]);
	return change;
}

/* Returns false if the user quits. */
static bool take_keys(struct top_screen *s, bool *ret_changed)
{
	unsigned int change = 0;
	wint_t c;

	for (;;) {
		int kind = get_wch(&c);
		uint32_t key;

		if (kind == ERR)
			break;
		if (kind == KEY_CODE_YES && c == KEY_MOUSE) {
			change |= take_mouse(s->view);
			continue;
		}
		key = kind == KEY_CODE_YES ? translate(c)
		      : c == 8		   ? (uint32_t)TOP_KEY_BACKSPACE
					   : (uint32_t)c;
		if (key == 'L' - '@') { /* Ctrl-L: redraw everything, as in other programs */
			clearok(curscr, TRUE);
			change |= TOP_DRAW;
		}
		change |= top_view_key(s->view, key);
		top_mailbox_pause(s->mailbox, s->view->paused);
		if (change & TOP_QUIT)
			return false;
	}
	if (change & TOP_ASK)
		top_mailbox_ask(s->mailbox, &s->view->request);
	*ret_changed |= change != 0;
	return true;
}

static bool follow_size(const struct top_screen *s)
{
	struct winsize size;

	if (ioctl(s->out_fd, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col ||
	    (size.ws_row == LINES && size.ws_col == COLS))
		return false;
	resizeterm(size.ws_row, size.ws_col);
	clearok(curscr, TRUE);
	return true;
}

static void *run(void *arg)
{
	struct top_screen *s = arg;
	struct pollfd fds[] = {{.fd = s->in_fd, .events = POLLIN},
			       {.fd = s->mailbox->frame_fd, .events = POLLIN},
			       {.fd = s->quit_fd[0], .events = POLLIN}};

	draw(s);
	for (;;) {
		bool changed = false;
		struct top_frame *frame;

		if (poll(fds, 3, LOOK_MS) < 0 && errno != EINTR)
			break;
		if (fds[2].revents)
			break;
		if (fds[0].revents && !take_keys(s, &changed))
			break;
		/* the terminal is gone */
		if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
			break;
		frame = fds[1].revents ? top_mailbox_take(s->mailbox, &s->is_closed) : NULL;
		if (frame)
			top_view_take(s->view, frame);
		if (follow_size(s) | changed | (fds[1].revents != 0))
			draw(s);
	}
	top_mailbox_quit(s->mailbox);
	return NULL;
}

bool top_screen_exists(void)
{
	return true;
}

static int start(struct top_screen *s, FILE *in, FILE *out, struct error *err)
{
	if (pipe(s->quit_fd))
		return error_set_errno(err, errno, "cannot make a pipe");
	s->terminal = newterm(NULL, out, in);
	if (!s->terminal)
		return error_set(err, ENOTTY, "the terminal '%s' is not known here (TERM)",
				 getenv("TERM") ? getenv("TERM") : "");
	set_term(s->terminal);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	/* The release is asked for, too: after an event that is not, get_wch() blocks until the
	 * next key. */
	mousemask(BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	mouseinterval(0); /* do not wait for a second click */
	curs_set(0);
	choose_styles(s);
	if (thread_start(&s->thread, run, s))
		return error_set(err, EAGAIN, "cannot start a thread");
	s->is_running = true;
	return 0;
}

int top_screen_open(struct top_screen **ret_screen, FILE *in, FILE *out, struct top_view *view,
		    struct top_mailbox *mailbox, struct error *err)
{
	struct top_screen *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return error_nomem(err);
	s->view = view;
	s->mailbox = mailbox;
	s->quit_fd[0] = s->quit_fd[1] = -1;
	s->in_fd = fileno(in);
	s->out_fd = fileno(out);
	setlocale(LC_CTYPE, "");
	s->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	ret = start(s, in, out, err);
	if (ret)
		top_screen_close(s);
	else
		*ret_screen = s;
	return ret;
}

void top_screen_close(struct top_screen *s)
{
	if (!s)
		return;
	if (s->is_running) {
		ssize_t n = write(s->quit_fd[1], "q", 1);

		(void)n;
		pthread_join(s->thread, NULL);
	}
	if (s->terminal) {
		endwin();
		delscreen(s->terminal);
	}
	close(s->quit_fd[0]);
	close(s->quit_fd[1]);
	free(s);
}

#else

bool top_screen_exists(void)
{
	return false;
}

int top_screen_open(struct top_screen **ret_screen, FILE *in, FILE *out, struct top_view *view,
		    struct top_mailbox *mailbox, struct error *err)
{
	(void)ret_screen, (void)in, (void)out, (void)view, (void)mailbox;
	return error_set(err, ENOTSUP, "this perf was built without ncurses");
}

void top_screen_close(struct top_screen *s)
{
	(void)s;
}

#endif
