// SPDX-License-Identifier: GPL-2.0-only
// The stacks, as rectangles. Widths are parts of the whole width, so they need no
// measuring and follow the window. Only frames that can be seen are made.
const ROW = 20;			/* pixels */
const LEAST_PIXELS = 2;
const MOST_FRAMES = 20000;
const NR_COLOURS = 9;

// Of each frame: function, source file and line, and library; of functions of interpreters
// their language, as they are in no library.
const frameAt = (i) => {
	const { frames, texts } = data.flame;
	const [name, file, line, library] = frames.slice(4 * i, 4 * i + 4);

	return { name: texts[name], file: texts[file], line: line, library: texts[library] };
};

const allFrames = Array.from({ length: data.flame.frames.length / 4 }, (_, i) => frameAt(i));
for (const frame of allFrames) {
	frame.where = frame.file ? frame.file.slice(frame.file.lastIndexOf("/") + 1) +
		(frame.line ? ":" + frame.line : "") : "";
}

let shown = null;		/* root of the tree on the screen */
let zoomed = null;
let focused = null;
let libraries = new Map();	/* name -> number of its colour */

function newNode(frame, parent) {
	return { frame: frame, parent: parent, self: 0, delta: 0, value: 0, children: new Map(),
		depth: parent ? parent.depth + 1 : 0 };
}

function childOf(node, frame, lines) {
	// of a difference, functions are compared: the file of a new version may have another name
	const key = frame.name + "\n" + (data.difference ? "" : frame.library) + (lines ? "\n" + frame.where : "");
	let child = node.children.get(key);

	if (!child) {
		child = newNode(lines ? frame : { ...frame, where: "", line: 0 }, node);
		node.children.set(key, child);
	}
	return child;
}

const isSame = (a, b) => a && a.name === b.name && a.library === b.library;

// The frames of a node, outermost first. A function that calls itself is once in it.
function pathOf(at, merged) {
	const { nodes, metrics } = data.flame, step = 2 + metrics.length;
	const path = [];

	for (; at; at = nodes[at * step + 1]) {
		const frame = allFrames[nodes[at * step]];

		// the outermost of them stays, as its callers are what matters
		if (merged && isSame(path[path.length - 1], frame))
			path.pop();
		path.push(frame);
	}
	return path.reverse();
}

function add(node, value) {
	node.self += Math.abs(value);
	for (; node; node = node.parent) {
		node.value += Math.abs(value);
		node.delta += value;
	}
}

// Nodes come parents first: frame, parent, and what ends there, by metric.
function treeOf(metric, { inverted, merged, lines }) {
	const { nodes, metrics } = data.flame, step = 2 + metrics.length;
	const root = newNode({ name: "all", file: "", line: 0, where: "", library: "" }, null);
	const made = [root];

	for (let i = 0; i * step < nodes.length; i++) {
		const value = nodes[i * step + 2 + metric];
		let node = root;

		if (!inverted && !merged) {
			if (i)
				node = made[i] = childOf(made[nodes[i * step + 1]],
							 allFrames[nodes[i * step]], lines);
		} else if (value) {
			const path = pathOf(i, merged);

			for (const frame of inverted ? path.reverse() : path)
				node = childOf(node, frame, lines);
		}
		if (value)
			add(node, value);
	}
	return root;
}

// Children that have something, the widest first; and where each begins.
function layOut(root) {
	const waiting = [root];

	root.begin = 0;
	while (waiting.length) {
		const node = waiting.pop();
		let begin = node.begin;

		node.list = [...node.children.values()].filter((child) => child.value)
			.sort((a, b) => b.value - a.value || (a.frame.name < b.frame.name ? -1 : 1));
		for (const child of node.list) {
			child.begin = begin;
			begin += child.value;
			waiting.push(child);
		}
	}
}

const isOwner = (frame) => !frame.library && !frame.file;

// Libraries, those with the most in them first, have colours; the others share one.
function rankLibraries(root) {
	const most = new Map(), waiting = [root];

	while (waiting.length) {
		const node = waiting.pop();

		if (!isOwner(node.frame) && !(node.parent && node.parent.frame.library === node.frame.library))
			most.set(node.frame.library, (most.get(node.frame.library) || 0) + node.value);
		waiting.push(...node.list);
	}
	libraries = new Map([...most].sort((a, b) => b[1] - a[1])
		.map(([name], i) => [name, Math.min(i, NR_COLOURS)]));
}

function colourOf(node) {
	if (data.difference) {
		const part = node.delta / (node.value || 1);

		return !part ? "owner" : (part > 0 ? "up" : "down") + Math.ceil(3 * Math.abs(part));
	}
	return isOwner(node.frame) ? "owner" : "f" + (libraries.get(node.frame.library) ?? NR_COLOURS);
}

