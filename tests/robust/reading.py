#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Reading a recording while a user watches, or has seen enough of it.
#
#   tests/robust/reading.py PERF STREAM QUESTION [ARGUMENT...]
#
# STREAM is a recording in pipe format.  perf gets it through a pipe that this program fills as
# slowly as the question needs.
import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import time

perf, stream_path, question, *arguments = sys.argv[1:]
stream = open(stream_path, 'rb').read()
half = len(stream) // 2
PATIENCE = 60


def left_in(fd):
    return struct.unpack('i', fcntl.ioctl(fd, termios.FIONREAD, b'\0' * 4))[0]


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f'{what}: not within {PATIENCE} s'
        time.sleep(0.02)


class Reader:
    """perf kmem, its standard input a pipe that stays open until finish()."""

    def __init__(self, *arguments, stderr=subprocess.PIPE):
        read_end, self.pipe = os.pipe()
        self.read_end = os.dup(read_end)
        self.process = subprocess.Popen([perf, 'kmem', *arguments, '-i', '-'], stdin=read_end,
                                        stdout=subprocess.PIPE, stderr=stderr)
        os.close(read_end)

    def feed(self, data):
        """Returns when perf has read all of it from the pipe."""
        while data:
            data = data[os.write(self.pipe, data):]
        wait_until(lambda: left_in(self.read_end) == 0 or self.process.poll() is not None,
                   'perf reads its pipe')

    def signal(self, number):
        self.process.send_signal(number)

    def finish(self, close=True):
        if close:
            os.close(self.pipe)
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out.decode(), (err or b'').decode()


def of_the_first_half(*arguments):
    """The report of a pipe that ends there."""
    done = subprocess.run([perf, 'kmem', *arguments, '-i', '-'], input=stream[:half],
                          capture_output=True, check=False)
    assert done.returncode == 3, done
    return done.stdout.decode()


def interrupt(name, jobs):
    """The report of the events before the signal, marked as partial; the status is the signal's."""
    number = getattr(signal, name)
    what = ['stat', '--slab', '--page', '--caller', '--format=json', '-j', jobs]
    reader = Reader(*what)
    reader.feed(stream[:half])
    reader.signal(number)
    status, out, err = reader.finish(close=False)
    print(status, err)
    report, wanted = json.loads(out), json.loads(of_the_first_half(*what))
    assert status == 128 + number, status
    assert report['recording']['truncated'] is True
    for part in 'slab', 'page':
        assert report[part] == wanted[part], part
    assert report['slab']['summary']['allocations'] > 10
    stopped = [line for line in err.splitlines() if 'stopped' in line]
    assert len(stopped) == 1 and 'stopped at' in err and 'last event at' in err, err


def interrupt_text():
    for command in 'stat', 'leak':
        reader = Reader(command, '--slab')
        reader.feed(stream[:half])
        reader.signal(signal.SIGINT)
        status, out, err = reader.finish(close=False)
        print(status, out[:200], err)
        assert status == 130 and 'PARTIAL REPORT' in out.split('SUMMARY')[0], command


def interrupt_nothing():
    """Before there is anything to report: one line, and no report."""
    for data in b'', stream[:100]:
        reader = Reader('stat')
        reader.feed(data)
        time.sleep(0.5)  # it is up, and has caught the signal
        reader.signal(signal.SIGINT)
        status, out, err = reader.finish(close=False)
        print(status, out, err)
        assert status in (130, -signal.SIGINT) and out == ''
        assert status != 130 or 'stopped before' in err


def interrupt_twice():
    """The second signal ends it at once: here it waits for its report to be read."""
    reader = Reader('stat', '--slab', '--format=json', *['--by=ptr'] * 3, '--alloc', '--caller')
    F_SETPIPE_SZ = 1031
    fcntl.fcntl(reader.process.stdout.fileno(), F_SETPIPE_SZ, 4096)
    reader.feed(stream[:half])
    reader.signal(signal.SIGINT)
    wait_until(lambda: left_in(reader.process.stdout.fileno()) > 0, 'the report begins')
    reader.signal(signal.SIGINT)
    status, _, err = reader.finish(close=False)
    print(status, err)
    assert status == -signal.SIGINT, status


def on_terminal(*arguments):
    """Half of the stream, a pause long enough for progress to be shown, the rest; stderr: a terminal."""
    master, terminal = pty.openpty()
    reader = Reader(*arguments, stderr=terminal)
    os.close(terminal)
    reader.feed(stream[:half])
    time.sleep(2)
    reader.feed(stream[half:])
    status, out, _ = reader.finish()
    said = b''
    while True:
        try:
            more = os.read(master, 65536)
        except OSError:  # the terminal's other end is closed
            more = b''
        if not more:
            break
        said += more
    print(status, said)
    assert status == 0 and 'SUMMARY' in out
    return said.decode()


def progress():
    """It is shown on a terminal, and nothing is left of it when the report comes."""
    said = on_terminal('stat')
    lines = said.split('\r')
    assert len(lines) > 2 and ' events/s ]' in lines[1], said
    # the recording is of another kernel, so a warning follows
    wiped, warning = said.rsplit(' ]\033[K\r\033[K', 1)
    assert '\n' not in wiped and warning.startswith('perf: warning: call sites') and '\r' not in warning.strip(), said
    assert '%' not in said  # nobody knows how long a pipe is


def progress_quiet():
    assert on_terminal('stat', '-q') == ''


def progress_piped():
    reader = Reader('stat')
    reader.feed(stream[:half])
    time.sleep(2)
    reader.feed(stream[half:])
    status, out, err = reader.finish()
    print(status, err)
    assert status == 0 and 'events/s' not in err and '\r' not in err and 'SUMMARY' in out


signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
# a shell's background jobs ignore it, and perf would inherit that
signal.signal(signal.SIGINT, signal.SIG_DFL)
globals()[question.replace('-', '_')](*arguments)
