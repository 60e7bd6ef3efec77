#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The answers of a server to --debuginfod: names and lines, or one line that says why not.

usage: debuginfod.py PERF DATA SCRATCH CASE | debuginfod.py --list

The server is here, and has the program of the recording user-stacks.perf, or something else.
"""
import http.server
import os
import socket
import subprocess
import sys
import threading
import time

import elf

BUILD_ID = elf.BUILD_ID
PROGRAM = '/tmp/golden-user/golden'  # as the recording names it
PERF = DATA = SCRATCH = None
COMMANDS = (('kmem', 'stat', '--by', 'usym,usrcline', '--comm', 'golden'),
            ('script', '--comms', 'golden', '-F', 'ip,sym,dso'), ('report', '--sort', 'sym', '--comms', 'golden'),
            ('annotate', '-l', '-s', 'once'))
LINES = ('kmem', 'annotate')  # which print lines, too


class Server:
    """Serves these paths below /buildid/ID; an answer is bytes, or a function that is given the request."""

    def __init__(self, build_id=BUILD_ID, **answers):
        self.asked = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked.append(self.path)
                name = self.path.rpartition('/')[2]
                answer = answers.get(name) if self.path == f'/buildid/{build_id}/{name}' else None
                if callable(answer):
                    answer(self)
                elif answer is None:
                    self.send_error(404)
                else:
                    send(self, answer, len(answer))

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.http.daemon_threads = True
        self.url = f'http://127.0.0.1:{self.http.server_address[1]}'
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()


def send(request, data, length):
    request.send_response(200)
    request.send_header('Content-Type', 'application/octet-stream')
    request.send_header('Content-Length', str(length))
    request.end_headers()
    request.wfile.write(data)


def never(request):
    time.sleep(30)
    request.close_connection = True


def slowly(request):
    send(request, elf.program().bytes()[:100], 100000)
    for _ in range(30):
        time.sleep(1)
        try:
            request.wfile.write(b'x')
        except OSError:
            break


def cut_off(request):
    data = elf.program().bytes()
    send(request, data[:1000], len(data))
    request.close_connection = True


def whole():
    return elf.program().bytes()


def stripped():
    p = elf.program()
    p['.symtab'].update(type=1)
    p['.debug_info'].update(name=p['.comment']['name'])
    return p.bytes()


def another():
    p = elf.program()
    p.data[p['.note.gnu.build-id']['offset'] + 16] ^= 1
    return p.bytes()


def perf(command, *options, want=0, **env):
    """The output, without files kept from earlier."""
    environment = dict(os.environ, HOME=SCRATCH, DEBUGINFOD_CACHE_PATH=f'{SCRATCH}/cache', no_proxy='127.0.0.1',
                       **env)
    if 'DEBUGINFOD_URLS' not in env:
        environment.pop('DEBUGINFOD_URLS', None)
    done = subprocess.run([PERF, *command, '-i', f'{DATA}/user-stacks.perf', *options], stdin=subprocess.DEVNULL,
                          capture_output=True, check=False, env=environment, timeout=60)
    err = done.stderr.decode()
    assert done.returncode == want, f'{command}: status {done.returncode}: {err}'
    return done.stdout.decode(), err


def forget():
    subprocess.run(['rm', '-rf', f'{SCRATCH}/cache', f'{SCRATCH}/.debug'], check=True)


def said(err):
    return [line for line in err.splitlines() if 'debuginfod' in line]


def expect_names(command, text):
    assert 'once' in text, f'{command}: {text}'
    assert command[0] not in LINES or 'golden.c:' in text, f'{command}: {text}'


def expect_none(command, server, line, *options, **env):
    """No name, one line that says why, and the rest of the report."""
    want = 1 if command[0] == 'annotate' else 0  # there is nothing left to print
    text, err = perf(command, f'--debuginfod={server}', *options, want=want, **env)
    assert 'once' not in text, f'{command}: {text}'
    assert want or len(text) > 200, f'{command}: {text}'
    lines = said(err)
    if os.environ.get('VERBOSE'):
        print(err, file=sys.stderr)
    assert len(lines) == 1 and line in lines[0], f'{command}: {err}'
    forget()


# ---- cases --------------------------------------------------------------------------------


def both_files():
    """A stripped program, and its debug file."""
    server = Server(executable=stripped(), debuginfo=whole())
    for command in COMMANDS:
        text, err = perf(command, f'--debuginfod={server.url}')
        expect_names(command, text)
        assert not said(err), err
        assert sorted(server.asked) == [f'/buildid/{BUILD_ID}/debuginfo', f'/buildid/{BUILD_ID}/executable'], server.asked
        # what was received is kept
        expect_names(command, perf(command, f'--debuginfod={server.url}')[0])
        assert len(server.asked) == 2, server.asked
        server.asked.clear()
        forget()
        # the variable names the servers, if they are asked
        expect_names(command, perf(command, '--debuginfod', DEBUGINFOD_URLS=server.url)[0])
        server.asked.clear()
        forget()
    server.close()


def only_when_asked():
    """The variable alone does not cause any request."""
    server = Server(executable=stripped(), debuginfo=whole())
    for command in COMMANDS:
        want = 1 if command[0] == 'annotate' else 0
        text, err = perf(command, want=want, DEBUGINFOD_URLS=server.url)
        assert 'once' not in text and not said(err) and not server.asked, f'{command}: {text}{err}{server.asked}'
        perf(command, '--debuginfod', '--no-debuginfod', want=want, DEBUGINFOD_URLS=server.url)
        assert not server.asked, f'{command}: {server.asked}'
    server.close()


def debug_file():
    """The program is here, stripped."""
    server = Server(debuginfo=whole())
    with open(elf.place(), 'wb') as stream:
        stream.write(stripped())
    for command in COMMANDS:
        expect_names(command, perf(command, f'--debuginfod={server.url}')[0])
        assert server.asked == [f'/buildid/{BUILD_ID}/debuginfo'], server.asked
        server.asked.clear()
        subprocess.run(['rm', '-rf', f'{SCRATCH}/cache'], check=True)
    server.close()


def nothing():
    server = Server()
    for command in COMMANDS:
        expect_none(command, server.url, "no server has sent '")
    server.close()


def no_server():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        for command in COMMANDS:
            expect_none(command, f'http://127.0.0.1:{s.getsockname()[1]}', 'Connection refused: the server is not asked again')


def wrong_files():
    for content in another(), b'<html>Not here', bytes(1 << 20):
        server = Server(executable=content)
        for command in COMMANDS:
            expect_none(command, server.url, 'is another file')
        server.close()
    server = Server(executable=another())
    perf(COMMANDS[0], f'--debuginfod={server.url}')
    server.close()
    # it has not been kept
    server = Server(executable=whole())
    expect_names(COMMANDS[0], perf(COMMANDS[0], f'--debuginfod={server.url}')[0])
    server.close()


def cut_files():
    server = Server(executable=cut_off)
    for command in COMMANDS:
        expect_none(command, server.url, "no server has sent '")
    server.close()


def slow_server():
    for answer in never, slowly:
        server = Server(executable=answer)
        begun = time.monotonic()
        expect_none(COMMANDS[0], server.url, 'the server is too slow (DEBUGINFOD_TIMEOUT is 1 s): it is not asked again',
                    DEBUGINFOD_TIMEOUT='1')
        assert time.monotonic() - begun < 10
        server.close()


def no_path():
    """The library has no memory left for the path: what was looked at before is not removed for that."""
    library = f'{SCRATCH}/pathless'
    os.mkdir(library)
    subprocess.run(('cc', '-shared', '-fPIC', '-x', 'c', '-', '-o', f'{library}/libdebuginfod.so.1'), check=True, text=True,
                   input="""#include <fcntl.h>
