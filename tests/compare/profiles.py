#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The output of --format pprof, read by Google's protobuf, is what JSON says.

usage: profiles.py PERF [--go] RECORDING... -- OPTION...

Each sample's frames and its four values are those of a row of JSON, for callchains, for call sites
and caches where there are none, and for tables that were asked for.  Each id is there once, each
reference leads somewhere, all text is UTF-8 (which the reader insists on).  The same for leak,
whose samples also have the leaking part, and for diff, where decreases are negative.  With --go also: the
tops of 'go tool pprof' are ours, by each type of sample.
"""
import collections
import gzip
import json
import re
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PERF = sys.argv[1]
GO = '--go' in sys.argv
CUT = sys.argv.index('--')
RECORDINGS = [a for a in sys.argv[2:CUT] if a != '--go']
OPTIONS = sys.argv[CUT + 1:]

# the format, as its readers know it: {message: {field: (number, type, repeated)}}
FORMAT = {
    'ValueType': {'type': (1, 'int64', 0), 'unit': (2, 'int64', 0)},
    'Label': {'key': (1, 'int64', 0), 'str': (2, 'int64', 0), 'num': (3, 'int64', 0), 'num_unit': (4, 'int64', 0)},
    'Sample': {'location_id': (1, 'uint64', 1), 'value': (2, 'int64', 1), 'label': (3, 'Label', 1)},
    'Mapping': {'id': (1, 'uint64', 0), 'memory_start': (2, 'uint64', 0), 'memory_limit': (3, 'uint64', 0),
                'file_offset': (4, 'uint64', 0), 'filename': (5, 'int64', 0), 'build_id': (6, 'int64', 0),
                'has_functions': (7, 'bool', 0)},
    'Line': {'function_id': (1, 'uint64', 0), 'line': (2, 'int64', 0)},
    'Location': {'id': (1, 'uint64', 0), 'mapping_id': (2, 'uint64', 0), 'address': (3, 'uint64', 0),
                 'line': (4, 'Line', 1)},
    'Function': {'id': (1, 'uint64', 0), 'name': (2, 'int64', 0), 'system_name': (3, 'int64', 0),
                 'filename': (4, 'int64', 0), 'start_line': (5, 'int64', 0)},
    'Profile': {'sample_type': (1, 'ValueType', 1), 'sample': (2, 'Sample', 1), 'mapping': (3, 'Mapping', 1),
                'location': (4, 'Location', 1), 'function': (5, 'Function', 1), 'string_table': (6, 'string', 1),
                'drop_frames': (7, 'int64', 0), 'keep_frames': (8, 'int64', 0), 'time_nanos': (9, 'int64', 0),
                'duration_nanos': (10, 'int64', 0), 'period_type': (11, 'ValueType', 0), 'period': (12, 'int64', 0),
                'comment': (13, 'int64', 1), 'default_sample_type': (14, 'int64', 0)},
}
FIELD = descriptor_pb2.FieldDescriptorProto
# what a name may not have in a terminal, or in JSON
ODD = re.compile('[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffd]')


def profile_class():
    described = descriptor_pb2.FileDescriptorProto(name='profile.proto', package='p', syntax='proto3')
    for message, fields in FORMAT.items():
        made = described.message_type.add(name=message)
        for field, (number, kind, repeated) in fields.items():
            to = made.field.add(name=field, number=number)
            to.label = FIELD.LABEL_REPEATED if repeated else FIELD.LABEL_OPTIONAL
            if kind in FORMAT:
                to.type, to.type_name = FIELD.TYPE_MESSAGE, '.p.' + kind
            else:
                to.type = getattr(FIELD, 'TYPE_' + kind.upper())
    pool = descriptor_pool.DescriptorPool()
    pool.Add(described)
    return message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName('p.Profile'))


PROFILE = profile_class()
ALLOCATED = [('alloc_space', 'bytes'), ('alloc_objects', 'count')]
IN_USE = [('inuse_space', 'bytes'), ('inuse_objects', 'count')]
LEAKING = [('leaking_space', 'bytes'), ('leaking_objects', 'count')]
TYPES = ALLOCATED + IN_USE


def stat(form, *options):
    return kmem('stat', form, *options)


def kmem(report, form, *options):
    command = [PERF, 'kmem', report, *OPTIONS, *options, '--format', form]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.stdout if done.returncode == 0 else None


def by_id(messages):
    result = {m.id: m for m in messages}
    assert len(result) == len(messages) and 0 not in result, 'an id is there twice, or is 0'
    return result


def read(data, types=tuple(TYPES)):
    """{allocator: Counter of (frames, innermost first, with the values)}, the profile."""
    profile = PROFILE.FromString(gzip.decompress(data))
    assert not profile.UnknownFields() if hasattr(profile, 'UnknownFields') else True
    text = profile.string_table
    assert text[0] == '' and len(set(text)) == len(text)
    assert [(text[t.type], text[t.unit]) for t in profile.sample_type] == list(types)
    assert profile.default_sample_type == profile.sample_type[0].type
    functions, mappings, places = map(by_id, (profile.function, profile.mapping, profile.location))
    names = {}
    for place in places.values():
        assert len(place.line) == 1 and (place.mapping_id in mappings) == bool(place.address), place
        names[place.id] = text[functions[place.line[0].function_id].name]
    assert all(m.has_functions and text[m.filename] for m in mappings.values())
    for place in places.values():
        code = mappings.get(place.mapping_id)
        assert not code or not code.memory_limit or code.memory_start <= place.address < code.memory_limit, place
    used = {i for sample in profile.sample for i in sample.location_id}
    assert used == set(places), 'a location that no sample has'
    samples = collections.defaultdict(collections.Counter)
    for sample in profile.sample:
        (label,) = sample.label
        assert text[label.key] == 'allocator'
        frames = tuple(names[i] for i in sample.location_id)
        for i, value in enumerate(sample.value):
            samples[text[label.str]][frames, i] += value
    return samples, profile


def clean(name):
    return ODD.sub('?', name)


def callsite(row):
    return row['symbol'] or (row['callsite'] if row['callsite'] not in (None, '0x0') else 'unknown')


def frames_of(row, keys):
    addresses, others = [], []
    for key in keys:
        if key == 'stack':
            addresses += [re.sub(r'\+[0-9a-f]+( \[.*\])?$', '', f) for f in reversed(row['stack'])] or ['unknown']
        elif key == 'callsite':
            addresses.append(callsite(row))
        else:
            others.append(clean(str('-' if row[key] is None else row[key])))
    return tuple(reversed(others + addresses))


def wanted(table, keys):
    result = collections.Counter()
    for row in table['rows']:
        values = row.get('bytes_alloc', row.get('bytes')), row['hits'], row['live_bytes'], row['live_hits']
        for i, value in enumerate(values):
            result[frames_of(row, keys), i] += value
    return result


def compare(what, got, want):
    got, want = ({k: v for k, v in c.items() if v} for c in (got, want))
    assert got == want, f'{what}: {list(set(got.items()) ^ set(want.items()))[:4]}'
    return len(want)


def tops(what, data, samples, types):
    """The own value of each function, in each type of sample, as go tool pprof computes it."""
    asked = 0
    with tempfile.NamedTemporaryFile(suffix='.pb.gz') as out:
        out.write(data)
        out.flush()
        for i, (name, unit) in enumerate(types):
            want = collections.Counter()
            for (frames, value), n in samples.items():
                if value == i:
                    want[frames[0]] += n
            asked += compare(f'{what}: {name} of go tool pprof -top', go_top(out.name, name, unit), want)
    return asked


def go_top(path, sample, unit):
    """{function: its own}, sums of 0 included."""
    text = subprocess.run(['go', 'tool', 'pprof', '-top', f'-unit={unit}', f'-sample_index={sample}',
                           '-nodecount=1000000', '-nodefraction=0', '-edgefraction=0', path],
                          stdout=subprocess.PIPE, check=True).stdout.decode()
    got = {}
    for line in text.split('cum%\n', 1)[1].splitlines():
        size, _, _, _, _, name = line.split(None, 5)
        got[name] = int(size.removesuffix('B'))
    return got


def shares(old, new):
    """Is there an allocator that both recorded?"""
    return any(all(stat('json', '-i', path, f'--{allocator}') for path in (old, new)) for allocator in ('slab', 'page'))


def check_recording(path):
    asked = figures = 0
    for allocator, usual in ('slab', 'callsite,cache'), ('page', 'callsite,order,migratetype'):
        report = stat('json', '-i', path, f'--{allocator}', '--by', 'stack')
        if report is None:
            continue
        table = json.loads(report)[allocator]['tables'][0]
        keys = ['stack']
        if all(len(row['stack']) < 2 for row in table['rows']):
            keys = usual.split(',')
            table = json.loads(stat('json', '-i', path, f'--{allocator}', '--by', usual))[allocator]['tables'][0]
        data = stat('pprof', '-i', path, f'--{allocator}')
        samples, profile = read(data)
        assert set(samples) == {allocator}, set(samples)
        recording = json.loads(report)['recording']
        comments = {profile.string_table[c] for c in profile.comment}
        assert f'lost_samples: {recording["lost_samples"]}' in comments, comments
        assert profile.duration_nanos == recording['stop_ns'] - recording['start_ns']
        figures += compare(f'{path} {allocator}', samples[allocator], wanted(table, keys))
        if GO:
            asked += tops(f'{path} {allocator}', data, samples[allocator], TYPES)
            continue
        for by in 'comm', 'comm,stack', 'callsite,comm', 'stack,cpu':
            table = json.loads(stat('json', '-i', path, f'--{allocator}', '--by', by))[allocator]['tables'][0]
            samples, _ = read(stat('pprof', '-i', path, f'--{allocator}', '--by', by))
            figures += compare(f'{path} {allocator} {by}', samples[allocator], wanted(table, by.split(',')))
            asked += 1
    return asked, figures


def check_leak(path):
    """Live memory by callchain below its cache (or by call site), and the leaking part of it."""
    asked = figures = 0
    for allocator in 'slab', 'page':
        report = kmem('leak', 'json', '-i', path, f'--{allocator}', '--stack')
        if report is None:
            continue
        want = collections.Counter()
        rows = json.loads(report)['leak'][allocator]['rows']
        for row in rows:
            leaks = row['use'] == 'kernel' and row['behaviour'] in ('leaking', 'growing')
            keys = (['cache'] if allocator == 'slab' else []) + ['stack' if row['stack'] else 'callsite']
            values = row['bytes'] * leaks, row['hits'] * leaks, row['bytes'], row['hits']
            for i, value in enumerate(values):
                want[frames_of(row, keys), i] += value
        types = LEAKING + IN_USE if rows else TYPES_OF_ALL
        data = kmem('leak', 'pprof', '-i', path, f'--{allocator}')
        samples, _ = read(data, types)
        figures += compare(f'leak {path} {allocator}', samples[allocator], want)
        if GO:
            asked += tops(f'leak {path} {allocator}', data, samples[allocator], types)
        if GO or not rows:
            continue
        by = json.loads(kmem('leak', 'json', '-i', path, f'--{allocator}', '--by', 'comm'))['leak'][allocator]
        samples, _ = read(kmem('leak', 'pprof', '-i', path, f'--{allocator}', '--by', 'comm'), LEAKING + IN_USE)
        assert sum(n for (_, i), n in samples[allocator].items() if i == 2) == by['bytes'], by['bytes']
    return asked, figures


TYPES_OF_ALL = LEAKING + TYPES


def check_diff(old, new):
    """New less old: for each callchain, what grew and what shrank."""
    asked = figures = shrank = 0
    for allocator in 'slab', 'page':
        report = kmem('diff', 'json', f'--{allocator}', '--by', 'callsite', '--by', 'comm,stack', old, new)
        if report is None:
            continue
        by = {tuple(t['by']): t['rows'] for t in json.loads(report)['diff']['tables']}
        for keys in ('callsite',), ('comm', 'stack'):
            data = kmem('diff', 'pprof', f'--{allocator}', '--by', ','.join(keys), old, new)
            samples, _ = read(data)
            want = collections.Counter()
            for row in by[keys]:
                frames = frames_of_texts(row, keys)
                change = row['change']
                for i, name in enumerate(('bytes', 'hits', 'live_bytes', 'live_hits')):
                    want[frames, i] += change[name]
            figures += compare(f'diff {old} {new} {allocator} {keys}', samples[allocator], want)
            shrank += any(n < 0 for n in samples[allocator].values())
            if GO:
                asked += tops(f'diff {old} {new} {allocator} {keys}', data, samples[allocator], TYPES)
        # without a table option: callchains, if there are any
        samples, _ = read(kmem('diff', 'pprof', f'--{allocator}', old, new))
        total = sum(row['change']['bytes'] for row in by['callsite',])
        assert sum(n for (_, i), n in samples[allocator].items() if not i) == total, total
    assert shrank, 'nothing shrank'
    return asked, figures


def frames_of_texts(row, keys):
    """Keys of diff are text."""
    addresses, others = [], []
    for key in keys:
        if key in ('callsite', 'stack'):
            addresses += [re.sub(r'\+[0-9a-f]+$', '', re.sub(r' \[[^]]*\]$', '', f)) for f in reversed(row[key].split(' < '))]
        else:
            others.append(clean(row[key]))
    return tuple(reversed(others + addresses))


def main():
    done = list(map(check_recording, RECORDINGS)) + list(map(check_leak, RECORDINGS))
    pairs = [pair for pair in zip(RECORDINGS, RECORDINGS[1:]) if all('hostile' not in path for path in pair)]
    done += [check_diff(old, new) for old, new in pairs if shares(old, new)]
    asked, figures = map(sum, zip(*done))
    assert asked and figures, 'nothing was compared'
    print(f'{figures} figures of {len(RECORDINGS)} recordings are those of JSON',
          f', {asked} functions of go tool pprof, too' if GO else '', sep='')


main()
