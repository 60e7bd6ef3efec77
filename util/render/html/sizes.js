// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sizes of allocations: their number and bytes in each power of two.
 *
 * All objects of a slab cache, and all blocks of an order, have the same size, so rows by cache or
 * order have the exact size of each allocation.
 */

import { el } from "./dom.js";
import { inWords } from "./names.js";
import { grouped, inBytes, inPercent } from "./numbers.js";

function isBySize(table, hits) {
	return table.rows.some((row) => row[hits.index] > 0) &&
		["cache", "order"].some((id) => table.keys.some((key) => key.id === id));
}

/* [[octave, hits, bytes]...], without gaps; the size of octave n is at most 2^n. */
function octavesOf(table, bytes, hits) {
	const sums = [];

	for (const row of table.rows.filter((one) => one[hits.index] > 0)) {
		const octave = Math.ceil(Math.log2(Math.max(1, row[bytes.index] / row[hits.index])));
		const sum = sums[octave] || [octave, 0, 0];

		sum[1] += row[hits.index];
		sum[2] += row[bytes.index];
		sums[octave] = sum;
	}
	const first = sums.findIndex(Boolean);

	return Array.from({length: sums.length - first}, (_, i) => sums[first + i] || [first + i, 0, 0]);
}

function bar(part) {
	const element = el("div", {class: "bar"});

	element.style.width = 100 * part + "%";
	return el("td", {class: "bars"}, element);
}

function histogram(table, bytes, hits) {
	const octaves = octavesOf(table, bytes, hits);
	const total = octaves.reduce((sum, [, n]) => sum + n, 0), most = Math.max(1, ...octaves.map(([, n]) => n));

	const rows = el("table", {class: "histogram"}, el("thead", {}, el("tr", {},
		["At most", "Allocations", "Part", "Bytes", ""].map((name) => el("th", {scope: "col"}, name)))),
	el("tbody", {}, octaves.map(([octave, n, size]) => el("tr", {},
		el("td", {class: "number"}, inBytes(Math.pow(2, octave))), el("td", {class: "number"}, grouped(n)),
		el("td", {class: "number"}, inPercent(n, total)), el("td", {class: "number"}, inBytes(size)),
		bar(n / most)))));

	return el("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": "Sizes of " + table.about}, rows);
}

/* null if no table has sizes. */
export function sizesCard(report) {
	const told = new Set(), charts = [];

	for (const table of report.tables) {
		const bytes = table.column("bytes_alloc") || table.column("bytes"), hits = table.column("hits");

		if (told.has(table.about) || !bytes || !hits || !isBySize(table, hits) || table.path.includes("leak"))
			continue;
		told.add(table.about);
		charts.push(el("h3", {}, inWords(table.about)), histogram(table, bytes, hits));
	}
	return charts.length ? el("section", {class: "card", id: "sizes", "aria-label": "Sizes"},
		el("h2", {}, "Sizes of allocations"), charts) : null;
}
