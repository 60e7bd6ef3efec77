#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages of real and of hostile recordings in a browser.

usage: pages.py SCRATCH [NAME...]

$PERF is the program, $DATA has the recordings.  Each test is a function; one line each is printed.
"""
import csv
import io
import json
import math
import os
import re
import shlex
import struct
import subprocess
import sys
import time
import traceback
from decimal import ROUND_HALF_UP, Decimal

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hostile  # noqa: E402
from browser import Browser  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

PERF, DATA = os.environ['PERF'], os.environ['DATA']
SCRATCH = sys.argv[1]
WIDTHS = 400, 1280, 2000
SAMPLE_TIME = 21  # HEADER_SAMPLE_TIME: first and last time of a recording
browser = None

# whatever kernel this machine runs
NAMED = '--kallsyms', f'{DATA}/kallsyms'

# what the pages are of, and the options that make them
PAGES = {
    'slab': ['stat', '--slab', '-i', f'{DATA}/bpf.data'],
    'page': ['stat', '--page', '-i', f'{DATA}/page.data', *NAMED],
    'both': ['stat', '--slab', '--page', '-i', f'{DATA}/both.data', *NAMED],
    'lossy': ['stat', '--slab', '--page', '-i', f'{DATA}/lossy.data', *NAMED],
    'leak': ['leak', '--slab', '--page', '-i', f'{DATA}/both.data', *NAMED],
    'leak-by-comm': ['leak', '--page', '--by', 'comm', '-i', f'{DATA}/both.data', *NAMED],
    'leak-stacks': ['leak', '--page', '--stack', '-i', f'{DATA}/both.data', *NAMED],
    'diff': ['diff', f'{DATA}/slab.data', f'{DATA}/both.data', *NAMED],
    'diff-lossy': ['diff', '--slab', '--page', f'{DATA}/lossy.data', f'{DATA}/lossy.data', *NAMED],
    'diff-noise': ['diff', f'{DATA}/slab.data', f'{DATA}/both.data', *NAMED, '--old', f'{DATA}/both.data'],
    'diff-rates': ['diff', '--per-second', f'{DATA}/slab.data', f'{DATA}/both.data', *NAMED],
    'diff-stacks': ['diff', '--page', '--by', 'stack', f'{DATA}/both.data', f'{DATA}/demo.perf.data', *NAMED],
    'leak-dump': ['leak', '--page', '-i', f'{DATA}/page_owner-6.12.txt'],
    'leak-nothing': ['leak', '--slab', '--comm', 'nobody', '-i', f'{DATA}/both.data', *NAMED],
    'leak-quiet': ['leak', '-q', '--page', '-i', f'{DATA}/page.data', *NAMED],
    'leak-flame': ['leak', '--page', '-i', f'{DATA}/both.data', *NAMED],
    'diff-flame': ['diff', '--page', f'{DATA}/both.data', f'{DATA}/demo.perf.data', *NAMED],
    'commands': ['stat', '--page', '--by', 'comm,stack', '-i', f'{DATA}/both.data', *NAMED],
    'cgroups': ['stat', '--page', '--by', 'cgroup,stack', '-i', f'{DATA}/cgroup.data', *NAMED],
    'areas': ['stat', '--vmalloc', '--percpu-mem', '-i', f'{DATA}/areas.data'],
    'leak-areas': ['leak', '--vmalloc', '--percpu-mem', '-i', f'{DATA}/areas.data'],
    'diff-areas': ['diff', '--vmalloc', '--percpu-mem', f'{DATA}/areas.data', f'{DATA}/areas.data'],
    'cleared': ['stat', '--slab', '-i', f'{DATA}/cleared.perf'],
    'span': ['stat', '--slab', '--time', '4914.45,', '-i', f'{DATA}/both.data', *NAMED],
    'by-comm': ['stat', '--slab', '--page', '--by', 'comm', '-i', f'{DATA}/both.data', *NAMED],
    'first-rows': ['stat', '--slab', '--page', '-l', '2', '-i', f'{DATA}/both.data', *NAMED],
    'first-rows-of-diff': ['diff', '--slab', '-l', '5', f'{DATA}/slab.data', f'{DATA}/both.data', *NAMED],
    'first-row-of-leak': ['leak', '--slab', '-l', '1', '-i', f'{DATA}/slab.data', *NAMED],
    'first-rows-of-leak': ['leak', '--slab', '-l', '2', '-i', f'{DATA}/slab.data', *NAMED],
    'percpu': ['stat', '--percpu', '-i', f'{DATA}/percpu.data'],
    'extfrag': ['stat', '--extfrag', '-i', f'{DATA}/extfrag.data'],
    'lifetimes': ['stat', '--slab', '--lifetime', '-i', f'{DATA}/both.data', *NAMED],
    'diff-states': ['diff', '--slab', '--per-second', f'{DATA}/profiled-before.snapshot',
                    f'{DATA}/profiled-after.snapshot'],
    'where': ['where', '-f', '-i', f'{DATA}/where-before.snapshot'],
    'series': ['diff', '-f', f'{DATA}/leak.series'],
    'quiet': ['stat', '-q', '--slab', '--cpu', '0', '-i', f'{DATA}/both.data', *NAMED],
    'nothing': ['stat', '--slab', '--comm', 'nobody', '-i', f'{DATA}/both.data', *NAMED],
}


def perf(*arguments):
    return subprocess.run([PERF, 'kmem', *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def page(name):
    path = f'{SCRATCH}/{name}.html'
    if not os.path.exists(path):
        done = perf(*PAGES[name], '--format', 'html', '-o', path)
        assert done.returncode == 0, done.stderr.decode()
    return path


def show(name, width=1280, state='tab=all'):
    """Open a page; unless told otherwise, with the parts of all tabs."""
    browser.size(width)
    seconds = browser.open(page(name), state)
    assert not browser.complaints()
    return seconds


def numbers(name, *options):
    done = perf(*PAGES[name], *options, '--format', 'json')
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def drawn(part):
    """The numbers on what is drawn in a part of the page: {node: value}."""
    return dict(browser.js('return [...document.querySelectorAll(arguments[0] + " [data-node]")]'
                           '.map((e) => [Number(e.dataset.node), Number(e.dataset.value)])', part))


def equal(got, want, what):
    assert got == want, f'{what}: {got}, not {want}'


def in_bytes(n):
    """As numbers.js has it."""
    size, unit = abs(n), 0
    while size >= 1024 and unit < 5:
        size, unit = size / 1024, unit + 1
    if not unit:
        return f'{n:,} byte' + ('' if n == 1 else 's')
    # toFixed() rounds halves up
    size = Decimal(size).quantize(Decimal('0.01' if size < 10 else '0.1'), ROUND_HALF_UP)
    return f'{size} ' + ('KiB', 'MiB', 'GiB', 'TiB', 'PiB')[unit - 1]


def press_button(part, text):
    browser.js('[...document.querySelectorAll(arguments[0] + " button")]'
               '.find((b) => b.textContent === arguments[1]).click()', part, text)


# ---- sums ------------------------------------------------------------------------------------


def check_stat_sums(name, allocator, keys, bytes_id):
    rows = numbers(name, '--by', keys)[allocator]['tables'][0]['rows']
    show(name)
    for part, control in ('#flame', 'Width'), ('#map', 'Size'):
        for measure, field in ('Bytes', bytes_id), ('Hits', 'hits'), ('Live', 'live_bytes'):
            browser.select(part, control, measure)
            if part == '#flame':
                equal(drawn(part)[0], sum(row[field] for row in rows), f'{part} {measure}')
            else:
                boxes = browser.js('return [...document.querySelectorAll("#map .box:not(.group)")]'
                                   '.map((e) => Number(e.dataset.value))')
                equal(sum(boxes), sum(row[field] for row in rows), f'{part} {measure}')
    # each table's rows, through its CSV's way
    first = browser.js('return [...document.querySelectorAll("#tables tbody tr:first-child td")].length')
    assert first > 0


def test_sums_of_slab():
    check_stat_sums('slab', 'slab', 'callsite,cache', 'bytes_alloc')


def test_sums_of_pages():
    check_stat_sums('page', 'page', 'stack', 'bytes')


def test_frames_add_up():
    """A frame's value is at least the sum of the frames below it; children of the root add up to it."""
    show('page')
    rows = numbers('page', '--by', 'stack')['page']['tables'][0]['rows']
    outermost = {}
    for row in rows:
        frame = row['stack'][-1].split('+')[0] if row['stack'] else 'unknown'
        outermost[frame] = outermost.get(frame, 0) + row['bytes']
    got = dict(browser.js('return [...document.querySelectorAll("#flame [aria-level=\\"2\\"]")]'
                          '.map((e) => [e.getAttribute("aria-label").split(",")[0], Number(e.dataset.value)])'))
    for frame, value in got.items():
        equal(value, outermost[frame], frame)
    assert sum(got.values()) > 0.95 * sum(outermost.values()), got


def test_pictures_of_leak_lack_holders():
    """Holders' rows name one call site for the bytes of several, so no picture draws them."""
    show('leak')
    for part in '#flame', '#map':
        titles = browser.js(f'return [...document.querySelectorAll("{part} select")[0].options].map((o) => o.text)')
        assert titles and not [title for title in titles if 'who' in title.split()], titles


def test_tables_of_leak_are_told_apart():
    """Text output repeats some rows of a table; lists of the page have each table once."""
    show('leak')
    for titles in ('return [...document.querySelector("#flame select").options].map((o) => o.text)',
                   'return [...document.querySelector("#map select").options].map((o) => o.text)',
                   'return [...document.querySelectorAll(".table h3")].map((e) => e.textContent)'):
        got = browser.js(titles)
        assert len(got) > 1 and len(got) == len(set(got)), got


def test_sums_of_leak():
    leak = numbers('leak')['leak']
    show('leak')
    browser.select('#flame', 'Of', 'slab by callsite, cache')
    equal(drawn('#flame')[0], leak['slab']['bytes'], 'bytes')
    browser.select('#flame', 'Width', 'Leaking and growing bytes')
    equal(drawn('#flame')[0], sum(leak['slab']['behaviours'][b]['bytes'] for b in ('leaking', 'growing')), 'leaking')
    browser.select('#flame', 'Of', 'page by callsite')
    browser.select('#flame', 'Width', 'Bytes')
    equal(drawn('#flame')[0], leak['page']['bytes'], 'bytes of pages')


