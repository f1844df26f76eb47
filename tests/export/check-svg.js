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

	// what is no expression is a text
	await browser.press("Escape");
	assert.equal(await browser.get(text("matched")), "");
	await browser.click(`document.getElementById("search")`);
	await browser.type("*(");
	assert.ok((await browser.get(text("matched"))).endsWith("0.00 %"));
});
