// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A table: sorting by a click on a heading, search, a choice of columns, copying as CSV.  The first
 * screenful of rows is shown, more on request.
 */

import { copyText, toCsv } from "./csv.js";
import { breakable, el, replace, settled } from "./dom.js";
import { shortened } from "./names.js";
import { grouped } from "./numbers.js";
import { sparkline } from "./spark.js";
import { getState, setState } from "./state.js";

const ROWS_AT_ONCE = 50;
const TEXT_MAX = 300;
/* Characters of a name: a short one has one line, a long one several lines where it must. */
const SHORT = 16;
const LONG = 30;

/* Left of a name that is not indented, in em. */
const INDENT = 0.6;

/* Whether a column has remarks: names, and for few rows. */
function hasRemarks(table, column) {
	const remarks = table.rows.filter((row) => table.text(row, column));

	return !column.isNumber && remarks.length && 2 * remarks.length < table.rows.length;
}

/* The class of a cell. */
function classOf(column, text) {
	return column.isNumber ? "number" : text.length <= SHORT ? "name short" : text.length < LONG ? "name" : "name long";
}

/* A short table, whole, without controls. */
export function plainTable(table) {
	const columns = table.columns.filter((c) => c.shown);
	const cell = (row, column) => {
		const text = shortened(table.text(row, column), TEXT_MAX);

		return el("td", {class: classOf(column, text)}, breakable(text));
	};

	return el("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": table.title}, el("table", {},
		el("thead", {}, el("tr", {}, columns.map((c) =>
			el("th", {scope: "col", class: c.isNumber ? "number" : null}, c.heading)))),
		el("tbody", {}, table.rows.map((row) => el("tr", {}, columns.map((c) => cell(row, c)))))));
}

export class TableView {
	/* number: of the table in the page; open(row) shows a row in another view; may be null */
	constructor(table, number, open) {
		this.table = table;
		this.id = "table" + number;
		this.open = open;
		this.columns = table.columns.filter((c) => c.shown);
		if (!this.columns.length)
			this.columns = table.columns.slice();
		this.usual = table.columns.find((c) => c.sorted) || null;
		this.limit = ROWS_AT_ONCE;
		this.search = "";
		this.element = el("section", {class: "card table", "aria-label": "Table: " + table.title});
		this.build();
		this.restore();
	}

	/* The order and the search of the address: "bytes", or "-bytes" for the largest first; else the report's order. */
	restore() {
		const sort = getState(this.id + "-sort") || "", chosen = this.table.column(sort.replace(/^-/, ""));

		this.sort = chosen || this.usual;
		this.descending = chosen ? sort.startsWith("-") : this.isUsuallyDescending();
		this.search = (getState(this.id + "-find") || "").toLowerCase();
		this.input.value = this.search;
		this.fill();
	}

	isUsuallyDescending() {
		return this.usual !== null && this.usual.sorted === "descending";
	}

	build() {
		const search = el("input", {type: "search", placeholder: "Search rows",
			"aria-label": "Search rows of " + this.table.title});
		const changed = settled(() => {
			this.search = search.value.toLowerCase();
			setState({[this.id + "-find"]: search.value || null}, false);
			this.limit = ROWS_AT_ONCE;
			this.fill();
		}, 120);

		this.input = search;
		search.addEventListener("input", changed);
		this.status = el("span", {class: "muted", role: "status"});
		this.body = el("tbody");
		this.head = el("thead");
		this.foot = el("tfoot");
		this.grid = el("table", {}, this.head, this.body, this.foot);
		this.more = el("button", {onclick: () => {
			this.limit += 10 * ROWS_AT_ONCE;
			this.fill();
		}}, "More rows");
		replace(this.element,
			el("h3", {}, this.table.title),
			el("div", {class: "controls"}, search, this.chooser(),
				el("button", {onclick: (event) => this.copy(event.target)}, "Copy as CSV"), this.status),
			el("div", {class: "scroll", tabindex: "0", role: "group",
				"aria-label": "Rows of " + this.table.title},
			this.grid), this.more);
	}

	chooser() {
		return el("details", {class: "chooser"}, el("summary", {}, "Columns"), el("div", {class: "choices"},
			this.table.columns.map((column) => el("label", {},
				el("input", {type: "checkbox", checked: this.columns.includes(column), onchange: (event) => {
					const chosen = event.target.checked;

					this.columns = this.table.columns.filter((c) =>
						c === column ? chosen : this.columns.includes(c));
					this.fill();
				}}), column.heading + (column.shown ? "" : " (" + column.name + ")")))));
	}

