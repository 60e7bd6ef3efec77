// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts over time (--percpu, --extfrag), and bytes over time (diff of a series of snapshots).
 *
 * A small picture for each series, one below the other with the same time axis, and a table.
 */

import { el, replace, svg, whenResized } from "./dom.js";
import { inTitle, inWords, shortened } from "./names.js";
import { grouped, inBytes, inTime } from "./numbers.js";
import { LETTER } from "./timeline.js";

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

function seriesOfCounts(items) {
	return items.filter((item) => item.item === "figure" && item.id && item.kind === "numbers")
		.map((item) => ({id: item.id, name: inWords(item.id), values: item.value}));
}

class Counts {
	constructor({ id, title, items }, series = seriesOfCounts(items)) {
		const figure = (name) => items.find((item) => item.id === name).value;

		this.id = id + "-over-time";
		this.title = inTitle(title || id) + " over time";
		this.step = figure("step_ns");
		this.series = series;
		this.steps = this.series.length ? this.series[0].values.length : 0;
		this.pictures = el("div", {class: "timeline"});
		this.element = el("section", {class: "card counts", id: this.id, "aria-label": this.title},
			el("h2", {}, this.title), this.pictures,
			el("details", {}, el("summary", {}, "As a table"), this.table()));
		whenResized(this.pictures, false, () => this.draw());
	}

	draw() {
		if (!this.pictures.clientWidth) /* hidden */
			return;
		replace(this.pictures, this.series.map((series, i) => this.picture(series, i + 1 === this.series.length)));
	}

	/* A series in words. */
	caption({ name, values }) {
		return [name + ": " + grouped(sumOfAll(values)), " in all, at most " + grouped(Math.max(0, ...values)) +
			" in a step of " + inTime(this.step)];
	}

	/* The lowest and the highest value of the axis. */
	bounds(values) {
		return [0, Math.max(1, ...values)];
	}

	format(n) {
		return grouped(n);
	}

	/* The value of several steps. */
	together(values) {
		return sumOfAll(values);
	}

	picture({ id, name, values }, isLast) {
		const width = Math.max(260, this.pictures.clientWidth), [least, most] = this.bounds(values);
		const { steps } = this, below = isLast ? 22 : 4, top = 20, bottom = top + COUNTS_HEIGHT;
		const x = (step) => COUNTS_LEFT + (width - COUNTS_LEFT - 8) * step / steps;
		const y = (n) => bottom - COUNTS_HEIGHT * (n - least) / (most - least);
		const area = d3.area().x(([at]) => x(at)).y0(bottom).y1(([, n]) => y(n));
		const [title, more] = this.caption({name, values});
		/* as steps: each value lasts from the start of its step to the end */
		const points = values.map((n, at) => [[at, n], [at + 1, n]]).flat();

		return svg("svg", {width, height: bottom + below, role: "img", "data-series": id,
			"aria-label": title + more},
		svg("line", {class: "grid", x1: COUNTS_LEFT, x2: width - 8, y1: bottom, y2: bottom}),
		/* a long title on a narrow page */
		svg("text", {x: title.length * LETTER < width - COUNTS_LEFT ? COUNTS_LEFT : 0, y: 14},
			shortened(title, Math.floor(width / LETTER))),
		svg("text", {x: COUNTS_LEFT - 6, y: top + 5, "text-anchor": "end"}, this.format(most)),
		svg("text", {x: COUNTS_LEFT - 6, y: bottom, "text-anchor": "end"}, this.format(least)),
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
					this.format(this.together(s.values.slice(start, start + width))))))))));
	}
}

/* Values of bytes instead of counts: the axis begins at the lowest one, so that small changes show. */
class Levels extends Counts {
	caption({ name, values }) {
		return [name + ": " + inBytes(values[0]) + " to " + inBytes(values[values.length - 1]),
			", at most " + inBytes(Math.max(...values))];
	}

	bounds(values) {
		const least = Math.min(...values);

		return [least, Math.max(least + 1, ...values)];
	}

	format(n) {
		return inBytes(n);
	}

	together(values) {
		return values[values.length - 1];
	}
}

/* A table of series beside the figures of the timeline. */
function levelsOf(report) {
	const has = (table) => table.path.includes("timeline") && table.column("values") && table.rows.length;

	return report.tables.filter(has)
		.map((table) => {
			const [path, values] = ["path", "values"].map((id) => table.column(id));
			const series = table.rows.map((row, i) =>
				({id: "line-" + i, name: table.text(row, path), values: row[values.index]}));
			const items = [{id: "step_ns", value: report.figure("step_ns", ...table.path)}];

			return new Levels({id: table.path[0], title: "Bytes", items}, series);
		});
}

export function countsOf(report) {
	const counts = countSections(report.root).map((one) => new Counts(one));

	return [...counts, ...levelsOf(report)].filter((view) => view.steps);
}
