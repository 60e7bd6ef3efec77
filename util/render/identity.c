// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/render/identity.h"

#include <string.h>

enum { PROGRAM, MACHINE };

const char *const identity_ids[IDENTITY_NR] = {
	[PROGRAM] = "program_version",
	[MACHINE] = "hostname",
	"machine_id",
	"boot_id",
	"kernel",
	"kernel_build_id",
	"wall_clock_ns",
	"start_ns",
	"stop_ns",
};

const struct document_figure *identity_figure(const struct document_section *s, const char *id,
					      unsigned int audience)
{
	for (size_t i = 0; s && i < s->nr_items; i++) {
		const struct document_item *item = &s->items[i];

		if (item->kind == DOCUMENT_FIGURE && item->audience & audience && item->figure.id &&
		    !strcmp(item->figure.id, id))
			return &item->figure;
	}
	return NULL;
}

bool identity_is_in(const struct document_section *s, unsigned int audience)
{
	return identity_figure(s, identity_ids[MACHINE], audience);
}

const struct document_section *identity_find(const struct document_section *root,
					     unsigned int audience)
{
	const struct document_section *found = identity_is_in(root, audience) ? root : NULL;

	for (size_t i = 0; i < root->nr_items && !found; i++)
		if (root->items[i].kind == DOCUMENT_SECTION)
			found = identity_find(root->items[i].section, audience);
	return found;
}

/* Reports of intervals have their times in a section beside that of the machine. */
static const struct document_figure *beside(const struct document_section *parent, const char *id,
					    unsigned int audience)
{
	const struct document_figure *f = NULL;

	for (size_t i = 0; parent && i < parent->nr_items && !f; i++)
		if (parent->items[i].kind == DOCUMENT_SECTION)
			f = identity_figure(parent->items[i].section, id, audience);
	return f;
}

void identity_take(struct identity *identity, const struct document_section *root,
		   const struct document_section *section, unsigned int audience)
{
	identity->section = section;
	identity->v[PROGRAM] = identity_figure(root, identity_ids[PROGRAM], audience);
	for (int i = MACHINE; i < IDENTITY_NR; i++) {
		const char *id = identity_ids[i];

		identity->v[i] = identity_figure(section, id, audience);
		if (!identity->v[i])
			identity->v[i] = beside(section ? section->parent : NULL, id, audience);
	}
}
