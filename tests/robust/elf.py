#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs made to harm whoever looks for names, lines and callers in them.

usage: elf.py PERF DATA SCRATCH CASE | elf.py --list

The program of the recording user-stacks.perf, with a symbol table, sections, DWARF or .eh_frame that only somebody
hostile writes, lies where it is found by its build-id.  Reports end, in bounded time and memory.
A sanitized perf has no memory limit, and smaller files.
"""
import lzma
import os
import resource
import struct
import subprocess
import sys
import time
import zlib

MEGABYTE = 1 << 20
LIMIT = 1024 * MEGABYTE
PATIENCE = 20
BUILD_ID = '50db99ba40a665e6e231c4a90f9c938cc7886840'
EVENTS = 116  # the number of samples in user-stacks.perf
SHT_SYMTAB, SHT_STRTAB, SHT_NOTE = 2, 3, 7
PERF = DATA = SCRATCH = None
SANITIZED = False


class Program:
    """An ELF file of 64 bits: its bytes, its sections in order (name, type, flags, address, content...)."""

    FIELDS = ('name', 'type', 'flags', 'address', 'offset', 'size', 'link', 'info', 'align', 'entry')

    def __init__(self, data):
        self.data = bytearray(data)
        at, = struct.unpack_from('<Q', data, 40)
        nr, self.names = struct.unpack_from('<HH', data, 60)
        self.sections = [dict(zip(self.FIELDS, struct.unpack_from('<IIQQQQIIQQ', data, at + 64 * i)))
                         for i in range(nr)]
        del self.data[at:]
        self.header = {}  # format and offset of the latest overwritten field

    def __getitem__(self, name):
        names = self.sections[self.names]['offset']
        for section in self.sections:
            start = names + section['name']
            if bytes(self.data[start:self.data.index(0, start)]).decode() == name:
                return section
        raise KeyError(name)

    def content(self, name):
        return bytes(self.data[self[name]['offset']:][:self[name]['size']])

    def fill(self, section, content):
        """New content, at the end of the file."""
        self.data += b'\0' * (-len(self.data) % 16)
        section.update(offset=len(self.data), size=len(content))
        self.data += content

    def bytes(self):
        table = b''.join(struct.pack('<IIQQQQIIQQ', *(s[f] for f in self.FIELDS)) for s in self.sections)
        self.data += b'\0' * (-len(self.data) % 16)
        struct.pack_into('<Q', self.data, 40, len(self.data))
        struct.pack_into('<H', self.data, 60, min(len(self.sections), 0xffff))
        for (form, offset), value in self.header.items():
            struct.pack_into(form, self.data, offset, value)
        return bytes(self.data) + table


def program():
    with open(f'{DATA}/user-program', 'rb') as stream:
        return Program(stream.read())


def size(nr):
    """As many as take too long if something is not linear; sanitizers are slow themselves."""
    return nr // 16 if SANITIZED else nr


def place():
    """Where the program is looked for."""
    path = f'{SCRATCH}/.debug/.build-id/{BUILD_ID[:2]}/{BUILD_ID[2:]}'
    os.makedirs(path, exist_ok=True)
    return f'{path}/elf'


def set_limit():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))


def perf(*arguments, want=0):
    """The output, within the limits."""
    begun = time.monotonic()
    done = subprocess.run([PERF, *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False,
                          preexec_fn=set_limit, env=dict(os.environ, HOME=SCRATCH),
                          timeout=PATIENCE * (10 if SANITIZED else 1))
    assert done.returncode == want, f'{arguments}: status {done.returncode}: {done.stderr[-2000:]}'
    if os.environ.get('VERBOSE'):
        print(f'{arguments[:2]}: {time.monotonic() - begun:.1f} s', file=sys.stderr)
    return done.stdout.decode(), done.stderr.decode()


def reports(want_name=None):
    """All that asks the program for something; the recorded addresses are printed, with or without
    names (None: either)."""
    recording = f'{DATA}/user-stacks.perf'
    rows, err = perf('kmem', 'stat', '-i', recording, '--by', 'ustack,usym,usrcline', '--comm', 'golden')
    assert '9440' in rows or '9912' in rows, rows
    assert want_name is None or ('once' in rows) == want_name, rows
    lines, _ = perf('script', '-i', recording, '--comms', 'golden', '-F', 'ip,sym,dso')
    assert '11e ' in lines and (want_name is None or ('once' in lines) == want_name), lines[:2000]
    assert err.count('\n') <= 3, err
    return rows, err


def hostile(p, **how):
    data = p if isinstance(p, bytes) else p.bytes()
    with open(place(), 'wb') as stream:
        stream.write(data)
    return reports(**how)


# ---- the tables of sections and symbols --------------------------------------------


def counts():
    """Numbers of sections, segments and symbols that the file has no room for, and sizes of entries that are none."""
    for header in ({('<H', 60): 0, ('<H', 62): 0}, {('<H', 60): 0xffff}, {('<H', 56): 0xffff}, {('<Q', 40): 1 << 63},
                   {('<Q', 32): (1 << 64) - 8}, {('<H', 58): 1}, {('<H', 54): 1}):
        p = program()
        p.header = header
        hostile(p)
    for nr in 1 << 40, (1 << 64) - 1:  # where there are too many for the header, the first section has the number
        p = program()
        p.sections[0].update(size=nr, link=(1 << 32) - 1, info=(1 << 32) - 1)
        p.header = {('<H', 56): 0xffff, ('<H', 60): 0, ('<H', 62): 0xffff}
        hostile(p)
    for name in '.symtab', '.strtab', '.shstrtab', '.eh_frame', '.debug_info', '.debug_line':
        for change in ({'size': 1 << 62}, {'size': (1 << 64) - 1}, {'offset': (1 << 64) - 16}, {'entry': 1},
                       {'entry': 0}, {'entry': 1 << 63}, {'link': 0xffffffff}, {'address': (1 << 64) - 1},
                       {'flags': 0x800}):
            p = program()
            p[name].update(change)
            hostile(p)


def long_names():
    """A table of names that does not end: is there an end to each name of many?"""
    names = b'\0a\0' + b'a' * size(8 * MEGABYTE)
    symbol = struct.pack('<IBBHQQ', 1, 2, 0, 2, 0x400110, 16)
    for tables in ('.strtab',), ('.strtab', '.shstrtab'), ('.shstrtab',):
        p = program()
        p.fill(p['.symtab'], symbol * size(400_000))
        old = p.content('.shstrtab')
        if '.strtab' in tables:
            p.fill(p['.strtab'], names)
        if '.shstrtab' in tables:
            p.fill(p['.shstrtab'], old + names)
            p.sections += [dict(p.sections[0], name=len(old) + 1) for _ in range(size(60_000))]
        hostile(p)


def many_sections():
    """As many sections as there can be, which are all the same, of notes or symbols."""
    note = struct.pack('<III', 4, 20, 77) + b'GNU\0' + b'x' * 20
    for kind, content in ((SHT_NOTE, note * size(200_000)), (SHT_NOTE, note * 1800),
                          (SHT_SYMTAB, struct.pack('<IBBHQQ', 1, 2, 0, 2, 0x400110, 16) * size(300_000))):
        p = program()
        del p.sections[1]  # its build-id: the segment identifies it
        p.names -= 1
        p.header = {('<H', 62): p.names}
        p.sections.append(dict(p.sections[0], type=kind, align=4, entry=24, link=13))
        p.fill(p.sections[-1], content)
        p.sections += [p.sections[-1]] * (60_000 - len(p.sections))
        hostile(p)
        # and no build-id, so that all are looked at
        p.data[0xe8:0xec] = b'\1\0\0\0'
        reports_of_another(p)


def reports_of_another(p):
    """Without the build-id the file is refused."""
    _, err = hostile(p, want_name=False)
    assert 'is not the file that was recorded' in err or 'not found' in err, err


def kernel_symbols():
    """A vmlinux with all of these, and with more names than memory."""
    path = f'{SCRATCH}/vmlinux'
    symbol = struct.pack('<IBBHQQ', 1, 2, 0, 2, 0x400110, 16)
    for names, symbols, copies, want in ((b'\0' + b'a' * size(8 * MEGABYTE), 400_000, 1, 1),
                                         (b'\0a\0', 300_000, 60_000, 0),
                                         (b'\0' + b'a' * MEGABYTE + b'\0', 400_000, 1, 1)):
        p = program()
        p.fill(p['.strtab'], names)
        p.fill(p['.symtab'], symbol * size(symbols))
        p.sections += [p['.symtab']] * (copies - 1)
        with open(path, 'wb') as stream:
            stream.write(p.bytes())
        _, err = perf('kmem', 'stat', '-i', f'{DATA}/user-stacks.perf', '--caller', '--kallsyms', path, want=want)
        assert not want or path in err and err.count('\n') == 1, err


# ---- symbols that are packed --------------------------------------------------------------


def with_packed(packed):
    """The program with this .gnu_debugdata, and without symbols and DWARF of its own."""
    p = program()
    names = p.content('.shstrtab')
    section = p['.debug_info']
    p['.symtab'].update(type=1)
    p.fill(p['.shstrtab'], names + b'.gnu_debugdata\0')
    section['name'] = len(names)
    p.fill(section, packed)
    return p


def refused(packed, why):
    _, err = hostile(with_packed(packed), want_name=False)
    assert f".gnu_debugdata of '/" in err and why in err, f'{why}: {err}'


def packed_symbols():
    """Data that are cut off, damaged, larger than memory, or not a program when unpacked; then, a hostile program."""
    whole = program().bytes()
    good = lzma.compress(whole)
    hostile(with_packed(good), want_name=True)
    hostile(with_packed(lzma.compress(whole, check=lzma.CHECK_NONE)), want_name=True)
    hostile(with_packed(good + bytes(16)), want_name=True)  # the section is padded
    hostile(with_packed(b''), want_name=False)
    for length in 5, 12, 24, len(good) // 2, len(good) - 13, len(good) - 1:
        refused(good[:length], 'is cut off')
    for at in range(0, len(good), 400 if SANITIZED else 97):
        refused(good[:at] + bytes([good[at] ^ 0x10]) + good[at + 1:], "'")
    refused(good + good, 'is damaged')
    refused(b'\x1f\x8b\x08\0' + bytes(60), 'is not packed with xz')
    refused(lzma.compress(b'#!/bin/sh\n'), 'is not an ELF file')
    refused(lzma.compress(b''), 'is not an ELF file')
    packer = lzma.LZMACompressor(preset=1)
    bomb = b''.join(packer.compress(bytes(MEGABYTE)) for _ in range(1024)) + packer.flush()
    assert len(bomb) < MEGABYTE
    refused(bomb, 'is too large when it is unpacked')
    # a window of 1.5 GB, of which the header tells
    window = [{'id': lzma.FILTER_LZMA2, 'preset': 0, 'dict_size': 1536 * MEGABYTE}]
    header = lzma.LZMACompressor(filters=[dict(window[0], dict_size=MEGABYTE)])
    packed = bytearray(header.compress(whole) + header.flush())
    assert packed[12 + 2:12 + 4] == b'\x21\1'
    packed[12 + 4] = 37  # of LZMA2's codes for sizes
    struct.pack_into('<I', packed, 12 + 8, zlib.crc32(packed[12:12 + 8]))
    refused(bytes(packed), 'needs too much memory')
    # of another program
    p = program()
    p.data[p['.note.gnu.build-id']['offset'] + 16] ^= 1
    refused(lzma.compress(p.bytes()), 'is of another program')
    # programs in programs are not looked at
    hostile(with_packed(lzma.compress(with_packed(good).bytes())), want_name=False)
    for name in '.symtab', '.strtab', '.shstrtab':
        for change in {'size': 1 << 62}, {'offset': (1 << 64) - 16}, {'entry': 0}, {'link': 0xffffffff}:
            p = program()
            p[name].update(change)
            hostile(with_packed(lzma.compress(p.bytes())))
    p = program()
    p.fill(p['.symtab'], struct.pack('<IBBHQQ', 1, 2, 0, 2, 0x400110, 16) * size(2_000_000))
    hostile(with_packed(lzma.compress(p.bytes(), preset=0)))


# ---- how to unwind ---------------------------------------------------------------------


def eh_frame():
    """Descriptions of no length, of all lengths, that lead anywhere, or all to one that does not end."""
    cie = struct.pack('<IIB', 20, 0, 1) + b'zR\0\1\x78\x10\1\x1b\x0c\7\10\x90\1\0\0'
    fde = struct.pack('<IIiI', 12, 28, -16, 28)
    endless = struct.pack('<IIB', size(4 * MEGABYTE) + 9, 0, 1) + b'zX\0' + b'\x80' * size(4 * MEGABYTE) + b'\1'
    led = b''.join(struct.pack('<IIiI', 12, len(endless) + 16 * i + 4, 0, 1) for i in range(size(250_000)))
    for content in (struct.pack('<I', 0) * size(2_000_000), struct.pack('<II', 0xffffffff, 1) * 1000, cie + fde[:-1],
                    struct.pack('<II', 0xfffffff0, 0) + cie + fde, cie + struct.pack('<IIiI', 12, 0xffffffff, 0, 1),
                    endless + led, struct.pack('<II', 4, 4) * size(1_000_000), b'\1\0\0\0' * size(1_000_000),
                    cie + b''.join(struct.pack('<IIiI', 12, 28 + 16 * i, -(16 * i) - 40, 0x7fffffff)
                                   for i in range(size(250_000)))):
        p = program()
        p.fill(p['.eh_frame'], content)
        # it must be loaded: where the table leads to is looked up by address
        segment = 64
        struct.pack_into('<QQQQQ', p.data, segment + 8, 0, 0x400000, 0x400000, len(p.data), len(p.data))
        p['.eh_frame']['address'] = 0x400000 + p['.eh_frame']['offset']
        hostile(p)


# ---- DWARF ------------------------------------------------------------------------------


def leb128(number):
    data = bytearray()
    while number > 0x7f:
        data.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes(data + bytes([number]))


class Unit:
    """DWARF 4 of the program's code: the entries of a unit, whose forms are described as they are made."""

    UNIT, FUNCTION, INLINED, BLOCK = 0x11, 0x2e, 0x1d, 0x0b
    NAME, LINES, LOW, HIGH, ORIGIN, RANGES, CALL_LINE = 0x03, 0x10, 0x11, 0x12, 0x31, 0x55, 0x59
    FORMS = {NAME: (0x08, None), LINES: (0x17, '<I'), LOW: (0x01, '<Q'), HIGH: (0x07, '<Q'), ORIGIN: (0x13, '<I'),
             RANGES: (0x17, '<I'), CALL_LINE: (0x06, '<I')}
    CODE = {LOW: 0x400110, HIGH: 0x74}

    def __init__(self):
        self.abbreviations, self.entries = {}, bytearray()

    def offset(self):
        """The offset of the next entry in the unit."""
        return 11 + len(self.entries)

    def encode(self, tag, values, children=False):
        kind = (tag, children, tuple(values))
        code = self.abbreviations.setdefault(kind, len(self.abbreviations) + 1)
        return leb128(code) + b''.join(value + b'\0' if name == self.NAME else struct.pack(self.FORMS[name][1], value)
                                       for name, value in values.items())

    def add(self, *arguments, **how):
        self.entries += self.encode(*arguments, **how)

    def bytes(self):
        return struct.pack('<IHIB', self.offset() - 4, 4, 0, 8) + self.entries

    def abbreviation_bytes(self):
        return b''.join(leb128(code) + leb128(tag) + bytes([children]) +
                        b''.join(bytes([name, self.FORMS[name][0]]) for name in names) + b'\0\0'
                        for (tag, children, names), code in self.abbreviations.items()) + b'\0'


