#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Check what a guest sent (tests/guest/run) against what known-load allocated in it.

usage: checks.py VERSION DIRECTORY

Prints a line for each check: ok, FAIL with details, skip with a reason.  Exit status 1 if one failed.
"""
import json
import os
import sys

VERSION, DIR = sys.argv[1:]
N = 777

# What each kind allocates N of: the functions that it may be called from, by the kernel's version and what the
# compiler inlined, or the cache.
SLAB_KINDS = {
    'pipes': ({'alloc_pipe_info'}, None),
    'eventfds': ({'do_eventfd'}, None),
    'sockets': ({'sk_prot_alloc'}, None),
    'files': ({'shmem_alloc_inode'}, None),
    'timers': ({'do_timer_create', 'alloc_posix_timer'}, None),
}
FAULTS = {'do_anonymous_page', 'alloc_anon_folio', 'vma_alloc_zeroed_movable_folio', '__handle_mm_fault',
          'handle_mm_fault', 'wp_page_copy', 'vma_alloc_folio', 'do_fault'}
failures = 0


class Failed(Exception):
    pass


def text(name):
    with open(os.path.join(DIR, name), encoding='utf-8', errors='replace') as f:
        return f.read()


def there(name):
    return os.path.exists(os.path.join(DIR, name))


def expect(true, *details):
    if not true:
        raise Failed('\n'.join(str(d) for d in details))


def ended(name):
    """The command ended with status 0."""
    status = text(name + '.status').strip()
    expect(status == '0', f'status {status}', text(name + '.err'), text(name + '.out')[:2000])


def report(name):
    expect(text(name), 'no report')
    return json.loads(text(name))


def check(name, function, *args):
    global failures
    try:
        function(*args)
        print(f'ok {VERSION}/{name}')
    except (Failed, KeyError, OSError, ValueError) as e:
        failures += 1
        print(f'FAIL {VERSION}/{name}')
        for line in f'{type(e).__name__}: {e}'.splitlines():
            print('    ' + line)


def skip(name, why):
    print(f'skip {VERSION}/{name}: {why}')


def by_site(rows):
    """Live objects by call site: a pipe is two allocations of one function."""
    sites = {}
    for r in rows:
        key = r['symbol'], r['callsite']
        sites[key] = sites.get(key, 0) + r['live_hits']
    return sites


def nothing_lost(name):
    recording = report(name)['recording']
    expect(recording['lost_samples'] == 0, recording)


def slab_counts(name, wanted):
    rows = report(name)['slab']['tables'][0]['rows']
    sites = by_site(rows)
    for kind, (symbols, _) in SLAB_KINDS.items():
        live = max((n for (symbol, _), n in sites.items() if symbol in symbols), default=0)
        expect(live == wanted, f'{kind}: {live} live, wanted {wanted}', sites)


def page_counts(name, least, most):
    rows = report(name)['page']['tables'][0]['rows']
    sites = by_site(rows)
    live = max((n for (symbol, _), n in sites.items() if symbol in FAULTS), default=0)
    expect(least <= live <= most, f'{live} live, wanted {least} to {most}', sites)
    unnamed = [r for r in rows if not r['symbol']]
    expect(not unnamed, unnamed[:3])


def leak_counts(name):
    rows = report(name)['leak']['slab']['rows']
    for kind, (symbols, _) in SLAB_KINDS.items():
        hits = [r['hits'] for r in rows if r['symbol'] in symbols]
        expect(N in hits, f'{kind}: {hits}, wanted {N}', [(r['symbol'], r['hits']) for r in rows])


def recorded(way):
    """What was recorded in one way, with everything held and with everything freed."""
    if not there(f'{way}-keep.status'):
        skip(f'record-{way}', 'this build cannot record that way')
        return
    check(f'record-{way}', lambda: (ended(f'{way}-keep'), ended(f'{way}-free')))
    check(f'record-{way}-nothing-lost', lambda: [nothing_lost(f'{way}-{m}.slab.json') for m in ('keep', 'free')])
    check(f'record-{way}-slab-live', slab_counts, f'{way}-keep.slab.json', N)
    check(f'record-{way}-slab-freed', slab_counts, f'{way}-free.slab.json', 0)
    check(f'record-{way}-pages-live', page_counts, f'{way}-keep.page.json', N, N + N // 4)
    check(f'record-{way}-pages-freed', page_counts, f'{way}-free.page.json', 0, N // 4)
    check(f'record-{way}-leak', leak_counts, f'{way}-keep.leak.json')


def release():
    expect(text('release').startswith(VERSION + '.'), text('release'))


check('release', release)
recorded('perf')
recorded('bpf')
sys.exit(failures > 0)
