// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Findings: the three worst of each kind, in sentences.
 *
 * They are made from columns with the names of the JSON output.  A table without these columns adds
 * nothing.  A leak report numbers its findings; the page only words them.
 */

import { el } from "./dom.js";
import { grouped, inBytes, inPercent } from "./numbers.js";
import { usualLevels } from "./tree.js";

const WORST = 3;

/* Findings below this share of the total are omitted. */
const LEAST_PART = 0.005;

/* The rows with the highest weights: [[row, weight]...]. */
function worst(table, weight) {
	return table.rows.map((row) => [row, weight(row)]).filter(([, n]) => n > 0)
		.sort((a, b) => b[1] - a[1]).slice(0, WORST);
}

/* The call site, also of a callchain. */
function innermost(text) {
	return text.split(" < ")[0] || "unknown";
}

/* A short name of a row: "alloc_pipe_info (kmalloc-64)". */
function subject(table, row) {
	const callsite = table.column("callsite") || table.column("stack");
	const others = usualLevels(table).filter((c) => c !== callsite && row[c.index] !== null)
		.map((c) => c.kind === "id" ? c.heading.toLowerCase() + " " + table.text(row, c) : table.text(row, c));

	if (!callsite)
		return others.join(", ");
	return innermost(table.text(row, callsite)) + (others.length ? " (" + others.join(", ") + ")" : "");
}

function finding(kind, text, table, row) {
	return {kind, text, table, row};
}

function wasting(table) {
	const requested = table.column("bytes_req"), allocated = table.column("bytes_alloc");

	if (!requested || !allocated)
		return [];
	const total = table.rows.reduce((sum, row) => sum + row[allocated.index], 0);

	return worst(table, (row) => row[allocated.index] - row[requested.index])
		.filter(([, wasted]) => wasted > LEAST_PART * total)
		.map(([row, wasted]) => finding("Wasting", subject(table, row) + " wastes " + inBytes(wasted) + ", " +
			inPercent(wasted, row[allocated.index]) + " of what it allocates.", table, row));
}

function bouncing(table) {
	const pingpong = table.column("pingpong"), freed = table.column("freed_hits");

	if (!pingpong || !freed)
		return [];
	const total = table.rows.reduce((sum, row) => sum + row[freed.index], 0);

	return worst(table, (row) => row[pingpong.index])
		.filter(([, n]) => n > LEAST_PART * total)
		.map(([row, n]) => finding("Bouncing", subject(table, row) + ": " + grouped(n) + " of " +
			grouped(row[freed.index]) + " freed objects (" + inPercent(n, row[freed.index]) +
			") were freed on another CPU.", table, row));
}

const LEAK_KINDS = {leaking: "Leaking", growing: "Growing"};

/* The first rows that the report numbered as findings, whatever its tables are sorted by. */
function numbered(table, column) {
	return table.rows.filter((row) => row[column.index] !== null)
		.sort((a, b) => a[column.index] - b[column.index]).slice(0, WORST);
}

function leaking(table) {
	const behaviour = table.column("behaviour"), bytes = table.column("bytes");
	const evidence = table.column("evidence"), growth = table.column("growth_bytes_per_second");
	const number = table.column("finding");

	if (!behaviour || !bytes || !number)
		return [];
	return numbered(table, number)
		.map((row) => finding(LEAK_KINDS[table.text(row, behaviour)], subject(table, row) + " holds " +
			inBytes(row[bytes.index]) + " that were not freed" + (growth && row[growth.index] > 0 ? ", " +
				inBytes(row[growth.index]) + " more each second" : "") +
			(evidence ? " (evidence: " + table.text(row, evidence) + ")" : "") + ".", table, row));
}

/* Without a leak report: the holders of memory that is live at the end. */
function holding(table) {
	const live = table.column("live_bytes"), allocated = table.column("bytes_alloc") || table.column("bytes");

	if (!live || !allocated || live.kind !== "bytes")
		return [];
	return worst(table, (row) => row[live.index])
		.map(([row, n]) => finding("Holding", subject(table, row) + " holds " + inBytes(n) +
			" at the end, " + inPercent(n, row[allocated.index]) + " of what it allocated.", table, row));
}

function fragmenting(table) {
	const events = table.column("fragmenting") || table.column("fragmenting_events");

	if (!events)
		return [];
	return worst(table, (row) => row[events.index])
		.map(([row, n]) => finding("Fragmenting", subject(table, row) + " made the page allocator take a block of " +
			"another migrate type " + grouped(n) + " times.", table, row));
}

/* The rows that grew most (sign 1), or shrank, between two recordings. */
function changed(table, sign, kind, words) {
	const change = table.column("change.bytes"), before = table.column("old.bytes");

	if (!change || !before)
		return [];
	const total = table.rows.reduce((sum, row) => sum + row[before.index], 0);

	return worst(table, (row) => sign * row[change.index])
		.filter(([, n]) => n > LEAST_PART * total)
		.map(([row, n]) => finding(kind, subject(table, row) + " allocates " + inBytes(n) + words + " than before" +
			(row[before.index] ? ": " + inBytes(row[before.index]) + ", now " +
				inBytes(row[before.index] + row[change.index]) : sign > 0 ? ", when it allocated nothing" : "") +
			".", table, row));
}

function more(table) {
	return changed(table, 1, "More", " more");
}

function less(table) {
	return changed(table, -1, "Less", " less");
}

const KINDS = [leaking, more, less, wasting, bouncing, holding, fragmenting];

/* All findings of the report, from the first table of each allocator that has any. */
export function findingsOf(report) {
	const found = [];

	for (const kind of KINDS) {
		const told = new Set();

		for (const table of report.tables) {
			const { about } = table;
			const findings = told.has(about) || !(table.column("callsite") || table.column("stack")) ? [] : kind(table);

			if (findings.length)
				told.add(about);
			found.push(...findings);
		}
	}
	return found;
}

/* open(finding) shows the row. */
export function findingsList(findings, open) {
	return el("ul", {class: "findings"}, findings.map((f) => el("li", {},
		el("span", {class: "kind"}, f.kind), " ", el("span", {}, f.text, " ",
			el("button", {class: "link", onclick: () => open(f), "aria-label": "Show: " + f.text}, "show")))));
}
