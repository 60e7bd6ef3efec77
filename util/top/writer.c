// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/top/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/thread.h"

/* Blocks may wait for the writer as long as they have no more bytes than this. */
#define WAITING_MAX (1u << 20)

static int append(struct top_writer *w, const char *text, size_t len)
{
	int ret = out_file_append(w->file, text, len);

	return ret ? ret : out_file_publish(w->file, NULL);
}

/* Returns -errno, which was logged unless the block before failed, too. */
static int replace(struct top_writer *w, const char *text, size_t len)
{
	struct out_file file;
	struct error err = ERROR_INIT;
	int ret = out_file_open(&file, w->file->path, &w->file->how, &err);

	if (!ret) {
		ret = out_file_append(&file, text, len);
		if (ret)
			error_set_errno(&err, -ret, "cannot write '%s'", file.path);
	}
	if (!ret)
		ret = out_file_publish(&file, &err);
	out_file_deinit(&file);
	if (ret && !w->error)
		log_warn("%s: the old file stays, and each interval tries again", err.msg);
	return ret;
}

/* Returns -errno, as replace(). */
static int add_file(struct top_writer *w, const char *text, size_t len)
{
	struct error err = ERROR_INIT;
	int ret = out_folder_put(w->folder, NULL, w->name, text, len, &err);

	if (ret && !w->error)
		log_warn("%s: this report is lost, and each interval tries again", err.msg);
	return ret;
}

static int write_block(struct top_writer *w, const char *text, size_t len)
{
	if (w->folder)
		return add_file(w, text, len);
	return w->replaces ? replace(w, text, len) : append(w, text, len);
}

static bool tries_again(const struct top_writer *w)
{
	return w->replaces || w->folder;
}

static void *run(void *arg)
{
	struct top_writer *w = arg;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		char *text;
		size_t len;
		int error;

		while (!w->text && !w->is_ending)
			pthread_cond_wait(&w->changed, &w->lock);
		if (!w->text)
			break;
		text = w->text;
		len = w->len;
		w->text = NULL;
		w->len = 0;
		w->is_writing = true;
		pthread_cond_broadcast(&w->changed);
		pthread_mutex_unlock(&w->lock);
		error = -write_block(w, text, len);
		free(text);
		pthread_mutex_lock(&w->lock);
		w->is_writing = false;
		if (!w->error || tries_again(w))
			w->error = error;
		pthread_cond_broadcast(&w->changed);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static int start(struct top_writer *w)
{
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	return thread_start(&w->thread, run, w);
}

int top_writer_start(struct top_writer *w, struct out_file *file, bool replaces)
{
	*w = (struct top_writer){.file = file, .replaces = replaces && file->regular};
	return start(w);
}

int top_writer_start_files(struct top_writer *w, const struct out_folder *folder, const char *name)
{
	*w = (struct top_writer){.folder = folder, .name = name};
	return start(w);
}

bool top_writer_has_room(struct top_writer *w, bool wait)
{
	bool has_room;

	pthread_mutex_lock(&w->lock);
	while (wait && w->len > WAITING_MAX)
		pthread_cond_wait(&w->changed, &w->lock);
	has_room = w->len <= WAITING_MAX;
	pthread_mutex_unlock(&w->lock);
	return has_room;
}

int top_writer_put(struct top_writer *w, char *text, size_t len)
{
	char *all;
	int error;

	pthread_mutex_lock(&w->lock);
	error = tries_again(w) ? 0 : w->error;
	if (w->replaces) {
		free(w->text);
		w->text = NULL;
		w->len = 0;
	}
	all = w->text ? realloc(w->text, w->len + len) : NULL;
	if (all) {
		memcpy(all + w->len, text, len);
		w->text = all;
		w->len += len;
		free(text);
	} else if (w->text) {
		error = ENOMEM;
		free(text);
	} else {
		w->text = text;
		w->len = len;
	}
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	return -error;
}

int top_writer_end(struct top_writer *w)
{
	pthread_mutex_lock(&w->lock);
	w->is_ending = true;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	free(w->text);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	return -w->error;
}
