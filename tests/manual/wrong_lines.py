# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the wrong command lines of the table wrong-lines, and looks at their message and status.

    wrong_lines.py TABLE

$DATA has the recordings, and the path has perf.  One line is printed for each line of the table.
"""
import os
import subprocess
import sys

LEAST = 50  # lines of the table


def complaint(status, quoted, advice, command):
    """Name the faults of the answer to a command line; None if there are none."""
    done = subprocess.run(['sh', '-c', command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=60, check=False)
    message = done.stderr.decode()
    program = ' '.join(command.split()[:3] if command.split()[2] in
                       ('stat', 'leak', 'diff', 'top', 'where', 'record', 'snapshot') else command.split()[:2])
    problems = [problem for problem, is_wrong in (
        (f'status {done.returncode}, not {status}', done.returncode != int(status)),
        ('prints to its output', done.stdout),
        ('is not one line', len(message.splitlines()) != 1 or not message.endswith('\n')),
        (f'does not begin with "{program}: "', not message.startswith(program + ': ')),
        (f"does not have '{quoted}' in quotes", f"'{quoted}'" not in message),
        (f'does not have "{advice}"', advice not in message)) if is_wrong]
    return '; '.join(problems) + f': {message!r}' if problems else None


def main():
    failed, nr = 0, 0
    with open(sys.argv[1], encoding='utf-8') as table:
        rows = [line.rstrip('\n').split(' | ') for line in table if not line.startswith('#')]
    os.chdir(os.environ['DATA'])
    with open('empty', 'w', encoding='utf-8'), open('text', 'w', encoding='utf-8') as text:
        text.write('not a recording\n')
    os.makedirs('directory', exist_ok=True)
    for row in rows:
        nr += 1
        problem = complaint(*row)
        name = f'wrong-{nr:02}'
        if problem:
            failed = 1
            print(f'FAIL {name}\n    {row[3]}\n    {problem}')
        else:
            print(f'ok {name}')
    if nr < LEAST:
        failed = 1
        print(f'FAIL wrong-lines\n    {nr} lines, not {LEAST}')
    return failed


if __name__ == '__main__':
    sys.exit(main())
