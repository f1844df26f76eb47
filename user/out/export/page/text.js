// SPDX-License-Identifier: GPL-2.0-only
// Elements and numbers of the page. Names come from strangers' binaries: they are text,
// never markup.
const $ = (id) => document.getElementById(id);

function make(name, attributes, ...children) {
	const svg = ["svg", "line", "path"].includes(name);
	const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) :
			   document.createElement(name);

	for (const key in attributes || {})
		node.setAttribute(key, attributes[key]);
	node.append(...children);
	return node;
}

function option(select, value, text) {
	select.append(make("option", { value: value }, text));
}

// As memprofctl's tables have them.
function human(value, unit) {
	// not known
	if (value === null)
		return "-";
	const units = unit === "bytes" ? ["K", "M", "G", "T", "P", "E"] :
					 ["k", "e6", "e9", "e12", "e15", "e18"];
	const base = unit === "bytes" ? 1024 : 1000;
	const size = Math.abs(value), sign = value < 0 ? "-" : "";
	let one = base, i = 0;

	if (size < (unit === "bytes" ? 1024 : 100000))
		return String(value);
	while (Math.floor(size / one + 0.5) >= base && units[i + 1]) {
		one *= base;
		i++;
	}
	const tenths = Math.floor(size * 10 / one + 0.5);

	return sign + (tenths < 1000 ? (tenths / 10).toFixed(1) : Math.floor(size / one + 0.5)) + units[i];
}

// Of a difference more is marked as what is less.
const signed = (value, unit) => (data.difference && value > 0 ? "+" : "") + human(value, unit);
const exact = (value, unit) => value + (unit === "bytes" ? " bytes" : "");
const percent = (part, whole) => (whole ? 100 * part / whole : 0).toFixed(2) + " %";

// In a sentence. Nothing that is not all is 100 %.
function share(part, whole) {
	const all = 100 * part / whole;

	return all >= 99.5 && part < whole ? "over 99 %" :
		all < 1 ? "under 1 %" : Math.round(all) + " %";
}

function duration(ns) {
	const units = [["ns", 1], ["us", 1e3], ["ms", 1e6], ["s", 1e9]];
	const [name, size] = units.filter(([, s]) => ns >= s).pop() || units[0];

	return (ns / size).toPrecision(3) + " " + name;
}

// As the report's last line has it.
function span(ns) {
	const ms = Math.floor(ns / 1e6), s = Math.floor(ms / 1000), min = Math.floor(s / 60);
	const h = Math.floor(min / 60), two = (n) => String(n).padStart(2, "0");

	return ms < 1000 ? ms + " ms" : s < 60 ? s + "." + Math.floor(ms % 1000 / 100) + " s" :
		min < 60 ? min + " min " + two(s % 60) + " s" :
		h < 24 ? h + " h " + two(min % 60) + " min" :
		Math.floor(h / 24) + " d " + two(h % 24) + " h";
}

// A regular expression; a plain text where it is none.
let lastTerm = null, lastMatch = null;
function matcher(term) {
	if (term === lastTerm)
		return lastMatch;
	lastTerm = term;
	try {
		const expression = new RegExp(term, "i");

		lastMatch = (text) => expression.test(text);
	} catch (error) {
		lastMatch = (text) => text.toLowerCase().includes(term.toLowerCase());
	}
	return lastMatch;
}

const literally = (text) => text.replace(/[^\w ]/g, "\\$&");