def with_dwarf(unit, info=None, line=b'', ranges=b''):
    """The program with this unit (or with that .debug_info made of it) instead of its own."""
    p = program()
    names = p.content('.shstrtab')
    for name in '.debug_aranges', '.debug_loclists':
        p[name].update(size=0)
    p.fill(p['.debug_info'], info or unit.bytes())
    p.fill(p['.debug_abbrev'], unit.abbreviation_bytes())
    p.fill(p['.debug_line'], line)
    section = p['.debug_rnglists']
    p.fill(p['.shstrtab'], names + b'.debug_ranges\0')
    section['name'] = len(names)
    p.fill(section, ranges)
    return p


def origins():
    """Functions that are instances of themselves, of each other, of functions inlined in them, of nothing."""
    for distance in 0, 1, -1, 1000:
        u = Unit()
        u.add(u.UNIT, u.CODE, children=True)
        length = len(u.encode(u.FUNCTION, {**u.CODE, u.ORIGIN: 0}, children=True))
        for _ in range(100):
            u.add(u.FUNCTION, {**u.CODE, u.ORIGIN: max(0, u.offset() + distance * length)}, children=True)
        u.add(u.INLINED, {**u.CODE, u.ORIGIN: u.offset(), u.CALL_LINE: 1})
        hostile(with_dwarf(u), want_name=True)


