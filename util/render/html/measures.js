// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures: figures of a table's rows that pictures can draw.
 *
 * A measure is a column whose rows add up, or is computed from such columns.  If rows have two sides
 * (diff), a measure has both, and pictures are coloured by the change.
 */

import { inKind } from "./numbers.js";
import { sideRate } from "./report.js";

const LEAKS = ["leaking", "growing"];

/* value(row) is never negative or null. */
function measureOf(id, name, kind, value, more) {
	return Object.assign({id, name, kind, value: (row) => Math.max(0, value(row) || 0)}, more);
}

export function ofColumn(column) {
	return measureOf(column.name, column.heading, column.kind, (row) => row[column.index]);
}

/* A figure of both sides, and their sum. */
function ofSides(table, column) {
	const before = column, now = table.column("new." + column.id);
	const kind = /bytes/.test(column.id) ? "bytes" : "count";
	const rate = sideRate(table.report), what = column.id.replace(/_/g, " ") + rate;
	const sides = {
		before: (row) => Math.max(0, row[before.index] || 0),
		now: (row) => Math.max(0, row[now.index] || 0),
		rate,
	};

	return [
		measureOf("both." + column.id, what + ", both together", kind,
			(row) => sides.before(row) + sides.now(row), sides),
		measureOf("new." + column.id, what + ", now", kind, sides.now, sides),
		measureOf("old." + column.id, what + ", before", kind, sides.before, sides),
	];
}

function ofLeaks(table) {
	const [behaviour, bytes, use] = ["behaviour", "bytes", "use"].map((id) => table.column(id));
	/* memory of programs and the page cache grows, but never leaks */
	const isKernel = (row) => !use || table.text(row, use) === "kernel";

	if (!behaviour || !bytes)
		return [];
	return [measureOf("leaking", "Leaking and growing bytes", "bytes",
		(row) => isKernel(row) && LEAKS.includes(table.text(row, behaviour)) ? row[bytes.index] : 0)];
}

function ofWaste(table) {
	const requested = table.column("bytes_req"), allocated = table.column("bytes_alloc");

	if (!requested || !allocated)
		return [];
	return [measureOf("wasted", "Wasted bytes", "bytes",
		(row) => row[allocated.index] - row[requested.index])];
}

/* A value of a measure: "1.5 MiB a second". */
export function inMeasure(measure, n) {
	return inKind(measure.kind, n) + (measure.rate || "");
}

/* The measures of a table, the default first; empty if it cannot be drawn. */
export function measuresOf(table) {
	const adding = table.columns.filter((c) => c.addsUp);
	const sides = adding.filter((c) => c.group === "old" && table.column("new." + c.id));

	if (sides.length)
		return sides.map((c) => ofSides(table, c)).flat()
			.sort((a, b) => /bytes$/.test(b.id) - /bytes$/.test(a.id));
	return [...adding.filter((c) => !c.group).map(ofColumn), ...ofWaste(table), ...ofLeaks(table)]
		.sort((a, b) => (b.kind === "bytes") - (a.kind === "bytes"));
}

/* The sum over all rows, including folded ones, but not those that were left out (Table.isCut). */
export function totalOf(table, measure) {
	return table.rows.reduce((sum, row) => sum + measure.value(row), foldedOf(table, measure));
}

export function foldedOf(table, measure) {
	return table.folded ? measure.value(table.folded.sums) : 0;
}
