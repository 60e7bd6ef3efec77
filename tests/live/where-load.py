#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds memory of one kind until standard input ends.

usage: where-load.py tmpfs|sockets|pipes|bpf MEBIBYTES

Prints the number of bytes that it holds, once it does.
"""
import ctypes
import os
import platform
import resource
import socket
import struct
import sys

MIB = 1 << 20
SO_SNDBUFFORCE = 32


def tmpfs(size):
    """A file without a name, which stays open."""
    path = f'/dev/shm/where-load-{os.getpid()}'
    fd = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    os.unlink(path)
    for _ in range(size // MIB):
        os.write(fd, bytes(MIB))
    return size, [fd]


def sockets(size):
    """Messages that nobody receives. Each has 16 KiB of large kmalloc, the rest are pages (net/core/sock.c:
    sock_alloc_send_pskb())."""
    pairs = []
    for _ in range(size // (64 << 10)):
        pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        pair[0].setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, MIB)
        pair[0].send(bytes((64 << 10) - 1024))
        pairs.append(pair)
    return size, pairs


def pipes(size):
    """Full pipes: each page of a pipe's buffer is a page that nothing counts."""
    pairs = []
    for _ in range(size // (64 << 10)):
        pair = os.pipe()
        os.write(pair[1], bytes(64 << 10))
        pairs.append(pair)
    return size, pairs


def bpf(size):
    """An array map, which vmalloc() makes: BPF_MAP_CREATE of type BPF_MAP_TYPE_ARRAY."""
    number = {'x86_64': 321, 'aarch64': 280}[platform.machine()]
    attr = ctypes.create_string_buffer(struct.pack('IIIIIII16s', 2, 4, 4096, size // 4096, 0, 0, 0, b'where_load'), 128)
    fd = ctypes.CDLL(None, use_errno=True).syscall(number, 0, attr, len(attr))
    if fd < 0:
        sys.exit(f'BPF_MAP_CREATE: {os.strerror(ctypes.get_errno())}')
    return size, [fd]


limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
held, objects = {'tmpfs': tmpfs, 'sockets': sockets, 'pipes': pipes, 'bpf': bpf}[sys.argv[1]](int(sys.argv[2]) * MIB)
print(held, flush=True)
sys.stdin.read()
