// SPDX-License-Identifier: GPL-2.0-only
// The page's own part: reads the profile out of the document and shows it. Names come
// from strangers' binaries: they are text, never markup.
"use strict";
(function () {
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);

function make(name, attributes, ...children) {
	const svg = ["svg", "g", "line", "path", "rect", "text", "title"].includes(name);
	const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) :
			   document.createElement(name);
	for (const key in attributes || {})
		node.setAttribute(key, attributes[key]);
	node.append(...children);
	return node;
}

// As memprofctl's tables have them.
function human(value, unit) {
	// not known
	if (value === null)
		return "-";
	const units = unit === "bytes" ? ["", "K", "M", "G", "T", "P", "E"] :
					 ["", "k", "e6", "e9", "e12", "e15", "e18"];
	const base = unit === "bytes" ? 1024 : 1000;
	const least = unit === "bytes" ? 1024 : 100000;
	let size = Math.abs(value), i = 0;

	if (size < least)
		return String(value);
	while (size >= base && i + 1 < units.length) {
		size /= base;
		i++;
	}
	return (value < 0 ? "-" : "") + (size < 99.95 ?
		size.toFixed(1) : size.toFixed(0)) + units[i];
}

// Of a difference more is marked as what is less.
const differs = data.flame.difference;
const shown = (value, unit) => (differs && value > 0 ? "+" : "") + human(value, unit);
const exact = (value, unit) => value + (unit === "bytes" ? " bytes" : "");

const colour = (name) => getComputedStyle(document.documentElement)
	.getPropertyValue("--" + name).trim();

// Light or dark: the system's, until one is chosen.
function theme(name) {
	document.documentElement.dataset.theme = name;
}
const dark = matchMedia("(prefers-color-scheme: dark)");
theme(dark.matches ? "dark" : "light");
$("theme").onclick = () => {
	theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
	showAll();
};

function option(select, value, text) {
	select.append(make("option", { value: value }, text));
}

const tables = {};
for (const table of data.tables)
	tables[table.kind] = table;

const column = (table, key) => table ? table.metrics.findIndex((m) => m.key === key) : -1;

function value(table, row, key) {
	const at = column(table, key);

	return at < 0 ? 0 : row.values[at];
}

function nameOf(table, row) {
	if (table.kind === "process")
		return row.comm + (row.pid ? " " + row.pid : "");
	return table.kind === "cgroup" ? row.cgroup : row.name;
}

function showHead() {
	document.title = $("title").textContent = data.title;
	$("about").textContent = data.about;
	$("footer").textContent = data.footer;
	$("warnings").textContent = data.warnings.join("\n");
	$("warnings").hidden = !data.warnings.length;
	for (const total of data.totals)
		$("cards").append(make("div", { class: "card", "data-of": total.key,
				title: total.description + ": " + exact(total.value, total.unit) },
			make("b", {}, shown(total.value, total.unit)),
			make("span", {}, total.heading + (total.estimate ? " (estimate)" : ""))));
}

const PARTS = [
	["live", "live_touched_space", "living blocks"],
	["held", "allocator_held_space", "held by the allocator"],
	["stacks", "stack_resident_space", "stacks"],
	["files", "file_mapped_space", "files"],
	["shared", "shmem_mapped_space", "shared memory"],
	["other", "unattributed_space", "other"],
];
const MOST_PARTS = 15;

function partsOf(table, row) {
	const heap = value(table, row, "allocator_space");
	const parts = PARTS.map(([name, key, text]) =>
		({ name: name, text: text, bytes: value(table, row, key) }));

	// without allocations only the size of the whole heap is known
	if (heap && !parts[0].bytes && !parts[1].bytes)
		parts[1] = { name: "held", text: "allocator", bytes: heap };
	return parts.filter((p) => p.bytes > 0);
}

