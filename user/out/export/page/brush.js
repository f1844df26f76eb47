// SPDX-License-Identifier: GPL-2.0-only
// The history at the top of the page: who had how much, in layers, and the range that all
// below is the sum of. Its ends are dragged, or moved by keys.
const PAST_OF = ["resident_space", "inuse_space", "touched_space", "alloc_space", "growth_space"];
const KEY_STEPS = 10;

const lastTime = past ? past.times.length - 1 : 0;
let chosenFrom = 0, chosenTo = lastTime;
let waitsForFrame = false;

const moment = (seconds) => new Date(1000 * seconds).toISOString().slice(0, 19).replace("T", " ");
const pastSpan = (from, to) => span(1e9 * (past.times[to] - past.times[from]));

// Where a time is in the drawing, from 0 to 100.
const placeOf = (time) => 100 * (past.times[time] - past.times[0]) /
	(past.times[lastTime] - past.times[0] || 1);

function pastColumn() {
	return past.command.columns.find((column) => column.metric.key === $("past-of").value);
}

// Bytes at the end of each interval, or bytes in a second of it.
function pastValue(column, row, interval) {
	const value = column.get(row, interval - 1, interval);
	const seconds = past.times[interval] - past.times[interval - 1] || 1;

	return column.metric.level ? value : Math.max(0, value / seconds);
}

// The layers, the largest first; the last one is all others.
function pastLayers(column) {
	const by = $("past-by").value, layers = new Map();

	for (let row = 0; row < past.command.nr; row++) {
		const who = identify("command", row);
		const name = by === "command" ? who.comm : who.container || who.cgroup || OTHERS;
		const layer = layers.get(name) || { name: name, cgroup: who.cgroup, sum: 0, rows: [],
			values: new Array(lastTime).fill(0) };

		layer.rows.push(row);
		for (let i = 1; i <= lastTime; i++)
			layer.values[i - 1] += pastValue(column, row, i);
		layer.sum = layer.values.reduce((sum, v) => sum + v, 0);
		layers.set(name, layer);
	}
	const sorted = [...layers.values()].filter((layer) => layer.sum > 0).sort((a, b) => b.sum - a.sum);
	const rest = sorted.slice(MOST_LAYERS);

	return rest.length ? sorted.slice(0, MOST_LAYERS).concat({ name: rest.length + " others", isRest: true,
		rows: rest.flatMap((layer) => layer.rows),
		values: rest[0].values.map((_, i) => rest.reduce((sum, layer) => sum + layer.values[i], 0)) }) : sorted;
}

// The area of a layer: a step for each interval.
function stepsOf(below, above, most) {
	const y = (v) => (HEIGHT - HEIGHT * v / most).toFixed(2);
	const x = (time) => (WIDTH * placeOf(time) / 100).toFixed(2);
	let up = "M" + x(0) + "," + y(above[0]), down = "";

	for (let i = 0; i < lastTime; i++) {
		up += "V" + y(above[i]) + "H" + x(i + 1);
		down = "V" + y(below[i]) + "H" + x(i) + down;
	}
	return up + down + "Z";
}

let layersShown = [];

