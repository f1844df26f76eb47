// SPDX-License-Identifier: GPL-2.0-only
// What a flame graph does: zoom on a click, search, say what the pointer is on.
// Runs in the picture itself, asks nothing of anybody, and writes names as text
// only: they are strangers'.
(function () {
	"use strict";
	const svg = document.documentElement;
	const WIDTH = 1180, LEFT = 10, CHAR = 6.7, MARGIN = 3;
	const at = (id) => document.getElementById(id);
	const unit = svg.dataset.unit;
	// frames that are too narrow are not here to match
	const least = svg.dataset.least ? "at least " : "";
	const all = Array.from(document.getElementsByClassName("f"), (g) => ({
		g, rect: g.querySelector("rect"), text: g.querySelector("text"),
		name: g.dataset.n, x: Number(g.dataset.x),
		value: Number(g.dataset.v), depth: Number(g.dataset.d),
		tip: g.querySelector("title").textContent,
	}));
	let zoomed = all[0];

	function human(value) {
		const units = unit === "bytes" ? ["K", "M", "G", "T", "P", "E"] :
			["k", "e6", "e9", "e12", "e15", "e18"];
		const step = unit === "bytes" ? 1024 : 1000;
		let n = Math.abs(value), i = -1;

		for (; n >= step && i < 5; i++)
			n /= step;
		return (value < 0 ? "-" : "") +
			(i < 0 ? String(n) : n.toFixed(1) + units[i]);
	}

	function percent(value, of) {
		return (of ? 100 * value / of : 0).toFixed(2) + " %";
	}

	// A name that does not fit loses its end.
	function fit(frame, width) {
		const room = Math.floor((width - 2 * MARGIN) / CHAR);
		const chars = Array.from(frame.name);

		if (room < 3)
			return "";
		return chars.length <= room ? frame.name :
			chars.slice(0, room - 2).join("") + "..";
	}

	function place(frame, x, width, above) {
		frame.g.style.display = "";
		frame.g.classList.toggle("above", above);
		frame.rect.setAttribute("x", x);
		frame.rect.setAttribute("width", width);
		frame.text.setAttribute("x", x + MARGIN);
		frame.text.textContent = fit(frame, width);
	}

	function zoom(to) {
		const end = to.x + to.value;

		if (!to.value)
			return;

		zoomed = to;
		for (const frame of all) {
			const above = frame.depth < to.depth &&
				frame.x <= to.x && frame.x + frame.value >= end;
			const inside = frame.depth >= to.depth &&
				frame.x >= to.x && frame.x + frame.value <= end;
			const width = WIDTH * frame.value / to.value;

			if (above)
				place(frame, LEFT, WIDTH, true);
			else if (inside && width >= 0.1)
				place(frame, LEFT + WIDTH * (frame.x - to.x) / to.value,
				      width, false);
			else
				frame.g.style.display = "none";
		}
		at("reset").style.display = to === all[0] ? "none" : "";
		search(at("search").value);
	}

	// What is no expression is a text.
	function matcher(text) {
		try {
			const expression = new RegExp(text);

			return (name) => expression.test(name);
		} catch (error) {
			return (name) => name.includes(text);
		}
	}

	// Inside of a match nothing counts again.
	function search(text) {
		const matches = text ? matcher(text) : () => false;
		let sum = 0, end = -1;

		for (const frame of all) {
			const hit = matches(frame.name);

			frame.g.classList.toggle("hit", hit);
			if (!hit || frame.g.style.display === "none" ||
			    frame.g.classList.contains("above"))
				continue;
			// callers come first, and their value spans what they called
			if (frame.x >= end) {
				sum += frame.value;
				end = frame.x + frame.value;
			}
		}
		at("matched").textContent = text ? "matched: " + least +
			human(sum) + ", " + percent(sum, zoomed.value) : "";
	}

	function frameOf(target) {
		const g = target.closest ? target.closest(".f") : null;

		return g ? all[g.dataset.i] : null;
	}

	all.forEach((frame, i) => {
		frame.g.dataset.i = i;
	});
	svg.addEventListener("click", (event) => {
		const frame = frameOf(event.target);

		if (frame && frame.value)
			zoom(frame);
	});
	svg.addEventListener("mouseover", (event) => {
		const frame = frameOf(event.target);

		at("details").textContent = frame ? frame.tip : "";
	});
	at("reset").addEventListener("click", () => zoom(all[0]));
	at("search").addEventListener("input", (event) => search(event.target.value));
	svg.addEventListener("keydown", (event) => {
		if (event.key === "/" && event.target !== at("search")) {
			event.preventDefault();
			at("search").focus();
		} else if (event.key === "Escape") {
			at("search").value = "";
			zoom(all[0]);
		}
	});
	at("controls").style.display = "";
})();
