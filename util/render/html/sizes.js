// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sizes of allocations: their number and bytes in each power of two.
 *
 * All objects of a slab cache, and all blocks of an order, have the same size, so rows by cache or
 * order have the exact size of each allocation.
 */

import { el } from "./dom.js";
import { histogram } from "./histogram.js";
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
	const first = Math.max(0, sums.findIndex(Boolean));

	return Array.from({length: sums.length - first}, (_, i) => sums[first + i] || [first + i, 0, 0]);
}

/* The tables that have sizes, one for each allocator. */
export function tablesOfSizes(report) {
	const found = new Map();

	for (const table of report.tables) {
		const bytes = bytesIn(table), hits = table.column("hits");

		if (!found.has(table.about) && bytes && hits && isBySize(table, hits) && !table.path.includes("leak"))
			found.set(table.about, table);
	}
	return [...found.values()];
}

function bytesIn(table) {
	return table.column("bytes_alloc") || table.column("bytes");
}

function chart(table) {
	const octaves = octavesOf(table, bytesIn(table), table.column("hits"));
	const total = octaves.reduce((sum, [, n]) => sum + n, 0);

	return [el("h3", {}, inWords(table.about)), histogram("Sizes of " + table.about,
		["At most", "Allocations", "Part", "Bytes"], octaves.map(([octave, n, size]) =>
			[inBytes(Math.pow(2, octave)), grouped(n), inPercent(n, total), inBytes(size)]),
		octaves.map(([, n]) => n))];
}

export function sizesCard(tables) {
	return el("section", {class: "card", id: "sizes", "aria-label": "Sizes"},
		el("h2", {}, "Sizes of allocations"), tables.map(chart));
}
