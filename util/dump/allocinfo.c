// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The source that reads /proc/allocinfo (lib/alloc_tag.c, since 6.10): the live allocations of each
 * line of the kernel's code.
 *
 *	allocinfo - version: 1.0
 *	#     <size>  <calls> <tag info>
 *	        4096        1 fs/pipe.c:791 func:alloc_pipe_info
 *	         256        4 crypto/api.c:519 [crypto] func:crypto_alloc_tfmmem
 *
 * Version 2.0 adds "accurate:no" where counters may be wrong. Unknown words of the form KEY:VALUE
 * are skipped, wherever they stand. Sizes are signed: counters of memory that was freed for another
 * line can be below 0.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/log.h"
#include "util/base/label.h"
#include "util/base/strbuf.h"
#include "util/dump/allocinfo.h"
#include "util/dump/dump.h"

#define MAGIC	      "allocinfo - version: "
#define VERSION_KNOWN 2

struct allocinfo {
	struct dump dump;
	struct strbuf name;   /* call site of the current line */
	uint64_t nr_negative; /* number of lines with a negative size, */
	uint64_t negative;    /* and the bytes that they lack, in total */
	uint64_t nr_inaccurate;
};

/* The fields of a line; the strings point into it. */
struct site {
	int64_t bytes;
	uint64_t calls;
	const char *place, *module, *function; /* module is NULL for the kernel itself */
	size_t place_len, module_len, function_len;
	bool inaccurate;
};

static bool probe(const struct source_input *input)
{
	return source_input_begins(input, MAGIC);
}

/* The next word, or NULL. */
static const char *next_word(const char **at, const char *end, size_t *ret_len)
{
	const char *from = *at;

	while (from < end && *from == ' ')
		from++;
	*at = from;
	while (*at < end && **at != ' ')
		++*at;
	*ret_len = (size_t)(*at - from);
	return *ret_len ? from : NULL;
}

/* A number of 64 bits: digits only. */
static bool parse_number(const char *word, size_t len, uint64_t *ret_value)
{
	uint64_t v = 0;

	for (size_t i = 0; i < len; i++) {
		if (word[i] < '0' || word[i] > '9' || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(word[i] - '0'), &v))
			return false;
	}
	*ret_value = v;
	return len > 0;
}

static bool parse_signed(const char *word, size_t len, int64_t *ret_value)
{
	bool negative = len && word[0] == '-';
	uint64_t v;

	if (!parse_number(word + negative, len - negative, &v) || v > INT64_MAX)
		return false;
	*ret_value = negative ? -(int64_t)v : (int64_t)v;
	return true;
}

static bool is_word(const char *word, size_t len, const char *text)
{
	return len == strlen(text) && !memcmp(word, text, len);
}

static bool begins(const char *word, size_t len, const char *text)
{
	return len > strlen(text) && !memcmp(word, text, strlen(text));
}

static void take_tag(struct site *s, const char *word, size_t len)
{
	if (word[0] == '[' && word[len - 1] == ']' && len > 2) {
		s->module = word + 1;
		s->module_len = len - 2;
	} else if (begins(word, len, "func:")) {
		s->function = word + strlen("func:");
		s->function_len = len - strlen("func:");
	} else if (is_word(word, len, "accurate:no")) {
		s->inaccurate = true;
	}
}

static bool parse_line(const char *text, size_t len, struct site *ret_site)
{
	const char *at = text, *end = text + len, *word;
	size_t word_len;

	*ret_site = (struct site){.place = NULL};
	word = next_word(&at, end, &word_len);
	if (!word || !parse_signed(word, word_len, &ret_site->bytes))
		return false;
	word = next_word(&at, end, &word_len);
	if (!word || !parse_number(word, word_len, &ret_site->calls) ||
	    ret_site->calls > DUMP_NUMBER_MAX)
		return false;
	ret_site->place = next_word(&at, end, &ret_site->place_len);
	while ((word = next_word(&at, end, &word_len)))
		take_tag(ret_site, word, word_len);
	return ret_site->place && ret_site->function;
}

/* "alloc_pipe_info@fs/pipe.c:791" */
static int address_of(struct allocinfo *a, const struct site *s, uint64_t *ret_address)
{
	struct site_name name;

	strbuf_reset(&a->name);
	if (strbuf_add(&a->name, s->function, s->function_len) || strbuf_addch(&a->name, '@') ||
	    strbuf_add(&a->name, s->place, s->place_len))
		return -ENOMEM;
	name = (struct site_name){a->name.buf, a->name.len, s->module, s->module_len, 1};
	return site_names_address(a->dump.names, &name, 0, ret_address);
}

static int take_site(struct allocinfo *a, const struct site *s)
{
	uint64_t bytes = s->bytes > 0 ? (uint64_t)s->bytes : 0;
	uint64_t each = s->calls ? bytes / s->calls : 0;
	struct kmem_event keys = {.cpu = -1, .node = NUMA_NO_NODE};
	struct complete_event row = {.cache = label_unknown};
	int ret;

	if (s->bytes < 0) {
		a->nr_negative++;
		a->negative += (uint64_t)-s->bytes;
	}
	a->nr_inaccurate += s->inaccurate;
	if (!s->calls && !bytes)
		return 0; /* most lines have no live allocations */
	keys.bytes_req = keys.bytes_alloc = each < SLAB_BYTES_MAX ? each : SLAB_BYTES_MAX;
	ret = address_of(a, s, &keys.call_site);
	return ret ? ret : dump_add(&a->dump, &keys, &row, s->calls, bytes, bytes);
}

static int take_line(struct dump *d, const struct text_line *line)
{
	struct site site;

	if (!line->len || line->text[0] == '#' || dump_take_header(d, line, MAGIC, VERSION_KNOWN))
		return 0;
	if (line->was_cut || !parse_line(line->text, line->len, &site))
		return dump_bad_line(d, line, "is not a call site with its allocations");
	return take_site((struct allocinfo *)d, &site);
}

static int finish(struct dump *d)
{
	const struct allocinfo *a = (struct allocinfo *)d;

	if (a->nr_negative)
		log_warn("'%s': %" PRIu64 " call sites have freed more than they allocated, as far "
			 "as the kernel knows, in total %" PRIu64 " bytes: they are shown as 0",
			 d->facts.path, a->nr_negative, a->negative);
	if (a->nr_inaccurate)
		log_warn("'%s': the kernel says of %" PRIu64
			 " call sites that their figures are not accurate",
			 d->facts.path, a->nr_inaccurate);
	return 0;
}

static int init(struct dump *d)
{
	strbuf_init(&((struct allocinfo *)d)->name);
	return 0;
}

static void deinit(struct dump *d)
{
	strbuf_deinit(&((struct allocinfo *)d)->name);
}

static int open_input(struct input *input, const struct source_options *options,
		      struct event_source **ret_source, struct error *err)
{
	static const struct dump_kind kind = {
		.ops = &event_source_allocinfo,
		.size = sizeof(struct allocinfo),
		.what = "allocinfo",
		.keys = ALLOCINFO_KEYS,
		.kind = KMEM_SLAB_ALLOC,
		.requests_unknown = true,
		.init = init,
		.deinit = deinit,
		.take_line = take_line,
		.finish = finish,
	};

	return dump_open(&kind, input, options, ret_source, err);
}

const struct event_source_ops event_source_allocinfo = {
	.name = "allocinfo",
	.limits = "frees, requested sizes, caches, stacks or processes; pages and objects of the "
		  "slab allocator cannot be distinguished and are all counted as the latter",
	.probe = probe,
	.open_input = open_input,
	.read = dump_read,
	.free = dump_free,
};
