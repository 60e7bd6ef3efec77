/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of the balance below slab: reclaimable and unreclaimable, and their caches.
 */
#ifndef WHERE_SLAB_PART_H
#define WHERE_SLAB_PART_H

#include "util/where/balance.h"
#include "util/where/holders.h"
#include "util/where/meminfo.h"
#include "util/where/texts.h"

void slab_part_add(struct balance *b, const struct meminfo *m, const struct where_texts *texts,
		   const struct holders *holders);

#endif
