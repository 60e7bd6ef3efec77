#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a stock perf reads what we record: each kind of recording, each of its commands.

    tests/peers/peers.py [--few] [--table FILE] PERF DIRECTORY NAME=STOCK...

Records this machine into DIRECTORY, and runs each STOCK on every recording, as a file or through a
pipe.  One line per reader and recording.  A command passes if it ends with status 0 and its output
has as many samples (or events) as the recorder wrote.  The output of perf inject must also give our
report of the original.  A command that fails on STOCK's own recording of the same form fails for
reasons of its own: that does not count as our failure, and the table has "own" and the reason.

--few: one file and one pipe.  --table: also write a table of all results.
"""
import argparse
import collections
import contextlib
import itertools
import json
import os
import re
import shlex
import subprocess
import sys

PATIENCE = 120
LOAD = ['sh', '-c', 'ls /usr/bin | sort -r >out.$$; rm out.$$']
KINDS = {
    'slab': ['--slab'],
    'page': ['--page'],
    'slab-page': ['--slab', '--page'],
    'user-stacks': ['--slab', '--user-stacks'],
    'percpu': ['--percpu'],
    'extfrag': ['--extfrag'],
}
# stat's options for our report of a kind, and stock's for kmem stat; None: stock has no such report
REPORTS = {
    'slab': (['--slab'], ['--slab']),
    'page': (['--page'], ['--page']),
    'slab-page': (['--slab', '--page'], ['--slab', '--page']),
    'user-stacks': (['--slab', '--user-stacks'], ['--slab']),
    'percpu': (['--percpu'], None),
    'extfrag': (['--extfrag'], None),
}
COMMANDS = ('script', 'header', 'report --stats', 'evlist -v', 'kmem stat', 'inject', 'data convert')
# of perf report --header-only, as perf's own test tests/shell/header.sh wants them
HEADER = ('hostname', 'os release', 'arch', 'cpuid', 'nrcpus', 'event', 'cmdline', 'perf version',
          'sibling (sockets|cores|dies|threads)', 'sibling threads', 'total memory')
# How stock's kmem stat ends if a page is freed at another order than it was allocated (THP split): it
# looks for an allocation of the free's order.  It depends on what the machine did while it was recorded.
KMEM_STAT_ABORTS = r'error during process events|failed to process type: 9\b'
# what stock says about itself, in other words
EXPLAINED = {
    r'failed to process type: \d{6,}|INVALID \(\d{6,}\)': 'does not skip the tracing data of a pipe',
    r"Couldn't decompress|HEADER_COMPRESSED not set": 'does not read the features of a pipe, nor what is compressed',
    r'No (slab|page) allocation events': 'does not read pipes',
    r'signal 11': 'crashes',
}

Recording = collections.namedtuple('Recording', 'name kind pipe path samples events')


class Failed(Exception):
    pass


def run(command, pipe=None, **how):
    """Its output and messages; pipe: a file that is its standard input, through a pipe."""
    with contextlib.ExitStack() as stack:
        stdin = subprocess.DEVNULL
        if pipe:
            cat = stack.enter_context(subprocess.Popen(['cat', pipe], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL))
            stdin = cat.stdout
        try:
            done = subprocess.run(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                                  timeout=PATIENCE, **how)
        except subprocess.TimeoutExpired:
            raise Failed(f'{PATIENCE} s were not enough') from None
        finally:
            if pipe:
                stdin.close()
    return done.returncode, done.stdout.decode(errors='replace'), done.stderr.decode(errors='replace')


def checked(command, **how):
    status, out, err = run(command, **how)
    if status:
        last = (err.strip() or 'no message').splitlines()[-1]
        raise Failed(f'signal {-status}' if status < 0 else f'status {status}: {last}')
    return out, err


def expect(what, got, want, messages=''):
    if got != want:
        raise Failed(f'{got} {what}, not {want}. {messages.strip()[:300]}'.strip())


class Reader:
    def __init__(self, name, command, perf, directory):
        self.name, self.command, self.perf, self.directory = name, command, perf, directory
        self.version = checked([*command, 'version'])[0].split()[-1]

    def __call__(self, rec, *arguments, behind=()):
        """behind: arguments that follow the recording."""
        line = [*self.command, *arguments, '-i', '-' if rec.pipe else rec.path, *behind]
        return checked(line, pipe=rec.path if rec.pipe else None, cwd=self.directory,
                       env={**os.environ, 'HOME': self.directory})

    # each of these raises Failed

    def script(self, rec):
        out, _ = self(rec, 'script', '-G', '-F', 'event')
        expect('samples', len(re.findall(r'^\s*kmem:', out, re.M)), rec.samples)

    def header(self, rec):
        out, _ = self(rec, 'report', '--header-only', '-I')
        missing = [field for field in HEADER if not re.search(f'^# {field}', out, re.M)]
        if missing:
            raise Failed(f'no {", ".join(missing)}')

    def report_stats(self, rec):
        out, err = self(rec, 'report', '--stats')
        counts = re.findall(r'^ *SAMPLE events: *(\d+)', out, re.M)
        expect('samples', int(counts[0]) if counts else 0, rec.samples, err)

    def evlist_v(self, rec):
        out, _ = self(rec, 'evlist', '-v')
        expect('tracepoints', len(re.findall(r'\btype: 2\b', out)), len(rec.events))
        if not rec.pipe:  # where stock knows the names from the features
            expect('events', sorted(set(re.findall(r'^(kmem:\w+):', out, re.M))), rec.events)

    def kmem_stat(self, rec):
        options = REPORTS[rec.kind][1]
        if options is None:
            return '-'
        out, err = self(rec, 'kmem', '-f', *options, behind=['stat'])
        if 'SUMMARY' not in out:
            raise Failed((err.strip() or 'no report').splitlines()[-1])
        return None

    def inject(self, rec):
        out = f'{self.directory}/injected'
        for path in out, f'{out}.old':
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        self(rec, 'inject', '-o', out)
        self.script(rec._replace(path=out, pipe=False))
        if rec.name.startswith('own'):
            return
        before, after = (report(self.perf, rec.kind, path) for path in (rec.path, out))
        if before != after:
            raise Failed('our report of what it wrote is another one')

    def data_convert(self, rec):
        out = f'{self.directory}/converted'
        self(rec, 'data', 'convert', '--force', '--to-json', out)
        with open(out, encoding='utf-8', errors='replace') as f:
            expect('samples', len(json.load(f)['samples']), rec.samples)


def report(perf, kind, path):
    """All but the lines about perf inject itself."""
    out, _ = checked([perf, 'kmem', 'stat', '--format=json', *REPORTS[kind][0], '-i', path])
    document = json.loads(out)
    for key in 'path', 'cmdline':
        document['recording'].pop(key)
    return document


def events_of(perf, rec):
    out, _ = checked([perf, 'evlist', '-i', rec.path])
    return rec._replace(events=sorted(set(re.findall(r'^kmem:\w+', out, re.M))))


def record(perf, name, kind, pipe, options, directory):
    path = f'{directory}/{name}'
    command = [perf, 'kmem', 'record', *KINDS[kind], *options, '-o', '-' if pipe else path, '--', *LOAD]
    with open(path, 'wb') as f:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=f if pipe else subprocess.DEVNULL,
                              stderr=subprocess.PIPE, cwd=directory, check=False, timeout=PATIENCE)
    err = done.stderr.decode(errors='replace')
    said = re.search(r'\((\d+) samples', err)
    if done.returncode or not said:
        raise Failed(err.strip().splitlines()[-1])
    return events_of(perf, Recording(name, kind, pipe, path, int(said[1]), []))


def recordings(perf, directory, few):
    """Recordings that are not possible here are skipped."""
    if few:
        ways = [('slab-page', 'bpf', '1', False), ('slab', 'perf', '0', True)]
    else:
        ways = itertools.product(KINDS, ('bpf', 'perf'), ('0', '1'), (False, True))
    for kind, via, level, pipe in ways:
        name = f'{kind}-{via}-z{level}-{"pipe" if pipe else "file"}'
        try:
            yield record(perf, name, kind, pipe, ['--via', via, f'-z{level}'], directory)
        except Failed as why:
            yield f'skip {name}: {why}'


def own(reader, kind, pipe, packed, directory):
    """The reader's own recording of the same form."""
    name = f'own-{kind}-{"pipe" if pipe else "file"}-{packed}'
    path = f'{directory}/{name}'
    events = {'slab': ['kmem:kmalloc', 'kmem:kfree', 'kmem:kmem_cache_alloc', 'kmem:kmem_cache_free'],
              'page': ['kmem:mm_page_alloc', 'kmem:mm_page_free']}
    chosen = [e for k in events for e in events[k] if k in kind] or events['page']
    command = [*reader.command, 'record', '-q', '-a', '-c', '1', *(['-z'] if packed else []), '-m', '4M',
               *itertools.chain.from_iterable(('-e', e) for e in chosen), '-o', '-' if pipe else path, '--',
               'sh', '-c', 'ls /usr/bin | sort -r | tail -n 1 >&2']
    with open(path, 'wb') as f:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=f if pipe else subprocess.DEVNULL, cwd=directory,
                              stderr=subprocess.PIPE, check=False, timeout=PATIENCE)
    if done.returncode:
        raise Failed(f'its own recorder: {done.stderr.decode(errors="replace").strip()[-200:]}')
    out, _ = checked([reader.perf, 'script', '-i', path])
    samples = len(re.findall(r' kmem:\w+: ', out))
    return events_of(reader.perf, Recording(name, kind, pipe, path, samples, []))


