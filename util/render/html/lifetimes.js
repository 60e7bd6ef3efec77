// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lifetimes of freed objects (stat --lifetime): their number in each power of two of nanoseconds, over
 * all rows of a table.
 */

import { el } from "./dom.js";
import { grouped, inPercent, inTime } from "./numbers.js";

function sumOf(table, column) {
	return table.rows.reduce((sums, row) => sums.map((n, i) => n + ((row[column.index] || [])[i] || 0)),
		new Array(64).fill(0));
}

/* null if no table has histograms. */
export function lifetimesCard(report) {
	const told = new Set(), charts = [];

	for (const table of report.tables) {
		const column = table.columns.find((c) => c.kind === "histogram");

		if (!column || told.has(table.about))
			continue;
		told.add(table.about);
		const sums = sumOf(table, column), total = sums.reduce((a, b) => a + b, 0), most = Math.max(...sums);
		const first = sums.findIndex(Boolean), last = 63 - sums.slice().reverse().findIndex(Boolean);

		charts.push(el("h3", {}, table.about + ": " + grouped(total) + " freed"));
		charts.push(el("table", {class: "histogram"}, el("thead", {}, el("tr", {},
			["Lived less than", "Freed", "Part", ""].map((name) => el("th", {scope: "col"}, name)))),
		el("tbody", {}, sums.slice(first, last + 1).map((n, i) => {
			const bar = el("div", {class: "bar"});

			bar.style.width = 100 * n / most + "%";
			return el("tr", {}, el("td", {class: "number"}, inTime(Math.pow(2, first + i + 1))),
				el("td", {class: "number"}, grouped(n)), el("td", {class: "number"}, inPercent(n, total)),
				el("td", {class: "bars"}, bar));
		}))));
	}
	return charts.length ? el("section", {class: "card", id: "lifetimes", "aria-label": "Lifetimes"},
		el("h2", {}, "Lifetimes"), charts) : null;
}
