/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accounting: decoded events enter the analysis' accounts, in their order.
 *
 * What lies in none of the time windows feeds only the live sets; what the options' filter
 * excludes is tracked but never counted.  Where an event's object stands in the live set is fetched
 * some events ahead.
 */
#ifndef KMEM_ACCOUNTING_H
#define KMEM_ACCOUNTING_H

#include "util/kmem/analysis.h"

/* Errors: -ENOMEM. */
int accounting_take(struct kmem_analysis *a, const struct kmem_event *events, size_t nr);

/* All events were taken. */
void accounting_finish(struct kmem_analysis *a);

#endif
