// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The selected span of time: tables and pictures of allocations follow it.
 *
 * Rows have their allocations by step (the hidden column "steps").  A table of a span has only the figures
 * that are known by step, and only the rows that allocate in it.
 */

import { el } from "./dom.js";
import { inTime } from "./numbers.js";
import { applyState, getState } from "./state.js";

/* The figures of a step, in the order of their numbers after the step's own. */
const FIGURES = ["hits", "bytes_req", "bytes_alloc"];

/* The steps of a span in the address, [from, to]; null if there is none. */
export function spanIn(name, steps) {
	const [from, to] = (getState(name) || "").split("-").map(Number);

	return from >= 0 && to > from && to <= steps ? [from, to] : null;
}

function sumsIn(numbers, [from, to]) {
	const sums = FIGURES.map(() => 0);

	for (let i = 0; i < numbers.length; i += FIGURES.length + 1)
		if (numbers[i] >= from && numbers[i] < to)
			FIGURES.forEach((_, k) => {
				sums[k] += numbers[i + 1 + k];
			});
	return sums;
}

/* The columns of the figures; undefined for those that the table lacks. Some allocators only have "bytes". */
function columnsOf(table) {
	return FIGURES.map((id) => table.column(id) || (id === "bytes_alloc" ? table.column("bytes") : undefined));
}

function rowOf(table, row, sums) {
	const copy = row ? row.slice() : table.allColumns.map(() => null);

	columnsOf(table).forEach((column, i) => {
		if (column)
			copy[column.index] = sums[i];
	});
	return copy;
}

/* The rows of a span: [rows, the number of rows without steps, the sums of those]. */
function rowsIn(table, span) {
	const left = sumsIn(table.report.figure("steps", table.path[0], "timeline"), span);
	const rows = [];
	let others = table.folded ? table.folded.rows : 0;

	for (const row of table.rows) {
		const numbers = row[table.steps.index];

		if (numbers === null) {
			others++;
			continue;
		}
		const sums = sumsIn(numbers, span);

		sums.forEach((n, i) => {
			left[i] -= n;
		});
		if (sums[0] > 0)
			rows.push(rowOf(table, row, sums));
	}
	return [rows, others, left];
}

/* The table of a span of the steps of its rows. */
function tableIn(table, span) {
	const known = columnsOf(table), bytes = known[FIGURES.indexOf("bytes_alloc")];
	const [rows, others, left] = rowsIn(table, span);
	const usual = table.columns.find((c) => c.sorted && known.includes(c)) || bytes;
	const sorted = usual.sorted || "descending", sign = sorted === "descending" ? -1 : 1;
	const columns = table.columns.filter((c) => c.isKey || known.includes(c))
		.map((c) => c === usual ? Object.assign(Object.create(c), {sorted}) : c);

	rows.sort((a, b) => sign * (a[usual.index] - b[usual.index]));
	return Object.assign(Object.create(table), {
		columns, rows,
		folded: others ? {rows: others, sums: rowOf(table, null, left)} : null,
		rowsTotal: rows.length + others,
	});
}

export class Span {
	/* series: the timelines of the page */
	constructor(report, series) {
		this.report = report;
		this.series = series;
		this.restore();
	}

	/* Whether tables have figures by step. */
	get isFollowed() {
		return this.report.tables.some((table) => this.has(table));
	}

	has(table) {
		return Boolean(table.steps) && this.report.figure("steps", table.path[0], "timeline") !== null;
	}

	/* The span in the address. Returns whether it has changed. */
	restore() {
		const of = this.series[Number(getState("timeline-of") || 0)] || this.series[0];
		const steps = of && this.isFollowed ? spanIn("timeline", of.steps) : null;
		const ns = steps ? steps.map((n) => n * of.step) : null;
		const hasChanged = String(ns) !== String(this.ns || null);

		this.ns = ns;
		return hasChanged;
	}

	/* The table as it is in the span; one that cannot follow says so. */
	of(table) {
		if (!this.ns)
			return table;
		if (!this.has(table))
			return Object.assign(Object.create(table), {title: table.title + ", whole recording"});
		const width = this.report.figure("row_step_ns", table.path[0], "timeline");

		return tableIn(table, this.ns.map((ns) => Math.round(ns / width)));
	}

	/* A note that a part of the page shows a span only; null without one. */
	note() {
		if (!this.ns)
			return null;
		return el("p", {class: "of-span", role: "note"}, "Only allocations from " + inTime(this.ns[0]) + " to " +
			inTime(this.ns[1]) + ", as selected in the summary. ",
		el("button", {onclick: () => applyState({timeline: null})}, "Whole recording"));
	}
}