void *debuginfod_begin(void) { static int client; return &client; }
void debuginfod_end(void *client) { (void)client; }
int debuginfod_find_executable(void) { return open("/dev/null", O_RDONLY); }
int debuginfod_find_debuginfo(void) { return open("/dev/null", O_RDONLY); }
""")
    theirs = f'{SCRATCH}/root{PROGRAM}'
    os.makedirs(os.path.dirname(theirs))
    with open(theirs, 'wb') as f:
        f.write(another())
    perf(('annotate',), '--symfs', f'{SCRATCH}/root', '--debuginfod=http://127.0.0.1:1', want=1, LD_LIBRARY_PATH=library)
    assert os.path.exists(theirs)


def configured():
    """The configuration names the servers, unless an option does, or says that none is asked."""
    server, config = Server(executable=stripped(), debuginfo=whole()), f'{SCRATCH}/config'
    for value, urls in (server.url, {}), ('system', {'DEBUGINFOD_URLS': server.url}):
        env = {'PERF_CONFIG': config, **urls}
        with open(config, 'w', encoding='utf-8') as stream:
            stream.write(f'[buildid-cache]\n\tdebuginfod = {value}\n')
        for command in COMMANDS:
            expect_names(command, perf(command, **env)[0])
            assert len(server.asked) == 2, server.asked
            server.asked.clear()
            forget()
            perf(command, '--no-debuginfod', want=1 if command[0] == 'annotate' else 0, **env)
            assert not server.asked, f'{command}: {server.asked}'
            expect_none(command, 'http://127.0.0.1:1', 'is not asked again', **env)
            assert not server.asked, f'{command}: {server.asked}'
    server.close()
    # without the variable, or without the library, the report is printed nonetheless
    os.mkdir(f'{SCRATCH}/lib')
    with open(f'{SCRATCH}/lib/libdebuginfod.so.1', 'wb'):
        pass
    for env, line in ({}, 'which server?'), ({'DEBUGINFOD_URLS': 'http://127.0.0.1:1', 'LD_LIBRARY_PATH': f'{SCRATCH}/lib'},
                                             'cannot be loaded'):
        text, err = perf(COMMANDS[0], PERF_CONFIG=config, **env)
        assert len(text) > 200 and len(said(err)) == 1 and line in said(err)[0], err


def usage():
    """No server is named, or the library is not one."""
    for command in COMMANDS:
        text, err = perf(command, '--debuginfod', want=129)
        assert not text and err.count('\n') == 1 and 'Name its URL, or set DEBUGINFOD_URLS' in err, err
    os.mkdir(f'{SCRATCH}/lib')
    with open(f'{SCRATCH}/lib/libdebuginfod.so.1', 'wb'):
        pass
    text, err = perf(COMMANDS[0], '--debuginfod=http://127.0.0.1:1', want=129, LD_LIBRARY_PATH=f'{SCRATCH}/lib')
    assert not text and err.count('\n') == 1 and 'libdebuginfod.so.1 (package libdebuginfod1) cannot be loaded' in err, err


CASES = {function.__name__.replace('_', '-'): function for function in (
    both_files, only_when_asked, debug_file, nothing, no_server, wrong_files, cut_files, slow_server, configured, no_path,
    usage)}


def main():
    global PERF, DATA, SCRATCH
    if sys.argv[1] == '--list':
        print('\n'.join(CASES))
        return
    PERF, DATA, SCRATCH = elf.PERF, elf.DATA, elf.SCRATCH = sys.argv[1:4]
    CASES[sys.argv[4]]()


if __name__ == '__main__':
    main()
