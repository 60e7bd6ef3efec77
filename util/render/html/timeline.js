// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Live memory over time, by its largest holders; allocations and frees; the peak.
 *
 * A span is selected by dragging over the picture or with the two sliders below it.  The figures for
 * the span are exact; tables and pictures of allocations follow it if they can (span.js), and the page
 * shows the command that reports the span.  A span can be kept, and compared with the next one that is selected.
 */

import { choice, code, el, labelled, replace, svg, whenResized } from "./dom.js";
import { shortened } from "./names.js";
import { inBytes, inKind, inTicks, inTime, ticks } from "./numbers.js";
import { spanIn } from "./span.js";
import { getState, setState } from "./state.js";
import { nameOf } from "./tree.js";

const LIVE_HEIGHT = 220; /* px */
const RATE_HEIGHT = 90; /* allocations above its axis, frees below */
const LEFT = 76;
const BETWEEN = 26;
export const LETTER = 6.5; /* px, about */
const SCALES_APART = 8; /* from this ratio on, two recordings have separate scales */
const TOLD = 7; /* rows with their own colour; the others share one */

/* A round number for the top of an axis of bytes. */
function roundUp(n) {
	const unit = Math.pow(2, Math.floor(Math.log2(Math.max(1, n))));

	return [1, 1.25, 1.5, 1.75, 2].map((part) => part * unit).find((bound) => bound >= n) || 2 * unit;
}

/* With a sign. */
function inChange(bytes) {
	return inKind("bytes_change", bytes);
}

/* A heading and cells, which are numbers but for the first. */
function tableRow(tag, cells) {
	return el("tr", {}, cells.map((cell, i) => el(tag, {
		scope: tag === "th" ? "col" : null, class: i ? "number" : tag === "td" ? "name" : null}, cell)));
}

/* "12.345678900", as --time takes it. */
function inSeconds(ns) {
	return Math.floor(ns / 1e9) + "." + String(Math.floor(ns % 1e9)).padStart(9, "0");
}

class Series {
	/* path: the ids of the sections that the timeline is in */
	constructor(report, path) {
		const figure = (id) => report.figure(id, ...path, "timeline");

		this.allocator = path[path.length - 1].replace(/^old_/, "");
		this.isOld = path[path.length - 1] !== this.allocator;
		this.start = figure("start_ns");
		this.step = figure("step_ns");
		this.peakTime = figure("peak_ns");
		this.peakBytes = figure("peak_bytes");
		this.live = figure("live_bytes");
		this.allocated = figure("allocated_bytes");
		this.freed = figure("freed_bytes");
		this.steps = this.live.length;
		this.isMoment = this.steps > 1 && this.live.slice(0, -1).every((bytes) => !bytes);
		this.busiest = Math.max(...this.allocated, ...this.freed);
		this.highest = Math.max(this.peakBytes || 0, ...this.live);
		const table = report.tables.find((t) => t.path.join() === [...path, "timeline"].join());
		const live = table.column("live_bytes");
		const keys = table.keys.filter((c) => !["aliases", "gfp_flags"].includes(c.id));

		this.rows = table.rows.map((row) => ({
			name: keys.map((c) => c.kind === "callsite" ? table.text(row, c) : nameOf(table, row, c)).join(", "),
			live: row[live.index],
		}));
		this.layers = this.rows.slice(0, TOLD);
		this.layers.push({
			name: "all others",
			live: this.live.map((n, i) => Math.max(0, this.rows.slice(0, TOLD)
				.reduce((rest, row) => rest - row.live[i], n))),
		});
	}

	/* Bytes live before a step. */
	before(values, step) {
		return step ? values[step - 1] : 0;
	}
}

/* counts.js draws the others. */
function hasLiveBytes(timeline) {
	return timeline.items.some((item) => item.id === "live_bytes");
}

function pathsOf(section, path) {
	return section.items.filter((item) => item.item === "section" && item.id).map((item) =>
		item.id !== "timeline" ? pathsOf(item, [...path, item.id]) : hasLiveBytes(item) ? [path] : []).flat();
}

/* Sections with a timeline: allocators, and in a diff both sides. A snapshot has only its own moment. */
export function seriesOf(report) {
	return pathsOf(report.root, []).map((path) => new Series(report, path)).filter((series) => !series.isMoment);
}

