#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Screenshots of pages of --format html.

usage: screenshots.py OUT PAGE.html...
  --width N,...   widths in px (400,1280,2000)
  --theme NAME,...  light, dark or both
  --height N      cut a page into pictures of this height (1600); 0: one picture of what fits 1000 px
  --scale X       smaller pictures, as those of the README (1)
  --state STATE   of the address, such as tab=flame
  --act SCRIPT    JavaScript to run first

Writes OUT/PAGE-WIDTH-THEME-N.png.
"""
import argparse
import base64
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser  # noqa: E402


def pictures(browser, width, height, scale):
    """A picture of the page, from its top down, as PNG."""
    if not height:
        yield browser.picture({'x': 0, 'y': 0, 'width': width, 'height': 1000, 'scale': scale})
        return
    total = browser.js('return document.documentElement.scrollHeight')
    for top in range(0, total, height):
        yield browser.picture({'x': 0, 'y': top, 'width': width, 'height': min(height, total - top),
                               'scale': scale})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('out')
    parser.add_argument('pages', nargs='+')
    parser.add_argument('--width', default='400,1280,2000')
    parser.add_argument('--theme', default='light,dark')
    parser.add_argument('--height', type=int, default=1600)
    parser.add_argument('--scale', type=float, default=1)
    parser.add_argument('--state', default='')
    parser.add_argument('--act', default='')
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    browser = Browser()
    browser.driver.execute_cdp_cmd('Emulation.setScrollbarsHidden', {'hidden': True})
    try:
        for page in options.pages:
            for theme in options.theme.split(','):
                browser.system_theme(theme)
                for width in map(int, options.width.split(',')):
                    browser.size(width)
                    browser.open(os.path.abspath(page), options.state)
                    if options.act:
                        browser.js(options.act)
                        time.sleep(0.3)
                    name = os.path.splitext(os.path.basename(page))[0]
                    for i, png in enumerate(pictures(browser, width, options.height, options.scale)):
                        with open(f'{options.out}/{name}-{width}-{theme}-{i}.png', 'wb') as out:
                            out.write(base64.b64decode(png))
    finally:
        browser.quit()


if __name__ == '__main__':
    main()
