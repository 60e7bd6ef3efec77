#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Run the reporting subcommands of perf kmem as different readers do, and check what they get.

usage: terminals.py PERF RECORDING c-locale|no-color|dumb|pipe|no-rights
"""
import os
import pty
import subprocess
import sys

PERF, RECORDING, WHAT = sys.argv[1:]

READING = [
    ['stat', '-i', RECORDING], ['leak', '-i', RECORDING, '--slab', '--page', '--all'],
    ['top', '-i', RECORDING, '--once'], ['diff', RECORDING, RECORDING],
]
LIVE = [['stat', '--duration', '100ms'], ['leak', '--duration', '100ms'], ['top', '--once', '-d', '100ms']]
WHERE = [['where']]


def on_terminal(arguments, environment):
    """Everything that the command writes to a terminal of 80 columns, and its status."""
    pid, fd = pty.fork()
    if not pid:
        os.environ.pop('LANG', None)
        os.environ.update({'PAGER': 'cat', 'COLUMNS': '80', **environment})
        os.execv(PERF, [PERF, 'kmem', *arguments])
    text = b''
    while True:
        try:
            piece = os.read(fd, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(fd)
    return text, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def in_pipe(arguments, environment):
    done = subprocess.run([PERF, 'kmem', *arguments], env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout, done.returncode


def check(run, environment, is_bad):
    bad = 0
    for arguments in READING + LIVE + WHERE:
        text, status = run(arguments, environment)
        wrong = is_bad(text)
        bad += bool(status or wrong or len(text) < 200)
        print(' '.join(arguments), f'status {status}, {len(text)} bytes', wrong or '')
    return bad


def first(text, is_wrong):
    """The line of the first wrong byte; None if there is none."""
    for i, byte in enumerate(text):
        if is_wrong(byte):
            return text[max(0, i - 30):i + 30]
    return None


def colour(text):
    """A status line may be erased, but nothing may have a style."""
    pieces = text.split(b'\x1b[')[1:]
    return [piece[:8] for piece in pieces if piece.lstrip(b'0123456789;')[:1] == b'm'] or None


def no_rights():
    """Check that one line names a missing permission, and that commands without need of one work."""
    bad = 0
    for arguments in READING + WHERE:
        text, status = in_pipe(arguments, {})
        print(' '.join(arguments), f'status {status}, {len(text)} bytes')
        bad += bool(status or len(text) < 200)
    for arguments in LIVE + [['record', '-o', '/dev/null', '--', 'true']]:
        text, status = in_pipe(arguments, {})
        lines = text.decode().splitlines()
        print(' '.join(arguments), f'status {status}:', *lines)
        bad += not (status and len(lines) == 1 and 'permission' in lines[0] and 'as root' in lines[0])
    return bad


def escape(text):
    return first(text, lambda byte: byte == 0x1b)


RUNS = {
    'c-locale': lambda: check(on_terminal, {'LC_ALL': 'C', 'TERM': 'xterm-256color'},
                              lambda text: first(text, lambda byte: byte > 126)),
    'no-color': lambda: check(on_terminal, {'LC_ALL': 'C.UTF-8', 'TERM': 'xterm-256color', 'NO_COLOR': '1'}, colour),
    'dumb': lambda: check(on_terminal, {'LC_ALL': 'C.UTF-8', 'TERM': 'dumb'}, escape),
    'pipe': lambda: check(in_pipe, {'LC_ALL': 'C.UTF-8', 'TERM': 'xterm-256color'}, escape),
    'no-rights': no_rights,
}
sys.exit(bool(RUNS[WHAT]()))
