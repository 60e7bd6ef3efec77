// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The heat of CPUs: a row for each that allocated, a column for each that freed.
 *
 * The colour shows how much went from one CPU to another; frees on the same CPU have none.  Many CPUs
 * are grouped into rows of neighbours, or of NUMA nodes.  A click on a field opens its group; the
 * back button undoes that.
 */

import { choice, el, labelled, replace } from "./dom.js";
import { grouped, inKind, inPercent } from "./numbers.js";
import { foldedOf, inMeasure, measuresOf, totalOf } from "./measures.js";
import { getState, setState } from "./state.js";

const PLACES_MAX = 48; /* rows and columns */
const NUMBERS_MAX = 16; /* with numbers in their fields */
const HEAT_STEPS = 5;
const STEP_FACTOR = 4; /* between two steps */

const MOVES = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};

/* Tables of frees by the CPU of the allocation and the CPU of the free. */
export function heatTables(report) {
	return report.tables.filter((table) => table.rows.length && table.column("alloc_cpu") && table.column("free_cpu"));
}

function distinct(table, names) {
	const all = new Set();

	for (const row of table.rows)
		for (const name of names)
			all.add(row[table.column(name).index]);
	return [...all].filter((place) => place !== null).sort((a, b) => a - b);
}

/* A way to make rows and columns of CPUs: place(row, side) is a number of `names`. */
function byCpu(table, cpus) {
	const at = new Map(cpus.map((cpu, i) => [cpu, i]));

	return {id: "cpu", name: "CPU", names: cpus.map((cpu) => cpu < 0 ? "unknown" : "CPU " + cpu),
		short: cpus.map((cpu) => cpu < 0 ? "?" : String(cpu)), isFolded: false,
		place: (row, side) => at.get(row[table.column(side + "_cpu").index])};
}

function byNode(table, nodes) {
	const nodeOf = (row, side) => row[table.column(side + "_node").index];
	const all = table.rows.some((row) => nodeOf(row, "alloc") === null || nodeOf(row, "free") === null) ?
		[...nodes, null] : nodes;

	return {id: "node", name: "NUMA node", names: all.map((node) => node === null ? "unknown node" : "node " + node),
		short: all.map((node) => node === null ? "?" : String(node)), isFolded: true,
		place: (row, side) => all.indexOf(nodeOf(row, side))};
}

/* Groups of neighbours, of equal size. */
function byNeighbours(table, cpus) {
	const { place } = byCpu(table, cpus);
	let size = 2;

	while (cpus.length / size > PLACES_MAX)
		size *= 2;
	const short = [...Array(Math.ceil(cpus.length / size)).keys()]
		.map((i) => cpus[i * size] + "–" + cpus[Math.min((i + 1) * size, cpus.length) - 1]);

	return {id: "neighbours", name: size + " CPUs together", names: short.map((name) => "CPUs " + name), short,
		isFolded: true, place: (row, side) => Math.floor(place(row, side) / size)};
}

function waysOf(table) {
	const cpus = distinct(table, ["alloc_cpu", "free_cpu"]);
	const hasNodes = table.column("alloc_node") && table.column("free_node");
	const nodes = hasNodes ? distinct(table, ["alloc_node", "free_node"]) : [];
	const isSmall = cpus.length <= PLACES_MAX;

	return [isSmall ? byCpu(table, cpus) : byNeighbours(table, cpus),
		nodes.length > 1 ? byNode(table, nodes) : null].filter(Boolean);
}

export class Heat {
	constructor(tables) {
		this.tables = tables;
		this.element = el("section", {class: "card", id: "heat", "aria-label": "Ping-pong between CPUs"});
		this.choices = el("div", {class: "controls"});
		this.crumbs = el("nav", {class: "crumbs", "aria-label": "Ping-pong of"});
		this.grid = el("table", {class: "heat", role: "grid", "aria-label": "Ping-pong between CPUs",
			onkeydown: (event) => this.pressed(event), onmouseover: (event) => this.hovered(event),
			onfocusin: (event) => this.hovered(event), onclick: (event) => this.open(event.target)});
		this.said = el("p", {role: "status"});
		this.detail = el("p", {class: "detail", "aria-live": "polite"});
		this.legend = el("p", {class: "legend"});
		this.element.append(el("h2", {}, "Ping-pong: allocated here, freed there"), this.choices, this.crumbs,
			this.said, el("div", {class: "scroll"}, this.grid), this.detail, this.legend);
		this.restore();
	}

