/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of the balance for vmalloc, by caller, and for kernel stacks.
 */
#ifndef WHERE_VMALLOC_PART_H
#define WHERE_VMALLOC_PART_H

#include "util/where/balance.h"
#include "util/where/meminfo.h"
#include "util/where/texts.h"

void vmalloc_part_add(struct balance *b, const struct meminfo *m, const struct where_texts *texts);

#endif
