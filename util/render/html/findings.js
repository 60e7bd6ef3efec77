// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Findings: the worst rows, the most severe first, with their size, owner, history and the next command.
 *
 * They are made from columns with the names of the JSON output.  A table without these columns adds
 * nothing.  A leak report judges and numbers its rows: the page only merges the lists of its
 * allocators, by class, evidence and bytes, which is the order of each list.
 */

import { code, el } from "./dom.js";
import { ofColumn, totalOf } from "./measures.js";
import { shortened, withoutOffset } from "./names.js";
import { grouped, inBytes, inPercent } from "./numbers.js";
import { ALLOCATORS, changeRate, sideRate } from "./report.js";
import { sparkline } from "./spark.js";
import { usualLevels } from "./tree.js";

const WORST = 3; /* of a kind */
const SHOWN = 4; /* the others are folded */

/* Findings below this share of the total are omitted. */
const LEAST_PART = 0.01;

/* Classes in order of severity. In the same class, the one with more bytes comes first; Fragmenting has no bytes. */
const SEVERITY = {
	Leaking: 0, Growing: 1, More: 2, Holding: 2, Wasting: 2, Fragmenting: 3, Bouncing: 4, Temporary: 5, Less: 5,
};
const EVIDENCE = ["high", "medium", "low"];

/* The rows with the highest weights: [[row, weight]...]. */
function worst(table, weight) {
	return table.rows.map((row) => [row, weight(row)]).filter(([, n]) => n > 0)
		.sort((a, b) => b[1] - a[1]).slice(0, WORST);
}

/* The call site, also of a callchain. */
function innermost(text) {
	return text.split(" < ")[0] || "unknown";
}

/* The column of its call sites or callchains; undefined if it has none. */
export function siteOf(table) {
	return table.column("callsite") || table.column("stack");
}

/* A short name of a row: "alloc_pipe_info (kmalloc-64)". */
export function subject(table, row) {
	const callsite = siteOf(table), levels = usualLevels(table);
	const others = (levels.length ? levels : table.keys).filter((c) => c !== callsite && row[c.index] !== null)
		.map((c) => c.kind === "id" ? c.heading.toLowerCase() + " " + table.text(row, c) : table.text(row, c));

	if (!callsite)
		return others.join(", ") || "unknown";
	return innermost(table.text(row, callsite)) + (others.length ? " (" + others.join(", ") + ")" : "");
}

/* Bytes of n of a row's allocations; null if their size is unknown. */
function bytesOf(table, row, n) {
	const each = table.column("bytes_per_hit");

	return each && row[each.index] ? n * row[each.index] : null;
}

/* facts: {owner, evidence, series, unit, options}; unit: of the size; options: of the command that shows more */
function finding(kind, text, table, row, bytes, facts) {
	return {kind, text, table, row, bytes, ...facts};
}

/* Live bytes over time of a row with the same keys; null if it is not among the largest holders. */
function seriesOfRow(table, row) {
	const { report } = table;
	const timeline = report.tables.find((t) => t.path.includes("timeline") && t.about === table.about &&
		t.column("live_bytes") && t.keys.every((key) => table.column(key.name)));
	const same = timeline && timeline.rows.find((other) => timeline.keys.every((key) =>
		timeline.text(other, key) === table.text(row, table.column(key.name))));

	return same ? same[timeline.column("live_bytes").index] : null;
}

function wasting(table) {
	const requested = table.column("bytes_req"), allocated = table.column("bytes_alloc");

	if (!requested || !allocated)
		return [];
	const total = totalOf(table, ofColumn(allocated));

	return worst(table, (row) => row[allocated.index] - row[requested.index])
		.filter(([, wasted]) => wasted > LEAST_PART * total)
		.map(([row, wasted]) => finding("Wasting", subject(table, row) + " wastes " +
			inPercent(wasted, row[allocated.index]) + " of what it allocates.", table, row, wasted,
		{options: ["stat", "--by size"]}));
}

function bouncing(table) {
	const [pingpong, freed] = ["pingpong", "freed_hits"].map((id) => table.column(id));

	if (!pingpong || !freed)
		return [];
	const total = totalOf(table, ofColumn(freed));

	return worst(table, (row) => row[pingpong.index])
		.filter(([, n]) => n > LEAST_PART * total)
		.map(([row, n]) => finding("Bouncing", subject(table, row) + ": " + grouped(n) + " of " +
			grouped(row[freed.index]) + " frees (" + inPercent(n, row[freed.index]) +
			") came from another CPU than the allocation.", table, row, bytesOf(table, row, n),
		{options: ["stat", "--pingpong"]}));
}

