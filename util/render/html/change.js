// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The colours of changes: blue is less, orange is more. Both are distinct for colour-blind readers.
 */

import { el } from "./dom.js";

/* From -4, much less than before, to 4, much more. */
export function changeStep(before, now) {
	if (before === now)
		return 0;
	const share = (now - before) / Math.max(before, now);
	const step = Math.ceil(Math.abs(share) * 4);

	return share < 0 ? -step : step;
}

/* The legend of the colours. */
export function changeLegend() {
	return ["Change: ", ...[["change-4", "much less"], ["change-2", "less"], ["change0", "the same"],
		["change2", "more"], ["change4", "much more, or new"]]
		.map(([step, name]) => el("span", {class: "swatch " + step}, name))];
}
