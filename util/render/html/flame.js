// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The flame graph: an icicle with callers above callees, or reversed, the allocating function above
 * its callers.
 *
 * The width of a frame is its share of the measure.  A frame that is clicked becomes as wide as the
 * graph; the back button undoes that.  In a report without callchains, call sites are below the
 * caches that they allocate from.
 */

import { changeLegend, changeStep } from "./change.js";
import { choice, el, labelled, replace, settled, whenResized } from "./dom.js";
import { inMeasure } from "./measures.js";
import { shortened } from "./names.js";
import { grouped, inPercent } from "./numbers.js";
import { getState, setState } from "./state.js";
import { groupsOf, hasStacks, keyTree, stackTree, usualLevels } from "./tree.js";

export const FRAME_HEIGHT = 20; /* px */
export const LEAST_WIDTH = 1;
const LEAST_TEXT = 28;
const PALETTE = 6;
const RELATED_MAX = 12;

/* The same name has the same colour in every graph. */
function colourOf(name) {
	let hash = 7;

	for (let i = 0; i < name.length; i++)
		hash = (hash * 31 + name.charCodeAt(i)) % 65521;
	return hash % PALETTE;
}

/* The class of a function's frame. */
export function lookOf(name, module, isUser) {
	return (isUser ? "user" : module ? "module" : "kernel") + colourOf(name);
}

/* A frame's text, if it is wide enough for one. */
export function frameText(name, pixels) {
	return pixels < LEAST_TEXT ? "" : shortened(name, 200);
}

/* left and width: parts of the graph's width */
export function placed(element, left, width, row) {
	element.style.left = 100 * left + "%";
	element.style.width = 100 * width + "%";
	element.style.top = row * FRAME_HEIGHT + "px";
	return element;
}

export class FlameGraph {
	/* tables: the ones that can be drawn */
	constructor(tables) {
		this.tables = tables;
		this.trees = new Map();
		this.search = "";
		this.element = el("section", {class: "card", id: "flame", "aria-label": "Flame graph"});
		this.build();
		this.restore();
		whenResized(this.graph, false, () => this.draw());
	}

	/* The choice in the address, or the default. */
	restore() {
		const at = Number(getState("flame") || 0);

		this.table = this.tables[at] || this.tables[0];
		this.reversed = getState("flame-order") === "reversed";
		this.group = groupsOf(this.table).find((c) => c.name === getState("flame-group")) || null;
		const { measures, nodes } = this.tree();

		this.measure = Math.max(0, measures.findIndex((m) => m.id === getState("flame-by")));
		this.zoomed = nodes[Number(getState("flame-at") || 0)] || nodes[0];
		this.focused = this.zoomed;
		this.input.value = getState("flame-find") || "";
		this.search = this.input.value.trim().toLowerCase();
		this.fillControls();
		this.draw();
	}

	tree() {
		const key = this.tables.indexOf(this.table) + (this.reversed ? "r" : "") + (this.group ? this.group.name : "");

		if (!this.trees.has(key)) {
			const levels = usualLevels(this.table);

			this.trees.set(key, hasStacks(this.table) ? stackTree(this.table, this.reversed, this.group) :
				keyTree(this.table, this.reversed ? levels.reverse() : levels));
		}
		return this.trees.get(key);
	}

	build() {
		this.choices = el("div", {class: "together"});
		this.legend = el("p", {class: "legend"});
		this.input = el("input", {type: "search", placeholder: "Search functions",
			"aria-label": "Search the flame graph"});
		this.input.addEventListener("input", settled(() => this.find(this.input.value), 120));
		this.matched = el("span", {class: "muted", role: "status"});
		this.crumbs = el("nav", {class: "crumbs", "aria-label": "Zoomed into"});
		this.graph = el("div", {class: "flame", role: "tree", onkeydown: (event) => this.pressed(event),
			"aria-label": "Flame graph; arrow keys move, Enter zooms, Backspace zooms out"});
		this.detail = el("p", {class: "detail", "aria-live": "polite"});
		this.related = el("div", {class: "related"});
		this.note = el("p", {class: "muted"});
		this.element.append(el("h2", {}, "Flame graph"),
			el("div", {class: "controls"}, this.choices, this.input, this.matched), this.crumbs, this.graph,
			this.detail, this.legend, this.note, this.related);
		this.graph.addEventListener("mouseover", (event) => this.hovered(event));
		this.graph.addEventListener("click", (event) => this.clicked(event));
		this.graph.addEventListener("focusin", (event) => this.hovered(event));
	}

