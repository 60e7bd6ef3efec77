#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A leak made here fires the alert of Prometheus, through node_exporter, and an agent that dies fires the other one.

usage: prometheus.py PERF RULES DIRECTORY

All servers listen on loopback and end with this program.  The rules are those of the file, but evaluated each second,
and stale after 20 seconds instead of 15 minutes.
"""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request

PERF, RULES, DIRECTORY = sys.argv[1:]
FIRES_SECONDS = 120
STALE_SECONDS = 20
SOCKETS = r'sock|sk_'
LEAKER = '''
import resource, socket, time
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
open('/proc/self/comm', 'w').write('fleet-leaker')
held = []
while True:
    held += [socket.socketpair() for _ in range(2)]
    time.sleep(0.05)
'''


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def in_directory(name):
    return os.path.join(DIRECTORY, name)


def start(name, *command):
    with open(in_directory(f'{name}.log'), 'wb') as log:
        return subprocess.Popen(command, cwd=DIRECTORY, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def write_configuration(exporter):
    with open(RULES, encoding='utf-8') as f:
        rules = f.read()
    for pattern, new in (r'interval: 1m', 'interval: 1s'), (r'< bool 900', f'< bool {STALE_SECONDS}'), (r'for: 5m', 'for: 5s'):
        rules, nr = re.subn(pattern, new, rules)
        assert nr == 1, pattern
    with open(in_directory('rules.yml'), 'w', encoding='utf-8') as f:
        f.write(rules)
    with open(in_directory('prometheus.json'), 'w', encoding='utf-8') as f:
        json.dump({'global': {'scrape_interval': '1s', 'evaluation_interval': '1s'}, 'rule_files': ['rules.yml'],
                   'scrape_configs': [{'job_name': 'node',
                                       'static_configs': [{'targets': [f'127.0.0.1:{exporter}']}]}]}, f)


class Prometheus:
    def __init__(self, port):
        self.address = f'http://127.0.0.1:{port}/api/v1/'

    def get(self, what, **parameters):
        try:
            with urllib.request.urlopen(f'{self.address}{what}?{urllib.parse.urlencode(parameters)}', timeout=5) as answer:
                return json.load(answer)['data']
        except (OSError, ValueError):
            return {}

    def alerts(self, name):
        return [alert['labels'] for alert in self.get('alerts').get('alerts', [])
                if alert['labels']['alertname'] == name and alert['state'] == 'firing']

    def wait(self, what, seconds, holds):
        begin = time.monotonic()
        while time.monotonic() < begin + seconds:
            found = holds()
            if found:
                print(f'{what}: after {time.monotonic() - begin:.0f} s', found if found is not True else '', flush=True)
                return found
            time.sleep(1)
        raise SystemExit(f'{what}: not within {seconds} s')


def main():
    exporter, port = free_port(), free_port()
    os.makedirs(in_directory('textfile'), exist_ok=True)
    write_configuration(exporter)
    running = [
        start('leaker', sys.executable, '-c', LEAKER),
        start('exporter', 'prometheus-node-exporter', '--collector.disable-defaults', '--collector.textfile',
              '--collector.textfile.directory=textfile', f'--web.listen-address=127.0.0.1:{exporter}'),
        start('prometheus', 'prometheus', '--config.file=prometheus.json', '--storage.tsdb.path=tsdb',
              f'--web.listen-address=127.0.0.1:{port}')]
    agent = start('agent', PERF, 'kmem', 'leak', '--every', '5s', '--memory', '64M', '--format', 'openmetrics',
                  '-o', in_directory('textfile/leak.prom'))
    prometheus = Prometheus(port)
    try:
        alerts = prometheus.wait('the leak fires', FIRES_SECONDS,
                                 lambda: [a for a in prometheus.alerts('KernelMemoryLeak') if a['owner'] == 'fleet-leaker'])
        assert any(re.search(SOCKETS, a['callsite']) for a in alerts), alerts
        rows = prometheus.get('query', query='topk(3, perf_kmem_leak_bytes{owner="fleet-leaker"})')['result']
        print([(r['metric']['callsite'], r['metric']['cache'], r['value'][1]) for r in rows])
        assert any(re.search(SOCKETS, r['metric']['callsite']) for r in rows), rows
        agent.send_signal(signal.SIGKILL)
        agent.wait()
        prometheus.wait('the agent is stale', STALE_SECONDS + 60, lambda: prometheus.alerts('KernelMemoryAgentStale'))
        prometheus.wait('the leak ends', 60, lambda: not prometheus.alerts('KernelMemoryLeak'))
    finally:
        for process in [agent, *running]:
            process.kill()
            process.wait()


main()