def same_ranges():
    """As many functions as there is room for, inlined and not, with the same ranges, which are as many."""
    ranges = struct.pack('<QQ', 0x400110, 0x400184) * size(60_000) + b'\0' * 16
    for tag in Unit.FUNCTION, Unit.INLINED:
        u = Unit()
        u.add(u.UNIT, u.CODE, children=True)
        if tag == u.INLINED:
            u.add(u.FUNCTION, u.CODE, children=True)
        u.entries += u.encode(tag, {u.RANGES: 0}) * size(200_000)
        hostile(with_dwarf(u, ranges=ranges), want_name=True)


def nested():
    """Functions in functions, blocks in blocks, without end, and many units."""
    for tag in Unit.FUNCTION, Unit.BLOCK, Unit.INLINED:
        for values in {}, Unit.CODE:
            u = Unit()
            u.add(u.UNIT, u.CODE, children=True)
            u.add(u.FUNCTION, u.CODE, children=True)
            nr = size(100_000 if values else 1_000_000)
            u.entries += u.encode(tag, values, children=True) * nr
            hostile(with_dwarf(u), want_name=True)
            u.entries += b'\0' * nr
            hostile(with_dwarf(u), want_name=True)
    u = Unit()
    u.add(u.UNIT, u.CODE)
    hostile(with_dwarf(u, info=u.bytes() * size(200_000)), want_name=True)


