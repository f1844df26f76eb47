// SPDX-License-Identifier: GPL-2.0-only
// usage: check-speedscope.js SPEEDSCOPE FILE FUNCTION TOTAL SELF [none]
// The page itself reads the file, and its table has these bytes for the function.
"use strict";
const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { test } = require("./browser.js");
const [speedscope, file, name, total, self, unit] = process.argv.slice(2);

// As speedscope writes sizes.
function bytes(value) {
	const units = ["B", "KB", "MB", "GB"];
	let n = Number(value), i = 0;

	for (; n >= 1024 && i < units.length - 1; i++)
		n /= 1024;
	return `${n.toFixed(2)} ${units[i]}`;
}

test(async (browser) => {
	const page = path.join(speedscope, "dist/release/index.html");
	const script = path.resolve(file) + ".js";
	const content = fs.readFileSync(file).toString("base64");

	// the way in which its own program hands over a file
	fs.writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(
		path.basename(file))}, "${content}")`);
	await browser.open(`file://${page}#view=sandwich&localProfilePath=${
		script.slice(1)}`);
	await browser.until(`document.querySelectorAll("tr").length > 1`);
	const rows = await browser.get(`Array.from(
		document.querySelectorAll("tr"), (row) => row.innerText)`);
	const row = rows.find((text) => text.trim().endsWith(name));
	assert.ok(row, rows.join("\n"));
	console.log("# " + row.replace(/\s+/g, " "));
	const numbers = row.match(/[\d.,]+( ?[KMG]?B)?(?= \()/g);
	// folded lines have no unit
	const write = unit ? (value) => Number(value).toLocaleString("en") : bytes;
	assert.deepEqual(numbers.sort(), [write(total), write(self)].sort());
});