export class Timeline {
	/*
	 * series: one is drawn at a time; all: all series of the page, which share a scale;
	 * command: the report's, to be repeated with --time, or null; changed() is called when the reader chose another
	 * span, and is null if the other views do not follow it.
	 */
	constructor(id, title, { series, all, command, changed }) {
		this.id = id;
		this.series = series;
		this.all = all;
		this.command = command;
		this.isFollowed = changed !== null;
		this.changed = changed || (() => {});
		this.element = el("section", {class: "card timelines", id, "aria-label": title});
		this.choices = el("div", {class: "controls"});
		this.picture = el("div", {class: "timeline"});
		this.sliders = ["From", "To"].map((name) => el("input", {type: "range", min: "0",
			"aria-label": name + " which moment", oninput: () => this.slid()}));
		this.moments = [el("span", {class: "moment"}), el("span", {class: "moment"})];
		this.reset = el("button", {onclick: () => this.choose(0, this.current.steps)}, "Whole recording");
		this.compare = el("button", {onclick: () => this.keep(this.kept ? null : [this.from, this.to])});
		this.said = el("p", {role: "status"});
		this.changes = el("div", {class: "scroll"});
		this.legend = el("p", {class: "legend"});
		this.element.append(el("h2", {}, title), this.choices, this.picture, this.legend,
			el("div", {class: "controls"}, ["From", "To"].map((name, i) => {
				const control = labelled(name, this.sliders[i]);

				control.append(this.moments[i]);
				return control;
			}), this.reset, this.compare),
			this.said, this.changes);
		this.restore();
		whenResized(this.picture, false, () => this.draw());
	}

	restore() {
		this.current = this.series[Number(getState(this.id + "-of") || 0)] || this.series[0];
		const { steps } = this.current;

		[this.from, this.to] = spanIn(this.id, steps) || [0, steps];
		this.kept = spanIn(this.id + "-kept", steps);
		replace(this.choices, this.series.length < 2 ? null : labelled("Of", choice(
			this.series.map((s, i) => [i, s.allocator]), this.series.indexOf(this.current), (value) => {
				setState({[this.id + "-of"]: value, [this.id]: null, [this.id + "-kept"]: null}, false);
				this.restore();
				this.changed();
			})));
		this.sliders.forEach((slider) => {
			slider.max = steps;
		});
		this.draw();
	}

	/* Keep a span to compare others with; null: no longer. */
	keep(span) {
		this.kept = span;
		setState({[this.id + "-kept"]: span ? span.join("-") : null}, false);
		this.show();
	}

	/* The span from one step to before another. */
	choose(from, to) {
		const isWhole = from === 0 && to === this.current.steps;

		this.from = from;
		this.to = Math.max(from + 1, to);
		setState({[this.id]: isWhole ? null : this.from + "-" + this.to}, false);
		this.show();
		this.changed();
	}

	slid() {
		const [from, to] = this.sliders.map((slider) => Number(slider.value));

		this.choose(Math.min(from, this.current.steps - 1), Math.max(to, from + 1));
	}

	draw() {
		if (!this.picture.clientWidth) /* hidden */
			return;
		const { current } = this, { steps } = current;
		const width = Math.max(260, this.picture.clientWidth);
		const alike = this.all.filter((s) => s.allocator === current.allocator);
		const highest = Math.max(1, ...alike.map((s) => s.highest)), own = Math.max(1, current.highest);
		/* two recordings share a scale, unless this one would be too small to see */
		const shared = own * SCALES_APART >= highest;
		const most = roundUp(shared ? highest : own);
		const busiest = roundUp(Math.max(1, ...(shared ? alike : [current]).map((s) => s.busiest)));
		const x = (step) => LEFT + (width - LEFT - 8) * step / steps;
		const y = (bytes) => 16 + LIVE_HEIGHT * (1 - bytes / most);
		const bottom = 16 + LIVE_HEIGHT + BETWEEN;
		const rate = (bytes) => bottom + RATE_HEIGHT / 2 * (1 - bytes / busiest);

		this.x = x;
		this.width = width;
		this.keptBrush = svg("rect", {class: "kept-span", y: 16, height: LIVE_HEIGHT + BETWEEN + RATE_HEIGHT});
		this.brush = svg("rect", {class: "brush", y: 16, height: LIVE_HEIGHT + BETWEEN + RATE_HEIGHT});
		const drawing = svg("svg", {width, height: bottom + RATE_HEIGHT + 24, role: "img",
			"aria-label": "Live bytes, and bytes allocated and freed in each of " + steps + " steps of " +
				inTime(current.step)},
		this.axes(y, most, rate, busiest, x, bottom),
		this.areas(x, y), this.rates(x, rate), this.peak(y), this.keptBrush, this.brush);

		drawing.addEventListener("pointerdown", (event) => this.drag(event, drawing));
		replace(this.picture, drawing);
		replace(this.legend, current.layers.map((layer, i) => el("span", {class: "swatch layer" + i},
			shortened(layer.name, 60))), el("span", {class: "together"},
			el("span", {class: "swatch allocated"}, "allocated"), el("span", {class: "swatch freed"}, "freed"),
			"in each " + inTime(current.step)),
		shared ? null : el("span", {class: "apart"}, "Its scale is its own: the other recording's is " +
			Math.round(highest / own) + " times as high."));
		this.show();
	}

