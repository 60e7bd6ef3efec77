/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct module_news: loads and unloads of modules during a recording, for each of its files.
 *
 * Each is written before the samples that follow it (HEADER_MODULES in util/perfdata/format.h). A
 * file begins with all known modules, because a snapshot contains earlier samples.
 */
#ifndef RECORD_MODULE_NEWS_H
#define RECORD_MODULE_NEWS_H

#include "util/host/module_watch.h"
#include "util/output/output.h"

/* Zeroed memory is valid and has no news. */
struct module_news {
	struct module_watch watch;
	struct strbuf lines; /* lines of the whole recording */
	size_t written;	     /* bytes of them written to the file */
};

/* Start watching, on the clock of the evlist's samples, if this kernel allows it. */
void module_news_open(struct module_news *n, const struct tracefs *t, const struct evlist *l);
void module_news_close(struct module_news *n);

/* Read the names in loaded modules, before they may be unloaded. Errors: -ENOMEM. */
int module_news_begin(struct module_news *n, struct error *err);

/* Another file begins: write all known modules to it. */
int module_news_begin_file(struct module_news *n, struct output *o, struct error *err);

/* Write new loads and unloads to the file. o: may be NULL: only take them from the kernel's
 * buffers. */
int module_news_write(struct module_news *n, struct output *o, struct error *err);

#endif