def test_sums_of_diff():
    rows = numbers('diff')['diff']['tables'][0]['rows']
    old, new = (sum(row[side]['bytes'] for row in rows) for side in ('old', 'new'))
    show('diff')
    equal(drawn('#flame')[0], old + new, 'both')
    for measure, want in ('bytes, now', new), ('bytes, before', old):
        browser.select('#flame', 'Width', measure)
        equal(drawn('#flame')[0], want, measure)
    colours = browser.js('return [...document.querySelectorAll("#flame .frame")].map((e) => e.className)')
    assert any('change-' in c for c in colours) and any('change4' in c or 'change1' in c for c in colours), colours


def test_rates_of_diff():
    rows = numbers('diff-rates')['diff']['tables'][0]['rows']
    show('diff-rates')
    verdict, first = (browser.text(of) for of in ('#verdict', '#findings li'))
    assert ' a second, before ' in verdict, verdict
    assert 'MiB a second less than before' in first, first
    assert browser.text('#findings .size').endswith(' MiB/s'), browser.text('#findings .size')
    for picture in '#flame', '#map':
        told = re.findall(r'[\d.]+ (?:bytes|.iB)(?: a second)?', browser.text(picture + ' .detail'))
        assert len(told) == 3 and all(amount.endswith(' a second') for amount in told), (picture, told)
    for measure, side in ('bytes a second, now', 'new'), ('bytes a second, before', 'old'):
        browser.select('#flame', 'Width', measure)
        # the last digits depend on the order in which they are added
        equal(round(drawn('#flame')[0]), round(sum(row[side]['bytes'] for row in rows)), measure)


def test_snapshots_are_states():
    """Only changes are per second, and a moment has no picture over time."""
    show('diff-states')
    first, verdict = browser.text('#findings li'), browser.text('#verdict')
    assert re.search(r' has [\d.]+ .iB a second more than before: [\d.]+ .iB, now [\d.]+ .iB\.', first), first
    assert re.search(r'slab [\d.]+ .iB, before [\d.]+ .iB \(', verdict), verdict
    assert not browser.all('#timeline, #timeline-before')


def test_who_holds_what_leaks():
    """The first tab has the rows, not only their heading."""
    text = perf(*PAGES['leak'], '--format', 'text').stdout.decode()
    who = [line.split('|')[0].strip() for line in text.split('\n\n')[2].splitlines()[2:] if '|' in line]
    show('leak', state='')
    equal(browser.js('return [...document.querySelectorAll("#notices tbody tr")].map((e) => '
                     'e.firstChild.textContent)'), who, 'holders')
    assert who and browser.text('#notices h3').startswith('Who holds what leaks or grows'), who


def test_names_of_a_narrow_page_are_whole():
    show('where', 400, state='')
    cut = browser.js('return [...document.querySelectorAll("td.name")].filter((e) => e.scrollWidth > e.clientWidth + 1)'
                     '.map((e) => e.textContent)')
    assert not cut, cut


def test_remarks_of_a_narrow_page_are_below_names():
    """Holders of memory are in few rows of 'where': at 400 px they need no column, and no scrolling."""
    left = """const cell = [...document.querySelectorAll(".table td:nth-child(4)")].find((e) => e.textContent);
        const name = cell.previousSibling.getBoundingClientRect(), own = cell.getBoundingClientRect();
        const scroll = cell.closest(".scroll");
        return [own.left - name.left, own.top >= name.bottom - 1, scroll.scrollWidth - scroll.clientWidth];"""
    show('where', 400, state='')
    equal(browser.js(left), [0, True, 0], 'holders at 400 px')
    show('where', 1280, state='')
    beside, is_below, _ = browser.js(left)
    assert beside > 50 and not is_below, (beside, is_below)
    # a name of a tree that is broken keeps its indentation
    show('where', 400, state='')
    indents = browser.js('return [...document.querySelectorAll("#tables td.name:nth-child(3)")].map((e) => '
                         '[e.textContent, parseFloat(getComputedStyle(e).paddingLeft)])')
    by_name = dict(indents)
    assert by_name['dentry'] > by_name['reclaimable'] > by_name['slab'] > 0, indents[:12]


def test_sums_of_the_timeline():
    line = numbers('both', '--timeline', '--by', 'callsite,cache')['slab']['timeline']
    show('both')
    everything = browser.text('#timeline [role=status]')
    assert in_bytes(sum(line['allocated_bytes'])) in everything, everything
    assert in_bytes(line['live_bytes'][-1]) + ' were live at its end' in everything, everything
    assert 'peak: ' + in_bytes(line['peak_bytes']) in browser.text('#timeline svg')
    # a span, with the sliders
    browser.js('const [a, b] = document.querySelectorAll("#timeline input[type=range]"); a.value = 100; '
               'a.dispatchEvent(new Event("input")); b.value = 200; b.dispatchEvent(new Event("input"));')
    span = browser.text('#timeline [role=status]')
    for want in (in_bytes(sum(line['allocated_bytes'][100:200])) + ' were allocated',
                 in_bytes(sum(line['freed_bytes'][100:200])) + ' freed', in_bytes(line['live_bytes'][99]) + ' were live before',
                 in_bytes(line['live_bytes'][199]) + ' after', 'whole recording'):
        assert want in span, (want, span)
    # what it says to repeat is of that span
    start, stop = (round(float(s), 9) for s in span.split('--time ')[1].split(','))
    assert abs((stop - start) * 1e9 - 100 * line['step_ns']) < 1000, (start, stop)
    before = dict(browser.js('return [...document.querySelectorAll("#timeline tbody tr")]'
                             '.map((tr) => [tr.children[0].textContent, tr.children[1].textContent])'))
    for row in line['rows']:
        equal(before[f"{row['symbol']}+{row['offset']:x}, {row['cache']}"], in_bytes(row['live_bytes'][99]), row['symbol'])


def choose_span(span):
    browser.js('const [a, b] = document.querySelectorAll("#timeline input[type=range]"); '
               'a.value = arguments[0]; b.value = arguments[1]; a.dispatchEvent(new Event("input"));', *span)


def wait_for_span():
    """Views follow when the sliders have rested for a moment."""
    time.sleep(0.3)


def rows_in_span(allocator, by, *options):
    """The rows with allocations, as the command on the page reports the selected span."""
    words = shlex.split(browser.text('#timeline code'))
    done = perf(*words[2:], *options, '--' + allocator, '--by', by, '--format', 'json')
    assert done.returncode == 0, done.stderr.decode()
    return [row for row in json.loads(done.stdout)[allocator]['tables'][0]['rows'] if row['hits']]


def bytes_of(row):
    return row.get('bytes_alloc', row.get('bytes'))


def pictures_follow(stacks, rows):
    """Flame graph, treemap, functions and sizes show the events of the span, and nothing else."""
    browser.select('#flame', 'Order', 'what allocates on top')
    for title, of in ('slab by callsite, cache', rows['slab']), ('page by stack', stacks):
        browser.select('#flame', 'Of', title)
        for measure, value in ('Bytes', bytes_of), ('Hits', lambda row: row['hits']):
            browser.select('#flame', 'Width', measure)
            want = {}
            for row in of:
                name = row['symbol'] if 'symbol' in row else row['stack'][0].split('+')[0]
                want[name] = want.get(name, 0) + value(row)
            equal(drawn('#flame')[0], sum(want.values()), f'flame graph: {title}, {measure}')
            got = dict(browser.js('return [...document.querySelectorAll("#flame [aria-level=\\"2\\"]")]'
                                  '.map((e) => [e.getAttribute("aria-label").split(",")[0], Number(e.dataset.value)])'))
            equal(got, {name: want[name] for name in got}, f'frames: {title}, {measure}')
            assert sum(got.values()) >= 0.9 * sum(want.values()), got
    functions = browser.js('return [...document.querySelectorAll("#sandwich tbody tr")].map((tr) => '
                           '[...tr.children].slice(0, 2).map((e) => e.textContent))')
    want = {}
    for row in stacks:
        name = row['stack'][0].split('+')[0]
        want[name] = want.get(name, 0) + bytes_of(row)
    equal({name: own for name, own in functions if own != '0 bytes'}, {name: in_bytes(n) for name, n in want.items()}, 'own')
    for title, allocator in ('slab by callsite, cache', 'slab'), ('page by callsite, order, migratetype', 'page'):
        browser.select('#map', 'Of', title)
        for measure, value in ('Bytes', bytes_of), ('Hits', lambda row: row['hits']):
            browser.select('#map', 'Size', measure)
            boxes = browser.js('return [...document.querySelectorAll("#map .box:not(.group)")]'
                               '.map((e) => Number(e.dataset.value))')
            equal(sum(boxes), sum(map(value, rows[allocator])), f'treemap: {allocator} {measure}')
    hits = browser.js('return [...document.querySelectorAll("#sizes table")].map((t) => [...t.querySelectorAll("tbody tr")]'
                      '.reduce((sum, tr) => sum + Number(tr.children[1].textContent.replace(/,/g, "")), 0))')
    equal(hits, [sum(row['hits'] for row in rows[allocator]) for allocator in ('slab', 'page')], 'sizes')


def table_follows(title, rows):
    """Each row of the table, through its CSV, and the sums below it."""
    browser.js('window.__copied = null; navigator.clipboard.writeText = async (t) => { window.__copied = t; };')
    press(title, 'Copy')
    browser.until(lambda: browser.js('return window.__copied'), 'copied')
    got = list(csv.DictReader(io.StringIO(browser.js('return window.__copied'))))
    pairs = [(int(row.get('bytes_alloc') or row.get('bytes')), int(row['hits'])) for row in got]
    equal(sorted(pairs), sorted((bytes_of(row), row['hits']) for row in rows), title)
    equal([size for size, _ in pairs], sorted((size for size, _ in pairs), reverse=True), 'order of ' + title)
    foot = browser.js("""return [...document.querySelectorAll(".table")].find((t) => t.querySelector("h3").textContent === arguments[0])
        .querySelector("tfoot").textContent""", title)
    assert len(rows) < 2 or in_bytes(sum(map(bytes_of, rows))) in foot and f"{sum(row['hits'] for row in rows):,}" in foot, foot


