// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The reader's choices, in the part of the address after '#': the browser's back button undoes a
 * step, and an address can be saved.
 */

const listeners = new Set();

export function getState(name) {
	return new URLSearchParams(location.hash.slice(1)).get(name);
}

/* changes: {name: value}; null removes one.  A step can be undone with the back button. */
export function setState(changes, isStep) {
	const state = new URLSearchParams(location.hash.slice(1));

	for (const [name, value] of Object.entries(changes))
		if (value === null)
			state.delete(name);
		else
			state.set(name, value);
	if (isStep)
		history.pushState(null, "", "#" + state);
	else
		history.replaceState(null, "", "#" + state);
}

/* fn is called when the reader or the browser changed the address. Returns a function that ends that. */
export function onState(fn) {
	listeners.add(fn);
	return () => listeners.delete(fn);
}

function tell() {
	[...listeners].forEach((fn) => listeners.has(fn) && fn());
}

/* As setState(), without a step in the history; all views follow. */
export function applyState(changes) {
	setState(changes, false);
	tell();
}

addEventListener("popstate", tell);
