#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a recording of 256 CPUs on 4 NUMA nodes, on which objects wander from CPU to CPU.

usage: many_cpus.py FILE

The same each time: for tests of reports with many CPUs (tests/golden, compare, html).
"""
import random
import sys

import recording as rec

CPUS, NODES, OBJECTS = 256, 4, 4000


def freed_on(number, cpu):
    """Mostly where it was allocated; some on the next CPU, on that CPU of the next node, or on one that collects."""
    return (cpu, cpu, cpu, cpu, (cpu + 1) % CPUS, (cpu + CPUS // NODES) % CPUS, 7)[number.randrange(7)]


def main():
    number = random.Random(256)
    events, time = [rec.comm(1, b'wanderer')], 1000
    for i in range(OBJECTS):
        ptr, cpu, size = 0xffff888000000000 + 64 * i, number.randrange(CPUS), 8 << number.randrange(8)
        site = 0xffffffff81000010 + 16 * number.randrange(5)
        time += 1000
        events.append(rec.kmalloc(time, ptr, site, size=size, cpu=cpu))
        if number.randrange(10):
            time += 500
            events.append(rec.kfree(time, ptr, cpu=freed_on(number, cpu)))
    per_node = CPUS // NODES
    nodes = [f'{n * per_node}-{(n + 1) * per_node - 1}' for n in range(NODES)]
    with open(sys.argv[1], 'wb') as out:
        out.write(rec.recording(b''.join(events), features={
            rec.NUMA_TOPOLOGY: rec.numa_topology(nodes),
            rec.EVENT_DESC: rec.event_desc([b'kmem:kmalloc', b'kmem:kfree'], [rec.KMALLOC, rec.KFREE])}))


main()
