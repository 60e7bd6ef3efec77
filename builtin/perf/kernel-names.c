// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/perf/kernel-names.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/tracepoint/tracing_data.h"

void kernel_names_init(struct kernel_names *n, const struct source_facts *facts, const char *path)
{
	*n = (struct kernel_names){.facts = facts, .path = path, .err = ERROR_INIT};
}

void kernel_names_deinit(struct kernel_names *n)
{
	symbols_deinit(&n->symbols);
	free(n->kallsyms);
}

int kernel_names_take_formats(struct kernel_names *n, const struct tracing_data *formats,
			      struct error *err)
{
	if (!formats->kallsyms.len || n->kallsyms || n->is_open)
		return 0;
	n->kallsyms = strndup(formats->kallsyms.text, formats->kallsyms.len);
	if (!n->kallsyms)
		return error_nomem(err);
	n->kallsyms_len = strlen(n->kallsyms);
	return 0;
}

int kernel_names_open(struct kernel_names *n, struct error *err)
{
	int ret;

	if (n->is_open)
		return 0;
	ret = symbols_init(&n->symbols, n->facts, steal_ptr(&n->kallsyms), n->kallsyms_len, n->path,
			   err);
	if (ret)
		return ret;
	n->is_open = true;
	if (n->symbols.note[0])
		log_warn("%s", n->symbols.note);
	if (!symbols_any(&n->symbols))
		log_warn("kernel functions are addresses: %s", n->symbols.why_not);
	return 0;
}

int kernel_names_at(struct kernel_names *n, uint64_t time_ns, struct error *err)
{
	n->time_ns = time_ns;
	if (!n->facts->modules.len || (n->is_open && !symbols_has_news(&n->symbols)))
		return 0;
	if (kernel_names_open(n, err))
		return -err->code;
	return symbols_read_modules(&n->symbols) ? error_nomem(err) : 0;
}

bool kernel_names_add(void *names, struct strbuf *out, uint64_t address, bool offset)
{
	struct kernel_names *n = names;
	const struct symbol *sym;

	if (n->err.code || kernel_names_open(n, &n->err))
		return false;
	address = kernel_names_identity(n, address);
	sym = symbols_find(&n->symbols, address);
	if (!sym)
		return false;
	strbuf_addstr(out, sym->name);
	if (offset) {
		strbuf_addstr(out, "+0x");
		strbuf_add_hex(out, address - sym->start, 1);
	}
	return true;
}
