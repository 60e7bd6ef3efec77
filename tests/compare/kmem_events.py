# SPDX-License-Identifier: GPL-2.0-or-later
"""The events printed by `perf script --ns`, one object each, in time order.

It knows nothing of perf.data: what it says about a recording is independent of our reader.
"""
import functools
import re

NO_NODE = -1
KERNEL_DSO = re.compile(r'^\[(?!vdso|vsyscall|stack|heap|unknown)[^\]]+\]$')
SLAB_ALLOCS = {'kmalloc', 'kmalloc_node', 'kmem_cache_alloc', 'kmem_cache_alloc_node'}
SLAB_FREES = {'kfree', 'kmem_cache_free'}

# sh 25141 [001]  4914.976164108:     kmem:kfree: call_site=f+0x1 ptr=0xff
HEAD = re.compile(r'^\s*(.*?)\s+(-?\d+) \[(\d+)\]\s+(\d+)\.(\d{9}):\s+(?:\d+ )?(?P<event>\w+:\w+):\s*(.*)$')
FRAME = re.compile(r'^\s+[0-9a-f]+ (.*) \((.*?)\)$')


class Event:
    """One line of a tracepoint: name without the system, fields as text."""
    __slots__ = ('name', 'comm', 'tid', 'cpu', 'ns', 'fields', 'frames')

    def __init__(self, match):
        self.comm, tid, cpu, seconds, fraction, name, text = match.groups()
        self.name = name.split(':')[1]
        self.tid = int(tid)
        self.cpu = int(cpu)
        self.ns = int(seconds) * 10**9 + int(fraction)
        self.fields = dict(word.split('=', 1) for word in text.split() if '=' in word)
        self.frames = []  # "function+0x1" of each kernel frame that has a name, innermost first

    def number(self, name, default=0):
        text = self.fields.get(name)
        if text is None:
            return default
        # rss_stat prints the unit behind its size: 32501760B
        return 0 if text.startswith('(n') else int(text.removesuffix('B'), 0)


@functools.cache
def kernel_frame(line):
    """"function+0x1", or None if the frame is not the kernel's or has no name."""
    match = FRAME.match(line)
    if match and KERNEL_DSO.match(match.group(2)) and not match.group(1).startswith('[unknown]'):
        return match.group(1)
    return None


def read(stream, systems=('kmem',)):
    """Yield the events of these systems in the text."""
    event = None
    for line in stream:
        line = line.rstrip('\n')
        # a frame begins with a tab; HEAD takes long to see that it does not match
        match = None if line.startswith('\t') else HEAD.match(line)
        if match:
            if event:
                yield event
            event = Event(match) if match['event'].split(':')[0] in systems else None
        elif event and line:
            frame = kernel_frame(line)
            if frame:
                event.frames.append(frame)
    if event:
        yield event


def split_site(site):
    """'f.part.0+0x24' -> ('f.part.0', 36); an address stays as it is, with offset 0."""
    symbol, plus, offset = site.rpartition('+')
    return (symbol, int(offset, 16)) if plus else (site, 0)


ALLOCATOR = re.compile(r'_*kv?(m|re)alloc')  # names that kernels have had
CACHED_BYTES_MAX = 8192  # of kmalloc's caches, where a page has 4 KiB


def is_second_trace(event, live):
    """Large kmallocs are traced inside the allocator and again by the caller, at once."""
    return (live.tid == event.tid
            and live.number('bytes_req') == event.number('bytes_req')
            and live.number('bytes_alloc') == event.number('bytes_alloc')
            and event.ns - live.ns <= 100_000
            and event.name.startswith('kmalloc')
            and event.number('bytes_alloc') > CACHED_BYTES_MAX
            and ALLOCATOR.match(live.fields['call_site'])
            and not ALLOCATOR.match(event.fields['call_site']))
