#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""JSON, its lines, CSV and folded stacks agree with each other, and with their descriptions.

usage: formats.py PERF SCHEMA RECORDING... [-- OPTION...]

json    every report of every recording is valid by the schema
jsonl   each line is the JSON's object that its `table` names, with the machine's identity; none is missing
csv     what Python's csv reads of it is the JSON's rows, in their order; each file is one table
folded  a stack's frames and weight are the JSON's; the weights add up to the table's

Prints "N JSON, N jsonl, N CSV, N folded, N wrong"; exit 1 when anything is wrong.
"""
import collections
import csv
import io
import os
import re
import subprocess
import sys
import tempfile

import json_schema
import recorded

PERF, SCHEMA = sys.argv[1], json_schema.load(sys.argv[2])
OPTIONS = sys.argv[sys.argv.index('--') + 1:] if '--' in sys.argv else []
RECORDINGS = sys.argv[3:len(sys.argv) - len(OPTIONS) - ('--' in sys.argv)]

SINGLES = {
    'slab': 'callsite stack ptr cache comm pid tid cpu node module gfp accounted size'.split(),
    'page': 'callsite stack page comm pid tid cpu node module gfp order migtype accounted size'.split(),
    'vmalloc': 'callsite stack ptr comm pid tid cpu node module purpose size'.split(),
    'percpu-mem': 'callsite stack ptr comm pid tid cpu node module gfp accounted size'.split(),
}
# named differently in the JSON, or not as text
NAMES = {'migtype': 'migratetype'}
FRAME = re.compile(r'^(.*)\+[0-9a-f]+$')
LINE = re.compile(rb'^[^;\n]+(;[^;\n]+)* [1-9][0-9]*\n$')
# for events that the recording lacks
REFUSALS = b' holds no ', b' has no frees: '


class Checker:
    def __init__(self):
        self.json = self.lines = self.csv = self.folded = self.wrong = 0

    def complain(self, what, why):
        self.wrong += 1
        if self.wrong <= 20:
            print(f'{what}: {why}')


def run(*command):
    done = subprocess.run([PERF, 'kmem', *command, *OPTIONS], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode and not any(why in done.stderr for why in REFUSALS):
        sys.exit(f"{' '.join(command)}: {done.stderr.decode(errors='replace')}")
    return None if done.returncode else done.stdout


def check_json(check, *command):
    text = run(*command, '--format=json')
    if text is None:
        return None
    report = json_schema.parse(text)
    for why in json_schema.validate(SCHEMA, report):
        check.complain(' '.join(command), why)
    check.json += 1
    return report


IDENTITY = ('hostname', 'machine_id', 'boot_id', 'kernel', 'kernel_build_id', 'wall_clock_ns', 'start_ns', 'stop_ns')


def objects_at(report, path):
    """The objects that lines name by this path: of a section, or of a table's rows."""
    objects, figures = [report], [{}]
    for key in path.split('.'):
        inner = [(o[key], f) for o, f in zip(objects, figures)]
        objects, figures = [], []
        for value, context in inner:
            for one in value if isinstance(value, list) else [value]:
                objects.append(one)
                # the figures of an element of a list are in the lines of its rows
                scalars = {k: v for k, v in one.items() if not (isinstance(v, list) and v and isinstance(v[0], dict))}
                figures.append({**context, **scalars} if isinstance(value, list) else {})
    return [{**f, **o} for o, f in zip(objects, figures)]


def rows_of(value):
    """The number of rows in a JSON report."""
    if isinstance(value, list):
        return sum(rows_of(v) for v in value)
    if isinstance(value, dict):
        return sum(len(v) if k == 'rows' and isinstance(v, list) else rows_of(v) for k, v in value.items())
    return 0


def check_lines(check, report, *command):
    """Each line is in the JSON, and each row of the JSON is in a line."""
    what = f"jsonl {' '.join(command)}"
    seen, objects = collections.Counter(), {}
    for line in run(*command, '--format=jsonl').splitlines():
        line = json_schema.parse(line)
        table = line.pop('table')
        if table not in objects:
            objects[table] = objects_at(report, table)
        at = objects[table][seen[table]]
        seen[table] += 1
        machine = report['old_recording' if table.startswith('old_recording') else 'recording']
        for key in IDENTITY:
            if line.pop(key) != machine[key]:
                check.complain(what, f'{key} of {table}')
        function = line.pop('function', None)
        if function is not None and not (at['symbol'] or '').startswith(function):
            check.complain(what, f'{function} for {at["symbol"]}')
        for key in ('format_version', 'program_version'):
            if line.pop(key) != report[key]:
                check.complain(what, f'{key} of {table}')
        if any(at[k] != v for k, v in line.items()):
            check.complain(what, f'{table} {line} is not {at}')
    rows = sum(nr for table, nr in seen.items() if table.endswith('.rows'))
    if rows != rows_of(report):
        check.complain(what, f'{rows} rows, not {rows_of(report)}')
    check.lines += 1


