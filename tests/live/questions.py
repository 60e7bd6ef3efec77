#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Check reports of a recording of actors.c against what the actors did.

usage: questions.py PERF WHAT RECORDING JOURNAL ACTOR... [-- OTHER-RECORDING OTHER-ACTOR...]

WHAT: leak, pages, filters, lifetimes, hostile or diff; ACTOR as for actors.c.  A pipe is two kmallocs in
alloc_pipe_info() and, once something was written to it, a page.
"""
import csv
import io
import json
import re
import statistics
import subprocess
import sys
import urllib.parse

SITE = '^alloc_pipe_info$'
PER_PIPE = 2
LATE_NS = 2 * 10**9  # the recorder of a busy machine ends after the actors


class Actor:
    def __init__(self, text):
        name, cpu, kept, passing, self.ms = text.rsplit(':', 4)
        self.bytes = urllib.parse.unquote_to_bytes(name)[:15]
        self.name = self.bytes.decode('utf-8', 'surrogateescape')
        self.cpu, self.kept, self.passing = int(cpu), int(kept), int(passing)


def report(perf, command, *options):
    done = subprocess.run([perf, 'kmem', command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"{command} {' '.join(options)}: {done.stderr.decode(errors='replace')}")
    return done.stdout


class Play:
    def __init__(self, perf, recording, journal, actors):
        self.perf, self.recording, self.actors = perf, recording, actors
        self.kept = {i: [] for i in range(len(actors))}
        self.passing = {i: [] for i in range(len(actors))}
        for line in open(journal):
            what, *numbers = line.split()
            if what == 'end':
                self.end = int(numbers[0])
            else:
                getattr(self, what)[int(numbers[0])].append(int(numbers[1]))

    def json(self, command, *options):
        return json.loads(report(self.perf, command, '-i', self.recording, '--format=json', *options))


def near(what, got, want, share):
    """got must be want, within this share of it."""
    print(f'{what}: {got:.6g}, wanted {want:.6g}')
    assert abs(got - want) <= share * want, f'{what}: {got}, not within {share:.1%} of {want}'


def same(what, got, want):
    print(f'{what}: {got}')
    assert got == want, f'{what}: {got}, not {want}'


def check_ages(play, number, row):
    """Ages are those at the end of the recording, which is later than that of the play."""
    oldest, youngest = (play.end - of(play.kept[number]) for of in (min, max))
    late = row['oldest_ns'] - oldest
    print(f"  oldest: {row['oldest_ns']:.6g}, {late:.6g} more than when the actors ended")
    assert -0.1 * oldest <= late <= LATE_NS, f'{late} ns late'
    near('  youngest', row['youngest_ns'] - late, youngest, 0.1)


def check_leak(play):
    for number, actor in enumerate(play.actors):
        leak = play.json('leak', '--slab', f'--comm={actor.name}')['leak']
        rows = [r for r in leak['slab']['rows'] if re.match(SITE, r['symbol'] or '')]
        same(f'{actor.name}: leaks of alloc_pipe_info', [r['hits'] for r in rows], [actor.kept] * PER_PIPE)
        for row in rows:
            check_ages(play, number, row)
        same('  none is older than all', play.json(
            'leak', '--slab', f'--comm={actor.name}', f'--callsite={SITE}',
            f'--min-age={(max(row["oldest_ns"] for row in rows) * 1.01) / 1e9:.9f}')['leak']['slab']['hits'], 0)


def check_pages(play):
    for number, actor in enumerate(play.actors):
        rows = play.json('leak', '--page', f'--comm={actor.name}', '--callsite=pipe')['leak']['page']['rows']
        same(f'{actor.name}: pages written to pipes', sum(r['hits'] for r in rows), actor.kept)
        for row in rows:
            check_ages(play, number, row)


def check_filters(play):
    rows = play.json('stat', '--slab', '--by=comm,cpu', f'--callsite={SITE}')['slab']['tables'][0]['rows']
    cpus = {}
    for actor in play.actors:
        own = [r for r in rows if r['comm'] == actor.name]
        want = PER_PIPE * (actor.kept + actor.passing)
        same(f'{actor.name}: hits, live by comm,cpu', [(r['cpu'], r['hits'], r['live_hits']) for r in own],
             [(actor.cpu, want, PER_PIPE * actor.kept)])
        pids = play.json('stat', '--slab', '--by=pid', f'--comm={actor.name}')['slab']['tables'][0]['rows']
        same('  processes', len(pids), 1)
        for options in ([f'--comm={actor.name}'], [f"--pid={pids[0]['pid']}", f'--comm={actor.name}'],
                        [f'--comm={actor.name}', f'--cpu={actor.cpu}']):
            summary = play.json('stat', '--slab', f'--callsite={SITE}', *options)['slab']['summary']
            same(f'  {options}', (summary['allocations'], summary['live']), (want, PER_PIPE * actor.kept))
        cpus[actor.cpu] = cpus.get(actor.cpu, 0) + want
        for cpu in {a.cpu for a in play.actors} - {actor.cpu}:
            summary = play.json('stat', '--slab', f'--comm={actor.name}', f'--cpu={cpu}')['slab']['summary']
            same(f'  on CPU {cpu}', summary['allocations'], 0)
    names = ','.join(actor.name for actor in play.actors)
    for cpu, want in cpus.items():
        summary = play.json('stat', '--slab', f'--comm={names}', f'--callsite={SITE}',
                            f'--cpu={cpu}')['slab']['summary']
        same(f'all on CPU {cpu}', summary['allocations'], want)


def check_lifetimes(play):
    for number, actor in enumerate(play.actors):
        lived = play.passing[number]
        rows = play.json('stat', '--slab', f'--comm={actor.name}', f'--callsite={SITE}', '--by=callsite',
                         '--lifetime')['slab']['tables'][0]['rows']
        same(f'{actor.name}: freed', [r['freed_hits'] for r in rows], [actor.passing] * PER_PIPE)
        for row in rows:
            near('  mean', row['lifetime_mean_ns'], statistics.mean(lived), 0.1)
            near('  p50', row['lifetime_p50_ns'], statistics.median(lived), 0.125)
            same('  in the histogram', sum(row['lifetime_log2_ns'].values()), actor.passing)
            octave = statistics.median(lived).__trunc__().bit_length() - 1
            near('  around the median', sum(row['lifetime_log2_ns'].get(str(o), 0)
                                            for o in (octave - 1, octave, octave + 1)), actor.passing, 0.1)
            same('  short-lived', row['short_lived_hits'], 0)


def check_hostile(play):
    text = report(play.perf, 'stat', '-i', play.recording, '--slab', '--by=comm', f'--callsite={SITE}', '--format=csv')
    stream = io.StringIO(text.decode('utf-8', 'surrogateescape'), newline='')
    hits = {row['comm'].encode('utf-8', 'surrogateescape'): int(row['hits']) for row in csv.DictReader(stream)}
    for actor in play.actors:
        # what does not belong in a name becomes '?' (util/base/printable.h)
        shown = re.sub('[\\x00-\\x1f\\udc80-\\udcff]', '?', actor.name).encode()
        same(f'{actor.bytes}', hits.get(shown), PER_PIPE * (actor.kept + actor.passing))


def check_diff(old, new):
    options = ['--slab', '--by=comm', f'--callsite={SITE}', '--format=json']
    rows = json.loads(report(old.perf, 'diff', *options, old.recording, new.recording))['diff']['tables'][0]['rows']
    rows = {row['comm']: row for row in rows}
    table = new.json('stat', '--slab', f'--callsite={SITE}', '--by=comm')['slab']['tables'][0]['rows']
    for before, now in zip(old.actors, new.actors):
        row = next(r for r in table if r['comm'] == now.name)
        per_hit = row['bytes_alloc'] // row['hits']
        kept = PER_PIPE * (now.kept - before.kept)
        every = kept + PER_PIPE * (now.passing - before.passing)
        want = {'hits': every, 'bytes': every * per_hit, 'live_hits': kept, 'live_bytes': kept * per_hit}
        same(f'{now.name}: change', {name: rows[now.name]['change'][name] for name in want}, want)


def main():
    perf, what, recording, journal, *rest = sys.argv[1:]
    split = rest.index('--') if '--' in rest else len(rest)
    play = Play(perf, recording, journal, [Actor(text) for text in rest[:split]])
    assert play.json('stat')['recording']['lost_samples'] == 0, 'events were lost'
    if what == 'diff':
        other, other_journal, *actors = rest[split + 1:]
        check_diff(play, Play(perf, other, other_journal, [Actor(text) for text in actors]))
    else:
        globals()[f'check_{what}'](play)


main()
