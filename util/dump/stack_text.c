// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/dump/stack_text.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/units.h"

/* Longer than any stack's text: 127 names of 512 bytes. Text beyond it is ignored. */
#define STACK_TEXT_LINES_MAX (64u << 10)

struct known_stack {
	size_t first; /* of its frames */
	size_t nr;
};

void stack_texts_init(struct stack_texts *s, struct site_names *names)
{
	*s = (struct stack_texts){
		.names = names,
		.text = STRBUF_INIT,
		.latest = STRBUF_INIT,
		.latest_number = INTERN_NONE,
	};
	intern_init(&s->texts);
}

void stack_texts_deinit(struct stack_texts *s)
{
	intern_deinit(&s->texts);
	free(s->known);
	free(s->frames);
	strbuf_deinit(&s->text);
	strbuf_deinit(&s->latest);
}

void stack_texts_begin(struct stack_texts *s)
{
	s->same = 0;
	s->differs = false;
}

/* The current stack differs from the latest one, or is longer. */
static void differ(struct stack_texts *s)
{
	s->differs = true;
	strbuf_reset(&s->text);
	strbuf_add(&s->text, s->latest.buf, s->same);
}

void stack_texts_add(struct stack_texts *s, const char *line, size_t len)
{
	const char *latest = s->latest.buf + s->same;

	if (!s->differs && s->latest.len - s->same > len && latest[len] == '\n' &&
	    !memcmp(latest, line, len)) {
		s->same += len + 1;
		return;
	}
	if (!s->differs)
		differ(s);
	if (s->text.len > STACK_TEXT_LINES_MAX)
		return;
	strbuf_add(&s->text, line, len);
	strbuf_addch(&s->text, '\n');
}

/* Append to the scratch, after the marker. */
static int parse(struct stack_texts *s, size_t *ret_nr)
{
	const char *at = s->text.buf, *end = at + s->text.len;
	size_t nr = 1;

	s->scratch[0] = PERF_CONTEXT_KERNEL;
	while (at < end && nr <= STACK_FRAMES_MAX) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		int ret = site_names_parse(s->names, at, (size_t)(stop - at), &s->scratch[nr]);

		if (ret)
			return ret;
		nr += s->scratch[nr] != 0;
		at = stop + 1;
	}
	*ret_nr = nr > 1 ? nr : 0;
	return 0;
}

static int reserve(struct stack_texts *s, size_t nr_known, size_t nr_frames)
{
	while (s->cap < nr_known) {
		size_t cap = s->cap ? 2 * s->cap : 256;
		struct known_stack *v = reallocarray(s->known, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		s->known = v;
		s->cap = cap;
	}
	while (s->cap_frames < nr_frames) {
		size_t cap = s->cap_frames ? 2 * s->cap_frames : 4096;
		uint64_t *v = reallocarray(s->frames, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		s->frames = v;
		s->cap_frames = cap;
	}
	return 0;
}

/* Take the frames from the scratch. */
static int remember(struct stack_texts *s, size_t nr)
{
	uint32_t number;

	/* at least one, so that the pointer is valid */
	if (reserve(s, s->texts.nr + 1, s->nr_frames + nr + 1))
		return -ENOMEM;
	number = intern_add(&s->texts, s->text.buf, s->text.len);
	if (number == INTERN_NONE)
		return -ENOMEM;
	s->known[number] = (struct known_stack){s->nr_frames, nr};
	memcpy(&s->frames[s->nr_frames], s->scratch, nr * sizeof(s->scratch[0]));
	s->nr_frames += nr;
	s->bytes += s->text.len;
	return 0;
}

static void note_latest(struct stack_texts *s, uint32_t number)
{
	s->latest_number = number;
	strbuf_reset(&s->latest);
	strbuf_add(&s->latest, s->text.buf, s->text.len);
	if (!s->latest.failed)
		return;
	s->latest_number = INTERN_NONE;
	strbuf_deinit(&s->latest);
}

int stack_texts_chain(struct stack_texts *s, const uint64_t **ret_chain, size_t *ret_nr)
{
	uint32_t number = s->latest_number;
	size_t nr = 0;
	int ret;

	*ret_nr = 0;
	if (!s->differs && !s->same)
		return 0;
	if (!s->differs && s->same < s->latest.len)
		differ(s);
	if (s->differs) {
		if (s->text.failed)
			return -ENOMEM;
		number = intern_find(&s->texts, s->text.buf, s->text.len);
		if (number != INTERN_NONE)
			note_latest(s, number);
	}
	if (number != INTERN_NONE) {
		*ret_chain = &s->frames[s->known[number].first];
		*ret_nr = s->known[number].nr;
		return 0;
	}
	ret = parse(s, &nr);
	if (!ret && nr && s->bytes + s->text.len <= STACK_TEXT_MAX)
		ret = remember(s, nr);
	*ret_chain = s->scratch;
	*ret_nr = nr;
	return ret;
}

bool stack_text_parse_handle(const char *line, size_t len, uint64_t *ret_handle)
{
	const size_t key_len = strlen(STACK_TEXT_HANDLE);

	return len > key_len && !memcmp(line, STACK_TEXT_HANDLE, key_len) && strlen(line) == len &&
	       !units_parse_u64(line + key_len, ret_handle);
}

int stack_texts_handle_site(const struct stack_texts *s, uint64_t handle, uint64_t *ret_address)
{
	char text[64];
	const struct site_name name = {
		.symbol = text,
		.symbol_len = (size_t)snprintf(text, sizeof(text), "handle:%" PRIu64, handle),
		.size = 1,
	};

	return site_names_address(s->names, &name, 0, ret_address);
}
