# SPDX-License-Identifier: GPL-2.0-or-later
"""A trace.dat of version 7 in Python, for files that no recorder would write (attacks.py)."""
import struct

import recording as rec

PAGE = 4096
HEADER_INFO, EVENT_FORMATS, KALLSYMS, CMDLINES, BUFFER = 16, 18, 19, 21, 3
PACKED = 1
KMALLOC, KFREE = rec.KMALLOC, rec.KFREE


def kmalloc(delta_ns, ptr, size=64, call_site=0xffffffff81000010, pid=1):
    raw = struct.pack('<HBBiQQQQQi', KMALLOC, 0, 0, pid, call_site, ptr, size, size, 0xcc0, -1)
    return struct.pack('<I', len(raw) // 4 | delta_ns << 5) + raw


def kfree(delta_ns, ptr, call_site=0xffffffff81000020, pid=1):
    raw = struct.pack('<HBBiQQ', KFREE, 0, 0, pid, call_site, ptr)
    return struct.pack('<I', len(raw) // 4 | delta_ns << 5) + raw


def page(time_ns, events, size=PAGE):
    return (struct.pack('<QQ', time_ns, len(events)) + events).ljust(size, b'\0')


def formats():
    return struct.pack('<I', 1) + b'kmem\0' + struct.pack('<I', len(rec.FORMATS)) + b''.join(
        struct.pack('<Q', len(text)) + text for text in rec.FORMATS)


def area(blocks):
    """Compressed pages of a CPU. blocks: pairs of (bytes, size when unpacked)."""
    return struct.pack('<I', len(blocks)) + b''.join(
        struct.pack('<II', len(data), size) + data for data, size in blocks)


class TraceDat:
    """Sections and areas are appended; then options name them."""

    def __init__(self, packing=b'zstd'):
        self.head = b'\x17\x08\x44tracing7\0' + struct.pack('<BBI', 0, 8, PAGE) + packing + b'\0' + b'1\0'
        self.parts, self.options = [], []
        self.size = len(self.head) + 8
        self.add_section(HEADER_INFO, b'header_page\0' + bytes(8) + b'header_event\0' + bytes(8))
        self.add_section(EVENT_FORMATS, formats())
        self.add_section(CMDLINES, bytes(8))
        # so that there is something to report
        events = page(1000, kmalloc(1, 64) + kfree(1, 64))
        self.add_buffer([(self.append(events), PAGE)], packed=False, name=b'first')

    def append(self, data):
        """Returns its offset."""
        at = self.size
        self.parts.append(data)
        self.size += len(data)
        return at

    def option(self, number, data):
        self.options.append(struct.pack('<HI', number, len(data)) + data)

    def add_section(self, number, data, unpacked=0, times=1):
        """unpacked: its size when unpacked; 0: it is not packed. times: that an option names it."""
        if unpacked:
            data = struct.pack('<II', len(data), unpacked) + data
        at = self.append(struct.pack('<HHIQ', number, PACKED if unpacked else 0, 0, len(data)) + data)
        for _ in range(times):
            self.option(number, struct.pack('<Q', at))

    def add_buffer(self, cpus, packed=True, name=b'', page_size=PAGE):
        """cpus: pairs of (offset, size); a packed one's first four bytes are not counted."""
        at = self.append(struct.pack('<HHIQ', BUFFER, PACKED if packed else 0, 0, 0))
        self.option(BUFFER, struct.pack('<Q', at) + name + b'\0\0' + struct.pack('<II', page_size, len(cpus)) + b''.join(
            struct.pack('<IQQ', cpu, pos, size - (4 if packed else 0)) for cpu, (pos, size) in enumerate(cpus)))

    def options_section(self, following=0):
        """All options; following: where the next section of them is."""
        options = b''.join(self.options) + struct.pack('<HIQ', 0, 8, following)
        return struct.pack('<HHIQ', 0, 0, 0, len(options)) + options

    def bytes(self, options_at=None):
        """options_at: offset of the options, if they were appended already."""
        at = options_at or self.append(self.options_section())
        return self.head + struct.pack('<Q', at) + b''.join(self.parts)