	rows() {
		const { table, search, sort } = this;
		let { rows } = table;

		if (search)
			rows = rows.filter((row) => table.columns.some((c) =>
				!c.isNumber && table.text(row, c).toLowerCase().includes(search)));
		if (sort === this.usual && this.descending === this.isUsuallyDescending())
			return rows;
		const sign = this.descending ? -1 : 1;

		return rows.map((row) => [table.sortable(row, sort), row])
			.sort(([a], [b]) => a < b ? -sign : a > b ? sign : 0).map(([, row]) => row);
	}

	sortBy(column) {
		this.descending = this.sort === column ? !this.descending : column.isNumber;
		this.sort = column;
		setState({[this.id + "-sort"]: (this.descending ? "-" : "") + column.name}, false);
		this.fill();
		this.head.querySelector("[aria-sort] button").focus();
	}

	heading(column) {
		const direction = this.sort !== column ? null : this.descending ? "descending" : "ascending";

		return el("th", {scope: "col", class: column.isNumber ? "number" : null, "aria-sort": direction},
			el("button", {onclick: () => this.sortBy(column)}, column.heading,
				direction ? this.descending ? " ▾" : " ▴" : ""));
	}

	cell(row, column) {
		const value = row[column.index];

		if (value !== null && column.kind === "numbers")
			return el("td", {}, sparkline(value));
		const text = this.table.text(row, column), shown = shortened(text, TEXT_MAX);
		/* the style truncates text that is longer than its cell */
		const title = column.isNumber || text.length < LONG ? null : shortened(text, 600);
		const opens = this.open && column === this.opening;
		/* the names of a tree begin with blanks: a second line of a name has the same indentation */
		const depth = column.isNumber ? 0 : shown.length - shown.trimStart().length;
		const broken = column.isNumber ? shown : breakable(shown.trimStart());
		const cell = el("td", {class: classOf(column, text), title},
			opens ? el("button", {class: "link", onclick: () => this.open(row)}, shown ? broken : "-") : broken);

		if (depth)
			cell.style.paddingLeft = INDENT + depth / 2 + "em";
		if (column === this.barred && value > 0) {
			cell.classList.add("part");
			cell.style.backgroundSize = 100 * value / this.most + "% 100%";
		}
		return cell;
	}

	/* The sum over the rows, including folded ones. */
	sums(rows) {
		const { table, search } = this, { folded } = table;
		const sum = (column) => rows.reduce((n, row) => n + (row[column.index] || 0),
			folded && !search ? folded.sums[column.index] || 0 : 0);
		const adding = (column) => column.addsUp && column.isNumber;

		if (rows.length < 2 || !this.columns.some(adding))
			return null;
		return el("tr", {}, this.columns.map((column, i) => adding(column) ?
			el("td", {class: "number"}, table.report.text(column.kind, sum(column))) :
			el("td", {}, i ? "" : search ? "All that match" : "All rows")));
	}

	fill() {
		const rows = this.rows(), { table, sort } = this;
		const { folded } = table;
		const notShown = table.rowsTotal - table.rows.length;

		this.opening = this.columns.find((c) => ["callsite", "stack"].includes(c.id));
		/* bars are drawn in the first amount, or in the sort column */
		this.barred = sort && sort.isAmount ? sort : this.columns.find((c) => c.isAmount);
		this.most = this.barred ? table.rows.reduce((n, row) => Math.max(n, row[this.barred.index] || 0), 1) : 1;
		this.markRemarks();
		replace(this.head, el("tr", {}, this.columns.map((column) => this.heading(column))));
		replace(this.body, rows.slice(0, this.limit).map((row) =>
			el("tr", {}, this.columns.map((column) => this.cell(row, column)))));
		replace(this.foot, this.sums(rows));
		this.more.hidden = rows.length <= this.limit;
		this.status.textContent = grouped(Math.min(rows.length, this.limit)) + " of " + grouped(rows.length) +
			" rows" + (this.search ? " that match" : "") + (!notShown ? "" : "; " + grouped(notShown) +
			(folded ? " more with the least weight were folded into one" : " more were left out (-l)"));
	}

	/* On a narrow page, remarks after two figures and a name stand below the name. */
	markRemarks() {
		const { columns, table } = this;

		this.grid.classList.toggle("remarks", columns.length === 4 && columns[0].isNumber && columns[1].isNumber &&
			!columns[2].isNumber && hasRemarks(table, columns[3]));
	}

	async copy(button) {
		const rows = this.rows().map((row) => this.columns.map((c) =>
			c.isNumber && row[c.index] !== null ? String(row[c.index]) : this.table.text(row, c)));
		const copied = await copyText(toCsv([this.columns.map((c) => c.name), ...rows]));

		button.textContent = copied ? "Copied " + grouped(rows.length) + " rows" : "Could not copy";
		setTimeout(() => {
			button.textContent = "Copy as CSV";
		}, 2500);
	}
}
