// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sandwich: a list of functions, and the callers and callees of the chosen one, over all
 * callchains that contain it.
 *
 * A function's own share is what it allocated itself, as the innermost frame; its total includes
 * what its callees allocated, once even where it is recursive.
 */

import { choice, el, labelled, replace, settled, whenResized } from "./dom.js";
import { FRAME_HEIGHT, frameText, LEAST_WIDTH, lookOf, placed } from "./flame.js";
import { inMeasure, measuresOf, totalOf } from "./measures.js";
import { shortened } from "./names.js";
import { grouped, inPercent } from "./numbers.js";
import { getState, setState } from "./state.js";
import { namesOf, stackColumn } from "./tree.js";

const LISTED = 200;

class Part {
	constructor(name, look) {
		this.name = name;
		this.look = look;
		this.value = 0;
		this.below = new Map();
	}

	/* Add a value along a path of [name, look]. */
	count(path, value) {
		let part = this; // eslint-disable-line consistent-this

		part.value += value;
		for (const [name, look] of path) {
			if (!part.below.has(name))
				part.below.set(name, new Part(name, look));
			part = part.below.get(name);
			part.value += value;
		}
	}
}

/* [name, look] of each function of a row, innermost first. */
function functionsOf(table, column, row) {
	return namesOf(table, column, row).map(([, name, module, isUser]) => [name, lookOf(name, module, isUser)]);
}

export class Sandwich {
	/* tables: those with callchains */
	constructor(tables) {
		this.tables = tables;
		this.element = el("section", {class: "card", id: "sandwich", "aria-label": "Callers and callees"});
		this.choices = el("div", {class: "together"});
		this.input = el("input", {type: "search", placeholder: "Search functions",
			"aria-label": "Search the functions"});
		this.input.addEventListener("input", settled(() => this.list(), 120));
		this.functions = el("table");
		this.said = el("p", {role: "status"});
		this.pictures = {true: el("div", {class: "flame", role: "group", "aria-label": "Callers"}),
			false: el("div", {class: "flame", role: "group", "aria-label": "Callees"})};
		this.element.append(el("h2", {}, "Callers and callees"),
			el("div", {class: "controls"}, this.choices, this.input),
			el("div", {class: "sandwich"},
				el("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": "Functions"}, this.functions),
				el("div", {}, this.said, this.pictures[true], this.pictures[false])));
		this.restore();
		whenResized(this.pictures[true], false, () => this.draw());
	}

	restore() {
		this.table = this.tables[Number(getState("sandwich") || 0)] || this.tables[0];
		const measures = measuresOf(this.table);

		this.measure = measures.find((m) => m.id === getState("sandwich-by")) || measures[0];
		this.rows = this.table.rows.map((row) =>
			[functionsOf(this.table, stackColumn(this.table), row), this.measure.value(row)]);
		this.total = totalOf(this.table, this.measure);
		this.sum();
		this.name = getState("sandwich-of");
		if (!this.sums.has(this.name))
			[this.name] = this.names;
		replace(this.choices,
			this.tables.length < 2 ? null : labelled("Of", choice(this.tables.map((t, i) => [i, t.title]),
				this.tables.indexOf(this.table), (value) => this.show({sandwich: value}))),
			labelled("By", choice(measures.map((m) => [m.id, m.name]), this.measure.id,
				(value) => this.show({"sandwich-by": value}))));
		this.list();
		this.draw();
	}

	/* Own and total of each function. */
	sum() {
		this.sums = new Map();
		for (const [functions, value] of this.rows)
			functions.forEach(([name], i) => {
				const sum = this.sums.get(name) || [0, 0];

				sum[0] += i ? 0 : value;
				sum[1] += functions.findIndex(([other]) => other === name) === i ? value : 0;
				this.sums.set(name, sum);
			});
		this.names = [...this.sums.keys()].sort((a, b) =>
			this.sums.get(b)[0] - this.sums.get(a)[0] || this.sums.get(b)[1] - this.sums.get(a)[1]);
	}

	show(changes, isStep) {
		setState(changes, isStep);
		this.restore();
	}

	list() {
		const text = this.input.value.trim().toLowerCase();
		const found = this.names.filter((name) => name.toLowerCase().includes(text));
		const cell = (n) => el("td", {class: "number"}, inMeasure(this.measure, n));

		replace(this.functions, el("thead", {}, el("tr", {}, ["Function", "Own", "Total"].map((name, i) =>
			el("th", {scope: "col", class: i ? "number" : null}, name)))),
		el("tbody", {}, found.slice(0, LISTED).map((name) => el("tr",
			{"aria-current": name === this.name ? "true" : null},
			el("td", {class: "name"}, el("button", {class: "link",
				onclick: () => this.show({"sandwich-of": name}, true)}, shortened(name, 60))),
			this.sums.get(name).map(cell)))),
		found.length <= LISTED ? null : el("tfoot", {}, el("tr", {},
			el("td", {colspan: "3"}, "and " + grouped(found.length - LISTED) + " more: search for them"))));
	}

	draw() {
		if (!this.pictures[true].clientWidth || !this.name) /* hidden, or empty */
			return;
		const [own, total] = this.sums.get(this.name);

		replace(this.said, el("strong", {}, shortened(this.name, 200)), ": " + inMeasure(this.measure, total) + ", " +
			inPercent(total, this.total) + " of all; allocated by itself: " + inMeasure(this.measure, own));
		/* the outermost of several calls has all callees, and the callers of the function */
		for (const isUp of [true, false]) {
			const root = new Part(this.name, "root");

			for (const [functions, value] of this.rows) {
				const at = functions.map(([name]) => name).lastIndexOf(this.name);

				if (at >= 0)
					root.count(isUp ? functions.slice(at + 1) : functions.slice(0, at).reverse(), value);
			}
			this.picture(root, isUp);
		}
	}

	/* Callers grow upwards, callees downwards. */
	picture(root, isUp) {
		const picture = this.pictures[isUp], least = LEAST_WIDTH / picture.clientWidth;
		const frames = [];
		const place = (part, left, width, depth) => {
			let at = left;

			frames.push([part, left, width, depth]);
			for (const below of [...part.below.values()].sort((a, b) => b.value - a.value)) {
				const share = root.value ? below.value / root.value : 0;

				if (share < least)
					break;
				place(below, at, share, depth + 1);
				at += share;
			}
		};

		place(root, 0, 1, 0);
		const depth = frames.reduce((most, frame) => Math.max(most, frame[3]), 0);

		picture.style.height = (depth + 1) * FRAME_HEIGHT + "px";
		replace(picture, frames.filter((frame) => isUp || frame[3] > 0).map(([part, left, width, at]) =>
			this.frame(part, left, width, isUp ? depth - at : at - 1)));
	}

	frame(part, left, width, row) {
		const label = shortened(part.name, 200) + ", " + inMeasure(this.measure, part.value);

		return placed(el("button", {class: "frame " + part.look, title: label, "aria-label": label,
			"data-value": part.value, onclick: () => this.show({"sandwich-of": part.name}, true)},
		frameText(part.name, width * this.pictures[true].clientWidth)), left, width, row);
	}
}