def csv_rows(text):
    """A header and rows, all as long as it; any byte survives as a character."""
    header, *rows = csv.reader(io.StringIO(text.decode('utf-8', 'surrogateescape'), newline=''))
    assert all(len(row) == len(header) for row in rows), f'not one table: {header} {rows[:9]}'
    return header, rows


def csv_tables(*command):
    """[(header, rows)], one for each table or, where a table has the rows of both, each allocator."""
    done = subprocess.run([PERF, 'kmem', *command, *OPTIONS, '--format=csv'], capture_output=True, check=False)
    if not done.returncode:
        header, rows = csv_rows(done.stdout)
        names = list(dict.fromkeys(row[0] for row in rows))
        return [(header, [row for row in rows if row[0] == name]) for name in names] or [(header, [])]
    said = done.stderr.decode().strip().split('(--table): ')
    assert len(said) == 2, (command, done.stderr)
    with tempfile.TemporaryDirectory() as folder:
        run(*command, '--format=csv', '-o', folder + '/')
        files = {name: csv_rows(open(f'{folder}/{name}.csv', 'rb').read()) for name in said[1].split(', ')}
        assert sorted(os.listdir(folder)) == sorted(f'{name}.csv' for name in files), os.listdir(folder)
    for name, (header, rows) in files.items():
        assert csv_rows(run(*command, '--format=csv', f'--table={name}')) == (header, rows), (command, name)
    # who holds what leaks is in no table of the other reports
    return [table for name, table in files.items() if not name.endswith('.who')]


def as_json(text):
    """How the JSON writes bytes that are not UTF-8."""
    return ''.join('\ufffd' if '\udc80' <= c <= '\udcff' else c for c in text)


def cell_of(row, name):
    """The JSON's value as written in the CSV; None: not given."""
    value = row.get(NAMES.get(name, name))
    if name == 'bytes_alloc' and value is None:
        value = row.get('bytes')
    if name == 'callsite' and value:
        if value == '0x1':  # stands for functions of the slab allocator: no place
            return row['symbol']
        return f"{row['symbol']}+{row['offset']:x}" if row['symbol'] else 'unknown' if value == '0x0' else value
    if name == 'stack':
        return ' < '.join(value) or 'unknown'
    if isinstance(value, bool):
        return 'yes' if value else 'no'
    if name == 'gfp' or value is None:
        return None
    return str(value)


def same_cell(row, name, cell):
    want = cell_of(row, name)
    if name.endswith('_percent') and name in row:  # a tie may be rounded either way
        return abs(row[name] - float(cell)) < 0.0015
    return want is None or as_json(cell) == want


def check_csv(check, report, *command):
    tables = csv_tables(*command)
    wanted = [(name, table) for name in SINGLES if name in report for table in report[name]['tables']]
    check.csv += 1
    if len(tables) != len(wanted):
        check.complain(f"csv {' '.join(command)}", f'{len(tables)} tables, not {len(wanted)}')
        return
    for (header, rows), (allocator, table) in zip(tables, wanted):
        what = f"csv {' '.join(command)} {table['by']}"
        if len(rows) != len(table['rows']):
            check.complain(what, f"{len(rows)} rows, not {len(table['rows'])}")
        for cells, row in zip(rows, table['rows']):
            if len(cells) != len(header) or cells[0] != allocator:
                check.complain(what, f'{cells} under {header}')
                continue
            for name, cell in list(zip(header, cells))[1:]:
                if name == 'peak_ns':
                    row = {**row, name: report[allocator]['summary'][name] or 0}
                if not same_cell(row, name, cell):
                    check.complain(what, f'{name} {cell!r}, not {cell_of(row, name)!r}')


def folded_lines(text):
    result = collections.Counter()
    for line in text.splitlines(keepends=True):
        if not LINE.match(line):
            raise ValueError(f'no line of folded stacks: {line!r}')
        stack, weight = line.rsplit(b' ', 1)
        result[stack.decode('utf-8', 'surrogateescape')] += int(weight)
    return result


def check_folded(check, recording, allocator, weight, name, *options):
    command = ['stat', '-i', recording, f'--{allocator}', '--by=comm,stack', *options]
    text = run(*command, '--format=folded', f'--weight={weight}')
    if text is None:
        return
    rows = check_json(check, *command)[allocator]['tables'][0]['rows']
    want = collections.Counter()
    for row in rows:
        frames = [FRAME.sub(r'\1', frame) for frame in reversed(row['stack'])]
        comm = ''.join(':' if c == ';' else '?' if c < ' ' else c for c in row['comm'])
        if row[name]:
            want[';'.join([comm, *frames])] += row[name]
    got = collections.Counter()
    for stack, n in folded_lines(text).items():
        got[as_json(stack)] += n
    if got != want:
        check.complain(f"folded {' '.join(command)} {weight}", f'{got - want} beside {want - got}'[:500])
    check.folded += 1


