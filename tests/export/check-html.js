// SPDX-License-Identifier: GPL-2.0-only
// usage: check-html.js FILE RECORDING FUNCTION [SCREENSHOT]
// The page has the report's numbers, and each thing in it that can be used works.
"use strict";
const assert = require("assert");
const os = require("os");
const { execFileSync } = require("child_process");
const { test } = require("./browser.js");
const [file, recording, name, screenshot] = process.argv.slice(2);

function report(...options) {
	const out = execFileSync("memprofctl", ["report", "-i", recording, "--json",
						...options], { maxBuffer: 1 << 30 });

	return out.toString().trim().split("\n").map((line) => JSON.parse(line));
}

const processes = report(), callsites = report("--by", "callsite");
const totals = processes.at(-1).totals, siteTotals = callsites.at(-1).totals;
const box = (id) => `document.getElementById("${id}")`;
const frames = `Array.from(document.querySelectorAll("#flame .frame"))`;
const named = `${frames}.filter((g) => g.node.frame.name === ${JSON.stringify(name)})`;
const root = `${frames}.find((g) => !g.node.parent)`;
const heading = (of) => `Array.from(document.querySelectorAll("th button")).find((b) =>
	b.textContent === ${JSON.stringify(of)})`;
const headings = `Array.from(document.querySelectorAll("th"), (th) => th.textContent)`;
const cells = `Array.from(document.querySelectorAll("tbody tr"), (row) =>
	Array.from(row.cells, (cell) => [cell.textContent, cell.title]))`;

// As the report writes numbers.
function human(value, unit) {
	const units = unit === "bytes" ? ["", "K", "M", "G", "T"] : ["", "k", "e6", "e9", "e12"];
	const base = unit === "bytes" ? 1024 : 1000;
	let size = Math.abs(value), i = 0;

	if (size < (unit === "bytes" ? 1024 : 100000))
		return String(value);
	for (; Math.round(size) >= base; i++)
		size /= base;
	return (value < 0 ? "-" : "") + size.toFixed(size < 99.95 ? 1 : 0) + units[i];
}

const isBytes = (key) => !/_objects$|faults$/.test(key);
const shown = (key, value) => human(value, isBytes(key) ? "bytes" : "count");
// what exited processes held is in the sum of callsites
const whole = (key) => Math.max(totals[key], siteTotals[key]);

const choose = (browser, id, value) => browser.get(`(() => {
	${box(id)}.value = ${JSON.stringify(value)};
	${box(id)}.dispatchEvent(new Event("change"));
})()`);

async function write(browser, id, text) {
	await browser.get(`${box(id)}.scrollIntoView({ block: "center" })`);
	await browser.click(box(id));
	await browser.type(text);
}

async function clear(browser, id) {
	await browser.get(`(() => {
		${box(id)}.value = "";
		${box(id)}.dispatchEvent(new Event("input"));
	})()`);
}

const press = async (browser, found) => {
	await browser.get(`(${found}).scrollIntoView({ block: "center" })`);
	await browser.click(found);
};