def lines():
    """A line for each byte, many files, and headers of all lengths."""
    code = b'\0\x09\2' + struct.pack('<Q', 0x400110) + b'\2' * size(2_000_000)
    for files, opcodes in ((1, code), (size(500_000), b'')):
        # the shortest instruction, operations, is_stmt, base and range of the line, the first of special opcodes;
        # then directories and files
        header = b'\1\1\1\0\1\1' + b'\0' + b'f\0\0\0\0' * files + b'\0'
        body = struct.pack('<HI', 4, len(header)) + header + opcodes
        for length in len(body), len(body) - 1, 0xffffffef, 0, 5:
            u = Unit()
            u.add(u.UNIT, {**u.CODE, u.LINES: 0}, children=True)
            u.add(u.FUNCTION, {u.NAME: b'once', **u.CODE})
            hostile(with_dwarf(u, line=struct.pack('<I', length) + body), want_name=True)


# ---- not a file -------------------------------------------------------------------


def not_files():
    """A FIFO that nobody writes to, a device, a directory, a link that leads to itself, nothing."""
    for make in (os.mkfifo, lambda path: os.symlink('/dev/zero', path), lambda path: os.symlink('/dev/tty', path),
                 lambda path: os.symlink(path, path), os.mkdir, lambda path: os.close(os.open(path, os.O_CREAT))):
        make(place())
        _, err = reports(want_name=False)
        assert 'golden' in err and BUILD_ID in err, err
        (os.rmdir if os.path.isdir(place()) else os.unlink)(place())


def sparse():
    """4 GB of holes, of which the file says that they are symbols, strings, notes, or how to unwind."""
    holes = size(4 << 30)
    for name in '.symtab', '.strtab', '.eh_frame', '.debug_info', '.debug_line', '.note.gnu.build-id', '.shstrtab':
        p = program()
        p[name].update(size=holes - MEGABYTE)
        with open(place(), 'wb') as stream:
            stream.write(p.bytes())
            stream.truncate(holes)
        reports()
        os.unlink(place())


CASES = {function.__name__.replace('_', '-'): function for function in (
    counts, long_names, many_sections, kernel_symbols, packed_symbols, eh_frame, origins, same_ranges, nested, lines,
    not_files, sparse)}


def main():
    global PERF, DATA, SCRATCH, SANITIZED
    if sys.argv[1] == '--list':
        print('\n'.join(CASES))
        return
    PERF, DATA, SCRATCH = sys.argv[1:4]
    SANITIZED = 'address' in os.path.realpath(PERF)
    CASES[sys.argv[4]]()


if __name__ == '__main__':
    main()
