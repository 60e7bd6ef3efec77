// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/top/mailbox.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

int top_mailbox_init(struct top_mailbox *m, const struct top_request *request)
{
	*m = (struct top_mailbox){.frame_fd = -1};
	m->frame_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	m->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (m->frame_fd < 0 || m->wake_fd < 0 || pthread_mutex_init(&m->lock, NULL)) {
		int ret = -errno;

		close(m->frame_fd);
		close(m->wake_fd);
		return ret;
	}
	if (top_request_copy(&m->request, request)) {
		top_mailbox_deinit(m);
		return -ENOMEM;
	}
	return 0;
}

void top_mailbox_deinit(struct top_mailbox *m)
{
	top_frame_free(m->frame);
	top_request_deinit(&m->request);
	pthread_mutex_destroy(&m->lock);
	close(m->frame_fd);
	close(m->wake_fd);
}

/* It cannot fail: the counter is far from its limit. */
static void signal_fd(int fd)
{
	ssize_t n = write(fd, &(uint64_t){1}, sizeof(uint64_t));

	(void)n;
}

static void clear_fd(int fd)
{
	uint64_t nr;
	ssize_t n = read(fd, &nr, sizeof(nr));

	(void)n;
}

void top_mailbox_put(struct top_mailbox *m, struct top_frame *frame)
{
	struct top_frame *old;

	pthread_mutex_lock(&m->lock);
	old = m->frame;
	m->frame = frame;
	signal_fd(m->frame_fd);
	pthread_mutex_unlock(&m->lock);
	top_frame_free(old);
}

void top_mailbox_close(struct top_mailbox *m)
{
	pthread_mutex_lock(&m->lock);
	m->is_closed = true;
	signal_fd(m->frame_fd);
	pthread_mutex_unlock(&m->lock);
}

enum top_action top_mailbox_look(struct top_mailbox *m, struct top_request *ret_request,
				 bool *ret_paused)
{
	enum top_action action = TOP_GO_ON;

	pthread_mutex_lock(&m->lock);
	clear_fd(m->wake_fd);
	*ret_paused = m->is_paused;
	*ret_request = (struct top_request){.details = NULL};
	if (m->has_quit || top_request_copy(ret_request, &m->request))
		action = TOP_STOP;
	else if (m->is_asked)
		action = TOP_ANSWER;
	m->is_asked = false;
	pthread_mutex_unlock(&m->lock);
	return action;
}

struct top_frame *top_mailbox_take(struct top_mailbox *m, bool *ret_closed)
{
	struct top_frame *frame;

	pthread_mutex_lock(&m->lock);
	clear_fd(m->frame_fd);
	frame = m->frame;
	m->frame = NULL;
	*ret_closed = m->is_closed;
	pthread_mutex_unlock(&m->lock);
	return frame;
}

void top_mailbox_ask(struct top_mailbox *m, const struct top_request *request)
{
	pthread_mutex_lock(&m->lock);
	/* out of memory: the old request is answered, and the view ignores that */
	top_request_copy(&m->request, request);
	m->is_asked = true;
	signal_fd(m->wake_fd);
	pthread_mutex_unlock(&m->lock);
}

void top_mailbox_pause(struct top_mailbox *m, bool paused)
{
	pthread_mutex_lock(&m->lock);
	m->is_paused = paused;
	signal_fd(m->wake_fd);
	pthread_mutex_unlock(&m->lock);
}

void top_mailbox_quit(struct top_mailbox *m)
{
	pthread_mutex_lock(&m->lock);
	m->has_quit = true;
	signal_fd(m->wake_fd);
	pthread_mutex_unlock(&m->lock);
}