async function checkHead(browser) {
	const cards = await browser.get(`Array.from(document.querySelectorAll(".card"),
		(card) => [card.dataset.of, card.title, card.querySelector("dd").textContent])`);

	assert.ok(cards.length);
	for (const [of, title, text] of cards) {
		assert.ok(title.endsWith(": " + whole(of) + (isBytes(of) ? " bytes" : "")), title);
		assert.equal(text, shown(of, whole(of)));
	}
	for (const of of ["resident_space", "inuse_space", "alloc_space", "touched_space"])
		assert.equal(cards.some((card) => card[0] === of), whole(of) !== 0, of);
	const title = await browser.get("document.title"), about = await browser.get(
		box("about") + ".textContent");
	const today = new Date().toISOString().slice(0, 10);

	assert.ok(title.includes(" on " + os.hostname() + ", "), title);
	assert.ok(title.startsWith(await browser.get(box("title") + ".textContent")), title);
	assert.ok(Math.abs(Date.parse(title.match(/\d{4}-\d\d-\d\d/)[0]) - Date.parse(today)) <=
		  86400000, title);
	assert.ok(about.includes("Linux " + os.release()), about);
	// how long it took, and by what: all pages here are of a recording
	assert.match(about, /· (\d+ ms|\d+\.\d s|\d+ min \d\d s) · (perf's events|a library in the process)/);
	const origin = await browser.get(`Array.from(${box("origin")}.children, (e) => e.textContent)`);

	assert.match(origin[origin.indexOf("command") + 1], /^record /);
	assert.equal(origin[origin.indexOf("read from") + 1], recording);
}

// Numbers of the sentence are those of the cards, and the place is the table's first.
async function checkHeadline(browser) {
	const text = await browser.get(box("headline") + ".textContent");
	const size = text.match(/(?:about )?([\d.]+[KMG]?) (?:not freed|is not freed|was not freed|at its peak|in \d)/);
	const best = ["inuse_space", "at_exit_space", "at_peak_space", "alloc_space", "touched_space",
		      "growth_space"]
		.filter((key) => whole(key)).map((key) => [key, shown(key, whole(key))]);
	const found = size && best.find((pair) => pair[1] === size[1]);
	const peaks = processes.slice(0, -1).map((row) => shown("peak_space", row.peak_space));

	console.log(`# ${text}`);
	const grew = text.match(/^\S+ \((\d+)\).* grew most(?: of what [^,]*)?, by ([\d.]+[KMG]?)/);

	if (grew) {
		const most = processes.slice(0, -1).find((row) => String(row.pid) === grew[1]);

		assert.equal(grew[2], shown("resident_delta_space", most.resident_delta_space));
		return;
	}
	assert.ok(text && (found || (size && peaks.includes(size[1]))), text);
	const share = text.match(/; (\d+) % of it (?:from|in) /);

	if (!found || !share)
		return;
	// no callsite of the report has less than its share, and not much more
	const most = Math.max(...callsites.slice(0, -1).map((row) => row[found[0]]));

	assert.ok(Number(share[1]) + 0.5 >= 100 * most / whole(found[0]), text);
}

// Who, if there are several; else where.
async function checkFirst(browser) {
	const many = processes.length > 2;

	assert.equal(await browser.get(box("kind") + ".value"), many ? "process" : "callsite");
	assert.equal(await browser.get(`${box("rows-section")}.getBoundingClientRect().top <
		${box("flame-section")}.getBoundingClientRect().top`), many);
}

// Each metric's whole, and the share of a function in it.
async function checkFlame(browser) {
	const metrics = await browser.get(
		`JSON.parse(${box("data")}.textContent).flame.metrics.map((m) => m.key)`);

	const nodes = await browser.get(`JSON.parse(${box("data")}.textContent).flame.nodes.length`);

	for (let i = 0; i < metrics.length; i++) {
		const key = metrics[i];

		await choose(browser, "metric", String(i));
		const all = await browser.get(`${root}.node.value`);
		// what shrank is left out there; counts of stacks are rounded, each of them
		const isLess = key === "growth_space" || key === "resident_delta_space";

		assert.ok(isLess ? all >= whole(key) : isBytes(key) ?
			  all === whole(key) : Math.abs(all - whole(key)) <= nodes / 2,
			  `${key}: ${all}, ${whole(key)}`);
		assert.ok(isLess || (await browser.get(`${root}.ariaLabel`))
			.startsWith(`all: ${shown(key, whole(key))}, 100.00 %`), key);
		const part = report("--by", "callsite", "--children", "--min", "0",
				    "--sort", key)
			.filter((row) => row.function === name)
			.reduce((sum, row) => sum + row.value, 0);
		if (isLess || !part)
			continue;
		await write(browser, "search", "^" + name.replace(/[^\w]/g, "\\$&") + "( |$)");
		for (const [shape, box1, box2] of [["icicle", false, false], ["flame", true, false],
						   ["icicle", false, true]]) {
			await shapeAs(browser, shape, box1, box2);
			const details = await browser.get(box("details") + ".textContent");
			const count = parseInt(details);
			assert.equal(details, `${count} ${count === 1 ? "frame" : "frames"}, ${shown(key, part)}, ` +
				(100 * part / all).toFixed(2) + " %", `${details}: ${part} of ${all}`);
		}
		console.log(`# ${key}: ${await browser.get(box("details") + ".textContent")}`);
		await shapeAs(browser, "icicle", false, false);
		await clear(browser, "search");
	}
	await write(browser, "search", "nothing is called this");
	assert.equal(await browser.get(box("details") + ".textContent"), "not found");
	await clear(browser, "search");
	await choose(browser, "metric", String(Math.max(0, metrics.indexOf("alloc_space"))));
}

async function shapeAs(browser, shape, inverted, merged) {
	await browser.get(`(() => {
		${box("inverted")}.checked = ${inverted};
		${box("merged")}.checked = ${merged};
		${box("shape")}.value = "${shape}";
		${box("shape")}.dispatchEvent(new Event("change"));
	})()`);
	const top = await browser.get(`${root}.getBoundingClientRect().top`);
	const others = await browser.get(`${frames}.map((g) => g.getBoundingClientRect().top)`);

	assert.ok(others.every((y) => shape === "flame" ? y <= top : y >= top), shape);
}

// What is below a frame is inside of it, and is not more than it.
async function checkLayout(browser) {
	const wrong = await browser.get(`${frames}.filter((g) => {
		const { parent, value } = g.node;
		if (!parent || !parent.element.isConnected)
			return false;
		const a = g.getBoundingClientRect(), b = parent.element.getBoundingClientRect();
		return value > parent.value || a.left < b.left - 0.6 || a.right > b.right + 0.6;
	}).length`);

	assert.equal(wrong, 0);
	const lines = await browser.get(`${frames}.filter((g) => /:\\d+$/.test(g.node.frame.where)).length`);
	/* pages begin at main(): what calls it can have lines where the program has none */
	const source = report("--by", "callsite", "--stack").some((row) => (row.frames || []).some((frame) =>
		frame.line && !/^(_start|__libc_start_.*|start_thread|clone3?)$/.test(frame.function)));

	assert.equal(lines > 0, source);
	assert.ok((await browser.get(`document.querySelectorAll("#flame-legend li").length`)) > 0);
}

// What is painted lies in its section: nothing is laid over the page by an accident of styles
async function checkPlaces(browser) {
	assert.deepEqual(await browser.get(`(() => {
		const out = [];
		for (const section of document.querySelectorAll("main > *")) {
			const a = section.getBoundingClientRect();
			for (const e of section.querySelectorAll("*")) {
				const b = e.getBoundingClientRect();
				const drawn = ["", "::before", "::after"].map((part) => getComputedStyle(e, part || null));
				const style = drawn[0];
				/* what is scrolled out of sight is not painted */
				if (b.width && b.height && style.position === "absolute" && !e.closest("#flame-box") &&
				    (b.top < a.top - 1 || b.bottom > a.bottom + 1))
					out.push([e.tagName, e.className]);
				if (style.position === "static" && drawn.slice(1).some((part) =>
					part.content !== "none" && part.position === "absolute"))
					out.push([e.tagName, e.className, "generated"]);
			}
		}
		return out;
	})()`), []);
	// a row of a histogram: its bin, its bar, its number
	assert.deepEqual(await browser.get(`[...document.querySelectorAll(".bins")].flatMap((bins) => {
		const boxes = [...bins.children].map((e) => e.getBoundingClientRect());
		return boxes.filter((b, i) => i % 3 && Math.abs((b.top + b.bottom) / 2 -
			(boxes[i - 1].top + boxes[i - 1].bottom) / 2) > 4);
	})`), []);
}

const widthOf = (found) => `${found}.getBoundingClientRect().width`;

async function checkZoom(browser) {
	const nr = await browser.get(`${frames}.length`);
	const all = await browser.get(`${box("flame")}.clientWidth`);
	const page = await browser.get("document.documentElement.clientWidth");
	const near = async (found, width) => assert.ok(
		Math.abs(await browser.get(widthOf(found)) - width) < 0.5, found);

	assert.ok(all > page - 100, `${all} of ${page}`);
	await near(root, all);
	// the widest: it can be hit
	const widest = `${named}.sort((a, b) => b.node.value - a.node.value)[0]`;
	const before = await browser.get(widthOf(widest));

	assert.ok(before < all);
	await press(browser, widest);
	await near(widest, all);
	assert.ok((await browser.get(box("details") + ".textContent")).startsWith(name));
	await press(browser, box("reset"));
	await near(root, all);
	await near(widest, before);
	assert.equal(await browser.get(`${frames}.length`), nr);

	// without a mouse
	await browser.get(`${root}.focus()`);
	await browser.press("ArrowDown");
	const first = await browser.get("document.activeElement.node.depth");
	await browser.press("Enter");
	await near("document.activeElement", all);
	await browser.press("Escape");
	await browser.press("/");
	assert.deepEqual([first, await browser.get("document.activeElement.id")], [1, "search"]);
	await browser.get("document.activeElement.blur()");
}

// The cells of a kind, all of them, by heading.
async function rowsOf(browser, kind) {
	await choose(browser, "kind", kind);
	await browser.get(`${box("all-columns")}.checked || ${box("all-columns")}.click()`);
	await browser.get(`${box("more")}.hidden || ${box("more")}.click()`);
	const names = (await browser.get(headings)).map((text) => text.replace(/ [▾▴]$/, ""));

	return (await browser.get(cells)).map((row) =>
		Object.fromEntries(row.map((cell, i) => [names[i], cell])));
}

// What is painted of a callsite is a line of the report's table.
async function checkCallsites(browser) {
	const lines = execFileSync("memprofctl", ["report", "-i", recording, "--by", "callsite", "-n",
						  "0"], { maxBuffer: 1 << 30 }).toString().split("\n");
	const at = lines.findIndex((line) => / CALLSITE$/.test(line));
	const names = lines[at].trim().split(/ +/).filter((text) => text !== "PID" &&
		text !== "COMM" && text !== "CALLSITE");
	const table = lines.slice(at + 1, lines.indexOf("", at)).slice(0, -1)
		.map((line) => [line.trim().split(/ +/).slice(0, names.length).join(" "), line]);
	const rows = await rowsOf(browser, "callsite");

	assert.equal(Number((await browser.get(box("count") + ".textContent")).split(" ")[0]),
		     table.length);
	for (const row of rows) {
		const values = names.map((text) => row[text] ? row[text][0] : "0").join(" ");

		assert.ok(table.some(([numbers, line]) => numbers === values &&
			line.endsWith(row.CALLSITE[0])), values + " " + row.CALLSITE[0]);
	}
	if (rows.length < 1000)
		for (const [text, key] of [["ALLOC'D", "alloc_space"], ["ALLOCS", "alloc_objects"],
					   ["LIVE", "inuse_space"], ["TOUCHED", "touched_space"]])
			if (rows[0][text])
				assert.equal(rows.reduce((sum, row) => sum + Number(row[text][1]), 0),
					     siteTotals[key], text);
}

async function checkProcesses(browser) {
	const rows = await rowsOf(browser, "process");

	assert.equal(rows.length, processes.length - 1);
	for (const row of rows) {
		const found = processes.find((process) => String(process.pid) === row.PID[0]);

		for (const [text, key] of [["RSS", "resident_space"], ["LIVE", "inuse_space"],
					   ["PEAK", "peak_space"], ["ALLOC'D", "alloc_space"],
					   ["TOUCHED", "touched_space"], ["GROWTH", "growth_space"]])
			if (row[text])
				assert.deepEqual(row[text], [shown(key, found[key]), String(found[key])]);
	}
}

// The order of a column, and what is looked for.
async function checkRows(browser) {
	await checkProcesses(browser);
	await checkCallsites(browser);
	const names = (await browser.get(headings)).map((text) => text.replace(/ [▾▴]$/, ""));
	const sorted = names.includes("ALLOC'D") ? "ALLOC'D" : "TOUCHED";
	const at = names.indexOf(sorted);
	const column = `Array.from(document.querySelectorAll("tbody tr"), (row) =>
		Number(row.cells[${at}].title))`;

	const state = heading(sorted) + ".closest('th').ariaSort";

	if (await browser.get(state) !== "descending")
		await press(browser, heading(sorted));
	const wanted = await browser.get(column);
	assert.deepEqual(wanted, wanted.slice().sort((a, b) => b - a));
	assert.equal(await browser.get(state), "descending");
	await press(browser, heading(sorted));
	assert.equal(await browser.get(state), "ascending");
	if (callsites.length < 1000)
		assert.deepEqual(await browser.get(column), wanted.reverse());
	const one = await browser.get(`document.querySelector("tbody td").textContent`);
	await write(browser, "filter", "^" + one.replace(/[^\w]/g, "\\$&") + "$");
	const left = await browser.get(`Array.from(document.querySelectorAll("tbody tr"),
		(row) => row.cells[0].textContent)`);
	assert.ok(left.length && left.every((text) => text === one), left.join("\n"));
	await clear(browser, "filter");
	await write(browser, "filter", "nothing is called this");
	assert.equal(await browser.get("document.querySelectorAll('tbody tr').length"), 0);
	await clear(browser, "filter");
}

// The chart's top is the peak, its end is what is left, and layers add up to the whole.
async function checkSeries(browser) {
	const { series, timeline } = await browser.get(`(() => {
		const { series, timeline } = JSON.parse(${box("data")}.textContent);
		return { series, timeline };
	})()`);
	const all = await browser.get(`Array.from(${box("series-of")}.options, (o) => o.value)`);
	const kinds = all.filter((of) => of !== "resident_delta_space");

	// what grew is drawn from the sizes of processes
	if (all.length > kinds.length) {
		const { points } = timeline.tracks.resident_space, first = new Map(points[0].values);
		const grown = points.at(-1).values.map(([who, bytes]) => bytes - (first.get(who) || 0)).filter((bytes, i) =>
			bytes > 0 && !timeline.who[points.at(-1).values[i][0]].comm.startsWith("memprof"));

		await choose(browser, "series-of", "resident_delta_space");
		assert.ok(!/NaN|Infinity/.test(await browser.get(`document.querySelector("#series .layer").getAttribute("d")`)));
		assert.equal(await browser.get(`${box("series-at")}.textContent`),
			     "at the end: " + human(grown.reduce((sum, bytes) => sum + bytes, 0), "bytes") +
			     ", without what shrank or ended");
	}
	assert.deepEqual(kinds.sort(), Object.keys(series).filter((of) =>
		series[of].values.some((bytes) => bytes)).sort());
	assert.equal(await browser.get(`${box("series-section")}.hidden`), !kinds.length);
	for (const of of kinds) {
		await choose(browser, "series-of", of);
		const [line, width] = await browser.get(`(() => {
			const path = document.querySelector("#series .curve");
			return [path.getAttribute("d"), path.getBoundingClientRect().width];
		})()`);

		assert.ok(!/NaN|Infinity/.test(line) && width > 100, of);
		// a step to each value
		assert.equal(line.match(/[MV]/g).length, series[of].values.length);
		if (!timeline.tracks[of])
			continue;
		const { points } = timeline.tracks[of];
		const most = Math.max(...points.map((point) => point.total));

		for (const { total, values } of points)
			for (const isSite of [false, true])
				assert.ok(values.filter(([who]) => !timeline.who[who].pid === isSite)
					.reduce((sum, [, bytes]) => sum + bytes, 0) <= total, of);
		assert.ok(points.length > 1 && points.length <= 162);
		if (of === "inuse_space") {
			assert.equal(most, Math.max(...series.inuse_space.values));
			assert.equal(most, whole("at_peak_space"));
			assert.equal(points.at(-1).total, totals.inuse_space);
		}
		const by = await browser.get(`Array.from(${box("series-by")}.options, (o) => o.value)`);
		for (const kind of by) {
			await choose(browser, "series-by", kind);
			const legend = await browser.get(`Array.from(document.querySelectorAll(
				"#series-legend li:has(b)"), (li) => li.querySelector("b").textContent)`);
			assert.ok(legend.length >= 1 && legend.length <= 10, kind);
		}
		console.log(`# ${of} by ${by}: ${points.length} points, at most ${most}`);
		// marks of round values, the highest of which is near the top
		const marks = await browser.get(`Array.from(document.querySelectorAll("#series .y"),
			(mark) => [mark.textContent, parseFloat(mark.style.top)])`);
		const highest = Math.max(most, ...series[of].values), lowest = Math.min(0, ...series[of].values);
		assert.ok(marks.length >= 2 && marks.length <= 7, marks.join());
		assert.ok(marks.at(-1)[1] >= 0 && marks.at(-1)[1] < 50, marks.join());
		const units = new Set(marks.map(([text]) => text.replace(/^[-0-9.]+/, "")).filter((unit) => unit));
		const unit = 1024 ** " KMGT".indexOf([...units][0] || " ");
		assert.ok(units.size <= 1, marks.join());
		for (const [text, top] of marks)
			assert.ok(Math.abs(parseFloat(text) * unit - (highest - (highest - lowest) * top / 100)) <=
				0.02 * (highest - lowest) + 1, marks.join());
	}
}

async function checkPictures(browser) {
	const histograms = await browser.get(`JSON.parse(${box("data")}.textContent).histograms`);
	const drawn = await browser.get(`Array.from(document.querySelectorAll(".bins"), (bins) =>
		Array.from(bins.querySelectorAll("[title]"), (bin) => Number(bin.title))
			.reduce((a, b) => a + b, 0))`);

	// a sample stands for a number of blocks that is rounded in its bin
	const rounded = processes.at(-1).alloc_rate > 1 ? totals.alloc_samples / 2 : 0;

	const keys = totals.alloc_objects && histograms ? ["alloc_objects", "free_objects"] : [];

	assert.equal(drawn.length, keys.length);
	for (const [i, key] of keys.entries())
		assert.ok(Math.abs(drawn[i] - totals[key]) <= rounded, `${key}: ${drawn[i]}`);
	const parts = processes.slice(0, -1).filter((row) => row.resident_space &&
		row.allocator_space + row.stack_resident_space + row.file_mapped_space).length;
	assert.equal(await browser.get(`document.querySelectorAll(".part").length`),
		     Math.min(parts, 15));
	console.log(`# histograms of ${drawn}, ${parts} with parts`);
}

// What is not known is not there, not even its heading.
async function checkNothingIsEmpty(browser) {
	const empty = await browser.get(`Array.from(document.querySelectorAll("section"))
		.filter((section) => !section.hidden && !section.querySelector(
			"#series path, .frame, tbody tr, .part, .bins, pre")).map((s) => s.id)`);
	const text = await browser.get("document.body.innerText");

	assert.deepEqual(empty, []);
	assert.ok(!/no sizes were taken|nothing was followed|neither was recorded/.test(text));
}

// Of each text that is painted: the contrast with what is behind it (WCAG 2, level AA).
const contrasts = `(() => {
	const parse = (text) => text.match(/[\\d.]+/g).map(Number);
	const light = (rgb) => rgb.slice(0, 3).map((c) => c / 255).map((c) =>
		c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const bad = [];
	for (const e of document.querySelectorAll("h1, h2, p, dd, dt, label, td, th, td button, th button, .frame, .frame span, .legend .name, .y, .x, pre, #count")) {
		if (!e.textContent || !e.getClientRects().length)
			continue;
		let back = [0, 0, 0, 0], at = e;
		for (; at && back[3] === 0; at = at.parentElement) {
			back = parse(getComputedStyle(at).backgroundColor);
			if (back.length === 3)
				back.push(1);
		}
		const style = getComputedStyle(e), fore = parse(style.color);
		const seen = fore.slice(0, 3).map((c, i) => c * style.opacity + back[i] * (1 - style.opacity));
		const [a, b] = [light(seen), light(back)];
		const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (contrast < 4.5)
			bad.push([e.tagName, e.className, e.textContent.slice(0, 40), contrast]);
	}
	return bad;
})()`;

const background = "getComputedStyle(document.body).backgroundColor";

test(async (browser) => {
	const started = Date.now();

	await browser.open("file://" + file);
	await browser.until(`document.documentElement.dataset.ready === "yes"`);
	console.log(`# drawn after ${Date.now() - started} ms, ${await browser.get(
		`${frames}.length`)} frames`);
	await checkHead(browser);
	await checkHeadline(browser);
	await checkNothingIsEmpty(browser);
	await checkFirst(browser);
	await checkFlame(browser);
	await checkLayout(browser);
	await checkPlaces(browser);
	await checkZoom(browser);
	await checkRows(browser);
	await checkSeries(browser);
	await checkPictures(browser);

	// names are text: nothing ran, and there is no element of theirs
	assert.equal(await browser.get("window.evil"), undefined);
	assert.equal(await browser.get(`document.querySelectorAll(
		"main script, td b, h1 b, p b, #flame b, .name b").length`), 0);
	// and would not run: the policy permits the page's own script only
	await browser.get(`(() => {
		const script = document.createElement("script");
		script.textContent = "window.evil = 2";
		document.body.append(script);
	})()`);
	assert.equal(await browser.get("window.evil"), undefined);

	assert.equal(await browser.get(background), "rgb(255, 255, 255)");
	assert.deepEqual(await browser.get(contrasts), []);
	await press(browser, box("theme"));
	assert.equal(await browser.get(background), "rgb(22, 24, 28)");
	assert.deepEqual(await browser.get(contrasts), []);
	await press(browser, box("theme"));
	assert.equal(await browser.get(background), "rgb(255, 255, 255)");
	if (screenshot)
		await browser.screenshot(screenshot);

	// the system's choice, and a narrow window: nothing goes over the edge
	await browser.send("Emulation.setEmulatedMedia", {
		features: [{ name: "prefers-color-scheme", value: "dark" }],
	});
	await browser.send("Emulation.setDeviceMetricsOverride", {
		width: 700, height: 900, deviceScaleFactor: 1, mobile: false,
	});
	await browser.send("Page.reload");
	await browser.until(`document.body && ${background} === "rgb(22, 24, 28)" &&
		document.documentElement.dataset.ready === "yes"`);
	assert.equal(await browser.get("document.documentElement.scrollWidth"), 700);
});
