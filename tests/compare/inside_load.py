#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A load for the inside of the page allocator, gone when it ends.

usage: inside_load.py run DIRECTORY     the load
       inside_load.py hold              before it: take the pages that lie free for what cannot
                                        move, at most 3 GiB, print "ready", wait for the end of stdin

Pipe buffers cannot move: with none free for them, they fall back to other migrate types.  They
are filled on one CPU and emptied on another, so that pages wander; page cache is dropped in
batches; then the kernel has the time to shrink the per-CPU lists that have grown.
"""
import fcntl
import os
import resource
import sys
import time

F_SETPIPE_SZ = 1031
MIB = 1 << 20
LOAD_MIB = 96
HOLD_MIB = 3072
LEFT_MIB = 8
DECAY_SECONDS = 3


def available_mib():
    with open('/proc/meminfo') as f:
        return next(int(line.split()[1]) >> 10 for line in f if line.startswith('MemAvailable'))


def free_unmovable_mib():
    """In zone Normal; the lines of the first table have one number per order."""
    pages = 0
    with open('/proc/pagetypeinfo') as f:
        for line in f:
            if 'Normal, type    Unmovable' in line:
                pages += sum(int(n.strip('>')) << order
                             for order, n in enumerate(line.split('Unmovable')[1].split()))
            if line.startswith('Number of blocks'):
                break
    return pages * os.sysconf('SC_PAGESIZE') // MIB


def fill_pipe():
    pipe = os.pipe()
    os.write(pipe[1], b'x' * fcntl.fcntl(pipe[1], F_SETPIPE_SZ, MIB))
    return pipe


def fill_pipes(count):
    return [fill_pipe() for _ in range(min(count, available_mib() // 4))]


def empty_elsewhere(pipes, cpu):
    child = os.fork()
    if not child:
        os.sched_setaffinity(0, {cpu})
        for read_end, _ in pipes:
            os.read(read_end, MIB)
        os._exit(0)
    os.waitpid(child, 0)


def page_cache(directory):
    path = os.path.join(directory, 'page-cache')
    for _ in range(3):
        with open(path, 'wb') as f:
            for _ in range(16):
                f.write(b'y' * MIB)
        os.unlink(path)


def run(directory):
    cpus = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cpus[0]})
    pipes = fill_pipes(LOAD_MIB)
    empty_elsewhere(pipes[:len(pipes) // 2], cpus[-1])
    page_cache(directory)
    time.sleep(DECAY_SECONDS)


def hold():
    held = []
    while len(held) < HOLD_MIB and free_unmovable_mib() > LEFT_MIB:
        more = fill_pipes(min(16, free_unmovable_mib()))
        if not more:
            break
        held += more
    print('ready', flush=True)
    sys.stdin.read()


def main():
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if sys.argv[1] == 'hold':
        hold()
    else:
        run(sys.argv[2])


main()
