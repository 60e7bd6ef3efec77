#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make fallbacks in a recording of ours fragmenting, which takes a machine short of memory else.

usage: make_fragmenting.py IN.data OUT.data EVENT-ID

Rewrites order, migrate type and ownership in every other mm_page_alloc_extfrag sample, where
they stand; all readers see the same file.  Prints how many it changed.
"""
import struct
import sys

PERF_RECORD_SAMPLE = 9
SAMPLE_TYPE_FIXED = 8 + 5 * 8  # header, IDENTIFIER, IP, TID, TIME, CPU
FALLBACK_ORDER, FALLBACK_MIGRATETYPE, CHANGE_OWNERSHIP = 20, 28, 32  # in the raw data, 64-bit kernel


def raw_of(data, at, size, event_id):
    """Where the raw data of a sample with a callchain is, if it is of this event."""
    if size < SAMPLE_TYPE_FIXED + 8:
        return None
    frames, = struct.unpack_from('<Q', data, at + SAMPLE_TYPE_FIXED)
    raw = SAMPLE_TYPE_FIXED + 8 + 8 * frames
    if raw + 4 + 36 > size:
        return None
    raw_size, common_type = struct.unpack_from('<IH', data, at + raw)
    if common_type != event_id or raw + 4 + raw_size > size:
        return None
    return at + raw + 4


def main():
    data = bytearray(open(sys.argv[1], 'rb').read())
    event_id = int(sys.argv[3])
    at, size = struct.unpack_from('<QQ', data, 40)
    end = at + size
    seen = changed = 0
    while at + 8 <= end:
        kind, _, length = struct.unpack_from('<IHH', data, at)
        raw = raw_of(data, at, length, event_id) if kind == PERF_RECORD_SAMPLE else None
        if raw:
            seen += 1
            if seen % 2:
                struct.pack_into('<i', data, raw + FALLBACK_ORDER, seen % 9)
                struct.pack_into('<i', data, raw + FALLBACK_MIGRATETYPE, seen % 3)
                struct.pack_into('<i', data, raw + CHANGE_OWNERSHIP, 0)
                changed += 1
        at += length
    with open(sys.argv[2], 'wb') as out:
        out.write(data)
    print(f'{changed} of {seen} fallbacks changed')
    sys.exit(0 if changed else 1)


main()