def test_everything_follows_the_span():
    """Tables, flame graph, treemap, functions and sizes are those of stat --time with the selected span."""
    show('both')
    cells = 'return [...document.querySelectorAll("#tables table")].map((t) => t.textContent)'
    whole = browser.js(cells), browser.text('#sizes')
    for span in (100, 200), (37, 38), (0, 511):
        choose_span(span)
        browser.until(lambda: all(browser.all(part + ' .of-span') for part in
                                  ('#panel-flame', '#panel-map', '#panel-sandwich', '#panel-sizes', '#panel-tables')), 'notes')
        wait_for_span()
        rows = {'slab': rows_in_span('slab', 'callsite,cache', *NAMED),
                'page': rows_in_span('page', 'callsite,order,migratetype', *NAMED)}
        assert span[1] < 100 or all(rows.values()), 'a poor example'
        pictures_follow(rows_in_span('page', 'stack', *NAMED), rows)
        table_follows('slab by callsite, cache', rows['slab'])
        table_follows('page by callsite, order, migratetype', rows['page'])
    # the span is in the address, and stays when a view is opened from it
    state = browser.js('return location.hash.slice(1)')
    got = browser.js(cells)
    show('both', state=state)
    assert browser.js(cells) == got != whole[0], 'tables of the address'
    titles = browser.js('return [...document.querySelectorAll(".table h3")].map((e) => e.textContent)')
    assert 'Ping-pong (slab allocator): pairs, whole recording' in titles, titles
    press_button('#panel-map', 'Whole recording')
    assert browser.js(cells) == whole[0], 'tables of the whole recording'
    equal(browser.text('#sizes'), whole[1], 'sizes of the whole recording')
    assert browser.text('#timeline [role=status]').startswith('In the whole recording')
    assert not browser.all('.of-span') and not browser.complaints()


def test_a_span_is_followed_by_hidden_tabs():
    show('both', state='')
    choose_span((100, 200))
    wait_for_span()
    rows = rows_in_span('slab', 'callsite,cache', *NAMED)
    browser.one('[data-tab=tables]').click()
    table_follows('slab by callsite, cache', rows)
    browser.one('[data-tab=flame]').click()
    browser.select('#flame', 'Of', 'slab by callsite, cache')
    equal(drawn('#flame')[0], sum(map(bytes_of, rows)), 'bytes')
    press_button('#panel-flame', 'Whole recording')
    assert drawn('#flame')[0] > sum(map(bytes_of, rows)) and not browser.all('#panel-flame .of-span')
    assert not browser.complaints()


def test_a_live_system_has_no_file():
    """The page of a watched machine names no file in its commands."""
    path = f'{SCRATCH}/watched.html'
    with open(page('both'), encoding='utf-8') as own, open(path, 'w', encoding='utf-8') as watched:
        watched.write(own.read().replace(f'"{DATA}/both.data"', '"this machine"'))
    browser.size(1280)
    browser.open(path, 'tab=all')
    choose_span((100, 200))
    assert browser.text('#timeline [role=status]').startswith('From '), browser.text('#timeline [role=status]')
    assert not browser.all('#timeline code')
    commands = browser.js('return [...document.querySelectorAll("#findings code")].map((e) => e.textContent)')
    assert commands and all(' --duration 10 ' in command and ' -i ' not in command for command in commands), commands


def test_a_span_of_many_rows():
    """Rows beyond the page's limit of figures by step are one, so sums stay exact."""
    nr = 40000
    path = f'{SCRATCH}/steps.data'
    with open(path, 'wb') as out:
        out.write(hostile.rec.recording(b''.join(
            hostile.rec.kmalloc(1000 + i, 0xffff888000000000 + 64 * i, size=64 + i % 7,
                                call_site=0xffffffff81000000 + 16 * (i % 17000)) for i in range(nr)),
            features={SAMPLE_TIME: struct.pack('<QQ', 1000, 1000 + nr - 1)}))
    PAGES['steps'] = ['stat', '-f', '--slab', '--by', 'callsite', '-i', path]
    show('steps')
    choose_span((100, 300))
    wait_for_span()
    rows = rows_in_span('slab', 'callsite', '-f')
    browser.select('#flame', 'Width', 'Hits')
    equal(drawn('#flame')[0], sum(row['hits'] for row in rows), 'hits')
    assert 'more with the least weight were folded into one' in browser.text('.table [role=status]')


def test_two_spans():
    """A span is kept, another one selected: both are in the table, per second; the address has both."""
    line = numbers('both', '--timeline', '--by', 'callsite,cache')['slab']['timeline']
    step = line['step_ns'] / 1e9
    spans = (50, 150), (200, 260)

    def rate(change, span):
        # numbers.js rounds halves up, and so does floor of a half more
        return math.floor(change / ((span[1] - span[0]) * step) + 0.5)

    def signed(n):
        return ('+' if n > 0 else '-' if n < 0 else '') + in_bytes(n)

    def rows():
        return {cells[0]: cells[1:] for cells in browser.js(
            'return [...document.querySelectorAll("#timeline .spans tbody tr")]'
            '.map((tr) => [...tr.children].map((td) => td.textContent))')}

    def check():
        got = rows()
        for name, values in ('Allocated', line['allocated_bytes']), ('Freed', line['freed_bytes']):
            old, new = (rate(sum(values[a:b]), (a, b)) for a, b in spans)
            equal(got[name], [in_bytes(old), in_bytes(new), signed(new - old)], name)
        live = [('Growth of live memory', line['live_bytes'])]
        live += [(f"{row['symbol']}+{row['offset']:x}, {row['cache']}", row['live_bytes']) for row in line['rows']]
        assert len(got) == len(live) + 2 > 5, got
        for name, values in live:
            old, new = (rate(values[b - 1] - values[a - 1], (a, b)) for a, b in spans)
            equal(got[name], [signed(old), signed(new), signed(new - old)], name)

    show('both')
    assert browser.js('return [...document.querySelectorAll("#timeline button")].find((b) => b.textContent.startsWith("Compare")).disabled')
    choose_span(spans[0])
    press_button('#timeline', 'Compare with another span')
    choose_span(spans[1])
    check()
    assert browser.js('return Number(document.querySelector(".kept-span").getAttribute("width"))') > 100
    state = browser.js('return location.hash.slice(1)')
    show('both', state=state)
    check()
    press_button('#timeline', 'Stop comparing')
    assert not rows() and browser.text('#timeline [role=status]').startswith('From ')
    assert not browser.complaints()


def timeline_is(part, line):
    """The sums of a timeline over its whole recording are those of JSON."""
    said = browser.text(part + ' [role=status]')
    for want in (in_bytes(sum(line['allocated_bytes'])) + ' were allocated', in_bytes(sum(line['freed_bytes'])) + ' freed',
                 in_bytes(line['live_bytes'][-1]) + ' were live at its end'):
        assert want in said, (want, said)
    assert 'peak: ' + in_bytes(line['peak_bytes']) in browser.text(part + ' svg')
    layers = browser.js('return [...document.querySelectorAll(arguments[0] + " path[class^=layer] title")]'
                        '.map((t) => t.textContent)', part)
    assert len(layers) == min(8, len(line['rows']) + 1), layers
    return layers


def timelines_of(path, *options):
    done = perf('stat', '-i', path, '--slab', '--page', '--timeline', *NAMED, *options, '--format', 'json')
    assert done.returncode == 0, done.stderr.decode()
    return {allocator: part['timeline'] for allocator, part in json.loads(done.stdout).items()
            if allocator in ('slab', 'page') and 'timeline' in part}


def test_timeline_of_leak():
    lines = timelines_of(f'{DATA}/both.data', '--by', 'callsite')
    show('leak')
    browser.select('#timeline', 'Of', 'page')
    layers = timeline_is('#timeline', lines['page'])
    equal(layers[0].split('+')[0], lines['page']['rows'][0]['symbol'], 'the most')
    browser.select('#timeline', 'Of', 'slab')
    timeline_is('#timeline', timelines_of(f'{DATA}/both.data', '--by', 'callsite,cache')['slab'])
    assert not browser.complaints()


def test_timelines_of_diff():
    show('diff')
    for part, path in ('#timeline-before', 'slab.data'), ('#timeline', 'both.data'):
        timeline_is(part, timelines_of(f'{DATA}/{path}', '--by', 'callsite')['slab'])
    # both have the same scale, and spans of their own
    labels = [browser.js('return [...document.querySelectorAll(arguments[0] + " svg text")].slice(0, 5)'
                         '.map((t) => t.textContent)', part) for part in ('#timeline-before', '#timeline')]
    equal(labels[0], labels[1], 'axes')
    browser.js('const [a] = document.querySelectorAll("#timeline-before input[type=range]"); a.value = 100; '
               'a.dispatchEvent(new Event("input"));')
    assert browser.text('#timeline-before [role=status]').startswith('From ')
    assert 'slab.data' in browser.text('#timeline-before code')
    assert browser.text('#timeline [role=status]').startswith('In the whole recording')


def test_rows_folded_away_are_told_and_counted():
    nr = 20100
    path = f'{SCRATCH}/many.data'
    with open(path, 'wb') as out:
        out.write(hostile.rec.recording(b''.join(
            hostile.rec.kmalloc(1000 + i, 0xffff888000000000 + 64 * i, size=64 + i) for i in range(nr))))
    PAGES['many'] = ['stat', '-f', '--slab', '--by', 'ptr', '-i', path]
    show('many', state='')
    total = in_bytes(sum(64 + i for i in range(nr)))
    assert f'of {total} of slab memory' in browser.text('#verdict'), browser.text('#verdict')
    show('many')
    equal(drawn('#flame')[0], sum(64 + i for i in range(nr)), 'bytes')
    assert '100 rows with the least weight are one frame' in browser.text('#flame'), browser.text('#flame')
    assert '100 more with the least weight were folded into one' in browser.text('.table [role=status]')


def test_sums_of_lifetimes():
    rows = numbers('lifetimes', '--by', 'callsite,cache')['slab']['tables'][0]['rows']
    show('lifetimes')
    equal(browser.text('#lifetimes h3'), f'slab: {sum(r["freed_hits"] for r in rows):,} freed', 'freed')


def fields():
    """The pairs in the heat map: {(row, column): value}."""
    return {(a, b): n for a, b, n in browser.js(
        'return [...document.querySelectorAll("#heat td[data-from]")]'
        '.map((td) => [Number(td.dataset.from), Number(td.dataset.to), Number(td.dataset.value)])')}


