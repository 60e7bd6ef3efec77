/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accounting: samples become events of the analysis' accounts, in their order.
 *
 * What lies in none of the time windows feeds only the live sets; what the options' filter
 * excludes is tracked but never counted.  The events of a batch are decoded first, so that what
 * they need of the live set is on its way when they are accounted one by one.
 */
#ifndef KMEM_ACCOUNTING_H
#define KMEM_ACCOUNTING_H

#include "util/kmem/analysis.h"

/* At most SESSION_SAMPLES_MAX; their events are bound. Broken ones are counted. Errors: -ENOMEM. */
int accounting_take(struct kmem_analysis *a, const struct sample *samples, size_t nr);

#endif
