// SPDX-License-Identifier: GPL-2.0-or-later
#if defined HAVE_PROTOBUF_C && defined HAVE_ZLIB
#define ZLIB_CONST /* next_in is const */
#include "util/pprof/pprof_profile.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/printable.h"
#include "util/render/value_text.h"

#define GZIP_WINDOW  (15 + 16) /* zlib: the largest window, plus 16 for a gzip header */
#define MEMORY_LEVEL 8	       /* zlib's default */

/* Rows of all tables are numbered from 0, ids in the format from 1. */
struct location {
	uint64_t address;    /* 0 if it has only a name */
	uint64_t name, file; /* numbers of strings; two kernels may be compared */
};

/* Each address is resolved once for each `naming`. */
struct frame {
	uint64_t naming, address; /* the key */
	uint64_t location;
};

struct function {
	uint64_t name, file; /* numbers of strings */
};

struct mapping {
	uint64_t name; /* number of a string */
	uint64_t start, end;
	uint64_t build_id; /* number of a string */
};

/* Returns 0 or -ENOMEM. */
static int gzip_stream_init(struct gzip_stream *s, FILE *out)
{
	*s = (struct gzip_stream){.out = out};
	return deflateInit2(&s->z, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
			    Z_DEFAULT_STRATEGY) == Z_OK
		       ? 0
		       : -ENOMEM;
}

/* Compress all of next_in: deflate() has more output as long as it fills the buffer. */
static void deflate_all(struct gzip_stream *s, int flush)
{
	do {
		s->z.next_out = s->room;
		s->z.avail_out = sizeof(s->room);
		deflate(&s->z, flush);
		fwrite(s->room, 1, sizeof(s->room) - s->z.avail_out, s->out);
	} while (!s->z.avail_out);
}

static void gzip_stream_write(struct gzip_stream *s, const void *data, size_t size)
{
	const size_t most = 1 << 30; /* zlib counts in 32 bits */

	for (const uint8_t *at = data; size;) {
		size_t now = size < most ? size : most;

		s->z.next_in = at;
		s->z.avail_in = (uInt)now;
		deflate_all(s, Z_NO_FLUSH);
		at += now;
		size -= now;
	}
}

/* Write the rest and free the stream. */
static void gzip_stream_finish(struct gzip_stream *s)
{
	s->z.avail_in = 0;
	deflate_all(s, Z_FINISH);
	deflateEnd(&s->z);
}

void pprof_profile_write(struct pprof_profile *p, const Pprof__Profile *piece)
{
	size_t size = pprof__profile__get_packed_size(piece);

	strbuf_reset(&p->packed);
	if (strbuf_grow(&p->packed, size))
		return;
	pprof__profile__pack(piece, (uint8_t *)p->packed.buf);
	gzip_stream_write(&p->gzip, p->packed.buf, size);
}

/* Readers require UTF-8. */
int64_t pprof_profile_string(struct pprof_profile *p, const char *text)
{
	uint32_t number;

	strbuf_reset(&p->text);
	strbuf_addstr(&p->text, text);
	printable_strbuf(&p->text, 0);
	number = intern_add(&p->strings, p->text.buf, p->text.len);
	p->failed |= number == INTERN_NONE;
	return number;
}

/* The id of a row. *ret_new: it was just added and must be written. */
static uint64_t id_of(struct pprof_profile *p, struct table *t, const void *key, bool *ret_new)
{
	uint32_t known = t->nr, number = table_insert_number(t, key);

	p->failed |= number == TABLE_NO_ROW;
	*ret_new = number != TABLE_NO_ROW && number == known;
	return number + UINT64_C(1);
}

/* The numbers of strings with the build-id in hexadecimal digits; 0 if it is unknown. */
static int64_t build_id_string(struct pprof_profile *p, const struct code_map *map)
{
	if (!map->build_id_size)
		return 0;
	strbuf_reset(&p->name);
	strbuf_add_hex_bytes(&p->name, map->build_id, map->build_id_size);
	return pprof_profile_string(p, p->name.buf);
}

/*
 * Readers merge locations of several profiles by build-id (else by name), size and distance from
 * the start, as the addresses of one kernel differ from boot to boot.
 */
static uint64_t mapping_id(struct pprof_profile *p, int64_t name, const struct value_callsite *c)
{
	struct code_map map = {.start = 0};
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *one = &mapping;
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	struct mapping key;
	bool is_new;

	if (!c->find_map || !c->find_map(c->naming, c, &map))
		map = (struct code_map){.start = 0};
	mapping.filename = name;
	mapping.memory_start = map.start;
	mapping.memory_limit = map.end;
	mapping.build_id = build_id_string(p, &map);
	mapping.has_functions = true; /* so that readers do not look for symbols */
	key = (struct mapping){(uint64_t)name, map.start, map.end, (uint64_t)mapping.build_id};
	mapping.id = id_of(p, &p->mappings, &key, &is_new);
	piece.mapping = &one;
	piece.n_mapping = 1;
	if (is_new)
		pprof_profile_write(p, &piece);
	return mapping.id;
}

