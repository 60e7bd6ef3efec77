// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Light or dark follows the system until the reader chooses.
 */

import { el } from "./dom.js";

const THEMES = ["system", "light", "dark"];
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

let theme = 0;

function applyTheme() {
	document.documentElement.dataset.theme = theme ? THEMES[theme] : systemIsDark.matches ? "dark" : "light";
}

applyTheme();
systemIsDark.addEventListener("change", applyTheme);

export function themeButton() {
	const button = el("button", {id: "theme", onclick: () => {
		theme = (theme + 1) % THEMES.length;
		applyTheme();
		button.textContent = "Theme: " + THEMES[theme];
	}}, "Theme: system");

	return button;
}