const metricInfo = () => data.flame.metrics[Number($("metric").value || 0)];

function tellOf(node) {
	const { unit } = metricInfo(), { frame } = node;
	const value = data.difference ? node.delta : node.value;

	return frame.name + (frame.where ? " " + frame.where : "") + ": " + signed(value, unit) +
		", " + percent(node.value, shown.value) +
		(node.self && node.self !== node.value ? ", self " + human(node.self, unit) : "");
}

function longTellOf(node) {
	const { frame } = node;
	const source = frame.file ? frame.file + (frame.line ? ":" + frame.line : "") : "";

	return tellOf(node) + [source, frame.library].filter((text) => text)
		.map((text) => "\n" + text).join("");
}

function matches(frame) {
	const term = $("search").value;

	return term && (matcher(term)(frame.name + (frame.where ? " " + frame.where : "")) ||
			matcher(term)(frame.library));
}

function counted(nr) {
	return nr + (nr === 1 ? " frame" : " frames");
}

// Inside of a match nothing counts again.
function showMatches() {
	const waiting = [shown], term = $("search").value;
	let nr = 0, sum = 0, delta = 0;

	if (!term || !shown) {
		$("details").textContent = "";
		return;
	}
	waiting[0].inside = false;
	while (waiting.length) {
		const node = waiting.pop(), hit = node !== shown && matches(node.frame);

		nr += hit;
		if (hit && !node.inside) {
			sum += node.value;
			delta += node.delta;
		}
		for (const child of node.list) {
			child.inside = node.inside || hit;
			waiting.push(child);
		}
	}
	$("details").textContent = nr ? counted(nr) + ", " +
		signed(data.difference ? delta : sum, metricInfo().unit) + ", " +
		percent(sum, shown.value) : "not found";
}

function put(element, node, left, width, height) {
	const isFlame = $("shape").value === "flame";

	element.style.left = left + "%";
	element.style.width = width + "%";
	element.style[isFlame ? "bottom" : "top"] = node.depth * ROW + "px";
	height.most = Math.max(height.most, node.depth + 1);
}

function draw(node, left, width, height, above) {
	const pixels = width / 100 * height.pixels, term = $("search").value;
	const element = make("div", {
		class: "frame " + colourOf(node) + (above ? " above" : "") + (pixels < 12 ? " thin" : "") +
			(!term ? "" : matches(node.frame) ? " hit" : " miss"),
		role: "treeitem", tabindex: "-1", "aria-level": node.depth + 1, "aria-label": tellOf(node),
		"aria-selected": node === zoomed ? "true" : "false",
	});

	element.node = node;
	node.element = element;
	if (pixels >= 24)
		element.append(node.frame.name, ...(node.frame.where ?
			[" ", make("span", {}, node.frame.where)] : []));
	put(element, node, left, width, height);
	return element;
}

// What the zoomed frame fills: itself and what is below it, and its callers.
function showFrames() {
	const height = { most: 1, pixels: $("flame").clientWidth || 1200 };
	const waiting = [], made = [], above = [];
	let narrow = 0;

	for (let node = zoomed.parent; node; node = node.parent)
		above.unshift(node);
	for (const node of above)
		made.push(draw(node, 0, 100, height, true));
	waiting.push(zoomed);
	while (waiting.length) {
		const node = waiting.pop();
		const width = 100 * node.value / zoomed.value;

		if (width / 100 * height.pixels < LEAST_PIXELS || made.length >= MOST_FRAMES) {
			narrow++;
			continue;
		}
		made.push(draw(node, 100 * (node.begin - zoomed.begin) / zoomed.value, width, height, false));
		for (let i = node.list.length - 1; i >= 0; i--)
			waiting.push(node.list[i]);
	}
	$("flame").replaceChildren(...made);
	$("flame").style.height = height.most * ROW + "px";
	$("flame").dataset.shape = $("shape").value;
	// callers are below, and come first
	if ($("shape").value === "flame")
		$("flame-box").scrollTop = $("flame-box").scrollHeight;
	focused = zoomed;
	focused.element.tabIndex = 0;
	showNote(narrow);
}

function showNote(narrow) {
	const { hidden } = data.flame;

	$("flame-note").textContent = "A click or Enter zooms, Escape goes back, arrows go around." +
		(narrow ? " Narrower than two pixels: " + counted(narrow) + "; zoom in to see them." : "") +
		(metricInfo().key === "resident_delta_space" ?
			" What a process grew by is divided among its stacks in proportion to the memory they asked for." :
			metricInfo().net ? " What a program gave back is taken off all of its stacks." : "") +
		(hidden ? " Too small for this page: " + counted(hidden) + "; their values are in their callers." : "") +
		(data.difference ? " Widths are what changed, up or down; red is more, blue is less." : "");
}

