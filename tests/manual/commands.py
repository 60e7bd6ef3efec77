#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""See tests/manual/run, which calls it: commands.py ROOT.

The commands of perf other than kmem: each that completion knows has a manual, and the options of
the manual, of --help and of completion are those of its table.
"""
import glob
import os
import re
import subprocess
import sys

import pages

ROOT = sys.argv[1]
WITHOUT_MANUAL = {'kmem', 'record', 'config', 'version', 'help'}  # perf-kmem(1) describes these
failed = False


def report(name, problems):
    global failed
    print(f'FAIL {name}' if problems else f'ok {name}')
    for line in problems:
        print(f'    {line}')
    failed |= bool(problems)


def perf(*arguments):
    return subprocess.run(('perf', *arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          timeout=60, check=False).stdout


def same(what, got, other, want):
    return ([f'{what} lacks {name}, which {other} has' for name in sorted(set(want) - set(got))] +
            [f'{what} has {name}, which {other} lacks' for name in sorted(set(got) - set(want))])


def manual_options(path):
    entries = [line.removesuffix('::') for line in pages.lines(path) if line.startswith('-') and line.endswith('::')]
    return [part.split()[0].split('[')[0] for entry in entries for part in re.split(r',\s+(?=-)', entry)]


def complete(*words):
    return perf('--complete', *words).split()


def main():
    commands = re.findall(r'^    ([a-z][a-z-]*) ', perf('help'), re.M)
    manuals = {os.path.basename(path)[5:-4]: path for path in glob.glob(f'{ROOT}/Documentation/perf-*.txt')}
    del manuals['kmem']
    report('commands-manuals', same('Documentation', manuals, 'perf help', set(commands) - WITHOUT_MANUAL))
    report('commands-completion', same('completion', complete(''), 'perf help', commands))
    report('commands-completion-events', same('completion', complete('record', '-e', 'kmem:kmalloc,kmem:kf'), 'the list',
                                              ['kmem:kmalloc,kmem:kfree']))
    keys = [line.removesuffix('::') for line in pages.lines(f'{ROOT}/Documentation/perf-kmem.txt')
            if line.startswith('kmem.') and line.endswith('::')]
    report('commands-completion-config', same('completion', complete('config', ''), 'the manual',
                                              [':list', *(f'{key}=' for line in keys for key in line.split(', '))]))
    for command, path in manuals.items():
        table = set(complete(command, '-')) - {'-h', '--help'}
        problems = same('the manual', manual_options(path), 'completion', table)
        helped = re.findall(r'^ {4}(-\w)?(?:, | {4})?(--[\w-]+)?', perf(command, '--help'), re.M)
        problems += same('--help', {name for pair in helped for name in pair if name}, 'completion', table)
        report(f'commands-{command}', problems)
    return failed


sys.exit(main())
