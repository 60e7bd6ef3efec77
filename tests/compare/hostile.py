#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands of hostile names go through every format whole.

usage: hostile.py PERF RECORDING SCRATCH

Renames commands inside a copy of an uncompressed recording (the comm of its COMM records) to
names with quotes, commas, line ends and bytes that are not UTF-8; then
  csv     read by Python's csv, the names are those to the byte, with the figures they had
  json    is valid, the names with U+FFFD for each bad byte
  folded  each line is one stack, and the weights are the same
  text    no row breaks, and no byte moves the cursor
"""
import csv
import io
import json
import struct
import subprocess
import sys

PERF, RECORDING, SCRATCH = sys.argv[1:4]
HOSTILE = [b'a,b', b'q"q', b'n\nl', b'c\rr', b'\xff\xfe', b'"', b',', b'\r\n', b';x y', b'\x1b[2J',
           b'=1+1', b' ', b'\xc3\xa9', b'\xc3', b'\t', b"'", b'a b 5']
RECORD_COMM = 3
HEAD = struct.Struct('<IHH')


def comm_records(data):
    """(offset of the name, bytes it has) of the recording's COMM records."""
    start, size = struct.unpack_from('<QQ', data, 40)
    at = start
    while at + HEAD.size <= start + size:
        kind, _, length = HEAD.unpack_from(data, at)
        if length < HEAD.size:
            sys.exit(f'{RECORDING}: a record of {length} bytes at {at}')
        if kind == RECORD_COMM:
            name = at + HEAD.size + 8
            padded = (data.index(b'\0', name) - name) // 8 * 8 + 8
            yield name, padded
        at += length


def rename(data, wanted):
    """Each wanted command gets a hostile name while there are some. Returns {new: old}."""
    new_names, left = {}, list(HOSTILE)
    for at, room in list(comm_records(data)):
        old = bytes(data[at:at + room]).rstrip(b'\0')
        if old in wanted and old not in new_names:
            new_names[old] = left.pop(0) if left else None
        if new_names.get(old):
            data[at:at + room] = new_names[old].ljust(room, b'\0')
    return {new: old for old, new in new_names.items() if new}


def stat(path, *options):
    command = [PERF, 'kmem', 'stat', '-f', '-i', path, '--slab', '--by=comm', *options]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout


def csv_rows(text):
    stream = io.StringIO(text.decode('utf-8', 'surrogateescape'), newline='')
    return {row.pop('comm').encode('utf-8', 'surrogateescape'): row for row in csv.DictReader(stream)}


def main():
    with open(RECORDING, 'rb') as stream:
        data = bytearray(stream.read())
    plain = csv_rows(stat(RECORDING, '--format=csv'))
    names = rename(data, plain)
    path = f'{SCRATCH}/hostile.data'
    with open(path, 'wb') as stream:
        stream.write(data)
    hostile = csv_rows(stat(path, '--format=csv'))
    back = {names.get(name, name): row for name, row in hostile.items()}
    used = [new for new in names if new in hostile]
    assert back == plain, f'{back} is not {plain}'
    assert len(used) >= 10, f'only {used} were used'

    rows = json.loads(stat(path, '--format=json'))['slab']['tables'][0]['rows']
    valid = sorted(name.decode('utf-8', 'surrogateescape') for name in hostile)
    valid = sorted(''.join('\ufffd' if '\udc80' <= c <= '\udcff' else c for c in name) for name in valid)
    assert sorted(row['comm'] for row in rows) == valid, rows

    for options in ([], ['--weight=hit']):
        lines = [stat(p, '--format=folded', *options).split(b'\n') for p in (RECORDING, path)]
        assert len(lines[0]) == len(lines[1]) == len(plain) + 1, lines
        weights = [sorted(int(line.rsplit(b' ', 1)[1]) for line in part[:-1]) for part in lines]
        assert weights[0] == weights[1], weights

    text = stat(path)
    assert text.count(b'\n') == stat(RECORDING).count(b'\n'), text
    assert not any(c < 32 and c != 10 for c in text), text
    text.decode('utf-8')
    print(f'{len(used)} hostile names of {len(plain)}: {used}')


main()
