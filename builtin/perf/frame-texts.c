// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/perf/frame-texts.h"

#include <stdlib.h>
#include <string.h>

struct frame_text {
	uint64_t pid, address;
	uint32_t offset, len; /* in the text; len 0: an empty slot */
	uint32_t changes;     /* of the process, at the time the line was stored */
};

void frame_texts_init(struct frame_texts *t)
{
	*t = (struct frame_texts){.text = STRBUF_INIT};
}

void frame_texts_deinit(struct frame_texts *t)
{
	free(t->slots);
	strbuf_deinit(&t->text);
}

/* Lines with the same slot replace each other, so colliding numbers do no harm. */
static struct frame_text *slot_of(const struct frame_texts *t, uint64_t pid, uint64_t address)
{
	uint64_t h = (address ^ pid * 0xff51afd7ed558ccdu) * 0x9e3779b97f4a7c15u;

	return &t->slots[h >> (64 - FRAME_TEXTS_SLOTS_BITS)];
}

static uint32_t changes_of(const struct frame_texts *t, uint64_t pid)
{
	return t->changes[pid % FRAME_TEXTS_PROCESSES];
}

const char *frame_texts_find(const struct frame_texts *t, uint64_t pid, uint64_t address,
			     size_t *ret_len)
{
	const struct frame_text *slot;

	if (!t->slots)
		return NULL;
	slot = slot_of(t, pid, address);
	if (slot->address != address || slot->pid != pid || !slot->len ||
	    slot->changes != changes_of(t, pid))
		return NULL;
	*ret_len = slot->len;
	return t->text.buf + slot->offset;
}

void frame_texts_keep(struct frame_texts *t, uint64_t pid, uint64_t address, const char *line,
		      size_t len)
{
	if (len > FRAME_TEXTS_LINE_MAX)
		return;
	if (t->slots && t->text.len + len > FRAME_TEXTS_BYTES_MAX) {
		memset(t->slots, 0, FRAME_TEXTS_SLOTS * sizeof(*t->slots));
		strbuf_reset(&t->text);
	}
	if (!t->slots)
		t->slots = calloc(FRAME_TEXTS_SLOTS, sizeof(*t->slots));
	if (!t->slots || strbuf_add(&t->text, line, len))
		return;
	*slot_of(t, pid, address) = (struct frame_text){.pid = pid,
							.address = address,
							.offset = (uint32_t)(t->text.len - len),
							.len = (uint32_t)len,
							.changes = changes_of(t, pid)};
}

void frame_texts_forget(struct frame_texts *t, uint32_t pid)
{
	t->changes[pid % FRAME_TEXTS_PROCESSES]++;
}
