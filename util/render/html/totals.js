// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Totals: a line for each allocator, on the first screen.
 *
 * Each figure is one of the document's, by the id that JSON has for it.
 */

import { el } from "./dom.js";
import { inWords } from "./names.js";
import { grouped, inBytes, inPercent } from "./numbers.js";
import { ALLOCATORS } from "./report.js";

/* The first of these figures that an allocator has. */
function firstOf(report, path, ids) {
	return ids.map((id) => report.figure(id, ...path)).find((value) => value !== null);
}

/* Bytes allocated, over all rows; undefined if unknown. */
export function allocatedBytes(report, allocator) {
	return firstOf(report, [allocator, "summary"], ["bytes_allocated", "alloc_bytes"]);
}

/* [heading, value as text or undefined] */
function totalsOf(report, allocator) {
	const summary = [allocator, "summary"];
	const first = (...ids) => firstOf(report, summary, ids);
	const bytes = (value) => value === undefined ? undefined : inBytes(value);
	const allocated = allocatedBytes(report, allocator), wasted = first("bytes_wasted");
	const peak = firstOf(report, [allocator, "timeline"], ["peak_bytes"]);
	const allocations = first("allocations", "alloc_requests"), failures = first("failures");

	return [
		["Allocations", allocations === undefined ? undefined : grouped(allocations)],
		["Allocated", bytes(allocated)],
		["Live at the peak", bytes(peak)],
		["Live at the end", bytes(first("bytes_live", "live_bytes"))],
		["Wasted", wasted === undefined ? undefined : inBytes(wasted) + " (" + inPercent(wasted, allocated) + ")"],
		["Failed", failures === undefined ? undefined : grouped(failures)],
	];
}

/* Null if the report has no such figures. */
export function totalsList(report) {
	const allocators = Object.keys(ALLOCATORS).filter((allocator) => report.section(allocator, "summary"));

	return !allocators.length ? null : el("dl", {class: "totals"}, allocators.map((allocator) => [
		el("dt", {}, inWords(allocator)),
		totalsOf(report, allocator).filter(([, text]) => text !== undefined).map(([heading, text]) =>
			el("dd", {}, el("span", {class: "muted"}, heading), " ", el("strong", {}, text))),
	]));
}
