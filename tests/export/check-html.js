// SPDX-License-Identifier: GPL-2.0-only
// usage: check-html.js FILE RECORDING FUNCTION [SCREENSHOT]
// The page has the report's numbers, and each thing in it that can be used works.
"use strict";
const assert = require("assert");
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
const named = `${frames}.filter((g) => g.__data__.data.name === ${JSON.stringify(name)})`;
const heading = (of) => `Array.from(document.querySelectorAll("th")).find((th) =>
	th.textContent === ${JSON.stringify(of)})`;
const column = (i) => `Array.from(document.querySelectorAll("tbody tr"), (row) =>
	row.cells[${i}].title || row.cells[${i}].textContent)`;

// As the report writes numbers.
function human(value, unit) {
	const units = unit === "bytes" ? " KMGTPE" : " kmgtpe";
	const base = unit === "bytes" ? 1024 : 1000;
	let size = Math.abs(value), i = 0;

	if (size < (unit === "bytes" ? 1024 : 100000))
		return String(value);
	for (; size >= base; i++)
		size /= base;
	return (value < 0 ? "-" : "") + size.toFixed(size < 99.95 ? 1 : 0) + units[i];
}

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
		(card) => [card.dataset.of, card.title, card.querySelector("b").textContent])`);

	assert.ok(cards.length);
	for (const [of, title, shown] of cards) {
		const unit = of.endsWith("_objects") ? "count" : "bytes";

		assert.ok(title.endsWith(": " + totals[of] + (unit === "bytes" ? " bytes" : "")),
			  title);
		assert.equal(shown, human(totals[of], unit));
	}
	for (const of of ["resident_space", "inuse_space", "alloc_space", "touched_space"])
		assert.equal(cards.some((card) => card[0] === of), totals[of] !== 0, of);
	assert.equal(await browser.get("document.title"), await browser.get(
		`document.querySelector("h1").textContent`));
	assert.ok(await browser.get(`document.title`));
}

// Each metric's whole, and the share of a function in it.
async function checkFlame(browser) {
	const metrics = await browser.get(
		`JSON.parse(${box("data")}.textContent).flame.metrics.map((m) => m.key)`);

	assert.ok(metrics.length > 1);
	for (let i = 0; i < metrics.length; i++) {
		const key = metrics[i], all = Math.max(totals[key], siteTotals[key]);

		await choose(browser, "metric", String(i));
		const root = await browser.get(
			`${frames}.find((g) => !g.__data__.parent).__data__.value`);
		// what shrank is left out there
		assert.ok(key === "growth_space" ? root >= all : root === all,
			  `${key}: ${root}, ${all}`);
		const part = report("--by", "callsite", "--children", "--min", "0",
				    "--sort", key)
			.filter((row) => row.function === name)
			.reduce((sum, row) => sum + row.value, 0);
		if (key === "growth_space" || !part)
			continue;
		await write(browser, "search", "^" + name.replace(/[^\w]/g, "\\$&") + "$");
		const details = await browser.get(box("details") + ".textContent");
		console.log(`# ${key}: ${details}`);
		assert.ok(details.endsWith(" frames, " + human(part, /_space$/.test(key) ?
			"bytes" : "count") + ", " + (100 * part / root).toFixed(2) + " %"),
			  `${details}: ${part} of ${root}`);
		await clear(browser, "search");
	}
	await write(browser, "search", "nothing is called this");
	assert.equal(await browser.get(box("details") + ".textContent"), "not found");
	await clear(browser, "search");
	await choose(browser, "metric", String(metrics.indexOf("alloc_space")));
}

const widthOf = (found) => `${found}.querySelector("rect").getBoundingClientRect().width`;

async function checkZoom(browser) {
	const nr = await browser.get(`${frames}.length`);
	const root = `${frames}.find((g) => !g.__data__.parent)`;
	const all = await browser.get(`document.querySelector("#flame svg").clientWidth`);
	// frames get their widths soon after they come
	const gets = (found, width) =>
		browser.until(`Math.abs(${widthOf(found)} - ${width}) < 0.01`);

	await gets(root, all);
	// the widest: it can be hit
	const widest = `${named}.sort((a, b) => b.__data__.value - a.__data__.value)[0]`;
	const before = await browser.get(widthOf(widest));

	assert.ok(before < all);
	await press(browser, widest);
	await gets(widest, all);
	assert.ok((await browser.get(box("details") + ".textContent")).startsWith(name + ": "));
	await press(browser, box("reset"));
	await gets(root, all);
	await gets(widest, before);
	assert.equal(await browser.get(`${frames}.length`), nr);
}

