// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/record/kernel_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/array.h"
#include "util/base/cleanup.h"
#include "util/host/kallsyms.h"

static int by_address(const void *a, const void *b)
{
	const struct kernel_symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Is this such a symbol, of the kernel itself? */
static bool is_anchor(const struct kallsyms_line *l, const char *name)
{
	return !l->module && l->name_len == strlen(name) && !memcmp(l->name, name, l->name_len);
}

static int add(struct kernel_symbols *ks, size_t *cap, const struct kallsyms_line *l)
{
	struct kernel_symbol *v = array_room(ks->v, ks->nr, cap, sizeof(*v));

	if (!v)
		return -ENOMEM;
	ks->v = v;
	ks->v[ks->nr] =
		(struct kernel_symbol){l->address, l->text, (uint32_t)l->len, (uint32_t)ks->nr};
	ks->nr++;
	return 0;
}

int kernel_symbols_init(struct kernel_symbols *ks, const char *path, struct error *err)
{
	struct kallsyms_line line;
	size_t cap = 0;
	uint64_t stext = 0;
	const char *pos;
	int ret;

	*ks = (struct kernel_symbols){.text = STRBUF_INIT, .hidden = true};
	path = path ? path : KALLSYMS_PATH;
	ret = strbuf_read_file(&ks->text, path);
	if (ret)
		return error_set_errno(err, -ret, "cannot read '%s'", path);
	pos = ks->text.buf;
	while (kallsyms_next(&pos, ks->text.buf + ks->text.len, &line)) {
		if (!line.address)
			continue;
		ks->hidden = false;
		if (!kallsyms_is_text(line.type))
			continue;
		if (is_anchor(&line, "_text"))
			ks->start = line.address;
		else if (is_anchor(&line, "_stext"))
			stext = line.address;
		else if (is_anchor(&line, "_etext"))
			ks->end = line.address;
		if (add(ks, &cap, &line)) {
			kernel_symbols_deinit(ks);
			return error_nomem(err);
		}
	}
	if (!ks->start)
		ks->start = stext;
	if (ks->nr)
		qsort(ks->v, ks->nr, sizeof(*ks->v), by_address);
	return 0;
}

void kernel_symbols_deinit(struct kernel_symbols *ks)
{
	free(ks->v);
	strbuf_deinit(&ks->text);
	*ks = (struct kernel_symbols){.text = STRBUF_INIT};
}

/* Mark all names of the symbol that addr lies in, and one name of the symbol that ends it. */
static void mark(const struct kernel_symbols *ks, uint64_t addr, bool *wanted)
{
	size_t end = array_count_upto(ks->v, ks->nr, sizeof(*ks->v), addr);

	if (!end)
		return;
	if (end < ks->nr)
		wanted[end] = true;
	addr = ks->v[end - 1].addr;
	for (size_t i = end; i-- > 0 && ks->v[i].addr == addr;)
		wanted[i] = true;
}

static void write_line(const struct kernel_symbol *symbol, struct strbuf *out)
{
	strbuf_add(out, symbol->line, symbol->len);
	strbuf_addch(out, '\n');
}

int kernel_symbols_select(const struct kernel_symbols *ks, const uint64_t *addrs, size_t nr,
			  struct strbuf *out)
{
	_cleanup_free_ bool *wanted = calloc(ks->nr ? ks->nr : 1, sizeof(*wanted));

	if (!wanted)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		mark(ks, addrs[i], wanted);
	if (nr && ks->start)
		mark(ks, ks->start, wanted);
	if (nr && ks->end)
		mark(ks, ks->end, wanted);
	for (size_t i = 0; i < ks->nr; i++)
		if (wanted[i])
			write_line(&ks->v[i], out);
	return out->failed ? -ENOMEM : 0;
}

int kernel_symbols_all(const struct kernel_symbols *ks, struct strbuf *out)
{
	for (size_t i = 0; i < ks->nr; i++)
		write_line(&ks->v[i], out);
	return out->failed ? -ENOMEM : 0;
}
