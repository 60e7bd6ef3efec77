// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/record/module_news.h"

#include "util/base/log.h"

void module_news_open(struct module_news *n, const struct tracefs *t, const struct evlist *l)
{
	const struct perf_event_attr *attr = &l->evsels[0].attr;
	struct error why = ERROR_INIT;

	*n = (struct module_news){.lines = STRBUF_INIT};
	if (module_watch_open(&n->watch, t,
			      attr->use_clockid ? attr->clockid : MODULE_WATCH_LOCAL_CLOCK, &why))
		log_info("modules are not followed: %s", why.msg);
}

void module_news_close(struct module_news *n)
{
	module_watch_close(&n->watch);
	strbuf_deinit(&n->lines);
	n->written = 0;
}

int module_news_begin(struct module_news *n, struct error *err)
{
	return module_watch_read_names(&n->watch) ? error_nomem(err) : 0;
}

int module_news_begin_file(struct module_news *n, struct output *o, struct error *err)
{
	n->written = 0;
	return module_news_write(n, o, err);
}

int module_news_write(struct module_news *n, struct output *o, struct error *err)
{
	if (module_watch_drain(&n->watch, &n->lines))
		return error_nomem(err);
	if (!o || n->written == n->lines.len)
		return 0;
	if (output_add_modules(o, n->lines.buf + n->written, n->lines.len - n->written, err))
		return -err->code;
	n->written = n->lines.len;
	return 0;
}
