// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The page: the verdict and the findings; pictures, tables and the rest of the document in tabs.
 */

import { el, replace, settled } from "./dom.js";
import { findingsList, findingsOf, quoted } from "./findings.js";
import { FlameGraph } from "./flame.js";
import { countsOf } from "./counts.js";
import { Heat, heatTables } from "./heat.js";
import { keysOf } from "./keys.js";
import { lifetimesCard, tablesOfLifetimes } from "./lifetimes.js";
import { measuresOf } from "./measures.js";
import { inTitle, inWords, printable, shortened, withoutOffset, words } from "./names.js";
import { grouped, inPercent, inTime } from "./numbers.js";
import { readReport, unitOf } from "./report.js";
import { Span } from "./span.js";
import { getState, onState, setState } from "./state.js";
import { plainTable, TableView } from "./table.js";
import { Tabs } from "./tabs.js";
import { Sandwich } from "./sandwich.js";
import { sizesCard, tablesOfSizes } from "./sizes.js";
import { seriesOf, Timeline } from "./timeline.js";
import { totalsList } from "./totals.js";
import { hasStacks, usualLevels } from "./tree.js";
import { themeButton } from "./theme.js";
import { Treemap } from "./treemap.js";
import { verdictOf } from "./verdict.js";

/* Sections that are shown in their own ways. */
const APART = ["recording", "old_recording"];

/* Labels for ids of figures. */
const WORDS = {
	nr_cpus: "CPUs", arch: "Architecture", cmdline: "Command", page_size_bytes: "Page size",
	wall_clock_ns: "Started", first_ns: "First event (clock of the events)", last_ns: "Last event",
	start_ns: "Start", stop_ns: "Stop", end_ns: "End", path: "File", hostname: "Host",
	rows: "Rows", hits: "Count", frees_lost_percent: "Frees that were lost", lost_percent: "Lost",
};

/* Label and text of the header's notes: "Host: ...". */
function headerNotes(report) {
	return report.root.items
		.filter((item) => item.item === "note" && item.kind === "header" && item.label)
		.map((item) => [item.label,
			printable(item.text).trim().replace(/\d+(?= events)/, (digits) => grouped(Number(digits)))]);
}

/* Lost events, as a sentence; null if there are none. */
function lossOf(report, section, name) {
	const lost = report.figure("lost_samples", section);

	if (!lost)
		return null;
	const events = report.tables.find((table) => table.path[0] === section && table.id === "events");
	const samples = events ? events.rows.reduce((sum, row) => sum + row[events.column("samples").index], 0) : 0;

	return name + grouped(lost) + " of " + grouped(lost + samples) + " events (" + inPercent(lost, lost + samples) +
		") were lost: hits and bytes are too low by about as much, and what is live, leaks or bounces is wrong " +
		"wherever one half of a pair was lost.";
}

function facts(report) {
	const known = headerNotes(report);
	const [start, stop] = ["start_ns", "stop_ns"].map((id) => report.figure(id, "recording"));

	if (!known.length) { /* -q */
		known.push(["Host", ["hostname", "kernel"].map((id) => report.figure(id, "recording"))
			.filter(Boolean).join(", ")]);
		if (stop > start)
			known.push(["Length", inTime(stop - start)]);
		if (report.figure("filters"))
			known.push(["Filters", report.figure("filters")]);
	}
	if (!["old_recording", "where", "growth"].some((id) => report.section(id))) /* which name their files */
		known.push(["File", report.figure("path", "recording") || "-"]);
	return el("dl", {class: "facts"},
		known.map(([label, text]) => [el("dt", {}, label), el("dd", {}, shortened(text, 400))]));
}

/* As printable(), with its line breaks. */
function plainNote(text) {
	return text.split("\n").map(printable).join("\n").trim();
}

/* [kind, text, label] of each note; "" without a label. */
function notesOf(section) {
	return section.items.filter((item) => item.item === "note" && item.kind !== "header")
		.map((item) => [item.kind, plainNote(item.text), plainNote(item.label || "")])
		.filter(([, text]) => text);
}

/* The findings of accounts with tables of their own, in their words. */
function foundOf(section) {
	const isFound = ["growth", "untraced"].includes(section.id); /* also its lines are findings */
	const kinds = isFound ? ["paragraphs", "line"] : ["paragraphs"];
	const notes = notesOf(section).filter(([kind]) => kinds.includes(kind)).map(([, text]) => text.split("\n")).flat();
	const own = section.title || isFound ? notes : [];

	return [...own, ...section.items.filter((item) => item.item === "section").map(foundOf).flat()];
}

function noteElement([, text]) {
	return text.split("\n").map((line) => el("p", {}, line));
}