function showLibraries() {
	const first = [...libraries].slice(0, NR_COLOURS);

	$("flame-legend").replaceChildren(...(data.difference ? [] : first).map(([name, colour]) => {
		const button = make("button", { type: "button", title: "search for it" },
			make("span", { class: "name" }, name || "code in no file"));

		button.onclick = () => searchFor("^" + literally(name) + "$");
		return make("li", {}, make("i", { class: "f" + colour }), button);
	}));
	if (!data.difference && libraries.size > first.length)
		$("flame-legend").append(make("li", {}, make("i", { class: "f" + NR_COLOURS }),
			libraries.size - first.length + " others"));
}

function showFlame() {
	const metric = Number($("metric").value || 0);

	shown = data.flame.metrics.length ? treeOf(metric, {
		inverted: $("inverted").checked, merged: $("merged").checked, lines: $("lines").checked,
	}) : null;
	$("flame-section").hidden = !shown;
	$("flame-legend").replaceChildren();
	$("details").textContent = $("flame-note").textContent = "";
	if (!shown)
		return;
	layOut(shown);
	zoomed = shown;
	if (!shown.value) {
		$("flame").replaceChildren(make("p", { class: "note" }, "no stack has any of it"));
		$("flame").style.height = "auto";
		return;
	}
	rankLibraries(shown);
	showFrames();
	showLibraries();
	showMatches();
}

function zoomTo(node, focus) {
	zoomed = node;
	showFrames();
	if (focus)
		node.element.focus();
	if (!$("search").value)
		$("details").textContent = node === shown ? "" : tellOf(node);
}

function searchFor(term) {
	$("search").value = term;
	showFrames();
	showMatches();
	$("flame-section").scrollIntoView({ block: "nearest" });
}

function move(to) {
	if (!to || !to.element || !to.element.isConnected)
		return;
	focused.element.tabIndex = -1;
	focused = to;
	to.element.tabIndex = 0;
	to.element.focus();
}

function besides(node, by) {
	const list = node.parent ? node.parent.list : [node];

	return list[list.indexOf(node) + by];
}

function onFlameKey(event) {
	const isFlame = $("shape").value === "flame";
	const moves = {
		ArrowLeft: () => besides(focused, -1), ArrowRight: () => besides(focused, 1),
		[isFlame ? "ArrowUp" : "ArrowDown"]: () => focused.list[0],
		[isFlame ? "ArrowDown" : "ArrowUp"]: () => focused.parent,
	};

	if (moves[event.key])
		move(moves[event.key]());
	else if (event.key === "Enter" || event.key === " ")
		zoomTo(focused, true);
	else
		return;
	event.preventDefault();
}

function setUpFlame() {
	const nodeOf = (event) => event.target.closest && event.target.closest(".frame")?.node;

	data.flame.metrics.forEach((m, i) =>
		option($("metric"), i, m.heading + (m.estimate ? ", an estimate" : "")));
	$("metric").value = data.flame.chosen;
	// who keeps less than a cache does is a thin strip, so it is searched for
	if (data.suspect)
		$("search").value = "^" + literally(data.suspect.replace(/\+0x[0-9a-f]+ .*$/, ""));
	// a change of the program moves lines: the same functions would be once less, once more
	$("lines").checked = !data.difference;
	for (const id of ["metric", "shape", "inverted", "merged", "lines"])
		$(id).onchange = showFlame;
	$("search").oninput = () => {
		showFrames();
		showMatches();
	};
	$("reset").onclick = () => {
		$("search").value = "";
		showFlame();
	};
	$("flame").onclick = (event) => nodeOf(event) && zoomTo(nodeOf(event), true);
	$("flame").onkeydown = onFlameKey;
	$("flame").onmouseover = $("flame").onfocusin = (event) => {
		const node = nodeOf(event);

		if (!node)
			return;
		event.target.closest(".frame").title = longTellOf(node);
		$("details").textContent = tellOf(node);
	};
	$("flame").addEventListener("focusin", $("flame").onfocusin);
	$("flame").onmouseleave = showMatches;
	document.addEventListener("keydown", (event) => {
		if (event.key === "/" && !/^(INPUT|SELECT)$/.test(event.target.tagName)) {
			event.preventDefault();
			$("search").focus();
		} else if (event.key === "Escape" && shown && shown.value) {
			$("search").value = "";
			showMatches();
			zoomTo(shown, $("flame").contains(document.activeElement));
		}
	});
}
