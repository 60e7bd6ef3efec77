// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trees of rows, for flame graphs and treemaps: of callchains, or of keys below each other.
 *
 * A node has the sum of each measure over itself and the nodes below it.  Functions are merged by
 * name, regardless of offsets.  Nodes are numbered in the order of their creation from rows, so a
 * number is stable as long as the file does not change.
 */

import { measuresOf } from "./measures.js";
import { withoutOffset } from "./names.js";
import { grouped } from "./numbers.js";

class Node {
	constructor(number, name, parent, nrMeasures) {
		this.number = number;
		this.name = name;
		this.parent = parent;
		this.depth = parent ? parent.depth + 1 : 0;
		this.module = null;
		this.isUser = false; /* a function of a program */
		this.children = [];
		this.byKey = new Map();
		this.values = new Float64Array(nrMeasures);
		this.before = null; /* value before, by measure, if there are two sides */
		this.now = null;
	}

	/* The path from the outermost node below the root to this one. */
	path() {
		const nodes = [];

		for (let node = this; node.parent; node = node.parent) // eslint-disable-line consistent-this
			nodes.unshift(node);
		return nodes;
	}
}

class Tree {
	constructor(table, measures) {
		this.table = table;
		this.measures = measures;
		this.hasSides = measures.some((m) => m.now);
		this.nodes = [];
		this.root = this.add(null, "all", "all");
	}

	add(parent, key, name) {
		let node = parent && parent.byKey.get(key);

		if (node)
			return node;
		node = new Node(this.nodes.length, name, parent, this.measures.length);
		if (this.hasSides) {
			node.before = new Float64Array(this.measures.length);
			node.now = new Float64Array(this.measures.length);
		}
		this.nodes.push(node);
		if (parent) {
			parent.children.push(node);
			parent.byKey.set(key, node);
		}
		return node;
	}

	/* Add a row to a node and all nodes above it. */
	count(leaf, row) {
		this.measures.forEach((measure, i) => {
			const value = measure.value(row);

			for (let node = leaf; node; node = node.parent) {
				node.values[i] += value;
				if (measure.now) {
					node.before[i] += measure.before(row);
					node.now[i] += measure.now(row);
				}
			}
		});
	}

	countFolded() {
		const folded = this.table.folded;

		if (folded)
			this.count(this.add(this.root, "folded", "(" + grouped(folded.rows) + " more rows)"), folded.sums);
	}
}

/*
 * The column of callchains; undefined if there is none, or if they have no callers (call sites can be
 * known without callchains).
 */
export function stackColumn(table) {
	const column = table.columns.find((c) => c.id === "stack");
	const hasCallers = (stack) => stack !== null && table.report.stacks[2 * stack] >= 0;

	if (!column || (column.kind === "stack" && !table.whole.rows.some((row) => hasCallers(row[column.index]))))
		return undefined;
	return column;
}

export function hasStacks(table) {
	return stackColumn(table) !== undefined;
}

/* Function names of a callchain, innermost first: [key, name, module]. */
export function namesOf(table, column, row) {
	const { report } = table, value = row[column.index];

	if (value === null)
		return [["unknown", "unknown", null, false]];
	if (column.kind !== "stack")
		return table.text(row, column).split(" < ").map(withoutOffset).map((name) => [name, name, null, false]);
	return report.framesOf(value).map((frame) => {
		const symbol = report.frames[frame][0];

		return [symbol < 0 ? -1 - frame : symbol, report.functionOf(frame), report.moduleOf(frame),
			report.isUser(frame)];
	});
}

/* The keys besides callchains that a graph of them can be grouped by. */
export function groupsOf(table) {
	return hasStacks(table) ? usualLevels(table).filter((c) => c.id !== "callsite" && c.isKey) : [];
}

/* group: the column whose values are the outermost frames; may be null */
export function stackTree(table, reversed, group) {
	const tree = new Tree(table, measuresOf(table)), column = stackColumn(table);

	for (const row of table.rows) {
		const names = namesOf(table, column, row);
		const title = group && nameOf(table, row, group);
		let node = group ? tree.add(tree.root, "group " + title, title) : tree.root;

		if (!reversed)
			names.reverse();
		for (const [key, name, module, isUser] of names) {
			node = tree.add(node, key, name);
			node.module = module;
			node.isUser = isUser;
		}
		tree.count(node, row);
	}
	tree.countFolded();
	return tree;
}

/* The name of a key's value outside of its column: "order 3", but "kmalloc-64". */
export function nameOf(table, row, column) {
	const text = table.text(row, column);

	if (column.kind === "callsite")
		return table.report.functionOf(row[column.index]);
	if (column.id === "callsite")
		return withoutOffset(text) || "unknown";
	return column.kind === "id" || column.kind === "bool" ? column.heading + " " + text : text || "unknown";
}

/* levels: the columns of keys, the outermost first. */
export function keyTree(table, levels) {
	const tree = new Tree(table, measuresOf(table));

	for (const row of table.rows) {
		let node = tree.root;

		for (const column of levels) {
			const name = nameOf(table, row, column);

			node = tree.add(node, name, name);
			if (column.kind === "callsite")
				node.module = table.report.moduleOf(row[column.index]);
		}
		tree.count(node, row);
	}
	tree.countFolded();
	return tree;
}

/* The keys to draw below each other: the call site under what it allocates from. */
export function usualLevels(table) {
	const keys = table.keys.filter((c, i) => !["stack", "aliases", "gfp_flags"].includes(c.id) &&
		table.keys.findIndex((other) => other.id === c.id) === i);

	return [...keys.filter((c) => c.id !== "callsite"), ...keys.filter((c) => c.id === "callsite")];
}