def test_sums_of_the_heat():
    show('both')
    for of in 'slab', 'page':
        ours = numbers('both', '--pingpong')[of]['pingpong']
        browser.select('#heat', 'Of', of)
        for measure, name in ('Frees', 'frees'), ('Bytes', 'bytes'):
            browser.select('#heat', 'Colour', measure)
            equal(fields(), {(p['alloc_cpu'], p['free_cpu']): p[name] for p in ours['pairs']}, f'{of} {name}')
        said = browser.text('#heat [role=status]')
        for n in ours['bytes'], ours['other_cpu_bytes']:
            assert in_bytes(n) in said, said
    browser.select('#heat', 'Colour', 'Frees')
    assert f"of which {ours['other_cpu_frees']:,} (" in browser.text('#heat [role=status]')


def many_cpus():
    path = f'{SCRATCH}/cpus.data'
    maker = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'robust', 'many_cpus.py')
    subprocess.run([sys.executable, maker, path], check=True)
    PAGES['cpus'] = ['stat', '-f', '--slab', '-i', path]


def test_heat_of_many_cpus():
    many_cpus()
    ours = numbers('cpus', '--pingpong')['slab']['pingpong']
    show('cpus')
    # neighbours together: 256 CPUs are 32 rows of 8
    want = {}
    for pair in ours['pairs']:
        key = pair['alloc_cpu'] // 8, pair['free_cpu'] // 8
        want[key] = want.get(key, 0) + pair['frees']
    equal({key: n for key, n in fields().items() if n}, want, 'neighbours')
    equal(len(fields()), 32 * 32, 'fields')
    browser.select('#heat', 'Rows', 'NUMA node')
    nodes = {(n['alloc_node'], n['free_node']): n['frees'] for n in ours['nodes']}
    equal({key: n for key, n in fields().items() if n}, nodes, 'nodes')
    # by keyboard: from a field to the next, and into it
    browser.js('document.querySelector("#heat [tabindex=\\"0\\"]").focus()')
    browser.driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    label = browser.driver.switch_to.active_element.get_attribute('aria-label')
    assert label.startswith('allocated on node 0, freed on node 1: 119'), label
    assert 'freed on node 1: 119' in browser.text('#heat .detail')
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    inside = {(p['alloc_cpu'], p['free_cpu']): p['frees'] for p in ours['pairs']
              if (p['alloc_node'], p['free_node']) == (0, 1)}
    equal({key: n for key, n in fields().items() if n}, inside, 'CPUs')
    assert 'allocated on node 0, freed on node 1' in browser.text('#heat .crumbs')
    browser.driver.back()
    browser.until(lambda: len(fields()) == 16, 'all nodes')
    assert not browser.complaints()


def test_colours_of_the_heat():
    """The busiest pair has the strongest one, what stays has none, nothing is nothing."""
    many_cpus()
    show('cpus')
    browser.select('#heat', 'Rows', 'NUMA node')
    looks = {(a, b): look for a, b, look in browser.js(
        'return [...document.querySelectorAll("#heat td[data-from]")]'
        '.map((td) => [Number(td.dataset.from), Number(td.dataset.to), td.className])')}
    equal({looks[i, i] for i in range(4)}, {'stays folded'}, 'the same node')
    equal(looks[3, 0], 'share4 folded', 'the most')
    equal(looks[0, 2], 'none', 'nothing')
    # the legend has the colours that are there, each with the least of its fields
    least = {}
    for place, n in fields().items():
        if n and place[0] != place[1]:
            least[looks[place]] = min(n, least.get(looks[place], n))
    equal(browser.js('return [...document.querySelectorAll("#heat .legend .swatch")].slice(1)'
                     '.map((e) => [e.classList[1] + " folded", e.textContent])'),
          [[look, f'from {n:,}'] for look, n in sorted(least.items(), reverse=True)], 'legend')


def test_heat_of_a_narrow_page():
    """Which row it is stays in sight while the fields scroll, and the page does not."""
    many_cpus()
    show('cpus', 400)
    browser.js('document.querySelector("#heat .scroll").scrollLeft = 10000')
    row, scroll, width = browser.js("""
        const left = (e) => e.getBoundingClientRect().left, scroll = document.querySelector("#heat .scroll");
        return [left(document.querySelector("#heat tbody th")) - left(scroll), scroll.scrollLeft,
                document.documentElement.scrollWidth];""")
    assert scroll > 100 and abs(row) <= 1 and width <= 400, (row, scroll, width)