/* Freed within 1 ms: an object on the stack, or one that is kept, may do. */
function temporary(table) {
	const [short, hits] = ["short_lived_hits", "hits"].map((id) => table.column(id));

	if (!short || !hits)
		return [];
	const total = totalOf(table, ofColumn(hits));

	return worst(table, (row) => 2 * row[short.index] > row[hits.index] ? row[short.index] : 0)
		.filter(([, n]) => n > 10 * LEAST_PART * total)
		.map(([row, n]) => finding("Temporary", subject(table, row) + ": " + grouped(n) + " of " +
			grouped(row[hits.index]) + " were freed within 1 ms.", table, row, bytesOf(table, row, n),
		{options: ["stat", "--lifetime --caller"]}));
}

const LEAK_KINDS = {leaking: "Leaking", growing: "Growing"};

/* The first rows that the report numbered as findings, whatever its tables are sorted by. */
function numbered(table, column) {
	return table.rows.filter((row) => row[column.index] !== null)
		.sort((a, b) => a[column.index] - b[column.index]);
}

/* "python3-25098 (21 of 37)", the process that holds most of the row; null if unknown. */
function ownerOf(table, row) {
	const [comm, pid, held, hits] = ["owner.comm", "owner.pid", "owner.hits", "hits"].map((id) => table.column(id));

	if (!comm || !pid || !row[pid.index])
		return null;
	return table.text(row, comm) + "-" + row[pid.index] + (held && hits && row[held.index] < row[hits.index] ?
		" (" + grouped(row[held.index]) + " of " + grouped(row[hits.index]) + ")" : "");
}

function leaking(table) {
	const behaviour = table.column("behaviour"), bytes = table.column("bytes");
	const evidence = table.column("evidence"), growth = table.column("growth_bytes_per_second");
	const number = table.column("finding"), history = table.column("live_bytes");

	if (!behaviour || !bytes || !number)
		return [];
	return numbered(table, number)
		.map((row) => finding(LEAK_KINDS[table.text(row, behaviour)], subject(table, row) + " holds " +
			inBytes(row[bytes.index]) + " that were not freed" + (growth && row[growth.index] > 0 ? ", " +
				inBytes(row[growth.index]) + " more each second" : "") + ".", table, row, row[bytes.index], {
			owner: ownerOf(table, row), evidence: evidence ? table.text(row, evidence) : null,
			series: history ? row[history.index] : null, options: ["leak", "--by comm,pid"]}));
}

/* Without a leak report: the holders of memory that is live at the end, if their frees are traced
 * and the kernel's own count confirms it. */
function holding(table) {
	const live = table.column("live_bytes"), allocated = table.column("bytes_alloc") || table.column("bytes");
	const unseen = table.column("unseen_frees"), freed = table.column("freed_hits");
	const untraced = table.column("live_bytes_untraced");
	const isTraced = (row) => !unseen || !freed || row[unseen.index] <= row[freed.index];
	const held = (row) => isTraced(row) ? row[live.index] - (untraced ? row[untraced.index] : 0) : 0;

	if (!live || !allocated || live.kind !== "bytes")
		return [];
	const total = totalOf(table, ofColumn(live));

	return worst(table, held)
		.filter(([, n]) => n > LEAST_PART * total)
		.map(([row, n]) => finding("Holding", subject(table, row) + " holds " + inPercent(n, row[allocated.index]) +
			" of what it allocated at the end.", table, row, n,
		{series: seriesOfRow(table, row), options: ["leak", "--by comm,pid"]}));
}

function fragmenting(table) {
	const events = table.column("fragmenting") || table.column("fragmenting_events");

	if (!events)
		return [];
	return worst(table, (row) => row[events.index])
		.map(([row, n]) => finding("Fragmenting", subject(table, row) + " made the page allocator take a block of " +
			"another migrate type " + grouped(n) + " times.", table, row, n, {isCount: true}));
}

