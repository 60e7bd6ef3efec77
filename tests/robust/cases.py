# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of a file of cases: PERF SCRATCH CASE, or --list."""
import os
import sys


def run(module, functions):
    """Sets PERF, SCRATCH and SANITIZED in the module (its globals()), and calls the case."""
    cases = {function.__name__.replace('_', '-'): function for function in functions}
    if sys.argv[1] == '--list':
        print('\n'.join(cases))
        return
    module['PERF'], module['SCRATCH'] = sys.argv[1:3]
    module['SANITIZED'] = 'address' in os.path.realpath(module['PERF'])
    cases[sys.argv[3]]()
