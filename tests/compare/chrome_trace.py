#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The output of --format chrome is valid JSON, and has the figures of the timelines of JSON.

usage: chrome_trace.py PERF RECORDING... -- OPTION...

Each series has a counter with one value for each step, in the order of time; rows are one counter
whose parts have the names of rows, each of them once, whatever they are called.
"""
import json
import subprocess
import sys

PERF = sys.argv[1]
CUT = sys.argv.index('--')
RECORDINGS, OPTIONS = sys.argv[2:CUT], sys.argv[CUT + 1:]


def stat(form, path, *options):
    command = [PERF, 'kmem', 'stat', *OPTIONS, '-i', path, '--format', form, *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return json.loads(done.stdout, object_pairs_hook=no_twins) if done.returncode == 0 else None


def no_twins(pairs):
    assert len({key for key, _ in pairs}) == len(pairs), f'a key is there twice: {pairs}'
    return dict(pairs)


def counters(trace, pid, name):
    events = [e for e in trace['traceEvents'] if e['ph'] == 'C' and e['pid'] == pid and e['name'] == name]
    assert [e['ts'] for e in events] == sorted(e['ts'] for e in events)
    return events


def check_timeline(trace, pid, timeline):
    figures = 0
    for series in 'live_bytes', 'allocated_bytes', 'freed_bytes':
        events = counters(trace, pid, series)
        assert [e['args'] for e in events] == [{series: n} for n in timeline[series]], series
        for step, event in enumerate(events):
            at = timeline['start_ns'] + (step + (series == 'live_bytes')) * timeline['step_ns']
            assert round(event['ts'] * 1000) == at, (series, step, event)
        figures += len(events)
    rows = counters(trace, pid, 'live_bytes of rows')
    assert len(rows) == (len(timeline['live_bytes']) if timeline['rows'] else 0)
    for step, event in enumerate(rows):
        assert list(event['args'].values()) == [row['live_bytes'][step] for row in timeline['rows']], event
        figures += len(event['args'])
    peaks = [e for e in trace['traceEvents'] if e['ph'] == 'i' and e['pid'] == pid]
    assert [e['args']['bytes'] for e in peaks] == [timeline['peak_bytes']] * (timeline['peak_ns'] is not None), peaks
    return figures


def check(path, *options):
    figures = 0
    for allocator in '--slab', '--page':
        report = stat('json', path, allocator, '--timeline', *options)
        if not report:
            continue
        trace = stat('chrome', path, allocator, *options)
        names = {e['args']['name']: e['pid'] for e in trace['traceEvents'] if e['name'] == 'process_name'}
        assert list(names) == [allocator[2:]], names
        assert trace['otherData']['hostname'] == report['recording']['hostname']
        figures += check_timeline(trace, names[allocator[2:]], report[allocator[2:]]['timeline'])
    return figures


def check_counts(path):
    """--percpu and --extfrag: their series are counters."""
    figures = 0
    for account in '--percpu', '--extfrag':
        report = stat('json', path, account, '--timeline')
        if not report:
            continue
        (process,) = [e for e in stat('chrome', path, account)['traceEvents'] if e['name'] == 'process_name']
        assert process['args']['name'] == account[2:], process
        timeline = report[account[2:]]['timeline']
        for series, values in timeline.items():
            if isinstance(values, list):
                events = [e for e in stat('chrome', path, account)['traceEvents'] if e['name'] == series]
                assert [e['args'] for e in events] == [{series: n} for n in values], series
                for step, event in enumerate(events):
                    at = timeline['start_ns'] + step * timeline['step_ns']
                    assert abs(event['ts'] * 1000 - at) < 1, (series, step)
                figures += len(values)
    return figures


def series_of(trace):
    """{process: {series: [values]}}"""
    names = {e['pid']: e['args']['name'] for e in trace['traceEvents'] if e['name'] == 'process_name'}
    series = {name: {} for name in names.values()}
    for event in trace['traceEvents']:
        if event['ph'] == 'C' and event['name'] in ('live_bytes', 'allocated_bytes', 'freed_bytes'):
            series[names[event['pid']]].setdefault(event['name'], []).append(event['args'][event['name']])
    return series


def other(*command):
    done = subprocess.run([PERF, 'kmem', *command, *OPTIONS, '--format', 'chrome'], stdout=subprocess.PIPE, check=True)
    return series_of(json.loads(done.stdout, object_pairs_hook=no_twins))


def check_others(path, allocator):
    """leak, and both sides of diff, have the series that stat has."""
    report = stat('json', path, allocator, '--timeline')
    if not report:
        return 0
    timeline = report[allocator[2:]]['timeline']
    want = {name: timeline[name] for name in ('live_bytes', 'allocated_bytes', 'freed_bytes')}
    assert other('leak', '-i', path, allocator) == {allocator[2:]: want}
    assert other('diff', allocator, path, path) == {f'old_{allocator[2:]}': want, allocator[2:]: want}
    return 3 * sum(map(len, want.values()))


def main():
    counts = sum(map(check_counts, RECORDINGS))
    assert counts > 2000, counts
    counts += sum(check_others(path, allocator) for path in RECORDINGS for allocator in ('--slab', '--page'))
    figures = counts + sum(check(path, *options) for path in RECORDINGS for options in ((), ('--by', 'comm'), ('--by', 'comm,callsite')))
    assert figures > 10000, figures
    print(f'{figures} figures of {len(RECORDINGS)} recordings are those of JSON')


main()
