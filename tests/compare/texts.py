# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare sums over the text of the kernel with the reports of the program.

texts.py PERF DATA: DATA is tests/data, unpacked.  One line for each check.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tarfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'recompute'))
import areas  # noqa: E402
from page_frames import SLAB, SLAB_SITE

PERF, DATA = sys.argv[1:]
failed = False


def report(name, got, want):
    global failed
    failed |= got != want
    print(f'ok {name}' if got == want else f'FAIL {name}')
    if got != want:
        wrong = [key for key in {**want, **got} if got.get(key) != want.get(key)]
        print(*(f'    {key}: {got.get(key)}, wanted {want.get(key)}' for key in wrong[:10]), sep='\n')


def kmem(*words):
    return json.loads(subprocess.run([PERF, 'kmem', *words, '--format', 'json'], stdout=subprocess.PIPE, check=True).stdout)


def rows(document, allocator, *keys):
    found = {}
    for row in document[allocator]['tables'][0]['rows']:
        found[tuple(row[key] for key in keys)] = (row['live_hits'], row['live_bytes'])
    return found


def summed(lines):
    sums = collections.defaultdict(lambda: (0, 0))
    for key, hits, size in lines:
        sums[key] = sums[key][0] + hits, sums[key][1] + size
    return dict(sums)


def allocinfo():
    with open(f'{DATA}/allocinfo', encoding='utf-8') as text:
        for line in text:
            match = re.fullmatch(r' *(\d+) +(\d+) (\S+) (?:\[(\S+)\] )?func:(\S+) \n', line)
            if match and int(match[2]):
                yield (f'{match[5]}@{match[3]}', match[4] or 'kernel'), int(match[2]), int(match[1])


def stacks():
    with open(f'{DATA}/page_owner_stacks', encoding='utf-8') as text:
        for block in text.read().split('\n\n'):
            lines = block.split('\n')
            if not lines[-1].startswith('nr_base_pages: '):
                continue
            pages = int(lines[-1].split()[1])
            frames = tuple('+'.join(re.match(r' (\S+?)\+0x([0-9a-f]+)/', line).group(1, 2)) for line in lines if '+0x' in line)
            yield frames, pages, pages * 4096


def by_shown(stacks, shown):
    """Reports omit the frames inside the page allocator, and all frames of a page of the slab allocator."""
    for frames, pages, size in stacks:
        if any(f.split('+')[0] in SLAB for f in frames):
            yield (SLAB_SITE,), pages, size
        else:
            yield next((frames[i:] for i in range(len(frames)) if frames[i:] in shown), frames), pages, size


def stack_rows(document):
    found = {}
    for row in document['page']['tables'][0]['rows']:
        frames = tuple(re.sub(r' \[.*\]$', '', frame) for frame in row['stack'])
        hits, size = found.get(frames, (0, 0))
        found[frames] = hits + row['live_hits'], size + row['live_bytes']
    return found


def member(archive, name):
    with tarfile.open(f'{DATA}/{archive}') as tar:
        return tar.extractfile(f'perf-kmem-snapshot/{name}').read().decode().splitlines()


def slabinfo(archive):
    for line in member(archive, 'slabinfo')[2:]:
        name, active, _, size, _, pages, *rest = line.split()
        slabs = int(rest[rest.index('slabdata') + 2])
        if int(active) or slabs:
            yield (name,), int(active), max(slabs * int(pages) * 4096, int(active) * int(size))


def meminfo(archive):
    pairs = (line.split() for line in member(archive, 'meminfo'))
    return {words[0][:-1]: int(words[1]) * 1024 for words in pairs if words[2:] == ['kB']}


want = summed(allocinfo())
report('text-allocinfo', rows(kmem('stat', '-f', '-i', f'{DATA}/allocinfo', '--by', 'callsite,module'), 'slab', 'symbol', 'module'), want)
shown = stack_rows(kmem('stat', '-f', '-i', f'{DATA}/page_owner_stacks', '--by', 'stack'))
report('text-page-owner-stacks', shown, summed(by_shown(stacks(), shown)))
after = kmem('stat', '-f', '-i', f'{DATA}/after.snapshot', '--by', 'cache')
report('text-slabinfo', rows(after, 'slab', 'cache'), summed(slabinfo('after.snapshot')))


def area_rows(archive):
    found = {}
    for row in kmem('stat', '-f', '-i', f'{DATA}/{archive}', '--vmalloc', '--by', 'callsite,module,purpose')['vmalloc']['tables'][0]['rows']:
        key = row['symbol'], row['offset'], row['module'], row['purpose']
        found[key] = row['hits'], row['bytes'], row['live_hits'], row['live_bytes']
    return found


def area_sums(archive):
    sums = {}
    for name, offset, module, purpose, size, live in areas.listed(member(archive, 'vmallocinfo')):
        old = sums.get((name, offset, module, purpose), (0, 0, 0, 0))
        sums[name, offset, module, purpose] = tuple(map(sum, zip(old, (1, size, live, live * size))))
    return sums


for archive in 'after.snapshot', 'where-after.snapshot':
    report(f'text-vmallocinfo-{archive}', area_rows(archive), area_sums(archive))
report('text-meminfo', {row['name']: row['bytes'] for row in after['machine']['meminfo']}, meminfo('after.snapshot'))
changes = kmem('diff', '-f', f'{DATA}/before.snapshot', f'{DATA}/after.snapshot')
old, new = meminfo('before.snapshot'), meminfo('after.snapshot')
report('text-meminfo-changes', {row['name']: (row['old'], row['new'], row['change']) for row in changes['machine']['meminfo']},
       {name: (old[name], new[name], new[name] - old[name]) for name in new if old[name] != new[name]})
old, new = summed(slabinfo('before.snapshot')), summed(slabinfo('after.snapshot'))
report('text-slabinfo-changes', {(row['cache'],): (row['old']['bytes'], row['new']['bytes']) for row in changes['diff']['tables'][0]['rows']},
       {key: (old.get(key, (0, 0))[1], new.get(key, (0, 0))[1]) for key in {**old, **new}})
os._exit(failed)
