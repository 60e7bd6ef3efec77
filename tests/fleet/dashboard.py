# SPDX-License-Identifier: GPL-2.0-or-later
"""dashboard.py DASHBOARD METRICS RULES

Check that each query of a dashboard names only metrics, and labels of them, that the program's output METRICS has,
and write the queries as RULES for promtool, which checks their syntax.
"""
import json
import re
import sys

# labels that Prometheus adds, and words of its language
KNOWN = {'instance', 'sum', 'count', 'by', 'on', 'and', 'topk', 'sort_desc', 'rate', 'time'}


def labels_of(path):
    labels = {}
    for line in open(path):
        if not line.startswith('#'):
            name, _, rest = line.partition('{')
            labels.setdefault(name.split()[0], set()).update(re.findall(r'(\w+)="', rest))
    return labels


def main():
    dashboard_path, metrics_path, rules_path = sys.argv[1:]
    metrics = labels_of(metrics_path)
    queries = [target['expr'] for panel in json.load(open(dashboard_path))['panels'] for target in panel['targets']]
    unknown = set()
    for query in queries:
        used = set(re.findall(r'perf_kmem_\w+', query))
        known = KNOWN.union(*(metrics.get(name, ()) for name in used))
        words = set(re.findall(r'\b[a-z_]+\b', re.sub(r'"[^"]*"|\[\w+\]|\b[0-9]\w*', '', query)))
        unknown |= used - set(metrics) | words - used - known
    rules = [{'record': f'query:{i}', 'expr': query.replace('$instance', '.*')} for i, query in enumerate(queries)]
    with open(rules_path, 'w') as rules_file:
        json.dump({'groups': [{'name': 'dashboard', 'rules': rules}]}, rules_file)
    print(f'{len(queries)} queries; not in the output: {sorted(unknown)}')
    sys.exit(bool(unknown) or not queries)


main()
