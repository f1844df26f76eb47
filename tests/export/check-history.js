// SPDX-License-Identifier: GPL-2.0-only
// usage: check-history.js FILE FOLDER [SCREENSHOT]
// The page of a history has the numbers of report --history of each range that is chosen, by
// the mouse and by keys.
"use strict";
const assert = require("assert");
const { execFileSync } = require("child_process");
const { test } = require("./browser.js");
const [file, folder, screenshot] = process.argv.slice(2);

const box = (id) => `document.getElementById("${id}")`;
const past = `JSON.parse(${box("data")}.textContent).history`;

function report(since, until, ...options) {
	const out = execFileSync("memprofctl", ["report", "--history-folder", folder, "--since", "@" + since,
		"--until", "@" + until, "-q", "--json", "-n", "0", ...options], { maxBuffer: 1 << 30 });

	return out.toString().trim().split("\n").map((line) => JSON.parse(line));
}

const choose = (browser, id, value) => browser.get(`(() => {
	${box(id)}.value = ${JSON.stringify(value)};
	${box(id)}.dispatchEvent(new Event("change"));
})()`);

// The exact numbers of a table, by its first columns.
async function rowsOf(browser, kind) {
	await choose(browser, "kind", kind);
	await browser.get(`(() => {
		if (!${box("all-columns")}.checked)
			${box("all-columns")}.click();
		if (!${box("more")}.hidden)
			${box("more")}.click();
	})()`);
	const [heads, rows] = await browser.get(`[
		Array.from(document.querySelectorAll("th"), (th) => th.textContent),
		Array.from(document.querySelectorAll("tbody tr"), (row) =>
			Array.from(row.cells, (cell) => cell.title && /^-?\\d+$/.test(cell.title) ?
				Number(cell.title) : cell.title.startsWith("/") ? cell.title : cell.textContent))]`);

	return rows.map((row) => Object.fromEntries(row.map((value, i) => [heads[i], value])));
}

function sum(rows, key, by) {
	const found = new Map();

	for (const row of rows)
		found.set(by(row), (found.get(by(row)) || 0) + (row[key] || 0));
	return found;
}

// What the report and the page have of one column, by name.
function compare(what, wanted, got) {
	for (const [name, value] of wanted)
		assert.equal(got.get(name) || 0, value, `${what} of ${name}: ${got.get(name)} is not ${value}`);
	for (const [name, value] of got)
		assert.equal(value, wanted.get(name) || 0, `${what} of ${name}: ${value} is not ${wanted.get(name)}`);
}

const nameOf = (row) => row.COMM + " " + row.CGROUP;

async function checkRange(browser, from, to) {
	const times = await browser.get(past + ".times");
	const since = times[from], until = times[to];
	const processes = report(since, until, "--by", "process").filter((row) => row.type === "process");
	const sites = report(since, until, "--by", "callsite").filter((row) => row.type !== "total");
	const living = processes.filter((row) => !row.exited);
	const commands = await rowsOf(browser, "command"), callsites = await rowsOf(browser, "callsite");
	const cgroups = await rowsOf(browser, "cgroup");

	assert.equal(await browser.get(box("past-command") + ".textContent"),
		     `memprofctl report --history-folder ${folder} --since @${since} --until @${until}`);
	for (const [heading, key, rows] of [["RSS", "resident_space", living], ["LIVE", "inuse_space", living],
			["TOUCHED", "touched_space", processes], ["ALLOC'D", "alloc_space", processes],
			["GROWTH", "growth_space", processes], ["MINFLT", "minor_faults", processes]]) {
		compare(heading, sum(rows, key, (row) => row.comm + " " + row.cgroup),
			sum(commands, heading, nameOf));
		compare(heading, sum(rows, key, (row) => row.cgroup), sum(cgroups, heading, (row) => row.CGROUP));
	}
	for (const [heading, key] of [["TOUCHED", "touched_space"], ["ALLOC'D", "alloc_space"]]) {
		const all = (rows, name) => rows.reduce((total, row) => total + (row[name] || 0), 0);

		assert.equal(all(callsites, heading), all(sites, key), `${heading} of all callsites`);
	}
	await checkFlame(browser, processes, sites);
	return processes;
}

// The whole of the flame graph is that of the processes.
async function checkFlame(browser, processes, sites) {
	const keys = await browser.get(`Array.from(${box("metric")}.options, (o) => o.textContent)`);

	for (const [heading, key] of [["TOUCHED", "touched_space"], ["ALLOC'D", "alloc_space"]]) {
		const at = keys.findIndex((text) => text.replace(", an estimate", "") === heading);

		if (at < 0)
			continue;
		await choose(browser, "metric", String(at));
		const all = await browser.get(`(document.querySelector("#flame .frame") || { node: { value: 0 } }).node.value`);
		const [most, least] = [Math.max, Math.min].map((of) => {
			const [own, stacks] = [processes, sites].map((rows) => sum(rows, key, (row) => row.comm));

			return [...own].reduce((total, [comm, value]) => total + of(value, stacks.get(comm) || 0), 0);
		});

		// of a command the sum of its stacks, which are estimates, or what it has more
		assert.equal(all, most, `${heading} of the flame graph: ${all} is not ${most}, or ${least}`);
	}
}

