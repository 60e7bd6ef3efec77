#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Files made to harm their reader: by the names in them, by how much work and memory they take.

usage: hostile.py PERF SCRATCH CASE | hostile.py --list

Time and memory limits are generous: only work that grows with the square of the file, or memory without bounds,
exceeds them.  A sanitized perf has no memory limit.
"""
import csv
import io
import json
import os
import re
import resource
import signal
import struct
import subprocess
import sys
import time
import unicodedata

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cases  # noqa: E402
import recording as rec  # noqa: E402

SITE = 0xffffffff81000010
FORMS = ['text'], ['csv', '--format=csv'], ['json', '--format=json'], ['jsonl', '--format=jsonl'], ['markdown', '--format=markdown'], ['openmetrics', '--format=openmetrics'], ['folded', '--format=folded']
MEGABYTE = 1 << 20
PATIENCE = 60
PARTIAL = 3  # the status of a report of a damaged recording
SANITIZED = False
PERF = SCRATCH = None


def many(nr):
    """As many as take too long if something is not linear; sanitizers are slow themselves."""
    return nr // 50 if SANITIZED else nr


# of those that Unicode calls default ignorable: the rest are format characters
IGNORABLE = '\u034f\u115f\u1160\u3164\ufe0f\uffa0\U000e0100'


def is_wanted(char):
    """Does it belong in a name?  The same rule as util/base/printable.h; '\\udc80' on: not UTF-8."""
    return unicodedata.category(char) not in ('Cc', 'Cf', 'Cs', 'Zl', 'Zp') and char not in IGNORABLE


def assert_clean(text):
    bad = sorted({c for c in text.decode('utf-8', 'surrogateescape') if c != '\n' and not is_wanted(c)})
    assert not bad, f'{bad} in {text[:2000]}'


def save(name, data):
    path = f'{SCRATCH}/{name}'
    with open(path, 'wb') as stream:
        stream.write(data)
    return path


def limit(megabytes):
    def set_limits():
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's background jobs ignore it
        if megabytes and not SANITIZED:
            resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGABYTE, megabytes * MEGABYTE))
    return set_limits


def start(*arguments, megabytes=None, **how):
    return subprocess.Popen([PERF, 'kmem', *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            preexec_fn=limit(megabytes), **how)


def end(process):
    try:
        out, err = process.communicate(timeout=PATIENCE * (5 if SANITIZED else 1))
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    assert process.returncode >= 0, f'signal {-process.returncode}: {err[-2000:]}'
    assert process.returncode in (0, 1, PARTIAL, 130, 143), f'status {process.returncode}: {err[-2000:]}'
    assert_clean(err)
    return process.returncode, out, err.decode()


def perf(*arguments, **how):
    """Status, output, messages; both texts are always clean."""
    return end(start(*arguments, **how))


def assert_markdown(out):
    """Outside of code spans there is no markup but ours; all rows of a table have the same number of cells."""
    cells = None
    for line in out.decode('utf-8', 'replace').split('\n'):
        is_row = line.startswith('|')
        width = len(re.findall(r'(?<!\\)\|', line)) if is_row else None
        assert not is_row or cells in (None, width), f'{cells} cells, not {width}: {line!r}'
        cells = width
        text = re.sub(r'(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)', '', line)
        if is_row:
            text = text.replace('|', '').replace('&#124;', '')
        text = re.sub(r'^(#+ |- )', '', text)
        assert not re.search(r'[`*_<>\[\]#@|~$!&\\]|://|^\s*[-+=] ', text), line


def stat(path, *options, **how):
    return perf('stat', '-f', '-i', path, *options, **how)


def every_form(path, *options, want=0, only=None, **how):
    """The output in each format (or in only these); all are clean, and the JSON is valid."""
    outputs = {}
    for name, *form in FORMS:
        if only and name not in only:
            continue
        status, outputs[name], err = stat(path, *options, *form, **how)
        assert status == want, f'{name}: status {status}: {err}'
        assert_clean(outputs[name])
    if 'markdown' in outputs:
        assert_markdown(outputs['markdown'])
    if want != 1 and 'json' in outputs:
        outputs['json'] = json.loads(outputs['json'])
    return outputs


def leak(path, want=0, only=None, **how):
    """Leaks in each form that leak has (or in only these); it lists what is live, where stat counts."""
    for name, *form in FORMS[:-1]:
        if only and name not in only:
            continue
        status, out, err = perf('leak', '-f', '-i', path, *form, **how)
        assert status == want, f'{form}: status {status}: {err}'
        assert_clean(out)


# ---- names -------------------------------------------------------------------

NAMES = [b'\x1b]0;owned\x07esc', b'\x9b2Jc1', b'\xc2\x9b31mcsi', b'\xe2\x80\xaeevil', b'\xe2\x81\xa6iso',
         b'del\x7f', b'=1+1', b'+cmd|x', b'a\\|b`|``', b'<b>@you', b'#1 [x](y)', b'_*x*_', b'-2+3', b'@SUM', b'semi;colon', b'q"uote', b'com,ma', b'\xff\xfe',
         b'cr\rlf', b'nul-free\x08\x08', 'zero\u200bwidth\u2060\ufe0f'.encode(), 'tag\U000e0061\U000e0100'.encode()]


def symbols():
    """Symbols and modules with such names: in all reports and formats, sorted, live, combined, leaked."""
    lines = [b'%x T %s\t[%s]\n' % (SITE + 0x1000 * i - 0x10, name, name) for i, name in enumerate(NAMES)]
    data = b''.join(rec.kmalloc(i + 1, 0xffff888000000000 + 64 * i, SITE + 0x1000 * (i % len(NAMES)),
                                chain=[SITE + 0x1000 * (i % len(NAMES)), SITE])
                    for i in range(4 * len(NAMES)))
    path = save('symbols', rec.recording(data, chains=True, kallsyms=b''.join(lines)))
    for options in (['--caller'], ['--alloc'], ['--by', 'callsite,module'], ['--by', 'stack'],
                    ['--by', 'callsite', '--live'], ['--caller', '--raw-ip']):
        outputs = every_form(path, '--slab', *options)
        for row in csv.reader(io.StringIO(outputs['csv'].decode())):
            assert not [c for c in row if c[:1] in ('=', '+', '-', '@') and not c[1:].isdigit()], row
        for line in outputs['folded'].splitlines():
            assert re.fullmatch(rb'[^ ]+( \[[^ ]*\])? \d+', line), line  # an address, with its module
    for command in (['leak', '-f', '--stack', '-i', path], ['leak', '-f', '--format=json', '-i', path],
                    ['leak', '-f', '--format=markdown', '-i', path], ['diff', '-f', '--format=markdown', path, path],
                    ['diff', '-f', path, path], ['diff', '-f', '--format=csv', path, path],
                    ['diff', '-f', '--format=json', path, path],
                    ['stat', '-f', '-i', path, '--cache', '\x1b[2J(']):
        _, out, _ = perf(*command)
        assert_clean(out)
        if '--format=markdown' in command:
            assert_markdown(out)


def labels():
    """Names that equal our own words, or look the same: each has a row of its own, distinct in every format."""
    names = {5: 'unknown', 6: '[others]', 7: ':-1', 8: ':9', 10: '"unknown"', 11: 'bash', 12: 'ba\u200bsh', 13: '-',
             14: 'none'}
    shown = {5: '"unknown"', 6: '"[others]"', 7: '":-1"', 8: '":9"', 9: ':9', 10: '""unknown""', 11: 'bash',
             12: 'ba?sh', 13: '"-"', 14: '"none"'}
    kallsyms = b'%x T unknown\n%x T module_init\t[kernel]\n%x T core\n' % (SITE - 0x10, SITE + 0xff0, SITE + 0x1ff0)
    sites = {5: SITE, 6: SITE + 0x1000, 7: SITE + 0x2000, 8: 0}
    data = b''.join(rec.comm(tid, name.encode()) for tid, name in names.items())
    data += b''.join(rec.kmalloc(tid, 0xffff888000000000 + 64 * tid, sites.get(tid, SITE), tid=tid) for tid in shown)
    path = save('labels', rec.recording(data, kallsyms=kallsyms))
    outputs = every_form(path, '--slab', '--by', 'comm')
    rows = [row['comm'] for row in csv.DictReader(io.StringIO(outputs['csv'].decode()))]
    assert sorted(rows) == sorted(shown.values()), rows
    rows = [row['comm'] for row in outputs['json']['slab']['tables'][0]['rows']]
    assert sorted(rows) == sorted(name.replace('?', '\u200b') for name in shown.values()), rows
    lines = [line.split() for line in outputs['text'].decode().splitlines()]
    for name in shown.values():
        assert sum(line[:1] == [name] for line in lines) == 1, (name, outputs['text'])
    # a module that is called as ours is said to be, a function that is called as what has no name
    rows = {row['module'] for row in stat_json(path, '--by', 'module')}
    assert rows == {'kernel', '"kernel"', 'unknown'}, rows
    _, folded, _ = stat(path, '--slab', '--by', 'callsite', '--format=folded')
    frames = sorted(line.split(b' ')[0] for line in folded.splitlines())
    assert frames == [b'"unknown"', b'core', b'module_init', b'unknown'], frames
    # filters accept them as they are shown
    for asked, hits in (('unknown', 0), ('"unknown"', 1), (':9', 1), ('":9"', 1)):
        rows = stat_json(path, '--by', 'comm', '--comm', asked)
        assert len(rows) == hits, (asked, rows)


def stat_json(path, *options):
    status, out, err = stat(path, '--slab', *options, '--format=json')
    assert status == 0, err
    return json.loads(out)['slab']['tables'][0]['rows']


def events():
    """Names of events, of systems and of the machine, in reports and in warnings."""
    broken = rec.event_format('kmalloc', 402, rec.KFREE_FIELDS)
    for name in NAMES:
        ids = [rec.KMALLOC, rec.KFREE, 402, 403]
        features = {rec.EVENT_DESC: rec.event_desc([name, name, name, name], ids),
                    rec.OSRELEASE: rec.string(name), 3: rec.string(name), 6: rec.string(name),
                    11: struct.pack('<I', 2) + rec.string(name) + rec.string(name),
                    200: b'migratetypes: %s,%s\n' % (name, name)}
        formats = [(name, rec.FORMATS[:1]), (b'kmem', rec.FORMATS + [broken])]
        data = rec.kmalloc(1, 0x1000) + rec.kmalloc(2, 0x2000)[:40].ljust(48, b'\0')
        path = save('events', rec.recording(data, ids, features=features, formats=formats))
        every_form(path, '--slab', want=PARTIAL)
        perf('leak', '-f', '-i', path)
        # and where there is no report: only events that are not kmem's
        path = save('events', rec.recording(rec.kmalloc(1, 2), [403], features=features, formats=formats))
        status, _, err = stat(path, '-v')
        assert status == 1 and err, err


def long_symbol():
    """One name of 10 MB for 100 rows took 1 GB."""
    kallsyms = b'ffffffff81000000 T ' + b'a' * (10 * MEGABYTE) + b'\nffffffff82000000 T b\n'
    data = b''.join(rec.kmalloc(i + 1, 64 * (i + 1), SITE + i) for i in range(100))
    path = save('long', rec.recording(data, kallsyms=kallsyms))
    for out in every_form(path, '--slab', '--caller', megabytes=400).values():
        assert len(out) < MEGABYTE
    _, out, _ = perf('leak', '-f', '-i', path, megabytes=400)
    assert len(out) < MEGABYTE


# ---- work --------------------------------------------------------------------

def fnv_partner(first, length):
    """The second word with which a first word collided with others, in the hash once used for names and stacks."""
    mask = (1 << 64) - 1
    h = ((0xcbf29ce484222325 ^ length) ^ first) * 0x100000001b3 & mask
    return h ^ h >> 29 ^ 0x5555555555555555


def colliding_names():
    """60,000 took 41 s."""
    data = []
    for first in range(0x0101010101010101, 0x0101010101010101 + many(250000)):
        name = struct.pack('<QQ', first, fnv_partner(first, 16))
        if 0 not in name:
            data.append(rec.comm(len(data) + 1, name, len(data) + 1))
    assert len(data) > many(150000)
    data.append(rec.kmalloc(1 << 40, 0x1000))
    every_form(save('names', rec.recording(b''.join(data))), '--slab', '--by', 'comm')


def colliding_stacks():
    """80,000 took 71 s."""
    data = []
    for i in range(many(150000)):
        site = SITE + 16 * i
        data.append(rec.kmalloc(i + 1, 0xffff888000000000 + 64 * i, site,
                                chain=[rec.CONTEXT_KERNEL, site, fnv_partner(site, 16)]))
    path = save('stacks', rec.recording(b''.join(data), chains=True))
    every_form(path, '--slab', '--by', 'stack', '-l', '5')


def print_flags():
    """200,000 took more than 120 s."""
    for text in (b'__print_flags(' * many(200000) + b'{', b'__print_flags({' * many(200000), b'__print_flags(gfp_flags' * many(200000),
                 b'__print_flags(gfp_flags, {' + b'{0, "x"}, ' * many(200000),
                 b'REC->fallback_order' * many(200000), b'REC->fallback_order < (' * many(100000),
                 b'__print_flags(REC->gfp_flags, "|", {1, "' + b'n' * many(3000000) + b'"})'):
        formats = [rec.FORMATS[0][:-4] + text + b'\n', rec.FORMATS[1]]
        path = save('flags', rec.recording(rec.kmalloc(1, 64), formats=[(b'kmem', formats)]))
        every_form(path, '--slab', '--by', 'gfp', megabytes=400)


# enough for files that take long to read, whatever the report's form
TWO_FORMS = 'text', 'json'


def formats():
    """100,000 took 42 s, and their system's name may be long."""
    others = [rec.event_format(f'e{i}', 1000 + i, []) for i in range(many(100000))]
    path = save('formats', rec.recording(rec.kmalloc(1, 64), formats=[(b'kmem', rec.FORMATS + others)]))
    outputs = every_form(path, '--slab', only=TWO_FORMS)
    leak(path, only=TWO_FORMS)
    assert outputs['json']['slab']['summary']['allocations'] == 1
    _, _, err = stat(path)
    said = [line for line in err.splitlines() if 'call sites are addresses' not in line]
    assert SANITIZED or (len(said) == 1 and 'formats' in said[0]), err
    long = [(b'kmem', rec.FORMATS), (b's' * MEGABYTE, others[:3000])]
    path = save('formats', rec.recording(rec.kmalloc(1, 64), formats=long))
    every_form(path, '--slab', only=TWO_FORMS, megabytes=400)
    leak(path, only=TWO_FORMS, megabytes=400)
    fields = rec.event_format('kmalloc', rec.KMALLOC, rec.KMALLOC_FIELDS + [(f'int f{i}', 4) for i in range(many(100000))])
    path = save('formats', rec.recording(rec.kmalloc(1, 64), formats=[(b'kmem', [fields])]))
    every_form(path, '--slab', only=TWO_FORMS)
    leak(path, only=TWO_FORMS)