	axes(y, most, rate, busiest, x, bottom) {
		const { current } = this, { steps } = current, length = steps * current.step;
		const line = (at) => svg("line", {class: "grid", x1: LEFT, x2: this.width - 8, y1: at, y2: at});
		const label = (text, at) => svg("text", {x: LEFT - 6, y: at + 4, "text-anchor": "end"}, text);
		const times = ticks(length, this.width < 600 ? 3 : 8);

		return [
			[0, 0.5, 1].map((part) => [line(y(part * most)), label(inBytes(part * most), y(part * most))]),
			line(rate(0)), label("+" + inBytes(busiest), rate(busiest) + 6),
			label("-" + inBytes(busiest), rate(-busiest) - 6),
			times.map((ns, i) => svg("text", {x: x(ns / current.step), y: bottom + RATE_HEIGHT + 18,
				"text-anchor": i === 0 ? "start" : x(ns / current.step) > this.width - 40 ? "end" : "middle"},
			inTicks(ns, times[times.length - 1]))),
		];
	}

	/* The holders, stacked; the value of a step is that at its end. */
	areas(x, y) {
		const { layers, steps } = this.current;
		const base = new Float64Array(steps + 1);

		return layers.map((layer, i) => {
			const points = [0, ...layer.live].map((bytes, at) => [base[at], base[at] += bytes]);
			const area = d3.area().x((_, at) => x(at)).y0(([low]) => y(low)).y1(([, high]) => y(high));

			return svg("path", {class: "layer" + i, d: area(points)}, svg("title", {}, layer.name));
		});
	}

	rates(x, rate) {
		return [["allocated", 1], ["freed", -1]].map(([id, sign]) => {
			const area = d3.area().x((_, at) => x(at + 0.5)).y0(rate(0)).y1((bytes) => rate(sign * bytes));

			return svg("path", {class: id, d: area(this.current[id])},
				svg("title", {}, "bytes " + id + " in each step"));
		});
	}

	peak(y) {
		const { peakTime, peakBytes, start, step } = this.current;

		if (peakTime === null)
			return [];
		const at = this.x((peakTime - start) / step), isRight = at > this.width / 2;
		const text = "peak: " + inBytes(peakBytes) + " after " + inTime(peakTime - start);
		/* not left of the axis, nor beyond the right edge */
		const room = LETTER * text.length;
		const textAt = isRight ? Math.max(at - 6, Math.min(LEFT + room, this.width - 4)) :
			Math.min(at + 6, Math.max(LEFT, this.width - 4 - room));

		return [
			svg("line", {class: "peak", x1: at, x2: at, y1: 12, y2: y(0)}),
			svg("circle", {class: "peak", cx: at, cy: y(peakBytes), r: 3.5}),
			svg("text", {class: "peak-label", x: textAt, y: 11, "text-anchor": isRight ? "end" : "start"}, text),
		];
	}

	drag(event, drawing) {
		const { steps } = this.current;
		const stepAt = (e) => {
			const place = e.clientX - drawing.getBoundingClientRect().left - LEFT;

			return Math.min(steps, Math.max(0, Math.round(place / (this.width - LEFT - 8) * steps)));
		};
		const first = stepAt(event);
		const moved = (e) => {
			const other = stepAt(e);

			if (other !== first)
				this.choose(Math.min(first, other), Math.max(first, other));
		};

		drawing.setPointerCapture(event.pointerId);
		drawing.addEventListener("pointermove", moved);
		drawing.addEventListener("pointerup", () => drawing.removeEventListener("pointermove", moved), {once: true});
	}

