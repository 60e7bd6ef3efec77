#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The options of `perf kmem stat` that a recording has events for.

usage: recorded.py PERF RECORDING

Prints the options on one line.
"""
import subprocess
import sys

# An event of each account. Accounts of allocators first.
ACCOUNTS = {'--slab': 'kmem:kmalloc', '--page': 'kmem:mm_page_alloc', '--vmalloc': 'vmalloc:alloc_vmap_area',
            '--percpu-mem': 'percpu:percpu_alloc_percpu', '--percpu': 'kmem:mm_page_pcpu_drain',
            '--extfrag': 'kmem:mm_page_alloc_extfrag', '--pressure': 'vmscan:mm_vmscan_direct_reclaim_begin'}
ALLOCATORS = ('--slab', '--page', '--vmalloc', '--percpu-mem')


def options_of(evlist):
    """The options that fit the output of `perf evlist`."""
    events = set(evlist.split())
    return [option for option, event in ACCOUNTS.items() if event in events]


def options(perf, path):
    listed = subprocess.run([perf, 'evlist', '-f', '-i', path], stdout=subprocess.PIPE, check=True, text=True)
    return options_of(listed.stdout)


if __name__ == '__main__':
    print(*options(*sys.argv[1:]))
