#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The file that -o names: what a command may do to it, whatever stands there already.
#
#   tests/robust/outputs.py --list
#   tests/robust/outputs.py PERF DATA FOLDER CASE
#
# FOLDER is empty and belongs to the case.  Each case is asked of every command that writes a file.
import os
import resource
import signal
import stat
import subprocess
import sys
import time

OTHER = 65534
PATIENCE = 60
cases = {}


def case(function):
    cases[function.__name__.replace('_', '-')] = function
    return function


def file_of(name):
    return os.path.join(folder, name)


def commands():
    """Name: a command line to which -o is added."""
    slab = os.path.join(data, 'slab.data')
    # without it, all but the kernel that made the recording warn that call sites are addresses
    names = ['-f', '--kallsyms', os.path.join(data, 'kallsyms')]
    found = {
        'stat': ['kmem', 'stat', *names, '-i', slab, '--caller'],
        'leak': ['kmem', 'leak', *names, '-i', slab],
        'diff': ['kmem', 'diff', *names, slab, slab],
        'top': ['kmem', 'top', *names, '-i', slab, '-n', '1'],
    }
    count = ['stat', '-e', 'kmem:kmalloc', '--', 'true']
    if not os.geteuid() and not run(count)[0]:
        found['perf-stat'] = count
        found['snapshot'] = ['kmem', 'snapshot', '-q']
    return found


def with_output(command, path):
    """-o stands before what perf stat runs."""
    at = command.index('--') if '--' in command else len(command)
    return [*command[:at], '-o', path, *command[at:]]


def run(command, **how):
    done = subprocess.run([perf, *command], stdin=subprocess.DEVNULL, stdout=how.pop('stdout', subprocess.PIPE),
                          stderr=subprocess.PIPE, timeout=PATIENCE, **how)
    return done.returncode, done.stdout or b'', done.stderr.decode()


def content(path):
    with open(path, 'rb') as f:
        return f.read()


def put(path, text):
    with open(path, 'wb') as f:
        f.write(text)


def each(ask):
    """ask(command, path) for each command; reports the failures of all."""
    wrong = []
    for name, command in commands().items():
        path = file_of(name)
        try:
            said = ask(command, path)
        except subprocess.TimeoutExpired:
            said = 'it hangs'
        if said:
            wrong.append(f'{name}: {said}')
        left = [n for n in os.listdir(folder) if n.startswith('.')]
        if left:
            wrong.append(f'{name}: left {left}')
            for n in left:
                os.unlink(file_of(n))
    assert not wrong, '\n'.join(wrong)


def is_written(status, err, path):
    if status:
        return f'status {status}: {err}'
    if not os.path.isfile(path) or os.path.islink(path):
        return 'there is no file'
    return '' if os.path.getsize(path) > 100 else 'the file is empty'


@case
def private():
    """Only its owner may read it, whatever the umask and the old file's mode."""
    def ask(command, path):
        for mode in (None, 0o644):
            if mode:
                os.chmod(path, mode)
            status, _, err = run(with_output(command, path), umask=0)
            wrong = is_written(status, err, path)
            if wrong or stat.S_IMODE(os.stat(path).st_mode) != 0o600:
                return wrong or f'mode {stat.S_IMODE(os.stat(path).st_mode):o}'
        return ''
    each(ask)


@case
def links():
    """A symbolic link is replaced; what it leads to is left alone."""
    def ask(command, path):
        put(file_of('victim'), b'precious')
        os.symlink('victim', path)
        status, _, err = run(with_output(command, path))
        if content(file_of('victim')) != b'precious':
            return 'it followed a symbolic link'
        return is_written(status, err, path)
    each(ask)


@case
def files_of_others():
    """Where only owners may remove files, other users' are left alone, with an error at once."""
    if os.geteuid():
        return
    os.chmod(folder, 0o1777)

    def ask(command, path):
        for kind in ('regular', 'fifo', 'link', 'null'):
            at = f'{path}-{kind}'
            if kind == 'regular':
                put(at, b'theirs')
            elif kind == 'fifo':
                os.mkfifo(at, 0o666)
            else:
                os.symlink('/dev/null' if kind == 'null' else 'regular', at)
            os.chown(at, OTHER, OTHER, follow_symlinks=False)
            before = os.lstat(at)
            status, _, err = run(with_output(command, at))
            after = os.lstat(at)
            if status != 1 or f'belongs to user {OTHER}' not in err:
                return f'{kind}: status {status}: {err}'
            if (before.st_ino, before.st_size, before.st_mtime_ns) != (after.st_ino, after.st_size, after.st_mtime_ns):
                return f'{kind}: it was written to'
        return ''
    each(ask)