async function drag(browser, from, to) {
	const [left, top, width, height] = await browser.get(`(() => {
		${box("past")}.scrollIntoView({ block: "center" });
		const { left, top, width, height } = ${box("past")}.getBoundingClientRect();
		return [left, top, width, height];
	})()`);
	const times = await browser.get(past + ".times"), last = times.length - 1;
	const x = (time) => left + width * (times[time] - times[0]) / (times[last] - times[0]);
	const mouse = (type, at, button) => browser.send("Input.dispatchMouseEvent",
		{ type, x: x(at), y: top + height / 3, button, buttons: button === "left" ? 1 : 0, clickCount: 1 });

	await mouse("mouseMoved", from, "none");
	await mouse("mousePressed", from, "left");
	await mouse("mouseMoved", (from + to) / 2 | 0, "left");
	await mouse("mouseMoved", to, "left");
	await mouse("mouseReleased", to, "left");
}

const ends = (browser) => browser.get(`[${box("past-from")}, ${box("past-to")}].map((end) =>
	Number(end.getAttribute("aria-valuenow")))`);

async function key(browser, id, name, modifiers) {
	await browser.get(`${box(id)}.focus()`);
	for (const type of ["keyDown", "keyUp"])
		await browser.send("Input.dispatchKeyEvent", { type, key: name, modifiers });
}

// Waits until the page shows what was chosen.
const settled = (browser) => browser.get("new Promise((done) => requestAnimationFrame(() => " +
	"requestAnimationFrame(() => done(true))))");

test(async (browser) => {
	const SHIFT = 8;

	await browser.open("file://" + file);
	const last = await browser.get(past + ".times.length") - 1;

	assert.ok(last >= 16 && last <= 240, `${last} intervals`);
	assert.equal(await browser.get(`${box("past-section")}.hidden`), false);
	assert.deepEqual(await ends(browser), [0, last]);
	await checkRange(browser, 0, last);
	const layers = await browser.get(`Array.from(document.querySelectorAll("#past .layer"), (p) => p.dataset.name)`);

	assert.ok(layers.length > 1, layers.join());
	await choose(browser, "past-by", "cgroup");
	assert.ok(await browser.get(`Array.from(document.querySelectorAll("#past .layer")).every((p) =>
		p.dataset.name.startsWith("/"))`));
	await choose(browser, "past-of", "touched_space");
	if (screenshot)
		await browser.screenshot(screenshot + "-all.png");

	await drag(browser, 3, last - 6);
	await settled(browser);
	assert.deepEqual(await ends(browser), [3, last - 6]);
	await checkRange(browser, 3, last - 6);
	// to the left, too
	await drag(browser, 8, 5);
	await settled(browser);
	assert.deepEqual(await ends(browser), [5, 8]);
	await checkRange(browser, 5, 8);
	if (screenshot) {
		await choose(browser, "kind", "command");
		await browser.get("scrollTo(0, 0)");
		await browser.screenshot(screenshot + "-range.png");
		await browser.get(`${box("flame-section")}.scrollIntoView()`);
		await browser.screenshot(screenshot + "-flame.png");
		await browser.get(`(${box("theme")}.click(), scrollTo(0, 0))`);
		await browser.screenshot(screenshot + "-dark.png");
	}

	await key(browser, "past-to", "ArrowRight", 0);
	await key(browser, "past-from", "ArrowLeft", 0);
	assert.deepEqual(await ends(browser), [4, 9]);
	await key(browser, "past-from", "ArrowLeft", SHIFT);
	await key(browser, "past-to", "ArrowLeft", SHIFT);
	// an end does not pass the other one
	assert.deepEqual(await ends(browser), [0, 1]);
	await settled(browser);
	await checkRange(browser, 0, 1);
	await key(browser, "past-to", "End", 0);
	await key(browser, "past-from", "End", 0);
	assert.deepEqual(await ends(browser), [last - 1, last]);
	await settled(browser);
	await checkRange(browser, last - 1, last);
	await browser.get(`${box("past-all")}.click()`);
	await settled(browser);
	assert.deepEqual(await ends(browser), [0, last]);
	// and what else the page has works on it
	assert.ok((await browser.get(box("headline") + ".textContent")).startsWith("In "));
	assert.ok((await browser.get(box("past-note") + ".textContent")).startsWith("Drag over the chart"));
});