	restore() {
		this.table = this.tables[Number(getState("heat") || 0)] || this.tables[0];
		const measures = measuresOf(this.table), ways = waysOf(this.table);

		/* frees are counted, and their bytes weighed */
		this.measures = measures.sort((a, b) => (a.kind === "bytes") - (b.kind === "bytes"));
		this.measure = measures.find((m) => m.id === getState("heat-by")) || this.measures[0];
		this.way = ways.find((way) => way.id === getState("heat-fold")) || ways[0];
		const zoom = (getState("heat-at") || "").split(".").map(Number);

		this.zoomed = this.way.isFolded && zoom.length === 2 && zoom.every((i) => i in this.way.names) ? zoom : null;
		replace(this.choices,
			this.tables.length < 2 ? null : labelled("Of", choice(this.tables.map((t, i) => [i, t.about]),
				this.tables.indexOf(this.table), (value) => this.show({heat: value, "heat-at": null}))),
			labelled("Colour", choice(this.measures.map((m) => [m.id, m.name]), this.measure.id,
				(value) => this.show({"heat-by": value}))),
			ways.length < 2 ? null : labelled("Rows", choice(ways.map((way) => [way.id, way.name]), this.way.id,
				(value) => this.show({"heat-fold": value, "heat-at": null}))));
		this.draw();
	}

	show(changes, isStep = false) {
		setState(changes, isStep);
		this.restore();
	}

	/* The rows and columns: groups, or the CPUs of an opened field. */
	shape() {
		const { table, way, zoomed } = this;

		if (!zoomed)
			return {rows: table.rows, of: way, froms: [...way.names.keys()], tos: [...way.names.keys()]};
		const rows = table.rows.filter((row) => way.place(row, "alloc") === zoomed[0] &&
			way.place(row, "free") === zoomed[1]);
		const of = byCpu(table, distinct(table, ["alloc_cpu", "free_cpu"]));
		const used = (side) => [...new Set(rows.map((row) => of.place(row, side)))].sort((a, b) => a - b)
			.slice(0, 4 * PLACES_MAX);

		return {rows, of, froms: used("alloc"), tos: used("free")};
	}

	sums(shape) {
		const nr = shape.of.names.length, sums = new Map();

		for (const row of shape.rows) {
			const key = shape.of.place(row, "alloc") * nr + shape.of.place(row, "free");

			sums.set(key, (sums.get(key) || 0) + this.measure.value(row));
		}
		return (from, to) => sums.get(from * nr + to) || 0;
	}

	draw() {
		const shape = this.shape(), value = this.sums(shape), { froms, tos, of } = shape;
		const moved = froms.map((from) => tos.map((to) => from === to ? 0 : value(from, to))).flat();

		this.most = Math.max(0, ...moved);
		this.drawn = shape;
		this.value = value;
		this.grid.classList.toggle("many", tos.length > NUMBERS_MAX);
		replace(this.grid,
			el("thead", {}, el("tr", {}, el("td", {}, "allocated ↓ freed →"),
				tos.map((to) => el("th", {scope: "col", "aria-label": "freed on " + of.names[to]}, of.short[to])))),
			el("tbody", {}, froms.map((from, y) => el("tr", {},
				el("th", {scope: "row", "aria-label": "allocated on " + of.names[from]}, of.short[from]),
				tos.map((to, x) => this.field(from, to, !x && !y, tos.length <= NUMBERS_MAX))))));
		this.tell();
		this.tellLegend(moved);
	}

