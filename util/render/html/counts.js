// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts over time (--percpu, --extfrag): a small picture for each series, one below the other with
 * the same time axis, and a table.
 */

import { el, replace, svg, whenResized } from "./dom.js";
import { inTitle, inWords } from "./names.js";
import { grouped, inTime } from "./numbers.js";

const COUNTS_HEIGHT = 54; /* px */
const COUNTS_LEFT = 76;
const TABLE_ROWS = 32;

function sumOfAll(values) {
	return values.reduce((sum, n) => sum + n, 0);
}

/* Sections "timeline" of accounts that count events; those of allocators have live bytes. */
function countSections(section) {
	return section.items.filter((item) => item.item === "section").map((item) => {
		const timeline = item.items.find((one) => one.item === "section" && one.id === "timeline");
		const isCounts = timeline && !timeline.items.some((one) => one.id === "live_bytes");

		return isCounts ? [{id: item.id, title: item.title, items: timeline.items}] : [];
	}).flat();
}

class Counts {
	constructor({ id, title, items }) {
		const figure = (name) => items.find((item) => item.id === name).value;

		this.id = id + "-over-time";
		this.title = inTitle(title || id) + " over time";
		this.step = figure("step_ns");
		this.series = items.filter((item) => item.item === "figure" && item.id && item.kind === "numbers")
			.map((item) => ({id: item.id, name: inWords(item.id), values: item.value}));
		this.steps = this.series.length ? this.series[0].values.length : 0;
		this.pictures = el("div", {class: "timeline"});
		this.element = el("section", {class: "card counts", id: this.id, "aria-label": this.title},
			el("h2", {}, this.title), this.pictures,
			el("details", {}, el("summary", {}, "As a table"), this.table()));
		whenResized(this.pictures, false, () => this.draw());
	}

	draw() {
		if (!this.element.isConnected)
			return;
		replace(this.pictures, this.series.map((series, i) => this.picture(series, i + 1 === this.series.length)));
	}

	picture({ id, name, values }, isLast) {
		const width = Math.max(260, this.pictures.clientWidth || 800), most = Math.max(1, ...values);
		const { steps } = this, below = isLast ? 22 : 4, top = 20, bottom = top + COUNTS_HEIGHT;
		const x = (step) => COUNTS_LEFT + (width - COUNTS_LEFT - 8) * step / steps;
		const y = (n) => bottom - COUNTS_HEIGHT * n / most;
		const area = d3.area().x(([at]) => x(at)).y0(bottom).y1(([, n]) => y(n));
		const title = name + ": " + grouped(sumOfAll(values));
		/* as steps: each value lasts from the start of its step to the end */
		const points = values.map((n, at) => [[at, n], [at + 1, n]]).flat();

		return svg("svg", {width, height: bottom + below, role: "img", "data-series": id,
			"aria-label": title + " in all, at most " + grouped(Math.max(0, ...values)) + " in a step of " +
				inTime(this.step)},
		svg("line", {class: "grid", x1: COUNTS_LEFT, x2: width - 8, y1: bottom, y2: bottom}),
		svg("text", {x: COUNTS_LEFT, y: 14}, title),
		svg("text", {x: COUNTS_LEFT - 6, y: top + 5, "text-anchor": "end"}, grouped(most)),
		svg("text", {x: COUNTS_LEFT - 6, y: bottom, "text-anchor": "end"}, "0"),
		svg("path", {class: "counts-area", d: area(points)}),
		isLast ? [0, 0.5, 1].map((part) => svg("text", {x: x(part * steps), y: bottom + 18,
			"text-anchor": part === 0 ? "start" : part === 1 ? "end" : "middle"},
		inTime(part * steps * this.step))) : null);
	}

	/* Steps are merged to limit the length. */
	table() {
		const width = Math.ceil(this.steps / TABLE_ROWS) || 1;
		const starts = [...Array(Math.ceil(this.steps / width)).keys()].map((i) => i * width);

		return el("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": this.title}, el("table", {},
			el("thead", {}, el("tr", {}, ["From", ...this.series.map((s) => s.name)].map((name) =>
				el("th", {scope: "col", class: "number"}, name)))),
			el("tbody", {}, starts.map((start) => el("tr", {},
				el("th", {scope: "row", class: "number"}, inTime(start * this.step)),
				this.series.map((s) => el("td", {class: "number"},
					grouped(sumOfAll(s.values.slice(start, start + width))))))))));
	}
}

export function countsOf(report) {
	return countSections(report.root).map((one) => new Counts(one)).filter((view) => view.steps);
}
