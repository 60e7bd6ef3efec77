/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct stack_texts: stacks that the kernel printed as lines of text, as callchains.
 *
 * A dump repeats few distinct stacks very often: each is parsed once, and found again by its text.
 * The frames are addresses of the site names (util/source/site_names.h), innermost first, behind a
 * PERF_CONTEXT_KERNEL marker.  Stacks beyond STACK_TEXT_MAX bytes of text are parsed each time, so
 * that an input of nothing but stacks does not fill the memory.
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

/* Frames after this many are dropped, as nothing needs them; the kernel prints at most 16. */
#define STACK_FRAMES_MAX 127

struct stack_texts {
	struct site_names *names; /* borrowed */
	struct intern texts;
	struct known_stack *known; /* for each text */
	size_t cap;
	uint64_t *frames; /* of all known stacks, one after the other */
	size_t nr_frames, cap_frames;
	size_t bytes; /* of text */
	/* the latest stack that is remembered, which the next one is likely to be */
	struct strbuf latest;
	uint32_t latest_number; /* INTERN_NONE: none */
	/* the current stack: so much of the latest one or, once it differs, a text of its own */
	size_t same;
	bool differs;
	struct strbuf text;
	uint64_t scratch[STACK_FRAMES_MAX + 1]; /* of a stack that is not remembered */
};

void stack_texts_init(struct stack_texts *s, struct site_names *names);
void stack_texts_deinit(struct stack_texts *s);

/* Begin a stack, and add a line of it. */
void stack_texts_begin(struct stack_texts *s);
void stack_texts_add(struct stack_texts *s, const char *line, size_t len);

/*
 * The callchain of what was added; nr 0: no line was a frame.  Valid until the next call of this
 * function. Errors: -ENOMEM.
 */
int stack_texts_chain(struct stack_texts *s, const uint64_t **ret_chain, size_t *ret_nr);

/*
 * Where the kernel printed no stack but "handle: 17", which names it until the machine is started
 * again: does the line (with a NUL behind it) say so, and the call site that stands for the stack.
 * Errors: -ENOMEM.
 */
#define STACK_TEXT_HANDLE "handle: "
bool stack_text_parse_handle(const char *line, size_t len, uint64_t *ret_handle);
int stack_texts_handle_site(const struct stack_texts *s, uint64_t handle, uint64_t *ret_address);

#endif