	fillControls() {
		const { measures } = this.tree(), groups = groupsOf(this.table);

		replace(this.choices,
			this.tables.length < 2 ? null : labelled("Of", choice(this.tables.map((t, i) => [i, t.title]),
				this.tables.indexOf(this.table), (value) => this.show({flame: value, "flame-at": null}))),
			labelled("Width", choice(measures.map((m) => [m.id, m.name]), measures[this.measure].id,
				(value) => this.show({"flame-by": value}))),
			labelled("Order", choice([["icicle", hasStacks(this.table) ? "callers on top" : "call sites below"],
				["reversed", hasStacks(this.table) ? "what allocates on top" : "call sites on top"]],
			this.reversed ? "reversed" : "icicle",
			(value) => this.show({"flame-order": value, "flame-at": null}))),
			!groups.length ? null : labelled("Group by",
				choice([["", "nothing"], ...groups.map((c) => [c.name, c.heading])], this.group ? this.group.name : "",
					(value) => this.show({"flame-group": value || null, "flame-at": null}))));
	}

	/* Set a choice, without a step in the history. */
	show(changes) {
		setState(changes, false);
		this.restore();
	}

	zoom(node) {
		setState({"flame-at": node.number ? String(node.number) : null}, true);
		this.zoomed = node;
		this.focused = node;
		this.draw();
		this.focusFrame();
	}

	/* Show a function, in a graph of the same part of the report. */
	reveal(name, about) {
		const at = this.tables.findIndex((table) => table.about === about);

		if (this.table.about !== about && at >= 0)
			this.show({flame: String(at)});
		setState({"flame-at": null}, false);
		this.input.value = name;
		this.zoomed = this.tree().root;
		this.find(name);
		this.element.scrollIntoView();
		this.input.focus({preventScroll: true});
	}

	find(text) {
		this.search = text.trim().toLowerCase();
		setState({"flame-find": text || null}, false);
		this.draw();
	}

	matches(node) {
		return this.search !== "" && node.parent !== null && node.name.toLowerCase().includes(this.search);
	}

	valueOf(node) {
		return node.values[this.measure];
	}

	/* Only the outermost frames that match are counted, so nothing counts twice. */
	matchedValue() {
		let sum = 0;
		const stack = [this.zoomed];

		while (stack.length) {
			const node = stack.pop();

			if (this.matches(node))
				sum += this.valueOf(node);
			else
				stack.push(...node.children);
		}
		return sum;
	}

	/* The frames to draw: [node, left, width] in parts of the graph's width. */
	layout(width) {
		const least = LEAST_WIDTH / width;
		const above = this.zoomed.path().slice(0, -1);
		const frames = [];

		this.narrow = [];
		const place = (node, left, part) => {
			frames.push([node, left, part]);
			let at = left;
			const total = this.valueOf(node);

			for (const child of this.sorted(node)) {
				const share = total ? part * this.valueOf(child) / total : 0;

				if (share < least)
					break;
				place(child, at, share);
				at += share;
			}
			/* children that are too narrow; the rest belongs to the node itself */
			const below = node.children.reduce((sum, child) => sum + this.valueOf(child), 0);
			const narrow = total ? left + part * below / total - at : 0;

			if (narrow >= least)
				this.narrow.push([node, at, narrow]);
		};

		if (this.zoomed.parent)
			for (const node of [this.tree().root, ...above])
				frames.push([node, 0, 1]);
		place(this.zoomed, 0, 1);
		return frames;
	}

