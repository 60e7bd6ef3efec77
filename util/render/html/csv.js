// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CSV (RFC 4180), and the clipboard.
 */

import { el } from "./dom.js";

/* A spreadsheet must not take a name for a formula. */
function field(value) {
	const text = /^[=+\-@\t\r]/.test(value) && isNaN(value) ? "'" + value : value;

	return /[",\n\r]/.test(text) ? "\"" + text.replace(/"/g, "\"\"") + "\"" : text;
}

/* rows: arrays of text */
export function toCsv(rows) {
	return rows.map((row) => row.map(field).join(",") + "\n").join("");
}

/* For file: pages the clipboard is often not accessible; fall back to the older way. */
function copyBySelection(text) {
	const area = el("textarea", {"aria-hidden": "true", class: "offscreen", tabindex: "-1"});

	area.value = text;
	document.body.append(area);
	area.select();
	const copied = document.execCommand("copy");
	area.remove();
	return copied;
}

/* Resolves to true if it was copied. */
export async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch (error) {
		return copyBySelection(text);
	}
}
