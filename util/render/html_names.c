// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/render/html_names.h"

#include <stddef.h>
#include <string.h>

#define STRING_MAX 1000 /* bytes; longer ones are cut */
#define NO_STRING  (-1)

struct frame {
	/* the key; the module belongs to it because an address can be reused by another module */
	uint64_t address;
	int64_t symbol, module; /* numbers of strings, or NO_STRING */
	int64_t offset;		/* -1 if the symbol has none */
	bool is_user;		/* the module is the file of a program or library */
};

/* An address in a callchain. In user space it differs from the frame's address. */
struct named_address {
	uint64_t address;
	uint64_t frame; /* number + 1; 0 if not named yet */
};

struct stack_node {
	uint64_t caller; /* number + 1; 0 if none */
	uint64_t frame;
};

void html_names_init(struct html_names *n, bool raw_ip)
{
	*n = (struct html_names){.raw_ip = raw_ip, .cut = STRBUF_INIT};
	intern_init(&n->strings);
	table_init(&n->frames, sizeof(struct frame), offsetof(struct frame, offset));
	table_init(&n->named, sizeof(struct named_address), sizeof(uint64_t));
	table_init(&n->nodes, sizeof(struct stack_node), sizeof(struct stack_node));
}

void html_names_deinit(struct html_names *n)
{
	intern_deinit(&n->strings);
	table_deinit(&n->frames);
	table_deinit(&n->named);
	table_deinit(&n->nodes);
	strbuf_deinit(&n->cut);
}

static size_t cut_length(const char *text, size_t len)
{
	if (len <= STRING_MAX)
		return len;
	for (len = STRING_MAX; len && ((unsigned char)text[len] & 0xc0) == 0x80; len--)
		;
	return len;
}

int64_t html_names_string(struct html_names *n, const char *text)
{
	size_t len = text ? strlen(text) : 0, keep = cut_length(text, len);
	uint32_t number;

	if (!text)
		return NO_STRING;
	if (keep < len) {
		strbuf_reset(&n->cut);
		strbuf_add(&n->cut, text, keep);
		strbuf_addstr(&n->cut, "…");
		number = intern_add_str(&n->strings, n->cut.buf);
	} else {
		number = intern_add(&n->strings, text, len);
	}
	n->failed |= number == INTERN_NONE;
	return number;
}

/* Each address of a callchain is resolved once. */
static uint64_t frame_of_stack(struct html_names *n, const struct value_stack *stack,
			       uint64_t address)
{
	struct named_address *known = table_insert(&n->named, &address);

	if (!known) {
		n->failed = true;
		return 0;
	}
	if (!known->frame) {
		const struct value_callsite c = stack->name(stack->naming, address);

		known->frame = html_names_frame(n, &c) + 1;
	}
	return known->frame - 1;
}

uint64_t html_names_frame(struct html_names *n, const struct value_callsite *c)
{
	const struct frame key = {
		.address = c->address,
		.symbol = html_names_string(n, n->raw_ip ? NULL : c->symbol),
		.module = html_names_string(n, c->dso ? c->dso : c->module),
	};
	uint32_t known = n->frames.nr, number = table_insert_number(&n->frames, &key);
	struct frame *f;

	if (number == TABLE_NO_ROW) {
		n->failed = true;
		return 0;
	}
	if (number < known)
		return number;
	f = table_row(&n->frames, number);
	f->is_user = c->dso;
	f->offset = c->is_place ? -1 : (int64_t)c->offset;
	return number;
}

/* The number of the innermost frame's node. */
uint64_t html_names_stack(struct html_names *n, const struct value_stack *stack)
{
	struct stack_node key = {.caller = 0};

	for (size_t i = stack->nr; i-- > 0;) {
		uint32_t node;

		key.frame = frame_of_stack(n, stack, stack->frames[i]);
		node = table_insert_number(&n->nodes, &key);
		n->failed |= node == TABLE_NO_ROW;
		key.caller = node + UINT64_C(1);
	}
	return key.caller - 1;
}

static void write_strings(const struct html_names *n, struct json *j)
{
	json_open(j, "strings", '[', true);
	for (uint32_t i = 0; i < n->strings.nr; i++)
		json_string(j, NULL, intern_get(&n->strings, i, NULL));
	json_close(j, ']');
}

static void write_frames(const struct html_names *n, struct json *j)
{
	json_open(j, "frames", '[', true);
	for (uint32_t i = 0; i < n->frames.nr; i++) {
		const struct frame *f = table_row(&n->frames, i);

		json_open(j, NULL, '[', true);
		json_i64(j, NULL, f->symbol);
		json_i64(j, NULL, f->module);
		json_i64(j, NULL, f->offset);
		if (f->symbol < 0)
			json_hex(j, NULL, f->address);
		else if (f->is_user)
			json_string(j, NULL, NULL);
		if (f->is_user)
			json_u64(j, NULL, 1);
		json_close(j, ']');
	}
	json_close(j, ']');
}

static void write_nodes(const struct html_names *n, struct json *j)
{
	json_open(j, "stacks", '[', true);
	for (uint32_t i = 0; i < n->nodes.nr; i++) {
		const struct stack_node *node = table_row(&n->nodes, i);

		json_i64(j, NULL, (int64_t)node->caller - 1);
		json_u64(j, NULL, node->frame);
	}
	json_close(j, ']');
}

void html_names_write(const struct html_names *n, struct json *j)
{
	write_frames(n, j);
	write_nodes(n, j);
	write_strings(n, j);
}
