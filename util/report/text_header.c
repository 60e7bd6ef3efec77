// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/text_header.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "util/base/printable.h"
#include "util/cli/wrap.h"
#include "util/report/cell.h"

/* A command line of more is cut: it may be megabytes. */
#define COMMAND_MAX 240
#define INDENT	    10 /* of what follows "# Recorded:" */

/* Parts are set off by commas, but for what ends in a colon. */
static void separate(struct strbuf *sb)
{
	if (sb->len)
		strbuf_addstr(sb, sb->buf[sb->len - 1] == ':' ? " " : ", ");
}

static void add(struct strbuf *sb, const char *text)
{
	if (!text || !*text)
		return;
	separate(sb);
	strbuf_addstr(sb, text);
}

static void add_host(struct strbuf *sb, const struct source_facts *r)
{
	add(sb, r->hostname);
	if (r->osrelease && *r->osrelease) {
		add(sb, "Linux ");
		strbuf_addstr(sb, r->osrelease);
	}
	add(sb, r->arch);
}

static void add_date(struct strbuf *sb, const struct source_facts *r)
{
	uint64_t wall_clock_ns = source_facts_wall_clock_ns(r);
	time_t seconds = (time_t)(wall_clock_ns / 1000000000);
	char text[64];
	struct tm tm;

	if (wall_clock_ns && localtime_r(&seconds, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z", &tm))
		add(sb, text);
}

static void add_length(struct strbuf *sb, const struct source_facts *r,
		       const struct report_options *o)
{
	struct source_span span = source_facts_span(r);

	if (r->nr_samples || span.stop_ns > span.start_ns) {
		separate(sb);
		cell_add_duration(sb, span.stop_ns - span.start_ns);
	}
	separate(sb);
	cell_add_grouped(sb, o, r->nr_samples);
	strbuf_addstr(sb, r->nr_samples == 1 ? " event" : " events");
}

void text_header_line(FILE *out, const char *label, const char *text,
		      const struct report_options *o)
{
	int columns = TEXT_HEADER_COLUMNS;

	if (o->columns && o->columns < columns)
		columns = o->columns;
	wrap_comment(out, label, INDENT, text, columns);
}

static void print(FILE *out, const char *label, struct strbuf *text, const struct report_options *o)
{
	printable_strbuf(text, 0);
	if (text->len && !text->failed)
		text_header_line(out, label, text->buf, o);
	strbuf_reset(text);
}

/* "CPU 1 went offline ...": nothing when none did */
static void add_offline(struct strbuf *sb, const struct source_facts *r)
{
	const struct cpulist *l = &r->offline;

	if (!l->nr)
		return;
	strbuf_addf(sb, l->nr == 1 ? "CPU %d" : "CPUs %d", l->cpus[0]);
	for (size_t i = 1; i < l->nr; i++)
		strbuf_addf(sb, "%s%d", i + 1 < l->nr ? ", " : " and ", l->cpus[i]);
	strbuf_addstr(sb, " went offline while recorded: what happened there later is missing, "
			  "and what was freed there counts as live.");
}

int text_header_print(FILE *out, const struct kmem_analysis *a, const struct report_options *o)
{
	const struct source_facts *r = a->recording;
	struct strbuf sb = STRBUF_INIT;
	int ret;

	if (!o->header)
		return 0;
	add_host(&sb, r);
	print(out, "Host:", &sb, o);
	add_date(&sb, r);
	add_length(&sb, r, o);
	print(out, "Recorded:", &sb, o);
	if (r->cmdline) {
		size_t len = strnlen(r->cmdline, COMMAND_MAX + 1);

		strbuf_add(&sb, r->cmdline, len > COMMAND_MAX ? COMMAND_MAX : len);
		if (len > COMMAND_MAX)
			strbuf_addstr(&sb, "...");
	}
	print(out, "Command:", &sb, o);
	add_offline(&sb, r);
	print(out, "Offline:", &sb, o);
	ret = sb.failed ? -ENOMEM : 0;
	strbuf_deinit(&sb);
	return ret;
}

int text_header_print_short(FILE *out, const char *label, const struct kmem_analysis *a,
			    const struct report_options *o)
{
	struct strbuf sb = STRBUF_INIT;
	int ret;

	strbuf_addf(&sb, "%s:", a->recording->path);
	add_host(&sb, a->recording);
	add_date(&sb, a->recording);
	add_length(&sb, a->recording, o);
	print(out, label, &sb, o);
	add_offline(&sb, a->recording);
	print(out, "Offline:", &sb, o);
	ret = sb.failed ? -ENOMEM : 0;
	strbuf_deinit(&sb);
	return ret;
}
