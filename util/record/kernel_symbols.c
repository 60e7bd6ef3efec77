// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/record/kernel_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"

static int by_address(const void *a, const void *b)
{
	const struct kernel_symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* "addr type name[\t[module]]"; hex by hand: strtoull would take most of the time. */
static bool parse_line(const char *line, uint64_t *ret_addr, char *ret_type, const char **ret_name)
{
	uint64_t addr = 0;
	const char *p = line;

	for (;; p++) {
		unsigned int digit;

		if (*p >= '0' && *p <= '9')
			digit = (unsigned int)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			digit = (unsigned int)(*p - 'a' + 10);
		else
			break;
		addr = addr << 4 | digit;
	}
	if (p == line || p[0] != ' ' || !p[1] || p[2] != ' ')
		return false;
	*ret_addr = addr;
	*ret_type = p[1];
	*ret_name = p + 3;
	return true;
}

static bool is_name(const char *name, size_t len, const char *wanted)
{
	return len == strlen(wanted) && !memcmp(name, wanted, len);
}

int kernel_symbols_init(struct kernel_symbols *ks, const char *path, struct error *err)
{
	size_t cap = 0;
	uint64_t stext = 0;
	int ret;

	*ks = (struct kernel_symbols){.text = STRBUF_INIT, .hidden = true};
	path = path ? path : "/proc/kallsyms";
	ret = strbuf_read_file(&ks->text, path);
	if (ret)
		return error_set_errno(err, -ret, "cannot read '%s'", path);
	for (const char *line = ks->text.buf, *end; (end = strchr(line, '\n')); line = end + 1) {
		const char *name;
		uint64_t addr;
		size_t len;
		char type;

		if (!parse_line(line, &addr, &type, &name))
			continue;
		if (addr)
			ks->hidden = false;
		if (!strchr("tTwW", type) || !addr)
			continue;
		len = (size_t)(end - name);
		if (is_name(name, len, "_text"))
			ks->start = addr;
		else if (is_name(name, len, "_stext"))
			stext = addr;
		else if (is_name(name, len, "_etext"))
			ks->end = addr;
		if (ks->nr == cap) {
			struct kernel_symbol *v;

			cap = cap ? cap * 2 : 65536;
			v = reallocarray(ks->v, cap, sizeof(*v));
			if (!v) {
				kernel_symbols_deinit(ks);
				return error_nomem(err);
			}
			ks->v = v;
		}
		ks->v[ks->nr] = (struct kernel_symbol){addr, line, (uint32_t)(end - line),
						       (uint32_t)ks->nr};
		ks->nr++;
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

/* The number of symbols at or below addr. */
static size_t upper_bound(const struct kernel_symbols *ks, uint64_t addr)
{
	size_t lo = 0, hi = ks->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ks->v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Mark all names of the symbol that addr lies in, and the one name that ends it. */
static void mark(const struct kernel_symbols *ks, uint64_t addr, bool *wanted)
{
	size_t end = upper_bound(ks, addr);

	if (!end)
		return;
	if (end < ks->nr)
		wanted[end] = true;
	addr = ks->v[end - 1].addr;
	for (size_t i = end; i-- > 0 && ks->v[i].addr == addr;)
		wanted[i] = true;
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
			strbuf_add(out, ks->v[i].line, ks->v[i].len + 1);
	return out->failed ? -ENOMEM : 0;
}

int kernel_symbols_all(const struct kernel_symbols *ks, struct strbuf *out)
{
	for (size_t i = 0; i < ks->nr; i++)
		strbuf_add(out, ks->v[i].line, ks->v[i].len + 1);
	return out->failed ? -ENOMEM : 0;
}
