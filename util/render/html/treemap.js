// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The treemap: nested keys, as large as their share of the measure.
 *
 * The colour shows the share that is wasted (or bounces, or changed).  A box that is clicked fills the
 * map; the back button undoes that.
 */

import { choice, el, labelled, replace, whenResized } from "./dom.js";
import { changeLegend, changeStep } from "./change.js";
import { inMeasure } from "./measures.js";
import { shortened } from "./names.js";
import { grouped, inKind, inPercent } from "./numbers.js";
import { getState, setState } from "./state.js";
import { keyTree, usualLevels } from "./tree.js";

const BOXES_MAX = 400;
const HEADING_HEIGHT = 20; /* px */

/* Bounds of the colours, in percent: most shares are small, and large ones stand out. */
const STEPS = [0, 2, 10, 25, 50, 100];

/* Shares that the colour can show: [id, name, part, whole]. */
const SHARES = [
	["wasted", "part that is wasted", "wasted", "bytes_alloc"],
	["pingpong", "part freed on another CPU", "pingpong", "freed_hits"],
	["live", "part that is live at the end", "live_hits", "hits"],
	["unseen", "part whose free was not seen", "unseen_frees", "hits"],
];

export class Treemap {
	constructor(tables) {
		this.tables = tables;
		this.trees = new Map();
		this.element = el("section", {class: "card", id: "map", "aria-label": "Treemap"});
		this.choices = el("div", {class: "controls"});
		this.crumbs = el("nav", {class: "crumbs", "aria-label": "Treemap of"});
		this.map = el("div", {class: "treemap", role: "group", "aria-label": "Treemap",
			onmouseover: (event) => this.hovered(event), onfocusin: (event) => this.hovered(event)});
		this.detail = el("p", {class: "detail", "aria-live": "polite"});
		this.legend = el("p", {class: "legend"});
		this.element.append(el("h2", {}, "Treemap"), this.choices, this.crumbs, this.map, this.detail, this.legend);
		this.restore();
		whenResized(this.map, true, () => this.draw());
	}

	restore() {
		this.table = this.tables[Number(getState("map") || 0)] || this.tables[0];
		this.levels = usualLevels(this.table);
		this.order = Math.min(Number(getState("map-order") || 0), this.levels.length - 1);
		const { measures, nodes } = this.tree();

		this.measure = Math.max(0, measures.findIndex((m) => m.id === getState("map-by")));
		this.shares = SHARES.filter(([, , part, whole]) =>
			[part, whole].every((id) => measures.some((m) => m.id === id)));
		this.share = this.shares.find(([id]) => id === getState("map-colour")) || this.shares[0];
		this.zoomed = nodes[Number(getState("map-at") || 0)] || nodes[0];
		this.fillControls();
		this.draw();
	}

	/* The reader chooses the outermost key; the others follow in their default order. */
	tree() {
		const key = this.tables.indexOf(this.table) + "." + this.order;

		if (!this.trees.has(key)) {
			const first = this.levels[this.order];

			this.trees.set(key, keyTree(this.table, [first, ...this.levels.filter((c) => c !== first)]));
		}
		return this.trees.get(key);
	}

	fillControls() {
		const { measures } = this.tree();

		replace(this.choices,
			this.tables.length < 2 ? null : labelled("Of", choice(this.tables.map((t, i) => [i, t.title]),
				this.tables.indexOf(this.table),
				(value) => this.show({map: value, "map-at": null, "map-order": null}))),
			labelled("Size", choice(measures.map((m) => [m.id, m.name]), measures[this.measure].id,
				(value) => this.show({"map-by": value}))),
			this.levels.length < 2 ? null : labelled("Outermost", choice(this.levels.map((c, i) => [i, c.heading]),
				this.order, (value) => this.show({"map-order": value, "map-at": null}))),
			this.shares.length < 2 ? null : labelled("Colour", choice(this.shares.map(([id, name]) => [id, name]),
				this.share[0], (value) => this.show({"map-colour": value}))));
	}

	show(changes) {
		setState(changes, false);
		this.restore();
	}

	zoom(node) {
		setState({"map-at": node.number ? String(node.number) : null}, true);
		this.zoomed = node;
		this.draw();
	}

	/* The number of levels drawn below a node: all, or two if there are too many boxes. */
	depthOf(node) {
		let depth = 0, nodes = [node], drawn = 0;

		while (nodes.length && drawn <= BOXES_MAX / 2) {
			nodes = nodes.map((n) => n.children).flat();
			drawn += nodes.length;
			depth++;
		}
		return nodes.length ? 2 : Math.max(2, depth - 1);
	}

