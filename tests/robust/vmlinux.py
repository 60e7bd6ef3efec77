#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""perf annotate of a kernel function, and perf report: the code, names, lines and inlined functions of a vmlinux.

usage: vmlinux.py PERF DATA SCRATCH

The vmlinux is made here, for the kernel of the recording both.data: it has that build-id, is linked for another
address, as kernels are that move when they boot, and has one function, which is named otherwise than in the
recording, where most samples were taken.  Each of its bytes is an instruction.
"""
import collections
import os
import re
import shutil
import subprocess
import sys

import debuginfod

PERF, DATA, SCRATCH = sys.argv[1:4]
RECORDED, LINKED = 0xffffffff81000000, 0xffffffff93000000  # where _text is
SOURCE = r'''
asm(".section .head,\"ax\"\n.globl _text\n_text: ret\n.text");

static inline __attribute__((always_inline)) void inlined_part(void)
{
	asm volatile(".rept INLINED\nnop\n.endr"); /* HERE */
}

void renamed_function(void)
{
	inlined_part();
	asm volatile(".rept 0x1000 - INLINED\nnop\n.endr");
}
'''


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=60,
                          check=True).stdout


def perf(*arguments):
    return run(PERF, arguments[0], '-q', '-i', f'{DATA}/both.data', *arguments[1:])


def make_vmlinux(build_id, start, inlined=0x1000, name='renamed_function'):
    """The first bytes of the function at `start`, which has 0x1001, are of the one that is inlined."""
    with open(f'{SCRATCH}/kernel.c', 'w', encoding='utf-8') as stream:
        stream.write(SOURCE.replace('INLINED', f'{inlined:#x}').replace('renamed_function', name))
    run('gcc', '-g', '-O2', '-ffreestanding', '-nostdlib', '-static', '-fno-pie', '-no-pie', '-fcf-protection=none',
        '-fomit-frame-pointer', f'-Wl,-Ttext={start:#x},--section-start=.head={LINKED:#x},--build-id=0x{build_id}',
        f'-Wl,-e,{name}', '-o', f'{SCRATCH}/vmlinux', f'{SCRATCH}/kernel.c')


def check_inlined(build_id):
    """In callchains: the innermost frame is in what was inlined at its address, a caller in what was before it."""
    chains = re.findall(r'kmem:mm_page_alloc: *((?:\n\s+[0-9a-f]+\s*$)+)', perf('script', '-F', 'event,ip'), re.M)
    chains = collections.Counter(tuple(int(ip, 16) - RECORDED + LINKED for ip in c.split()[:2]) for c in chains)
    tree = 'report', '--no-children', '-w', '0', '-g', 'callee,0', '--sort', 'sym', '-k', f'{SCRATCH}/vmlinux'
    for place in 0, 1:
        address = collections.Counter(chain[place] for chain in chains.elements()).most_common(1)[0][0]
        before, start = (address - place) & 0xfff, (address - place) & ~0xfff
        for inlined in before, before + 1:
            make_vmlinux(build_id, start, inlined)
            found = 'inlined_part (inlined)' in perf(*tree)
            assert found == (inlined > before), (place, hex(address), hex(inlined), perf(*tree)[:2000])
            assert 'inlined_part' not in perf(*tree, '--no-inline')
            os.unlink(f'{SCRATCH}/vmlinux')


def check_server(build_id, start, line, name):
    """--debuginfod gets the vmlinux, where it is needed: as a debug file, or as the program; never another one."""
    make_vmlinux(build_id, start, name=name)
    os.environ.update(DEBUGINFOD_CACHE_PATH=f'{SCRATCH}/cache', no_proxy='127.0.0.1')
    with open(f'{SCRATCH}/vmlinux', 'rb') as stream:
        image = stream.read()
    at = image.index(bytes.fromhex(build_id))
    another = image[:at] + b'\0' + image[at + 1:]
    lines = 'report', '--no-children', '-g', 'none', '--sort', 'srcline'
    debug, program = f'/buildid/{build_id}/debuginfo', f'/buildid/{build_id}/executable'
    for answers, asked, found in (({'debuginfo': image}, [debug], True), ({'executable': image}, [debug, program], True),
                                  ({'debuginfo': another}, [debug, program], False)):
        for command in lines, ('annotate', name):
            server = debuginfod.Server(build_id, **answers)
            done = subprocess.run([PERF, *command, '-i', f'{DATA}/both.data', f'--debuginfod={server.url}'],
                                  capture_output=True, text=True, timeout=60, check=False)
            assert (f'kernel.c:{line}' in done.stdout or f': {line} ' in done.stdout) == found, (answers.keys(), done)
            assert server.asked == asked, (command, answers.keys(), server.asked)
            refused = "'vmlinux' is another file" in done.stderr
            assert refused == (not found), done.stderr
            server.close()
            shutil.rmtree(f'{SCRATCH}/cache', ignore_errors=True)
    server = debuginfod.Server(build_id, debuginfo=image)
    perf('report', '--sort', 'sym', f'--debuginfod={server.url}')
    done = subprocess.run([PERF, 'annotate', '-i', f'{DATA}/both.data', f'--debuginfod={server.url}', 'no_such_function'],
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and not server.asked, (done, server.asked)
    server.close()


def main():
    os.environ['HOME'] = SCRATCH
    samples = collections.Counter((event, int(ip, 16) - RECORDED + LINKED) for event, ip in re.findall(
        r'^ *(\S+): +([0-9a-f]{16})$', perf('script', '-F', 'event,ip', '-G'), re.M))
    event, most = samples.most_common(1)[0][0]
    start = most & ~0xfff
    # of the event, in the function
    nr = {address: n for (name, address), n in samples.items() if name == event and start <= address <= start + 0x1000}
    build_id = re.search(r'^(\w+) \[kernel\.kallsyms\]', perf('buildid-list'), re.M)[1]
    line = 1 + SOURCE[:SOURCE.index('HERE')].count('\n')
    check_inlined(build_id)
    if 'cannot be loaded' not in subprocess.run([PERF, 'script', '--debuginfod=http://', '-i', '/nonexistent'],
                                                capture_output=True, text=True, check=False).stderr:
        name = re.search(rf'^ *{most - LINKED + RECORDED:x} (\w+)', perf('script', '-F', 'ip,sym', '-G'), re.M)[1]
        check_server(build_id, start, line, name)
    make_vmlinux(build_id, start)
    place = f'{SCRATCH}/root/usr/lib/debug/.build-id/{build_id[:2]}/{build_id[2:]}.debug'
    os.makedirs(os.path.dirname(place))
    os.link(f'{SCRATCH}/vmlinux', place)
    for where in ('-k', f'{SCRATCH}/vmlinux'), ('--symfs', f'{SCRATCH}/root'):
        text = perf('annotate', *where, 'renamed_function')
        of_event = text[text.index(f'for {event} ('):]
        shares = re.findall(r'^ *(\d+\.\d+) : ([0-9a-f]{16}): +(\S+)', of_event.split(' Percent |')[0], re.M)
        assert [int(s[1], 16) for s in shares] == list(range(start, start + 0x1001)), (len(shares), shares[0])
        assert [s[2] for s in shares] == ['nop'] * 0x1000 + ['ret'], shares[-1]
        expected = [f'{100 * nr.get(start + i, 0) / sum(nr.values()):.2f}' for i in range(0x1001)]
        assert [s[0] for s in shares] == expected, (nr, [s for s in shares if s[0] != '0.00'])
        head = re.search(rf'inlined_part\(\) kernel\.c\n +: {line} .*HERE.*\n', of_event)
        assert head, of_event[:1000]
    total = sum(n for (name, _), n in samples.items() if name == event)
    share = f'{100 * sum(nr.values()) / total:.2f}%'
    report = 'report', '--no-children', '-g', 'none', '-w', '0', '--sort', 'srcline,srcfile,sym'
    for where, function in (('-k', f'{SCRATCH}/vmlinux'), 'renamed_function'), (('--kallsyms', '/dev/null'), None):
        rows = [line.split() for line in perf(*report, *where).splitlines()]
        found = [share, f'kernel.c:{line}', 'kernel.c', '[k]', function] in rows
        assert found == bool(function), (share, rows[:20])
    # of another kernel
    with open(f'{SCRATCH}/vmlinux', 'r+b') as stream:
        data = stream.read()
        stream.seek(data.index(bytes.fromhex(build_id)))
        stream.write(b'\0')
    done = subprocess.run([PERF, *report, '-i', f'{DATA}/both.data', '-k', f'{SCRATCH}/vmlinux'], capture_output=True,
                          text=True, timeout=60, check=False)
    assert done.returncode == 1 and not done.stdout and 'is not the kernel that was recorded' in done.stderr, done


main()
