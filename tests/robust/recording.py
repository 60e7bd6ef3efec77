# SPDX-License-Identifier: GPL-2.0-or-later
"""A perf.data in Python, for files that no recorder would write (hostile.py).

Little-endian, from a 64-bit kernel; every event has IDENTIFIER, IP, TID, TIME, CPU, RAW and, if asked for,
CALLCHAIN.
"""
import struct

COMM, MMAP2, SAMPLE, ROUND, EVENT_UPDATE, COMPRESSED = 3, 10, 9, 68, 78, 81
IDENTIFIER, IP, TID, TIME, CPU, CALLCHAIN, RAW = 1 << 16, 1, 2, 4, 1 << 7, 1 << 5, 1 << 10
SAMPLE_ID_ALL = 1 << 18
TRACING_DATA, OSRELEASE, EVENT_DESC, NUMA_TOPOLOGY, HEADER_COMPRESSED, HEADER_MODULES = 1, 4, 12, 14, 27, 201
KMALLOC, KFREE = 400, 401
MODE_KERNEL, MODE_USER = 1, 2
CONTEXT_KERNEL, CONTEXT_USER = (1 << 64) - 128, (1 << 64) - 512

COMMON = [('unsigned short common_type', 2), ('unsigned char common_flags', 1),
          ('unsigned char common_preempt_count', 1), ('int common_pid', 4)]
KMALLOC_FIELDS = [('unsigned long call_site', 8), ('const void * ptr', 8), ('size_t bytes_req', 8),
                  ('size_t bytes_alloc', 8), ('unsigned long gfp_flags', 8), ('int node', 4)]
KFREE_FIELDS = [('unsigned long call_site', 8), ('const void * ptr', 8)]


def event_format(name, number, fields, print_fmt='"x"'):
    lines, at = [f'name: {name}', f'ID: {number}', 'format:'], 0
    for i, (field, size) in enumerate(COMMON + fields):
        if i == len(COMMON):
            lines.append('')
        lines.append(f'\tfield:{field};\toffset:{at};\tsize:{size};\tsigned:0;')
        at += size
    return ('\n'.join(lines) + f'\n\nprint fmt: {print_fmt}\n').encode()


FORMATS = [event_format('kmalloc', KMALLOC, KMALLOC_FIELDS), event_format('kfree', KFREE, KFREE_FIELDS)]


def tracing_data(systems, kallsyms=b''):
    """systems: pairs of (name, formats)."""
    out = [b'\x17\x08\x44tracing0.6\0', struct.pack('<BBI', 0, 8, 4096)]
    out += [b'header_page\0', struct.pack('<Q', 0), b'header_event\0', struct.pack('<Q', 0)]
    out += [struct.pack('<II', 0, len(systems))]
    for name, formats in systems:
        out += [name + b'\0', struct.pack('<I', len(formats))]
        for text in formats:
            out += [struct.pack('<Q', len(text)), text]
    out += [struct.pack('<I', len(kallsyms)), kallsyms, struct.pack('<IQ', 0, 0)]
    return b''.join(out)


def record(kind, payload, misc=0):
    payload += bytes(-len(payload) % 8)
    return struct.pack('<IHH', kind, misc, 8 + len(payload)) + payload


def modules(lines):
    """Lines of modules that are loaded: "+ NS NAME", those of their functions."""
    head = struct.pack('<8sQ4I', b'KEMEARLY', 0, HEADER_MODULES, 0, len(lines), len(lines))
    return record(EVENT_UPDATE, head + lines)


def sample_id(tid, time, number=KMALLOC):
    return struct.pack('<IIQIIQ', tid, tid, time, 0, 0, number)


def comm(tid, name, time=0):
    name += bytes(8 - len(name) % 8)
    return record(COMM, struct.pack('<II', tid, tid) + name + sample_id(tid, time))


def mmap2(pid, address, size, name, time=0):
    name += bytes(8 - len(name) % 8)
    return record(MMAP2, struct.pack('<IIQQQIIQQII', pid, pid, address, size, 0, 0, 0, 0, 0, 5, 2) + name +
                  sample_id(pid, time), misc=2)


