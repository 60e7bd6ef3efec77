# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs perf kmem top on a terminal of its own, presses keys and looks at what it shows.

    top.py PERF KNOWN_LOAD N

The output to the terminal is searched as it comes: nothing here knows where on the screen it goes.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

perf, load, n = sys.argv[1:]


class Terminal:
    def __init__(self, lines, columns, environment, *command):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.environ.update(environment)
            os.execv(command[0], command)
        self.resize(lines, columns)
        self.text = ''

    def resize(self, lines, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', lines, columns, 0, 0))

    def read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            self.text += os.read(self.fd, 65536).decode(errors='replace')
        except OSError:
            return False
        return True

    def expect(self, pattern, seconds=10):
        """On the screen: it is drawn again (Ctrl-L), as only what changes comes otherwise."""
        until, again = time.monotonic() + seconds, time.monotonic() + 0.5
        while not re.search(pattern, self.text):
            if time.monotonic() > until:
                raise SystemExit(f'{pattern!r} was not shown in {seconds} s; the last: {self.text[-1500:]!r}')
            if time.monotonic() > again:
                again += 1
                os.write(self.fd, b'\x0c')
            self.read(0.1)

    def press(self, keys):
        self.text = ''
        os.write(self.fd, keys.encode())

    def end(self, seconds=10):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        raise SystemExit('it does not end')


PLAIN = {'TERM': 'xterm', 'LC_ALL': 'C.UTF-8'}


def keys():
    t = Terminal(24, 80, PLAIN, perf, 'kmem', 'top', '-d', '500ms')
    t.expect('slab by callsite')
    t.expect('allocated [0-9]')
    with subprocess.Popen([load, 'pipes', n, 'keep'], stdin=sys.stdin, stdout=subprocess.DEVNULL) as p:
        p.wait()
    # the objects of a known allocator, by its name
    t.press('/alloc_pipe_inf')
    t.expect(r'filter: alloc_pipe_inf')
    t.press('\r')
    t.press('S')
    t.expect('Behaviour v')
    t.expect(r'alloc_pipe_info\+.*(leaking|growing|plateau|transient)')
    t.press('t')
    t.expect(r'since the start')
    t.expect(r'alloc_pipe_info\+')
    t.press('\r')
    t.expect(os.environ['KNOWN_HOLDER'])
    t.press('\x1b')
    t.expect('callsite')
    t.press('\x1b')
    t.press('g')
    t.expect('cache')
    t.press('?')
    t.expect('the next allocator')
    t.press('\x1b')
    t.press(' ')
    t.expect('PAUSED')
    t.press(' ')
    t.resize(50, 200)
    t.text = ''
    t.expect('Frees/s|Freed')
    t.press('q')
    return t.end()


def stacks():
    """A row's details have the call stacks of the kernel, and those of the program that made it allocate."""
    t = Terminal(90, 100, PLAIN, perf, 'kmem', 'top', '-g', '-d', '500ms', '--comm', os.environ['KNOWN_HOLDER'])
    t.expect('slab by callsite')
    t.expect('allocated [0-9]')
    with subprocess.Popen([load, 'pipes', n, 'keep'], stdin=sys.stdin, stdout=subprocess.DEVNULL) as p:
        p.wait()
    t.press('/alloc_pipe_inf\r')
    t.expect(r'filter: alloc_pipe_inf  .[1-9]')
    t.press('\r')
    t.expect(r'(?s)call stacks\b.*alloc_pipe_info\+.*do_pipe2\+')
    t.expect(r'(?s)call stacks of programs.*open_pipes\+[0-9a-f]+ .known-load.*main\+')
    # they are also a grouping, the last one
    t.press('\x1b\x1bG')
    t.expect('slab by ustack')
    t.press('q')
    return t.end()


def down(line, column):
    """The first button goes down, as an SGR mouse report."""
    return f'\x1b[<0;{column};{line}M'


def up(line, column):
    return f'\x1b[<0;{column};{line}m'


def click(line, column):
    return down(line, column) + up(line, column)


def mouse():
    """A click on a heading sorts by it, and on a row chooses it; the wheel moves the choice."""
    with subprocess.Popen(['sh', '-c', 'while :; do /bin/true; done']) as busy:  # an idle machine has no rows
        try:
            return mouse_on(Terminal(24, 80, PLAIN, perf, 'kmem', 'top', '-d', '300ms'))
        finally:
            busy.kill()


def mouse_on(t):
    t.expect('allocated [0-9]')
    t.expect('Bytes/s v')
    t.press(click(5, 52))  # the heading of "Live"
    t.expect('Live v')
    t.press(click(5, 52))
    t.expect(r'Live \^')
    for event in down, up:  # it goes on, whatever it is that came last
        t.press(event(5, 52))
        time.sleep(0.5)
        while t.read(0):
            pass
        t.text = ''
        t.read(5)
        if not t.text:
            raise SystemExit(f'nothing is drawn after the button goes {event.__name__}')
    t.expect('Live v')
    t.press(click(5, 52))
    t.expect(r'Live \^')
    t.press('\x1b[<65;3;10M')  # the wheel chooses a row, and enter shows its details
    t.press('\r')
    t.expect('escape')
    t.press('\x1b')
    t.expect(r'Live \^')
    t.press(' ')
    t.expect('PAUSED')
    t.press(click(9, 3) + click(6, 3) * 2)  # a row, and the first row twice: its details
    t.expect('escape')
    t.press('q')
    return t.end()


def no_colour():
    """NO_COLOR: nothing sets a colour; and without UTF-8 only ASCII. A sparkline is left out, not cut."""
    t = Terminal(24, 70, {'TERM': 'xterm-256color', 'NO_COLOR': '1', 'LC_ALL': 'C'}, perf, 'kmem', 'top', '-d', '300ms', '-n', '3')
    status = t.end()
    coloured = re.findall(r'\x1b\[[0-9;]*[34][0-7]m', t.text)
    if coloured or not t.text.isascii():
        raise SystemExit(f'colours {coloured[:3]}, or not ASCII')
    if 'slab by callsite' not in t.text:
        raise SystemExit('nothing was shown')
    cut = re.search(r'\[[^\]]{0,16}~', re.sub(r'\x1b[\[(][0-9;?]*[A-Za-z]', '', t.text))
    if cut:
        raise SystemExit(f'the sparkline is cut: {cut.group()!r}')
    return status


def interrupted():
    """Ctrl-C gives the terminal back."""
    t = Terminal(24, 80, PLAIN, perf, 'kmem', 'top', '-d', '500ms')
    t.expect('allocated [0-9]')  # before the first figures ncurses ends the program, with 1
    t.press('\x03')
    status = t.end()
    if '\x1b[?1049l' not in t.text:
        raise SystemExit('the screen was left as it was')
    return status


def stopped():
    """A terminal that takes no output does not stop the counting: the last line says that nothing was lost."""
    t = Terminal(24, 80, PLAIN, perf, 'kmem', 'top', '-d', '200ms')
    t.expect('slab by callsite')
    time.sleep(3)  # nobody reads what it draws
    t.text = ''
    t.expect('0:0[0-9]:(0[3-9]|[1-5][0-9])')
    t.press('q')
    return t.end()


def unknown_terminal():
    """A terminal that ncurses does not know gets text, and one line says so."""
    t = Terminal(24, 80, {**PLAIN, 'TERM': 'bogus'}, perf, 'kmem', 'top', '-d', '200ms', '-n', '2', '-l', '3')
    status = t.end()
    if len(re.findall("the terminal 'bogus' is not known here .TERM.: printing text instead", t.text)) != 1:
        raise SystemExit(f'no line, or several, on the terminal: {t.text!r}')
    if 'interval 2' not in t.text or '\x1b[?1049h' in t.text:
        raise SystemExit(f'no text was printed: {t.text!r}')
    return status


def kept():
    """W keeps how the screen looks, for the next screen only; options precede it."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**PLAIN, 'HOME': home, 'PERF_CONFIG': ''}
        t = Terminal(24, 100, environment, perf, 'kmem', 'top', '-d', '200ms')
        t.expect('slab by callsite')
        t.press('3tr/ a\nW')
        t.expect('settings kept in ' + home)
        t.press('q')
        status = t.end()
        with open(home + '/.perfconfig', encoding='ascii') as f:
            print(f.read())
        t = Terminal(24, 100, environment, perf, 'kmem', 'top', '-d', '200ms')
        t.expect('slab by comm, since the start')
        t.expect(r'Bytes \^')
        t.expect('filter:  a ')
        t.press('q')
        status = status or t.end()
        t = Terminal(24, 100, environment, perf, 'kmem', 'top', '-d', '200ms', '--by', 'pid', '-s', 'live')
        t.expect('slab by pid')
        t.expect('Live v')
        t.press('q')
        return status or t.end()


for check in (keys, stacks, mouse, kept, no_colour, unknown_terminal, interrupted, stopped):
    result = check()
    print(check.__name__, result, flush=True)
    if result:
        sys.exit(1)
