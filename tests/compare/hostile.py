#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands of hostile names go through every format whole.

usage: hostile.py PERF RECORDING SCRATCH

Renames commands inside a copy of an uncompressed recording (the comm of its COMM records) to
names with quotes, commas, line ends and bytes that are not UTF-8; then
  csv     read by Python's csv, the names are those with '?' for what does not belong in a name, and an
          apostrophe before what a spreadsheet would compute, with the figures they had
  json    is valid, the names with U+FFFD for each bad byte; nothing in it moves the cursor
  folded  each line is one stack, and the weights are the same
  text    no row breaks, and no byte moves the cursor
"""
import csv
import io
import json
import struct
import subprocess
import sys
import unicodedata

PERF, RECORDING, SCRATCH = sys.argv[1:4]
# controls as one character (C1) and from right to left, too
HOSTILE = [b'unknown', b'ba\xe2\x80\x8bsh', b':-1', b'\xc2\x9b2J', b'\xe2\x80\xaex', b'-1', b'd\x7f', b'@A1', b'+1', b'a,b', b'q"q', b'n\nl', b'c\rr', b'\xff\xfe', b'"', b',', b'\r\nw', b';x y', b'\x1b[2J',
           b'=1+1', b' ', b'\xc3\xa9', b'\xc3', b't\t', b"'", b'a b 5']
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


def is_wanted(char):
    """Does it belong into a name?  As util/base/printable.h has it; U+DC80 on: bytes that are not UTF-8."""
    return unicodedata.category(char) not in ('Cc', 'Cf', 'Cs', 'Zl', 'Zp')


def named(name):
    """A word that stands where there is no name is quoted: util/base/label.h."""
    return b'"%s"' % name if name[:1] == b'"' or name in (b'unknown', b'[others]', b':-1') else name


def printable(name):
    name = named(name).decode('utf-8', 'surrogateescape')
    return ''.join(c if is_wanted(c) else '?' for c in name).encode('utf-8')


def cell(name):
    """The name in a spreadsheet."""
    shown = printable(name)
    number = shown[:1] == b'-' and shown[1:].isdigit()
    return b"'" + shown if shown[:1] in b'=+-@' and shown and not number else shown


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
    cells = {cell(new): new for new in names}
    assert len(cells) == len(names), 'two names look the same'
    back = {names[cells[shown]] if shown in cells else shown: row for shown, row in hostile.items()}
    used = [new for new in names if cell(new) in hostile]
    assert back == plain, f'{back} is not {plain}'
    assert len(used) >= 10, f'only {used} were used'

    report = stat(path, '--format=json')
    assert all(is_wanted(c) or c == '\n' for c in report.decode('utf-8')), report
    rows = json.loads(report)['slab']['tables'][0]['rows']
    valid = sorted((named(cells[shown]) if shown in cells else shown).decode('utf-8', 'surrogateescape') for shown in hostile)
    valid = sorted(''.join('\ufffd' if '\udc80' <= c <= '\udcff' else c for c in name) for name in valid)
    assert sorted(row['comm'] for row in rows) == valid, rows

    for options in ([], ['--weight=hit']):
        lines = [stat(p, '--format=folded', *options).split(b'\n') for p in (RECORDING, path)]
        assert len(lines[0]) == len(lines[1]) == len(plain) + 1, lines
        weights = [sorted(int(line.rsplit(b' ', 1)[1]) for line in part[:-1]) for part in lines]
        assert weights[0] == weights[1], weights
        frames = [line.rsplit(b' ', 1)[0] for line in lines[1][:-1]]
        wanted = [printable(name).replace(b';', b':') for name in used]
        assert not set(wanted) - set(frames), (wanted, frames)

    text = stat(path)
    assert text.count(b'\n') == stat(RECORDING).count(b'\n'), text
    assert all(is_wanted(c) or c == '\n' for c in text.decode('utf-8', 'surrogateescape')), text
    print(f'{len(used)} hostile names of {len(plain)}: {used}')


main()
