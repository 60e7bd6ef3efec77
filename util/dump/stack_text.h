/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct stack_texts: turns stacks that the kernel printed as text into callchains.
 *
 * A dump repeats few distinct stacks very often: each is parsed once, and found again by its text.
 * The frames are addresses of the site names (util/source/site_names.h), innermost first, after a
 * PERF_CONTEXT_KERNEL marker. Stacks beyond STACK_TEXT_MAX bytes of text are parsed each time, so
 * that memory stays bounded.
 */
#ifndef DUMP_STACK_TEXT_H
#define DUMP_STACK_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/intern.h"
#include "util/base/strbuf.h"
#include "util/source/site_names.h"

#define STACK_TEXT_MAX (32u << 20)

/* Further frames are dropped. The kernel prints at most 16. */
#define STACK_FRAMES_MAX 127

struct stack_texts {
	struct site_names *names; /* borrowed */
	struct intern texts;
	struct known_stack *known; /* for each text */
	size_t cap;
	uint64_t *frames; /* frames of all known stacks, one after the other */
	size_t nr_frames, cap_frames;
	size_t bytes; /* of text */
	/* the latest remembered stack, which often repeats */
	struct strbuf latest;
	uint32_t latest_number; /* INTERN_NONE if none */
	/* the current stack: this many bytes of the latest one or, once it differs, its own text */
	size_t same;
	bool differs;
	struct strbuf text;
	uint64_t scratch[STACK_FRAMES_MAX + 1]; /* frames of a stack that is not remembered */
};

void stack_texts_init(struct stack_texts *s, struct site_names *names);
void stack_texts_deinit(struct stack_texts *s);

/* Begin a stack; add a line to it. */
void stack_texts_begin(struct stack_texts *s);
void stack_texts_add(struct stack_texts *s, const char *line, size_t len);

/*
 * The callchain of the added lines, valid until the next call; nr is 0 if no line was a frame.
 * Errors: -ENOMEM.
 */
int stack_texts_chain(struct stack_texts *s, const uint64_t **ret_chain, size_t *ret_nr);

/*
 * Whether a line (NUL-terminated) is "handle: 17", which names a stack until the next boot, and the
 * call site that stands for that stack. Errors: -ENOMEM.
 */
#define STACK_TEXT_HANDLE "handle: "
bool stack_text_parse_handle(const char *line, size_t len, uint64_t *ret_handle);
int stack_texts_handle_site(const struct stack_texts *s, uint64_t handle, uint64_t *ret_address);

#endif
