// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/dump/machine_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/kmem_event.h"

/* The next digits from *at on, at most 18. Returns false if there are none. */
static bool take_number(const char **at, uint64_t *ret_value)
{
	const char *p = *at;
	char *end;

	while (*p == ' ' || *p == '\t')
		p++;
	if (*p < '0' || *p > '9')
		return false;
	*ret_value = strtoull(p, &end, 10);
	if (end - p > 18 || (*end && *end != ' ' && *end != '\t'))
		return false;
	*at = end;
	return true;
}

/* "MemTotal:       16000000 kB", "HugePages_Total:       0" */
static int take_meminfo(struct source_table *t, const struct text_line *line)
{
	const char *colon = strchr(line->text, ':'), *at = colon ? colon + 1 : NULL;
	uint64_t value;

	if (!colon || colon == line->text || !take_number(&at, &value))
		return 0;
	if (!strcmp(at, " kB"))
		value *= 1024;
	else
		return 0; /* numbers of huge pages, whose bytes are in other lines */
	return source_table_add(t, line->text, (size_t)(colon - line->text), &value, 1);
}

/* "nr_free_pages 123456" */
static int take_vmstat(struct source_table *t, const struct text_line *line)
{
	const char *blank = strchr(line->text, ' '), *at = blank;
	uint64_t value;

	if (!blank || blank == line->text || !take_number(&at, &value))
		return 0;
	return source_table_add(t, line->text, (size_t)(blank - line->text), &value, 1);
}

/* Numbers from *at to the end of the line, under the name before them. */
static int add_orders(struct source_table *t, const char *name, size_t len, const char *at)
{
	uint64_t v[SOURCE_TABLE_COLUMNS_MAX];
	unsigned int nr = 0;

	while (nr < t->kind->nr_columns && take_number(&at, &v[nr]))
		nr++;
	return nr ? source_table_add(t, name, len, v, nr) : 0;
}

/* Remove the kernel's padding: "Node    0, zone      DMA" becomes "Node 0, zone DMA". */
static size_t squeeze(const char *from, size_t len, char *to)
{
	size_t n = 0;

	for (size_t i = 0; i < len && n < SOURCE_TABLE_NAME_MAX; i++)
		if (from[i] != ' ' || (n && to[n - 1] != ' '))
			to[n++] = from[i];
	while (n && to[n - 1] == ' ')
		n--;
	return n;
}

/* The text after the word that follows this one, or NULL. */
static const char *behind(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	if (!at)
		return NULL;
	at += strlen(word);
	at += strspn(at, " ");
	at += strcspn(at, " ");
	return *at ? at : NULL;
}

/* "Node 0, zone   Normal      1      2 ..." */
static int take_buddyinfo(struct source_table *t, const struct text_line *line)
{
	const char *at = strncmp(line->text, "Node ", 5) ? NULL : behind(line->text, ", zone ");
	char name[SOURCE_TABLE_NAME_MAX];

	return at ? add_orders(t, name, squeeze(line->text, (size_t)(at - line->text), name), at)
		  : 0;
}

/* "Node    0, zone   Normal, type    Unmovable      1      2 ..."; blocks by type are skipped. */
static int take_pagetypeinfo(struct source_table *t, const struct text_line *line)
{
	const char *at = strncmp(line->text, "Node ", 5) ? NULL : behind(line->text, ", type ");
	char name[SOURCE_TABLE_NAME_MAX];

	return at ? add_orders(t, name, squeeze(line->text, (size_t)(at - line->text), name), at)
		  : 0;
}

unsigned int machine_text_pageblock_order(const struct text_line *line)
{
	static const char key[] = "Page block order: ";
	const char *at = line->text + strlen(key);
	uint64_t order;

	if (strncmp(line->text, key, strlen(key)) != 0 || !take_number(&at, &order))
		return 0;
	return order <= PAGE_ORDER_MAX ? (unsigned int)order : 0;
}

#define ORDER(n)                                                                                   \
	{                                                                                          \
		"order_" #n, #n, false                                                             \
	}
#define ORDERS                                                                                     \
	{                                                                                          \
		ORDER(0), ORDER(1), ORDER(2), ORDER(3), ORDER(4), ORDER(5), ORDER(6), ORDER(7),    \
			ORDER(8), ORDER(9), ORDER(10), ORDER(11), ORDER(12), ORDER(13), ORDER(14), \
			ORDER(15)                                                                  \
	}

/* Most kernels have orders up to 10. */
#define NR_ORDERS 11

static const struct machine_text texts[] = {
	{"meminfo",
	 {"meminfo", "MEMORY OF THE MACHINE (meminfo)", "What", {{"bytes", "Bytes", true}}, 1},
	 take_meminfo},
	{"vmstat",
	 {"vmstat",
	  "COUNTERS (vmstat)",
	  "Counter",
	  {{"value", "Value", false}},
	  1,
	  .is_long = true},
	 take_vmstat},
	{"buddyinfo",
	 {"buddyinfo", "FREE BLOCKS BY ORDER (buddyinfo)", "Zone", ORDERS, NR_ORDERS,
	  .is_matrix = true},
	 take_buddyinfo},
	{"pagetypeinfo",
	 {"pagetypeinfo", "FREE BLOCKS BY MIGRATE TYPE AND ORDER (pagetypeinfo)", "Type", ORDERS,
	  NR_ORDERS, .is_matrix = true},
	 take_pagetypeinfo},
};

const struct machine_text *machine_text_find(const char *name)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!strcmp(texts[i].name, name))
			return &texts[i];
	return NULL;
}

const struct source_table_kind machine_sites = {
	"allocinfo", "LIVE BYTES BY CALL SITE (allocinfo)",
	"Call site", {{"bytes", "Bytes", true}, {"calls", "Calls", false}},
	2,	     .is_long = true,
};

const struct source_table_kind machine_areas = {
	"vmallocinfo",
	"VIRTUALLY CONTIGUOUS MEMORY (vmallocinfo)",
	"Call site",
	{{"bytes", "Bytes", true}, {"areas", "Areas", false}},
	2,
	.is_long = true,
};
