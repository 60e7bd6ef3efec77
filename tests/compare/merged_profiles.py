#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles of many hosts, merged by 'go tool pprof', are as large as those of the kernels that the hosts run.

usage: merged_profiles.py PERF RECORDING KALLSYMS DIRECTORY [HOSTS]

Each host has the recording's events, with the kernel at another address (KASLR) and, on every second host, with
another build-id.  The merged profile has each location once for each kernel, and each function once: its
values are those of one host times the number of hosts.
"""
import gzip
import re
import subprocess
import sys

PERF, RECORDING, KALLSYMS, DIRECTORY = sys.argv[1:5]
HOSTS = int(sys.argv[5]) if len(sys.argv) > 5 else 200
KASLR_ALIGN = 2 << 20
OTHER_ID = bytes(range(20))


def kernel_range():
    with open(KALLSYMS, encoding='ascii') as lines:
        found = {line.split()[2]: int(line.split()[0], 16) for line in lines}
    return found['_text'], found['_etext']


def moved(data, start, end, by):
    """The recording with all addresses of the kernel moved. They are little-endian."""
    def move(match):
        address = int.from_bytes(match[0], 'little')
        return (address + by if start <= address <= end else address).to_bytes(8, 'little')
    return re.sub(rb'(?s)...[\x81-\xbf]\xff{4}', move, data)


def pprof(*arguments):
    return subprocess.run(['go', 'tool', 'pprof', *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=True, encoding='utf-8').stdout


def profile(host, data):
    path, out = f'{DIRECTORY}/host.data', f'{DIRECTORY}/host-{host}.pb.gz'
    with open(path, 'wb') as file:
        file.write(data)
    subprocess.run([PERF, 'kmem', 'stat', '-i', path, '-f', '--kallsyms', KALLSYMS, '--format', 'pprof', '-o', out],
                   stderr=subprocess.PIPE, check=True)
    return out


def section(raw, name):
    """The lines of a section of pprof -raw, without its title."""
    return re.search(rf'(?ms)^{name}\n(.*?)(?=^[A-Z]\w+:?$|\Z)', raw)[1].splitlines()


def top(path, sample, unit):
    """{function: value}"""
    text = pprof('-top', '-nodecount=1000000', '-nodefraction=0', f'-unit={unit}', f'-sample_index={sample}', path)
    rows = re.findall(r'(?m)^ *(-?[0-9]+)(?:B|count)? +\S+% +\S+% +\S+ +\S+% +(.*)$', text)
    return {name: int(value) for value, name in rows}


def main():
    start, end = kernel_range()
    with open(RECORDING, 'rb') as file:
        data = file.read()
    build_id = subprocess.run([PERF, 'buildid-list', '-i', RECORDING], stdout=subprocess.PIPE, check=True,
                              encoding='ascii').stdout.split()[0]
    other = data.replace(bytes.fromhex(build_id), OTHER_ID)
    assert other != data
    paths = [profile(i, moved((data, other)[i % 2], start, end, i * KASLR_ALIGN)) for i in range(HOSTS)]
    merged = f'{DIRECTORY}/merged.pb.gz'
    pprof('-proto', '-output', merged, *paths)
    one, many = (pprof('-raw', path) for path in (paths[0], merged))
    maps = section(many, 'Mappings')
    assert len(maps) == 2 and build_id in ''.join(maps) and OTHER_ID.hex() in ''.join(maps), maps
    # locations without an address, such as caches, are those of both kernels
    with_address = sum(' M=1 ' in line for line in section(one, 'Locations'))
    wanted = len(section(one, 'Locations')) + with_address
    assert len(section(many, 'Locations')) == wanted, (wanted, len(section(many, 'Locations')))
    for sample in ('alloc_space', 'alloc_objects', 'inuse_space', 'inuse_objects'):
        unit = 'B' if sample.endswith('space') else 'count'
        single, all_hosts = (top(path, sample, unit) for path in (paths[0], merged))
        assert single and all_hosts == {name: value * HOSTS for name, value in single.items()}, sample
    with open(paths[0], 'rb') as a, open(merged, 'rb') as b:
        sizes = [len(gzip.decompress(file.read())) for file in (a, b)]
    assert sizes[1] < 3 * sizes[0], sizes
    print(f'ok {HOSTS} hosts: {sizes[0]} bytes a host, {sizes[1]} merged, {wanted} locations')


main()
