# SPDX-License-Identifier: GPL-2.0-or-later
"""The part of JSON Schema (draft-07) that our schema uses; a keyword beyond it is an error.

load(path) reads a schema; validate(schema, value) yields what is wrong, "where: what".
parse(text) is json.loads() that refuses a key which stands twice.

usage: json_schema.py SCHEMA FILE...    reports, in files; other JSON is skipped
"""
import json
import re
import sys

TYPES = {
    'object': dict, 'array': list, 'string': str, 'boolean': bool, 'null': type(None),
    'integer': int, 'number': (int, float),
}
NOTES = {'$schema', 'title', 'description', 'definitions'}


def is_type(value, name):
    if isinstance(value, bool):
        return name == 'boolean'
    return isinstance(value, TYPES[name])


def parse(text):
    def unique(pairs):
        members = dict(pairs)
        if len(members) != len(pairs):
            raise ValueError(f'a key stands twice in {[key for key, _ in pairs]}')
        return members

    return json.loads(text, object_pairs_hook=unique)


def load(path):
    with open(path, encoding='utf-8') as stream:
        return parse(stream.read())


def check_object(root, schema, value, where):
    known = schema.get('properties', {})
    patterns = schema.get('patternProperties', {})
    other = schema.get('additionalProperties', True)
    for name in schema.get('required', []):
        if name not in value:
            yield f'{where}: {name} is missing'
    for name, needs in schema.get('dependencies', {}).items():
        yield from (f'{where}: {name} without {need}' for need in needs
                    if name in value and need not in value)
    if len(value) < schema.get('minProperties', 0):
        yield f'{where}: only {len(value)} members'
    for name, member in value.items():
        rules = [known[name]] if name in known else []
        rules += [rule for pattern, rule in patterns.items() if re.search(pattern, name)]
        if not rules and other is not True:
            if other is False:
                yield f'{where}: {name} is not in the schema'
                continue
            rules = [other]
        for rule in rules:
            yield from check(root, rule, member, f'{where}.{name}')


def check_array(root, schema, value, where):
    if len(value) > schema.get('maxItems', len(value)):
        yield f'{where}: more than {schema["maxItems"]} items'
    if len(value) < schema.get('minItems', 0):
        yield f'{where}: only {len(value)} items'
    for i, item in enumerate(value):
        yield from check(root, schema.get('items', {}), item, f'{where}[{i}]')


def check_any(root, schema, value, where):
    found = [list(check(root, rule, value, where)) for rule in schema['anyOf']]
    if all(found):
        yield f'{where}: none of {len(found)} alternatives: {found[-1][0]}'


def check(root, schema, value, where):
    unknown = schema.keys() - NOTES - KEYWORDS
    if unknown:
        raise ValueError(f'the validator knows nothing of {sorted(unknown)}')
    if '$ref' in schema:  # draft-07: what stands beside it does not count
        name = schema['$ref'][len('#/definitions/'):]
        yield from check(root, root['definitions'][name], value, where)
        return
    types = schema.get('type', [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type(value, name) for name in types):
        yield f'{where}: {value!r:.60} is no {types}'
        return
    if 'const' in schema and value != schema['const']:
        yield f'{where}: {value!r} is not {schema["const"]!r}'
    if 'enum' in schema and value not in schema['enum']:
        yield f'{where}: {value!r} is none of {schema["enum"]}'
    if 'anyOf' in schema:
        yield from check_any(root, schema, value, where)
    if is_type(value, 'number'):
        if value < schema.get('minimum', value) or value > schema.get('maximum', value):
            yield f'{where}: {value} is out of bounds'
    if isinstance(value, str) and 'pattern' in schema and not re.search(schema['pattern'], value):
        yield f'{where}: {value!r} does not match {schema["pattern"]}'
    if isinstance(value, dict):
        yield from check_object(root, schema, value, where)
    if isinstance(value, list):
        yield from check_array(root, schema, value, where)


KEYWORDS = {
    '$ref', 'type', 'const', 'enum', 'anyOf', 'minimum', 'maximum', 'pattern', 'properties',
    'patternProperties', 'additionalProperties', 'required', 'dependencies', 'minProperties',
    'items', 'minItems', 'maxItems',
}


def validate(schema, value):
    return check(schema, schema, value, '$')


def main():
    schema, nr, wrong = load(sys.argv[1]), 0, 0
    for path in sys.argv[2:]:
        with open(path, encoding='utf-8') as stream:
            text = stream.read()
        if '"recording": {' not in text:  # an error, a profile, top
            continue
        nr += 1
        for why in validate(schema, parse(text)):
            wrong += 1
            print(f'{path}: {why}')
    print(f'{nr} reports, {wrong} wrong')
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main()
