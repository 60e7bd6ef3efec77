// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/where/meminfo.h"

#include <stdio.h>
#include <string.h>

#include "util/where/scan.h"

struct counter {
	const char *word;
	int64_t *to;
};

/* Set the counter with this word to the number at `at`, times unit. */
static void set(const struct counter *counters, size_t nr, const char *word, size_t len,
		const char *at, int64_t unit)
{
	int64_t value;

	for (size_t i = 0; i < nr; i++)
		if (!strncmp(counters[i].word, word, len) && !counters[i].word[len]) {
			if (*counters[i].to < 0 && scan_number(&at, &value) &&
			    value <= SCAN_NUMBER_MAX / unit)
				*counters[i].to = value * unit;
			return;
		}
}

#define COUNTER_AT(name, word)	    {word, &m->name},
#define COUNTER_UNKNOWN(name, word) m->name = -1;

static void read_meminfo(struct meminfo *m, const struct strbuf *text)
{
	const struct counter counters[] = {MEMINFO_COUNTERS(COUNTER_AT)};
	const struct counter number = {"HugePages_Total", &m->nr_huge_pages};
	struct scan s;

	scan_init(&s, text->buf, text->len);
	while (scan_next(&s)) {
		const char *colon = strchr(s.line, ':');
		const bool is_kb = s.len > 3 && !strcmp(s.line + s.len - 3, " kB");

		if (!colon)
			continue;
		if (is_kb)
			set(counters, sizeof(counters) / sizeof(counters[0]), s.line,
			    (size_t)(colon - s.line), colon + 1, 1024);
		else
			set(&number, 1, s.line, (size_t)(colon - s.line), colon + 1, 1);
	}
}

static void read_vmstat(struct meminfo *m, const struct strbuf *text, int64_t page)
{
	const struct counter counters[] = {VMSTAT_COUNTERS(COUNTER_AT)};
	struct scan s;

	scan_init(&s, text->buf, text->len);
	while (scan_next(&s)) {
		size_t len = strcspn(s.line, " ");

		set(counters, sizeof(counters) / sizeof(counters[0]), s.line, len, s.line + len,
		    page);
	}
}

void meminfo_read(struct meminfo *m, const struct where_texts *texts)
{
	MEMINFO_COUNTERS(COUNTER_UNKNOWN)
	VMSTAT_COUNTERS(COUNTER_UNKNOWN)
	m->nr_huge_pages = -1;
	read_meminfo(m, &texts->v[WHERE_MEMINFO].text);
	read_vmstat(m, &texts->v[WHERE_VMSTAT].text, texts->facts.page_size);
	/* Hugetlb, the sum over all sizes, exists since 4.16 */
	if (m->hugetlb < 0 && m->nr_huge_pages > 0 && m->huge_page > 0 &&
	    __builtin_mul_overflow(m->nr_huge_pages, m->huge_page, &m->hugetlb))
		m->hugetlb = -1;
}

/* ---- zones ----------------------------------------------------------------------------------- */

/* "Node 0, zone   Normal" */
static bool parse_zone(const char *line, struct meminfo_zone *ret_zone)
{
	char zone[16];
	int node;

	if (sscanf(line, "Node %9d, zone %15s", &node, zone) != 2)
		return false;
	*ret_zone = (struct meminfo_zone){.free = 0};
	snprintf(ret_zone->name, sizeof(ret_zone->name), "node %d, %s", node, zone);
	return true;
}

static bool add_pages(const char *line, const char *key, int64_t page, int64_t *to)
{
	const char *at = line + strspn(line, " ");
	int64_t pages, bytes;

	if (strncmp(at, key, strlen(key)) != 0)
		return false;
	at += strlen(key);
	if (scan_number(&at, &pages) && pages <= SCAN_NUMBER_MAX / page) {
		bytes = *to + pages * page;
		*to = bytes <= SCAN_NUMBER_MAX ? bytes : *to;
	}
	return true;
}

size_t meminfo_read_zones(struct meminfo_zone *zones, const struct where_texts *texts)
{
	const struct strbuf *text = &texts->v[WHERE_ZONEINFO].text;
	const int64_t page = texts->facts.page_size;
	struct meminfo_zone zone;
	struct scan s;
	size_t nr = 0;

	scan_init(&s, text->buf, text->len);
	while (scan_next(&s)) {
		if (parse_zone(s.line, &zone)) {
			if (nr == MEMINFO_ZONES_MAX)
				break;
			zones[nr++] = zone;
			continue;
		}
		/* "  pages free     3840"; in "pagesets", of each CPU: "count:    12" */
		if (nr && !add_pages(s.line, "pages free ", page, &zones[nr - 1].free) &&
		    !add_pages(s.line, "managed ", page, &zones[nr - 1].managed))
			add_pages(s.line, "count:", page, &zones[nr - 1].lists);
	}
	return nr;
}
