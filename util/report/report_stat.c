// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/report/report_stat.h"

#include <string.h>

#include "util/base/strbuf.h"
#include "util/report/machine_part.h"
#include "util/report/recording_part.h"
#include "util/source/facts_metrics.h"

static void add_next(struct document_section *in, struct strbuf *text)
{
	if (text->failed)
		in->document->failed = true;
	else
		document_add_header(in, "Next", text->buf);
	strbuf_deinit(text);
}

/* For a source that shows one moment: suggest the keys that it has. */
static void add_keys_hint(struct document_section *in, const char *keys)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "-l 20 shows more rows, --by %.*s groups by a key",
		    (int)strcspn(keys, " "), keys);
	if (strchr(keys, ' '))
		strbuf_addf(&text, " (or several of: %s)", keys);
	strbuf_addstr(&text, ", diff compares two.");
	add_next(in, &text);
}

/* For events: suggest keys that all reported allocators have. */
static void add_events_hint(struct document_section *in, const struct kmem_accounts *accounts)
{
	struct strbuf text = STRBUF_INIT;
	const char *key = "cache";

	for (int i = 0; i < ACCOUNTS_NR; i++)
		if (accounts_allocator(accounts, i) &&
		    !(kmem_key_allocators(KEY_CACHE) & account_allocator_bit(i)))
			key = "callsite";
	strbuf_addf(&text,
		    "-l 20 shows more rows, --by %s,comm (or any other keys) groups by these keys, "
		    "--live shows memory that was not freed, --lifetime how long it was kept.",
		    key);
	add_next(in, &text);
}

static bool is_overview(const struct report_context *c)
{
	struct report_table t;

	return report_table_at(c, 0, &t) && t.options->overview;
}

/* After the overview, suggest options. */
static void add_hint(struct document_section *in, const struct report_context *c)
{
	if (!c->options->header || !is_overview(c) ||
	    accounts_have_any(c->accounts, ACCOUNTS_OWN_TABLES))
		return;
	if (c->facts->is_snapshot && c->facts->keys)
		add_keys_hint(in, c->facts->keys);
	else
		add_events_hint(in, c->accounts);
}

/* ctx: a struct report_context. */
static void report_stat(struct document *d, void *ctx)
{
	const struct report_context *c = ctx;
	struct document_section *root = &d->root;

	document_add_versions(d);
	source_facts_add_metrics(c->facts, root);
	recording_add_sample_metric(root, c->facts, c->accounts);
	recording_add_facts(root, "recording", c);
	if (c->options->header)
		recording_add_header(root, c);
	recording_add_filters(root, c->kmem, c->options->header);
	recording_add_warnings(root, c);
	for (int i = 0; i < ACCOUNTS_NR; i++) {
		const struct account *account = &c->accounts->v[i];

		if (account->state)
			account->ops->build(account->state, c, root);
	}
	machine_add(root, c->facts, c->options->lines);
	add_hint(root, c);
}

int report_write_stat(FILE *out, const struct form *form, const struct kmem_pipeline *a,
		      const struct report_options *o, struct error *err)
{
	struct report_context c;

	report_context_init(&c, a, o);
	return report_write(out, form, o, report_stat, &c, err);
}
