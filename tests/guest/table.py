#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Print Documentation/kernels.md from what guests sent (GUEST_PARTS=table tests/guest/run).

usage: table.py DIRECTORY...        each is $GUEST_RESULTS/VERSION
"""
import json
import os
import re
import sys

ROWS = (
    ('record-perf', '`record --via perf`'),
    ('record-perf-3', '`record --via perf`, perf_event_paranoid 3'),
    ('record-bpf', '`record --via bpf`'),
    ('stat', '`stat -b`'),
    ('leak', '`leak -b`'),
    ('top', '`top`'),
    ('in-kernel', '`stat --in-kernel`'),
    ('where', '`where`'),
    ('snapshot', '`snapshot`'),
    ('diff', '`diff` of snapshots'),
    ('boot', '`record --boot`'),
)
# They report the eventfds that `works` made.
COUNTING = {'record', 'by-cgroup', 'record-perf', 'record-perf-3', 'record-bpf', 'stat', 'leak', 'top', 'in-kernel'}
N = 777


class Guest:
    def __init__(self, directory, notes):
        self.directory = os.path.join(directory, 'out')
        self.notes = notes

    def text(self, name):
        with open(os.path.join(self.directory, name), encoding='utf-8', errors='replace') as f:
            return f.read().strip()

    def has(self, name):
        return os.path.exists(os.path.join(self.directory, name))

    def failure(self, name):
        """None if the command worked, else why not."""
        if self.text(f'{name}.status') != '0':
            lines = self.text(f'{name}.err').splitlines()
            return lines[-1] if lines else 'status ' + self.text(f'{name}.status')
        use = re.sub(r'^(table|missing-\w+)-', '', name).removesuffix('-user')
        if use in COUNTING and N not in numbers(json.loads(self.text(f'{name}.out'))):
            return f'it did not report the {N} eventfds'
        return None

    def note(self, why):
        """A reference to it below the table, without the command's name."""
        why = re.sub(r'^perf kmem \w+: (--via \w+: )?', '', why)
        if why not in self.notes:
            self.notes.append(why)
        return f' ({self.notes.index(why) + 1})'

    def cell(self, name):
        why = self.failure(f'table-{name}')
        if why:
            return 'no' + self.note(why)
        why = self.failure(f'table-{name}-user')
        if why:
            return 'root' + self.note(why)
        if 'only root may read it' in self.text(f'table-{name}-user.err'):
            return 'root; in part, any user'
        capabilities = self.text(f'table-{name}-user.capabilities')
        if 'sys_admin' in capabilities:  # why not with the set before
            return names(capabilities) + self.note(self.text(f'table-{name}-less.err').splitlines()[-1])
        return names(capabilities)


def names(capabilities):
    """A set as `table` in init writes it, for readers."""
    return 'any user' if capabilities == 'none' else ' '.join('CAP_' + c.upper() for c in capabilities.split(','))


def numbers(value):
    """All integers in the reports' rows."""
    if isinstance(value, dict):
        return {n for v in value.values() for n in numbers(v)}
    if isinstance(value, list):
        return {n for v in value for n in numbers(v)}
    return {value} if isinstance(value, int) else set()


# Names of the conditions that `missing` in init makes.
CONDITIONS = {
    'cgroups': 'mounted control groups', 'cgroup_v2': 'control groups of version 2', 'tracefs': 'a mounted tracefs',
    'tracing': 'tracefs at /sys/kernel/tracing', 'btf': 'BTF', 'bpf': 'BPF', 'kallsyms': 'names in /proc/kallsyms',
    'ftrace': '`kernel.ftrace_enabled`', 'jit': "BPF's JIT compiler",
    'integrity': 'nothing, but locked down (integrity)', 'confidentiality': 'nothing, but locked down (confidentiality)',
}
USES = {'record': '`record`', 'stat': '`stat -b`', 'in-kernel': '`stat --in-kernel`', 'by-cgroup': '`stat -b --by cgroup`',
        'where': '`where`'}


def print_notes(notes):
    for number, note in enumerate(notes, 1):
        print(f'{number}. `{note}`')


def print_missing(guest):
    """The results of `missing`."""
    print(f'\n## Without a feature ({guest.text("release")}, as root)\n')
    print('| Without | ' + ' | '.join(USES.values()) + ' |')
    print('|---' * (len(USES) + 1) + '|')
    for condition in guest.text('missing.conditions').split():
        cells = (guest.failure(f'missing-{condition}-{use}') for use in USES)
        print(f'| {CONDITIONS[condition]} | ' + ' | '.join('no' + guest.note(c) if c else 'works' for c in cells) + ' |')
    print('\nWithout BPF `record` uses perf_event_open. Messages:\n')
    print_notes(guest.notes)


def main():
    notes = []
    guests = [Guest(d, notes) for d in sys.argv[1:]]
    lacking = [g for g in guests if g.has('missing.conditions')]
    guests = [g for g in guests if g not in lacking]
    releases = [g.text('release') for g in guests]
    print('# Kernels\n')
    print('Commands that work on kernels of Debian, and the capabilities that a user other than root needs for them:')
    print('the first of the sets below with which the command worked. "no": not even for root.\n')
    print('| | ' + ' | '.join(releases) + ' |')
    print('|---' * (len(guests) + 1) + '|')
    for name, title in ROWS:
        print(f'| {title} | ' + ' | '.join(g.cell(name) for g in guests) + ' |')
    print('\nMessages, where a command does not work, or not without CAP_SYS_ADMIN:\n')
    print_notes(notes)
    for guest in lacking:
        guest.notes = []
        print_missing(guest)
    print('\n## Conditions\n')
    print('- Sets of capabilities, in the order in which they are tried after none:')
    for capabilities in guests[0].text('table.sets').split()[1:]:
        print('  - ' + names(capabilities))
    print('- CAP_DAC_READ_SEARCH is needed for a tracefs that only root may read. Another mode or owner of it does as well.')
    print('- Without CAP_SYSLOG, or `sysctl kernel.kptr_restrict=0`, call sites may have no names.')
    print('- `kernel.perf_event_paranoid` is 2, unless the row says otherwise. Debian\'s default is 3.')
    print('- Events are those of slab objects. `record --via bpf --page` also needs perf_event_open, and so the rights of that row.')
    print(f'- A report of events works if it shows the {N} eventfds that a program made.')
    print('\n## Make this page anew\n')
    print('As root (30 minutes):\n')
    print('    GUEST_PARTS=table GUEST_MEMORY=2048 GUEST_RESULTS=DIR tests/guest/run 5.10 6.1 6.12 sid')
    print('    GUEST_PARTS=missing GUEST_MEMORY=2048 GUEST_RESULTS=DIR/missing tests/guest/run 6.1')
    print('    tests/guest/table.py DIR/5.10 DIR/6.1 DIR/6.12 DIR/sid DIR/missing/6.1 >Documentation/kernels.md')


main()
