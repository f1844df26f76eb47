// SPDX-License-Identifier: GPL-2.0-only
// A Chromium without a window, driven through its own protocol over a pipe. What a
// page complains about ends the test.
"use strict";
const { spawn } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");

const TIMEOUT_MS = 60000;

class Browser {
	constructor() {
		this.profile = fs.mkdtempSync(path.join(os.tmpdir(), "chromium-"));
		this.child = spawn("chromium", [
			"--headless=new", "--no-sandbox", "--no-first-run",
			"--disable-gpu", "--enable-unsafe-swiftshader",
			"--hide-scrollbars", "--allow-file-access-from-files",
			"--remote-debugging-pipe", "--window-size=1220,1000",
			`--user-data-dir=${this.profile}`, "about:blank",
		], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
		this.gone = new Promise((done) => this.child.on("exit", done));
		this.waiting = new Map();
		this.errors = [];
		this.number = 0;
		this.rest = "";
		this.child.stdio[4].on("data", (data) => this.take(data));
	}

	// Waits for an answer; what the test itself takes between two questions is its own.
	watch() {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => {
			console.log("# chromium says nothing any more");
			this.child.kill("SIGKILL");
			process.exit(1);
		}, TIMEOUT_MS);
	}

	take(data) {
		const parts = (this.rest + data).split("\0");

		this.rest = parts.pop();
		for (const part of parts)
			this.answer(JSON.parse(part));
	}

	answer(message) {
		const waiting = this.waiting.get(message.id);

		if (message.method === "Runtime.exceptionThrown")
			this.errors.push(message.params.exceptionDetails);
		if (message.method === "Page.loadEventFired")
			this.loaded();
		if (message.method === "Network.requestWillBeSent")
			this.asked(message.params.request.url);
		if (!waiting)
			return;
		this.waiting.delete(message.id);
		if (!this.waiting.size)
			clearTimeout(this.timer);
		if (message.error)
			waiting.fail(new Error(message.error.message));
		else
			waiting.done(message.result);
	}

	asked(url) {
		if (!/^(file|data|blob|about):/.test(url))
			this.errors.push({ text: "asked for " + url });
	}

	send(method, params = {}) {
		const id = ++this.number;
		const message = { id, method, params, sessionId: this.session };

		this.watch();
		this.child.stdio[3].write(JSON.stringify(message) + "\0");
		return new Promise((done, fail) =>
			this.waiting.set(id, { done, fail }));
	}

	async open(url) {
		const { targetId } = await this.send("Target.createTarget",
						     { url: "about:blank" });
		const { sessionId } = await this.send("Target.attachToTarget",
						      { targetId, flatten: true });
		const load = new Promise((done) => {
			this.loaded = done;
		});

		this.session = sessionId;
		await this.send("Page.enable");
		await this.send("Runtime.enable");
		await this.send("Network.enable");
		await this.send("Page.navigate", { url });
		await load;
	}

	// What an expression is worth in the page.
	async get(expression) {
		const { result, exceptionDetails } = await this.send(
			"Runtime.evaluate", { expression, returnByValue: true,
					      awaitPromise: true });

		if (exceptionDetails)
			throw new Error(exceptionDetails.exception.description);
		return result.value;
	}

	async until(expression) {
		const end = Date.now() + TIMEOUT_MS;

		while (!await this.get(expression)) {
			if (Date.now() > end)
				throw new Error("never: " + expression);
			await new Promise((done) => setTimeout(done, 100));
		}
	}

	// A press of the mouse's button, on the middle of what an expression finds.
	async click(expression) {
		const [x, y] = await this.get(`(() => {
			const box = (${expression}).getBoundingClientRect();
			return [box.x + box.width / 2, box.y + box.height / 2];
		})()`);

		for (const type of ["mouseMoved", "mousePressed", "mouseReleased"])
			await this.send("Input.dispatchMouseEvent", {
				type, x, y, clickCount: 1,
				button: type === "mouseMoved" ? "none" : "left",
			});
	}

	async type(text) {
		await this.send("Input.insertText", { text });
	}

	async press(key) {
		for (const type of ["keyDown", "keyUp"])
			await this.send("Input.dispatchKeyEvent", { type, key });
	}

	async screenshot(to) {
		const { data } = await this.send("Page.captureScreenshot");

		fs.writeFileSync(to, Buffer.from(data, "base64"));
	}

	async close() {
		clearTimeout(this.timer);
		this.session = undefined;
		this.send("Browser.close").catch(() => {});
		await this.gone;
		fs.rmSync(this.profile, { recursive: true, force: true });
	}
}

// Runs a test of a page; the process says whether it held.
exports.test = async (run) => {
	const browser = new Browser();
	let failed = false;

	try {
		await run(browser);
		for (const error of browser.errors)
			throw new Error(JSON.stringify(error));
	} catch (error) {
		failed = true;
		console.log("# " + String(error.stack).replace(/\n/g, "\n# "));
	}
	await browser.close();
	process.exit(failed ? 1 : 0);
};
