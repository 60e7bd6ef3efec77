// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The verdict: the answer of a report in one sentence.
 */

import { siteOf, subject } from "./findings.js";
import { ofColumn, totalOf } from "./measures.js";
import { grouped, inBytes, inPercent } from "./numbers.js";
import { ALLOCATORS, sideRate } from "./report.js";
import { allocatedBytes } from "./totals.js";

/* The row with the highest figure. */
function largest(table, column) {
	return table.rows.reduce((most, row) => row[column.index] > most[column.index] ? row : most, table.rows[0]);
}

function isLeakCut(report) {
	return report.tables.some((table) => table.path[0] === "leak" && table.column("finding") && table.isCut);
}

/* A leak report without a leak. A source without frees has the behaviour "unknown". */
function verdictOfNoLeak(report) {
	const live = report.section("leak").items.filter((item) => report.figure("hits", "leak", item.id));
	const isJudged = (item) => !report.section("leak", item.id, "behaviours", "unknown");

	if (!live.length)
		return "No leak was found: nothing that was allocated is live at the end.";
	if (!live.some(isJudged))
		return "Growth is unknown: this source has no frees. Compare two of them with " + report.command + " diff.";
	return isLeakCut(report) ? "None of the first call sites leaks or grows; others were left out (-l)." :
		"No leak was found: no call site of the kernel keeps growing with enough evidence.";
}

function verdictOfLeak(report, findings) {
	const leaks = findings.filter((f) => ["Leaking", "Growing"].includes(f.kind)), [first] = leaks;

	if (!first)
		return verdictOfNoLeak(report);
	/* a sum without the rows that were left out is wrong */
	const isAlone = leaks.length === 1 || isLeakCut(report);
	const worst = subject(first.table, first.row) + (isAlone ? " holds " : ", ") + inBytes(first.bytes) +
		(first.owner ? ", mostly for " + first.owner : "") +
		(first.evidence ? " (evidence: " + first.evidence + ")" : "");

	return isAlone ? first.kind + ": " + worst + "." :
		grouped(leaks.length) + (siteOf(first.table) ? " call sites" : " rows") + " leak or grow and hold " +
		inBytes(leaks.reduce((sum, f) => sum + f.bytes, 0)) + ". The worst: " + worst + ".";
}

function verdictOfDiff(report, findings) {
	const aSecond = sideRate(report);
	const parts = report.tables.map((table) => {
		const [old, now] = ["old.bytes", "new.bytes"].map((id) => table.column(id));

		if (!old || !now || !table.rows.length || table.isCut)
			return null;
		const [before, after] = [old, now].map((column) => totalOf(table, ofColumn(column)));
		const change = after === before ? "as before" : inPercent(Math.abs(after - before), before || after) +
			(after > before ? " more" : " less");

		return [table.about, table.about + " " + inBytes(after) + aSecond + ", before " + inBytes(before) + aSecond +
			" (" + change + ")"];
	}).filter(Boolean);
	const seen = new Map(parts.reverse());
	const first = findings.find((f) => ["More", "Less"].includes(f.kind));

	return [seen.size ? "Allocated: " + [...seen.values()].reverse().join("; ") + "." : null,
		first ? "The largest change: " + first.text : null].filter(Boolean).join(" ");
}

function verdictOfWhere(report) {
	const table = report.tables.find((t) => t.path[0] === "where" && t.column("depth") && t.column("path"));

	if (!table || !table.rows.length)
		return null;
	const [bytes, depth, path] = ["bytes", "depth", "path"].map((id) => table.column(id));
	const name = table.columns.find((c) => c.shown && c.isKey && !c.isNumber) || path;
	const parts = table.rows.filter((row) => row[depth.index] === 1)
		.sort((a, b) => b[bytes.index] - a[bytes.index]).slice(0, 3);

	return "Of " + inBytes(table.rows[0][bytes.index]) + ": " + parts.map((row) =>
		inBytes(row[bytes.index]) + " " + table.text(row, name).trim()).join(", ") + ".";
}

function verdictOfStat(report) {
	const parts = Object.entries(ALLOCATORS).map(([id, name]) => {
		const table = report.tables.find((t) => t.path.join() === id + ",tables" && t.rows.length);
		const bytes = table && (table.column("bytes_alloc") || table.column("bytes"));
		const total = allocatedBytes(report, id);

		/* the first rows by another column need not have the largest */
		if (!bytes || (table.isCut && bytes.sorted !== "descending"))
			return null;
		const row = largest(table, bytes);

		return subject(table, row) + ", " + inBytes(row[bytes.index]) + (total ? " of " + inBytes(total) : "") +
			" of " + name;
	}).filter(Boolean);

	return parts.length ? "Allocates most: " + parts.join("; ") + "." : null;
}

/* sentences: the report's own findings; the first one may become the verdict */
export function verdictOf(report, findings, sentences) {
	const own = report.section("where") ? verdictOfWhere(report) :
		report.section("leak") ? verdictOfLeak(report, findings) :
			report.section("diff") ? verdictOfDiff(report, findings) : verdictOfStat(report);

	return own || sentences[0] || (report.section("growth") ? "Nothing grows steadily." :
		"Nothing stands out: nothing leaks, wastes or bounces as far as this report can tell.");
}
