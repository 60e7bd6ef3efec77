# SPDX-License-Identifier: GPL-2.0-or-later
"""A headless Chromium with a page in it, and what tests ask of it."""
import json
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common import utils
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

# Harm that a name might do: run, load, or become an element.
WATCH = 'window.__ran = []; for (const f of ["alert", "confirm", "prompt"]) window[f] = (x) => window.__ran.push(f + x);'
# Elements that move by themselves.
WATCH += """
window.__moved = 0;
new PerformanceObserver((list) => list.getEntries().forEach((e) => {
    if (!e.hadRecentInput) window.__moved += e.value; })).observe({type: "layout-shift", buffered: true});
"""
CONTRASTS = """
const parse = (c) => { const m = c.match(/[\\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; };
const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const backOf = (e) => { for (; e; e = e.parentElement) {
    const c = parse(getComputedStyle(e).backgroundColor); if (c[3] > 0.99) return c; } return [255, 255, 255, 1]; };
const bad = [];
for (const e of document.querySelectorAll("#page *")) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if ((!own && !(e.matches("input, select"))) || !e.getClientRects().length) continue;
    const a = light(parse(getComputedStyle(e).color)), b = light(backOf(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.push(e.tagName + "." + e.className + " " + ratio.toFixed(2) + " " + e.textContent.slice(0, 30));
}
return [...new Set(bad)].slice(0, 10);
"""
UNREACHABLE = """
const bad = [];
for (const e of document.querySelectorAll("button, input, select, summary, a")) {
    if (!e.getClientRects().length) continue;
    const label = e.getAttribute("aria-label") || (e.labels && [...e.labels].map((l) => l.textContent).join(" ")) ||
        e.textContent || e.title;
    if (e.tabIndex < 0 && !e.closest("[role=tablist]")) bad.push("not reachable: " + e.outerHTML.slice(0, 120));
    if (!label || !label.trim()) bad.push("no label: " + e.outerHTML.slice(0, 120));
}
for (const e of document.querySelectorAll("[role=tree], [role=tablist]"))
    if (e.querySelectorAll("[tabindex='0']").length !== 1) bad.push("not one way into " + e.getAttribute("aria-label"));
return bad.slice(0, 10);
"""


class Driver(Service):
    """chromedriver, reached by address: not every machine has the name localhost."""
    @property
    def service_url(self):
        return f'http://127.0.0.1:{self.port}'

    def is_connectable(self):
        return utils.is_connectable(self.port, '127.0.0.1')


class Browser:
    def __init__(self):
        options = webdriver.ChromeOptions()
        # the pipe, because chromedriver would look for a port of localhost, too
        for argument in ('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
                         '--force-color-profile=srgb', '--allow-file-access-from-files', '--remote-debugging-pipe'):
            options.add_argument(argument)
        options.set_capability('goog:loggingPrefs', {'browser': 'ALL', 'performance': 'ALL'})
        self.driver = webdriver.Chrome(service=Driver('/usr/bin/chromedriver'), options=options)
        self.driver.execute_cdp_cmd('Network.enable', {})
        self.driver.execute_cdp_cmd('Page.addScriptToEvaluateOnNewDocument', {'source': WATCH})
        self.url = None

    def quit(self):
        self.driver.quit()

    def size(self, width, height=1000):
        self.driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', {
            'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': False})

    def system_theme(self, theme):
        self.driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {
            'features': [{'name': 'prefers-color-scheme', 'value': theme}]})

    def open(self, path, state=''):
        """Open the page in a state of its address; wait until it has drawn itself. Returns the seconds."""
        self.url = 'file://' + ''.join(c if c.isalnum() or c in '/._-' else f'%{ord(c):02x}' for c in path)
        self.driver.get('about:blank')
        for log in 'browser', 'performance':
            self.driver.get_log(log)
        start = time.monotonic()
        self.driver.get(self.url + '#' + state)
        self.until(lambda: self.js('return document.documentElement.dataset.ready') == 'yes', 'ready')
        return time.monotonic() - start

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def until(self, condition, what, seconds=10):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f'not in {seconds} s: {what}'
            time.sleep(0.03)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.js('return document.querySelector(arguments[0]).textContent', selector)

    def select(self, part, label, text=None, value=None):
        """Choose an option of the control with this label in a part of the page."""
        number = self.js('return [...document.querySelectorAll(arguments[0] + " label")]'
                         '.find((l) => l.textContent === arguments[1]).htmlFor', part, label)
        control = Select(self.one('#' + number))
        if value is not None:
            control.select_by_value(value)
        else:
            control.select_by_visible_text(text)

    def complaints(self):
        """Messages of the console, and requests for anything but the page itself."""
        said = [entry['message'] for entry in self.driver.get_log('browser')]
        for entry in self.driver.get_log('performance'):
            message = json.loads(entry['message'])['message']
            if message['method'] == 'Network.requestWillBeSent':
                url = message['params']['request']['url']
                if url.split('#')[0] != self.url and not url.startswith(('data:', 'about:')):
                    said.append('requests ' + url)
        said += [f'ran {call}' for call in self.js('return window.__ran')]
        said += [f'foreign element: {e}' for e in self.js(
            'return [...document.querySelectorAll("img, iframe, object, embed, base, form, script[src], '
            'link[href]:not([href=\'data:,\']), #page script, #page style, #page a")].map((e) => e.outerHTML.slice(0, 200))')]
        return said

    def picture(self, clip):
        """A PNG, in base64, of a part of the page, which may be larger than the window."""
        return self.driver.execute_cdp_cmd('Page.captureScreenshot', {
            'format': 'png', 'captureBeyondViewport': True, 'clip': {'scale': 1, **clip}})['data']

    def low_contrasts(self):
        return self.js(CONTRASTS)

    def unreachable(self):
        return self.js(UNREACHABLE)