function showPast() {
	const column = pastColumn(), unit = column.metric.level ? "" : "/s";
	const svg = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img",
		"aria-label": column.metric.heading + " by " + $("past-by").value + ", " + pastSpan(0, lastTime) });
	const sums = new Array(lastTime).fill(0);

	layersShown = pastLayers(column);
	for (const layer of layersShown)
		layer.values.forEach((v, i) => sums[i] += v);
	const most = Math.max(1, ...sums);
	let below = new Array(lastTime).fill(0);

	$("past").querySelectorAll("svg, .x, .y").forEach((old) => old.remove());
	for (let i = 0; i <= 4; i++) {
		const label = make("span", { class: "y" }, human(Math.round(most * i / 4), "bytes") + (i ? unit : ""));

		svg.append(make("line", { class: "axis", x1: 0, x2: WIDTH, y1: HEIGHT - HEIGHT * i / 4, y2: HEIGHT - HEIGHT * i / 4 }));
		label.style.top = 100 - 25 * i + "%";
		$("past").append(label);
	}
	for (let i = 0; i <= 4; i++) {
		const seconds = past.times[0] + (past.times[lastTime] - past.times[0]) * i / 4;
		const label = make("span", { class: "x" + (i ? i === 4 ? " last" : "" : " first") },
			i ? moment(seconds).slice(11) : moment(seconds) + " UTC");

		label.style.left = 25 * i + "%";
		$("past").append(label);
	}
	layersShown.forEach((layer, i) => {
		const above = below.map((v, at) => v + layer.values[at]);

		svg.append(make("path", { class: "layer " + (layer.isRest ? "c9" : "c" + i), "data-name": layer.name,
			d: stepsOf(below, above, most) }));
		below = above;
	});
	$("past").prepend(svg);
	showPastLegend();
}

// What each layer has in the range, or at its end.
function showPastLegend() {
	const column = pastColumn();

	$("past-legend").replaceChildren(...layersShown.map((layer, i) => make("li", { title: layer.cgroup || "" },
		make("i", { class: layer.isRest ? "c9" : "c" + i }), make("span", { class: "name" }, layer.name),
		make("b", {}, human(layer.rows.reduce((sum, row) =>
			sum + column.get(row, chosenFrom, chosenTo), 0), "bytes")))));
}

