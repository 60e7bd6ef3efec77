#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Write a recording's twin: the same records, packed as COMPRESSED ones, or unpacked if they are packed.

usage: repack.py IN OUT

For little-endian files; the records of the data section become one zstd stream, cut anywhere into
COMPRESSED records, also within a record.  Everything else stays as it is.
"""
import struct
import subprocess
import sys

HEADER_SIZE = 104
COMPRESSED = 81          # record type
HEADER_COMPRESSED = 27   # feature
PIECE = 20001            # bytes of the stream in a record; odd on purpose


def records_of(data):
    """(type, record) of each whole record."""
    at = 0
    while at + 8 <= len(data):
        kind, _, size = struct.unpack_from('<IHH', data, at)
        if at + size > len(data):
            break
        yield kind, data[at:at + size]
        at += size


def packed(data):
    stream = subprocess.run(['zstd', '-q', '-3', '-c'], input=data, stdout=subprocess.PIPE, check=True).stdout
    pieces = [stream[i:i + PIECE] for i in range(0, len(stream), PIECE)]
    ratio = max(1, len(data) // len(stream))
    # version, zstd, level, ratio, and what one record may unpack to
    feature = struct.pack('<5I', 1, 1, 3, ratio, len(data))
    return b''.join(struct.pack('<IHH', COMPRESSED, 0, 8 + len(piece)) + piece for piece in pieces), feature


def unpacked(data):
    """A record that is not packed follows the whole records of the stream up to there."""
    stream, done, result = b'', 0, b''
    for kind, record in [*records_of(data), (None, b'')]:
        if kind == COMPRESSED:
            stream += record[8:]
            continue
        # an empty last block ends the stream
        plain = subprocess.run(['zstd', '-dcq'], input=stream + b'\1\0\0', stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, check=False).stdout if stream else b''
        whole = sum(len(one) for _, one in records_of(plain))
        result += plain[done:whole] + record
        done = whole
    return result


def main():
    with open(sys.argv[1], 'rb') as stream:
        data = stream.read()
    magic, size, attr_size, *sections = struct.unpack_from('<8s2Q6Q', data)
    bits = int.from_bytes(data[72:HEADER_SIZE], 'little')
    assert magic == b'PERFILE2' and size == HEADER_SIZE
    data_offset, data_size = sections[2:4]
    at = data_offset + data_size
    features = {}
    for bit in range(256):
        if bits >> bit & 1:
            offset, length = struct.unpack_from('<2Q', data, at)
            features[bit] = data[offset:offset + length]
            at += 16
    records = data[data_offset:data_offset + data_size]
    bits ^= 1 << HEADER_COMPRESSED
    if features.pop(HEADER_COMPRESSED, None):
        records = unpacked(records)
    else:
        records, features[HEADER_COMPRESSED] = packed(records)
    sections[3] = len(records)
    table, texts = b'', b''
    at = data_offset + len(records) + 16 * len(features)
    for bit in sorted(features):
        table += struct.pack('<2Q', at + len(texts), len(features[bit]))
        texts += features[bit]
    with open(sys.argv[2], 'wb') as out:
        out.write(struct.pack('<8s2Q6Q', magic, size, attr_size, *sections) + bits.to_bytes(32, 'little'))
        out.write(data[HEADER_SIZE:data_offset] + records + table + texts)


main()
