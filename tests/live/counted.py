# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare live slab objects by events with the growth that the kernel counts.

usage: counted.py LEAK TOP CACHE...

LEAK is the output of 'leak -b --slab --format=json', TOP the last line of that of 'top --by=cache -s live' beside it.
Each object of a CACHE has events. In other caches the report names objects that were freed or allocated without one.
"""
import json
import sys

LEAST = 1000  # objects of a cache that is compared
NAMED = 250  # allocations without an event; the report names them from 100 on, beyond objects that wait for RCU


def judge(cache):
    """How many live objects the kernel lacks, beyond the uncertainty, and whether the report says so."""
    over = cache['live_hits'] - max(cache['kernel_growth'], 0) - cache['frees_unmatched']
    under = cache['kernel_growth'] + cache['frees_unmatched'] - cache['live_hits']
    if over > cache['kernel_uncertainty']:
        return over, 'named' if cache['untraced_frees'] else 'open'
    if under > cache['kernel_uncertainty'] + NAMED:
        return -under, 'named' if cache['untraced_allocations'] else 'open'
    return -under, 'within'


def compare(caches, traced):
    compared = [cache for cache in caches if max(cache['kernel_in_use'], cache['live_hits']) > LEAST]
    verdicts = {}
    for cache in compared:
        over, verdicts[cache['cache']] = judge(cache)
        print(f'{verdicts[cache["cache"]]}: {over}, {cache}')
    assert len(compared) >= 5, 'the load allocates from more caches'
    assert 'open' not in verdicts.values()
    assert list(verdicts.values()).count('within') > len(compared) // 2
    for name in traced:
        assert verdicts[name] == 'within', name


def cleared(rows, caches):
    """Rows that are called leaks although the kernel has less than half of their objects."""
    by_name = {cache['cache']: cache for cache in caches}
    for row in rows:
        cache = by_name.get(row['cache'])
        if cache and row['behaviour'] in ('leaking', 'growing') and cache['kernel_growth'] <= cache['kernel_uncertainty']:
            most = max(cache['kernel_growth'], 0) + cache['kernel_uncertainty'] + cache['frees_unmatched']
            if row['hits'] > 2 * most:
                yield row


def main():
    with open(sys.argv[1], encoding='utf-8') as file:
        slab = json.load(file)['leak']['slab']
    with open(sys.argv[2], encoding='utf-8') as file:
        top = json.load(file)['slab']['rows']
    compare(slab['caches'], sys.argv[3:])
    accused = list(cleared(slab['rows'], slab['caches']))
    assert not accused, accused

    # sorted by the growth that the kernel counts; more than five caches grow under the load
    grown = [row['live_bytes_grown'] for row in top]
    print([(row['cache'], row['live_bytes_grown']) for row in top[:10]])
    assert grown == sorted(grown, reverse=True)
    assert all(grown[:5])


main()