function showParts() {
	const table = tables[$("parts-by").value];
	const rows = table ? table.rows.filter((r) => !r.sum && value(table, r, "resident_space") > 0)
		.sort((a, b) => value(table, b, "resident_space") - value(table, a, "resident_space")) : [];
	const most = rows.length ? value(table, rows[0], "resident_space") : 0;

	$("parts").replaceChildren();
	$("parts-legend").replaceChildren(...PARTS.map(([name, , text]) =>
		make("span", { class: "key" }, make("i", { style: "background:" + colour(name) }), text)));
	for (const row of rows.slice(0, MOST_PARTS)) {
		const rss = value(table, row, "resident_space");
		const current = value(table, row, "cgroup_current_space");
		const rail = make("div", { class: "rail" });

		for (const part of partsOf(table, row))
			rail.append(make("i", {
				style: "background:" + colour(part.name) + ";width:" + 100 * part.bytes / most + "%",
				title: part.text + ": " + human(part.bytes, "bytes") + (row.bound && part.name === "live" ?
					" at most" : ""),
			}));
		$("parts").append(make("div", { class: "part" + (row.note ? " gone" : "") },
			make("span", { class: "name", title: nameOf(table, row) },
				nameOf(table, row) + (row.note ? " [" + row.note + "]" : "")),
			rail, make("span", { class: "sum" }, human(rss, "bytes") +
				(current ? " of " + human(current, "bytes") : ""))));
	}
	if (!rows.length)
		$("parts").append(make("p", { class: "note" }, "no sizes were taken"));
	else if (rows.length > MOST_PARTS)
		$("parts").append(make("p", { class: "note" }, (rows.length - MOST_PARTS) + " smaller ones are not shown"));
}

const SERIES = [["inuse_space", "live", "living blocks (highest of each step)"],
	["resident_space", "files", "RSS"], ["growth_space", "stacks", "growth of address spaces"]];