def many_events():
    """65,535 took 17 s, in JSON 35 s."""
    ids = list(range(1000, 1000 + many(65535) - 2)) + [rec.KMALLOC, rec.KFREE]
    names = [b'a:%d' % i for i in ids]
    lines = b''.join(b'event: %s count=3\n' % name for name in names)
    features = {rec.EVENT_DESC: rec.event_desc(names, ids), 200: lines}
    path = save('events', rec.recording(rec.kmalloc(1, 64), ids, features=features))
    outputs = every_form(path, '--slab', only=TWO_FORMS)
    assert outputs['json']['slab']['summary']['allocations'] == 1
    leak(path, only=TWO_FORMS)
    # each with lost samples, and with a format that is not as it should be
    lost = b''.join(rec.record(13, struct.pack('<Q', 1) + rec.sample_id(1, 1, i)) for i in ids)
    broken = [rec.event_format('kmalloc', i, rec.KFREE_FIELDS) for i in ids[:many(20000)]]
    path = save('events', rec.recording(rec.kmalloc(1, 64) + lost, ids, features={},
                                        formats=[(b'kmem', rec.FORMATS + broken)]))
    every_form(path, '--slab', only=TWO_FORMS)
    leak(path, only=TWO_FORMS)
    _, _, err = stat(path)
    assert err.count('\n') < 20, err


