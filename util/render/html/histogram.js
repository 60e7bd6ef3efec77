// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Histograms: a table with a bar in each row.
 */

import { el } from "./dom.js";

function bar(part) {
	const element = el("div", {class: "bar"});

	element.style.width = 100 * part + "%";
	return el("td", {class: "bars"}, element);
}

/* rows: [[text...]...]; counts: the lengths of their bars */
export function histogram(label, headings, rows, counts) {
	const most = Math.max(1, ...counts);

	return el("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": label},
		el("table", {class: "histogram"},
			el("thead", {}, el("tr", {}, [...headings, ""].map((name) => el("th", {scope: "col"}, name)))),
			el("tbody", {}, rows.map((row, i) => el("tr", {},
				row.map((text) => el("td", {class: "number"}, text)), bar(counts[i] / most))))));
}
