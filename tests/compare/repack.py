#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Write a recording's twin: the same records, packed as COMPRESSED ones.

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


def main():
    with open(sys.argv[1], 'rb') as stream:
        data = stream.read()
    magic, size, attr_size, *sections = struct.unpack_from('<8s2Q6Q', data)
    bits = int.from_bytes(data[72:HEADER_SIZE], 'little')
    assert magic == b'PERFILE2' and size == HEADER_SIZE and not bits >> HEADER_COMPRESSED & 1
    data_offset, data_size = sections[2:4]
    at = data_offset + data_size
    features = {}
    for bit in range(256):
        if bits >> bit & 1:
            offset, length = struct.unpack_from('<2Q', data, at)
            features[bit] = data[offset:offset + length]
            at += 16
    packed = subprocess.run(['zstd', '-q', '-3', '-c'], input=data[data_offset:data_offset + data_size],
                            stdout=subprocess.PIPE, check=True).stdout
    records = b''
    for i in range(0, len(packed), PIECE):
        piece = packed[i:i + PIECE]
        records += struct.pack('<IHH', COMPRESSED, 0, 8 + len(piece)) + piece
    # version, zstd, level, ratio, and what one record may unpack to
    features[HEADER_COMPRESSED] = struct.pack('<5I', 1, 1, 3, max(1, data_size // len(packed)), data_size)
    sections[3] = len(records)
    table, texts = b'', b''
    at = data_offset + len(records) + 16 * len(features)
    for bit in sorted(features):
        table += struct.pack('<2Q', at + len(texts), len(features[bit]))
        texts += features[bit]
    bits |= 1 << HEADER_COMPRESSED
    with open(sys.argv[2], 'wb') as out:
        out.write(struct.pack('<8s2Q6Q', magic, size, attr_size, *sections) + bits.to_bytes(32, 'little'))
        out.write(data[HEADER_SIZE:data_offset] + records + table + texts)


main()
