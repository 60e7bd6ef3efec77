/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The states of the allocators' accounts. NULL: not chosen. */
#ifndef TESTS_UNIT_ALLOCATORS_H
#define TESTS_UNIT_ALLOCATORS_H

#include "util/accounts/page.h"
#include "util/accounts/slab.h"
#include "util/kmem/accounts.h"

static inline struct slab_accounts *slab_of(const struct kmem_accounts *a)
{
	return a->v[ACCOUNT_slab].state;
}

static inline struct page_accounts *page_of(const struct kmem_accounts *a)
{
	return a->v[ACCOUNT_page].state;
}

#endif
