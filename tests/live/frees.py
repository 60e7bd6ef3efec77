# SPDX-License-Identifier: GPL-2.0-or-later
"""Which of the objects that a call site allocated were freed, by the events of a recording."""
import collections
import subprocess


def by_events(perf, recording, site):
    """A counter of the next events at the addresses of objects that kmalloc() allocated at the site.

    'kfree': it was freed. Anything else proves that it had been before, in bulk, which no event tells: an allocation,
    or 'kmem_cache_free' of an object that was itself allocated in bulk (skbs, requests of io_uring), in a slab that
    another cache has got since.
    """
    script = subprocess.Popen([perf, 'script', '-i', recording, '-F', 'event,trace'], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, encoding='utf-8', errors='replace')
    live, ends = set(), collections.Counter()
    for line in script.stdout:
        event, _, rest = line.partition(': call_site=')
        if not rest:
            continue
        where, ptr = rest.split()[:2]
        name = event.rpartition(':')[2]
        if ptr in live:
            live.discard(ptr)
            ends[name] += 1
        if name == 'kmalloc' and where == site:
            live.add(ptr)
    assert script.wait() == 0
    return ends
