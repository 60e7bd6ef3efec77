#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Texts of the kernel as users send them: edited, converted, packed twice, put together, out of range.

usage: odd_texts.py PERF DATA SCRATCH: DATA is tests/data, unpacked

Each is read as far as it can be, and the fault is reported in one line; nothing waits, and nothing takes all memory.
"""
import gzip
import io
import json
import os
import re
import subprocess
import sys
import tarfile

PERF, DATA, SCRATCH = sys.argv[1:4]
failures = []
runs = 0


def contents(name):
    with open(f'{DATA}/{name}', 'rb') as f:
        return f.read()


def read(path, *options):
    """Status, entries, messages."""
    p = subprocess.run([PERF, 'kmem', 'stat', '-f', '-i', path, '--format=json', *(options or ('--slab', '--page'))],
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
    nr = sum(e['samples'] for e in json.loads(p.stdout)['recording']['events']) if p.returncode in (0, 3) else 0
    return p.returncode, nr, p.stderr.decode()


def check(what, path, want, says=''):
    """want: how many entries; -1: it is refused"""
    global runs
    runs += 1
    status, nr, messages = read(path, *(['--vmalloc'] if what.startswith('vmallocinfo') else []))
    lines = messages.splitlines()
    if (-1 if status == 1 else nr) != want or status not in (0, 1, 3) or len(lines) != bool(says) or \
            not re.search(says, messages):
        failures.append(f'{what}: status {status}, {nr} entries, not {want}, {says!r}: {messages[-600:]}')


def text(what, data, want, says=''):
    path = f'{SCRATCH}/text'
    with open(path, 'wb') as f:
        f.write(data)
    check(what, path, want, says)


def page(pfn, **other):
    v = {'order': 0, 'comm': 'sh', 'ts': 5, **other}
    return (f'Page allocated via order {v["order"]}, mask 0xcc0(GFP_KERNEL), pid 1, tgid 1 ({v["comm"]}), ts {v["ts"]} ns\n'
            f'PFN {pfn:#x} type Unmovable Block {pfn >> 9} type Unmovable Flags 0x0(node=0|zone=1)\n'
            ' alloc_pages+0x1/0x2\n vfs_read+0x1/0x2\n\n').encode()


def converted():
    texts = {'page_owner': page(512) + page(513), 'stacks': b' vfs_read+0x1/0x2\nnr_base_pages: 3\n\n' * 2,
             'allocinfo': b'allocinfo - version: 1.0\n  4096 1 fs/pipe.c:1 func:f\n  8 1 fs/pipe.c:2 func:g\n',
             'vmallocinfo': b'0x1-0x2 8192 f+0x1/0x2 pages=1 vmalloc\n0x1-0x2 8192 unpurged vm_area\n',
             'slabinfo': b'slabinfo - version: 2.1\n# name\n' +
                         b''.join(b'%s 1 2 64 64 1 : tunables 0 0 0 : slabdata 1 1 0\n' % name for name in (b'a', b'b'))}
    for name, data in texts.items():
        half = len(data) // 2
        text(name, data, 2)
        text(f'{name}, CR LF', data.replace(b'\n', b'\r\n'), 2)
        text(f'{name}, two members', gzip.compress(data[:half]) + gzip.compress(data[half:]), 2)
        text(f'{name}, byte order mark', b'\xef\xbb\xbf' + data, -1, "'[^']*' begins with a byte order mark.*tail -c")
        text(f'{name}, UTF-16', data.decode().encode('utf-16'), -1, "'[^']*' is a text in UTF-16.*iconv")
        text(f'{name}, packed twice', gzip.compress(gzip.compress(data)), 2)
        text(f'{name}, packed three times', gzip.compress(gzip.compress(gzip.compress(data))), -1, 'packed more than twice')
    for name in ('allocinfo', 'slabinfo'):
        data = texts[name]
        text(f'{name}, no newline', data[:-1], 2, 'the last one, has no newline')
        text(f'{name}, twice', data + data, 4, f'begins a second {name}')
        text(f'{name} of a later version', re.sub(rb'\d\.\d', b'3.0', data, count=1), 2, f"{name} has version '3.0'")
    text('page_owner, twice', texts['page_owner'] * 2, 4, 'the page at line 11 comes after one with a higher number')


def out_of_range():
    good = page(512)
    for what, bad in (('order', page(513, order=99)), ('time', page(513, ts=1 << 63)), ('place', page(1 << 52))):
        text(f'page_owner, {what}', good + bad + page(514), 2, r'line (6|7) .* at offset 0x[0-9a-f]+; skipped 1 record,')
    for what, figures in (('sign', b'-5 20 0 64 1'), ('most', b'18446744073709551615 20 0 64 1')):
        text(f'slabinfo, {what}', b'slabinfo - version: 2.1\nbad %s : tunables 0 0 0 : slabdata 1 1 0\n' % figures, -1,
             'line 2 does not describe a cache')
    for what, area in (('sign', b'-8192 f'), ('most', b'18446744073709551615 f'), ('pages', b'x vmalloc')):
        text(f'vmallocinfo, {what}', b'0x1-0x2 8192 unpurged vm_area\n0x1-0x2 %s\n' % area, 1, 'line 2 does not describe an area')
    event = b'sh-1 [000] ..... 1.000001: mm_page_alloc: page=0 pfn=0x10 order=%d migratetype=0 gfp_flags=0x0\n'
    text('trace, order', b'# tracer: nop\n' + event % 0 + event % 99, 1, "line 3 is not in the kernel's format at offset")
    text('stacks, no number', b' a+0x1/0x2\nnr_base_pages: 1\n\n b+0x1/0x2\n\n', 1, 'line 4 begins a stack without a number')


def archives():
    with tarfile.open(fileobj=io.BytesIO(contents('after.snapshot'))) as tar:
        members = [(m.name, tar.extractfile(m).read()) for m in tar]

    def archive(parts):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode='w', format=tarfile.USTAR_FORMAT) as tar:
            for name, data in parts:
                info = tarfile.TarInfo(name)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
        return out.getvalue()
    slabinfo = [m for m in members if m[0].endswith('/slabinfo')]
    text('snapshot', archive(members), 134)
    text('snapshot, slabinfo twice', archive(members + slabinfo), 134, 'a second slabinfo is left out')
    series = archive([(name, data.replace(b': 1\n', b': 1\nseries: 1\n', 1) if name.endswith('/info') else data)
                      for name, data in members])
    text('series of one', series, 134)
    text('series', 3 * series, 134, 'the last of its 3 snapshots')
    text('series, cut', series + series[:5000], 134, 'the archive ends too early')
    text('series, damaged', series + b'\1' * 512 + series, 134, 'the next snapshot has no valid header')
    text('snapshot, no slabinfo', archive([m for m in members if m not in slabinfo]), -1, 'slabinfo is listed but missing')


def tracefs():
    def path(name):
        return f'{SCRATCH}/tracefs/{name}'
    with open(f'{os.path.dirname(os.path.abspath(__file__))}/../fuzz/corpus/tracefs/whole', 'rb') as f:
        whole = f.read()
    for entry in re.split(rb'(?m)^@', whole)[1:]:
        name, body = entry.split(b'\n', 1)
        os.makedirs(os.path.dirname(path(name.decode())), exist_ok=True)
        with open(path(name.decode()), 'wb') as f:
            f.write(body)
    check('tracefs', path(''), 4)
    os.unlink(path('saved_cmdlines'))
    os.mkfifo(path('saved_cmdlines'))
    check('tracefs, a FIFO in it', path(''), 4)
    os.unlink(path('saved_cmdlines'))
    with open(path('saved_cmdlines'), 'wb') as f:
        f.truncate(1 << 40)
    check('tracefs, a huge file in it', path(''), 4)
    os.unlink(path('saved_cmdlines'))
    os.rename(path('events/kmem/kmalloc/format'), path('format'))
    check('tracefs, no format', path(''), 1, 'kmalloc/format.* is missing')
    with open(path('events/kmem/kmalloc/format'), 'wb') as f:
        f.write(b'noise')
    check('tracefs, noise', path(''), 1, 'kmalloc/format.* is not a format')


for case in (converted, out_of_range, archives, tracefs):
    case()
for line in failures[:20]:
    print(line)
print(f'{runs} inputs, {len(failures)} failures')
sys.exit(bool(failures))
