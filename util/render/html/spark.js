// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sparklines: a series as a line of blocks.
 */

import { el } from "./dom.js";

const SPARK = " ▁▂▃▄▅▆▇█";
const SPARK_MAX = 32; /* characters */

/* At most SPARK_MAX values: each is the last one of its share of the series. */
function thinned(values) {
	const nr = Math.min(values.length, SPARK_MAX);

	return Array.from({length: nr}, (_, i) => values[Math.ceil((i + 1) * values.length / nr) - 1]);
}

/* Screen readers get the numbers. */
export function sparkline(values) {
	const few = thinned(values), most = Math.max(...few, 1);

	return el("span", {class: "spark", "aria-label": few.join(", "), role: "img"},
		few.map((n) => SPARK[n ? 1 + Math.floor(7 * n / most) : 0]).join(""));
}
