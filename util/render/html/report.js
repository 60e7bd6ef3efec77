// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The document in the file (README.md describes it), with its numbers resolved.
 */

import { inTitle, inWords, printable, words } from "./names.js";
import { inKind } from "./numbers.js";

/* Allocators, by their ids, which are also names of options. */
export const ALLOCATORS = {
	slab: "slab memory", page: "pages", vmalloc: "vmalloc space", "percpu-mem": "per-CPU memory",
};

/* The path of a live system. */
const LIVE = "this machine";

/* Other parts of a report with tables of their own. */
const OTHERS = ["percpu", "extfrag"];

/* The end of a name determines the unit, in the page as in JSON. */
export function unitOf(id, kind) {
	if (!/(^|_)bytes(_|$)/.test(id))
		return kind;
	return /^growth/.test(id) ? "bytes_change" : "bytes";
}

function kindOf(raw, kind) {
	if (kind === "number" && raw.group === "change")
		return unitOf(raw.id || "", kind) === "bytes" ? "bytes_change" : "change";
	return kind === "number" ? unitOf(raw.id || "", kind) : kind || "count";
}

class Column {
	constructor(raw, kind, index) {
		this.index = index;
		this.id = raw.id;
		this.group = raw.group;
		this.kind = kindOf(raw, kind);
		this.shown = raw.shown;
		this.isKey = raw.key;
		this.addsUp = raw.adds_up;
		this.sorted = raw.sorted || null; /* the order of the rows: "descending", "ascending" */
		this.isNumber = ["bytes", "bytes_change", "ns", "percent", "real", "count", "number",
			"change", "id"].includes(this.kind);
	}

	/* Unique in its table. */
	get name() {
		return (this.group ? this.group + "." : "") + (this.id || this.heading);
	}

	/* Whether it is an amount, so that a row has a share of the sum. */
	get isAmount() {
		return this.addsUp && ["bytes", "count"].includes(this.kind);
	}
}

/* A table's title; text has some as headings, in capitals. */
function withoutCapitals(title) {
	return /[a-z]/.test(title) ? title : inTitle(title);
}

class Table {
	constructor(report, raw, path, part) {
		this.report = report;
		this.part = part; /* the title of its section, or null */
		this.path = path; /* the ids of the sections around it */
		this.id = raw.id;
		this.rows = raw.rows;
		this.rowsTotal = raw.rows_total;
		this.folded = raw.folded || null;
		this.allColumns = raw.columns.map((c, i) => new Column(c, raw.kinds[i], i));
		/* each row's allocations by step (span.js), which no view shows */
		this.steps = this.allColumns.find((c) => c.id === "steps");
		this.columns = this.allColumns.filter((c) => c !== this.steps);
		this.whole = this; /* also in the table of a span */
		this.columns.forEach((c) => {
			const name = words(c.id || "");

			const { heading } = raw.columns[c.index];
			const isClear = heading && !heading.includes("\n") &&
				raw.columns.filter((other) => other.heading === heading && other.shown).length < 2;

			/* a heading over several columns does not name each of them */
			c.heading = heading && (isClear || !c.id) ? heading.replace(/\n/g, " ") :
				c.group ? inWords(c.group) + ": " + name : inWords(name);
		});
		this.keys = this.columns.filter((c) => c.isKey);
		this.title = raw.title ? withoutCapitals(printable(raw.title)) : this.makeTitle();
		this.hasOwnTitle = Boolean(raw.title);
	}

	/* Whether it repeats some rows of another table, as text output does under a title or with a limit. */
	get isExcerpt() {
		const names = (table) => table.columns.map((c) => c.name).join();

		return !this.id && this.report.tables.some((other) => other.id === "rows" &&
			other.path.join() === this.path.join() && names(other) === names(this));
	}

	/* Its subject: an allocator, or another part of the report. */
	get about() {
		return this.path.find((id) => id in ALLOCATORS || OTHERS.includes(id)) || this.path[0] || "report";
	}

	makeTitle() {
		const of = this.about, [first] = this.columns;

		if (this.part && this.id !== "rows")
			return this.part + (this.id && this.id !== "lines" ? ": " + words(this.id) : "");
		/* rows with their own way of naming */
		if (first && first.shown && !first.isKey && !first.isNumber && first.id)
			return first.heading;
		const keys = this.keys.filter((c) => c.shown || c.id === "stack").map((c) => c.id);
		const by = keys.filter((id, i) => keys.indexOf(id) === i).join(", ");

		return by ? of + " by " + by : inWords(of) + (this.id ? ": " + words(this.id) : "");
	}