function showSeries() {
	const shown = SERIES.filter(([of]) => data.series[of]);
	const width = Math.max(320, Math.min($("series").clientWidth || 960, 1400)), height = 240;
	const left = 64, right = 12, top = 8, bottom = 28;

	$("series").replaceChildren();
	if (!shown.length) {
		$("series").append(make("p", { class: "note" }, "nothing was followed over time"));
		return;
	}
	const all = shown.map(([of]) => data.series[of]);
	const from = Math.min(...all.map((s) => s.start_ns));
	const to = Math.max(...all.map((s) => s.start_ns + s.step_ns * s.values.length));
	const most = Math.max(1, ...all.flatMap((s) => s.values));
	const least = Math.min(0, ...all.flatMap((s) => s.values));
	const x = (ns) => left + (width - left - right) * (ns - from) / (to - from || 1);
	const y = (v) => top + (height - top - bottom) * (most - v) / (most - least || 1);
	const svg = make("svg", { width: width, height: height, role: "img", "aria-label": "memory over time" });

	for (let i = 0; i <= 4; i++) {
		const v = least + (most - least) * i / 4;

		svg.append(make("line", { class: "axis", x1: left, x2: width - right, y1: y(v), y2: y(v) }),
			make("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, human(Math.round(v), "bytes")));
	}
	for (let i = 0; i <= 4; i++) {
		const ns = from + (to - from) * i / 4;

		svg.append(make("text", { x: x(ns), y: height - 8, "text-anchor": i === 4 ? "end" : i ? "middle" : "start" },
			((ns - from) / 1e9).toPrecision(3) + " s"));
	}
	for (const [of, name] of shown) {
		const s = data.series[of];
		let path = "";

		s.values.forEach((v, i) => {
			path += (i ? "H" : "M") + x(s.start_ns + i * s.step_ns).toFixed(1) + (i ? "V" : ",") + y(v).toFixed(1);
		});
		path += "H" + x(s.start_ns + s.values.length * s.step_ns).toFixed(1);
		svg.append(make("path", { d: path, fill: "none", stroke: colour(name), "stroke-width": 1.5, "data-of": of }));
	}
	const rule = make("line", { class: "axis", y1: top, y2: height - bottom, visibility: "hidden" });
	const legend = make("p", {});
	const tell = (ns) => legend.replaceChildren(...shown.map(([of, name, text]) => {
		const s = data.series[of];
		const i = ns === null ? s.values.length - 1 : Math.min(s.values.length - 1,
			Math.max(0, Math.floor((ns - s.start_ns) / s.step_ns)));

		return make("span", { class: "key" }, make("i", { style: "background:" + colour(name) }),
			text + ": " + human(s.values[i], "bytes"));
	}), ns === null ? "at the end" : "at " + ((ns - from) / 1e9).toFixed(3) + " s");

	svg.append(rule);
	svg.onmousemove = (event) => {
		const at = Math.min(width - right, Math.max(left, event.offsetX));

		rule.setAttribute("x1", at);
		rule.setAttribute("x2", at);
		rule.setAttribute("visibility", "visible");
		tell(from + (to - from) * (at - left) / (width - left - right));
	};
	svg.onmouseleave = () => {
		rule.setAttribute("visibility", "hidden");
		tell(null);
	};
	tell(null);
	$("series").append(svg, legend);
}

// Nodes come parents first: name, parent, and what ends there, by metric.
function treeOf(metric) {
	const flame = data.flame, step = 2 + flame.metrics.length;
	const nodes = [];

	for (let i = 0; i * step < flame.nodes.length; i++) {
		const at = i * step, before = flame.nodes[at + 2 + metric];

		nodes.push({
			name: i ? flame.names[flame.nodes[at]] : "all", parent: flame.nodes[at + 1],
			value: Math.abs(before), delta: before, children: [],
		});
	}
	for (let i = nodes.length - 1; i > 0; i--) {
		nodes[nodes[i].parent].value += nodes[i].value;
		nodes[nodes[i].parent].delta += nodes[i].delta;
	}
	for (let i = 1; i < nodes.length; i++)
		if (nodes[i].value)
			nodes[nodes[i].parent].children.push(nodes[i]);
	return nodes[0];
}

// Greens for what is, by name; of a difference red is more and blue is less.
function paint(node) {
	let hash = 0;

	if (node.highlight)
		return "#e040c0";
	if (differs) {
		const share = node.data.delta / (node.data.value || 1), other = Math.round(235 - 115 * Math.abs(share));

		return share > 0 ? "rgb(245," + other + "," + other + ")" : "rgb(" + other + "," + other + ",245)";
	}
	for (const c of node.data.name)
		hash = (hash * 31 + c.codePointAt(0)) >>> 0;
	return "hsl(" + (110 + hash % 90) + "," + (40 + hash % 25) + "%," + (62 + hash % 17) + "%)";
}

let chart = null;

function showFlame() {
	const metric = Number($("metric").value || 0);
	const info = data.flame.metrics[metric];
	const root = info ? treeOf(metric) : null;
	const text = (node) => node.data.name + ": " + shown(differs ? node.data.delta : node.data.value, info.unit) +
		", " + (100 * node.data.value / root.value).toFixed(2) + " %";

	$("flame").replaceChildren();
	$("details").textContent = "";
	$("flame-note").textContent = "";
	if (!root || !root.value) {
		$("flame").append(make("p", { class: "note" }, "no stack has any of it"));
		return;
	}
	chart = flamegraph.default()
		.width(Math.max(320, $("flame").clientWidth - 2)).cellHeight(18).minFrameSize(1)
		.transitionDuration(0).inverted(false).selfValue(false).sort(true)
		.setColorMapper(paint).setLabelHandler(text)
		.setDetailsElement($("details"))
		.setSearchHandler((results, sum) => {
			$("details").textContent = results.length ? results.length + " frames, " + human(sum, info.unit) +
				", " + (100 * sum / root.value).toFixed(2) + " %" : "not found";
		})
		.setSearchMatch((node, term) => term && matcher(term)(node.data.name));
	d3.select("#flame").datum(root).call(chart);
	$("flame-note").textContent = "Click a frame to zoom. Frames narrower than a pixel are drawn when they are zoomed to." +
		(differs ? " Widths are what changed, up or down; red is more, blue is less." : "");
	if ($("search").value)
		chart.search($("search").value);
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

const MOST_ROWS = 1000;
let sorted = null, descending = true;

function cells(table) {
	const texts = { process: [["PID", (r) => r.pid || ""], ["COMM", (r) => r.comm + (r.note ? " [" + r.note + "]" : "")],
			["CGROUP", (r) => r.cgroup]],
		cgroup: [["CGROUP", (r) => r.cgroup + (r.note ? " [" + r.note + "]" : "")]],
		callsite: [["CALLSITE", (r) => r.name], ["COMM", (r) => r.comm]] }[table.kind]
		// what is compared has no pid and no cgroup of its own
		.filter(([heading]) => !differs || !["PID", "CGROUP"].includes(heading));

	return texts.map(([heading, get]) => ({ heading: heading, get: get, text: heading !== "PID" })).concat(
		table.metrics.map((m, i) => ({ heading: m.heading, get: (r) => r.values[i], unit: m.unit,
			title: m.description + (m.estimate ? " (an estimate)" : "") })));
}

function showTable() {
	const table = tables[$("kind").value];
	const match = matcher($("filter").value);

	if (!table)
		return;
	const columns = cells(table);
	const rows = table.rows.filter((r) => [r.comm, r.cgroup, r.name, r.pid].some((t) => t && match(String(t))));
	const by = columns.find((c) => c.heading === sorted);

	if (by)
		rows.sort((a, b) => {
			const x = by.get(a), y = by.get(b);

			return (x > y ? 1 : x < y ? -1 : 0) * (descending ? -1 : 1);
		});
	$("table").tHead.replaceChildren(make("tr", {}, ...columns.map((c) => {
		const head = make("th", { class: c.text ? "text" : "", title: c.title || "",
			"aria-sort": c.heading === sorted ? descending ? "descending" : "ascending" : "none" }, c.heading);

		head.onclick = () => {
			descending = c.heading === sorted ? !descending : !c.text;
			sorted = c.heading;
			showTable();
		};
		return head;
	})));
	$("table").tBodies[0].replaceChildren(...rows.slice(0, MOST_ROWS).map((r) =>
		make("tr", { class: r.note ? "gone" : "" }, ...columns.map((c) =>
			make("td", { class: c.text ? "text" : "", title: c.unit || c.text ? c.get(r) ?? "" : "" },
				c.unit ? shown(c.get(r), c.unit) : String(c.get(r)))))));
	$("count").textContent = rows.length + " of " + table.rows.length + " rows" +
		(rows.length > MOST_ROWS ? ", the first " + MOST_ROWS + " shown" : "") +
		(table.hidden ? "; " + table.hidden + " more are in other formats" : "");
}

function bars(title, bins, text) {
	const first = bins.findIndex((n) => n > 0), last = bins.findLastIndex((n) => n > 0);
	const width = 520, line = 20;

	if (first < 0)
		return make("p", { class: "note" }, title + ": none");
	const most = Math.max(...bins);
	const svg = make("svg", { width: width, height: (last - first + 1) * line + 4, role: "img", "aria-label": title });

	for (let i = first; i <= last; i++) {
		const y = (i - first) * line;

		svg.append(make("text", { x: 108, y: y + 14, "text-anchor": "end" }, text(i)),
			make("rect", { x: 116, y: y + 2, height: line - 4, fill: colour("live"),
				width: bins[i] / most * (width - 200) }, make("title", {}, String(bins[i]))),
			make("text", { x: 122 + bins[i] / most * (width - 200), y: y + 14 }, human(bins[i], "count")));
	}
	return make("div", {}, make("h3", {}, title), svg);
}

function duration(ns) {
	const units = [["ns", 1], ["us", 1e3], ["ms", 1e6], ["s", 1e9]];
	const [name, size] = units.filter(([, s]) => ns >= s).pop() || units[0];

	return (ns / size).toPrecision(3) + " " + name;
}

function showHistograms() {
	const box = make("div", { class: "charts" });

	$("histograms").replaceChildren(box);
	if (!data.histograms) {
		box.append(make("p", { class: "note" }, "neither was recorded"));
		return;
	}
	box.append(bars("allocations by size", data.histograms.sizes, (i) => "< " + human(2 ** i, "bytes")),
		bars("freed blocks by age", data.histograms.lifetimes, (i) => "< " + duration(2 ** i)));
}

function showAll() {
	showFlame();
	// neither is there of a difference
	if (differs)
		return;
	showParts();
	showSeries();
	showHistograms();
}

for (const id of ["parts", "series", "histograms"])
	$(id).closest("section").hidden = differs;

for (const kind of ["process", "cgroup"])
	if (tables[kind])
		option($("parts-by"), kind, kind);
for (const table of data.tables)
	option($("kind"), table.kind, { process: "processes", cgroup: "cgroups", callsite: "callsites" }[table.kind]);
data.flame.metrics.forEach((m, i) => option($("metric"), i, m.heading + (m.estimate ? " (estimate)" : "")));
$("metric").value = data.flame.chosen;
$("parts-by").onchange = showParts;
$("metric").onchange = showFlame;
$("search").oninput = () => {
	if (!chart)
		return;
	if ($("search").value)
		chart.search($("search").value);
	else
		chart.clear();
};
$("reset").onclick = () => {
	$("search").value = "";
	showFlame();
};
$("kind").onchange = () => {
	sorted = null;
	showTable();
};
$("filter").oninput = showTable;
let pending = 0;
addEventListener("resize", () => {
	clearTimeout(pending);
	pending = setTimeout(showAll, 200);
});
showHead();
showAll();
showTable();
document.documentElement.dataset.ready = "yes";
})();