// As a shell takes it.
const quoted = (text) => /^[\w./-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'";

function showRangeText() {
	const all = chosenFrom === 0 && chosenTo === lastTime, nr = chosenTo - chosenFrom;

	$("past-range").textContent = moment(past.times[chosenFrom]) + " to " +
		moment(past.times[chosenTo]).slice(11) + " UTC, " + pastSpan(chosenFrom, chosenTo) + ": " +
		(all ? "all " + nr : nr + " of " + lastTime) + (lastTime === 1 ? " interval" : " intervals");
	$("past-command").textContent = "memprofctl report --history" +
		(past.folder ? "-folder " + quoted(past.folder) : "") + " --since @" + past.times[chosenFrom] +
		" --until @" + past.times[chosenTo];
	$("past-all").disabled = all;
}

function showEnds() {
	for (const [id, time, first, last] of [["past-from", chosenFrom, 0, chosenTo - 1],
					       ["past-to", chosenTo, chosenFrom + 1, lastTime]]) {
		const end = $(id);

		end.style.left = placeOf(time) + "%";
		end.setAttribute("aria-valuemin", first);
		end.setAttribute("aria-valuemax", last);
		end.setAttribute("aria-valuenow", time);
		end.setAttribute("aria-valuetext", moment(past.times[time]) + " UTC");
	}
	$("past-before").style.width = placeOf(chosenFrom) + "%";
	$("past-after").style.width = 100 - placeOf(chosenTo) + "%";
}

// Of the whole page, once for all that happened since the last picture.
function showRange() {
	waitsForFrame = false;
	fillRange(chosenFrom, chosenTo);
	readTables();
	showSums();
	showFlame();
	showTable();
	showPastLegend();
	showRangeText();
}

function choose(from, to) {
	const first = Math.max(0, Math.min(from, to, lastTime - 1));
	const last = Math.min(lastTime, Math.max(from, to, first + 1));

	if (first === chosenFrom && last === chosenTo)
		return;
	chosenFrom = first;
	chosenTo = last;
	showEnds();
	if (!waitsForFrame)
		requestAnimationFrame(showRange);
	waitsForFrame = true;
}

// The time that is nearest to a place on the screen.
function timeAt(event) {
	const box = $("past").getBoundingClientRect();
	const place = 100 * (event.clientX - box.left) / box.width;
	let best = 0;

	for (let i = 1; i <= lastTime; i++)
		if (Math.abs(placeOf(i) - place) < Math.abs(placeOf(best) - place))
			best = i;
	return best;
}

// From a press on, the end that does not move is held.
function drag(event, held) {
	const box = $("past");

	if (event.button)
		return;
	event.preventDefault();
	box.setPointerCapture(event.pointerId);
	box.onpointermove = (moved) => choose(held, timeAt(moved));
	box.onpointerup = box.onpointercancel = () => {
		box.onpointermove = box.onpointerup = box.onpointercancel = null;
	};
}

function onEndKey(event, isFrom) {
	const at = isFrom ? chosenFrom : chosenTo, step = event.shiftKey ? KEY_STEPS : 1;
	const least = isFrom ? 0 : chosenFrom + 1, most = isFrom ? chosenTo - 1 : lastTime;
	const to = { ArrowLeft: at - step, ArrowDown: at - step, ArrowRight: at + step, ArrowUp: at + step,
		Home: least, End: most }[event.key];

	if (to === undefined)
		return;
	const time = Math.min(most, Math.max(least, to));

	choose(isFrom ? time : chosenFrom, isFrom ? chosenTo : time);
	event.preventDefault();
	event.stopPropagation();
}

// RSS first, because all sources have it; then what else there is.
function pastHeadline() {
	const rss = column(tables.command, "resident_space"), change = column(tables.command, "resident_change");
	const sum = (at) => at < 0 ? 0 : tables.command.rows.reduce((all, row) => all + row.values[at], 0);
	const to = sum(rss), from = to - sum(change), touched = totalOf("touched_space");
	const grown = change < 0 ? [] : sums(tables.command, "resident_change", (row) => row.comm)
		.filter((one) => one.value * (to - from) > 0);
	const toucher = sums(tables.command, "touched_space", (row) => row.comm)[0];

	return "In " + pastSpan(chosenFrom, chosenTo) + " the RSS of all together " + (human(to, "bytes") === human(from, "bytes") ?
		"stayed at " + human(to, "bytes") : "went from " + human(from, "bytes") + " to " + human(to, "bytes") +
		(grown.length ? ", most of it by " + grown[0].name : "")) + "." + (touched.value ?
		" They touched " + amount(touched) + (toucher && toucher.value > 0 ? ", of which " +
		share(toucher.value, touched.value) + " was " + toucher.name : "") + "." : "");
}

function showPastNotes() {
	const folded = past.command.folded + past.callsite.folded + past.node.folded;

	$("past-note").textContent = "Drag over the chart to choose a range; all below is its sum. " +
		"Its ends are moved by the arrow keys, with Shift by " + KEY_STEPS + " intervals." +
		(past.snapshots > lastTime ? " The range has " + past.snapshots + " snapshots, which are " + lastTime +
			" intervals here." : "") +
		(folded ? " " + folded + " values beyond the limits of the page are in " + OTHERS + ", or in their callers." : "");
}

function setUpPast() {
	$("past-section").hidden = !past;
	if (!past)
		return;
	for (const key of PAST_OF)
		for (const { metric } of past.command.columns.filter((one) => one.metric.key === key))
			option($("past-of"), key, metric.heading + (metric.level ? "" : " a second") +
				(metric.estimate ? ", an estimate" : ""));
	$("past-section").hidden = !$("past-of").options.length;
	if (!$("past-of").options.length)
		return;
	$("past-of").onchange = $("past-by").onchange = showPast;
	$("past").onpointerdown = (event) => drag(event, timeAt(event));
	for (const [id, isFrom] of [["past-from", true], ["past-to", false]]) {
		$(id).onpointerdown = (event) => {
			event.stopPropagation();
			drag(event, isFrom ? chosenTo : chosenFrom);
			$(id).focus();
		};
		$(id).onkeydown = (event) => onEndKey(event, isFrom);
	}
	$("past-all").onclick = () => choose(0, lastTime);
	showPast();
	showEnds();
	showRangeText();
	showPastNotes();
}