	field(from, to, isFirst, hasNumber) {
		const { of } = this.drawn, n = this.value(from, to);
		const look = from === to ? "stays" : n ? "share" + this.stepOf(n) : "none";
		const isOpen = of.isFolded && n > 0;

		return el("td", {role: "gridcell", class: look + (isOpen ? " folded" : ""), tabindex: isFirst ? "0" : "-1",
			"data-from": from, "data-to": to, "data-value": n,
			"aria-label": this.describe(from, to) + (isOpen ? ", press for its CPUs" : "")},
		hasNumber && n ? inMeasure(this.measure, n) : "");
	}

	/* 0 to HEAT_STEPS - 1; the last one begins at the maximum divided by STEP_FACTOR. */
	stepOf(n) {
		const step = HEAT_STEPS - 1 - Math.floor(Math.log(this.most / n) / Math.log(STEP_FACTOR) + 1e-9);

		return Math.max(0, Math.min(HEAT_STEPS - 1, step));
	}

	describe(from, to) {
		const { names } = this.drawn.of;

		return "allocated on " + names[from] + ", freed on " + names[to] + ": " +
			inMeasure(this.measure, this.value(from, to));
	}

	/* The whole table, as it is in the file. */
	tell() {
		const { table, measure, zoomed, way } = this;
		const sum = (rows) => rows.reduce((total, row) => total + measure.value(row), 0);
		const isTwo = (row) => row[table.column("alloc_cpu").index] !== row[table.column("free_cpu").index];
		const folded = foldedOf(table, measure), all = totalOf(table, measure);
		const two = sum(table.rows.filter(isTwo));
		const unit = measure.kind === "bytes" ? "" : " frees", told = (n) => inMeasure(measure, n);

		replace(this.said, told(all) + unit + ", of which " + told(two) + " (" + inPercent(two, all) +
			") came from another CPU than the allocation.", folded ? " " + grouped(table.folded.rows) +
			" pairs of CPUs with the fewest frees, " + told(folded) + unit +
			", are not drawn: they are in JSON." : null);
		this.crumbs.hidden = !zoomed;
		replace(this.crumbs, zoomed ? [el("button", {class: "link", onclick: () => this.show({"heat-at": null}, true)},
			"all"), " › ", el("span", {"aria-current": "true"}, "allocated on " + way.names[zoomed[0]] +
			", freed on " + way.names[zoomed[1]])] : []);
		replace(this.detail, "Rows allocated, columns freed. Arrow keys go from field to field.");
	}

	/* The legend: the colours with their lower limits. */
	tellLegend(moved) {
		const { kind } = this.measure, least = new Map();

		for (const n of moved.filter(Boolean)) {
			const step = this.stepOf(n);

			least.set(step, Math.min(n, least.get(step) || n));
		}
		replace(this.legend, el("span", {class: "swatch stays"}, "stays where it was"),
			[...least.keys()].sort((a, b) => b - a).map((step) =>
				el("span", {class: "swatch share" + step}, "from " + inKind(kind, least.get(step)))));
	}

	hovered(event) {
		const field = event.target.closest("[data-from]");

		if (field)
			replace(this.detail, this.describe(Number(field.dataset.from), Number(field.dataset.to)));
	}

	open(target) {
		const field = target.closest("td.folded");

		if (!field)
			return;
		this.show({"heat-at": field.dataset.from + "." + field.dataset.to}, true);
		this.grid.querySelector("[tabindex=\"0\"]").focus();
	}

	pressed(event) {
		const field = event.target.closest("[data-from]"), move = MOVES[event.key];

		if (!field)
			return;
		if (event.key === "Enter" || event.key === " ") {
			event.preventDefault();
			this.open(field);
		} else if (event.key === "Backspace" && this.zoomed) {
			this.show({"heat-at": null}, true);
			this.grid.querySelector("[tabindex=\"0\"]").focus();
		} else if (move) {
			const { rows } = this.grid, cells = rows[field.parentElement.rowIndex + move[0]];
			const next = cells && cells.cells[field.cellIndex + move[1]];

			event.preventDefault();
			if (!next || !next.dataset.from)
				return;
			field.tabIndex = -1;
			next.tabIndex = 0;
			next.focus();
		}
	}
}
