#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds every figure of our reports against one computed anew from the raw events.

usage: recompute.py PERF RECORDING... [--brief | --inside | --pingpong]

Nothing is shared with the program: perfdata.py reads the recordings, definitions.py says what
the figures mean.  A file `kallsyms` beside a recording is its kernel's.

--brief     the questions that take longest are left out
--inside    only those of --percpu and --extfrag: for recordings of millions of events
--pingpong  only those of --pingpong

Prints each difference (recording, question, row, ours, theirs), then "N figures, N differ";
exit 1 when any differs.
"""
import gc
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import check  # noqa: E402
import definitions  # noqa: E402
import perfdata  # noqa: E402
import questions  # noqa: E402
import symbols  # noqa: E402


def load(path, program):
    recording = perfdata.Recording(path)
    beside = os.path.join(os.path.dirname(path), 'kallsyms')
    texts, options = [recording.kallsyms], []
    if os.path.exists(beside):
        with open(beside, encoding='utf-8') as f:
            texts.insert(0, f.read())
        options = ['--kallsyms', beside]
    names = symbols.Symbols(texts)
    return check.Subject(program, path, options, definitions.Lives(recording, names))


def main():
    gc.disable()  # millions of objects, and none to collect before the end
    program, *paths = [a for a in sys.argv[1:] if not a.startswith('--')]
    brief = '--brief' in sys.argv
    only = next((part for part in ('inside', 'pingpong') if f'--{part}' in sys.argv), None)
    result = check.Result()
    previous = None
    for path in paths:
        subject = load(path, program)
        before = result.figures, result.differ
        questions.ask(subject, result, brief, only)
        if previous and not only:
            questions.ask_diff(previous, subject, result, brief)
        previous = subject
        print(f'{path}: {result.figures - before[0]} figures, {result.differ - before[1]} differ', flush=True)
    result.print_rest()
    print(f'{result.figures} figures, {result.differ} differ')
    sys.exit(1 if result.differ or not result.figures else 0)


main()
