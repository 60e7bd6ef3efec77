// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers formatted for readers, by their kind in the document.
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

	if (!size)
		return "0 s";
	if (size < 1e3)
		return grouped(ns) + " ns";
	if (size < 1e6)
		return (ns / 1e3).toFixed(2) + " µs";
	if (size < 1e9)
		return (ns / 1e6).toFixed(2) + " ms";
	if (size < 60e9)
		return (ns / 1e9).toFixed(2) + " s";
	return size < 120 * 60e9 ? (ns / 60e9).toFixed(1) + " min" : (ns / 3600e9).toFixed(1) + " h";
}

/* The unit of moments up to this one: [its length in ns, its name]. */
function tickUnit(ns) {
	return [[3600e9, "h", 2], [60e9, "min", 2], [1e9, "s", 1], [1e6, "ms", 1], [1e3, "µs", 1]]
		.find(([size, , least]) => ns >= least * size) || [1, "ns"];
}

/* The moments 0, 1, 2 ... of a round length that divide a span into at most `most` parts. */
export function ticks(ns, most) {
	const unit = tickUnit(ns)[0], least = ns / unit / most, power = Math.pow(10, Math.floor(Math.log10(least)));
	const step = unit * [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least * 0.999);

	return Array.from({length: Math.floor(ns / step * 1.0001) + 1}, (_, i) => i * step);
}

/* A moment between round ones, in the unit of the last: "1.5 s". */
export function inTicks(ns, last) {
	const [size, unit] = tickUnit(last);

	return Number((ns / size).toPrecision(6)) + " " + unit;
}

export function inPercent(part, whole) {
	const percent = whole ? 100 * part / whole : 0;

	return percent.toFixed(percent < 10 ? 2 : 1) + " %";
}

/* Format a value of a kind (the table is in README.md); other values are returned unchanged. */
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
	case "clock":
		return (n / 1e9).toFixed(6) + " s";
	case "change":
		return (n > 0 ? "+" : "") + grouped(n);
	default:
		return String(n);
	}
}
