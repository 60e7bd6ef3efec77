// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/dump/vmalloc_line.h"

#include <stdlib.h>
#include <string.h>

#include "util/dump/dump.h"
#include "util/event/area_functions.h"

/* Words behind the caller, and what they show. */
static const struct {
	const char *word;
	enum area_use use;
} flags[] = {
	{"ioremap", AREA_IOREMAP},   {"vmalloc", AREA_VMALLOC}, {"vmap", AREA_VMAP},
	{"dma-coherent", AREA_VMAP}, {"user", AREA_OTHER},	{"vpages", AREA_OTHER},
};

/* Moves to the next word, and returns its length; 0: the text is at its end. */
static size_t next_word(const char **at)
{
	*at += strspn(*at, " ");
	return strcspn(*at, " ");
}

static bool is_word(const char *word, size_t len, const char *text)
{
	return len == strlen(text) && !memcmp(word, text, len);
}

static bool parse_number(const char *word, size_t len, uint64_t *ret_value)
{
	char *end;

	if (*word < '0' || *word > '9')
		return false;
	*ret_value = strtoull(word, &end, 10);
	return end == word + len && *ret_value <= DUMP_NUMBER_MAX;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

bool vmalloc_line_begins(const char *text, size_t len)
{
	const size_t prefix = strlen("0x");
	size_t i = prefix;

	if (len < prefix || memcmp(text, "0x", prefix) != 0)
		return false;
	/* 4.15 prints "(____ptrval____)" until it has random numbers */
	while (i < len && (is_hex(text[i]) || (text[i] && strchr("(_ptrval)", text[i]))))
		i++;
	return i > prefix && len - i > 3 && !memcmp(text + i, "-0x", 3);
}

/* A word that is not the caller. Returns false for others. */
static bool take_fact(struct vmalloc_line *l, const char *word, size_t len)
{
	static const char pages[] = "pages=";
	const size_t key = strlen(pages);

	if (len > key && !memcmp(word, pages, key))
		return parse_number(word + key, len - key, &l->pages);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (is_word(word, len, flags[i].word)) {
			l->use = area_use_outside(l->use, flags[i].use);
			return true;
		}
	return memchr(word, '=', len); /* phys=0x..., N0=4 */
}

/* "htab_map_alloc+0x2e4/0x5a0 [module]" */
static void take_caller(struct vmalloc_line *l, const char **at, size_t len)
{
	const char *end = *at + len, *module = end;
	size_t module_len = next_word(&module);

	if (module_len > 2 && module[0] == '[' && module[module_len - 1] == ']')
		end = module + module_len;
	l->caller = *at;
	l->caller_len = (size_t)(end - *at);
	*at = end;
}

bool vmalloc_line_parse(const char *text, struct vmalloc_line *ret_line)
{
	const char *at = text;
	size_t len = next_word(&at);

	*ret_line = (struct vmalloc_line){.use = AREA_OTHER};
	if (!vmalloc_line_begins(at, len))
		return false;
	at += len;
	len = next_word(&at);
	if (!parse_number(at, len, &ret_line->bytes))
		return false;
	at += len;
	len = next_word(&at);
	if (is_word(at, len, "unpurged") || is_word(at, len, "vm_map_ram")) {
		ret_line->use = *at == 'u' ? AREA_UNPURGED : AREA_MAP_RAM;
		return true;
	}
	if (len && !take_fact(ret_line, at, len))
		take_caller(ret_line, &at, len);
	for (; (len = next_word(&at)); at += len)
		take_fact(ret_line, at, len);
	return true;
}