def check_counts(name, part):
    """Each series is drawn, and its table adds up to JSON's."""
    line = numbers(name, '--timeline')[part]['timeline']
    series = {key: values for key, values in line.items() if isinstance(values, list)}
    show(name)
    where = f'#{part}-over-time'
    labels = dict(browser.js('return [...document.querySelectorAll(arguments[0] + " svg")]'
                             '.map((e) => [e.dataset.series, e.getAttribute("aria-label")])', where))
    equal(list(labels), list(series), 'series')
    for key, values in series.items():
        assert f': {sum(values):,} in all, at most {max(values):,} in a step' in labels[key], labels[key]
    browser.one(where + ' summary').click()
    rows = browser.js('return [...document.querySelectorAll(arguments[0] + " tbody tr")]'
                      '.map((tr) => [...tr.querySelectorAll("td")].map((td) => Number(td.textContent.replace(/,/g, ""))))', where)
    width = -(-len(next(iter(series.values()))) // 32)
    for at, (key, values) in enumerate(series.items()):
        equal([row[at] for row in rows], [sum(values[i:i + width]) for i in range(0, len(values), width)], key)
    # drawn as high as it is: the path goes up to the top where most happened
    for key, values in series.items():
        heights = browser.js('return document.querySelector(arguments[0]).getAttribute("d").match(/[\\d.]+,[\\d.]+/g)'
                             '.map((p) => Number(p.split(",")[1]))', f'{where} svg[data-series={key}] path')
        drawn_values = [74 - y for y in heights[:2 * len(values):2]]
        scale = 54 / max(1, *values)
        assert all(abs(got - scale * n) < 0.01 for got, n in zip(drawn_values, values)), key
    assert not browser.complaints()


def test_percpu_over_time():
    check_counts('percpu', 'percpu')


def test_extfrag_over_time():
    check_counts('extfrag', 'extfrag')


def test_titles_of_counts():
    show('percpu')
    titles = browser.js('return [...document.querySelectorAll("h2, .table h3")].map((e) => e.textContent)')
    for title in 'Per-CPU page lists over time', 'Per-CPU page lists: CPUs', 'Per-CPU page lists: free callers':
        assert title in titles, titles


def test_kinds_of_findings_fit():
    show('extfrag')
    words = browser.js("""return [...document.querySelectorAll(".findings .kind")]
        .map((e) => [e.textContent, e.scrollWidth <= e.clientWidth && e.clientHeight < 30])""")
    assert words and all(fits for _, fits in words), words


def test_what_percpu_found():
    show('percpu')
    assert 'zone->lock was taken' in browser.text('#findings'), browser.text('#findings')


def test_brush():
    show('both')
    box = browser.js('document.querySelector("#timeline").scrollIntoView(); '
                     'const s = document.querySelector("#timeline svg").getBoundingClientRect(); return [s.left, s.top, s.width]')
    for kind, x, buttons in ('mousePressed', 0.3, 1), ('mouseMoved', 0.5, 1), ('mouseReleased', 0.5, 0):
        browser.driver.execute_cdp_cmd('Input.dispatchMouseEvent', {
            'type': kind, 'x': box[0] + x * box[2], 'y': box[1] + 80, 'button': 'left', 'buttons': buttons, 'clickCount': 1})
    browser.until(lambda: browser.text('#timeline [role=status]').startswith('From '), 'a span')
    assert browser.js('return Number(document.querySelector(".brush").getAttribute("width"))') > 100
    press_button('#timeline', 'Whole recording')
    assert browser.text('#timeline [role=status]').startswith('In the whole recording')


def test_callchains_of_leak():
    """Rows stay by call site, and the flame graph has the callchains of their memory."""
    leak = numbers('leak-flame')['leak']['page']
    show('leak-flame')
    browser.select('#flame', 'Of', 'page by stack')
    equal(drawn('#flame')[0], leak['bytes'], 'bytes')
    assert browser.js('return document.querySelectorAll("#flame [aria-level=\\"4\\"]").length') > 1
    browser.select('#flame', 'Width', 'Leaking and growing bytes')
    chains = numbers('leak-flame', '--stack')['leak']['page']['rows']
    leaks = {row['symbol'] for row in leak['rows'] if row['behaviour'] in ('leaking', 'growing')}
    equal(drawn('#flame')[0], sum(leak['behaviours'][b]['bytes'] for b in ('leaking', 'growing')), 'leaking')
    browser.select('#flame', 'Order', 'what allocates on top')
    top = browser.js('return [...document.querySelectorAll("#flame [aria-level=\\"2\\"]")]'
                     '.filter((e) => Number(e.dataset.value)).map((e) => e.getAttribute("aria-label").split(",")[0])')
    assert chains and top and set(top) <= leaks, (top, leaks)


def test_callchains_of_diff_by_default():
    rows = numbers('diff-flame', '--by', 'stack')['diff']['tables'][0]['rows']
    show('diff-flame')
    browser.select('#flame', 'Of', 'page by stack')
    equal(drawn('#flame')[0], sum(row[side]['bytes'] for row in rows for side in ('old', 'new')), 'both')
    assert browser.js('return document.querySelectorAll("#flame [aria-level=\\"4\\"]").length') > 1


def test_callchains_of_diff():
    show('diff-stacks')
    assert browser.js('return document.querySelectorAll("#flame [aria-level=\\"3\\"]").length') > 1


# ---- what is clicked ---------------------------------------------------------------------------


def frame(name):
    return browser.js('return [...document.querySelectorAll("#flame .frame")]'
                      '.find((e) => e.getAttribute("aria-label").startsWith(arguments[0] + ","))', name)


def test_zoom_breadcrumbs_and_the_back_button():
    show('page')
    width = browser.js('return document.querySelector(".flame").clientWidth')
    frame('do_syscall_64').click()
    assert abs(browser.js('return arguments[0].offsetWidth', frame('do_syscall_64')) - width) < 2
    crumbs = browser.text('#flame .crumbs')
    assert crumbs.startswith('all') and crumbs.endswith('do_syscall_64'), crumbs
    assert 'Its callers' in browser.text('#flame .related')
    browser.driver.back()
    browser.until(lambda: browser.text('#flame .crumbs') == 'all', 'zoomed out')
    assert browser.js('return arguments[0].offsetWidth', frame('do_syscall_64')) < width
    browser.driver.forward()
    browser.until(lambda: browser.text('#flame .crumbs') == crumbs, 'zoomed again')
    browser.one('#flame .crumbs button').click()
    equal(browser.text('#flame .crumbs'), 'all', 'crumbs')


def test_keys_in_the_flame_graph():
    show('page')
    browser.js('document.querySelector("#flame [tabindex=\\"0\\"]").focus()')
    active = browser.driver.switch_to.active_element
    active.send_keys(Keys.ARROW_DOWN)
    active = browser.driver.switch_to.active_element
    equal(active.get_attribute('aria-level'), '2', 'level')
    first = active.get_attribute('data-node')
    active.send_keys(Keys.ARROW_RIGHT)
    assert browser.driver.switch_to.active_element.get_attribute('data-node') != first
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert browser.text('#flame .crumbs') != 'all'
    browser.driver.switch_to.active_element.send_keys(Keys.BACKSPACE)
    equal(browser.text('#flame .crumbs'), 'all', 'crumbs')


def test_search_says_its_share():
    show('page')
    rows = numbers('page', '--by', 'stack')['page']['tables'][0]['rows']
    found = sum(r['bytes'] for r in rows if any('do_fault' in f for f in r['stack']))
    total = sum(r['bytes'] for r in rows)
    browser.one('#flame input[type=search]').send_keys('do_fault')
    browser.until(lambda: browser.all('#flame .match'), 'matches')
    percent = 100 * found / total
    want = f'{percent:.2f} %' if percent < 10 else f'{percent:.1f} %'
    assert want in browser.text('#flame [role=status]'), (want, browser.text('#flame [role=status]'))


def test_callers_and_callees():
    """The description of a zoomed function: whoever calls it, and what it calls, wherever that is in the graph."""
    show('page')
    rows = numbers('page', '--by', 'stack')['page']['tables'][0]['rows']
    name = 'handle_mm_fault'
    frame(name).click()
    callers, callees = {}, {}
    for row in rows:
        stack = [f.split('+')[0] for f in row['stack'] or []]
        if name in stack:
            at = stack.index(name)
            assert stack.count(name) == 1
            above = stack[at + 1] if at + 1 < len(stack) else '(none)'
            callers[above] = callers.get(above, 0) + row['bytes']
            if at:
                callees[stack[at - 1]] = callees.get(stack[at - 1], 0) + row['bytes']
    for caption, want in ('Its callers', callers), ('It calls', callees):
        got = dict(browser.js('return [...[...document.querySelectorAll("#flame .related table")]'
                              '.find((t) => t.caption.textContent === arguments[0]).querySelectorAll("tbody tr")]'
                              '.map((tr) => [tr.children[0].textContent, tr.children[1].textContent])', caption))
        largest = sorted(want, key=want.get, reverse=True)[:12]
        equal({n: got.get(n) for n in largest}, {n: in_bytes(want[n]) for n in largest}, caption)


def test_reversed():
    show('page')
    total = drawn('#flame')[0]
    browser.select('#flame', 'Order', 'what allocates on top')
    equal(drawn('#flame')[0], total, 'total')
    rows = numbers('page', '--by', 'stack')['page']['tables'][0]['rows']
    inner = {row['stack'][0].split('+')[0] for row in rows if row['stack']}
    top = browser.js('return [...document.querySelectorAll("#flame [aria-level=\\"2\\"]")]'
                     '.map((e) => e.getAttribute("aria-label").split(",")[0])')
    assert top and set(top) <= inner | {'unknown'}, (top, inner)


def test_treemap_zooms():
    show('slab')
    boxes = browser.all('#map button.box')
    name = boxes[0].get_attribute('aria-label').split(',')[0]
    browser.js('arguments[0].click()', boxes[0])
    equal(browser.text('#map .crumbs'), 'all › ' + name, 'crumbs')
    browser.driver.back()
    browser.until(lambda: browser.text('#map .crumbs') == 'all', 'zoomed out')
    before = browser.text('#map .treemap')
    browser.select('#map', 'Outermost', 'Callsite')
    assert browser.text('#map .treemap') != before


def column(table, heading):
    return browser.js("""const table = [...document.querySelectorAll(".table")].find((t) => t.querySelector("h3").textContent === arguments[0]);
        const at = [...table.querySelectorAll("th")].findIndex((th) => th.textContent.replace(/ [▾▴]/, "") === arguments[1]);
        return [...table.querySelectorAll("tbody tr")].map((tr) => tr.children[at].textContent);""", table, heading)


def press(table, label):
    browser.js("""const table = [...document.querySelectorAll(".table")].find((t) => t.querySelector("h3").textContent === arguments[0]);
        [...table.querySelectorAll("button")].find((b) => b.textContent.startsWith(arguments[1])).click();""", table, label)


def sorted_by():
    return browser.js('return [...document.querySelectorAll("#tables .table:first-child th[aria-sort]")]'
                      '.map((th) => [th.textContent, th.getAttribute("aria-sort")])')


def test_tables_sort_search_and_choose_columns():
    show('slab')
    table = 'slab by callsite, cache'
    # the report's own order, until the reader chooses one
    equal(sorted_by(), [['Bytes ▾', 'descending']], 'sorted')
    press(table, 'Hits')
    hits = [int(h.replace(',', '')) for h in column(table, 'Hits')]
    equal(hits, sorted(hits, reverse=True), 'descending')
    rows = numbers('slab', '--by', 'callsite,cache')['slab']['tables'][0]['rows']
    equal(hits[0], max(r['hits'] for r in rows), 'most hits')
    press(table, 'Hits')
    hits = [int(h.replace(',', '')) for h in column(table, 'Hits')]
    equal(hits, sorted(hits), 'ascending')
    cache = rows[0]['cache']
    browser.one('.table input[type=search]').send_keys(cache)
    want = sum(any(cache in str(r[k]).lower() for k in ('cache', 'symbol')) for r in rows)
    browser.until(lambda: f'of {want} rows that match' in browser.text('.table [role=status]'), f'{want} rows')
    browser.js('document.querySelector(".chooser").open = true')
    box = browser.js('return [...document.querySelectorAll(".table .choices label")]'
                     '.find((l) => l.textContent.startsWith("Unseen frees")).querySelector("input")')
    box.click()
    assert all(v.replace(',', '').isdigit() for v in column(table, 'Unseen frees'))


def test_rows_as_csv():
    show('slab')
    browser.js('window.__copied = null; navigator.clipboard.writeText = async (t) => { window.__copied = t; };')
    press('slab by callsite, cache', 'Copy')
    browser.until(lambda: browser.js('return window.__copied'), 'copied')
    got = list(csv.DictReader(io.StringIO(browser.js('return window.__copied'))))
    rows = numbers('slab', '--by', 'callsite,cache')['slab']['tables'][0]['rows']
    equal(len(got), len(rows), 'rows')
    for ours, theirs in zip(got, rows):
        for field in 'bytes_alloc', 'hits', 'bytes_req', 'pingpong':
            equal(int(ours[field]), theirs[field], field)
        equal(ours['cache'], theirs['cache'], 'cache')


def test_a_row_opens_its_stacks():
    show('page')
    browser.js('document.querySelector("#tables td button").click()')
    name = browser.one('#flame input').get_attribute('value')
    assert name and browser.all('#flame .match'), name
    # a finding of slab, while the graph is of pages
    show('both')
    browser.js('[...document.querySelectorAll("#findings li")].find((l) => l.textContent.includes("_struct)"))'
               '.querySelector("button").click()')
    browser.until(lambda: browser.all('#flame .match'), 'the graph of slab')


def test_a_row_has_sums_and_bars():
    show('slab')
    table = 'slab by callsite, cache'
    rows = numbers('slab', '--by', 'callsite,cache')['slab']['tables'][0]['rows']

    def foot(heading):
        return browser.js("""const table = [...document.querySelectorAll(".table")].find((t) => t.querySelector("h3").textContent === arguments[0]);
            const at = [...table.querySelectorAll("th")].findIndex((th) => th.textContent.replace(/ [▾▴]/, "") === arguments[1]);
            return table.querySelector("tfoot tr").children[at].textContent;""", table, heading)

    equal(foot('Bytes'), in_bytes(sum(r['bytes_alloc'] for r in rows)), 'bytes')
    equal(foot('Hits'), f'{sum(r["hits"] for r in rows):,}', 'hits')
    widths = browser.js('return [...document.querySelectorAll("#tables .table:first-child td.part")]'
                        '.map((td) => parseFloat(td.style.backgroundSize))')
    most = max(r['bytes_alloc'] for r in rows)
    for got, row in zip(widths, rows):
        assert abs(got - 100 * row['bytes_alloc'] / most) < 0.01, (got, row)
    # the foot has the sum of the found rows
    cache = rows[0]['cache']
    browser.one('.table input[type=search]').send_keys(cache)
    found = [r for r in rows if any(cache in str(r[k]).lower() for k in ('cache', 'symbol'))]
    browser.until(lambda: foot('Bytes') == in_bytes(sum(r['bytes_alloc'] for r in found)), 'the sum of what matches')


def test_totals_on_the_first_screen():
    summary = numbers('both')
    show('both')
    said = browser.text('#overview dl.totals')
    for want in ('Allocated ' + in_bytes(summary['slab']['summary']['bytes_allocated']),
                 'Live at the end ' + in_bytes(summary['slab']['summary']['bytes_live']),
                 'Allocated ' + in_bytes(summary['page']['summary']['alloc_bytes']),
                 'Allocations ' + f"{summary['page']['summary']['alloc_requests']:,}"):
        assert want in said, (want, said)
    bottom = browser.js('return document.querySelector("#overview").getBoundingClientRect().bottom')
    assert bottom < 1000, f'totals end at {bottom} px'


def test_filters_are_named():
    """As in the header of text; a page without a header names them all the same."""
    for name, filters in (('nothing', '--comm nobody'), ('quiet', '--cpu 0')):
        show(name)
        said = browser.text('dl.facts')
        assert f'Filters{filters}' in said, said
    show('both')
    assert 'Filters' not in browser.text('dl.facts')


def test_user_memory_is_no_leak():
    """Memory of processes and the page cache is not among the findings of a leak report."""
    rows = numbers('leak')['leak']['page']['rows']
    assert any(row['use'] != 'kernel' and row['behaviour'] in ('leaking', 'growing') for row in rows), 'a poor example'
    show('leak')
    told = browser.js('return [...document.querySelectorAll("#findings .kind")].map((e) => [e.textContent, '
                      'e.nextElementSibling.textContent])')
    for kind, text in told:
        of = [row for row in rows if text.startswith(f"{row['symbol']}+{row['offset']:x} holds")]
        assert kind in ('Leaking', 'Growing', 'Bouncing', 'Wasting', 'Holding'), kind
        assert all(row['use'] == 'kernel' for row in of), text


def test_leaks_are_ranked_by_the_report():
    """The findings of a leak report are those that it numbered, in its order, not the largest rows."""
    leak = numbers('leak')['leak']
    want = []
    for allocator in 'slab', 'page':
        numbered = sorted((row for row in leak[allocator]['rows'] if row['finding']), key=lambda row: row['finding'])
        want += [(row['behaviour'].capitalize(), f"{row['symbol']}+{row['offset']:x}") for row in numbered]
    assert want, 'a poor example'
    show('leak')
    told = browser.js('return [...document.querySelectorAll("#findings .kind")].map((e) => [e.textContent, '
                      'e.nextElementSibling.textContent])')
    equal([(kind, text.split()[0]) for kind, text in told if kind in ('Leaking', 'Growing')], want, 'findings')


SEVERITY = {'Leaking': 0, 'Growing': 1, 'More': 2, 'Holding': 2, 'Wasting': 2, 'Fragmenting': 3, 'Bouncing': 4, 'Temporary': 5, 'Less': 5}


def test_first_screen():
    """One sentence, then at most four findings, the most severe first; the others are folded."""
    for name, verdict in (('both', 'Allocates most: '), ('leak', 'Leaking: '), ('diff', 'Allocated: slab '),
                          ('where', 'Of '), ('series', 'Process leaky 812 grows steadily'), ('nothing', 'Nothing stands out')):
        show(name, state='')
        said = browser.text('#verdict')
        assert said.startswith(verdict), (name, said)
        kinds = browser.js('return [...document.querySelectorAll("#findings .kind")].map((e) => e.textContent)')
        equal([SEVERITY[k] for k in kinds], sorted(SEVERITY[k] for k in kinds), f'{name}: order')
        assert all(kinds.count(k) <= 3 for k in kinds if k not in ('Leaking', 'Growing')), kinds
        first = browser.js('return document.querySelector("#findings > ol").children.length')
        folded = browser.js('return document.querySelectorAll("#findings details ol > li").length')
        assert first <= 4 and (first == 4 or not folded), (first, folded)
        bottom = browser.js('return document.querySelector("#findings").getBoundingClientRect().bottom')
        assert bottom < 700, f'{name}: findings end at {bottom} px'
    show('leak', state='')
    row = next(row for row in numbers('leak')['leak']['page']['rows'] if row['finding'] == 1)
    equal(browser.text('#findings .size'), in_bytes(row['bytes']), 'size')
    about = browser.text('#findings .about')
    assert f"Held by {row['owner']['comm']}-{row['owner']['pid']}" in about and f"evidence: {row['evidence']}" in about, about
    equal(browser.one('#findings .spark').get_attribute('aria-label'), ', '.join(map(str, row['live_bytes'])), 'history')


def test_figures_of_the_verdict():
    """Totals are those of the whole report, also with a limit on rows; any rows have a largest one."""
    for name in 'both', 'first-rows', 'by-comm', 'areas':
        report = numbers(name)
        show(name, state='')
        parts = browser.text('#verdict').removeprefix('Allocates most: ').split('; ')
        equal(len(parts), 2, name)
        for part, allocator in zip(parts, ('vmalloc', 'percpu-mem') if name == 'areas' else ('slab', 'page')):
            summary = report[allocator]['summary']
            total = in_bytes(summary.get('bytes_allocated', summary.get('alloc_bytes')))
            assert f' of {total} of ' in part, (name, part)
            if name == 'by-comm':
                size, comm = max((row.get('bytes_alloc', row.get('bytes')), row['comm'])
                                 for row in report[allocator]['tables'][0]['rows'])
                assert part.startswith(f'{comm}, {in_bytes(size)} of '), (part, comm, size)
    # a sum without all rows is not shown
    show('first-rows-of-diff', state='')
    assert browser.text('#verdict').startswith('The largest change: '), browser.text('#verdict')
    for name, verdict in (('first-rows-of-leak', 'Growing: copy_process+'),
                          ('first-row-of-leak', 'None of the first call sites'),
                          ('leak-by-comm', 'Leaking: python3 holds ')):
        show(name, state='')
        assert browser.text('#verdict').startswith(verdict), browser.text('#verdict')


def test_verdict_without_leaks():
    """That there is no leak is said only of memory whose frees are known."""
    for name, verdict in (('leak-dump', 'Growth is unknown: this source has no frees.'),
                          ('leak-nothing', 'No leak was found: nothing that was allocated is live'),
                          ('leak-quiet', 'No leak was found: no call site')):
        show(name, state='')
        said = browser.text('#verdict')
        assert said.startswith(verdict), (name, said)


def test_noise_is_no_finding():
    """The new recording is also one of the old state, so nothing has changed."""
    show('diff', state='')
    assert browser.all('#findings li'), 'a poor example'
    show('diff-noise', state='')
    assert not browser.all('#findings li'), browser.text('#findings')


def test_frees_that_are_not_traced_are_no_finding():
    rows = numbers('both', '--by', 'callsite,cache')['slab']['tables'][0]['rows']
    most = max(rows, key=lambda row: row['live_bytes'])
    assert most['unseen_frees'] > most['freed_hits'], 'a poor example'
    show('both', state='')
    assert most['symbol'] not in browser.text('#findings'), browser.text('#findings')


def test_the_kernels_count_clears():
    """Its frees have no event, and only the kernel's count of its cache shows it."""
    row, = (row for row in numbers('cleared', '--live', '--by', 'callsite,cache')['slab']['tables'][0]['rows']
            if row['cache'] == 'eventpoll_epi')
    assert row['unseen_frees'] <= row['freed_hits'] and row['live_bytes_untraced'] == row['live_bytes'], row
    show('cleared', state='')
    found = browser.js('return [...document.querySelectorAll("#findings li")].map((e) => e.textContent)')
    assert any(text.startswith('Holding') for text in found), found
    assert not any(row['symbol'] in text for text in found), found
    assert any(text.startswith('924 frees of eventpoll_epi have no tracepoint here') for text in found), found


def test_frees_on_other_cpus():
    """Bouncing is counted in frees: pages are not objects."""
    row = max(numbers('both', '--by', 'callsite,order,migratetype')['page']['tables'][0]['rows'], key=lambda row: row['pingpong'])
    show('both', state='')
    told = browser.js('return [...document.querySelectorAll("#findings li")].map((e) => e.textContent)'
                      '.filter((t) => t.startsWith("Bouncing"))')
    assert any(row['symbol'] in text and f"{row['pingpong']:,} of {row['freed_hits']:,} frees (" in text for text in told), told


def test_each_allocator_is_a_subject():
    """Allocators other than slab and pages have findings, totals and a part of a diff's verdict, too."""
    show('areas', state='')
    commands = browser.js('return [...document.querySelectorAll("#findings code")].map((e) => e.textContent)')
    for allocator in 'vmalloc', 'percpu-mem':
        assert any(f' --{allocator} ' in command for command in commands), (allocator, commands)
        total = numbers('areas')[allocator]['summary']['bytes_allocated']
        assert 'Allocated ' + in_bytes(total) in browser.text('#overview dl.totals'), allocator
    show('diff-areas', state='')
    summaries = numbers('areas')
    for allocator in 'vmalloc', 'percpu-mem':
        want = f"{allocator} {in_bytes(summaries[allocator]['summary']['bytes_allocated'])}, before "
        assert want in browser.text('#verdict'), (want, browser.text('#verdict'))


def test_next_commands_work():
    for name in 'both', 'leak', 'diff', 'areas':
        show(name, state='')
        commands = browser.js('return [...document.querySelectorAll("#findings code")].map((e) => e.textContent)')
        assert commands, name
        for command in commands:
            words = shlex.split(command)
            equal(words[:2], ['perf', 'kmem'], command)
            done = perf(*words[2:], *NAMED)
            assert done.returncode == 0 and len(done.stdout) > 200, (command, done.stderr.decode())


# ---- tabs, keys, and the address -------------------------------------------------------------------


def visible():
    return browser.js('return [...document.querySelectorAll(".panel")].filter((e) => e.getClientRects().length)'
                      '.map((e) => e.id.slice(6))')


def keys(*sent):
    for key in sent:
        browser.driver.switch_to.active_element.send_keys(key)


def test_tabs():
    show('both', state='')
    equal(visible(), ['summary'], 'first')
    height = browser.js('return document.documentElement.scrollHeight')
    assert height < 2000, f'{height} px'
    names = browser.js('return [...document.querySelectorAll(".tab")].map((e) => e.dataset.tab)')
    for name in names[1:-1]:
        browser.one(f'[data-tab={name}]').click()
        equal(visible(), [name], 'after a click')
        assert browser.js('return document.querySelector(arguments[0]).clientHeight', '#panel-' + name) > 100, name
    browser.driver.back()
    browser.until(lambda: visible() == [names[-3]], 'the tab before')
    browser.one('[data-tab=flame]').click()
    keys(Keys.ARROW_RIGHT)
    equal(visible(), ['map'], 'after an arrow key')
    keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    equal(visible(), ['summary'], 'after two more')
    browser.one('[data-tab=all]').click()
    equal(visible(), names[:-1], 'all')
    assert not browser.complaints()


def test_views_are_drawn_once():
    """A step back draws the view that is shown once, and no hidden one."""
    show('page', state='tab=map')
    browser.one('[data-tab=flame]').click()
    frame('do_syscall_64').click()
    browser.js("""window.__drawn = {flame: 0, map: 0};
        for (const [id, part] of [["flame", "#flame .flame"], ["map", "#map .treemap"]])
            new MutationObserver((records) => {
                window.__drawn[id] += records.filter((r) => r.removedNodes.length).length;
            }).observe(document.querySelector(part), {childList: true});""")
    browser.driver.back()
    browser.until(lambda: browser.text('#flame .crumbs') == 'all', 'zoomed out')
    equal(browser.js('return window.__drawn'), {'flame': 1, 'map': 0}, 'drawn')
    # a view that comes back has its width
    browser.size(900)
    browser.one('[data-tab=map]').click()
    browser.one('[data-tab=flame]').click()
    width = browser.js('return document.querySelector("#flame .flame").clientWidth')
    assert abs(browser.js('return arguments[0].offsetWidth', frame('all')) - width) < 2


def test_keys_of_the_page():
    show('both', state='')
    keys('?')
    assert browser.js('return document.querySelector("#keys").open')
    assert 'Backspace' in browser.text('#keys')
    keys(Keys.ESCAPE)
    browser.until(lambda: not browser.js('return document.querySelector("#keys").open'), 'closed')
    browser.one('#show-keys').click()
    press_button('#keys', 'Close')
    assert not browser.js('return document.querySelector("#keys").open')
    keys('3')
    equal(visible(), ['map'], 'the third tab')
    keys('/')
    equal(visible(), ['flame'], 'where one can search')
    keys('do_fault?')
    equal(browser.one('#flame input').get_attribute('value'), 'do_fault?', 'typed, slash and all')
    names = browser.js('return [...document.querySelectorAll(".tab")].map((e) => e.dataset.tab)')
    keys(Keys.ESCAPE, str(names.index('tables') + 1))
    keys('/')
    equal(browser.js('return document.activeElement.closest(".panel").id'), 'panel-tables', 'search of a table')
    # without a flame graph, and with no search field at all
    for name, tab in ('extfrag', 'tables'), ('where', 'summary'), ('nothing', 'summary'):
        show(name, state='tab=details')
        keys('/')
        equal(visible(), [tab], f'{name}: where one can search')


def test_the_address_has_the_view():
    """An address brings back the choices and searches."""
    show('page', state='')
    browser.one('[data-tab=flame]').click()
    frame('do_syscall_64').click()
    browser.select('#flame', 'Width', 'Hits')
    browser.one('#flame input').send_keys('do_exit')
    browser.until(lambda: 'flame-find=do_exit' in browser.driver.current_url, 'the search')
    crumbs, matched = browser.text('#flame .crumbs'), browser.text('#flame [role=status]')
    browser.one('[data-tab=tables]').click()
    browser.js('[...document.querySelectorAll(".table th button")].find((b) => b.textContent === "Hits").click()')
    browser.one('.table input').send_keys('mm')
    browser.until(lambda: 'table0-find=mm' in browser.driver.current_url, 'the search')
    rows = browser.text('.table tbody')
    address = browser.driver.current_url.split('#')[1]
    show('page', state=address)
    equal(visible(), ['tables'], 'tab')
    equal(browser.text('.table tbody'), rows, 'rows')
    browser.one('[data-tab=flame]').click()
    equal(browser.text('#flame .crumbs'), crumbs, 'zoom')
    equal(browser.text('#flame [role=status]'), matched, 'search')
    for broken in 'tab=&flame=99&flame-at=x', 'tab=nowhere&table0-sort=-nothing&map-at=-1&timeline=9-1':
        show('page', state=broken)
        equal(visible(), ['summary'], broken)


def test_groups_of_the_flame_graph():
    rows = numbers('commands')['page']['tables'][0]['rows']
    want = {}
    for row in rows:
        want[row['comm']] = want.get(row['comm'], 0) + row['bytes']
    show('commands')
    total = drawn('#flame')[0]
    browser.select('#flame', 'Group by', 'Command')
    equal(drawn('#flame')[0], total, 'total')
    got = dict(browser.js('return [...document.querySelectorAll("#flame [aria-level=\\"2\\"]")]'
                          '.map((e) => [e.getAttribute("aria-label").split(",")[0], Number(e.dataset.value)])'))
    assert len(got) > 1, got
    for comm, value in got.items():
        equal(value, want[comm], comm)
    assert 'flame-group=comm' in browser.driver.current_url


def test_control_groups_in_the_flame_graph():
    rows = numbers('cgroups')['page']['tables'][0]['rows']
    want = {}
    for row in rows:
        want[row['cgroup']] = want.get(row['cgroup'], 0) + row['bytes']
    show('cgroups', state='tab=flame')
    browser.select('#flame', 'Group by', 'Cgroup')
    got = dict(browser.js('return [...document.querySelectorAll("#flame [aria-level=\\"2\\"]")]'
                          '.map((e) => [e.getAttribute("aria-label").split(",")[0], Number(e.dataset.value)])'))
    equal(got, want, 'control groups')
    frame('/shop/web').click()
    assert browser.text('#flame .crumbs').endswith('/shop/web'), browser.text('#flame .crumbs')


def test_pages_of_where_and_of_a_series():
    """Clicks in the pages without a flame graph: tabs, headings, searches, columns."""
    for name in 'where', 'series':
        show(name, state='')
        for heading in browser.js('return [...document.querySelectorAll("h3")].map((e) => e.textContent)'):
            assert not heading.isupper(), (name, heading)
        for tab in browser.js('return [...document.querySelectorAll(".tab")].map((e) => e.dataset.tab)'):
            browser.one(f'[data-tab={tab}]').click()
        headings = browser.js('return [...document.querySelectorAll("#tables th button")].length')
        assert headings > 4, (name, headings)
        for at in range(headings):
            for order in 'descending', 'ascending':
                browser.js('document.querySelectorAll("#tables th button")[arguments[0]].click()', at)
                sign = browser.js('return document.querySelectorAll("#tables th")[arguments[0]].getAttribute("aria-sort")', at)
                assert sign in ('descending', 'ascending'), (name, at, order, sign)
        before = len(browser.all('#tables tbody tr'))
        word = browser.js('return document.querySelector("#tables tbody td.name").textContent')
        browser.one('#tables input[type=search]').send_keys(word)
        browser.until(lambda: 'rows that match' in browser.text('#tables [role=status]'), word)
        assert 0 < len(browser.all('#tables tbody tr')) < before, (name, word)
        assert not browser.complaints()


def test_sandwich():
    """Own and total of functions, and callers and callees of one, against the rows of JSON."""
    show('page', state='tab=sandwich')
    rows = [([f.split('+')[0] for f in row['stack'] or ['unknown']], row['bytes'])
            for row in numbers('page', '--by', 'stack')['page']['tables'][0]['rows']]
    listed = browser.js('return [...document.querySelectorAll("#sandwich tbody tr")]'
                        '.map((tr) => [...tr.children].map((td) => td.textContent))')
    assert len(listed) > 20, listed
    for name, own, total in listed:
        equal(own, in_bytes(sum(n for stack, n in rows if stack[0] == name)), f'{name}: own')
        equal(total, in_bytes(sum(n for stack, n in rows if name in stack)), f'{name}: total')
    name = 'handle_mm_fault'
    browser.one('#sandwich input').send_keys(name)
    browser.until(lambda: len(browser.all('#sandwich tbody tr')) < len(listed), 'found')
    press_button('#sandwich', name)
    assert browser.text('#sandwich [role=status]').startswith(name + ': '), browser.text('#sandwich [role=status]')
    for part, step in ('Callers', 1), ('Callees', -1):
        want = {}
        for stack, n in rows:
            if name in stack:
                at = stack.index(name) + step
                if 0 <= at < len(stack):
                    want[stack[at]] = want.get(stack[at], 0) + n
        frames = browser.js('return [...document.querySelectorAll(`#sandwich [aria-label="${arguments[0]}"] .frame`)]'
                            '.map((e) => [e.getAttribute("aria-label").split(",")[0], Number(e.dataset.value), parseFloat(e.style.top)])',
                            part)
        level = max(top for _, _, top in frames) - 20 if part == 'Callers' else 0
        got = {frame: n for frame, n, top in frames if top == level}
        assert got and all(want[frame] == n for frame, n in got.items()), (part, got, want)
        assert sum(got.values()) > 0.9 * sum(want.values()), (part, got, want)
    # a frame becomes the function, and the back button undoes that
    browser.js('document.querySelector("#sandwich [aria-label=Callees] .frame").click()')
    assert not browser.text('#sandwich [role=status]').startswith(name + ': ')
    browser.driver.back()
    browser.until(lambda: browser.text('#sandwich [role=status]').startswith(name + ': '), name)
    assert not browser.complaints()


def test_sizes_of_allocations():
    check_sizes('slab')
    # a row may have live memory only, which was allocated before the span
    rows = check_sizes('span')
    assert any(not row['hits'] for row in rows), 'a poor example'


def check_sizes(name):
    rows = numbers(name, '--by', 'callsite,cache')['slab']['tables'][0]['rows']
    want = {}
    for row in (row for row in rows if row['hits']):
        size = row['bytes_alloc'] // row['hits']
        octave = 1
        while octave < size:
            octave *= 2
        hits, size = want.get(octave, (0, 0))
        want[octave] = hits + row['hits'], size + row['bytes_alloc']
    octave = min(want)
    while octave < max(want):
        octave *= 2
        want.setdefault(octave, (0, 0))
    show(name, state='tab=sizes')
    got = browser.js('return [...document.querySelectorAll("#sizes tbody tr")].map((tr) => '
                     '[...tr.children].map((td) => td.textContent))')
    equal([[size, hits, total] for size, hits, _, total, _ in got],
          [[in_bytes(octave), f'{want[octave][0]:,}', in_bytes(want[octave][1])] for octave in sorted(want)], 'sizes')
    return rows


def test_temporary_allocations():
    rows = numbers('slab', '--by', 'callsite,cache', '--lifetime')['slab']['tables'][0]['rows']
    show('slab', state='tab=flame')
    browser.select('#flame', 'Width', 'Short lived hits')
    equal(drawn('#flame')[0], sum(row['short_lived_hits'] for row in rows), 'freed within 1 ms')
    browser.one('[data-tab=summary]').click()
    told = browser.js('return [...document.querySelectorAll("#findings li")].map((e) => e.textContent)'
                      '.filter((t) => t.startsWith("Temporary"))')
    most = max((row for row in rows if 2 * row['short_lived_hits'] > row['hits']), key=lambda row: row['short_lived_hits'])
    assert any(most['symbol'] in text and f"{most['short_lived_hits']:,} of {most['hits']:,} were freed" in text
               for text in told), (most, told)


def test_print():
    """On paper: no controls, everything that folds is open."""
    show('leak')
    browser.driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {'media': 'print'})
    try:
        shown_controls = browser.js('return [...document.querySelectorAll(".tabs, .controls, #theme, #show-keys")]'
                                    '.filter((e) => e.getClientRects().length).map((e) => e.outerHTML.slice(0, 80))')
        assert not shown_controls, shown_controls
        browser.js('dispatchEvent(new Event("beforeprint"))')
        assert not browser.js('return document.querySelectorAll("details:not([open])").length')
        assert browser.js('return getComputedStyle(document.querySelector("#flame .frame")).printColorAdjust') == 'exact'
        browser.js('dispatchEvent(new Event("afterprint"))')
        assert browser.js('return document.querySelectorAll("details:not([open])").length') > 1
        pdf = browser.driver.execute_cdp_cmd('Page.printToPDF', {'printBackground': True})['data']
        assert len(pdf) > 10000
    finally:
        browser.driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {'media': ''})
    assert not browser.complaints()


