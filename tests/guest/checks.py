#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Check what a guest sent (tests/guest/run) against what known-load allocated in it.

usage: checks.py NAME VERSION DIRECTORY

Prints a line for each check: ok, FAIL with details, skip with a reason.  Exit status 1 if one failed.
"""
import json
import os
import re
import sys

import modules
import pressure

NAME, VERSION, DIR = sys.argv[1:]
# since then the kernel's trace buffers can be mapped, and it traces kvmalloc() twice
SINCE_6_10 = tuple(int(n) for n in VERSION.split('.')) >= (6, 10)
# since then the BPF programs can be loaded
HAS_BPF = tuple(int(n) for n in VERSION.split('.')) >= (5, 14)
# since then timers are freed by kfree_rcu(), which has no tracepoint; without a probe they stay live
FREED_BY_RCU = {'timers'} if tuple(int(n) for n in VERSION.split('.')) >= (7, 0) else set()
N = 777

# The functions that may allocate the N objects of each kind, by the kernel's version and the
# compiler's inlining.
SLAB_KINDS = {
    'pipes': {'alloc_pipe_info'},
    'eventfds': {'do_eventfd'},
    'sockets': {'sk_prot_alloc'},
    'files': {'shmem_alloc_inode'},
    'timers': {'do_timer_create', 'alloc_posix_timer'},
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
        print(f'ok {NAME}/{name}')
    except (Failed, AssertionError, KeyError, OSError, ValueError) as e:
        failures += 1
        print(f'FAIL {NAME}/{name}')
        for line in f'{type(e).__name__}: {e}'.splitlines():
            print('    ' + line)


def skip(name, why):
    print(f'skip {NAME}/{name}: {why}')


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


def probed(name):
    return any(e['name'] == 'perf_kmem:kvfree_call_rcu' for e in report(name)['recording']['events'])


def slab_counts(name, wanted):
    rows = report(name)['slab']['tables'][0]['rows']
    sites = by_site(rows)
    for kind, symbols in SLAB_KINDS.items():
        live = max((n for (symbol, _), n in sites.items() if symbol in symbols), default=0)
        right = N if kind in FREED_BY_RCU and not probed(name) else wanted
        expect(live == right, f'{kind}: {live} live, wanted {right}', sites)


def page_counts(name, least, most):
    rows = report(name)['page']['tables'][0]['rows']
    sites = by_site(rows)
    live = max((n for (symbol, _), n in sites.items() if symbol in FAULTS), default=0)
    expect(least <= live <= most, f'{live} live, wanted {least} to {most}', sites)
    unnamed = [r for r in rows if not r['symbol']]
    expect(not unnamed, unnamed[:3])


def leak_counts(name):
    rows = report(name)['leak']['slab']['rows']
    for kind, symbols in SLAB_KINDS.items():
        hits = [r['hits'] for r in rows if r['symbol'] in symbols]
        expect(N in hits, f'{kind}: {hits}, wanted {N}', [(r['symbol'], r['hits']) for r in rows])


def nothing_leaks(name):
    """Freed objects do not leak, even if the frees have no event."""
    rows = report(name)['leak']['slab']['rows']
    for kind, symbols in SLAB_KINDS.items():
        accused = [r for r in rows if r['symbol'] in symbols and r['behaviour'] in ('leaking', 'growing')]
        expect(not accused, kind, accused)


def counted(way):
    """The reports about what was held, and what was freed."""
    check(f'{way}-nothing-lost', lambda: [nothing_lost(f'{way}-{m}.slab.json') for m in ('keep', 'free')])
    check(f'{way}-slab-live', slab_counts, f'{way}-keep.slab.json', N)
    check(f'{way}-slab-freed', slab_counts, f'{way}-free.slab.json', 0)
    check(f'{way}-pages-live', page_counts, f'{way}-keep.page.json', N, N + N // 4)
    check(f'{way}-pages-freed', page_counts, f'{way}-free.page.json', 0, N // 4)
    check(f'{way}-leak', leak_counts, f'{way}-keep.leak.json')


def recorded(way):
    """A recording made in one way."""
    if not there(f'{way}-keep.status'):
        skip(f'record-{way}', 'this build cannot record that way')
        return
    check(f'record-{way}', lambda: (ended(f'{way}-keep'), ended(f'{way}-free')))
    counted(way)
    check(f'{way}-freed-leak', nothing_leaks, f'{way}-free.leak.json')


def rows_of(name, key):
    """The rows of a report's table as text, without the addresses of objects.

    Functions inside the allocator are omitted, too: two traces are a single allocation only if the two
    follow each other as fast as on a real CPU.
    """
    report_ = report(name)
    rows = report_['leak'][key]['rows'] if 'leak' in report_ else report_[key]['tables'][0]['rows']
    return sorted(json.dumps({k: v for k, v in r.items() if k in ROW_KEYS}, sort_keys=True)
                  for r in rows if not re.match('_*kv?malloc', r['symbol'] or ''))


ROW_KEYS = ('callsite', 'symbol', 'offset', 'cache', 'order', 'migratetype', 'gfp', 'gfp_flags', 'hits', 'bytes',
            'bytes_req', 'bytes_alloc', 'live_hits', 'owner')


def same_both_ways(report_name, key):
    perf, bpf = (rows_of(f'both-{way}.{report_name}.json', key) for way in ('perf', 'bpf'))
    expect(perf and perf == bpf, 'through perf alone:', *(set(perf) - set(bpf)), 'through BPF alone:',
           *(set(bpf) - set(perf)))


def both():
    if not there('both.status'):
        return
    check('both', ended, 'both')
    check('both-nothing-lost', lambda: [nothing_lost(f'both-{w}.slab.json') for w in ('perf', 'bpf')])
    check('both-slab', same_both_ways, 'slab', 'slab')
    check('both-pages', same_both_ways, 'page', 'page')
    check('both-leak', same_both_ways, 'leak', 'slab')


def live():
    if not there('live-keep-slab.status'):
        skip('live', 'this build cannot do without a recording')
        return
    check('live', lambda: [ended(f'live-{mode}-{what}') for mode in ('keep', 'free') for what in ('slab', 'page')])
    counted('live')


def top():
    """One interval, which the command's end ended."""
    ended('top')
    report_ = report('top.json')
    expect(report_['lost_events'] == 0, report_['lost_by_event'])
    sites = by_site(report_['slab']['rows'])
    for kind, symbols in SLAB_KINDS.items():
        live = max((n for (symbol, _), n in sites.items() if symbol in symbols), default=0)
        expect(live == N, f'{kind}: {live} live, wanted {N}', sites)


