# SPDX-License-Identifier: GPL-2.0-or-later
"""Formats of tracepoints: where the fields are, and the names of flags in `print fmt`."""
import ast
import operator
import re
import struct

FIELD = re.compile(r'^\s*field:(?P<what>[^;]*);\s*offset:(?P<at>\d+);\s*size:(?P<size>\d+);'
                   r'\s*signed:(?P<signed>[01]);', re.M)
FLAGS = re.compile(r'__print_flags\s*\((?:[^{]*?)"\|"\s*,(.*)', re.S)
OPERATORS = {ast.BitOr: operator.or_, ast.BitAnd: operator.and_, ast.BitXor: operator.xor, ast.Add: operator.add,
             ast.Sub: operator.sub, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
             ast.Mult: operator.mul}


class Format:
    def __init__(self, system, text, order, long_size):
        self.system, self.text, self.order = system, text, order
        self.long_size = long_size
        self.name = re.search(r'^name:\s*(\S+)', text, re.M).group(1)
        self.id = int(re.search(r'^ID:\s*(\d+)', text, re.M).group(1))
        self.fields = {}
        for match in FIELD.finditer(text):
            what = match['what']
            name = re.sub(r'\[.*\]$', '', what.split()[-1]).lstrip('*')
            self.fields[name] = (what, int(match['at']), int(match['size']), match['signed'] == '1')
        self._plan = {}

    def has(self, name):
        return name in self.fields

    def number(self, raw, name, default=None):
        plan = self._plan.get(name)
        if plan is None:
            if name not in self.fields:
                return default
            _, at, size, signed = self.fields[name]
            code = {1: 'b', 2: 'h', 4: 'i', 8: 'q'}[size]
            plan = self._plan[name] = struct.Struct(self.order + (code if signed else code.upper())), at
        return plan[0].unpack_from(raw, plan[1])[0]

    def string(self, raw, name):
        """The value of a __data_loc field."""
        if name not in self.fields or not self.fields[name][0].startswith('__data_loc'):
            return None
        where = struct.unpack_from(self.order + 'I', raw, self.fields[name][1])[0]
        at, size = where & 0xffff, where >> 16
        return raw[at:at + size].split(b'\0', 1)[0]

    def flag_names(self):
        """[(mask, name)] of the first __print_flags(), in its order; None if it cannot be determined."""
        match = FLAGS.search(self.text)
        if not match:
            return []
        names = []
        for mask, name in re.findall(r'\{\s*((?:[^{}"])*?)\s*,\s*"([^"]*)"\s*\}', match.group(1)):
            value = constant(mask)
            if value is None:
                return None
            names.append((value, name))
        return names


def constant(text):
    """The value of a constant expression of C; None if it has a name in it."""
    text = re.sub(r'\(\s*(?:unsigned\s+)?(?:gfp_t|long|int|unsigned)\s*\)', '', text)
    text = re.sub(r'\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b', r'\1', text)
    try:
        return _evaluate(ast.parse(text.strip(), mode='eval').body) & 0xffffffffffffffff
    except (SyntaxError, ValueError, KeyError):
        return None


def _evaluate(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)](_evaluate(node.left), _evaluate(node.right))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        return ~_evaluate(node.operand)
    raise ValueError('not a constant')


def flags_of(names, value):
    """As printed by the kernel: a name consumes its bits; what is left over is hex."""
    found = []
    for mask, name in names:
        if mask and value & mask == mask:
            found.append(name)
            value &= ~mask
    if value:
        found.append(f'{value:#x}')
    return found
