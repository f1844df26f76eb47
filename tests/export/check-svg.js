// SPDX-License-Identifier: GPL-2.0-only
// usage: check-svg.js FILE FUNCTION VALUE TOTAL [SCREENSHOT]
// Zooms into FUNCTION, searches for it and goes back, as a user would: its value and
// the total are those of the report.
"use strict";
const assert = require("assert");
const { test } = require("./browser.js");
const [file, name, value, total, screenshot] = process.argv.slice(2);

const frames = `Array.from(document.querySelectorAll(".f"))`;
const named = `${frames}.filter((g) => g.dataset.n === ${JSON.stringify(name)})`;
const width = (g) => `Number(${g}.querySelector("rect").getAttribute("width"))`;
const text = (id) => `document.getElementById("${id}").textContent`;
const share = (100 * value / total).toFixed(2) + " %";

// Light of a colour, from 0 to 1, as WCAG has it.
const light = (rgb) => rgb.map((c) => c / 255).map((c) =>
	c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
	.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) /
	(Math.min(light(a), light(b)) + 0.05);

// Texts can be read on the frames and on what is behind all.
async function checkTheme(browser, scheme, brightness) {
	await browser.send("Emulation.setEmulatedMedia", {
		features: [{ name: "prefers-color-scheme", value: scheme }],
	});
	const colours = (found) => browser.get(`Array.from(document.querySelectorAll("${found}"),
		(e) => [...getComputedStyle(e).fill.match(/[\\d.]+/g).slice(0, 3).map(Number),
			getComputedStyle(e).filter])`);
	const [back] = await colours(".back"), [text] = await colours("#title");
	const fills = await colours(".f:not(.hit) rect");

	assert.ok(scheme === "dark" ? back[0] < 60 : back[0] === 255, scheme);
	assert.ok(contrast(text.slice(0, 3), back.slice(0, 3)) > 7, scheme);
	for (const [red, green, blue, filter] of fills.slice(0, 500)) {
		assert.equal(filter, brightness === 1 ? "none" : `brightness(${brightness})`);
		assert.ok(contrast(text.slice(0, 3), [red, green, blue]
			.map((c) => c * brightness)) > 4.5, `${scheme}: ${red} ${green} ${blue}`);
	}
}

test(async (browser) => {
	await browser.open("file://" + file);
	assert.equal(await browser.get(`${frames}[0].dataset.v`), total);
	// inside of a function that calls itself nothing counts again
	const sum = await browser.get(`(() => {
		let sum = 0, end = -1;
		for (const g of ${named}) {
			if (Number(g.dataset.x) < end)
				continue;
			sum += Number(g.dataset.v);
			end = Number(g.dataset.x) + Number(g.dataset.v);
		}
		return sum;
	})()`);
	const least = await browser.get("document.documentElement.dataset.least");
	assert.ok(least ? sum && sum <= value : sum === Number(value), sum);

	// the search box, with mouse and keyboard
	await browser.click(`document.getElementById("search")`);
	await browser.type("^" + name.replace(/[^\w]/g, "\\$&") + "$");
	const matched = await browser.get(text("matched"));
	assert.ok(least ? matched.startsWith("matched: at least ") :
		  matched.endsWith(", " + share), matched);
	const hits = await browser.get(
		`document.querySelectorAll(".hit").length`);
	assert.equal(hits, await browser.get(`${named}.length`));

	// a frame fills the width when it is clicked on, and its caller does
	const before = await browser.get(width(`${named}[0]`));
	await browser.click(`${named}[0].querySelector("rect")`);
	assert.ok((await browser.get(text("details"))).startsWith(name + ": "));
	assert.ok(before < 1180);
	assert.equal(await browser.get(width(`${named}[0]`)), 1180);
	assert.equal(await browser.get(width(`${frames}[0]`)), 1180);
	assert.ok((await browser.get(text("matched"))).endsWith(", 100.00 %"));
	const visible = await browser.get(
		`${frames}.filter((g) => g.style.display !== "none").length`);
	assert.ok(visible < await browser.get(`${frames}.length`));
	assert.equal(await browser.get("window.evil"), undefined);
	if (screenshot)
		await browser.screenshot(screenshot);

	await browser.click(`document.getElementById("reset")`);
	// numbers in a picture have two digits behind the point
	assert.ok(Math.abs(await browser.get(width(`${named}[0]`)) - before) < 0.01);

	await checkTheme(browser, "light", 1);
	await checkTheme(browser, "dark", 0.42);

	// what is no expression is a text
	await browser.press("Escape");
	assert.equal(await browser.get(text("matched")), "");
	await browser.click(`document.getElementById("search")`);
	await browser.type("*(");
	assert.ok((await browser.get(text("matched"))).endsWith("0.00 %"));
});