/* Items that follow each other become a list. */
function noteElements(notes) {
	const elements = [];

	notes.forEach((note, i) => {
		const [kind, text, label] = note;

		if (kind !== "item") {
			elements.push(noteElement(note));
			return;
		}
		if (!i || notes[i - 1][0] !== "item")
			elements.push(el("dl", {class: "items"}));
		elements[elements.length - 1].append(el("dt", {}, label), el("dd", {}, text));
	});
	return elements.flat();
}

/* Ids as words, and values in the units that they name. */
function wordsOf(item) {
	return item.label ? printable(item.label) :
		WORDS[item.id] || inWords((item.id || "").replace(/_ns$/, "").replace(/_percent$/, ""));
}

function valueOf(report, item) {
	const { id, kind, value, more } = item;

	if (more)
		return valueOf(report, { id, kind, value }) + ", " + more;
	if (id === "wall_clock_ns")
		return new Date(value / 1e6).toISOString().replace("T", " ").replace(/\..*/, " UTC");
	return report.text(kind === "count" && /_ns$/.test(id) ? "clock" :
		kind === "count" || kind === "number" ? unitOf(id || "", kind) : kind, value);
}

/* A group of figures in a section without a name. */
function isGroup(item) {
	return item.item === "section" && !item.id && !item.title &&
		item.items.every((inner) => inner.item === "figure" && inner.label);
}

function figuresOf(report, section) {
	const items = section.items.map((item) => isGroup(item) ? item.items : item).flat();

	return items.filter((item) => item.item === "figure" && item.value !== null && item.kind)
		.filter((item) => !["by", "sort", "allocator", "format_version"].includes(item.id) && item.kind !== "numbers")
		.map((item) => [wordsOf(item), valueOf(report, item)]).filter(([, text]) => text);
}

function figureList(figures) {
	return el("dl", {class: "figures"}, figures.map(([label, text]) =>
		el("div", {class: text.length > 60 ? "wide" : null}, el("dt", {}, label), el("dd", {}, shortened(text, 200)))));
}

/* Sections with equal figures, as a table with a row for each section. */
function figureTable(report, sections) {
	const rows = sections.map((section) => [inTitle(section.title || section.id), figuresOf(report, section)]);

	return el("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": "Figures"}, el("table", {},
		el("thead", {}, el("tr", {}, el("td"),
			rows[0][1].map(([label]) => el("th", {scope: "col", class: "number"}, label)))),
		el("tbody", {}, rows.map(([name, figures]) => el("tr", {}, el("th", {scope: "row"}, name),
			figures.map(([, text]) => el("td", {class: "number"}, text)))))));
}

function areAlike(report, sections) {
	const labels = sections.map((section) => figuresOf(report, section).map(([label]) => label).join());

	return sections.length > 1 && labels[0] !== "" && labels.every((text) => text === labels[0]) &&
		sections.every((section) => section.items.every((item) => item.item === "figure"));
}

/* Notes and figures of a section and its subsections, without the tables. */
function details(report, section, title) {
	const figures = figuresOf(report, section), notes = notesOf(section);
	const inner = section.items
		.filter((item) => item.item === "section" && item.id !== "timeline" && !isGroup(item));

	if (areAlike(report, inner))
		return [el("details", {class: "card"}, el("summary", {}, el("h3", {}, title)), figureTable(report, inner))];
	const below = inner.map((item) => details(report, item,
		item.title ? inTitle(item.title) :
			[title, words(item.id || "")].filter(Boolean).join(": "))).flat();

	if (!figures.length && !notes.length)
		return below;
	return [el("details", {class: "card"}, el("summary", {}, el("h3", {}, title)),
		figures.length ? figureList(figures) : null, noteElements(notes)), ...below];
}

/* The function of a row, or the innermost one of its callchain. */
function functionIn(table, row) {
	const column = table.column("callsite") || table.column("stack");

	return withoutOffset(table.text(row, column).split(" < ")[0]);
}

function titleOf(report) {
	if (report.section("diff") || report.section("growth"))
		return report.command + " diff";
	if (report.section("where"))
		return report.command + " where";
	return report.command + (report.section("leak") ? " leak" : " stat");
}

/* A section of the text report that concerns all others: "PARTIAL REPORT". */
function isNotice(item) {
	return item.item === "section" && !item.id && Boolean(item.title);
}

function noticeElements(report, section) {
	const figures = figuresOf(report, section);

	return [el("h3", {}, inTitle(section.title)), figures.length ? figureList(figures) : null,
		...section.items.filter((item) => item.item === "table").map((item) => plainTable(item.table)),
		...noteElements(notesOf(section))].filter(Boolean);
}

