// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lifetimes of freed objects (stat --lifetime): their number in each power of two of nanoseconds, over
 * all rows of a table.
 */

import { el } from "./dom.js";
import { histogram } from "./histogram.js";
import { grouped, inPercent, inTime } from "./numbers.js";

function sumOf(table, column) {
	return table.rows.reduce((sums, row) => sums.map((n, i) => n + ((row[column.index] || [])[i] || 0)),
		new Array(64).fill(0));
}

/* The tables that have lifetimes, one for each allocator: [table, column]. */
export function tablesOfLifetimes(report) {
	const found = new Map();

	for (const table of report.tables) {
		const column = table.columns.find((c) => c.kind === "histogram");

		if (column && !found.has(table.about))
			found.set(table.about, [table, column]);
	}
	return [...found.values()];
}

function lifetimes([table, column]) {
	const sums = sumOf(table, column), total = sums.reduce((a, b) => a + b, 0);
	const first = sums.findIndex(Boolean), last = 63 - sums.slice().reverse().findIndex(Boolean);
	const counts = sums.slice(first, last + 1);

	return [el("h3", {}, table.about + ": " + grouped(total) + " freed"), histogram("Lifetimes of " + table.about,
		["Lived less than", "Freed", "Part"], counts.map((n, i) =>
			[inTime(Math.pow(2, first + i + 1)), grouped(n), inPercent(n, total)]), counts)];
}

export function lifetimesCard(tables) {
	return el("section", {class: "card", id: "lifetimes", "aria-label": "Lifetimes"},
		el("h2", {}, "Lifetimes"), tables.map(lifetimes));
}
