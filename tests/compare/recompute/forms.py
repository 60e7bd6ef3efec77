# SPDX-License-Identifier: GPL-2.0-or-later
"""CSV, folded stacks, sorting, -l, diff: the same figures in other formats and places."""
import collections

import check
import definitions

FIELDS = ('bytes hit pingpong frag req mean live live-hit unseen freed lifetime p50 p99 short').split()
SLAB_FIELDS = {'frag', 'req'}
SORTABLE = {'bytes': lambda r: r.alloc, 'hit': lambda r: r.hits, 'live': lambda r: r.live_bytes,
            'live-hit': lambda r: r.live_hits, 'unseen': lambda r: r.unseen, 'pingpong': lambda r: r.pingpong,
            'freed': lambda r: len(r.ages)}


def key_text(lives, key, value):
    """A key of KEYS as written in CSV and diff."""
    if key == 'callsite':
        return lives.symbols.text(int(value, 16))
    if key == 'stack':
        return ' < '.join(value) or 'unknown'
    if key == 'accounted':
        return 'yes' if value else 'no'
    return str(value)


def cells(row, allocator, live):
    """Column of the CSV -> its value; if live, hits and bytes are those of live allocations."""
    hits, req, alloc = (row.live_hits, row.live_req, row.live_bytes) if live else (row.hits, row.req, row.alloc)
    want = {'bytes_alloc': alloc, 'hits': hits, 'pingpong': row.pingpong, 'live_bytes': row.live_bytes,
            'live_hits': row.live_hits, 'unseen_frees': row.unseen,
            'bytes_per_hit': alloc // hits if hits else 0, 'freed_hits': len(row.ages),
            'lifetime_mean_ns': sum(row.ages) // len(row.ages) if row.ages else 0,
            'lifetime_p50_ns': check.percentile(row.ages, 50), 'lifetime_p99_ns': check.percentile(row.ages, 99),
            'short_lived_percent': 100 * sum(a <= definitions.SHORT_NS for a in row.ages) / len(row.ages)
                                   if row.ages else 0}
    if allocator == 'slab':
        want['bytes_req'] = req
        want['frag_percent'] = definitions.fragmentation(req, alloc)
    return want


def ask_csv(asking, allocator, asked, by, *options, live=False):
    fields = [f for f in FIELDS if allocator == 'slab' or f not in SLAB_FIELDS]
    words = [f'--{allocator}', f"--by={','.join(by)}", '--lifetime', f"--fields={','.join([*by, *fields])}", *options]
    (header, rows), = asking.subject.csv(*words)
    question = f"{asking.name} stat {' '.join(words)} --format=csv"
    want = collections.defaultdict(list)
    for key, row in asked.rows(*by).items():
        if live and not row.live_hits:
            continue
        want[tuple(key_text(asking.lives, k, v) for k, v in zip(by, key))].append(row)
    mine = collections.defaultdict(list)
    for row in rows:
        mine[tuple(row[1:1 + len(by)])].append(dict(zip(header, row)))
    for key in want.keys() | mine.keys():
        asking.result.same(question, key, 'rows', len(want[key]), len(mine[key]))
        if len(want[key]) != 1 or len(mine[key]) != 1:
            continue
        row, got = want[key][0], mine[key][0]
        for name, value in cells(row, allocator, live).items():
            text = got.get(name)
            number = text and (float(text) if '.' in text else int(text))
            asking.result.same(question, key, name, value, text, text is not None and
                               (abs(value - number) <= 0.0015 if name.endswith('percent')
                                else check.is_same(name, row, value, number)))


def ask_folded(asking, allocator, asked, *options):
    """Stacks of functions, outermost first; equal ones may be on several lines."""
    weights = {'bytes': lambda r: r.alloc, 'hit': lambda r: r.hits, 'live': lambda r: r.live_bytes}
    lives = asking.lives
    for weight, value in weights.items():
        words = [f'--{allocator}', '--by=comm,stack', f'--weight={weight}', *options]
        want = collections.Counter()
        for (comm, stack), row in asked.rows('comm', 'stack').items():
            frames = [frame.rsplit('+', 1)[0] for frame in reversed(stack)]
            name = ''.join(':' if c == ';' else c for c in comm)
            if value(row):
                want[';'.join([name, *frames])] += value(row)
        mine = asking.subject.folded(*words)
        question = f"{asking.name} stat {' '.join(words)} --format=folded"
        for stack in want.keys() | mine.keys():
            asking.result.same(question, stack, weight, want[stack], mine[stack])
        live = sum(map(asked.live, asked.chosen))
        if weight == 'live':
            asking.result.same(question, 'all', 'live bytes', live, sum(mine.values()))


