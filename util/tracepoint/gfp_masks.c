// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/tracepoint/gfp_masks.h"

#include <stdio.h>
#include <string.h>

/* name: without "__GFP_". */
static uint32_t mask_of(const struct flag_names *names, const struct gfp_era *era, const char *name)
{
	char flag[32], identifier[48];
	uint64_t bit;

	snprintf(flag, sizeof(flag), "__GFP_%s", name);
	for (size_t i = 0; i < names->nr; i++)
		if (!strcmp(names->v[i].name, flag))
			return (uint32_t)names->v[i].mask;
	snprintf(identifier, sizeof(identifier), "___GFP_%s_BIT", name);
	return gfp_era_bit(era, identifier, strlen(identifier), &bit) ? 1u << bit : 0;
}

void gfp_masks_init(struct gfp_masks *m, const struct flag_names *names, const struct gfp_era *era)
{
	m->account = mask_of(names, era, "ACCOUNT");
	m->dma = mask_of(names, era, "DMA");
	m->reclaimable = mask_of(names, era, "RECLAIMABLE");
}

bool gfp_nothing_is_accounted(const char *text, size_t len)
{
	static const char off[] = "(0 && (REC->gfp_flags & ";

	return memmem(text, len, off, sizeof(off) - 1) != NULL;
}