// Columns and cells of callsites, the order of a column, and what is looked for.
async function checkRows(browser) {
	const kinds = await browser.get(`Array.from(${box("kind")}.options, (o) => o.value)`);

	assert.deepEqual(kinds, ["process", "cgroup", "callsite"]);
	for (const [kind, rows] of [["process", processes], ["callsite", callsites]]) {
		await choose(browser, "kind", kind);
		assert.equal(await browser.get(box("count") + ".textContent.split(' ')[0]"),
			     String(rows.length - 1));
	}
	await choose(browser, "kind", "cgroup");
	assert.equal(await browser.get("document.querySelector('th').textContent"), "CGROUP");
	await choose(browser, "kind", "callsite");
	const heads = await browser.get(`Array.from(document.querySelectorAll("th"),
		(th) => th.textContent)`);
	const at = heads.indexOf("ALLOC'D");
	const wanted = callsites.slice(0, -1).map((row) => row.alloc_space)
		.sort((a, b) => b - a).slice(0, 1000).map(String);
	await press(browser, heading("ALLOC'D"));
	assert.deepEqual(await browser.get(column(at)), wanted);
	assert.equal(await browser.get(heading("ALLOC'D") + ".ariaSort"), "descending");
	await press(browser, heading("ALLOC'D"));
	assert.equal(await browser.get(heading("ALLOC'D") + ".ariaSort"), "ascending");
	if (callsites.length < 1000)
		assert.deepEqual(await browser.get(column(at)), wanted.reverse());
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

async function checkPictures(browser) {
	const { series, histograms } = await browser.get(`(() => {
		const { series, histograms } = JSON.parse(${box("data")}.textContent);
		return { series, histograms };
	})()`);
	const paths = await browser.get(`Array.from(document.querySelectorAll("#series path"),
		(path) => [path.dataset.of, path.getAttribute("d"),
			   path.getBoundingClientRect().width])`);

	assert.deepEqual(paths.map((path) => path[0]).sort(), Object.keys(series).sort());
	for (const [of, line, width] of paths) {
		assert.ok(!/NaN|Infinity/.test(line) && width > 100, of);
		// a step to each value
		assert.equal(line.match(/[MV]/g).length, series[of].values.length);
	}
	if (series.inuse_space)
		assert.equal(Math.max(...series.inuse_space.values),
			     Math.max(...processes.slice(0, -1).map((row) => row.peak_space)));
	const drawn = await browser.get(`Array.from(document.querySelectorAll(".charts > div"),
		(chart) => Array.from(chart.querySelectorAll("rect title"),
			(title) => Number(title.textContent)).reduce((a, b) => a + b, 0))`);

	assert.deepEqual(drawn, histograms ? [totals.alloc_objects, totals.free_objects] : []);
	const parts = processes.slice(0, -1).filter((row) => row.resident_space).length;
	assert.equal(await browser.get(`document.querySelectorAll(".part").length`),
		     Math.min(parts, 15));
	console.log(`# ${paths.length} series, histograms of ${drawn}, ${parts} with parts`);
}

const background = "getComputedStyle(document.body).backgroundColor";

test(async (browser) => {
	const started = Date.now();

	await browser.open("file://" + file);
	await browser.until(`document.documentElement.dataset.ready === "yes"`);
	console.log(`# drawn after ${Date.now() - started} ms, ${await browser.get(
		`${frames}.length`)} frames`);
	await checkHead(browser);
	await checkFlame(browser);
	await checkZoom(browser);
	await checkRows(browser);
	await checkPictures(browser);

	// names are text: nothing ran, and there is no element of theirs
	assert.equal(await browser.get("window.evil"), undefined);
	assert.equal(await browser.get(`document.querySelectorAll(
		"main script, b:not(.card b), table b, #flame b").length`), 0);

	assert.equal(await browser.get(background), "rgb(255, 255, 255)");
	await press(browser, box("theme"));
	assert.equal(await browser.get(background), "rgb(22, 24, 28)");
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