def test_nothing_moves():
    """No layout shift: neither while the page draws itself, nor below the flame graph when frames are looked at."""
    for name in 'both', 'leak', 'diff':
        show(name)
        equal(browser.js('return window.__moved'), 0, f'{name}: layout shift')
    show('page')
    below = 'return document.querySelector("#map").getBoundingClientRect().top + scrollY'
    tops = set()
    for name in 'do_syscall_64', 'handle_mm_fault', 'asm_exc_page_fault':
        browser.js('arguments[0].dispatchEvent(new MouseEvent("mouseover", {bubbles: true}))', frame(name))
        tops.add(browser.js(below))
    equal(len(tops), 1, 'places of the treemap')


def test_measures_of_each_picture():
    """Each measure of each picture draws something, and its control says what it is."""
    show('both')
    for part, control in ('#flame', 'Width'), ('#map', 'Size'):
        names = browser.js('return [...document.getElementById([...document.querySelectorAll(arguments[0] + " label")]'
                           '.find((l) => l.textContent === arguments[1]).htmlFor).options].map((o) => o.textContent)', part, control)
        assert len(names) == len(set(names)) > 3, names
        for name in names:
            browser.select(part, control, name)
            assert browser.js('return document.querySelectorAll(arguments[0] + " [data-node]").length', part) > 0, name
    assert not browser.complaints()


