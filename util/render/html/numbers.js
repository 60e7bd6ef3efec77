// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers as people read them, by the kind that the document gives them.
 */

const BYTE_UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];

export function grouped(n) {
	const digits = Math.abs(Math.round(n)).toString();

	return (n < 0 ? "-" : "") + digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

export function inBytes(n) {
	let size = Math.abs(n), unit = 0;

	while (size >= 1024 && unit + 1 < BYTE_UNITS.length) {
		size /= 1024;
		unit++;
	}
	return (n < 0 ? "-" : "") + (unit ? size.toFixed(size < 10 ? 2 : 1) : grouped(size)) + " " +
		(unit || Math.round(size) !== 1 ? BYTE_UNITS[unit] : "byte");
}

export function inTime(ns) {
	const size = Math.abs(ns);

	if (size < 1e3)
		return grouped(ns) + " ns";
	if (size < 1e6)
		return (ns / 1e3).toFixed(2) + " µs";
	if (size < 1e9)
		return (ns / 1e6).toFixed(2) + " ms";
	return size < 60e9 ? (ns / 1e9).toFixed(2) + " s" : (ns / 60e9).toFixed(1) + " min";
}

export function inPercent(part, whole) {
	const percent = whole ? 100 * part / whole : 0;

	return percent.toFixed(percent < 10 ? 2 : 1) + " %";
}

/* A value of a kind (the table is in README.md); what it cannot format is given as it is. */
export function inKind(kind, n) {
	switch (kind) {
	case "bytes":
		return inBytes(n);
	case "bytes_change":
		return (n > 0 ? "+" : "") + inBytes(n);
	case "ns":
		return inTime(n);
	case "percent":
		return n.toFixed(1) + " %";
	case "real":
		return n.toFixed(2);
	case "count":
	case "number":
		return grouped(n);
	case "change":
		return (n > 0 ? "+" : "") + grouped(n);
	default:
		return String(n);
	}
}