class Results:
    def __init__(self, directory):
        self.directory, self.controls = directory, {}
        self.cells, self.reasons, self.failures = [], collections.Counter(), 0

    def fails_by_itself(self, reader, command, rec, said):
        """Why the command fails on the reader's own recording of this form; None: it does not."""
        if command == 'kmem_stat' and re.search(KMEM_STAT_ABORTS, said):
            return 'aborts where a page is freed at another order than it was allocated'
        packed = '-z0' not in rec.name
        form = reader.name, rec.kind, rec.pipe, packed
        if form not in self.controls:
            self.controls[form] = own(reader, rec.kind, rec.pipe, packed, self.directory)
        try:
            getattr(reader, command)(self.controls[form])
        except Failed as why:
            return str(why)
        return None

    def one(self, reader, rec, title):
        """The cell of the table, and the failure."""
        command = re.sub(r'\W+', '_', title)
        try:
            return getattr(reader, command)(rec) or 'ok', None
        except Failed as why:
            said = str(why)
        try:
            because = self.fails_by_itself(reader, command, rec, said)
        except Failed as why:
            return 'FAIL', f'{title}: {said} (nothing to compare with: {why})'
        if because:
            because = next((words for error, words in EXPLAINED.items() if re.search(error, because)), because)
            self.reasons[f'{reader.name}: {title} of a {"pipe" if rec.pipe else "file"}: {because}'] += 1
            return 'own', None
        return 'FAIL', f'{title}: {said}'

    def add(self, reader, rec):
        cells, wrong = zip(*(self.one(reader, rec, title) for title in COMMANDS))
        wrong = [w for w in wrong if w]
        self.cells.append((reader.name, rec.name, rec.samples, *cells))
        self.failures += bool(wrong)
        print(f'{"FAIL" if wrong else "ok"} {reader.name}/{rec.name}')
        for line in wrong:
            print(f'    {line}')
        sys.stdout.flush()

    def table(self, readers):
        rows = [('reader', 'recording', 'samples', *COMMANDS), *self.cells]
        widths = [max(len(str(row[i])) for row in rows) for i in range(len(rows[0]))]
        yield ', '.join(f'{r.name} is perf {r.version}' for r in readers)
        for row in rows:
            yield ' | '.join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip()
        if self.reasons:
            yield 'own: fails on its own recordings, too:'
        for reason, times in sorted(self.reasons.items()):
            yield f'  {times:3} x {reason}'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--few', action='store_true')
    parser.add_argument('--table')
    parser.add_argument('perf')
    parser.add_argument('directory')
    parser.add_argument('readers', nargs='+')
    asked = parser.parse_args()
    readers = []
    for reader in asked.readers:
        name, command = reader.split('=', 1)
        readers.append(Reader(name, shlex.split(command), asked.perf, asked.directory))
    results = Results(asked.directory)
    for rec in recordings(asked.perf, asked.directory, asked.few):
        if isinstance(rec, str):
            print(rec)
            continue
        for reader in readers:
            results.add(reader, rec)
        os.unlink(rec.path)
    if asked.table:
        with open(asked.table, 'w', encoding='utf-8') as f:
            f.writelines(f'{line}\n' for line in results.table(readers))
    sys.exit(results.failures > 0)


main()