static uint64_t function_id(struct pprof_profile *p, int64_t name, int64_t file)
{
	const struct function key = {(uint64_t)name, (uint64_t)file};
	Pprof__Function function = PPROF__FUNCTION__INIT, *one = &function;
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	bool is_new;

	function.id = id_of(p, &p->functions, &key, &is_new);
	function.name = function.system_name = name;
	function.filename = file;
	piece.function = &one;
	piece.n_function = 1;
	if (is_new)
		pprof_profile_write(p, &piece);
	return function.id;
}

/* A location is written on first use. c: NULL if it has no address. */
static uint64_t location_id(struct pprof_profile *p, const char *name,
			    const struct value_callsite *c)
{
	Pprof__Line line = PPROF__LINE__INIT, *one_line = &line;
	Pprof__Location location = PPROF__LOCATION__INIT, *one = &location;
	Pprof__Profile piece = PPROF__PROFILE__INIT;
	struct location key = {.address = c ? c->address : 0};
	bool is_new;

	key.name = (uint64_t)pprof_profile_string(p, name);
	if (c)
		key.file = (uint64_t)pprof_profile_string(p, c->dso	 ? c->dso
							     : c->module ? c->module
									 : "[kernel]");
	location.id = id_of(p, &p->locations, &key, &is_new);
	if (!is_new)
		return location.id;
	line.function_id = function_id(p, (int64_t)key.name, (int64_t)key.file);
	location.address = key.address;
	location.mapping_id = c ? mapping_id(p, (int64_t)key.file, c) : 0;
	location.line = &one_line;
	location.n_line = 1;
	piece.location = &one;
	piece.n_location = 1;
	pprof_profile_write(p, &piece);
	return location.id;
}

uint64_t pprof_profile_callsite(struct pprof_profile *p, const struct value_callsite *c)
{
	/* readers merge by function, so leave out the offset */
	strbuf_reset(&p->name);
	if (c->symbol && !p->raw_ip)
		strbuf_addstr(&p->name, c->symbol);
	else
		value_add_callsite(&p->name, c, true);
	return location_id(p, p->name.buf, c->address ? c : NULL);
}

uint64_t pprof_profile_name(struct pprof_profile *p, const char *name)
{
	return location_id(p, name, NULL);
}

uint64_t pprof_profile_frame(struct pprof_profile *p, const struct value_stack *stack, size_t frame)
{
	const struct frame key = {(uintptr_t)stack->naming, stack->frames[frame], 0};
	struct frame *known = table_insert(&p->frames, &key);

	if (!known) {
		p->failed = true;
		return 0;
	}
	if (!known->location) {
		struct value_callsite c = stack->name(stack->naming, key.address);

		known->location = pprof_profile_callsite(p, &c);
	}
	return known->location;
}

int pprof_profile_init(struct pprof_profile *p, FILE *out, bool raw_ip)
{
	*p = (struct pprof_profile){
		.packed = STRBUF_INIT,
		.text = STRBUF_INIT,
		.name = STRBUF_INIT,
		.raw_ip = raw_ip,
	};
	if (gzip_stream_init(&p->gzip, out))
		return -ENOMEM;
	intern_init(&p->strings);
	table_init(&p->locations, sizeof(struct location), sizeof(struct location));
	table_init(&p->frames, sizeof(struct frame), offsetof(struct frame, location));
	table_init(&p->functions, sizeof(struct function), sizeof(struct function));
	table_init(&p->mappings, sizeof(struct mapping), sizeof(struct mapping));
	pprof_profile_string(p, "");
	return 0;
}

static void write_strings(struct pprof_profile *p)
{
	for (uint32_t i = 0; i < p->strings.nr; i++) {
		char *one = (char *)(uintptr_t)intern_get(&p->strings, i, NULL);
		Pprof__Profile piece = PPROF__PROFILE__INIT;

		piece.string_table = &one;
		piece.n_string_table = 1;
		pprof_profile_write(p, &piece);
	}
}

int pprof_profile_finish(struct pprof_profile *p)
{
	bool failed;

	write_strings(p);
	gzip_stream_finish(&p->gzip);
	failed = p->failed || p->packed.failed || p->text.failed || p->name.failed;
	intern_deinit(&p->strings);
	table_deinit(&p->locations);
	table_deinit(&p->frames);
	table_deinit(&p->functions);
	table_deinit(&p->mappings);
	strbuf_deinit(&p->packed);
	strbuf_deinit(&p->text);
	strbuf_deinit(&p->name);
	return failed ? -ENOMEM : 0;
}
#endif
