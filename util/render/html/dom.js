// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Elements.  All text becomes text nodes: nothing here parses markup.
 */

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
	for (const [name, value] of Object.entries(attributes || {})) {
		if (value === null || value === undefined || value === false)
			continue;
		if (name.startsWith("on"))
			element.addEventListener(name.slice(2), value);
		else
			element.setAttribute(name, value === true ? "" : value);
	}
	for (const child of children.flat(Infinity))
		if (child !== null && child !== undefined)
			element.append(child);
	return element;
}

/* el("p", {class: "note"}, "text", child): `on<event>` attributes are listeners. */
export function el(tag, attributes, ...children) {
	return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
	return fill(document.createElementNS(SVG, tag), attributes, children);
}

export function replace(parent, ...children) {
	parent.textContent = "";
	for (const child of children.flat(Infinity))
		if (child !== null && child !== undefined)
			parent.append(child);
}

/* A command line, which is broken between its words. */
export function code(command) {
	return el("code", {}, command.split(" ").map((word, i) => [i ? " " : null, el("span", {}, word)]));
}

/* A name, which is broken after an underscore rather than within a word. */
export function breakable(name) {
	return name.split(/(?<=[_/>])/).map((part, i) => [i ? el("wbr") : null, part]);
}

let labels = 0;

/* A control after its label. */
export function labelled(text, control) {
	if (!control.id)
		control.id = "control" + ++labels;
	return el("span", {class: "control"}, el("label", {for: control.id}, text), control);
}

/* options: [value, text] */
export function choice(options, chosen, onchange) {
	const select = el("select", {onchange: () => onchange(select.value)});

	for (const [value, text] of options)
		select.append(el("option", {value, selected: String(value) === String(chosen)}, text));
	return select;
}

/* A debounced fn: it is called once, when calls have stopped for a moment. */
export function settled(fn, milliseconds) {
	let timer = 0;

	return () => {
		clearTimeout(timer);
		timer = setTimeout(fn, milliseconds);
	};
}

/*
 * Call fn when the width of an element that is shown has changed, with `both` also its height, but not at every step
 * of the change.
 */
export function whenResized(element, both, fn) {
	const size = () => element.clientWidth + (both ? "x" + element.clientHeight : "");
	let drawn = null;
	const changed = settled(() => {
		if (!element.clientWidth || size() === drawn)
			return;
		drawn = size();
		fn();
	}, 60);

	/* the first call reports the initial size */
	new ResizeObserver(() => {
		if (drawn === null)
			drawn = size();
		else
			changed();
	}).observe(element);
}
