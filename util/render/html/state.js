// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The reader's choices, in the part of the address after '#': the browser's back button undoes a
 * step, and an address can be saved.
 */

const listeners = [];

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

/* fn is called when the reader or the browser changed the address. */
export function onState(fn) {
	listeners.push(fn);
}

addEventListener("popstate", () => listeners.forEach((fn) => fn()));