def test_keys_in_everything():
    """Treemap, timeline, tables and folded details by keyboard alone."""
    show('slab')
    browser.js('document.querySelector("#map button.box").focus()')
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert browser.text('#map .crumbs') != 'all'
    browser.js('document.querySelector("#timeline input[type=range]").focus()')
    browser.driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    assert browser.text('#timeline [role=status]').startswith('From ')
    browser.js('document.querySelector("#tables th button").focus()')
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert browser.all('#tables th[aria-sort]')
    browser.js('document.querySelector("#details summary").focus()')
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert browser.js('return document.querySelector("#details details").open')


def test_sizes():
    """Limits of a page: rows beyond 20,000 and their stacks are not written."""
    nr = 24000
    path = f'{SCRATCH}/stacks.data'
    with open(path, 'wb') as out:
        out.write(hostile.rec.recording(b''.join(
            hostile.rec.kmalloc(1000 + i, 0xffff888000000000 + 64 * i, size=64, call_site=0xffffffff81000000 + 16 * i)
            for i in range(nr))))
    done = perf('stat', '-f', '--slab', '-i', path, '--format', 'html')
    assert done.returncode == 0, done.stderr.decode()
    size = len(done.stdout)
    assert b'"folded"' in done.stdout
    # two tables of 20,000 rows, of call sites and of stacks, each with a frame of its own
    assert size < 5 << 20, size
    for name in 'slab', 'page', 'both', 'leak', 'diff':
        assert os.path.getsize(page(name)) < 1 << 20, name