/* The first screen: the verdict, losses, findings; then totals and what was recorded. */
function summary(report, open) {
	const losses = [lossOf(report, "recording", report.section("old_recording") ? "Now: " : ""),
		lossOf(report, "old_recording", "Before: ")].filter(Boolean);
	const findings = findingsOf(report), sentences = foundOf(report.root);
	const verdict = verdictOf(report, findings, sentences);
	const notices = report.root.items.filter(isNotice);
	const loss = notices.find((section) => section.title === "LOST EVENTS");
	const others = notices.filter((section) => section !== loss).map((section) => noticeElements(report, section));

	return [
		el("section", {class: "card", id: "findings", "aria-label": "Findings"},
			el("h2", {class: "verdict", id: "verdict"}, verdict),
			losses.map((text) => el("p", {class: "warning", role: "note"}, text)),
			loss ? el("details", {}, el("summary", {}, "Lost events by their kinds"),
				figureList(figuresOf(report, loss)), noteElements(notesOf(loss))) : null,
			findingsList(findings, sentences.filter((text) => text !== verdict), open)),
		others.length ? el("section", {class: "card", id: "notices", "aria-label": "In short"}, others) : null,
		el("section", {class: "card", id: "overview", "aria-label": "What was recorded"}, totalsList(report),
			facts(report), noteElements(notesOf(report.root))),
	];
}

/* The command that would report a span of time of a recording; null if there is no file. */
function commandOf(report, recording) {
	const name = report.section("leak") ? "leak" : "stat";

	if (report.figure("path", recording) && !report.file(recording))
		return null;
	return report.command + " " + name + " -i " + quoted(report.figure("path", recording) || "FILE");
}

/* One timeline, or in a diff one for each side. changed: see Timeline. */
function timelinesOf(report, all, changed) {
	const of = (isOld) => all.filter((series) => series.isOld === isOld);
	const isDiff = of(true).length > 0;

	return [["timeline-before", "Live bytes over time, before", true, "old_recording"],
		["timeline", "Live bytes over time" + (isDiff ? ", now" : ""), false, "recording"]]
		.filter(([, , isOld]) => of(isOld).length)
		.map(([id, title, isOld, recording]) =>
			new Timeline(id, title, {series: of(isOld), all, command: commandOf(report, recording), changed}));
}

/* The rows of leak's holders have all of a holder's bytes, and only the first call site of them. */
function isOfHolders(table) {
	return table.path[0] === "leak" && table.id === "who";
}

/* The pictures that the report can fill. */
function plan(report) {
	const drawable = report.tables.filter((table) => table.rows.length && measuresOf(table).length &&
		!APART.includes(table.path[0]) && !isOfHolders(table) && !table.isExcerpt && !table.path.includes("timeline") &&
		!table.path.includes("pingpong"));
	const stacked = drawable.filter(hasStacks);
	const keyed = drawable.filter((table) => usualLevels(table).length);

	/* callchains first; a table with only empty ones is not drawn */
	return {keyed, counts: countsOf(report), flames: [...stacked, ...keyed.filter((table) => !stacked.includes(table))],
		heats: heatTables(report)};
}

function shownTables(report) {
	const isOnlyStacks = (table) => table.keys.every((c) => c.id === "stack") && table.keys.length > 0;
	/* a section for text output only; the heat map shows it */
	const isPicture = (table) => table.path.includes("pingpong") && !table.columns.some((c) => c.id);

	return report.tables.filter((table) => table.rows.length && table.columns.some((c) => c.shown) &&
		(!isOnlyStacks(table) || hasStacks(table)) && !isPicture(table) && !(table.isExcerpt && !table.hasOwnTitle));
}

/* Append a view with a draw() to a panel. Returns the function that redraws it. */
function drawnIn(panel, view) {
	panel.append(view.element);
	view.draw();
	return () => view.draw();
}

/* The parts that follow the selected span. */
const OF_SPAN = ["flame", "map", "sandwich", "sizes", "tables"];