def kmalloc(time, ptr, call_site=0xffffffff81000010, tid=1, chain=None, size=64, cpu=0, mode=MODE_KERNEL):
    raw = struct.pack('<HBBiQQQQQi', KMALLOC, 0, 0, tid, call_site, ptr, size, size, 0xcc0, -1)
    frames = b'' if chain is None else struct.pack(f'<{len(chain) + 1}Q', len(chain), *chain)
    return record(SAMPLE, struct.pack('<QQIIQII', KMALLOC, call_site, tid, tid, time, cpu, 0) + frames +
                  struct.pack('<I', len(raw)) + raw, misc=mode)


def kfree(time, ptr, call_site=0xffffffff81000020, tid=1, cpu=0):
    raw = struct.pack('<HBBiQQ', KFREE, 0, 0, tid, call_site, ptr)
    return record(SAMPLE, struct.pack('<QQIIQII', KFREE, call_site, tid, tid, time, cpu, 0) +
                  struct.pack('<I', len(raw)) + raw, misc=1)


def attr(config, chains=False):
    kinds = IDENTIFIER | IP | TID | TIME | CPU | RAW | (CALLCHAIN if chains else 0)
    return struct.pack('<IIQQQQQ', 2, 112, config, 1, kinds, 0, SAMPLE_ID_ALL) + bytes(64)


def string(text):
    return struct.pack('<I', len(text) + 1) + text + b'\0'


def numa_topology(nodes):
    """nodes: the list of CPUs of each, "0-63"."""
    return struct.pack('<I', len(nodes)) + b''.join(
        struct.pack('<IQQ', number, 1 << 20, 1 << 19) + string(cpus.encode()) for number, cpus in enumerate(nodes))


def event_desc(names, ids):
    """For events made by attr()."""
    out = [struct.pack('<II', len(names), 112)]
    for name, number in zip(names, ids):
        out += [bytes(112), struct.pack('<I', 1), string(name), struct.pack('<Q', number)]
    return b''.join(out)


def recording(data, events=(KMALLOC, KFREE), chains=False, features=None, formats=None, kallsyms=b''):
    """The bytes of a file. events: the numbers of the tracepoints, which are also their ids."""
    features = dict(features or {})
    features.setdefault(OSRELEASE, string(b'6.1.0'))
    features[TRACING_DATA] = tracing_data(formats or [(b'kmem', FORMATS)], kallsyms)
    ids_at = 104
    attrs_at = ids_at + 8 * len(events)
    data_at = attrs_at + 128 * len(events)
    attrs = b''.join(attr(number, chains) + struct.pack('<QQ', ids_at + 8 * i, 8)
                     for i, number in enumerate(events))
    table, texts = [], []
    at = data_at + len(data) + 16 * len(features)
    bits = 0
    for bit in sorted(features):
        table.append(struct.pack('<QQ', at, len(features[bit])))
        texts.append(features[bit])
        at += len(features[bit])
        bits |= 1 << bit
    header = struct.pack('<8s2Q6Q', b'PERFILE2', 104, 128, attrs_at, 128 * len(events), data_at,
                         len(data), 0, 0) + bits.to_bytes(32, 'little')
    return b''.join([header, struct.pack(f'<{len(events)}Q', *events), attrs, data, *table, *texts])


def stream(data, formats=None, symbols=0):
    """The same in pipe format. symbols: the number of bytes that replace the word SYMBOLS in it."""
    out = [struct.pack('<8sQ', b'PERFILE2', 16)]
    for number in KMALLOC, KFREE:
        out.append(record(64, attr(number) + struct.pack('<Q', number)))
    tracing = tracing_data(formats or [(b'kmem', FORMATS)])
    if symbols:
        tracing = tracing[:-16] + struct.pack('<I', symbols) + b'SYMBOLS' + tracing[-12:]
        symbols -= len(b'SYMBOLS')
    padding = -(len(tracing) + symbols) % 8
    tracing += bytes(padding)
    out.append(struct.pack('<IHHI', 66, 0, 12, len(tracing) + symbols) + tracing)
    return b''.join(out) + data
