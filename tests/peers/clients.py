#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether programs that people use beside perf read what we write.

    tests/peers/clients.py PERF RECORDING KALLSYMS DIRECTORY [CLIENT...]

RECORDING has slab and page events.  One line per client: ok, FAIL or skip.  Each client reads a file and says
what it found there, by its own means; that is compared with our JSON.  go tool pprof is tested by tests/compare,
DuckDB and ClickHouse by tests/fleet, Chromium by tests/html, stock perf by peers.py.
"""
import collections
import csv
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys

PERF, RECORDING, KALLSYMS, DIRECTORY = sys.argv[1:5]
PERFPARSER = '/usr/lib/x86_64-linux-gnu/libexec/hotspot-perfparser'
CLIENTS = {}


class Missing(Exception):
    pass


def client(function):
    CLIENTS[function.__name__] = function
    return function


def run(*command, **how):
    how = {'check': True, 'capture_output': True, 'text': True, 'cwd': DIRECTORY, 'timeout': 120, **how}
    try:
        return subprocess.run(command, **how)
    except FileNotFoundError:
        raise Missing(f'{command[0]} is not installed') from None
    except subprocess.CalledProcessError as error:
        raise AssertionError(f'{command[0]}: status {error.returncode}: {error.stderr.strip()[-300:]}') from None


def report(command, *options):
    """The file with a report of the recording."""
    name = '-'.join(o for o in (command, *options) if o.isalnum())
    path = os.path.join(DIRECTORY, name)
    run(PERF, 'kmem', command, '-f', '--kallsyms', KALLSYMS, '-i', RECORDING, '--slab', *options, '-o', path)
    return path


def rows():
    with open(report('stat', '--by', 'callsite', '--format', 'json'), encoding='utf-8') as file:
        return json.load(file)['slab']['tables'][0]['rows']


def expect(what, got, want):
    assert got == want, f'{what}: {got}, not {want}'


@client
def jq():
    path = report('stat', '--by', 'callsite', '--format', 'json')
    got = run('jq', '[.slab.tables[0].rows[].bytes_alloc] | add', path).stdout
    expect('bytes', int(got), sum(r['bytes_alloc'] for r in rows()))
    lines = report('stat', '--by', 'callsite', '--format', 'jsonl')
    got = run('jq', '-s', '[.[] | select(.table == "slab.tables.rows") | .hits] | add', lines).stdout
    expect('hits', int(got), sum(r['hits'] for r in rows()))


@client
def pandas():
    if not importlib.util.find_spec('pandas'):
        raise Missing('pandas is not installed (Debian: python3-pandas)')
    import pandas as pd  # pylint: disable=import-outside-toplevel,import-error
    table = pd.read_csv(report('stat', '--by', 'callsite', '--format', 'csv'))
    expect('rows', len(table), len(rows()))
    expect('bytes', int(table.bytes_alloc.sum()), sum(r['bytes_alloc'] for r in rows()))
    lines = pd.read_json(report('stat', '--by', 'callsite', '--format', 'jsonl'), lines=True)
    got = lines[lines.table == 'slab.tables.rows'].bytes_alloc.sum()
    expect('bytes of lines', int(got), sum(r['bytes_alloc'] for r in rows()))


@client
def libreoffice():
    """Through a spreadsheet and back: each cell is still the text or the number that it was."""
    path = report('stat', '--by', 'callsite', '--format', 'csv')
    source = os.path.join(DIRECTORY, 'sheet.csv')
    shutil.copy(path, source)
    home = f'-env:UserInstallation=file://{DIRECTORY}/office'
    run('soffice', home, '--headless', '--convert-to', 'ods', source)
    os.rename(source, source + '.before')
    run('soffice', home, '--headless', '--convert-to', 'csv', 'sheet.ods')
    with open(source + '.before', encoding='utf-8') as file:
        before = list(csv.reader(file))
    with open(source, encoding='utf-8') as file:
        after = list(csv.reader(file))
    expect('lines', len(after), len(before))
    for old, new in zip(before, after):
        for a, b in zip(old, new):
            same = a == b or (re.fullmatch(r'-?[\d.]+', a) and float(a) == float(b))
            assert same, f'{a} became {b}'


@client
def perfetto():
    """Chrome's trace events, as far as their own rules go: counters with a name, a time and numbers."""
    with open(report('stat', '--format', 'chrome'), encoding='utf-8') as file:
        events = json.load(file)['traceEvents']
    counters = [e for e in events if e['ph'] == 'C']
    assert counters, 'no counters'
    for event in counters:
        assert event['name'] and event['ts'] >= 0 and all(isinstance(v, (int, float)) for v in event['args'].values()), event
    series = collections.defaultdict(list)
    for event in counters:
        series[event['name'], event['pid']].append(event['ts'])
    assert all(times == sorted(times) for times in series.values()), 'times go back'


@client
def flamegraph():
    """Folded stacks, by the rule of flamegraph.pl and of speedscope's importer: FRAME;FRAME NUMBER."""
    with open(report('stat', '--by', 'stack', '--format', 'folded'), encoding='utf-8') as file:
        stacks = [re.fullmatch(r'([^;]+(?:;[^;]+)*) (\d+)', line.rstrip('\n')) for line in file]
    assert stacks and all(stacks), 'a line is no stack'
    expect('bytes', sum(int(s[2]) for s in stacks), sum(r['bytes_alloc'] for r in rows()))


@client
def hotspot():
    """Its parser reads recordings that are not compressed, and misses nothing that it does not miss in stock's."""
    if not os.path.exists(PERFPARSER):
        raise Missing('hotspot is not installed')
    run(PERF, 'kmem', 'record', '-q', '-g', '-z0', '--slab', '-o', 'hotspot.data', '--', 'ls', '/usr/bin')
    done = run(PERFPARSER, '--input', 'hotspot.data', '--output', 'hotspot.out')
    known = r'CPU_TOPOLOGY \d+ \d+|SAMPLE_TIME 16 0|EVENT_UPDATE|FINISHED_ROUND'
    unknown = [line for line in done.stderr.splitlines() if not re.search(known, line)]
    assert not unknown, unknown[0]
    samples = len(run(PERF, 'script', '-i', 'hotspot.data', '-G').stdout.splitlines())
    with open(os.path.join(DIRECTORY, 'hotspot.out'), 'rb') as file:
        nr = count_samples(file.read())
    expect('samples', nr, samples)


def count_samples(data):
    """The samples of tracepoints in what hotspot's parser writes: 16 bytes with a magic and a version, then
    messages, each a size of 4 bytes, and a kind as its first byte."""
    expect('magic', data[:11], b'QPERFSTREAM')
    at, nr = 16, 0
    while at + 4 < len(data):
        size = int.from_bytes(data[at:at + 4], 'little')
        nr += data[at + 4] == 14
        at += 4 + size
    return nr


def main():
    failed = 0
    for name in sys.argv[5:] or CLIENTS:
        try:
            CLIENTS[name]()
            print(f'ok clients/{name}')
        except Missing as why:
            print(f'skip clients/{name}: {why}')
        except (AssertionError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f'FAIL clients/{name}\n    {error}')
    sys.exit(failed > 0)


main()