	/* The widest first. */
	sorted(node) {
		return node.children.slice().sort((a, b) => this.valueOf(b) - this.valueOf(a));
	}

	draw() {
		const width = this.graph.clientWidth;

		if (!width) /* hidden */
			return;
		const hasFocus = this.graph.contains(document.activeElement);
		const frames = this.layout(width);
		const depth = Math.max(...frames.map(([node]) => node.depth)) + 1;

		this.byNumber = new Map(frames.map(([node]) => [node.number, node]));
		if (!this.byNumber.has(this.focused.number))
			this.focused = this.zoomed;
		replace(this.graph, frames.map(([node, left, part]) => this.frame(node, left, part, part * width)),
			this.narrow.map((gap) => this.gap(gap)));
		this.graph.style.height = depth * FRAME_HEIGHT + "px";
		replace(this.legend, this.tree().hasSides ? changeLegend() : this.places());
		this.tellCrumbs();
		this.tellMatched();
		this.tellFolded(frames.length);
		this.tell(this.focused);
		this.tellRelated();
		if (hasFocus)
			this.focusFrame();
	}

	frame(node, left, part, pixels) {
		const measure = this.tree().measures[this.measure];

		return placed(el("div", {role: "treeitem", "aria-level": node.depth + 1,
			tabindex: node === this.focused ? "0" : "-1", "data-node": node.number, "data-value": this.valueOf(node),
			class: "frame " + this.colour(node) + (this.matches(node) ? " match" : "") +
				(node.depth < this.zoomed.depth ? " above" : ""),
			"aria-label": shortened(node.name, 200) + ", " + inMeasure(measure, this.valueOf(node))},
		frameText(node.name, pixels)), left, part, node.depth);
	}

	/* The area of the frames that are too narrow to be drawn. */
	gap([node, left, part]) {
		return placed(el("div", {class: "gap", "aria-hidden": "true",
			title: "too narrow to be drawn: zoom in to see what is here"}), left, part, node.depth + 1);
	}

	/* The legend, if there are several colours. */
	places() {
		const { nodes } = this.tree();
		const told = [["kernel0", "kernel", (n) => n.parent && !n.module && !n.isUser],
			["module0", "kernel module", (n) => n.module && !n.isUser],
			["user0", "program or library", (n) => n.isUser]]
			.filter(([, , is]) => nodes.some(is));

		return told.length < 2 ? null : ["Functions of: ",
			told.map(([name, text]) => el("span", {class: "swatch " + name}, text))];
	}

	colour(node) {
		if (!node.parent)
			return "root";
		if (node.now)
			return "change" + changeStep(node.before[this.measure], node.now[this.measure]);
		return lookOf(node.name, node.module, node.isUser);
	}

	nodeOf(event) {
		const element = event.target.closest("[data-node]");

		return element ? this.byNumber.get(Number(element.dataset.node)) : undefined;
	}

	hovered(event) {
		const node = this.nodeOf(event);

		if (node)
			this.tell(node);
	}

	clicked(event) {
		const node = this.nodeOf(event);

		if (node)
			this.zoom(node);
	}

	focusFrame() {
		const element = this.graph.querySelector("[data-node=\"" + this.focused.number + "\"]");

		for (const other of this.graph.querySelectorAll("[tabindex=\"0\"]"))
			other.tabIndex = -1;
		if (!element)
			return;
		element.tabIndex = 0;
		element.focus({preventScroll: true});
	}

	/* The frame that an arrow key moves the focus to. */
	neighbour(key) {
		const node = this.focused;
		const drawn = (nodes) => nodes.filter((n) => this.byNumber.has(n.number));

		if (key === "ArrowUp")
			return node.parent;
		if (key === "ArrowDown")
			return drawn(this.sorted(node))[0];
		if (!node.parent)
			return undefined;
		const beside = drawn(this.sorted(node.parent));

		return beside[beside.indexOf(node) + (key === "ArrowRight" ? 1 : -1)];
	}

