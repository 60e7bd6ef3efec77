# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual's pages, as manual.py and commands.py read them."""
import os
import re


def lines(path):
    """Those of a page, with those that it includes in their place."""
    found = []
    with open(path, encoding='utf-8') as f:
        for line in f.read().splitlines():
            include = re.fullmatch(r'include::(.+)\[\]', line)
            found += lines(os.path.join(os.path.dirname(path), include.group(1))) if include else [line]
    return found
