// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keys of the whole page, and the list of all keys.
 */

import { el } from "./dom.js";

const LIST = [
	["/", "Search: the flame graph, or the first table of this tab"],
	["1 … 9", "A tab, by its number"],
	["← →", "In the tabs: the tab beside; in the flame graph: the frame beside"],
	["↑ ↓", "In the flame graph: the frame above or below"],
	["Enter", "Zoom into a frame, a box of the treemap, or a field of the CPUs"],
	["Backspace", "In the flame graph: zoom out"],
	["Alt ←", "Undo a step: zooms and tabs are in the browser's history"],
	["?", "This list"],
	["Esc", "Close this list, or leave a search"],
];

function isTyping(target) {
	return target.matches("input:not([type=range]):not([type=checkbox]), select, textarea");
}

function listOfKeys() {
	const dialog = el("dialog", {id: "keys", "aria-label": "Keys"}, el("h2", {}, "Keys"),
		el("dl", {class: "items"}, LIST.map(([key, what]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)])),
		el("button", {onclick: () => dialog.close()}, "Close"));

	return dialog;
}

/* The first search field that can be seen. */
function searchField() {
	return [...document.querySelectorAll("main input[type=search]")].find((field) => field.getClientRects().length);
}

/* searchable: ids of tabs to search in if the shown one has no field.  Returns the button and the list. */
export function keysOf(tabs, searchable) {
	const dialog = listOfKeys();
	const search = () => {
		const tab = searchable.find((id) => tabs.has(id));

		if (!searchField() && tab)
			tabs.reveal(tab);
		const field = searchField();

		if (field)
			field.focus();
	};

	addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.altKey || event.metaKey || dialog.open)
			return;
		if (isTyping(event.target)) {
			if (event.key === "Escape")
				event.target.blur();
			return;
		}
		if (event.key === "?")
			dialog.showModal();
		else if (event.key === "/")
			search();
		else if (/^[1-9]$/.test(event.key))
			tabs.chooseAt(Number(event.key) - 1);
		else
			return;
		event.preventDefault();
	});
	return [el("button", {id: "show-keys", "aria-label": "List of keys", title: "List of keys",
		onclick: () => dialog.showModal()}, "?"), dialog];
}
