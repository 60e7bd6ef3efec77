// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/leak/leak_alert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/units.h"

/* The behaviours that holders can have. */
static const enum leak_behaviour behaviours[] = {LEAK_LEAKING, LEAK_GROWING};

/* The bit of the behaviour with this name; 0 if there is none. */
static unsigned int bit_of(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(behaviours) / sizeof(behaviours[0]); i++) {
		const char *known = leak_behaviour_name(behaviours[i]);

		if (strlen(known) == len && !memcmp(known, name, len))
			return 1u << behaviours[i];
	}
	return 0;
}

int leak_alert_parse(struct leak_alert *a, const char *text, struct error *err)
{
	const size_t len = strcspn(text, ">");
	struct leak_alert parsed = {.text = text};

	for (const char *p = text;;) {
		size_t name = strcspn(p, ",>");
		unsigned int bit = bit_of(p, name);

		if (!bit || !text[len])
			return error_set(err, EINVAL,
					 "'%s' is not a condition such as 'leaking>1MB' or "
					 "'leaking,growing>64K'",
					 text);
		parsed.behaviours |= bit;
		if (p[name] == '>')
			break;
		p += name + 1;
	}
	if (units_parse_size(text + len + 1, &parsed.bytes))
		return error_set(err, EINVAL, "'%s' in '%s' is not a size such as 1MB",
				 text + len + 1, text);
	*a = parsed;
	return 0;
}

static bool is_meant(const struct leak_alert *a, const struct leak_who *who)
{
	return a->behaviours >> who->behaviour & 1 && who->bytes > a->bytes;
}

bool leak_alert_holds(const struct leak_alert *a, const struct leak *l)
{
	for (int i = 0; i < ACCOUNTS_NR; i++)
		for (size_t k = 0; k < l->rows[i].whos.nr; k++)
			if (is_meant(a, &l->rows[i].whos.v[k]))
				return true;
	return false;
}

/* "leaking>1MB: 5.2 MiB of slab (leaking, +3.1 KiB/s, evidence high) held by leaker-12 (ended),
 * most of it allocated by sock_alloc_inode+1b; 2 more" */
static void add_line(struct document_section *in, const struct leak_alert_report *r)
{
	size_t nr_all, nr = 0;
	const struct leak_holder *v = leak_holders(in->document, r->leak, &nr_all), *most = NULL;
	struct strbuf sb = STRBUF_INIT;
	char bytes[UNITS_BUF];

	for (size_t i = 0; v && i < nr_all; i++) {
		if (!is_meant(r->alert, v[i].who))
			continue;
		if (!most || v[i].who->bytes > most->who->bytes)
			most = &v[i];
		nr++;
	}
	if (!most)
		return;
	strbuf_addf(&sb, "%s: %s of %s (%s, ", r->alert->text,
		    units_bytes(bytes, sizeof(bytes), most->who->bytes),
		    account_table[most->account]->id, leak_behaviour_name(most->who->behaviour));
	if (most->who->growth > 0)
		strbuf_addf(&sb, "+%s/s, ",
			    units_bytes(bytes, sizeof(bytes), (uint64_t)most->who->growth));
	strbuf_addf(&sb, "evidence %s) held by ", leak_confidence_word(most->who->confidence));
	leak_holder_add_name(&sb, r->context, most);
	strbuf_addstr(&sb, ", most of it allocated by ");
	leak_holder_add_site(&sb, r->context, most);
	if (nr > 1)
		strbuf_addf(&sb, "; %zu more", nr - 1);
	in->document->failed |= sb.failed;
	document_add_line(in, "%s", sb.buf);
	strbuf_deinit(&sb);
}

/* The holders that are meant, in the order of the report. */
static void add_data(struct document_section *in, const struct leak_alert_report *r, int account)
{
	const struct leak_whos *all = &r->leak->rows[account].whos;
	struct document_section *s =
		document_add_section(in, account_table[account]->id, NULL, FOR_PROGRAMS);
	struct leak_whos meant = {.by = all->by};

	if (!s)
		return;
	meant.v = document_own(s->document, calloc(all->nr + 1, sizeof(*meant.v)));
	for (size_t i = 0; meant.v && i < all->nr; i++)
		if (is_meant(r->alert, &all->v[i]))
			meant.v[meant.nr++] = all->v[i];
	leak_who_add_data(s, r->context, account, &meant);
}

void report_leak_alert(struct document *d, void *ctx)
{
	const struct leak_alert_report *r = ctx;
	struct document_section *s;

	if (document_is_for(&d->root, FOR_PEOPLE)) {
		add_line(&d->root, r);
		return;
	}
	d->root.is_compact = true;
	document_add_versions(d);
	if (r->interval)
		leak_interval_add(&d->root, r->context, r->interval);
	s = document_add_section(&d->root, "alert", NULL, FOR_PROGRAMS);
	document_add_figure(s, "condition", value_text(r->alert->text), FOR_PROGRAMS);
	document_add_figure(s, "end_ns", value_u64(r->leak->end_ns), FOR_PROGRAMS);
	for (int id = 0; id < ACCOUNTS_NR; id++)
		if (accounts_allocator(r->context->accounts, id))
			add_data(s, r, id);
}