	/* A tree for d3 with this many levels below the node; the smallest nodes of a level are merged. */
	shape(node, levels) {
		const value = (n) => n.values[this.measure];
		const children = node.children.filter((n) => value(n) > 0).sort((a, b) => value(b) - value(a));

		if (!levels || !children.length)
			return {node, value: value(node)};
		const limit = levels > 1 ? 60 : Math.max(6, Math.floor(BOXES_MAX / 60));
		const kept = (children.length <= limit ? children : children.slice(0, limit - 1))
			.map((n) => this.shape(n, levels - 1));
		const rest = children.slice(kept.length);

		if (rest.length)
			kept.push({rest: rest.length, value: rest.reduce((sum, n) => sum + value(n), 0)});
		return {node, children: kept};
	}

	draw() {
		const width = this.map.clientWidth, height = this.map.clientHeight;

		if (!width) /* hidden */
			return;
		const shape = this.shape(this.zoomed, this.depthOf(this.zoomed));
		const root = d3.hierarchy(shape).sum((d) => d.children ? 0 : d.value);

		d3.treemap().size([width, height]).paddingInner(1).round(true)
			.paddingTop((d) => d.depth && d.children ? HEADING_HEIGHT : 0)(root);
		replace(this.map, root.descendants().slice(1).map((d) => this.box(d)));
		this.tellCrumbs();
		this.tellLegend();
		this.tell(this.zoomed);
	}

	box(d) {
		const { node, rest } = d.data, { x0, x1, y0, y1 } = d;
		const name = node ? node.name : grouped(rest) + " more";
		/* too small to click, but part of the sum */
		const isOpen = node && node.children.length > 0 && x1 - x0 >= 2 && y1 - y0 >= 2;
		const measure = this.tree().measures[this.measure];
		const element = el(isOpen ? "button" : "div", {class: "box " + (d.children ? "group" : this.colour(node)),
			"data-node": node ? node.number : null, "data-value": d.value, tabindex: isOpen ? null : "-1",
			"aria-label": shortened(name, 200) + ", " + inMeasure(measure, d.value),
			role: isOpen ? null : "img",
			onclick: isOpen ? () => this.zoom(node) : null},
		x1 - x0 > 44 && y1 - y0 > 14 ? [el("span", {}, shortened(name, 100)),
			!d.children && y1 - y0 > 34 && x1 - x0 > 66 ?
				el("span", {class: "value"}, inKind(measure.kind, d.value) + (measure.rate ? "/s" : "")) : null] : "");

		/* a box smaller than its padding would be drawn too large */
		if (x1 - x0 < 8 || y1 - y0 < 2)
			element.style.padding = 0;
		element.style.left = x0 + "px";
		element.style.top = y0 + "px";
		element.style.width = x1 - x0 + "px";
		element.style.height = y1 - y0 + "px";
		return element;
	}

	/* The share that the colour shows, 0 to 1. */
	shareOf(node) {
		const { measures } = this.tree(), [, , part, whole] = this.share;
		const value = (id) => node.values[measures.findIndex((m) => m.id === id)];

		return value(whole) ? Math.min(1, value(part) / value(whole)) : 0;
	}

	colour(node) {
		if (!node)
			return "share0";
		if (node.now)
			return "change" + changeStep(node.before[this.measure], node.now[this.measure]);
		return !this.share ? "share1" :
			"share" + STEPS.slice(1, -1).filter((bound) => 100 * this.shareOf(node) >= bound).length;
	}

	hovered(event) {
		const element = event.target.closest("[data-node]");

		if (element)
			this.tell(this.tree().nodes[Number(element.dataset.node)]);
	}

	tell(node) {
		const { measures, root } = this.tree(), measure = measures[this.measure];
		const value = node.values[this.measure];
		const parts = [inMeasure(measure, value), inPercent(value, root.values[this.measure]) + " of all"];

		if (node.now)
			parts.push("before " + inMeasure(measure, node.before[this.measure]) + ", now " +
				inMeasure(measure, node.now[this.measure]));
		else if (this.share)
			parts.push(this.share[1] + ": " + inPercent(this.shareOf(node), 1));
		replace(this.detail,
			el("strong", {}, node.path().map((n) => shortened(n.name, 200)).join(" › ") || "all"), " ",
			parts.join(", "));
	}

	tellCrumbs() {
		const path = [this.tree().root, ...this.zoomed.path()];

		replace(this.crumbs, path.map((node, i) => [i ? " › " : "", i + 1 < path.length ?
			el("button", {class: "link", onclick: () => this.zoom(node)}, shortened(node.name, 40)) :
			el("span", {"aria-current": "true"}, shortened(node.name, 40))]));
	}

	tellLegend() {
		if (this.tree().hasSides)
			replace(this.legend, changeLegend());
		else if (this.share)
			replace(this.legend, this.share[1].charAt(0).toUpperCase() + this.share[1].slice(1) + ": ",
				STEPS.slice(1).map((bound, step) => el("span", {class: "swatch share" + step},
					STEPS[step] + " to " + bound + " %")));
		else
			replace(this.legend);
	}
}