/* The rows that grew most (sign 1), or shrank, between two recordings. */
function changed(table, sign, kind, words) {
	const [change, before, now] = ["change.bytes", "old.bytes", "new.bytes"].map((id) => table.column(id));
	const beyond = table.column("beyond_noise");

	if (!change || !before)
		return [];
	const total = totalOf(table, ofColumn(before)), { report } = table, of = sideRate(report);
	const isState = Boolean(report.figure("seconds_between", "diff"));

	return worst(table, (row) => beyond && !row[beyond.index] ? 0 : sign * row[change.index])
		.filter(([, n]) => n > LEAST_PART * total)
		.map(([row, n]) => finding(kind, subject(table, row) + (isState ? " has " : " allocates ") + inBytes(n) +
			changeRate(report) + words + " than before" +
			(row[before.index] ? ": " + inBytes(row[before.index]) + of + ", now " + inBytes(row[now.index]) + of :
				sign > 0 ? ", when it " + (isState ? "had" : "allocated") + " nothing" : "") +
			".", table, row, n, {unit: changeRate(report), options: ["diff", "--by comm"]}));
}

function more(table) {
	return changed(table, 1, "More", " more");
}

function less(table) {
	return changed(table, -1, "Less", " less");
}

const KINDS = [leaking, more, less, wasting, bouncing, temporary, holding, fragmenting];

function bySeverity(a, b) {
	return SEVERITY[a.kind] - SEVERITY[b.kind] || EVIDENCE.indexOf(a.evidence) - EVIDENCE.indexOf(b.evidence) ||
		b.bytes - a.bytes;
}

/* A leak report decides itself how many of its rows are findings. */
function worstOf(kind, findings) {
	return kind === leaking ? findings : findings.sort(bySeverity).slice(0, WORST);
}

/* All findings, the most severe first, from the first table of each allocator that has any. */
export function findingsOf(report) {
	const found = [];

	for (const kind of KINDS) {
		const told = new Set(), all = [];

		for (const table of report.tables) {
			const { about } = table;
			/* the report numbers leaks by any key, such as source lines */
			const isOfSites = kind === leaking || siteOf(table) || table.column("change.bytes");
			const findings = told.has(about) || !isOfSites ? [] : kind(table);

			if (findings.length)
				told.add(about);
			all.push(...findings);
		}
		found.push(...worstOf(kind, all));
	}
	return found.sort(bySeverity);
}

/* A word of a command line. */
export function quoted(text) {
	return /^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'";
}

/* The command that reports a finding's call site alone; null if there is none. */
function nextCommand({ table, row, options }) {
	const { report } = table, callsite = siteOf(table);
	const name = callsite ? withoutOffset(innermost(table.text(row, callsite))) : "";

	if (!options || !/^[\w.]+$/.test(name) || /^(0x|unknown$)/.test(name))
		return null;
	const paths = ["old_recording", "recording"].map((id) => report.file(id));
	const [old, now] = paths.map((path) => path && quoted(path));
	const [command, what] = options;
	const input = command === "diff" ? old + " " + now : now ? "-i " + now : "--duration 10";
	const allocator = table.about in ALLOCATORS ? " --" + table.about : "";

	return [report.command, command, input + allocator, "--callsite", quoted("^" + name.replace(/\./g, "\\.") + "$"),
		what].join(" ");
}

function findingElement(f, open) {
	const facts = [f.owner && "Held by " + f.owner, f.evidence && "evidence: " + f.evidence].filter(Boolean);
	const command = nextCommand(f);

	return el("li", {}, el("span", {class: "kind"}, f.kind),
		el("span", {}, f.text, " ",
			el("button", {class: "link", onclick: () => open(f), "aria-label": "Show: " + f.text}, "show")),
		el("span", {class: "history"}, f.series && f.series.some(Boolean) ? sparkline(f.series) : ""),
		el("strong", {class: "size"}, f.isCount ? grouped(f.bytes) : f.bytes === null ? "" :
			inBytes(f.bytes) + (f.unit ? "/s" : "")),
		el("span", {class: "about"}, facts.length ? shortened(facts.join("; "), 200) + ". " : "",
			command ? ["Next: ", code(command)] : ""));
}

/* open(finding) shows the row.  sentences: of the report itself, in its order, after the findings. */
export function findingsList(findings, sentences, open) {
	const items = [...findings.map((f) => findingElement(f, open)), ...sentences.map((text) => el("li", {}, text))];
	const rest = items.slice(SHOWN);

	return [el("ol", {class: "findings"}, items.slice(0, SHOWN)),
		!rest.length ? null : el("details", {class: "more"}, el("summary", {}, grouped(rest.length) + " more"),
			el("ol", {class: "findings", start: SHOWN + 1}, rest))];
}