def ask_sorted(asking, allocator, asked):
    """Rows are in the order given by -s, and cut by -l."""
    rows = asked.rows('comm', 'size')
    for sort in ('bytes,hit', 'hit,-bytes', '-live,hit', 'unseen,freed', 'pingpong,live-hit'):
        words = [f'--{allocator}', '--by=comm,size', f'-s{sort}', '--lifetime']
        table = asking.subject.json('stat', *words)[allocator]['tables'][0]
        keys = [(SORTABLE[k.lstrip('-')], 1 if k[0] == '-' else -1) for k in sort.split(',')]
        ranks = [tuple(sign * value(rows[r['comm'], r['size']]) for value, sign in keys) for r in table['rows']
                 if (r['comm'], r['size']) in rows]
        question = f"{asking.name} stat {' '.join(words)}"
        asking.result.same(question, 'all', 'order', sorted(ranks), ranks)
        cut = asking.subject.json('stat', *words, '-l3')[allocator]['tables'][0]
        asking.result.same(question + ' -l3', 'all', 'rows', table['rows'][:3], cut['rows'])
        asking.result.same(question + ' -l3', 'all', 'rows_total', len(rows), cut['rows_total'])


def bare(text):
    """Function and offset without the offset, and without the suffixes of compilers."""
    return (text.rsplit('+', 1)[0].split('.')[0] or text) if '+' in text else text


def diff_key(lives, key, value, same_kernel):
    """As written for both recordings: in another kernel the offsets in a function differ."""
    if not same_kernel and key == 'callsite':
        return bare(key_text(lives, key, value))
    if not same_kernel and key == 'stack':
        return ' < '.join(map(bare, value)) or 'unknown'
    return key_text(lives, key, value)


def is_same_kernel(one, other):
    if (one.osrelease, one.arch) != (other.osrelease, other.arch):
        return False
    return None in (one.build_id, other.build_id) or one.build_id == other.build_id


def side_of(lives, allocator, by, same_kernel):
    rows = collections.defaultdict(lambda: [0, 0, 0, 0])
    for key, row in definitions.Question(lives, allocator).rows(*by).items():
        if row.hits or row.live_hits:
            side = rows[tuple(diff_key(lives, k, v, same_kernel) for k, v in zip(by, key))]
            for i, value in enumerate((row.hits, row.alloc, row.live_hits, row.live_bytes)):
                side[i] += value
    return rows


def ask_diff(old, new, result, bys):
    """The tables of two recordings side by side."""
    lives = [old.lives, new.lives]
    same_kernel = is_same_kernel(*(l.recording for l in lives))
    for allocator in definitions.ALLOCATORS:
        if not all(l.allocations[allocator] for l in lives):
            continue
        for by in bys[allocator]:
            for rate in (False, True):
                words = [f'--{allocator}', f"--by={','.join(by)}", *(['--per-second'] if rate else [])]
                ours = new.json('diff', *words, files=(old.path, new.path), options=old.options + new.options)['diff']
                result.same(f'{old.path} {new.path} diff', '', 'same_kernel', same_kernel, ours['same_kernel'])
                question = f"{old.path.split('/')[-1]} {new.path.split('/')[-1]} diff {' '.join(words)}"
                lengths = [l.recording.stop_ns - l.recording.start_ns for l in lives]
                for name, length in zip(('old_seconds', 'new_seconds'), lengths):
                    result.same(question, '', name, length / 1e9, ours[name], abs(length / 1e9 - ours[name]) <= 1e-6)
                sides = [side_of(l, allocator, by, same_kernel) for l in lives]
                compare_diff(result, question, by, sides, ours['tables'][0],
                             [length / 1e9 if rate else 1 for length in lengths])


def compare_diff(result, question, by, sides, table, lengths):
    mine = {tuple(row[k] for k in by): row for row in table['rows']}
    result.same(question, '', 'rows_total', len(sides[0].keys() | sides[1].keys()), table['rows_total'])
    result.same(question, '', 'keys that stand once', len(table['rows']), len(mine))
    for key in sides[0].keys() | sides[1].keys() | mine.keys():
        row = mine.get(key)
        values = [sides[i].get(key, [0, 0, 0, 0]) for i in (0, 1)]
        if row is None:
            result.same(question, key, 'the row', values, None)
            continue
        for i, name in enumerate(('hits', 'bytes', 'live_hits', 'live_bytes')):
            # what is live is not a rate
            old, new = (values[s][i] / lengths[s] if i < 2 else values[s][i] for s in (0, 1))
            for side, value in (('old', old), ('new', new), ('change', new - old)):
                result.same(question, key, f'{side} {name}', value, row[side][name],
                            abs(value - row[side][name]) <= 0.0006 + abs(value) * 1e-9)