/* The parts of the page that tabs show; see Tabs. */
function partsOf(report, { keyed, counts, flames, heats }, open) {
	const series = seriesOf(report), span = new Span(report, series);
	let flame = null;
	/* the timeline tells at each step of a drag */
	const spanChosen = span.isFollowed ? settled(() => {
		if (!span.restore())
			return;
		setState({"flame-at": null, "map-at": null}, false);
		open.tabs.rebuild(OF_SPAN);
	}, 60) : null;
	const inSpan = (tables) => tables.map((table) => span.of(table));
	const noted = (panel) => panel.append(...[span.note()].filter(Boolean));
	const canReveal = (table) => flames.length && (table.column("callsite") || table.column("stack"));
	const reveal = (table, row) => {
		open.tabs.reveal("flame");
		flame.reveal(functionIn(table, row), table.about);
	};
	const lifetimes = tablesOfLifetimes(report), sizes = tablesOfSizes(report), stacked = flames.filter(hasStacks);
	const tables = (panel, follow) => {
		noted(panel);
		panel.append(el("div", {id: "tables"}, inSpan(shownTables(report)).map((table, i) =>
			follow(new TableView(table, i, canReveal(table) ? (row) => reveal(table, row) : null)).element)));
	};
	const hasPictures = flames.length || keyed.length || counts.length;

	/* before the views restore themselves */
	onState(() => span.restore() && open.tabs.rebuild(OF_SPAN));
	open.show = ({ table, row }) => canReveal(table) ? reveal(table, row) : open.tabs.reveal("tables");
	return [
		{id: "summary", name: "Summary", build: (panel, follow) => {
			const timelines = timelinesOf(report, series, spanChosen).map(follow);

			panel.append(...[
				timelines.length ? el("div", {class: "beside"}, timelines.map((view) => view.element)) : null,
				...counts.map((view) => view.element)].filter(Boolean));
			if (!hasPictures)
				tables(panel, follow);
			[...timelines, ...counts].forEach((view) => view.draw());
			return () => [...timelines, ...counts].forEach((view) => view.draw());
		}},
		flames.length && {id: "flame", name: "Flame graph", build: (panel, follow) => {
			noted(panel);
			flame = follow(new FlameGraph(inSpan(flames)));
			return drawnIn(panel, flame);
		}},
		keyed.length && {id: "map", name: "Treemap", build: (panel, follow) => {
			noted(panel);
			return drawnIn(panel, follow(new Treemap(inSpan(keyed))));
		}},
		stacked.length && {id: "sandwich", name: "Functions", build: (panel, follow) => {
			noted(panel);
			return drawnIn(panel, follow(new Sandwich(inSpan(stacked))));
		}},
		(sizes.length || lifetimes.length) && {
			id: "sizes", name: lifetimes.length ? "Sizes and lifetimes" : "Sizes", build: (panel) => {
				noted(panel);
				if (sizes.length)
					panel.append(sizesCard(inSpan(sizes)));
				if (lifetimes.length)
					panel.append(lifetimesCard(lifetimes));
			}},
		heats.length && {id: "heat", name: "CPUs", build: (panel, follow) =>
			panel.append(follow(new Heat(heats)).element)},
		hasPictures && {id: "tables", name: "Tables", build: tables},
		{id: "details", name: "Details", build: (panel) => panel.append(el("div", {id: "details"},
			report.root.items.filter((item) => item.item === "section" && !isNotice(item))
				.map((item) => details(report, item, inTitle(item.title || item.id || ""))).flat()))},
	].filter(Boolean);
}

/* Run fn; show the message if it fails. */
function attempt(fn) {
	try {
		fn();
	} catch (error) {
		replace(document.getElementById("page"),
			el("p", {class: "warning"}, "This report cannot be drawn: " + error.message));
		throw error;
	}
}

/* Call fn once, after the next painting, or soon if the page is not visible. */
function afterPaint(fn) {
	let isDue = true;
	const once = () => {
		if (isDue)
			fn();
		isDue = false;
	};

	requestAnimationFrame(() => setTimeout(once));
	setTimeout(once, 1000);
}

/* Show and unfold everything for printing. */
function unfoldForPrint(tabs) {
	let folded = [];

	addEventListener("beforeprint", () => {
		tabs.show("all");
		folded = [...document.querySelectorAll("details:not([open])")];
		folded.forEach((part) => {
			part.open = true;
		});
	});
	addEventListener("afterprint", () => {
		folded.forEach((part) => {
			part.open = false;
		});
		tabs.restore();
	});
}

function build(report) {
	const open = {show: () => {}, tabs: null};
	const tabs = new Tabs(partsOf(report, plan(report), open));
	const [first] = tabs.panels;

	open.tabs = tabs;
	first.append(el("div", {class: "first"}, summary(report, (finding) => open.show(finding))));
	first.hidden = Boolean(getState("tab"));
	document.title = titleOf(report) + " – " + (report.figure("hostname", "recording") || "report");
	replace(document.getElementById("page"),
		el("header", {}, el("h1", {}, titleOf(report)), tabs.list, keysOf(tabs, ["flame", "tables", "summary"]),
			themeButton()),
		el("main", {}, tabs.panels));
	afterPaint(() => attempt(() => {
		tabs.restore();
		unfoldForPrint(tabs);
		document.documentElement.dataset.ready = "yes";
		performance.mark("ready");
	}));
}

attempt(() => build(readReport()));
