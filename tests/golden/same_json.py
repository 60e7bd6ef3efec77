#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare JSON by key: report members that are missing or changed, and accept new ones.

usage: same_json.py EXPECTED GOT

Both are JSON values, one after the other.  Exit 1 if there are differences.
"""
import json
import sys


def values(path):
    with open(path, encoding='utf-8') as stream:
        text = stream.read().strip()
    while text:
        value, end = json.JSONDecoder().raw_decode(text)
        yield value
        text = text[end:].lstrip()


def differences(expected, got, where):
    if isinstance(expected, dict) and isinstance(got, dict):
        for name, value in expected.items():
            if name in got:
                yield from differences(value, got[name], f'{where}.{name}')
            else:
                yield f'{where}.{name}: missing'
    elif isinstance(expected, list) and isinstance(got, list):
        if len(expected) != len(got):
            yield f'{where}: {len(got)} elements, expected {len(expected)}'
        for i, (a, b) in enumerate(zip(expected, got)):
            yield from differences(a, b, f'{where}[{i}]')
    elif type(expected) is not type(got) or expected != got:
        yield f'{where}: {json.dumps(got)}, expected {json.dumps(expected)}'


found = list(differences(list(values(sys.argv[1])), list(values(sys.argv[2])), '$'))
print('\n'.join(found))
sys.exit(1 if found else 0)
