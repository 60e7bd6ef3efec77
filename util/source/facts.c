// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/source/facts.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/base/units.h"
#include "util/document/document.h"
#include "util/source/source_table.h"

void source_facts_init(struct source_facts *f)
{
	*f = (struct source_facts){.cache_aliases = STRBUF_INIT, .modules = STRBUF_INIT};
}

void source_facts_deinit(struct source_facts *f)
{
	for (size_t i = 0; i < f->nr_events; i++) {
		free(f->events[i]->name);
		free(f->events[i]);
	}
	free(f->events);
	free(f->path);
	free(f->missing);
	free(f->hostname);
	free(f->osrelease);
	free(f->version);
	free(f->arch);
	free(f->machine_id);
	free(f->boot_id);
	free(f->cmdline);
	cpulist_deinit(&f->offline);
	free(f->cpu_node);
	free(f->migratetypes);
	free(f->kmalloc_caches);
	free(f->reclaimable_caches);
	strbuf_deinit(&f->modules);
	strbuf_deinit(&f->cache_aliases);
	slab_counts_deinit(&f->slab_counts);
	for (size_t i = 0; i < f->nr_tables; i++)
		source_table_deinit(&f->tables[i]);
	free(f->tables);
	for (size_t i = 0; i < f->nr_build_ids; i++)
		free(f->build_ids[i].path);
	free(f->build_ids);
	for (size_t i = 0; i < f->nr_loaded; i++)
		free(f->loaded[i].name);
	free(f->loaded);
	source_facts_init(f);
}

/* The array of nr elements, with room for one more. NULL if out of memory. */
static void *room(void *v, size_t nr, size_t size)
{
	/* grow at powers of two */
	return nr & (nr - 1) ? v : reallocarray(v, nr ? nr * 2 : 1, size);
}

int source_facts_add_event(struct source_facts *f, struct source_event *ev)
{
	struct source_event **events = room(f->events, f->nr_events, sizeof(struct source_event *));

	if (!events)
		return -ENOMEM;
	f->events = events;
	ev->index = (uint32_t)f->nr_events;
	f->events[f->nr_events++] = ev;
	return 0;
}

int source_facts_add_build_id(struct source_facts *f, const char *path, bool of_kernel,
			      const uint8_t *id, size_t size)
{
	struct source_build_id *b = room(f->build_ids, f->nr_build_ids, sizeof(*b));

	if (!b)
		return -ENOMEM;
	f->build_ids = b;
	b += f->nr_build_ids;
	*b = (struct source_build_id){strdup(path), of_kernel, .size = size};
	if (!b->path)
		return -ENOMEM;
	memcpy(b->id, id, size);
	f->nr_build_ids++;
	return 0;
}

int source_facts_add_module(struct source_facts *f, const char *name, uint64_t start, uint64_t end,
			    const uint8_t *build_id, size_t build_id_size)
{
	struct source_module *m = room(f->loaded, f->nr_loaded, sizeof(*m));

	if (!m)
		return -ENOMEM;
	f->loaded = m;
	m += f->nr_loaded;
	*m = (struct source_module){strdup(name), start, end, .build_id_size = build_id_size};
	if (!m->name)
		return -ENOMEM;
	if (build_id_size)
		memcpy(m->build_id, build_id, build_id_size);
	f->nr_loaded++;
	return 0;
}

void source_facts_damage(struct source_facts *f, uint64_t pos, const char *fmt, ...)
{
	struct source_damage *d = &f->damage;
	va_list ap;

	if (d->what[0])
		return;
	d->first_pos = pos;
	va_start(ap, fmt);
	vsnprintf(d->what, sizeof(d->what), fmt, ap);
	va_end(ap);
}

static void add_part(struct strbuf *sb, const char *before, const char *text)
{
	if (text && *text)
		strbuf_addf(sb, "%s%s%s", sb->len ? ", " : "", before, text);
}

void source_facts_add_host(const struct source_facts *f, struct strbuf *sb)
{
	add_part(sb, "", f->hostname);
	add_part(sb, "Linux ", f->osrelease);
	add_part(sb, "", f->arch);
}

static struct value build_id(struct document_section *in, const struct source_facts *f)
{
	struct strbuf hex = STRBUF_INIT;

	if (!in || !f->kernel_build_id_size)
		return value_none();
	if (strbuf_add_hex_bytes(&hex, f->kernel_build_id, f->kernel_build_id_size))
		in->document->failed = true;
	return value_text(document_own(in->document, strbuf_detach(&hex)));
}

void source_facts_add_figures(const struct source_facts *f, struct document_section *in)
{
	const struct document_value figures[] = {
		{"hostname", value_text(f->hostname)}, {"machine_id", value_text(f->machine_id)},
		{"boot_id", value_text(f->boot_id)},   {"arch", value_text(f->arch)},
		{"kernel", value_text(f->osrelease)},  {"kernel_build_id", build_id(in, f)},
	};

	document_add_values(in, figures, sizeof(figures) / sizeof(figures[0]));
}

uint64_t source_facts_wall_clock_ns(const struct source_facts *f)
{
	if (f->wall_clock_ns || !f->clock.wall_ns)
		return f->wall_clock_ns;
	return f->clock.wall_ns + source_facts_span(f).start_ns - f->clock.event_ns;
}

double source_facts_lost_percent(const struct source_facts *f)
{
	uint64_t all = f->nr_lost + f->nr_samples;

	return all ? 100.0 * (double)f->nr_lost / (double)all : 0.0;
}

uint64_t source_facts_period(const struct source_facts *f)
{
	uint64_t most = 1;

	for (size_t i = 0; i < f->nr_events; i++)
		if (f->events[i]->type == PERF_TYPE_TRACEPOINT && f->events[i]->period > most)
			most = f->events[i]->period;
	return most;
}

struct source_span source_facts_span(const struct source_facts *f)
{
	struct source_span span = {f->stated_start_ns, f->stated_stop_ns};

	if (!span.stop_ns)
		return (struct source_span){f->first_ns, f->last_ns};
	if (!f->nr_samples)
		return span;
	if (span.start_ns > f->first_ns)
		span.start_ns = f->first_ns;
	/* stopped: there may be samples after the last one that was read */
	if (span.stop_ns < f->last_ns || f->stop.stopped)
		span.stop_ns = f->last_ns;
	return span;
}

const char *source_facts_stop_text(const struct source_facts *f, char *buf, size_t size)
{
	const struct source_stop *stop = &f->stop;
	char bytes[UNITS_BUF];

	units_bytes(bytes, sizeof(bytes), stop->bytes);
	if (stop->bytes_total)
		snprintf(buf, size, "%.1f %% (%s)",
			 100.0 * (double)stop->bytes / (double)stop->bytes_total, bytes);
	else
		snprintf(buf, size, "%s", bytes);
	return buf;
}

bool source_facts_are_of_running_kernel(const struct source_facts *f)
{
	const struct kernel_identity kernel = {
		.release = f->osrelease,
		.machine = f->arch,
		.build_id = f->kernel_build_id,
		.build_id_size = f->kernel_build_id_size,
	};

	return running_kernel_is(&kernel);
}

bool source_facts_kernel_at_least(const struct source_facts *f, unsigned int major,
				  unsigned int minor)
{
	unsigned int a, b;

	if (!f->osrelease || sscanf(f->osrelease, "%u.%u", &a, &b) != 2)
		return true;
	return a > major || (a == major && b >= minor);
}