def event_lines():
    """6 MB of them took 43 s."""
    ids = [rec.KMALLOC, rec.KFREE] + list(range(1000, 1000 + many(20000)))
    names = [b'kmem:event%d' % i for i in ids]
    lines = b'event: kmem:event20999 count=1\n' * many(300000) + b'event: ' + b'kmem:' * many(100000)
    features = {rec.EVENT_DESC: rec.event_desc(names, ids), 200: lines + b'\nmigratetypes: Movable' * many(100000)}
    every_form(save('lines', rec.recording(rec.kmalloc(1, 64), ids, features=features)), '--slab')


# ---- memory ------------------------------------------------------------------

def packed(records, repeat):
    """A recording with these records, repeated, in COMPRESSED records."""
    packer = subprocess.Popen(['zstd', '-q', '-19', '--long=27', '-c'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    import threading

    def feed():
        with packer.stdin:
            for _ in range(repeat):
                packer.stdin.write(records)
    feeder = threading.Thread(target=feed)
    feeder.start()
    data = packer.stdout.read()
    feeder.join()
    packer.wait()
    pieces = [rec.record(83, struct.pack('<Q', len(data[i:i + 2000])) + data[i:i + 2000]) for i in range(0, len(data), 2000)]
    info = struct.pack('<5I', 1, 1, 3, 1, 64 * MEGABYTE)
    return b''.join(pieces), {rec.HEADER_COMPRESSED: info}


def unpacked_bombs():
    """314 KB took 3 to 4.6 GB."""
    mmap2 = rec.record(rec.MMAP2, struct.pack('<IIQQQ', 1, 1, 0x1000, 0x1000, 0) + bytes(32) + b'x' * 4000 + bytes(8))
    long_comm = rec.comm(7, b'y' * 60000, 5)
    short_comm = rec.comm(7, b'y', 5)
    for name, block in (('comm', short_comm), ('long', long_comm), ('mmap2', mmap2), ('zeros', bytes(4096)), ('unknown', rec.record(99, bytes(1000)))):
        block *= MEGABYTE // len(block)
        data, features = packed(block, many(1000))
        print(name, len(data))
        path = save('bomb', rec.recording(rec.kmalloc(1, 64) + data, features=features))
        # 1 GB of 100 KB are more than is unpacked
        want = PARTIAL if name == 'zeros' or not SANITIZED else 0
        for jobs in ('1', '3') if name == 'comm' else ('3',):
            status, _, err = stat(path, '--slab', '--by', 'comm', '-j', jobs, megabytes=800)
            assert status == want, err
            assert 'call sites are addresses' in err and err.count('\n') <= 2, err
        every_form(path, '--slab', '--by', 'comm', '-j', '3', want=want, only=('json',), megabytes=800)
        if name == 'mmap2':
            leak(path, want=want, only=('json',), megabytes=800)


def feed_pipe(process, pieces):
    try:
        for piece in pieces:
            process.stdin.write(piece)
        process.stdin.close()
    except BrokenPipeError:
        pass
    process.stdin = None


def pipe_of_zeros():
    """3 GB of zeroes after a pipe's records took 2.9 GB."""
    head = rec.stream(rec.kmalloc(1, 64) + rec.kmalloc(2, 128))
    unknown = rec.record(99, bytes(1000)) * 1000
    for junk in bytes(MEGABYTE), unknown, b'\xff' * MEGABYTE:
        process = start('stat', '--slab', '--format=json', '-i', '-', megabytes=600, stdin=subprocess.PIPE)
        feed_pipe(process, [head] + [junk] * many(1000) + [rec.kmalloc(3, 192)])
        status, out, err = end(process)
        assert status == (0 if junk is unknown else PARTIAL), err
        summary = json.loads(out)['slab']['summary']
        assert summary['allocations'] >= 2, summary


def short_of_memory():
    """That libzstd cannot allocate memory does not make a record broken."""
    data, features = packed(rec.kmalloc(1, 64) * 10000, many(200))  # in a window of 128 MB
    path = save('window', rec.recording(data, features=features))
    for megabytes in 60, 100, 150:  # too little for its window; from about 140 on for what comes after it
        status, _, err = stat(path, '-j', '1', megabytes=megabytes)
        assert SANITIZED or (status == 1 and 'out of memory' in err), (megabytes, status, err)
    status, _, err = stat(path, '-j', '1')
    assert status == 0, err


# ---- files that change, holes, FIFOs -----------------------------------------------

def with_hole(size):
    """Records, a hole, a record."""
    head = rec.recording(rec.kmalloc(1, 64) + rec.kmalloc(2, 128))
    features = len(head) - struct.unpack_from('<Q', head, 40)[0] - struct.unpack_from('<Q', head, 48)[0]
    path = save('hole', head[:-features])
    # never finished, so what comes after the records is data
    with open(path, 'r+b') as stream:
        stream.seek(48)
        stream.write(bytes(8 + 16 + 32))
        stream.truncate(size)
    return path, len(head) - features


def formats_dir():
    """A copy of a tracefs, for a recording without formats."""
    for name, text in (('kmalloc', rec.FORMATS[0]), ('kfree', rec.FORMATS[1])):
        os.makedirs(f'{SCRATCH}/tracefs/events/kmem/{name}', exist_ok=True)
        save(f'tracefs/events/kmem/{name}/format', text)
    return f'{SCRATCH}/tracefs'


def wait_until(condition, what):
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, f'not within {PATIENCE} s: {what}'
        time.sleep(0.02)


def catches(process, number):
    """Has it installed its handler?"""
    with open(f'/proc/{process.pid}/status') as stream:
        caught = int(re.search(r'SigCgt:\t(\w+)', stream.read()).group(1), 16)
    return caught >> (number - 1) & 1


def end_by_signal(process, number, what, want=None):
    wait_until(lambda: process.poll() is not None or catches(process, number), f'{what}: it reads')
    time.sleep(0.3)
    process.send_signal(number)
    status, out, err = end(process)
    assert status == 128 + number, f'{what}: status {status}: {err}'
    assert want is None or want in err, err
    return out, err


def holes():
    """A hole of terabytes is searched for records: the first signal ends that, and what comes before it is reported."""
    path, _ = with_hole(4 << 40)
    for number in signal.SIGINT, signal.SIGTERM:
        process = start('stat', '-f', '--slab', '--format=json', '--tracefs', formats_dir(), '-i', path)
        out, err = end_by_signal(process, number, 'a hole', 'stopped')
        assert json.loads(out)['slab']['summary']['allocations'] == 2, out


def file_cut_meanwhile():
    """A SIGBUS, once."""
    path, length = with_hole(4 << 40)
    process = start('stat', '-f', '--slab', '--format=json', '--tracefs', formats_dir(), '-i', path)
    wait_until(lambda: catches(process, signal.SIGBUS), 'it reads')
    time.sleep(0.3)
    os.truncate(path, length)
    status, out, err = end(process)
    assert status == PARTIAL and 'became shorter' in err and err.count('\n') <= 2, (status, err)
    report = json.loads(out)
    assert report['slab']['summary']['allocations'] == 2 and report['recording']['truncated'], report


def fifos():
    """FIFOs without a writer."""
    fifo = f'{SCRATCH}/fifo'
    os.mkfifo(fifo)
    for number in signal.SIGINT, signal.SIGTERM:
        end_by_signal(start('stat', '-f', '-i', fifo), number, 'a FIFO', 'stopped')
    os.mkdir(f'{SCRATCH}/directory')
    os.mkfifo(f'{SCRATCH}/directory/data')
    end_by_signal(start('stat', '-f', '-i', f'{SCRATCH}/directory'), signal.SIGINT, 'data', 'stopped')
    os.unlink(f'{SCRATCH}/directory/data')
    save('directory/data', rec.recording(rec.kmalloc(1, 64)))
    os.mkfifo(f'{SCRATCH}/directory/data.0')
    status, _, err = stat(f'{SCRATCH}/directory')
    assert status == PARTIAL and 'data.0: this is not a regular file' in err, err
    # one with a writer is as good as a pipe, even if the writer comes late
    process = start('stat', '-f', '--slab', '--format=json', '-i', fifo)
    time.sleep(0.5)
    with open(fifo, 'wb') as stream:
        stream.write(rec.stream(rec.kmalloc(1, 64)))
    status, out, err = end(process)
    assert status == 0 and json.loads(out)['slab']['summary']['allocations'] == 1, err


# ---- what the user's configuration says ---------------------------------------------

PATTERNS = ('(.*){10,}{10,}{10,}{10,}', '((((((a{9}){9}){9}){9}){9}){9}){9}', '(' * 5000 + ')' * 5000,
            'a' * 100000, '(a*)*\\1', '((((((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+', '\x1b[2J(')


def patterns():
    """The first one crashed, or took all memory."""
    path = save('patterns', rec.recording(rec.kmalloc(1, 64)))
    for pattern in PATTERNS:
        config = save('config', b'[kmem]\n\tskip-callsite = "' + pattern.replace('\\', '\\\\').encode() + b'"\n')
        for options, env in ((['--skip-callsite', pattern], {}), (['--callsite', pattern], {}), ([], {'PERF_CONFIG': config})):
            process = start('stat', '-f', '--slab', '-i', path, *options, megabytes=400, env=dict(os.environ, **env))
            out, err = process.communicate(timeout=PATIENCE)
            assert process.returncode in (1, 129) and not out, (pattern[:80], process.returncode, err[:2000])
            assert err.count(b'\n') == 1 and b'regular expression' in err, err[:2000]
            assert_clean(err)


def foreign_config():
    """It is ignored with a warning; one given explicitly is refused."""
    path = save('foreign', rec.recording(rec.kmalloc(1, 64)))
    config = save('.perfconfig', b'[kmem]\n\tdefault = nonsense\n')
    home = dict(os.environ, HOME=SCRATCH)
    home.pop('PERF_CONFIG', None)

    def said(env, want, line):
        status, _, err = perf('stat', '-f', '-i', path, env=env)
        assert status == want and line in err, (status, err)
    said(home, 1, 'nonsense')
    os.chmod(config, 0o666)
    said(home, 0, 'anybody may write')
    said(dict(home, PERF_CONFIG=config), 1, 'anybody may write')
    os.chmod(config, 0o644)
    if os.geteuid() == 0:
        os.chown(config, 12345, -1)
        said(home, 0, "neither yours nor root's")
        said(dict(home, PERF_CONFIG=config), 1, "neither yours nor root's")
    said(dict(home, PERF_CONFIG='/dev/null'), 0, '')
    # a link to a file of one's own, and to what is empty
    os.rename(config, f'{SCRATCH}/real')
    os.chown(f'{SCRATCH}/real', os.geteuid(), -1)
    os.symlink('real', config)
    said(home, 1, 'nonsense')
    if os.geteuid() == 0:
        os.chown(config, 12345, -1, follow_symlinks=False)
        said(home, 0, "is a link that is neither yours nor root's")
        said(dict(home, PERF_CONFIG=config), 1, "is a link that is neither yours nor root's")
    os.unlink(config)
    os.symlink('/dev/null', config)
    said(home, 0, '')
    os.unlink(config)
    # a FIFO without a writer
    os.mkfifo(config)
    said(home, 0, 'is not a regular file')
    if os.geteuid() == 0:
        os.chown(config, 12345, -1)
        said(home, 0, "neither yours nor root's")
        said(dict(home, PERF_CONFIG=config), 1, "neither yours nor root's")
    read_end, write_end = os.pipe()
    os.write(write_end, b'[kmem]\n\tdefault = piped\n')
    os.close(write_end)
    process = start('stat', '-f', '-i', path, env=dict(home, PERF_CONFIG=f'/dev/fd/{read_end}'), pass_fds=[read_end])
    status, _, err = end(process)
    assert status == 1 and 'piped' in err, (status, err)


def folder_of_a_tracefs():
    """Names come from the folder only, not from two above it."""
    import trace_dat as dat
    folder = f'{SCRATCH}/a/folder'
    os.makedirs(f'{folder}/per_cpu/cpu0')
    for name, text in (('kmalloc', rec.FORMATS[0]), ('kfree', rec.FORMATS[1])):
        os.makedirs(f'{folder}/events/kmem/{name}')
        save(f'a/folder/events/kmem/{name}/format', text)
    os.makedirs(f'{folder}/events/ftrace')
    save('a/folder/per_cpu/cpu0/trace_pipe_raw', dat.page(1000, dat.kmalloc(1, 64)))
    save('saved_cmdlines', b'1 outside\n')
    status, out, err = stat(folder, '--slab', '--by', 'comm')
    assert status == 0 and b'outside' not in out, (status, out, err)
    save('a/folder/saved_cmdlines', b'1 inside\n')
    status, out, err = stat(folder, '--slab', '--by', 'comm')
    assert status == 0 and b'inside' in out, (status, out, err)


CASES = (
    symbols, labels, events, long_symbol, colliding_names, colliding_stacks, print_flags, formats, many_events, event_lines,
    unpacked_bombs, pipe_of_zeros, short_of_memory, holes, file_cut_meanwhile, fifos, patterns,
    foreign_config, folder_of_a_tracefs)

if __name__ == '__main__':
    cases.run(globals(), CASES)
