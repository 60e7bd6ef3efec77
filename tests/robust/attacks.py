#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Small files that are expensive to read: the CPU seconds and memory that they cost.

usage: attacks.py PERF SCRATCH CASE | attacks.py --list

Each file is smaller than 1 MB. The program runs without any limit (with one it behaves otherwise, and what it
needs is not seen) and may take CPU_SECONDS, on all its threads, and MEGABYTES of resident memory.
A sanitized perf only has to end by itself, and some of its files contain fewer copies of a block: the sanitizers
find nothing in the thousandth copy that they did not find in the first ones.
"""
import itertools
import os
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cases  # noqa: E402
import recording as rec  # noqa: E402
import trace_dat as dat  # noqa: E402

CPU_SECONDS, MEGABYTES = 20, 400
MEGABYTE = 1 << 20
PATIENCE = 300
SANITIZED = False
PERF = SCRATCH = None


# ---- files -------------------------------------------------------------------

def many(nr):
    """Copies of a block: a sanitized perf reads a tenth of them."""
    return max(nr // 10, 1) if SANITIZED else nr


def save(name, data):
    assert len(data) < 1000000, (name, len(data))
    path = f'{SCRATCH}/{name}'
    with open(path, 'wb') as stream:
        stream.write(data)
    return path


def repeated(size, byte=b'\0'):
    """A zstd frame of that many bytes, all the same: four bytes for each 128 KiB."""
    whole, rest = divmod(size, 128 << 10)
    sizes = [128 << 10] * whole + [rest]
    blocks = [struct.pack('<I', nr << 3 | 2 | (i == whole))[:3] + byte for i, nr in enumerate(sizes)]
    return b'\x28\xb5\x2f\xfd\0\x50' + b''.join(blocks)


def pack(block, times, *packer):
    """A block that many times, as one frame."""
    return pack_all(itertools.repeat(block, times), *packer)


def pack_all(blocks, *packer):
    """As one frame, made by a program in constant memory."""
    with subprocess.Popen(packer or ['zstd', '-q', '-19', '--long=27', '-c'], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:
        def feed():
            with process.stdin:
                for block in blocks:
                    process.stdin.write(block)
        feeder = threading.Thread(target=feed)
        feeder.start()
        data = process.stdout.read()
        feeder.join()
    return data


def gzip(block, times):
    return pack(block, times, 'gzip', '-9', '-n', '-c')


def compressed(frame, piece=60000):
    """COMPRESSED records with the pieces of a frame, and the header's feature."""
    pieces = [frame[i:i + piece] for i in range(0, len(frame), piece)]
    return b''.join(rec.record(83, struct.pack('<Q', len(p)) + p) for p in pieces)


COMPRESSED = {rec.HEADER_COMPRESSED: struct.pack('<5I', 1, 1, 3, 1, 64 * MEGABYTE)}


# ---- the program ---------------------------------------------------------------