	/* Whether rows were left out (-l), so that sums over the rows are too low. */
	get isCut() {
		return !this.folded && this.rows.length < this.rowsTotal;
	}

	/* Find by id, "bytes_alloc", or "group.id"; undefined if there is none. */
	column(name) {
		return this.columns.find((c) => c.name === name);
	}

	value(row, column) {
		return row[column.index];
	}

	/* A cell as text, not shortened. */
	text(row, column) {
		return this.report.text(column.kind, row[column.index]);
	}

	/* A value that sorts like the cell. */
	sortable(row, column) {
		const value = row[column.index];

		if (value === null)
			return column.isNumber ? -Infinity : "";
		if (column.isNumber || column.kind === "bool")
			return Number(value);
		if (column.kind === "numbers" || column.kind === "histogram")
			return value.reduce((sum, n) => sum + n, 0);
		return this.text(row, column).toLowerCase();
	}
}

class Report {
	constructor(json) {
		this.command = printable(json.command);
		this.strings = json.strings.map(printable);
		this.frames = json.frames;
		this.stacks = json.stacks;
		this.root = json.document;
		this.tables = [];
		this.walk(this.root, []);
	}

	walk(section, path) {
		for (const item of section.items)
			if (item.item === "table") {
				item.table = new Table(this, item, path, section.title ? inTitle(printable(section.title)) : null);
				this.tables.push(item.table);
			} else if (item.item === "section") {
				this.walk(item, item.id ? [...path, item.id] : path);
			}
	}

	/* The section with this path of ids; undefined if there is none. */
	section(...ids) {
		let at = this.root;

		for (const id of ids) {
			if (!at)
				return undefined;
			at = at.items.find((item) => item.item === "section" && item.id === id);
		}
		return at;
	}

	/* A figure's value in such a section, as text if it is text; null if unknown. */
	figure(id, ...ids) {
		const section = this.section(...ids);
		const figure = section && section.items.find((item) => item.item === "figure" && item.id === id);

		if (!figure || figure.value === null)
			return null;
		return figure.kind === "text" ? this.strings[figure.value] : figure.value;
	}

	/* The file that a side was read from; null if a live system was watched. */
	file(recording) {
		const path = this.figure("path", recording);

		return path === LIVE ? null : path;
	}

	/* The function, or the address if it has no name. */
	functionOf(frame) {
		const [symbol, , , address] = this.frames[frame];

		return symbol < 0 ? address === "0x0" ? "unknown" : address : this.strings[symbol];
	}

	isUser(frame) {
		return this.frames[frame].length > 4;
	}

	moduleOf(frame) {
		const module = this.frames[frame][1];

		return module < 0 ? null : this.strings[module];
	}

	/* "vfree+52" */
	callsite(frame) {
		const [symbol, , offset] = this.frames[frame];

		return this.functionOf(frame) + (symbol < 0 || offset < 0 ? "" : "+" + offset.toString(16));
	}

	/* The frames of a stack, innermost first. */
	framesOf(stack) {
		const frames = [];

		for (let node = stack; node !== null && node >= 0; node = this.stacks[2 * node])
			frames.push(this.stacks[2 * node + 1]);
		return frames;
	}

	text(kind, value) {
		if (value === null)
			return "";
		switch (kind) {
		case "text":
			return this.strings[value];
		case "strings":
			return value.map((i) => this.strings[i]).join(", ");
		case "callsite":
			return this.callsite(value);
		case "stack":
			return this.framesOf(value).map((f) => this.callsite(f)).join(" < ");
		case "bool":
			return value ? "yes" : "no";
		case "numbers":
			return value.join(" ");
		case "histogram":
			return value.map((n, octave) => n ? octave + ":" + n : "").filter(Boolean).join(" ");
		default:
			return inKind(kind, value);
		}
	}
}

export function readReport() {
	return new Report(JSON.parse(document.getElementById("document").textContent));
}

/* The rest of a change of diff: "16.5 MiB a second". */
export function changeRate(report) {
	return report.figure("per_second", "diff") ? " a second" : "";
}

/* The rest of an amount of either side, which is a state in a snapshot. */
export function sideRate(report) {
	return report.figure("seconds_between", "diff") ? "" : changeRate(report);
}
