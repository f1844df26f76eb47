// SPDX-License-Identifier: GPL-2.0-only
// usage: check-difference.js FILE NAME SIGN VALUE [NAME SIGN VALUE]...
// In a picture or a page: functions that are as much more, or less, than before, and
// have the colour that says so.
"use strict";
const assert = require("assert");
const { test } = require("./browser.js");
const [file, ...wanted] = process.argv.slice(2);

// Of all frames: name, difference, and colour as red, green, blue.
const svg = `Array.from(document.querySelectorAll(".f"), (g) => [g.dataset.n,
	Number((g.querySelector("title").textContent.match(/, ([+-]\\d+)$/) || [0, 0])[1]),
	getComputedStyle(g.querySelector("rect")).fill])`;
const html = `Array.from(document.querySelectorAll("#flame .frame"), (g) => [
	g.node.frame.name, g.node.delta, getComputedStyle(g).backgroundColor])`;

async function checkPage(browser) {
	const shown = await browser.get(`Array.from(document.querySelectorAll("section"))
		.filter((s) => s.querySelector("h2") && !s.hidden)
		.map((s) => s.querySelector("h2").textContent)`);
	const cells = await browser.get(`(() => {
		const kind = document.getElementById("kind");
		kind.value = "callsite";
		kind.dispatchEvent(new Event("change"));
		return Array.from(document.querySelectorAll("tbody tr"),
			(row) => Array.from(row.cells, (cell) => cell.textContent).join(" "));
	})()`);

	assert.equal(shown.length, 3, shown.join());
	// signs are on what is more, too
	assert.ok(cells.length && cells.every((text) => /[ ][+-]\d/.test(text)),
		  cells.join("\n"));
}

test(async (browser) => {
	await browser.open("file://" + file);
	const isPage = await browser.get(`!!document.getElementById("flame")`);
	const frames = await browser.get(isPage ? html : svg);

	for (let i = 0; i < wanted.length; i += 3) {
		const [name, sign, value] = wanted.slice(i, i + 3);
		const found = frames.filter((frame) => frame[0] === name);

		assert.ok(found.length, name);
		assert.equal(found.reduce((sum, frame) => sum + frame[1], 0),
			     Number(sign + value), name);
		for (const [, delta, fill] of found) {
			const [red, green, blue] = fill.match(/\d+/g).map(Number);

			console.log(`# ${name} ${delta} ${fill}`);
			assert.ok(delta > 0 ? red > blue + 50 && red > green + 50 :
				  delta < 0 ? blue > red + 50 : Math.abs(red - blue) < 50,
				  `${name}: ${delta} is ${fill}`);
		}
	}
	if (isPage)
		await checkPage(browser);
	assert.equal(await browser.get("window.evil"), undefined);
});
