#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Check perf kmem leak against what leakers.c did.

usage: leaks.py PERF RECORDING COUNT WHAT

Other programs run on the machine at the same time, and may leak, too. So the checks are where the leaks of known
processes are ranked, and that nothing else of leakers.c is called a leak.
"""
import json
import subprocess
import sys

import frees

PERF, RECORDING, COUNT, WHAT = sys.argv[1:]
COUNT = int(COUNT)

# the largest object that each leaks, by its call site
LEAKS = {'leak-socket': 'sk_prot_alloc', 'leak-pipe': 'alloc_pipe_info', 'leak-key': 'key_alloc'}


def report(command, *options):
    done = subprocess.run([PERF, 'kmem', command, '-i', RECORDING, '--format=json', *options],
                          stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def leak(*options):
    return report('leak', *options)['leak']


def show(row):
    live = row['live_bytes']
    return (f"{row.get('symbol', row.get('comm'))}: {row['behaviour']}, {row['evidence']}, {row['hits']} objects, "
            f"{row['bytes']} bytes, of {row['owner']['comm']} {row['owner']['hits']}, {live}")


def slab(*options):
    return leak('--slab', *options)['slab']


def place(rows, comm):
    """The rank of a leaker's largest row."""
    return next(i for i, row in enumerate(rows) if row['symbol'] == LEAKS[comm])


def check_first():
    """The largest of each leak are among the first rows; all rows before them leak, with the same evidence."""
    rows = slab()['rows']
    for row in rows[:16]:
        print(show(row))
    places = [place(rows, comm) for comm in LEAKS]
    assert max(places) < 12, places
    for row in rows[:max(places) + 1]:
        assert row['behaviour'] in ('leaking', 'growing') and row['evidence'] == 'high', show(row)


def check_high():
    for comm in LEAKS:
        # of its own: others may use the call site, too, and free
        rows = slab(f'--comm={comm}')['rows']
        row = rows[place(rows, comm)]
        print(show(row))
        assert row['behaviour'] == 'leaking' and row['evidence'] == 'high', show(row)
        assert row['owner']['comm'] == comm and row['owner']['hits'] >= COUNT, show(row)
        live = row['live_bytes']
        assert all(live[i] < live[i + 1] * 1.03 for i in range(15)), 'it rises'
        # a busy machine records for longer than they leak
        assert 0.3 < live[7] / live[15] < 0.8, 'evenly'
        assert sum(row['cohort_live']) == row['hits'] <= sum(row['cohort_allocations'])
        assert 0.4 < row['growth_bytes_per_second'] / (row['owner']['bytes'] / 10) < 1.3


def check_who():
    # dentries and inodes, which the kernel can shrink, are rows of their own
    rows = {row['comm']: row for row in slab('--by=comm')['rows'] if row['behaviour'] != 'reclaimable'}
    for comm in LEAKS:
        print(show(rows[comm]))
        assert rows[comm]['behaviour'] in ('leaking', 'growing') and rows[comm]['evidence'] != 'low'


    # the report opens with these, in text and in JSON
    who = {row['comm']: row for row in slab()['who']}
    text = subprocess.run([PERF, 'kmem', 'leak', '-i', RECORDING, '--slab', '-q', '-l', '10'], capture_output=True,
                          text=True, check=True).stdout.split('LIVE MEMORY')[0]
    print(text)
    for comm in LEAKS:
        assert who[comm]['behaviour'] == 'leaking' and who[comm]['evidence'] == 'high', who[comm]
        assert who[comm]['hits'] >= COUNT and who[comm]['processes'] == who[comm]['running'] == 1, who[comm]
        assert who[comm]['symbol'] == LEAKS[comm] and f"{comm}-{who[comm]['pid']}" in text, who[comm]
    for comm in ('fill-eventfd', 'busy'):
        assert comm not in who, who[comm]


def not_leaking(comm):
    """No row that is mostly this command's leaks, and of its own not either."""
    for row in slab()['rows']:
        if row['owner']['comm'] == comm and row['owner']['bytes'] * 2 > row['bytes'] and row['bytes'] > 4096:
            print(show(row))
            assert row['behaviour'] not in ('leaking', 'growing') or row['evidence'] != 'high', show(row)


def check_plateau():
    rows = [row for row in slab('--comm=fill-eventfd')['rows']
            if row['hits'] >= COUNT and row['behaviour'] != 'reclaimable']  # the files' dentries
    assert rows
    for row in rows:
        print(show(row))
        assert row['behaviour'] == 'plateau', show(row)
    not_leaking('fill-eventfd')


def check_timerfds():
    # The kernel frees them in bulk, which no event tells; but one by one, with kfree(), those for which it had no
    # page to list them in when they were closed (its shrinker had taken those pages). So a few may be seen: as many
    # as there are events. Either it was noticed that most are not, or nothing is certain.
    found = leak('--slab', '--comm=close-timerfd')
    for row in found['slab']['rows'] + found['frees_not_traced']:
        print(row)
    for row in found['slab']['rows']:
        if 'timerfd' in (row['symbol'] or ''):
            assert row['evidence'] != 'high', show(row)
    sites = report('stat', '--slab', '--by=callsite,cache', '--lifetime')['slab']['tables'][0]['rows']
    site = next(row for row in sites if 'timerfd' in (row['symbol'] or ''))
    ends = frees.by_events(PERF, RECORDING, f"{site['symbol']}+{site['offset']:#x}")
    freed = ends['kfree']
    print(ends)
    assert site['freed_hits'] == freed, site
    for row in found['frees_not_traced']:
        if 'timerfd' in (row['symbol'] or ''):
            assert row['frees_seen'] == freed, row
    not_leaking('close-timerfd')


def check_busy():
    for row in slab('--comm=busy')['rows']:
        if row['symbol'] in (*LEAKS.values(), 'sock_alloc_inode', 'alloc_empty_file', '__alloc_skb'):
            print(show(row))
            assert row['behaviour'] not in ('leaking', 'growing'), show(row)


def check_pages():
    page = leak('--page')['page']
    for use in page['uses']:
        print(use, page['uses'][use])
    assert sum(use['bytes'] for use in page['uses'].values()) == page['bytes']
    for row in page['rows']:
        if row['symbol'] in ('do_anonymous_page', 'alloc_anon_folio', 'do_wp_page', 'wp_page_copy'):
            assert row['use'] == 'user', show(row)


globals()[f'check_{WHAT}']()