def in_kernel():
    ended('in-kernel')
    counted_in_kernel(report('in-kernel.json')['slab']['tables'][0]['rows'])


def top_in_kernel():
    ended('top-in-kernel')
    counted_in_kernel(report('top-in-kernel.json')['slab']['rows'])


def counted_in_kernel(rows):
    """All processes: others may have a few."""
    for kind, symbols in SLAB_KINDS.items():
        hits = max((r['hits'] for r in rows if r['symbol'] in symbols), default=0)
        expect(N <= hits <= N + N // 20, f'{kind}: {hits}, wanted {N}', [(r['symbol'], r['hits']) for r in rows][:50])


def one_line(name, words):
    """Refused, in one line."""
    expect(text(name + '.status').strip() == '1', text(name + '.status'), text(name + '.err'))
    expect(len(text(name + '.err').splitlines()) == 1 and words in text(name + '.err'), text(name + '.err'))


USES = ('record', 'stat', 'in-kernel', 'by-cgroup', 'where')


def works_or_says_why(name):
    """Its report, or one line."""
    if text(name + '.status').strip() != '0':
        expect(len(text(name + '.err').splitlines()) == 1 and not text(name + '.out'), text(name + '.err'))
    elif not name.endswith('-where'):
        expect(f'{N}' in text(name + '.out'), f'not {N} eventfds', text(name + '.out')[:500])


def locked_down():
    if not there('locked-integrity-record.status'):
        skip('lockdown', 'the kernel has none')
        return
    check('lockdown-integrity', lambda: [ended(f'locked-integrity-{c}') for c in ('record', 'stat')])
    check('lockdown-confidentiality-stat', one_line, 'locked-confidentiality-stat', 'locked down')
    # it forbids perf_event_open the kernel's tracepoints as well
    check('lockdown-confidentiality-record', lambda: expect(
        text('locked-confidentiality-record.status').strip() == '1' and
        'the kernel is locked down' in text('locked-confidentiality-record.err').splitlines()[-1],
        text('locked-confidentiality-record.err')))


def not_skipped(name):
    ended(name)
    expect('# SKIP' not in text(name + '.out'), text(name + '.out'))


def unit_tests():
    """The TAP of the tests/unit that need BPF; test_capture skips what this kernel does not have."""
    for name, function in (('capture', ended), ('capture_self', not_skipped), ('capture_counts', not_skipped)):
        if there(f'unit-{name}.status'):
            check(f'unit-{name}', function, f'unit-{name}')
        else:
            skip(f'unit-{name}', 'it was not built with the program')


def release():
    expect(text('release').startswith(VERSION + '.'), text('release'))


def parameters():
    """perf kmem record --boot prints one line of parameters."""
    ended('parameters')
    lines = text('parameters.out').splitlines()
    expect(len(lines) == 1 and lines[0].startswith('trace_event=kmem:') and 'stacktrace' in lines[0], lines)


def traced_counts():
    """The reports count what the text of `trace` shows."""
    shown = {line.split()[1].rstrip(':'): int(line.split()[0]) for line in text('traced.counts').splitlines()}
    for name, ours in (('slab', ('kmalloc', 'kfree', 'kmem_cache_alloc', 'kmem_cache_free')),
                       ('page', ('mm_page_alloc', 'mm_page_free'))):
        ended(f'traced-{name}')
        counts = {e['name']: e['samples'] for e in report(f'traced-{name}.out')['recording']['events']}
        for event in ours:
            expect(shown.get(event) and counts.get(f'kmem:{event}') == shown[event],
                   event, counts.get(f'kmem:{event}'), shown)


def traced_before_init():
    """Most of it was allocated before there was a process, and is attributed to functions by name."""
    rows = report('traced-page.out')['page']['tables'][0]['rows']
    early = [r for r in rows if r['comm'].startswith('swapper')]
    expect(early, rows[:3])
    named = sum(r['hits'] for r in early if r['symbol'])
    expect(named > 0.9 * sum(r['hits'] for r in early), early[:5])
    first = report('traced-page.out')['recording']['first_ns'] / 1e9
    expect(first < float(text('began')) - 1, first, text('began'))


def traced_init_functions():
    """Functions that run only while the kernel starts are among the call sites.

    Their task varies: the first one is "swapper/0" then, but where its later events found room, too, the tracer
    has its last name for all of them, "init"."""
    functions = set(text('init-functions').split()) - {'_sinittext', '_einittext'}
    expect(functions, 'the kernel has no symbols of them')
    for name, least in (('slab', 10), ('page', 1)):
        rows = report(f'traced-{name}.out')[name]['tables'][0]['rows']
        found = {r['symbol']: r['hits'] for r in rows if r['symbol'] in functions}
        expect(len(found) >= least, name, found)
    ended('traced-caller')


def traced_lost():
    """Dropped events are reported, in numbers and at the top of the text."""
    lost = sum(int(n) for n in re.findall(r'^(?:overrun|commit overrun|dropped events): (\d+)$', text('traced.stats'), re.M))
    for name in ('slab', 'page'):
        recording = report(f'traced-{name}.out')['recording']
        expect(recording['lost_samples'] == lost, lost, recording)
    expect(not lost or 'lost' in text('traced-caller.err') + '\n'.join(text('traced-caller.out').splitlines()[:10]).lower(),
           lost, text('traced-caller.out')[:500])


def traced_kept():
    """The kept events give the same figures."""
    ended('traced-keep')
    for name in ('slab', 'page'):
        kept, read = report(f'kept-{name}.out')[name], report(f'traced-{name}.out')[name]
        if SINCE_6_10:
            expect(kept == read, kept['summary'], read['summary'])
        else:  # text: early in its boot the kernel hides the pointers of objects
            for key in ('allocations', 'frees') if name == 'slab' else ('alloc_requests', 'free_requests', 'matched_requests'):
                expect(kept['summary'][key] == read['summary'][key], key, kept['summary'], read['summary'])


def traced():
    """A boot with the parameters that --boot printed."""
    check('traced-counts', traced_counts)
    check('traced-before-init', traced_before_init)
    check('traced-init-functions', traced_init_functions)
    check('traced-lost', traced_lost)
    check('traced-kept', traced_kept)


if there('began'):
    traced()
    sys.exit(failures > 0)
check('release', release)
for name, function in modules.checks(text, there, SINCE_6_10):
    check(name, function)
for name, function in pressure.checks(text, there, HAS_BPF):
    check(name, function)
if there('missing.conditions'):
    for condition in text('missing.conditions').split():
        for use in USES:
            check(f'missing-{condition}-{use}', works_or_says_why, f'missing-{condition}-{use}')
if os.environ.get('GUEST_PARTS'):
    sys.exit(failures > 0)
if there('parameters.status'):
    check('parameters', parameters)
recorded('perf')
check('paranoid', one_line, 'paranoid', 'above 2')
if not HAS_BPF:
    for name in ('bpf-keep', 'live-keep-slab', 'live-keep-leak', 'top', 'in-kernel', 'few-rights'):
        check(f'{name}-refused', one_line, name, 'need Linux 5.14 or later')
    sys.exit(failures > 0)
unit_tests()
recorded('bpf')
both()
live()
for name, function in (('top', top), ('in-kernel', in_kernel),
                       ('top-in-kernel', top_in_kernel)):
    if there(name + '.status'):
        check(name, function)
    else:
        skip(name, 'this build does not have it')
check('few-rights', lambda: [ended(name) for name in ('few-rights', 'few-rights-in-kernel')])
if there('no-jit.status') and text('no-jit.status').strip() != '0':
    check('no-jit', one_line, 'no-jit', "need the kernel's JIT compiler")
locked_down()
sys.exit(failures > 0)