def check_recording(check, recording, number):
    accounts = recorded.options(PERF, recording)
    allocators = [option for option in accounts if option in recorded.ALLOCATORS]
    whole = check_json(check, 'stat', '-i', recording, *accounts, '--caller', '--alloc')
    first, last = whole['recording']['first_ns'], whole['recording']['last_ns']
    middle = f'--time={(3 * first + last) // 4 / 1e9:.9f},{(first + 3 * last) // 4 / 1e9:.9f}'
    check_lines(check, whole, 'stat', '-i', recording, *accounts, '--caller', '--alloc')
    for options in ([*accounts, '--timeline'], [*allocators, '--caller', '--alloc', '--live'], [*allocators, '--caller', '-l3'],
                    [*allocators, '--caller', '--peak'], [*allocators, '--caller', middle],
                    [*allocators, '--by=cpu,comm', '--lifetime'], [*allocators, '--pingpong', '-l', '2'],
                    [*allocators, '--by=callsite,module', '--stack']):
        check_json(check, 'stat', '-i', recording, *options)
    # each name has one meaning: also for what is live, at the peak, and in a time span; half of them
    # for each recording, as a run takes a tenth of a second and there are thousands
    spans = [['--live'], ['--peak'], [middle], [middle, '--live'], [middle, '--peak']]
    for options in spans[number % 2::2]:
        for allocator, keys in SINGLES.items():
            command = ['stat', '-i', recording, f'--{allocator}', *options, *(f'--by={key}' for key in keys[:7])]
            report = check_json(check, *command)
            if not report:
                continue
            check_csv(check, report, *command)
            for weight, name in (('bytes', 'bytes_alloc' if allocator == 'slab' else 'bytes'),
                                 ('hit', 'hits'), ('live', 'live_bytes')):
                check_folded(check, recording, allocator, weight, name, *options)
    for allocator, keys in SINGLES.items():
        for i in range(0, len(keys), 7):
            command = ['stat', '-i', recording, f'--{allocator}', '--lifetime',
                       *(f'--by={key}' for key in keys[i:i + 7])]
            report = check_json(check, *command)
            if report:
                check_csv(check, report, *command)
        for weight, name in (('bytes', 'bytes_alloc' if allocator == 'slab' else 'bytes'),
                             ('hit', 'hits'), ('live', 'live_bytes')):
            check_folded(check, recording, allocator, weight, name)
    for options in ([], ['--stack', *allocators], ['--min-age=0.05', *allocators], ['--by=comm,pid', *allocators],
                    *([['--by=gfp,size,cpu,node,accounted', *allocators]] if '--vmalloc' not in allocators else []),
                    ['--by=order,migtype', '--page']):
        command = ['leak', '-i', recording, *options]
        report = check_json(check, *command)
        if report:
            check_leak_csv(check, report['leak'], *command)
            check_lines(check, report, *command)


def check_leak_csv(check, leak, *command):
    """The figures of the CSV are those of the JSON, row by row."""
    sections = [leak[name] for name in SINGLES if name in leak]
    tables = csv_tables(*command)
    if len(tables) < len(sections):  # one table for both, in which an allocator without rows does not appear
        sections = [section for section in sections if section['rows']]
    for (header, rows), section in zip(tables, sections):
        assert len(rows) == len(section['rows']), command
        for cells, row in zip(rows, section['rows']):
            cells = dict(zip(header, cells))
            for name in ('hits', 'bytes', 'growth_bytes_per_second', 'oldest_ns', 'youngest_ns'):
                assert int(cells[name]) == row[name], (command, name, cells, row)
            for name in ('behaviour', 'evidence', 'use'):
                assert cells[name] == row[name], (command, name, cells, row)
            assert (cells['reason'] or None) == row['reason'], (command, cells, row)
            assert [int(v) for v in cells['live_bytes'].split()] == row['live_bytes'], (command, cells, row)
            for name in ('pid', 'hits', 'bytes'):
                assert int(cells['owner_' + name]) == row['owner'][name], (command, cells, row)


def check_diff(check, old, new):
    for options in ([], ['--per-second', '--by=comm', '--slab', '--page'], ['--by=callsite,stack', '-l5']):
        command = ['diff', *options, old, new]
        report = check_json(check, *command)
        if not report:
            continue
        check_lines(check, report, *command)
        tables = csv_tables(*command) if report['diff']['tables'] else []
        for (header, rows), table in zip(tables, report['diff']['tables']):
            for cells, row in zip(rows, table['rows']):
                cells = dict(zip(header, cells))
                for side in 'old', 'new':
                    for name in 'hits', 'bytes', 'live_hits', 'live_bytes':
                        if float(cells[f'{side}_{name}']) != row[side][name]:
                            check.complain(' '.join(command), f'{cells} is not {row}')
        check.csv += 1


def main():
    check = Checker()
    for number, recording in enumerate(RECORDINGS):
        check_recording(check, recording, number)
    for old, new in zip(RECORDINGS, RECORDINGS[1:]):
        check_diff(check, old, new)
    print(f'{check.json} JSON, {check.lines} jsonl, {check.csv} CSV, {check.folded} folded, {check.wrong} wrong')
    sys.exit(1 if check.wrong or not check.json else 0)


main()
