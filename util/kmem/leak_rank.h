/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ranking of the rows of perf kmem leak, and the findings among them.
 *
 * Rows are ranked once, for every form: by behaviour, evidence, bytes.  Findings are the kernel's
 * rows that leak or grow with high evidence (with medium evidence if there is none with high), by
 * that ranking.
 */
#ifndef KMEM_LEAK_RANK_H
#define KMEM_LEAK_RANK_H

#include "util/kmem/leak.h"

/* Sort the rows, which are complete, and number the findings. */
void leak_rank_rows(struct leak_rows *rows);

#endif