class Run:
    """A run that has ended: its status, messages, CPU seconds, memory."""

    def __init__(self, *arguments, stdin=None, env=None):
        name = tempfile.mktemp(dir=SCRATCH)
        # a child's memory begins as that of its parent: nothing here is large
        with open(name, 'wb') as err, subprocess.Popen(
                [PERF, *arguments], stdin=stdin or subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err,
                env=env, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as process:
            watchdog = threading.Timer(PATIENCE, process.kill)
            watchdog.start()
            _, status, usage = os.wait4(process.pid, 0)
            watchdog.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
        with open(name, encoding='utf-8', errors='replace') as stream:
            self.err = stream.read()
        os.unlink(name)
        self.status = process.returncode
        self.seconds = usage.ru_utime + usage.ru_stime
        self.megabytes = usage.ru_maxrss / 1024


def check(path, *arguments, says=None, stdin=None):
    """It ends by itself, within the bounds, with `says` in its messages."""
    run = Run(*arguments, stdin=stdin)
    print(f'{" ".join(arguments[:2])} {os.path.basename(path)}, {os.path.getsize(path)} bytes: '
          f'{run.seconds:.1f} s, {run.megabytes:.0f} MB, status {run.status}: {run.err.strip()[:300]}', flush=True)
    assert run.status in (0, 1, 3), run.status
    assert SANITIZED or run.seconds <= CPU_SECONDS, f'{run.seconds:.1f} s'
    assert SANITIZED or run.megabytes <= MEGABYTES, f'{run.megabytes:.0f} MB'
    assert 'AddressSanitizer' not in run.err and 'runtime error' not in run.err, run.err
    assert says is None or says in run.err, run.err


def stat(path, *options, **how):
    check(path, 'kmem', 'stat', '-f', '-i', path, *options, **how)


def piped(path, *options, **how):
    with open(path, 'rb') as stream, subprocess.Popen(['cat'], stdin=stream, stdout=subprocess.PIPE) as cat:
        check(path, 'kmem', 'stat', '-f', '-i', '-', *options, stdin=cat.stdout, **how)
        cat.stdout.close()


# ---- trace.dat -------------------------------------------------------------------

def trace_section_again():
    """Each option of 14 bytes kept another 255 MB: 17 KB took 8.4 GB."""
    t = dat.TraceDat()
    size = 255 * MEGABYTE
    t.add_section(dat.KALLSYMS, repeated(size), size, times=33)
    stat(save('trace.dat', t.bytes()))


def trace_options_chained():
    """Sections of options may be packed, too, and each names the next one."""
    t = dat.TraceDat()
    size = 100 * MEGABYTE
    length = 24 + len(pack_options(0, size))
    first = t.append(t.options_section(t.size + 16 + len(b''.join(t.options)) + 14))
    for _ in range(60):
        data = pack_options(t.size + length, size)
        t.append(struct.pack('<HHIQII', 0, dat.PACKED, 0, len(data) + 8, len(data), size) + data)
    stat(save('trace.dat', t.bytes(first)), says='too large')


def pack_options(at, size):
    """A frame: an option that says where the next options are, and zeroes; its size does not depend on `at`."""
    option = struct.pack('<HIQ', 0, 8, at)
    blocks = repeated(size - len(option))[6:]
    return b'\x28\xb5\x2f\xfd\0\x50' + struct.pack('<I', len(option) << 3)[:3] + option + blocks


def trace_area_of_many():
    """One area of 64 MB, named by many CPUs: 17 KB took 8.3 GB."""
    t = dat.TraceDat()
    size = 64 * MEGABYTE
    area = dat.area([(repeated(size), size)])
    at = t.append(area)
    t.add_buffer([(at, len(area))] * 130)
    stat(save('trace.dat', t.bytes()), says='overlap those of another CPU')


def trace_areas():
    """An area each, of its own: 400 CPUs with 64 MB."""
    t = dat.TraceDat()
    size = 64 * MEGABYTE
    area = dat.area([(repeated(size), size)])
    t.add_buffer([(t.append(area), len(area)) for _ in range(400)])
    stat(save('trace.dat', t.bytes()))


def trace_cpu_entries():
    """Each entry of 20 bytes cost 148 KB and read the same pages again: 1.3 MB took 7 GB and minutes."""
    t = dat.TraceDat()
    pages = dat.page(1000, dat.kmalloc(1, 64) * 60) * 20
    at = t.append(pages)
    t.add_buffer([(at, len(pages))] * 40000, packed=False)
    stat(save('trace.dat', t.bytes()), says='overlap those of another CPU')


def trace_small_cpus():
    """As many CPUs as fit, each with an event of its own; then each with as many events as wait for a stack."""
    t = dat.TraceDat()
    events = dat.page(1000, dat.kfree(1, 64), size=0)
    t.add_buffer([(t.append(events), len(events)) for _ in range(many(14000))], packed=False)
    stat(save('trace.dat', t.bytes()))
    t = dat.TraceDat()
    frame = pack(dat.page(1000, dat.kmalloc(1, 64)), 1, 'zstd', '-q', '-19', '-c')
    area = dat.area([(frame, dat.PAGE)])
    t.add_buffer([(t.append(area), len(area)) for _ in range(many(6000))])
    stat(save('trace.dat', t.bytes()))


def many_pages(name, *pages):
    """A file with these pages, as often as they may be unpacked, in a buffer each."""
    t = dat.TraceDat()
    megabytes = 20 if SANITIZED else 400
    for number, page in enumerate(pages):
        block = pack(page * 64, 1), 64 * dat.PAGE
        area = dat.area([block] * (megabytes * MEGABYTE // len(pages) // block[1]))
        t.add_buffer([(t.append(area), len(area))], name=b'%d' % number)
    t.append(os.urandom(880000 - t.size))
    return save(f'{name}.dat', t.bytes())


def trace_many_pages():
    """Pages that unpack to the limit: events, in one buffer and in two, and empty pages; trace_stopped has frees alone."""
    kmallocs, kfrees = (dat.page(1000, events) for events in (dat.kmalloc(1, 64) * 72, dat.kfree(1, 64) * 145))
    others = dat.page(1000, dat.kfree(1, 128) * 145)
    stat(many_pages('kmalloc', kmallocs))
    stat(many_pages('both', kfrees, kfrees))
    stat(many_pages('others', kfrees, others))
    stat(many_pages('empty', bytes(dat.PAGE)))


def catches(process, number):
    """Has it installed its signal handler?"""
    with open(f'/proc/{process.pid}/status', encoding='ascii') as stream:
        caught = next(int(line.split()[1], 16) for line in stream if line.startswith('SigCgt:'))
    return caught >> (number - 1) & 1


def interrupted(path, want=None):
    """The first Ctrl-C ends it, and soon."""
    process = subprocess.Popen([PERF, 'kmem', 'stat', '-f', '-i', path], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    while process.poll() is None and not catches(process, signal.SIGINT):
        time.sleep(0.01)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    _, err = process.communicate(timeout=PATIENCE)
    seconds = time.monotonic() - begin
    print(f'{os.path.basename(path)}: {seconds:.2f} s after the signal, status {process.returncode}: {err.decode()}')
    assert process.returncode == 130, process.returncode
    assert SANITIZED or seconds < 1, seconds
    assert want is None or want in err.decode(), err


def trace_stopped():
    """The first Ctrl-C did nothing while all pages were looked at for the first time."""
    interrupted(many_pages('kfree', dat.page(1000, dat.kfree(1, 64) * 145)), 'stopped')


def trace_folder():
    """A copy of a tracefs whose pages are a hole: 40 GB in memory."""
    os.makedirs(f'{SCRATCH}/folder/events/ftrace')
    for name, text in (('kmalloc', rec.FORMATS[0]), ('kfree', rec.FORMATS[1])):
        os.makedirs(f'{SCRATCH}/folder/events/kmem/{name}')
        save(f'folder/events/kmem/{name}/format', text)
    for cpu in range(4):
        os.makedirs(f'{SCRATCH}/folder/per_cpu/cpu{cpu}')
        raw = save(f'folder/per_cpu/cpu{cpu}/trace_pipe_raw', dat.page(1000, dat.kmalloc(1, 64)))
        os.truncate(raw, 10 << 30)
    stat(f'{SCRATCH}/folder', says='is mostly holes')


# ---- perf.data --------------------------------------------------------------------

BLOCKS = {
    'kmalloc': rec.kmalloc(1, 64), 'kfree': rec.kfree(1, 64),
    'stacks': rec.kmalloc(1, 64, chain=[rec.CONTEXT_KERNEL] + [0xffffffff81000010 + i for i in range(100)]),
    'comm': rec.comm(7, b'y', 5), 'unknown': rec.record(99, b''), 'zeros': bytes(4096), 'round': rec.record(rec.ROUND, b''),
    'mmap2': rec.record(rec.MMAP2, struct.pack('<IIQQQ', 1, 1, 0x1000, 0x1000, 0) + bytes(32) + b'x' * 4000 + bytes(8), misc=2),
}


def packed_records():
    """50 COMPRESSED records of 5 KB that unpack to 60 MB each took 3.1 GB and 33 s, and no round ever ends."""
    for name, block in BLOCKS.items():
        chains = name == 'stacks'
        block *= MEGABYTE // len(block)
        frame = pack(block, many(60))
        records = b''.join(compressed(frame, 65000) for _ in range(2 if SANITIZED else min(900000 // len(frame), 200)))
        data = rec.recording(rec.kmalloc(1, 64, chain=[] if chains else None) + records, features=COMPRESSED, chains=chains)
        stat(save(f'{name}.data', data), '--slab', '--by', 'comm')
        if name == 'kmalloc':
            piped(save('pipe.data', rec.stream(rec.kmalloc(1, 64) + records)))


def packed_file():
    """A recording that was packed as a whole."""
    for name, block in BLOCKS.items():
        block *= MEGABYTE // len(block)
        stat(save(f'{name}.zst', pack(rec.stream(rec.kmalloc(1, 64)), 1) + pack(junk(840000), 1) + pack(block, many(60)) * many(8)))


def junk(size):
    """Records that nobody knows and that do not pack: more may be unpacked from a larger file."""
    return b''.join(rec.record(99, os.urandom(60000)) for _ in range(size // 60000))


def packed_chains(name, nr, depth, other):
    """Callchains that differ in one frame, the one with this number, so that packing makes them small."""
    chain = [rec.CONTEXT_KERNEL] + [0xffffffff81000010 + 16 * i for i in range(depth)]

    def samples():
        for i in range(nr):
            chain[1 + other] = 0xffffffff82000000 + 16 * i
            yield rec.kmalloc(1000, 64, chain=chain)
    return packed_samples(name, samples())


def packed_samples(name, samples):
    """With callchains."""
    records = compressed(pack_all(samples, 'zstd', '-q', '-9', '--long=27', '-c'), 4000)
    return save(f'{name}.data', rec.recording(records + junk(900000 - len(records)), features=COMPRESSED, chains=True))


def modules():
    """Functions of modules with the shortest lines: 60 MB of them, 12 KB in the file, took 517 MB."""
    events = [rec.kmalloc(2000, 64) * 500] * (100 if SANITIZED else 5000)

    def lines(distance):
        for image in range(5):
            yield rec.modules(b'+ 1 m%d\n' % image)
            for at in range(0, many(2000000 if not distance else 1300000), 5000):
                yield rec.modules(b''.join(b'%x T a\n' % (4096 + distance * (at + i)) for i in range(5000)))
    for name, distance, others, more in ('same', 0, [], 840000), ('distinct', 16, [], 0), ('events', 0, events, 840000):
        frame = pack_all(itertools.chain(lines(distance), [rec.kmalloc(1000, 64)], others),
                         'zstd', '-q', '-9', '--long=27', '-c')
        path = save(f'modules-{name}.data', rec.recording(rec.kmalloc(1, 64) + compressed(frame, 4000) + junk(more),
                                                          features=COMPRESSED))
        stat(path)
        check(path, 'report', '-f', '-i', path)


def call_trees():
    """Call trees of callchains that all differ: of 93000 with 120 frames each, 365 KB, they took 1.4 GB."""
    children = itertools.cycle(['--children', '--no-children'])
    for where, other in ('inner', 0), ('middle', 60), ('outer', 119):
        path = packed_chains(f'chains-{where}', 2000 if SANITIZED else 93000, 120, other)
        for look in 'graph,caller', 'graph,callee', 'fractal', 'flat', 'folded':
            check(path, 'report', '-f', '-i', path, '-g', look, next(children))
        check(path, 'report', '-f', '-i', path, '-s', 'sym,cpu', '--no-children')


def deep_chains():
    """Callchains as deep as they are kept, as many as are unpacked: they took 637 MB when each was stored whole."""
    for where, other in ('inner', 0), ('outer', 509):
        path = packed_chains(f'deep-{where}', 300 if SANITIZED else 106000, 510, other)
        check(path, 'report', '-f', '-i', path, '-g', 'caller', '--no-children')
        # each function has a row, and each row a tree of all chains: 40 s, where this one was not limited
        for order in 'caller', 'callee':
            check(path, 'report', '-f', '-i', path, '-s', 'sym', '--children', '-g', order)


def kernel_chain(frames):
    return [rec.CONTEXT_KERNEL] + frames


def functions(base, nr):
    return [base + 16 * i for i in range(nr)]


def shifted_chains():
    """Chains with the same inner frames below 0 to 28 others: nothing of them is at the same place of a block."""
    path = packed_samples('shifted', (
        rec.kmalloc(1000, 64, chain=kernel_chain(functions(0xffffffff81000010, 480) + [0xffffffff82000000 + 16 * i] +
                                                 functions(0xffffffff90000000, i % 29)))
        for i in range(500 if SANITIZED else 40000)))
    for order in 'caller', 'callee':
        check(path, 'report', '-f', '-i', path, '-s', 'sym', '--children', '-g', order)


def branching_chains():
    """At each frame some chains leave what all have in common, and everything is shown: trees of gigabytes."""
    def samples(inner_first):
        # sanitized: every 20th place to leave at
        for i in range(0, 500 if SANITIZED else 40000, 20 if SANITIZED else 1):
            common = i % 500
            chain = (functions(0xffffffff81000010, common) + [0xffffffff82000000 + 16 * i] +
                     functions(0xffffffffa0000000, 500 - common))
            yield rec.kmalloc(1000, 64, chain=kernel_chain(chain[::1 if inner_first else -1]))
    for inner_first, looks in (False, ['caller,0', 'flat,0', 'fractal,0']), (True, ['callee,0', 'folded,0']):
        path = packed_samples('branching', samples(inner_first))
        for look in looks:
            check(path, 'report', '-f', '-i', path, '-s', 'sym', '--children', '-g', look)


def chains_of_many_tasks():
    """Each function of each sample has a row of its own."""
    path = packed_samples('tasks', (
        rec.kmalloc(1000, 64, tid=i, cpu=i % 500, chain=kernel_chain(functions(0xffffffff81000010, 500)))
        for i in range(500 if SANITIZED else 40000)))
    for keys in 'comm,dso,sym', 'sym,cpu,pid,tgid,comm,dso,srcline,trace':
        check(path, 'report', '-f', '-i', path, '-s', keys, '--children', '-g', 'callee')


def multiplied(name, change, samples, times):
    """The same samples again after each change, which makes others of them."""
    block = b''.join(samples)
    return packed_samples(name, itertools.chain.from_iterable((change(i), block) for i in range(
        10 if SANITIZED else times)))


def tasks_of_tables():
    """The same samples of a task after each of its names: 880 KB took 5 GB."""
    path = multiplied('tables', lambda i: rec.comm(7, b'c%06d' % i, 1000),
                      [rec.kmalloc(1000, 64 * i + 64, tid=7, call_site=0xffffffff81000000 + 16 * i, chain=[])
                       for i in range(1000)], 4000)
    for form in 'text', 'html', 'json':
        stat(path, '--by', 'comm,callsite', '--by', 'comm,ptr', '--by', 'comm,ptr,callsite', '--format', form)
    check(path, 'kmem', 'leak', '-f', '-i', path, '--by', 'comm,callsite')
    check(path, 'report', '-f', '-i', path)


def user_chains():
    """Chains of user space: all different, or in another file each time."""
    def chain(frames):
        return kernel_chain([0xffffffff81000010]) + [rec.CONTEXT_USER] + frames
    paths = [
        packed_samples('user', itertools.chain([rec.mmap2(7, 0x400000, 1 << 24, b'/x')], (
            rec.kmalloc(1000, 64 * i, tid=7, chain=chain([0x400000 + 16 * i] + functions(0x600000, 125)))
            for i in range(500 if SANITIZED else 120000)))),
        multiplied('user-files', lambda i: rec.mmap2(7, 0x400000, 1 << 20, b'/x%06d' % i, 1000),
                   [rec.kmalloc(1000, 64 * i, tid=7, chain=chain(functions(0x400000 + 320 * i, 20)))
                    for i in range(200)], 6000)]
    for path in paths:
        check(path, 'report', '-f', '-i', path, '-g', 'callee')
        check(path, 'report', '-f', '-i', path, '-s', 'sym,dso', '--children', '-g', 'caller,0')
        for command, keys in ('stat', 'ustack'), ('leak', 'usym,udso'), ('stat', 'stack'):
            check(path, 'kmem', command, '-f', '-i', path, '--by', keys)
        check(path, 'annotate', '-f', '-i', path)
        check(path, 'script', '-f', '-i', path)


def addresses():
    """The same addresses in another file each time: 850 KB with 3.5 million took 496 MB in perf annotate."""
    path = multiplied('addresses', lambda i: rec.mmap2(7, 0x400000, 1 << 20, b'/x%06d' % i, 1000),
                      [rec.kmalloc(1000, 64, tid=7, call_site=0x400000 + 16 * i, chain=[], mode=rec.MODE_USER)
                       for i in range(2000)], 2000)
    says = None if SANITIZED else 'too many different addresses'
    check(path, 'annotate', '-f', '-i', path, says=says)
    check(path, 'annotate', '--stdio', '-l', '-f', '-i', path, says=says)
    check(path, 'report', '-f', '-i', path)


# ---- streams of text ------------------------------------------------------------------

PAGE_OWNER_PAGE = (b'Page allocated via order 0, mask 0xcc0(GFP_KERNEL), pid 1, tgid 1 (init), ts 1000 ns, free_ts 0 ns\n'
                   b'PFN 0x1000 type Unmovable Block 8 type Unmovable Flags 0x0()\n post_alloc_hook+0x10/0x20\n'
                   b' get_page_from_freelist+0x10/0x20\n\n')
TEXTS = {
    'allocinfo': (b'allocinfo - version: 1.0\n#     <size>  <calls> <tag info>\n',
                  b'        4096        1 mm/slub.c:100 func:alloc_slab_page\n'),
    'page-owner': (PAGE_OWNER_PAGE, PAGE_OWNER_PAGE),
    'page-owner-stacks': (b' post_alloc_hook+0x10/0x20\nnr_base_pages: 1\n\n', b' post_alloc_hook+0x10/0x20\nnr_base_pages: 1\n\n'),
    'slabinfo': (b'slabinfo - version: 2.1\n# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab>'
                 b' : tunables <limit> <batchcount> <sharedfactor> : slabdata <active_slabs> <num_slabs> <sharedavail>\n',
                 b'kmalloc-64 10 64 64 64 1 : tunables 0 0 0 : slabdata 1 1 0\n'),
    'vmallocinfo': (b'0x1-0x2 8192 unpurged vm_area\n', b'0x1-0x2 8192 f+0x1/0x2 pages=1 vmalloc N0=1\n'),
    'trace': (b'# tracer: nop\n#\n', b'   init-1 [000] ..... 1.000001: kmalloc: call_site=f+0x1/0x2 ptr=00000000abcdef01 '
                                     b'bytes_req=64 bytes_alloc=64 gfp_flags=GFP_KERNEL node=-1 accounted=false\n'),
}


def nested():
    """315 bytes, zstd in zstd of newlines, took eight minutes of a CPU."""
    # sanitized: 13 MB of newlines instead of as many as are unpacked
    blocks, times = (100, 1) if SANITIZED else (10000, 800)
    for name, (head, _) in TEXTS.items():
        for byte in b'\n', b'a':
            block = struct.pack('<I', (128 << 10) << 3 | 2)[:3] + byte
            inner = pack(head, 1) + b'\x28\xb5\x2f\xfd\0\x50' + block
            stat(save(f'{name}.zst', pack(inner, 1) + pack(block * blocks, times)))
    # a file of almost a megabyte may unpack to more: the text that takes longest
    lines = pack(TEXTS['slabinfo'][0] + b'\n' * MEGABYTE, 1) + repeated(100 * MEGABYTE, b'\n') * many(270)
    stat(save('slabinfo-lines.zst', lines))


def repeated_texts():
    """The largest number of lines that a file may unpack to."""
    for name, (head, lines) in TEXTS.items():
        block = lines * (MEGABYTE // len(lines))
        packed = pack(block, many(60))
        stat(save(f'{name}.zst', pack(head, 1) + packed * (2 if SANITIZED else 890000 // len(packed))))


def header_lines():
    """A page of which the header is followed by unknown lines, all of which were kept: 103 KB took 1 GB."""
    page, _, rest = PAGE_OWNER_PAGE.partition(b'\n')
    for line in b'x\n', b'x' * 16000 + b'\n':
        lines = line * (MEGABYTE // len(line))
        stat(save('page-owner.zst', pack(page + b'\n' + lines, 1) + pack(lines, many(400)) + pack(rest, 1)))
    # without packing: what was read again for each line
    stat(save('page-owner', page + b'\n' + b'x\n' * 400000 + rest))


def symbols():
    """Symbols of the kernel: 16 KB took 1 GB, and 20 KB of a recording that was packed as a whole 1.7 GB."""
    line, megabytes = b'0 T a\n', 120
    block = line * (MEGABYTE // len(line))
    size = len(block) * megabytes
    t = dat.TraceDat()
    t.add_section(dat.KALLSYMS, pack(struct.pack('<I', size), 1) + pack(block, megabytes), size + 4)
    stat(save('symbols.dat', t.bytes()))
    head, tail = rec.stream(b'', symbols=size).split(b'SYMBOLS')
    path = save('symbols.zst', pack(head, 1) + pack(block, megabytes) + pack(tail + rec.kmalloc(1, 64), 1))
    stat(path)
    check(path, 'script', '-f', '-i', path)


def features():
    """The sections of a header: 20 KB that unpack to 190 MB took 513 MB."""
    sections = {
        'build-ids': (2, struct.pack('<IHHi', 67, 2, 72, -1) + bytes(24) + b'/a'.ljust(36, b'\0')),
        'command': (11, rec.string(b'xx')), 'lines': (200, b'event: kmem:kmalloc count=3\n'),
        'types': (200, b'migratetypes: Movable\n'), 'numa': (14, struct.pack('<IQQ', 1, 1, 1) + rec.string(b'0')),
    }
    for name, (bit, one) in sections.items():
        block = one * (MEGABYTE // len(one))
        size, marker = 190 * len(block), b'SECTION'
        data = bytearray(rec.recording(rec.kmalloc(1, 64), features={bit: marker}))
        # its size in the table, and the places of those behind it
        at = data.index(marker)
        table = data.index(struct.pack('<QQ', at, len(marker)))
        struct.pack_into('<Q', data, table + 8, size)
        place = table + 16
        while struct.unpack_from('<Q', data, place)[0] == at + len(marker):
            struct.pack_into('<Q', data, place, at + size)
            at += struct.unpack_from('<Q', data, place + 8)[0] - len(marker)
            place += 16
        head, tail = bytes(data).split(marker)
        path = save(f'{name}.zst', pack(head, 1) + pack(block, 190) + pack(tail, 1))
        stat(path)
        check(path, 'buildid-list', '-f', '-i', path)


def unnamed_modules():
    """Loads of modules without names: each was looked for among all symbols (138 KB took over 97 s)."""
    functions = b''.join(b'%x t a\t[x]\n' % address for address in range(0x100000, 0x100000 + many(400000)))
    lines = [b'+ 1 m%d\n' % i for i in range(many(65000))]
    texts = [rec.modules(b''.join(lines[i:i + 5000])) for i in range(0, len(lines), 5000)]
    head, tail = rec.stream(b'', symbols=len(functions)).split(b'SYMBOLS')
    stat(save('unnamed-modules.zst', pack(head + functions + tail + b''.join(texts) + rec.kmalloc(1, 64), 1)))


def module_addresses():
    """Each address was looked for in 2048 modules: 53 s."""
    loads = [b'+ 1 m%d\n%x t a\t[x]\n%x t b\t[x]\n' % (i, 0xffffffff90000000 + i * 8192, 0xffffffffd0000000 + i * 8192)
             for i in range(2048)]
    texts = b''.join(rec.modules(b''.join(loads[i:i + 512])) for i in range(0, len(loads), 512))
    samples = b''.join(rec.kmalloc(5, 64 * (i + 1), call_site=0xffffffffb0000000 + i * 4096) for i in range(4096))
    head = rec.stream(b'', symbols=18).replace(b'SYMBOLS', b'0 T a\n' * 3)
    stat(save('module-addresses.zst', pack(head + texts + junk(900000), 1) + pack(samples, many(1000))))


CASES = (
    trace_section_again, trace_options_chained, trace_area_of_many, trace_areas, trace_cpu_entries, trace_small_cpus,
    trace_many_pages, trace_stopped, trace_folder, packed_records, packed_file,
    call_trees, deep_chains, shifted_chains, branching_chains, chains_of_many_tasks, tasks_of_tables, user_chains, addresses,
    modules, nested, repeated_texts, header_lines, symbols, features, unnamed_modules, module_addresses)

if __name__ == '__main__':
    cases.run(globals(), CASES)
