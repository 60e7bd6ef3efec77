#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds the figures of trace.dat files against those computed from the text of `trace-cmd report`.

usage: trace_cmd.py PERF FILE.dat...

The files must be uncompressed, and without stacks.  trace-cmd shows addresses instead of names if the file has no symbols:
it gets a copy in which they are blank.  The definitions are those of recompute.
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'recompute'))
import check  # noqa: E402
import definitions  # noqa: E402
import perfdata  # noqa: E402
import questions  # noqa: E402
import symbols  # noqa: E402
import tracepoint  # noqa: E402

LINE = re.compile(r'^ *(?P<comm>.*?)-(?P<pid>\d+) +\[(?P<cpu>\d+)\](?:-0x[0-9a-f]+)? +(?P<s>\d+)\.(?P<ns>\d{9}): (?P<name>\w+): +(?P<fields>.*)$')
ADDRESS = re.compile(r'= \((0x[0-9a-f]+)\)')


class Format(tracepoint.Format):
    """Reads events whose raw data is a dictionary: what the text shows."""

    def number(self, raw, name, default=None):
        return raw.get(name, default) if isinstance(raw.get(name, 0), int) else default

    def string(self, raw, name):
        value = raw.get(name)
        return value.encode() if isinstance(value, str) else None


class Event:
    type, sample_type, period, lost_samples, lost_records = 2, 0, 1, 0, 0

    def __init__(self, one):
        self.format, self.name, self.config, self.samples = one, f'kmem:{one.name}', one.id, 0


class Recording:
    nodes, nr_nodes, big_endian, long_size, page_size, order = {}, 0, False, 8, 4096, '<'
    hostname, osrelease, arch, cpus, cgroups, kallsyms, info = '(none)', None, None, None, None, '', ''

    def __init__(self, path):
        data = open(path, 'rb').read()
        start = re.search(rb'[0-9a-f]{16} [a-zA-Z] \S+\n[0-9a-f]{16} [a-zA-Z] \S+\n', data).start()
        end = start
        for m in re.compile(rb'[0-9a-f]{16} [a-zA-Z] [^\n]*\n').finditer(data, start):
            if m.start() != end:
                break
            end = m.end()
        self.kallsyms = data[start:end].decode()
        uname = re.search(rb'Linux (\S+) (\d\S+) (\w+)\0', data)
        self.hostname, self.osrelease, self.arch = (g.decode() for g in uname.groups())
        self.formats, self.events, by_name = {}, [], {}
        for m in re.finditer(rb'name: (\w+)\nID: \d+\nformat:\n(?:.*?)\nprint fmt: [^\n]*\n', data, re.S):
            one = Format('kmem', m.group(0).decode(), '<', 8)
            if re.match(r'k|mm_|rss', one.name) and one.name != 'kernel_stack':
                self.formats[one.id] = one
                by_name[one.name] = Event(one)
        self.records, names = [], {}
        with tempfile.NamedTemporaryFile() as blank:
            blank.write(data[:start] + b'\n' * (end - start) + data[end:])
            blank.flush()
            out = subprocess.run(['trace-cmd', 'report', '-N', '-R', '-t', '-i', blank.name], stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, text=True, check=True).stdout
        for line in out.splitlines():
            m = LINE.match(line)
            if not m or m['name'] not in by_name:
                continue
            event = by_name[m['name']]
            raw = {}
            # trace-cmd 3.3 has the address in brackets, behind the name
            for word in ADDRESS.sub(r'=\1', m['fields']).split():
                name, _, value = word.partition('=')
                try:
                    raw[name] = int(value, 0)
                except ValueError:
                    raw[name] = 0 if value == '(nil)' else int(value, 16) if re.fullmatch('[0-9a-f]{8,16}', value) else value
            pid = int(m['pid'])
            if pid and m['comm'] != '<...>':
                names[pid] = m['comm'].encode()
            sample = perfdata.Sample(int(m['s']) * 10**9 + int(m['ns']), event, pid, pid, int(m['cpu']), (), raw, None)
            event.samples += 1
            self.records.append(sample)
        times = [r.time for r in self.records]
        self.first_ns = self.start_ns = min(times)
        self.last_ns = self.stop_ns = max(times)
        self.cpus = 2
        self.events = [event for event in by_name.values() if event.samples]
        self.records[:0] = [perfdata.Comm(0, pid, name) for pid, name in names.items()]

    def told(self, key):
        return None

    def missing(self, event):
        return 0


def main():
    program, *paths = sys.argv[1:]
    result = check.Result()
    for path in paths:
        recording = Recording(path)
        names = symbols.Symbols([recording.kallsyms])
        subject = check.Subject(program, path, [], definitions.Lives(recording, names))
        before = result.figures, result.differ
        questions.ask(subject, result, True, False)
        print(f'{path}: {result.figures - before[0]} figures, {result.differ - before[1]} differ', flush=True)
    result.print_rest()
    print(f'{result.figures} figures, {result.differ} differ')
    sys.exit(1 if result.differ or not result.figures else 0)


main()