@case
def streams():
    """Standard output by each of its names, a pipe of the shell's, a FIFO, /dev/null."""
    def ask(command, path):
        for name in ('-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'):
            status, out, err = run(with_output(command, name), cwd=folder)
            if status or len(out) < 100:
                return f'{name}: status {status}, {len(out)} bytes: {err}'
            put(path, b'before\n')
            with open(path, 'ab') as f:
                status, _, err = run(with_output(command, name), stdout=f, cwd=folder)
            if status or not content(path).startswith(b'before\n') or len(content(path)) < 100:
                return f'{name} >>: status {status}, {content(path)[:40]}: {err}'
        if not stat.S_ISCHR(os.stat('/dev/null').st_mode) or not os.path.islink('/dev/stdout'):
            return 'a device was replaced'
        status, _, err = run(with_output(command, '/dev/null'))
        if status or not stat.S_ISCHR(os.stat('/dev/null').st_mode):
            return f'/dev/null: status {status}: {err}'
        read_end, write_end = os.pipe()
        status, _, err = run(with_output(command, f'/dev/fd/{write_end}'), pass_fds=[write_end])
        os.close(write_end)
        piped = os.read(read_end, 1 << 16)
        os.close(read_end)
        if status or len(piped) < 100:
            return f'/dev/fd/N: status {status}: {err}'
        os.unlink(path)
        os.mkfifo(path)
        with subprocess.Popen(['cat', path], stdout=subprocess.PIPE) as reader:
            status, _, err = run(with_output(command, path))
            told = reader.communicate(timeout=PATIENCE)[0]
        if status or len(told) < 100 or not stat.S_ISFIFO(os.stat(path).st_mode):
            return f'a FIFO: status {status}, {len(told)} bytes: {err}'
        return ''
    each(ask)


@case
def readers_that_go_away():
    """A report does not fail if its reader goes away (| head)."""
    def ask(command, path):
        read_end, write_end = os.pipe()
        os.close(read_end)
        said = [run(how, stdout=write_end)[::2] for how in (command, with_output(command, '-'))]
        os.close(write_end)
        at_once = [0, '' if command[0] == 'kmem' else said[0][1]]
        return '' if said == [tuple(at_once), (0, '')] or 'snapshot' in command else said
    each(ask)


def at_most(size):
    """For preexec_fn: larger files cannot be written."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


@case
def no_space():
    """A report that does not fit leaves the old file, or none."""
    def ask(command, path):
        for old in (None, b'the old one'):
            if old:
                put(path, old)
            status, _, err = run(with_output(command, path), preexec_fn=at_most(60))
            if status != 1 or 'File too large' not in err or err.count('\n') != 1:
                return f'status {status}: {err}'
            if old and content(path) != old:
                return 'the old file was changed'
            if not old and os.path.exists(path):
                return f'a file of {os.path.getsize(path)} bytes was left'
        return ''
    each(ask)


def heed_hangup():
    """Whoever started the tests with nohup has it ignored."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@case
def killed():
    """A command that ends before its report is written leaves the old file."""
    for how in (signal.SIGKILL, signal.SIGHUP):
        for command in (['stat'], ['leak'], ['top', '-d', '1m']):
            path = file_of(command[0])
            put(path, b'the old one')
            with open(os.path.join(data, 'slab.data'), 'rb') as f, \
                    subprocess.Popen([perf, 'kmem', *command, '-f', '-i', '-', '-o', path], stdin=subprocess.PIPE,
                                     stderr=subprocess.DEVNULL, preexec_fn=heed_hangup) as reader:
                reader.stdin.write(f.read())
                reader.stdin.flush()
                time.sleep(0.3)
                reader.send_signal(how)
                reader.wait(timeout=PATIENCE)
            assert content(path) == b'the old one', f'{command[0]}: it was changed'
            assert os.listdir(folder) == [command[0]], os.listdir(folder)
            os.unlink(path)


@case
def no_space_for_one_table():
    """A folder has the old files then, or all of the new ones."""
    command = ['kmem', 'stat', '-f', '-i', os.path.join(data, 'both.data'), '--slab', '--page', '--by', 'comm,cpu',
               '--format', 'csv', '-o', file_of('tables/')]
    at_first = run(command, preexec_fn=at_most(60))
    assert at_first[0] == 1 and not os.path.exists(file_of('tables')), at_first
    assert run(command)[0] == 0
    paths = [file_of('tables/' + name) for name in sorted(os.listdir(file_of('tables')))]
    sizes = sorted(os.path.getsize(path) for path in paths)
    for path in paths:
        put(path, b'old')
    status, _, err = run(command, preexec_fn=at_most(sizes[0]))
    assert status == 1 and sizes[0] < sizes[1], (status, err, sizes)
    assert [content(path) for path in paths] == [b'old', b'old'], 'a file was replaced'
    assert len(os.listdir(file_of('tables'))) == 2, os.listdir(file_of('tables'))


@case
def killed_between_intervals():
    """A file that grows has whole intervals, and nobody else may read it."""
    if os.geteuid() or run(['stat', '-e', 'kmem:kmalloc', '--', 'true'])[0]:
        return
    path = file_of('counts')
    with subprocess.Popen([perf, 'stat', '-I', '50', '-x,', '-e', 'kmem:kmalloc,kmem:kfree', '-a', '-o', path]) as counting:
        end = time.monotonic() + PATIENCE
        while not os.path.exists(path) or os.path.getsize(path) < 200:
            assert time.monotonic() < end and counting.poll() is None, 'no interval comes'
            time.sleep(0.02)
        counting.send_signal(signal.SIGKILL)
    lines = content(path).decode().splitlines()
    assert lines and len(lines) % 2 == 0 and all(len(line.split(',')) == len(lines[0].split(',')) for line in lines), lines
    assert os.listdir(folder) == ['counts'] and stat.S_IMODE(os.stat(path).st_mode) == 0o600


if sys.argv[1:] == ['--list']:
    print('\n'.join(cases))
    sys.exit()
perf, data, folder, name = sys.argv[1:]
cases[name]()