def background_is(want, what):
    browser.until(lambda: browser.js('return getComputedStyle(document.body).backgroundColor') == want, what)


def test_themes():
    back = {}
    for theme in 'light', 'dark':
        browser.system_theme(theme)
        show('slab')
        back[theme] = browser.js('return getComputedStyle(document.body).backgroundColor')
    assert back['light'] != back['dark'], back
    # the system changes its mind while the page is open
    browser.system_theme('light')
    background_is(back['light'], 'light as the system')
    browser.system_theme('dark')
    background_is(back['dark'], 'dark as the system')
    browser.one('#theme').click()
    background_is(back['light'], 'chosen light in the dark')
    browser.system_theme('light')
    browser.one('#theme').click()
    background_is(back['dark'], 'chosen dark in the light')


# ---- what it says, and how it looks ---------------------------------------------------------------


def test_loss_is_told():
    show('lossy')
    recording = numbers('lossy')['recording']
    assert f'{recording["lost_samples"]:,} of' in browser.text('.warning'), browser.text('.warning')
    told = browser.text('.warning')
    show('diff-lossy')
    assert [e.text for e in browser.all('.warning')] == ['Now: ' + told, 'Before: ' + told]


def test_every_page_draws():
    for name in PAGES:
        for width in WIDTHS:
            show(name, width)
            over = browser.js('return document.documentElement.scrollWidth') - width
            assert over <= 0, f'{name} at {width}: {over} px too wide'


def test_contrast():
    for theme in 'light', 'dark':
        browser.system_theme(theme)
        for name in 'slab', 'page', 'leak', 'diff', 'lossy':
            show(name)
            browser.js('for (const e of document.querySelectorAll("details")) e.open = true; '
                       'const [a] = document.querySelectorAll("#timeline input[type=range]"); a.value = 100; '
                       'a.dispatchEvent(new Event("input"));')
            assert not browser.low_contrasts(), (theme, name, browser.low_contrasts())
    browser.system_theme('light')


def test_controls_are_reachable_and_labelled():
    for name in 'both', 'leak', 'diff':
        show(name)
        browser.js('for (const e of document.querySelectorAll("details")) e.open = true;')
        assert not browser.unreachable(), browser.unreachable()
    browser.js('document.activeElement.blur(); scrollTo(0, 0)')
    seen = set()
    for _ in range(12):
        browser.driver.switch_to.active_element.send_keys(Keys.TAB)
        seen.add(browser.js('return document.activeElement.outerHTML'))
    equal(len(seen), 12, 'places that Tab goes to')


# ---- hostile names -----------------------------------------------------------------------------------


def shown(text):
    """Is it on the page, in a text?"""
    return text in browser.js('return document.getElementById("page").textContent')


def check_hostile(name, arguments):
    path = f'{SCRATCH}/hostile-{name}.html'
    done = perf(*arguments, '--format', 'html', '-o', path)
    assert done.returncode == 0, done.stderr.decode()
    assert os.path.getsize(path) < 1 << 20
    with open(path, 'rb') as page_file:
        body = page_file.read()
    data = body.split(b'<script type="application/json" id="document">')[1].split(b'</script>')[0]
    assert b'<' not in data
    json.loads(data)
    assert b"default-src 'none'" in body.split(b'<style>')[0]
    browser.size(1280)
    browser.open(path, 'tab=all')
    for control in browser.js('return [...document.querySelectorAll("#page select")].map((e) => e.id)'):
        browser.js('const e = document.getElementById(arguments[0]); if (e) { e.selectedIndex = e.options.length - 1; '
                   'e.dispatchEvent(new Event("change")); }', control)
    browser.js('for (const f of document.querySelectorAll("#flame .frame")) '
               'f.dispatchEvent(new MouseEvent("mouseover", {bubbles: true}))')
    assert not browser.complaints()
    acting = browser.js('return [...document.getElementById("page").textContent].filter((c) => '
                        '/[\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]/'
                        '.test(c)).map((c) => c.codePointAt(0).toString(16))')
    assert not acting, acting
    over = browser.js('return document.documentElement.scrollWidth') - 1280
    assert over <= 0, f'{over} px too wide'


def check_place(place, by, expected):
    path = f'{SCRATCH}/hostile-{place}.data'
    hostile.make(path, place)
    check_hostile(place, ['stat', '-f', '--slab', '--by', by, '-i', path])
    for text in expected:
        assert shown(text), f'{text!r} is not shown'
    check_hostile(place + '-leak', ['leak', '-f', '--slab', '--by', by, '-i', path])
    check_hostile(place + '-diff', ['diff', '-f', '--slab', '--by', by, path, path])


MARKUP = '</script><img src=x onerror=alert(1)>'


def test_hostile_commands():
    check_place('comm', 'comm', [MARKUP, '<!--<script>alert(2)</script>', 'a\\u{1b}[31mred', '\\u{202e}gnp.'])


def test_hostile_caches():
    check_place('cache', 'cache,callsite', [MARKUP, '{{constructor.constructor("alert(4)")()}}', '"\'`&quot;${alert(3)}\\'])


def test_hostile_functions():
    check_place('symbol', 'callsite,cache', ['</script><imgsrc=xonerror=alert(1)>', 'n' * 40])


def test_hostile_modules():
    check_place('module', 'module,callsite', ['</script><imgsrc=xonerror=alert(1)>'])


def test_hostile_hosts_and_command_lines():
    check_place('host', 'callsite', [MARKUP])


def test_hostile_file_names():
    directory = f'{SCRATCH}/<'
    os.makedirs(directory, exist_ok=True)
    path = directory + '/script><img src=x onerror=alert(1)>\x1b[2J"\'.data'
    hostile.make(path, 'none')
    check_hostile('file', ['stat', '-f', '--slab', '--caller', '-i', path])
    assert shown(MARKUP)


def test_hostile_control_groups():
    with open(f'{DATA}/cgroup.data', 'rb') as stream:
        data = stream.read()
    name = b'/<b>"\x1b\xff>'
    assert data.count(b'/shop/web') and len(name) <= 9
    path = f'{SCRATCH}/hostile-cgroup.data'
    with open(path, 'wb') as stream:
        stream.write(data.replace(b'/shop/web', name.ljust(9, b'&')))
    check_hostile('cgroup', ['stat', '-f', '--slab', '--by', 'cgroup', '-i', path])
    assert shown('/<b>"')


def main():
    global browser
    wanted = sys.argv[2:]
    tests = {name[5:].replace('_', '-'): f for name, f in globals().items() if name.startswith('test_')}
    browser = Browser()
    failed = 0
    try:
        for name, test in tests.items():
            if wanted and name not in wanted:
                continue
            try:
                test()
                print(f'ok {name}')
            except Exception:
                failed = 1
                print(f'FAIL {name}')
                print('\n'.join('    ' + line for line in traceback.format_exc().splitlines()[-12:]))
            sys.stdout.flush()
    finally:
        browser.quit()
    return failed


if __name__ == '__main__':
    sys.exit(main())
