# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions of the page allocator and of the slab allocator in the callchains of a page_owner dump."""
import re

PLUMBING = re.compile(r'_{0,3}((alloc|get_free|get_zeroed)(_frozen)?_pages?|folio_alloc|vma_alloc_folio)|'
                      r'_{0,3}(set_page_owner|post_alloc_hook|prep_new_page|get_page_from_freelist)(_|$)')
# functions in which the slab allocator takes pages, all of which have one call site
SLAB = {'alloc_slab_page', 'allocate_slab', 'new_slab', '___slab_alloc'}
SLAB_SITE = 'slab pages'
