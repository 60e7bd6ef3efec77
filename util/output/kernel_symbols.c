// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/output/kernel_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/array.h"
#include "util/base/cleanup.h"
#include "util/host/kallsyms.h"
#include "util/host/kallsyms_copy.h"
#include "util/host/machine_id.h"

static int by_address(const void *a, const void *b)
{
	const struct kernel_symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Whether it is this symbol, of the kernel itself. */
static bool is_anchor(const struct kallsyms_line *l, const char *name)
{
	return !l->module && l->name_len == strlen(name) && !memcmp(l->name, name, l->name_len);
}

/* Note a line's address if it marks the beginning or the end of the kernel. */
static void note(struct kernel_symbols *ks, struct kallsyms_line *l)
{
	if (l->address)
		ks->visibility = SYMBOLS_SHOWN;
	else if (ks->visibility == SYMBOLS_MISSING)
		ks->visibility = SYMBOLS_HIDDEN;
	if (!l->address || !kallsyms_is_text(l->type) || l->name[0] != '_')
		return;
	kallsyms_finish(l);
	if (is_anchor(l, "_text"))
		ks->text_at = l->address;
	else if (is_anchor(l, "_stext"))
		ks->stext_at = l->address;
	else if (is_anchor(l, "_etext"))
		ks->end = l->address;
	ks->start = ks->text_at ? ks->text_at : ks->stext_at;
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

/*
 * The kernel's own symbols are sorted; those of modules and programs follow and are mostly sorted:
 * sort from the first one that is out of order.
 */
static void sort(struct kernel_symbols *ks)
{
	size_t nr = ks->nr ? 1 : 0, from;
	uint64_t lowest = UINT64_MAX;

	while (nr < ks->nr && by_address(&ks->v[nr - 1], &ks->v[nr]) < 0)
		nr++;
	if (nr == ks->nr)
		return;
	for (size_t i = nr; i < ks->nr; i++)
		lowest = ks->v[i].addr < lowest ? ks->v[i].addr : lowest;
	/* 0 is not a valid address */
	from = array_count_upto(ks->v, nr, sizeof(*ks->v), lowest - 1);
	qsort(ks->v + from, ks->nr - from, sizeof(*ks->v), by_address);
}

/* Find the symbols in the text. */
static int find_symbols(struct kernel_symbols *ks, struct error *err)
{
	const char *pos = ks->text.buf;
	struct kallsyms_line line;
	size_t cap = 0;

	while (kallsyms_next_start(&pos, ks->text.buf + ks->text.len, &line)) {
		note(ks, &line);
		if (line.address && kallsyms_is_text(line.type) && add(ks, &cap, &line)) {
			kernel_symbols_deinit(ks);
			return error_nomem(err);
		}
	}
	sort(ks);
	return 0;
}

int kernel_symbols_init(struct kernel_symbols *ks, const char *path, struct error *err)
{
	int ret;

	*ks = (struct kernel_symbols){.text = STRBUF_INIT, .visibility = SYMBOLS_MISSING};
	ret = strbuf_read_file(&ks->text, path ? path : KALLSYMS_PATH);
	if (ret == -ENOENT) /* without CONFIG_KALLSYMS */
		return 0;
	if (ret)
		return error_set_errno(err, -ret, "cannot read '%s'", path ? path : KALLSYMS_PATH);
	return find_symbols(ks, err);
}

static bool are_own(const struct kernel_symbols *ks, const uint64_t *addrs, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (addrs[i] < ks->start || addrs[i] >= ks->end)
			return false;
	return ks->start != 0;
}

int kernel_symbols_init_for(struct kernel_symbols *ks, const uint64_t *addrs, size_t nr,
			    struct error *err)
{
	bool has_copy;
	int ret;

	*ks = (struct kernel_symbols){.text = STRBUF_INIT, .visibility = SYMBOLS_MISSING};
	has_copy = kallsyms_copy_read(&ks->text, KALLSYMS_PATH, BOOT_ID_PATH);
	if (has_copy) {
		ret = find_symbols(ks, err);
		if (ret || are_own(ks, addrs, nr))
			return ret;
		kernel_symbols_deinit(ks);
	}
	ret = kernel_symbols_init(ks, NULL, err);
	if (!ret && !has_copy)
		kallsyms_copy_keep(&ks->text, BOOT_ID_PATH);
	return ret;
}

/* Returns true if the remaining lines are not needed. */
static bool note_all(struct kernel_symbols *ks, const char *pos, const char *end)
{
	struct kallsyms_line line;

	while (!(ks->text_at && ks->end) && kallsyms_next_start(&pos, end, &line))
		note(ks, &line);
	return ks->text_at && ks->end;
}

/* In pieces: it has some MB, and only three of its lines are needed here. */
static int read_anchors(struct kernel_symbols *ks, int fd, char *piece, size_t size)
{
	size_t len = 0;

	for (;;) {
		ssize_t n = read(fd, piece + len, size - len);
		const char *newline;
		size_t whole;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		len += (size_t)n;
		newline = n ? memrchr(piece, '\n', len) : NULL;
		/* the last line, or one that is not kallsyms text */
		whole = newline ? (size_t)(newline + 1 - piece) : !n || len == size ? len : 0;
		if (note_all(ks, piece, piece + whole) || !n)
			return 0;
		len -= whole;
		memmove(piece, piece + whole, len);
	}
}

int kernel_symbols_locate(struct kernel_symbols *ks, const char *path, uint64_t etext,
			  struct error *err)
{
	const size_t size = 65536;
	_cleanup_free_ char *piece = malloc(size);
	_cleanup_close_ int fd = -1;
	int ret;

	*ks = (struct kernel_symbols){
		.text = STRBUF_INIT, .end = etext, .visibility = SYMBOLS_MISSING};
	if (!piece)
		return error_nomem(err);
	path = path ? path : KALLSYMS_PATH;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ret = fd < 0 ? -errno : read_anchors(ks, fd, piece, size);
	if (!ret || ret == -ENOENT) /* without CONFIG_KALLSYMS */
		return 0;
	return error_set_errno(err, -ret, "cannot read '%s'", path);
}

void kernel_symbols_deinit(struct kernel_symbols *ks)
{
	free(ks->v);
	strbuf_deinit(&ks->text);
	*ks = (struct kernel_symbols){.text = STRBUF_INIT};
}

/* Mark all names of the symbol that contains addr, and one name of the next symbol. */
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
