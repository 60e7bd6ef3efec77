/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decoding: a sample becomes an event of the analysis that needs nothing else to be accounted.
 *
 * Whatever takes a look at the record, the names or the options is done here: times, call sites,
 * threads' names, the filter.  It uses the analysis' trace, symbols, names and facts, and leaves
 * its accounts alone: those are accounting.h's, on another thread.
 */
#ifndef KMEM_DECODING_H
#define KMEM_DECODING_H

#include "util/kmem/analysis.h"

/*
 * Returns 1: *ret_event is to be accounted; 0: it is none of ours, or not in time, or broken
 * (which is counted). The sample's event is bound. Errors: -ENOMEM.
 */
int decoding_take(struct kmem_analysis *a, const struct sample *sample,
		  struct kmem_event *ret_event);

#endif
