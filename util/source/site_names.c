// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/source/site_names.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/hash.h"
#include "util/base/label.h"
#include "util/base/printable.h"

/* Non-canonical addresses of x86-64 and arm64, up to 57 and 52 bits: 0x8000000000000000 and up. */
#define FIRST_ADDRESS (1ull << 63)
#define NR_RANGES     (1ull << 40)

_Static_assert(NR_RANGES *SITE_NAME_RANGE == 1ull << 60, "what site_names_has_range() tests");

struct range_row {
	uint64_t range;
	struct symbol *symbol;
	uint64_t size;
};

void site_names_init(struct site_names *n)
{
	table_init(&n->ranges, sizeof(struct range_row), sizeof(uint64_t));
}

void site_names_deinit(struct site_names *n)
{
	for (uint32_t i = 0; i < n->ranges.nr; i++)
		free(((struct range_row *)table_row(&n->ranges, i))->symbol);
	table_deinit(&n->ranges);
}

/* A function whose strings have been copied and made printable. */
struct known_name {
	char symbol[SYMBOL_NAME_MAX], module[SYMBOL_NAME_MAX];
	bool has_module;
	uint64_t size;
};

static void copy_printable(char *to, const char *name, size_t len)
{
	if (len >= SYMBOL_NAME_MAX)
		len = SYMBOL_NAME_MAX - 1;
	if (len)
		memcpy(to, name, len);
	to[len] = '\0';
	printable_make(to);
	if (label_fixed(to) != to)
		snprintf(to, SYMBOL_NAME_MAX, "%s", label_fixed(to));
}

/* Key and byte order are fixed, so that every run uses the same addresses, on all machines. */
static uint64_t hash_name(const struct known_name *name)
{
	static const struct hash_key key = {{0x7369746520636f64, 0x6520666f6c6b7321}};
	const uint64_t parts[] = {
		htole64(hash_bytes(&key, name->symbol, strlen(name->symbol))),
		name->has_module ? htole64(hash_bytes(&key, name->module, strlen(name->module)))
				 : 0,
		htole64(name->size),
	};

	return hash_bytes(&key, parts, sizeof(parts));
}

static bool is_of(const struct range_row *row, const struct known_name *name)
{
	const struct symbol *s = row->symbol;

	return row->size == name->size && !strcmp(s->name, name->symbol) &&
	       !s->module == !name->has_module && (!s->module || !strcmp(s->module, name->module));
}

static struct symbol *new_symbol(const struct known_name *name, uint64_t start)
{
	size_t symbol_size = strlen(name->symbol) + 1, module_size = strlen(name->module) + 1;
	struct symbol *s = malloc(sizeof(*s) + symbol_size + module_size);
	char *text;

	if (!s)
		return NULL;
	text = (char *)(s + 1);
	memcpy(text, name->symbol, symbol_size);
	memcpy(text + symbol_size, name->module, module_size);
	*s = (struct symbol){
		.start = start,
		.end = start +
		       (name->size && name->size < SITE_NAME_RANGE ? name->size : SITE_NAME_RANGE),
		.name = text,
		.module = name->has_module ? text + symbol_size : NULL,
		.type = 't',
	};
	return s;
}

static int add(struct site_names *n, const struct known_name *name, uint64_t range,
	       const struct symbol **ret_symbol)
{
	struct symbol *s = new_symbol(name, FIRST_ADDRESS + range * SITE_NAME_RANGE);
	struct range_row *row = s ? table_insert(&n->ranges, &range) : NULL;

	if (!row) {
		free(s);
		return -ENOMEM;
	}
	row->symbol = s;
	row->size = name->size;
	*ret_symbol = s;
	return 0;
}

