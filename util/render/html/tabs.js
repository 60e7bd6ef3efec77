// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tabs: one part of the page is shown at a time, or all of them.
 *
 * A part is built when it is first shown, which keeps the first screen fast.  The chosen tab is in
 * the address.  The left and right arrow keys move between tabs.
 */

import { el, replace } from "./dom.js";
import { getState, onState, setState } from "./state.js";

const ALL = "all";

export class Tabs {
	/*
	 * parts: [{id, name, build}]; build(panel, follow) fills the panel, and returns a function that redraws it.
	 * follow(view) has the view follow the address; returns it.
	 */
	constructor(parts) {
		this.parts = parts.map((part) => ({...part, redraw: null, ends: [], panel: el("div", {
			class: "panel", id: "panel-" + part.id, role: "tabpanel", "aria-label": part.name, hidden: true})}));
		this.buttons = [...this.parts, {id: ALL, name: "All"}].map(({ id, name }) => el("button",
			{class: "tab", role: "tab", "data-tab": id, onclick: () => this.choose(id)}, name));
		this.list = el("div", {class: "tabs", role: "tablist", "aria-label": "Parts of the report",
			onkeydown: (event) => this.pressed(event)}, this.buttons);
		this.panels = this.parts.map((part) => part.panel);
		this.chosen = null;
		onState(() => this.restore());
	}

	has(id) {
		return this.buttons.some((b) => b.dataset.tab === id);
	}

	restore() {
		const wanted = getState("tab");

		this.show(this.has(wanted) ? wanted : this.parts[0].id);
	}

	/* A step that the back button undoes. */
	choose(id) {
		if (id === this.chosen)
			return;
		setState({tab: id === this.parts[0].id ? null : id}, true);
		this.show(id);
		scrollTo(0, 0);
	}

	/* Choose the tab, unless all are shown. */
	reveal(id) {
		if (this.chosen !== ALL)
			this.choose(id);
	}

	show(id) {
		this.chosen = id;
		for (const button of this.buttons) {
			const isChosen = button.dataset.tab === id;

			button.setAttribute("aria-selected", String(isChosen));
			button.tabIndex = isChosen ? 0 : -1;
		}
		for (const part of this.parts) {
			const wasHidden = part.panel.hidden;

			part.panel.hidden = id !== ALL && part.id !== id;
			if (!part.panel.hidden && (wasHidden || !part.redraw))
				this.draw(part);
		}
	}

	draw(part) {
		if (part.redraw)
			part.redraw();
		else
			part.redraw = part.build(part.panel, (view) => this.follow(part, view)) || (() => {});
	}

	follow(part, view) {
		part.ends.push(onState(() => view.restore()));
		return view;
	}

	/* Build these parts anew when they are next shown, or now if they are. */
	rebuild(ids) {
		for (const part of this.parts.filter(({ id }) => ids.includes(id))) {
			part.ends.forEach((end) => end());
			Object.assign(part, {redraw: null, ends: []});
			replace(part.panel);
			if (!part.panel.hidden)
				this.draw(part);
		}
	}

	/* The number-th tab. */
	chooseAt(number) {
		if (this.buttons[number])
			this.choose(this.buttons[number].dataset.tab);
	}

	pressed(event) {
		const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];

		if (!by)
			return;
		const nr = this.buttons.length;
		const at = this.buttons.findIndex((b) => b.dataset.tab === this.chosen);

		this.chooseAt((at + by + nr) % nr);
		this.buttons[(at + by + nr) % nr].focus();
		event.preventDefault();
	}
}
