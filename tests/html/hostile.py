# SPDX-License-Identifier: GPL-2.0-or-later
"""Recordings with hostile names: in commands, caches, functions, modules, the host, and files."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'robust'))
import recording as rec  # noqa: E402

CACHE_ALLOC = 402
CACHE_FIELDS = [('unsigned long call_site', 8), ('const void * ptr', 8), ('size_t bytes_req', 8), ('size_t bytes_alloc', 8),
                ('unsigned long gfp_flags', 8), ('int node', 4), ('bool accounted', 1), ('__data_loc char[] name', 4)]
SITE = 0xffffffff81000000
HOSTNAME, CMDLINE = 3, 11

NAMES = {
    'markup': b'</script><img src=x onerror=alert(1)>',
    'comment': b'<!--<script>alert(2)</script>',
    'quotes': b'"\'`&quot;${alert(3)}\\',
    'escape': b'a\x1b[31mred\x1b]0;t\x07',
    'bidi': '\u202egnp.\u2066abc\u2069'.encode(),
    'long': b'n' * 65536,
    'not-utf8': b'\xff\xfe\xc3(\xe2\x82',
    'separators': '\u2028\u2029\ufeff\u200b'.encode(),
    'template': b'{{constructor.constructor("alert(4)")()}}',
    'formula': b'=cmd|calc!A1',
}


def cache_alloc(time, ptr, call_site, cache, size=64):
    name = cache[:60000] + b'\0'
    raw = struct.pack('<HBBiQQQQQi', CACHE_ALLOC, 0, 0, 1, call_site, ptr, size, size, 0xcc0, -1)
    at = len(raw) + 1 + 4
    raw += b'\0' + struct.pack('<HH', at, len(name)) + name
    raw += bytes(-(len(raw) + 4) % 8)
    return rec.record(rec.SAMPLE, struct.pack('<QQIIQII', CACHE_ALLOC, call_site, 1, 1, time, 0, 0) +
                      struct.pack('<I', len(raw)) + raw, misc=1)


def make(path, place):
    """A recording with each of NAMES in one place."""
    names = list(NAMES.values())
    data, kallsyms, features = [], [], {rec.OSRELEASE: rec.string(b'6.1.0'), HOSTNAME: rec.string(b'host')}
    events, formats = (rec.KMALLOC, rec.KFREE), None
    for i, name in enumerate(names):
        tid, site, time = 10 + i, SITE + 0x100 * i, 1000 + 1000 * i
        if place == 'comm':
            data.append(rec.comm(tid, name[:60000]))
        if place in ('symbol', 'module'):
            # a line of kallsyms ends at blanks
            token = b''.join(name.split()) or b'x'
            kallsyms.append(f'{site:016x} t '.encode() +
                            (token if place == 'symbol' else b'f%d\t[%s]' % (i, token.replace(b']', b''))) + b'\n')
        if place == 'cache':
            data.append(cache_alloc(time, 0xffff888000000000 + 64 * i, site, name, 64 * (i + 1)))
        else:
            data.append(rec.kmalloc(time, 0xffff888000000000 + 64 * i, site, tid, size=64 * (i + 1)))
    if place == 'cache':
        events = (rec.KMALLOC, rec.KFREE, CACHE_ALLOC)
        formats = [(b'kmem', rec.FORMATS + [rec.event_format('kmem_cache_alloc', CACHE_ALLOC, CACHE_FIELDS)])]
    if place == 'host':
        features[HOSTNAME] = rec.string(NAMES['markup'] + NAMES['bidi'] + NAMES['quotes'])
        features[rec.OSRELEASE] = rec.string(b'6.1.0' + NAMES['comment'])
        words = [NAMES['markup'], NAMES['escape'], NAMES['not-utf8']]
        features[CMDLINE] = struct.pack('<I', len(words)) + b''.join(map(rec.string, words))
    with open(path, 'wb') as out:
        out.write(rec.recording(b''.join(data), events=events, formats=formats, features=features,
                                kallsyms=b''.join(kallsyms)))