	pressed(event) {
		if (event.key.startsWith("Arrow")) {
			this.focused = this.neighbour(event.key) || this.focused;
			this.focusFrame();
		} else if (event.key === "Enter" || event.key === " ") {
			this.zoom(this.focused);
		} else if (event.key === "Backspace" || event.key === "Escape") {
			if (this.zoomed.parent)
				this.zoom(this.zoomed.parent);
		} else {
			return;
		}
		event.preventDefault();
	}

	tell(node) {
		const { measures, root } = this.tree(), measure = measures[this.measure];
		const parts = [inMeasure(measure, this.valueOf(node)),
			inPercent(this.valueOf(node), this.valueOf(root)) + " of all"];

		if (this.zoomed !== root && node !== root)
			parts.push(inPercent(this.valueOf(node), this.valueOf(this.zoomed)) + " of what is zoomed");
		if (node.now)
			parts.push("before " + inMeasure(measure, node.before[this.measure]) + ", now " +
				inMeasure(measure, node.now[this.measure]));
		replace(this.detail, el("strong", {}, shortened(node.name, 400)),
			node.module ? " [" + shortened(node.module, 100) + "]" : "", " ", parts.join(", "));
	}

	tellCrumbs() {
		const path = [this.tree().root, ...this.zoomed.path()];

		replace(this.crumbs, path.map((node, i) => [i ? " › " : "", i + 1 < path.length ?
			el("button", {class: "link", onclick: () => this.zoom(node)}, shortened(node.name, 40)) :
			el("span", {"aria-current": "true"}, shortened(node.name, 40))]));
	}

	tellMatched() {
		this.matched.textContent = this.search === "" ? "" :
			"Highlighted: " + inPercent(this.matchedValue(), this.valueOf(this.zoomed)) +
			(this.zoomed.parent ? " of what is zoomed" : " of all");
	}

	tellFolded(nr) {
		const { folded } = this.table;

		replace(this.note, grouped(nr) + (nr === 1 ? " frame is drawn" : " frames are drawn"),
			this.narrow.length ? "; where it is hatched, more are too narrow to be drawn until you zoom in." : ".",
			folded ? " " + grouped(folded.rows) + " rows with the least weight are one frame." : "",
			hasStacks(this.table) || usualLevels(this.table).length < 2 ? "" :
				" Without callchains, call sites stand below what they allocate from.");
	}

	/* Callers and callees of the zoomed function, over all its calls. */
	tellRelated() {
		const node = this.zoomed;

		if (!node.parent) {
			replace(this.related);
			return;
		}
		const same = this.tree().nodes.filter((n) => n.parent && n.name === node.name);
		const isNested = (n) => n.parent.path().some((above) => above.name === n.name);
		const above = new Map(), below = new Map();
		const add = (to, n, value) => to.set(n, (to.get(n) || 0) + value);

		for (const n of same) {
			if (!isNested(n))
				add(above, n.parent.parent ? n.parent.name : "(none)", this.valueOf(n));
			for (const child of n.children)
				if (child.name !== node.name)
					add(below, child.name, this.valueOf(child));
		}
		const titles = !hasStacks(this.table) ? ["Above it", "Below it"] :
			this.reversed ? ["It calls", "Its callers"] : ["Its callers", "It calls"];

		replace(this.related, this.relatedList(titles[0], above), this.relatedList(titles[1], below));
	}

	relatedList(title, values) {
		const measure = this.tree().measures[this.measure];
		const sorted = [...values].sort((a, b) => b[1] - a[1]);

		return el("table", {}, el("caption", {}, title),
			el("tbody", {}, sorted.slice(0, RELATED_MAX).map(([name, value]) => el("tr", {},
				el("td", {class: "name"}, shortened(name, 60)),
				el("td", {class: "number"}, inMeasure(measure, value))))),
			sorted.length > RELATED_MAX ? el("tfoot", {}, el("tr", {},
				el("td", {colspan: "2"}, "and " + grouped(sorted.length - RELATED_MAX) + " more"))) : null);
	}
}
