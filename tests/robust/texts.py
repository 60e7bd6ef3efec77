#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Cuts and corrupts what a kernel says about its memory: page_owner and others, and a snapshot of them.

usage: texts.py PERF DATA [STEP]: DATA is tests/data, unpacked; every STEPth variant (default: all)

The beginning of each text is cut at every place, and has bits flipped.  Whatever is read, the program ends by itself
with a report or one line of error, and a sanitizer finds nothing.  The more is left of a text, the more is read: what
stands before the cut is never lost, and nothing is made up.
"""
import io
import json
import random
import subprocess
import sys
import tarfile
import tempfile

PERF, DATA = sys.argv[1:3]
STEP = int(sys.argv[3]) if len(sys.argv) > 3 else 1
BAD = (b'AddressSanitizer', b'runtime error', b'LeakSanitizer', b'Assertion')
FLIPS = 200
failures = []
runs = 0


def contents(name):
    with open(f'{DATA}/{name}', 'rb') as f:
        return f.read()


def blocks(data, first, nr):
    return b'\n\n'.join(data.split(b'\n\n')[first:first + nr]) + b'\n\n'


def lines(data, nr):
    return b''.join(data.splitlines(True)[:nr])


def parts(snapshot):
    with tarfile.open(fileobj=io.BytesIO(snapshot)) as tar:
        return {m.name.split('/')[1]: tar.extractfile(m).read() for m in tar}


def archive(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w', format=tarfile.USTAR_FORMAT) as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(f'perf-kmem-snapshot/{name}')
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def samples():
    """(format, its options, a text)"""
    owner = contents('page_owner-6.12.txt')
    # pages of both ends, so that the order of pageblocks is known; with a memory cgroup and a slab page
    owner = blocks(owner, 0, 1) + blocks(owner, 7000, 2)
    stacks, allocinfo = blocks(contents('page_owner_stacks'), 0, 2), contents('allocinfo')
    # most of its lines have nothing allocated
    allocinfo = lines(b''.join(line for line in allocinfo.splitlines(True) if not line.startswith(b' ' * 11 + b'0')), 10)
    snapshot = parts(contents('after.snapshot'))
    slabinfo = lines(snapshot['slabinfo'], 6)
    small = {name: lines(data, 4) for name, data in snapshot.items()}
    small['info'] = snapshot['info'].replace(b'missing: page_owner: this kernel has none', b'part: page_owner 1')
    small.update({'slabinfo': slabinfo, 'page_owner': owner})
    yield 'page_owner', ['--page', '--by', 'stack,comm,age'], owner
    yield 'page_owner', ['--pageblocks'], owner
    yield 'page_owner_stacks', ['--page', '--by', 'stack'], stacks
    yield 'allocinfo', ['--slab', '--by', 'callsite'], allocinfo
    yield 'slabinfo', ['--slab', '--by', 'cache'], slabinfo
    yield 'vmallocinfo', ['--vmalloc', '--by', 'callsite,purpose'], lines(snapshot['vmallocinfo'], 12)
    yield 'trace_text', ['--slab', '--page', '--by', 'callsite'], lines(contents('trace.txt'), 18)
    yield 'snapshot', ['--slab', '--page', '--by', 'node'], archive(small)


def read(what, form, options, data):
    """How many entries were read, or None: it was refused."""
    global runs
    runs += 1
    with tempfile.NamedTemporaryFile() as f:
        f.write(data)
        f.flush()
        p = subprocess.run([PERF, 'kmem', 'stat', '-f', '-i', f.name, '--input-format', form, '--format=json', *options],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                           check=False)
    errors = [line for line in p.stderr.splitlines() if b'warning:' not in line]
    if p.returncode not in (0, 1, 3) or any(word in p.stderr for word in BAD) or len(errors) != (p.returncode == 1):
        failures.append(f'{what}: status {p.returncode}: {p.stderr[-500:]!r}')
    if p.returncode == 1:
        return None
    return sum(event['samples'] for event in json.loads(p.stdout)['recording']['events'])


def read_where(what, data):
    """The lines of the balance of a snapshot, or None: it was refused."""
    global runs
    runs += 1
    with tempfile.NamedTemporaryFile() as f:
        f.write(data)
        f.flush()
        p = subprocess.run([PERF, 'kmem', 'where', '-f', '-i', f.name, '--format=json'], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
    if p.returncode not in (0, 1, 3) or any(word in p.stderr for word in BAD) or len(p.stderr.splitlines()) != (p.returncode == 1):
        failures.append(f'{what}: status {p.returncode}: {p.stderr[-500:]!r}')
    if p.returncode == 1:
        return None
    rows = json.loads(p.stdout)['where']['lines']
    sums = [0] * 5
    for row in reversed(rows):
        depth = row['depth']
        if sums[depth + 1] and sums[depth + 1] != row['bytes']:
            failures.append(f"{what}: {row['path']} is not the sum of its lines, {sums[depth + 1]}")
        sums[depth + 1] = 0
        sums[depth] += row['bytes']
    return len(rows)


def where(chance):
    """The balance adds up, whatever is left of a snapshot; where it is cut, a part of the texts is missing."""
    small = {name: lines(data, 60 if name == 'meminfo' else 12) for name, data in parts(contents('where-after.snapshot')).items()}
    whole = archive(small)
    if not read_where('where', whole):
        failures.append('where: nothing is read of the whole snapshot')
    for end in range(0, len(whole), STEP * (1 + len(whole) // 300)):
        read_where(f'where, cut at {end}', whole[:end])
    for i in range(0, FLIPS, STEP):
        name = chance.choice([name for name in small if small[name]])
        data = bytearray(small[name])
        for _ in range(chance.choice((1, 1, 1, 8))):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        read_where(f'where, flip {i} of {name}', archive({**small, name: bytes(data)}))


def cut(form, options, whole):
    name = f'{form} {options[0]}'
    before, total = 0, read(name, form, options, whole)
    if not total:
        failures.append(f'{name}: nothing is read of the whole text')
    for end in range(0, len(whole), STEP * (1 + len(whole) // 1000)):
        read_now = read(f'{name}, cut at {end}', form, options, whole[:end])
        # the last entry may seem whole where a line ends
        if (read_now or 0) < before - 1 or (read_now or 0) > (total or 0):
            failures.append(f'{name}, cut at {end}: {read_now} entries, {before} of less text, {total} of all')
        before = max(before, read_now or 0)


def flip(form, options, whole, chance):
    for i in range(0, FLIPS, STEP):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 1, 1, 8))):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        read(f'{form} {options[0]}, flip {i}', form, options, bytes(data))


for sample in samples():
    cut(*sample)
    flip(*sample, random.Random(1))
where(random.Random(2))
for line in failures[:20]:
    print(line)
print(f'{runs} variants, {len(failures)} failures')
sys.exit(bool(failures))