int site_names_address(struct site_names *n, const struct site_name *name, uint64_t offset,
		       uint64_t *ret_address)
{
	struct known_name known = {.has_module = name->module, .size = name->size};
	const struct symbol *symbol = NULL;
	const struct range_row *row;
	uint64_t range;
	int ret = 0;

	copy_printable(known.symbol, name->symbol, name->symbol_len);
	copy_printable(known.module, name->module, name->module ? name->module_len : 0);
	range = hash_name(&known) % NR_RANGES;
	while ((row = table_find(&n->ranges, &range)) && !is_of(row, &known))
		range = (range + 1) % NR_RANGES;
	if (row)
		symbol = row->symbol;
	else if (n->ranges.nr < SITE_NAMES_MAX)
		ret = add(n, &known, range, &symbol);
	if (ret)
		return ret;
	if (offset >= SITE_NAME_RANGE)
		offset = SITE_NAME_RANGE - 1;
	*ret_address = symbol ? symbol->start + offset : 0;
	return 0;
}

static size_t parse_hex(const char *text, size_t len, uint64_t *ret_value)
{
	uint64_t v = 0;
	size_t i = 2;

	if (len < 3 || text[0] != '0' || text[1] != 'x')
		return 0;
	for (; i < len; i++) {
		char c = text[i];

		if (c >= '0' && c <= '9')
			v = v << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	*ret_value = v;
	return i > 2 ? i : 0;
}

/* Parse "+0x1c/0x90" at the end of a name, which may itself contain '+'. Returns its length. */
static size_t parse_place(const char *text, size_t len, uint64_t *ret_offset, uint64_t *ret_size)
{
	const char *plus = memrchr(text, '+', len);
	size_t at = plus ? (size_t)(plus - text) + 1 : len, n;
	uint64_t offset;

	n = parse_hex(text + at, len - at, &offset);
	if (!n || at + n >= len || text[at + n] != '/')
		return 0;
	at += n + 1;
	n = parse_hex(text + at, len - at, ret_size);
	if (!n || at + n != len) {
		*ret_size = 0;
		return 0;
	}
	*ret_offset = offset;
	return len - (size_t)(plus - text);
}

/* Skip "[<ffffffff81234567>] ", which 4.9 prints before the name. Returns its length. */
static size_t skip_address(const char **text, size_t len)
{
	const char *end = len > 2 && !memcmp(*text, "[<", 2) ? memmem(*text, len, ">] ", 3) : NULL;
	size_t skipped = end ? (size_t)(end + 3 - *text) : 0;

	*text += skipped;
	return skipped;
}

int site_names_parse(struct site_names *n, const char *text, size_t len, uint64_t *ret_address)
{
	struct site_name name = {.symbol = text};
	uint64_t offset = 0;
	const char *bracket;

	for (; len && (*text == ' ' || *text == '\t'); len--)
		text++;
	while (len && (text[len - 1] == ' ' || text[len - 1] == '\r'))
		len--;
	len -= skip_address(&text, len);
	*ret_address = 0;
	if (!len)
		return 0;
	if (parse_hex(text, len, ret_address) == len)
		return 0;
	bracket = text[len - 1] == ']' ? memrchr(text, '[', len) : NULL;
	if (bracket && bracket > text && bracket[-1] == ' ') {
		name.module = bracket + 1;
		/* since 5.14 a build id may follow the name: "[ext4 5be5...]" */
		name.module_len = (size_t)(text + len - 1 - name.module);
		bracket = memchr(name.module, ' ', name.module_len);
		if (bracket)
			name.module_len = (size_t)(bracket - name.module);
		len = (size_t)(name.module - 2 - text);
	}
	name.symbol = text;
	name.symbol_len = len - parse_place(text, len, &offset, &name.size);
	if (!name.symbol_len)
		return 0;
	return site_names_address(n, &name, offset, ret_address);
}

const struct symbol *site_names_find(const struct site_names *n, uint64_t address)
{
	const uint64_t range = (address - FIRST_ADDRESS) / SITE_NAME_RANGE;
	const struct range_row *row;

	if (!site_names_has_range(address))
		return NULL;
	row = table_find(&n->ranges, &range);
	return row ? row->symbol : NULL;
}
