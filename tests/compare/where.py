#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The balance of `perf kmem where`, added up anew from a snapshot's texts (Documentation/figures.md).

usage: where.py PERF SNAPSHOT...

Each line of each snapshot, that the lines below a line add up to it, and for each pair of
neighbours the changes.  Prints "N figures, N differ"; exit 1 when any differs.
"""
import collections
import io
import json
import re
import subprocess
import sys
import tarfile

STACKS = re.compile(r'(alloc_thread_stack_node|dup_task_struct|copy_process|kernel_clone|_do_fork|fork_idle|create_io_thread'
                    r'|vhost_task_create|kernel_thread|user_mode_thread)(\.|$)')
figures = differ = 0


def same(what, want, got):
    global figures, differ
    figures += 1
    if want != got:
        differ += 1
        print(f'{what}: {got}, recomputed {want}')


def where(perf, *words):
    command = [perf, 'kmem', 'where', *words, '--format=json']
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


class Texts:
    """The texts of a snapshot, and the numbers in them, in bytes."""

    def __init__(self, path):
        plain = subprocess.run(['zstd', '-dcqf', path], stdout=subprocess.PIPE, check=True).stdout  # as it is, if not packed
        with tarfile.open(fileobj=io.BytesIO(plain)) as tar:
            self.files = {member.name.split('/')[-1]: tar.extractfile(member).read().decode(errors='replace')
                          for member in tar if member.isfile()}
        self.page = int(re.search(r'^page_size: (\d+)', self.files['info'], re.M)[1])
        told = re.search(r'^reclaimable_caches: (.*)', self.files['info'], re.M)
        self.reclaimable = set(told[1].split('/')) if told else set()
        self.meminfo = collections.Counter({name: int(kib) * 1024 for name, kib in
                                            re.findall(r'^(\S+): +(\d+) kB$', self.files['meminfo'], re.M)})
        vmstat = dict(line.split() for line in self.files['vmstat'].splitlines())
        self.pages = lambda name: int(vmstat.get(name, 0)) * self.page

    def slab(self):
        """(cache, bytes)"""
        for line in self.files['slabinfo'].splitlines()[2:]:
            head, _, slabs = line.split(' : ')
            words = head.split()
            yield words[0], int(words[5]) * int(slabs.split()[2]) * self.page

    def areas(self):
        """(caller, kind, bytes) of areas that own pages."""
        for line in self.files['vmallocinfo'].splitlines():
            match = re.match(r'\S+ +\d+ (\S+?)(?:\+0x\S+)?( \[[^]]*\])? .*?\bpages=(\d+) (\w+)', line)
            if match:
                yield match[1] + (match[2] or ''), match[4], int(match[3]) * self.page

    def zones(self):
        """Bytes by zone, 'lists' for those in lists of CPUs, and 'outside' for those in no zone."""
        sums, zone, managed = collections.Counter(), None, 0
        for line in self.files['zoneinfo'].splitlines():
            match = re.match(r'Node +(\d+), zone +(\S+)', line)
            words = line.split()
            if match:
                zone = f'node {match[1]}, {match[2]}'
            elif words[:2] == ['pages', 'free']:
                sums[zone] += int(words[2]) * self.page
            elif words[:1] == ['count:']:
                sums['lists'] += int(words[1]) * self.page
            elif words[:1] == ['managed']:
                managed += int(words[1]) * self.page
        outside = self.meminfo['MemTotal'] - managed
        if managed and 0 < outside <= self.meminfo['MemFree']:
            sums['outside'] = outside
        return sums

    def held(self, kind):
        """[fields] of the lines of this kind in our list of holders."""
        return [dict(re.findall(r'(\w+)=(\S+)', line)) | {'line': line}
                for line in self.files.get('holders', '').splitlines() if line.split(' ')[0] == kind]


def balance(texts):
    """Path -> bytes."""
    m, lines = texts.meminfo, collections.Counter()
    lru = sum(m[f'{state}({of})'] for state in ('Active', 'Inactive') for of in ('anon', 'file')) + m['Unevictable']
    lru += texts.pages('nr_isolated_anon') + texts.pages('nr_isolated_file')
    lines['user/anon'] = m['AnonPages']
    lines['user/buffers'] = m['Buffers']
    lines['user/page_cache'] = m['Cached'] - m['Shmem']
    lines['user/swap_cache'] = min(max(lru - m['Cached'] - m['Buffers'] - m['AnonPages'], 0), m['SwapCached'])
    lines['user/shmem'] = m['Shmem']
    for name, size in texts.slab():
        lines[f"slab/{'' if name in texts.reclaimable else 'un'}reclaimable/{name}"] += size
    lines['slab/reclaimable'], lines['slab/unreclaimable'] = m['SReclaimable'], m['SUnreclaim']
    stacks = put = 0
    for caller, kind, size in texts.areas():
        if kind == 'vmalloc' and STACKS.match(caller):
            stacks += size
        elif kind in ('vmalloc', 'vmap'):
            lines[f'vmalloc/{caller}'] += size
            put += size if kind == 'vmap' else 0
    lines['vmalloc'] = m['VmallocUsed'] + put - min(stacks, m['KernelStack'])
    lines['vmalloc/free_stacks'] = max(stacks - m['KernelStack'], 0)
    for zone, size in texts.zones().items():
        lines[f'free/{zone}'] += size
    lines['kernel_stacks'] = m['KernelStack']
    lines['page_tables'] = m['PageTables'] + m['SecPageTables']
    lines['percpu'] = m['Percpu'] - sum(int(held['bytes']) for held in texts.held('percpu_first'))
    lines['hugetlb'] = m['Hugetlb']
    lines['compressed'] = max(m['Zswap'], texts.pages('nr_zspages'))
    lines['reclaimable'] = m['KReclaimable'] - m['SReclaimable']
    lines['io_copies'] = m['Bounce'] + m['WritebackTmp']
    lines['gpu'] = m['GPUActive'] + m['GPUReclaim']
    lines['corrupted'] = m['HardwareCorrupted']
    for part in 'user', 'slab', 'free':
        lines[part] = sum(size for path, size in lines.items() if re.fullmatch(part + '/[^/]*', path))
    lines['unaccounted'] = m['MemTotal'] - sum(size for path, size in lines.items() if '/' not in path)
    return lines


def adds_up(what, lines):
    """Each line is the sum of those below it; depth tells them apart, as names may have slashes."""
    for i, line in enumerate(lines):
        below = []
        for other in lines[i + 1:]:
            if other['depth'] <= line['depth']:
                break
            if other['depth'] == line['depth'] + 1:
                below.append(other['bytes'])
        if below:
            same(f"{what} below {line['path']}", line['bytes'], sum(below))


def check(what, texts, lines):
    ours = {line['path']: line['bytes'] for line in lines}
    want = balance(texts)
    want[None] = texts.meminfo['MemTotal']
    for path in want.keys() | ours.keys():
        # a part that only our list of holders has, and what is left of a line: adds_up()
        if path in want or not re.match(r'user/shmem/|.*/(rest|large_kmalloc)$', path):
            same(f'{what} {path}', want[path], ours.get(path, 0))
    adds_up(what, lines)


def check_changes(old, new, report):
    """Old and new of each line that changed; all changes together are MemTotal's."""
    hours = (report['snapshot']['wall_clock_ns'] - report['old_snapshot']['wall_clock_ns']) / 3.6e12
    before, after = balance(old), balance(new)
    rows = report['where']['growth']
    for row in rows:
        path = row['path']
        if path in before.keys() | after.keys():
            same(f'change of {path}', (before[path], after[path]), (row['old'], row['new']))
        same(f'change of {path}', row['new'] - row['old'], row['change'])
        same(f'rate of {path}', True, abs(row['per_hour'] - row['change'] / hours) <= 1)
    same('changes', new.meminfo['MemTotal'] - old.meminfo['MemTotal'], sum(row['change'] for row in rows))


def main():
    perf, *paths = sys.argv[1:]
    texts = [Texts(path) for path in paths]
    for path, text in zip(paths, texts):
        check(path, text, where(perf, '-i', path)['where']['lines'])
    for i in range(1, len(paths)):
        check_changes(texts[i - 1], texts[i], where(perf, *paths[i - 1:i + 1]))
    print(f'{figures} figures, {differ} differ')
    sys.exit(1 if differ or not figures else 0)


main()
