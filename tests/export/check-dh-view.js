// SPDX-License-Identifier: GPL-2.0-only
// usage: check-dh-view.js DH-VIEW FILE FUNCTION BYTES
// Valgrind's own viewer takes the file, and says how many bytes a function had.
"use strict";
const assert = require("assert");
const { test } = require("./browser.js");
const [viewer, file, name, bytes] = process.argv.slice(2);

test(async (browser) => {
	await browser.open("file://" + viewer);
	const { root } = await browser.send("DOM.getDocument");
	const { nodeId } = await browser.send("DOM.querySelector", {
		nodeId: root.nodeId, selector: "input[type=file]",
	});
	await browser.send("DOM.setFileInputFiles", { nodeId, files: [file] });
	await browser.until(`/PP 1|error/i.test(document.body.innerText)`);
	const text = await browser.get("document.body.innerText");
	const node = text.split(/PP [\d.]+\//).find((part) =>
		part.includes(name === "[root]" ? name : name + " ("));
	assert.ok(node, text.slice(0, 2000));
	const total = node.match(/Total:\s*([\d,]+) bytes/)[1];
	assert.equal(total.replace(/,/g, ""), bytes);
});