	/* The figures for the span. */
	show() {
		const { current, from, to } = this;
		const isWhole = from === 0 && to === current.steps;
		const sum = (values) => values.slice(from, to).reduce((a, b) => a + b, 0);
		const [start, end] = [current.before(current.live, from), current.live[to - 1]];

		this.sliders[0].value = from;
		this.sliders[1].value = to;
		this.sliders.forEach((slider, i) => {
			const moment = inTime([from, to][i] * current.step);

			slider.setAttribute("aria-valuetext", moment);
			this.moments[i].textContent = moment;
		});
		this.place(this.brush, isWhole ? null : [from, to]);
		this.place(this.keptBrush, this.kept);
		this.reset.disabled = isWhole;
		this.compare.disabled = isWhole && !this.kept;
		this.compare.textContent = this.kept ? "Stop comparing" : "Compare with another span";
		replace(this.said, isWhole ? "In the whole recording" :
			"From " + inTime(from * current.step) + " to " + inTime(to * current.step),
		" " + inBytes(sum(current.allocated)) + " were allocated and " + inBytes(sum(current.freed)) +
			" freed. " + (isWhole ? inBytes(end) + " were live at its end. " :
			inBytes(start) + " were live before it, " + inBytes(end) + " after it. "),
		isWhole ? el("span", {class: "muted"}, "Drag over the picture, or use the sliders, to select a span.") :
			[this.isFollowed ? "The list below, the flame graph, the treemap, functions, sizes and tables are of the " +
			"span alone; CPUs, lifetimes and the findings are of the whole recording. " :
				"This and the list below follow the span exactly; the other pictures, the tables and the findings " +
				"are of the whole recording. ", this.again(current.start + from * current.step,
				current.start + to * current.step - 1)]);
		if (this.kept)
			this.tellDifferences();
		else
			this.tellChanges();
	}

	/* How the report is made again for a span; null if it cannot be. */
	again(start, stop) {
		return this.command === null ? null :
			["For this span: ", code(this.command + " --time " + inSeconds(start) + "," + inSeconds(stop))];
	}

	place(brush, span) {
		brush.setAttribute("x", span ? this.x(span[0]) : 0);
		brush.setAttribute("width", span ? this.x(span[1]) - this.x(span[0]) : 0);
	}

	/* The kept span and the selected one; per second, because their lengths may differ. */
	tellDifferences() {
		const { current, kept } = this, spans = [kept, [this.from, this.to]];
		const seconds = spans.map(([from, to]) => (to - from) * current.step / 1e9);
		const perSecond = (bytesIn) => spans.map((span, i) => Math.round(bytesIn(span) / seconds[i]));
		const sumOf = (values) => ([from, to]) => values.slice(from, to).reduce((a, b) => a + b, 0);
		const growthOf = (live) => ([from, to]) => live[to - 1] - current.before(live, from);
		const rate = (name, [old, now], show) => tableRow("td", [name, show(old), show(now), inChange(now - old)]);
		const growth = current.rows.map((row) => [shortened(row.name, 90), perSecond(growthOf(row.live))])
			.sort(([, a], [, b]) => Math.abs(b[1] - b[0]) - Math.abs(a[1] - a[0]));
		const inSpan = ([from, to]) => inTime(from * current.step) + " to " + inTime(to * current.step);

		replace(this.changes, el("table", {class: "spans"},
			el("thead", {}, tableRow("th", ["Bytes a second", "Kept: " + inSpan(spans[0]),
				"Selected: " + inSpan(spans[1]), "Change"])),
			el("tbody", {}, rate("Allocated", perSecond(sumOf(current.allocated)), inBytes),
				rate("Freed", perSecond(sumOf(current.freed)), inBytes),
				rate("Growth of live memory", perSecond(growthOf(current.live)), inChange)),
			el("thead", {}, tableRow("th", ["Growth of what held the most", "Kept", "Selected", "Change"])),
			el("tbody", {}, growth.map(([name, rates]) => rate(name, rates, inChange)))));
	}

	tellChanges() {
		const { current, from, to } = this;
		const rows = current.rows.map((row) => [row.name, current.before(row.live, from), row.live[to - 1]])
			.sort((a, b) => (b[2] - b[1]) - (a[2] - a[1]));

		replace(this.changes, from === 0 && to === current.steps ? null : el("table", {},
			el("thead", {}, tableRow("th", ["Held the most", "Before", "After", "Change"])),
			el("tbody", {}, rows.map(([name, before, after]) => tableRow("td",
				[shortened(name, 90), inBytes(before), inBytes(after), inChange(after - before)])))));
	}
}
