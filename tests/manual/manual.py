#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""See tests/manual/run, which calls it: manual.py ROOT, with $DATA and $TMPDIR set.

Options are read from the manual, so one added there is tested; if it takes an argument, VALUES
needs an example of it.
"""
import os
import re
import shutil
import subprocess
import sys

import pages

ROOT, DATA = sys.argv[1], os.environ['DATA']
CWD = os.path.join(os.environ['TMPDIR'], 'manual')
REPORTS = ('stat', 'leak', 'diff', 'top')
LIVE = ('stat', 'leak', 'top')
COMMANDS = ('record', *REPORTS, 'snapshot', 'where')
UNIFIED = next((line.split()[1] for line in open('/proc/mounts') if line.split()[2] == 'cgroup2'), '')
# The commands that a section describes; an entry that begins with "(stat and leak)" is for these only.
SECTIONS = {'RECORDING': ('record',), 'REPORTING': ('stat',), 'LEAKS': ('leak',), 'COMPARING': ('diff',), 'TOP': ('top',), 'SNAPSHOT': ('snapshot',), 'WHERE': ('where',),
            'WITHOUT A RECORDING': LIVE,
            'COMMON OPTIONS': REPORTS, 'Filters': REPORTS, 'THE RECORDING': REPORTS}
# An example of each option's argument; BESIDE has what an option needs beside it.
VALUES = {
    '--by': 'cache', '--max-stack': '4', '-s': 'bytes,hit', '--sort': '-hit', '-l': '2', '--line': '2',
    '--fields': 'bytes,hit', '--skip-callsite': '^alloc_', '--skip-usr': '^my_malloc$', '--format': 'json', '--style': 'stock',
    '--color': 'always', '--weight': 'hit',
    '-o': 'output', '--output': 'output', '--time': '0,', '--comm': '*', '--pid': '0-4194304', '--tid': '0-4194304',
    '--cpu': '0-7', '--node': '0', '--cache': '*', '--callsite': '.', '--module': 'kernel', '--gfp': 'GFP_KERNEL',
    '--order': '0', '--min-bytes': '1', '--min-age': '0.01', '-i': f'{DATA}/both.data', '--input': f'{DATA}/both.data',
    '--duration': '100ms', '-C': '0', '--capture-cpu': '0', '-p': str(os.getpid()), '--capture-pid': str(os.getpid()),
    '-t': str(os.getpid()), '--capture-tid': str(os.getpid()), '-G': UNIFIED, '--capture-cgroup': UNIFIED, '-m': '64',
    '--mmap-pages': '1M', '--max-live': '1000', '--memory': '64M', '--kallsyms': f'{DATA}/kallsyms', '--tracefs': '/sys/kernel/tracing', '-j': '1', '--jobs': '2',
    '--rows': 'rows', '--max-size': '100M', '--max-files': '2',
    '--cgroup': '/*', '--input-format': 'perfdata', '--table': 'slab.comm',
}
RECORD_VALUES = {
    '-e': 'kmem:kfree', '--event': 'kmem:kmalloc/call-graph=kernel/', '--filter': 'bytes_alloc > 64', '--max-stack': '4',
    '-C': '0', '--cpu': '0', '-p': str(os.getpid()), '--pid': str(os.getpid()), '-t': str(os.getpid()),
    '--tid': str(os.getpid()), '-G': '/', '--cgroup': '/', '-D': '1', '--delay': '1ms', '--duration': '100ms',
    '-c': '2', '--count': '3', '-o': 'output', '--output': 'output', '-m': '64', '--mmap-pages': '1M', '-z': None,
    '--compression-level': None, '--max-size': '100M', '--switch-output': None, '--max-files': '2',
    '--snapshot-on': 'exit', '--via': 'perf',
}
# Where the same name takes something else.
OWN_VALUES = {
    'where': {**dict.fromkeys(('-i', '--input', '--since'), f'{DATA}/before.snapshot'), '--table': 'where.lines'},
    'snapshot': {'--every': '100ms', '--for': '200ms', '--max-size': '1M'},
    'diff': dict.fromkeys(('--old', '--new'), f'{DATA}/slab.data'),
    'leak': {'--every': '60ms', '--alert': 'leaking>100'},
    'top': {'-s': 'live', '--sort': '-growth', '-d': '50ms', '--delay': '1s', '-n': '2', '--count': '1'},
}
BESIDE = {
    ('stat', '--weight'): ['--format', 'folded'], ('stat', '--alloc'): ['-l', '2'],
    **{(command, '--order'): ['--page'] for command in REPORTS},
    **{(command, '--table'): ['--by', 'comm', '--format', 'csv'] for command in REPORTS if command != 'top'},
    ('stat', '--fields'): ['--by', 'comm'], ('stat', '--percpu'): ['-i', f'{DATA}/percpu.data'],
    **{(command, option): ['-i', f'{DATA}/areas.data'] for command in ('stat', 'leak', 'top') for option in ('--vmalloc', '--percpu-mem')},
    **{('diff', option): [f'{DATA}/areas.data', f'{DATA}/areas.data'] for option in ('--vmalloc', '--percpu-mem')},
    ('stat', '--pageblocks'): ['-i', f'{DATA}/page_owner-6.1.txt'],
    ('diff', '--pageblocks'): [f'{DATA}/page_owner-6.1.txt', f'{DATA}/page_owner-6.12.txt'],
    ('stat', '--extfrag'): ['-i', f'{DATA}/extfrag.data'], ('stat', '--pressure'): ['-i', f'{DATA}/pressure.perf'],
    **{(command, option): ['--rows', 'rows'] for command in ('stat', 'leak', 'where') for option in ('--max-size', '--max-files')},
    ('record', '--max-files'): ['--switch-output'], ('leak', '--alert'): ['--every', '50ms'],
    ('where', '--table'): ['--format', 'csv'], ('record', '--snapshot-on'): ['--overwrite'], ('snapshot', '-q'): ['-o', 'output'], ('snapshot', '--quiet'): ['-o', 'output'],
    ('snapshot', '--every'): ['--for', '200ms', '-o', 'series'],
    **{('snapshot', option): ['--every', '100ms', '--for', '200ms', '-o', 'series'] for option in ('--for', '--max-size')},
}
# Exit statuses that are not 0.
STATUSES = {('leak', '--alert'): 2}
# Options of live reports, tried with -b for a moment, without a recording.
WATCHED = ('-b', '--use-bpf', '--duration', '-a', '--all-cpus', '--only-command', '-C', '--capture-cpu', '-p', '--capture-pid', '-t',
           '--capture-tid', '-G', '--capture-cgroup', '--with-self', '-m', '--mmap-pages', '--memory', '--max-live', '--in-kernel')
os.environ['DEBUGINFOD_URLS'] = 'http://127.0.0.1:1'  # of option --debuginfod; the recordings have nothing to ask for
failed = False


def report(name, problems):
    global failed
    print(f'FAIL {name}' if problems else f'ok {name}')
    for line in problems:
        print(f'    {line}')
    failed |= bool(problems)


def run(*command, cwd=CWD):
    p = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       timeout=120, text=True, errors='replace')
    return p.returncode, p.stdout


def kmem(*arguments):
    return run('perf-kmem', *arguments)


def read_manual():
    """The lines of each section, by its title."""
    sections, title = {}, ''
    lines = pages.lines(f'{ROOT}/Documentation/perf-kmem.txt')
    for line, below in zip(lines, lines[1:] + ['']):
        if line and re.fullmatch(r'[-~]{3,}', below) and abs(len(line) - len(below)) <= 1:
            title = line
        sections.setdefault(title, []).append(line)
    return sections


def options_in(entry):
    """'-l, --line <n>::' is [('-l', '<n>'), ('--line', '<n>')]."""
    parts, found = re.split(r',\s+(?=-)', entry.removesuffix('::')), []
    for part in parts:
        name, argument = re.fullmatch(r'(--?[A-Za-z][\w-]*)(.*)', part).groups()
        found.append((name, argument.strip()))
    # a short name takes the argument of the long name that follows it
    for i, (name, argument) in enumerate(found[:-1]):
        if not argument and not name.startswith('--'):
            found[i] = name, found[i + 1][1]
    return found


def manual_options(sections):
    options = {command: {} for command in COMMANDS}
    for title, commands in SECTIONS.items():
        for line, below in zip(sections[title], sections[title][1:]):
            if line.startswith('-') and line.endswith('::'):
                only = re.match(r'\t\(([a-z, ]+)\) ', below)
                for command in re.findall(r'\b(?!and\b)\w+', only.group(1)) if only else commands:
                    options[command].update(options_in(line))
    return options


def listed(*command):
    words = kmem('--complete', *command, '-')[1].split()
    return words if command else words + kmem('--complete', '')[1].split()


def helped(command):
    """The options at the start of the lines of --help."""
    found = []
    for line in kmem(command, '--help')[1].splitlines():
        match = re.match(r' {4}(-\w)?(?:, | {4})?(--[\w-]+)?', line)
        if match and line.lstrip().startswith('-'):
            found += [name for name in match.groups() if name]
    return found


def same(what, got, other, want):
    return ([f'{what} lacks {name}, which {other} has' for name in sorted(set(want) - set(got))] +
            [f'{what} has {name}, which {other} lacks' for name in sorted(set(got) - set(want))])


def check_options(manual):
    report('subcommands', same('COMMANDS', (*COMMANDS, 'config', 'version', 'help'), 'the program',
                               [w for w in listed() if not w.startswith('-')]))
    for command in COMMANDS:
        table = set(listed(command)) - {'--help'}
        problems = same('the manual', manual[command], 'the table', table)
        problems += same('--help', helped(command), 'the table', table)
        report(f'options-{command}', problems)
    commands = [name for name in listed() if not name.startswith('-')]
    text = kmem('help')[1]
    report('options-help', [f'help does not list {name}' for name in commands if f'\n    {name} ' not in text])
    for command in commands:
        report(f'options-help-{command}', [] if kmem('help', command) == kmem(command, '--help') else
               [f"'help {command}' and '{command} --help' differ"])
    # the same option before the name as behind it; of another subcommand: refused, with its name
    every = {name: [command for command in manual if name in manual[command]]
             for command in manual for name in manual[command]}
    for command in manual:
        # what begins an option of its own is short for that
        said = {name: kmem(command, name)[1] for name in every
                if name != '-h' and command not in every[name] and not any(own.startswith(name) for own in manual[command])}
        report(f'options-refused-{command}', [f'{command} {name}: {text}' for name, text in said.items() if not re.match(
            f"perf-kmem {command}: option '{name}' is for ({'|'.join(every[name])})\\b.*, not for {command} ", text)])


def complete(*words):
    """The candidates of bash."""
    script = ('. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; '
              '_perf_kmem; printf "%s\\n" "${COMPREPLY[@]}"')
    return run('bash', '-c', script, 'bash', f'{ROOT}/scripts/completion/perf-kmem.bash', 'perf-kmem', *words)[1].split()


# The same of other shells, with what their completion calls replaced.
OTHER_SHELLS = {
    'zsh': lambda words: run('zsh', '-c', 'compadd() { [[ $1 != -S ]] || shift 2; print -l -- "${@[2,-1]}" }; '
                             'script=$1; shift; words=("$@"); CURRENT=$#; source $script',
                             'zsh', f'{ROOT}/scripts/completion/perf-kmem.zsh', 'perf-kmem', *words)[1].split(),
    'fish': lambda words: [line.split('\t')[0] for line in run(
        'fish', '-c', f'source {ROOT}/scripts/completion/perf-kmem.fish; complete -C "perf-kmem {" ".join(words)}"')[1].split('\n') if line],
}


def values_of(command, option):
    """The values that --help lists for an option after 'of:' or, of sort keys, an error."""
    text = re.split(r'\n {4}(?=-\w, | {4}--)', kmem(command, '--help')[1])
    own = next(' '.join(part.split()) for part in text if f'{option} ' in part.split('\n')[0] + ' ')
    entry = re.search(r' of: ([a-z0-9_/ -]+)', own)
    if entry:
        return entry.group(1).split()
    return re.search(r'(?:are|by): ([^)]*?)(?:, and [^)]*)?\)', kmem(command, option, 'no-such')[1]).group(1).replace(',', ' ').split()


def check_completion():
    for command in (*COMMANDS, 'config'):
        report(f'completion-{command}', same('completion', complete(command, '-'), 'the table',
                                             [w for w in listed(command) if w.startswith('-')]))
    report('completion-commands', same('completion', complete(''), 'the table',
                                         [w for w in listed() if not w.startswith('-')]))
    report('completion-help', same('completion', complete('help', ''), 'the table',
                                   [w for w in listed() if not w.startswith('-')]))
    for option in ('--by', '--format', '--input-format'):
        report(f'completion{option}', same('completion', complete('stat', option, ''), '--help', values_of('stat', option)))
    for option in ('--sort', '--fields'):
        report(f'completion{option}', same('completion', complete('stat', option, ''), '--help',
                                           values_of('stat', '--sort') + values_of('stat', '--by')))
    report('completion-top--sort', same('completion', complete('top', '--sort', ''), 'the program', values_of('top', '--sort')))
    report('completion-leak--sort', same('completion', complete('leak', '--sort', ''), 'the program',
                                         values_of('leak', '--sort') + values_of('leak', '--by')))
    for shell, candidates in OTHER_SHELLS.items():
        if not shutil.which(shell):
            print(f'skip completion-{shell}: {shell} is not installed')
            continue
        problems = []
        for words in (('st',), ('stat', '--fo'), ('stat', '--by', 'comm,ca'), ('leak', '--sort', 'e'), ('record', '--via', '')):
            problems += same(f'completion in {shell}', candidates(words), 'bash', complete(*words))
        report(f'completion-{shell}', problems)
    # -c takes an argument, -o has its own
    report('completion-bundle', same('completion', complete('record', '-oc', ''), 'record', complete('record', '')))
    report('completion-list', same('completion', complete('stat', '--by', 'comm,ca'), 'a list', ['comm,cache', 'comm,callsite']))


def try_option(command, name, argument, base):
    values = RECORD_VALUES if command == 'record' else {**VALUES, **OWN_VALUES.get(command, {})}
    words, beside = [name], BESIDE.get((command, name), [])
    if argument and not argument.startswith('['):
        value = values.get(name, '')
        if not value:
            return [f'{name} takes {argument} in the manual: VALUES has no example of it']
        words.append(value)
    if name == '--cgroup':
        base = [word.replace('both.data', 'cgroup.data') for word in base]
    if name in ('-i', '--input') or '-i' in beside or (beside and beside[0].startswith(DATA)) or (command in LIVE and name in WATCHED):
        base = [word for word in base if word != '-i' and not word.endswith('both.data')]
    if command in LIVE and name in WATCHED and name != '--duration':
        base += ['--duration', '100ms']
    if command in LIVE and name == '--only-command':
        base += ['--', 'true']
    head, tail = (base[:base.index('--')], base[base.index('--'):]) if '--' in base else (base, [])
    line = [command, *head, *beside, *words, *tail]
    status, said = kmem(*line)
    if status != STATUSES.get((command, name), 0) or not (said or os.path.exists(f'{CWD}/output')):
        return [f'perf-kmem {" ".join(line)}: status {status}', *said.splitlines()[-5:]]
    return []


def has_cgroups():
    """Version 1 with perf_event, or version 2, wherever it is mounted."""
    with open('/proc/mounts', encoding='utf-8', errors='replace') as f:
        mounts = [line.split() for line in f]
    return any(m[2] == 'cgroup2' or m[2] == 'cgroup' and 'perf_event' in m[3].split(',') for m in mounts)


def check_each_option(manual, may_record, may_watch):
    bases = {'stat': ['-i', f'{DATA}/both.data'], 'leak': ['-i', f'{DATA}/both.data'],
             'diff': [f'{DATA}/both.data', f'{DATA}/both.data'], 'top': ['--once', '-i', f'{DATA}/both.data'], 'record': ['-m', '64', '--', 'true'], 'snapshot': [],
             'where': ['-f']}
    for command, options in manual.items():
        for name, argument in sorted(options.items()):
            check = f'option-{command}-{name.lstrip("-")}'
            if command == 'record' and not may_record:
                print(f'skip {check}: no recording here')
            elif command in LIVE and name in WATCHED and not may_watch:
                print(f'skip {check}: no BPF here')
            elif command in LIVE and VALUES.get(name) == '':
                print(f'skip {check}: no unified cgroup hierarchy here')
            elif name == '--tracefs' and not os.path.exists('/sys/kernel/tracing/events'):
                print(f'skip {check}: no tracefs here')
            elif name == '--from-tracefs':
                print(f'skip {check}: the kernel traces nothing into its own buffers (tests/live/tracefs)')
            elif command == 'record' and name in ('-G', '--cgroup') and not has_cgroups():
                print(f'skip {check}: no hierarchy of control groups with perf_event here')
            else:
                # --boot records nothing, and takes no command
                base = [] if name == '--boot' else bases[command]
                report(check, try_option(command, name, argument, base))


def check_examples(sections, may_record, may_watch):
    """Each sleeps for at most a second; without permission to trace, the shipped recordings are used instead."""
    lines = [line[3:] for line in sections['EXAMPLES'] if line.startswith('\t# ')]
    report('examples', [] if len(lines) >= 10 else [f'only {len(lines)} were found'])
    for i, line in enumerate(lines):
        name = f'example-{i + 1}-{line.split()[1]}'
        if line.split()[1] == 'record' and not may_record:
            output = re.search(r' -o (\S+)', line)
            marks = {'--percpu': 'percpu', '--extfrag': 'extfrag', '--all-cgroups': 'cgroup'}
            source = next((name for mark, name in marks.items() if mark in line), 'both')
            shutil.copy(f'{DATA}/{source}.data' if '--pressure' not in line else f'{DATA}/pressure.perf', os.path.join(CWD, output.group(1) if output else 'perf.data'))
            print(f'skip {name}: no recording here')
            continue
        if re.search(r'^perf-kmem (stat|leak) .*(--duration| -- )', line) and not may_watch:
            print(f'skip {name}: no BPF here')
            continue
        status, said = run('bash', '-c', re.sub(r'\bsleep \d+', 'sleep 0.5', line))
        written = re.search(r' > (\S+)', line)
        empty = not os.path.getsize(os.path.join(CWD, written.group(1))) if written else not said
        # a folded or filtered report of a quiet second may be empty except for its opening lines
        report(name, [f'{line}: status {status}', *said.splitlines()[-5:]] if status or (empty and not written) else [])


def main():
    os.makedirs(CWD)
    sections = read_manual()
    manual = manual_options(sections)
    may_record = not kmem('record', '-q', '-o', 'try.data', '--', 'true')[0]
    check_options(manual)
    check_completion()
    may_watch = not kmem('stat', '-b', '--', 'true')[0]
    check_each_option(manual, may_record, may_watch)
    check_examples(sections, may_record, may_watch)
    return failed


sys.exit(main())
