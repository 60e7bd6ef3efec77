// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names from a recording, made safe to look at.
 *
 * They can contain anything.  They are only put into text nodes, so they cannot become markup.
 * Characters that affect the text around them (controls, bidirectional marks, characters without
 * a width; the list is that of printable.c) are shown as their codes.
 */

const ACTING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/* Whether it contains a character that must be replaced, which is rare. */
const ORDINARY = /^[\x20-\x7e]*$/;

export function printable(text) {
	if (ORDINARY.test(text))
		return text;
	return Array.from(text, (c) => ACTING.test(c) ? "\\u{" + c.codePointAt(0).toString(16) + "}" : c).join("");
}

/* The function in "vfree+52". */
export function withoutOffset(name) {
	return name.replace(/\+[0-9a-f]+$/, "");
}

/* At most `max` characters; the middle of a longer text is omitted. */
export function shortened(text, max) {
	const half = Math.floor((max - 1) / 2);

	return text.length <= max ? text : text.slice(0, half) + "…" + text.slice(-half);
}

/* "bytes_requested" as words: "bytes requested". */
export function words(id) {
	return id.replace(/_/g, " ").replace(/\bcpu(s?)\b/g, "CPU$1").trim();
}

/* The same, capitalised: "Bytes requested". */
export function inWords(id) {
	const text = words(id);

	return text.charAt(0).toUpperCase() + text.slice(1);
}

/* "PER-CPU PAGE LISTS", the heading of text, as a title of the page: "Per-CPU page lists". */
export function inTitle(heading) {
	return inWords(heading.replace(/[A-Z]{2,}/g, (word) => word.toLowerCase()));
}
