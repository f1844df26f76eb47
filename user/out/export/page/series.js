// SPDX-License-Identifier: GPL-2.0-only
// Memory over time: who had how much, in layers; the rest and the highest of each step.
const OF = [["inuse_space", "LIVE: living blocks"], ["resident_delta_space", "DELTA: RSS since the start"],
	["resident_space", "RSS"],
	["growth_space", "GROWTH of address spaces"]];
const MOST_LAYERS = 9;
const LEAST_LAYER = 0.01;	/* part of the highest total that a layer has at its best */
const LEAST_GAP = 0.02;		/* part of the height that makes the curve worth telling */
const WIDTH = 1000, HEIGHT = 100;	/* of the drawing, which is stretched */

// A name that came later is in the rows.
const commOf = new Map(processRows.map((row) => [row.pid, row.comm]));

const programOf = (who) => who.pid ? commOf.get(who.pid) || who.comm : "";

const whoOf = {
	program: programOf,
	process: (who) => who.pid ? programOf(who) + " " + who.pid : "",
	cgroup: (who) => who.pid ? who.cgroup : "",
	callsite: (who) => who.name,
};

// The values of an owner at the times of @points. Between two looks at its size it is taken to
// have changed evenly.
function evenly(points, looks, owner) {
	const values = looks.map((look) => look.get(owner) || 0);
	let last = 0;

	values.forEach((bytes, at) => {
		if (bytes === values[last])
			return;
		// what ended had its memory until then
		for (let i = last + 1; i < at && bytes && values[last]; i++)
			values[i] = values[last] + (bytes - values[last]) *
				(points[i].time_ns - points[last].time_ns) / (points[at].time_ns - points[last].time_ns);
		last = at;
	});
	return values;
}

// By how much each process is larger than at the start; processes that began later are larger
// by all they have. What shrank, or ended, is not drawn.
function sinceStart({ points }) {
	const looks = points.map((point) => new Map(point.values));
	const owners = [...new Set(points.flatMap((point) => point.values.map(([i]) => i)))]
		.filter((i) => !isOurs(data.timeline.who[i].comm))
		.filter((i) => looks.at(-1).get(i))
		.map((i) => ({ i: i, values: evenly(points, looks, i) }));

	return { points: points.map((point, at) => {
		const values = owners.map(({ i, values }) => [i, Math.round(values[at] - values[0])])
			.filter(([, bytes]) => bytes > 0);

		return { time_ns: point.time_ns, values: values,
			total: values.reduce((sum, [, bytes]) => sum + bytes, 0) };
	}) };
}

// Where something ran before, and who allocates is not known, or the question is which process
// grows: growth would be a line on top of all that is there.
function hasDelta() {
	const track = data.timeline && data.timeline.tracks.resident_space;

	return track && !haveEnded && (isMany || !totalOf("alloc_space").value) && track.points[0].total > 0 &&
		trackOf("resident_delta_space").points.some((point) => point.total);
}

// By how much processes grew, once it was asked for
let deltas = null;

// What the page draws of a metric: its points, and where each began to be true. Sizes are
// looked at from time to time; they hold until the next look.
function trackOf(of) {
	if (of === "resident_delta_space" && !deltas)
		deltas = sinceStart(data.timeline.tracks.resident_space);
	if (of === "resident_delta_space")
		return deltas;
	const track = data.timeline && data.timeline.tracks[of];
	const points = [];

	if (!track)
		return null;
	for (const point of track.points) {
		const before = points[points.length - 1];

		if (before && of === "resident_space")
			points.push({ ...before, time_ns: point.time_ns });
		else if (before && point.since_ns > before.time_ns && point.since_ns < point.time_ns)
			points.push({ ...point, time_ns: point.since_ns });
		points.push(point);
	}
	return { points: points };
}

// The kinds of owners that a track has, the best to begin with first.
function kindsOf(track) {
	if (!track)
		return [];
	const has = (kind) => new Set(track.points.flatMap((point) => point.values.map(([i]) =>
		whoOf[kind](data.timeline.who[i]))).filter((text) => text)).size;
	const nr = { program: has("program"), process: has("process"), cgroup: has("cgroup"),
		callsite: has("callsite") };
	const kinds = ["program", "process", "cgroup", "callsite"].filter((kind) => nr[kind] > 1);

	// the sentence is about one of them
	if (isMany && data.keepers && nr.process > 1)
		kinds.unshift(...kinds.splice(kinds.indexOf("process"), 1));
	if (nr.process === nr.program && kinds.includes("process"))
		kinds.splice(kinds.indexOf("program"), 1);
	return kinds.length ? kinds : nr.callsite ? ["callsite"] : nr.process ? ["process"] : [];
}

// What leaks is below the others, so that its steady rise is seen.
const isSuspect = (layer) => data.keeper && layer.name === data.keeper ? 1 : 0;

// The layers of a track, the largest below; the last one is what is in no other. Who never has
// a hundredth of the whole is in no layer of its own.
function layersOf(track, kind) {
	const layers = new Map();

	track.points.forEach((point, at) => {
		for (const [i, bytes] of point.values) {
			const name = whoOf[kind](data.timeline.who[i]);

			if (!name)
				continue;
			if (!layers.has(name))
				layers.set(name, { name: name, sum: 0, values: new Array(track.points.length).fill(0) });
			const layer = layers.get(name);

			layer.values[at] += bytes;
			layer.sum += bytes;
		}
	});
	const least = LEAST_LAYER * Math.max(...track.points.map((point) => point.total));
	const list = [...layers.values()].sort((a, b) => isSuspect(b) - isSuspect(a) || b.sum - a.sum)
		.filter((layer, i) => !i || Math.max(...layer.values) >= least).slice(0, MOST_LAYERS);
	const rest = track.points.map((point, at) =>
		Math.max(0, point.total - list.reduce((sum, layer) => sum + layer.values[at], 0)));

	if (rest.some((bytes) => bytes > 0))
		list.push({ name: "others", isRest: true, values: rest });
	return list;
}

function rangeOf(of) {
	const series = data.series[of], track = trackOf(of);
	const times = track ? track.points.map((point) => point.time_ns) : [];
	const values = track ? track.points.map((point) => point.total) : [];

	if (series) {
		times.push(series.start_ns, series.start_ns + series.step_ns * series.values.length);
		for (const v of series.values)
			values.push(v);
	}
	return { from: Math.min(...times), to: Math.max(...times), most: Math.max(1, ...values),
		least: Math.min(0, ...values) };
}

const xOf = (range, ns) => WIDTH * (ns - range.from) / (range.to - range.from || 1);
const yOf = (range, bytes) => HEIGHT * (range.most - bytes) / (range.most - range.least || 1);

// A value holds until the next one, or changes evenly.
function areaOf(range, times, below, above, isEven) {
	const at = (ns, bytes) => xOf(range, ns).toFixed(2) + "," + yOf(range, bytes).toFixed(2);
	const steps = (values) => values.flatMap((bytes, i) => isEven ? [at(times[i], bytes)] :
		[at(times[i], bytes), at(i + 1 < times.length ? times[i + 1] : range.to, bytes)]);
	const up = steps(above), down = steps(below);

	return "M" + up.join("L") + "L" + down.reverse().join("L") + "Z";
}

// A step to each value.
function curveOf(range, series) {
	let path = "";

	series.values.forEach((bytes, i) => {
		path += (i ? "H" : "M") + xOf(range, series.start_ns + i * series.step_ns).toFixed(2) +
			(i ? "V" : ",") + yOf(range, bytes).toFixed(2);
	});
	return path + "H" + xOf(range, series.start_ns + series.values.length * series.step_ns).toFixed(2);
}

// The least of 1, 2 and 5 times a power of ten, of a unit, that makes at most five parts.
function stepFor(span, unit) {
	const least = span / 5 / unit, power = 10 ** Math.floor(Math.log10(least));

	return [1, 2, 5, 10].find((n) => n * power >= least * 0.999) * power * unit;
}

// The multiples of a step in a range.
function marks(from, to, step) {
	const list = [];

	for (let at = Math.ceil(from / step); at * step <= to; at++)
		list.push(at * step);
	return list;
}

// The unit of all marks of a span: of 1.5M it is 1M, and they are 0.5M, 1.0M and 1.5M.
const unitOf = (bytes) => 1024 ** Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(1024));

// Bytes as a number of units, with as many digits as a step has.
function inUnits(bytes, unit, step) {
	const digits = Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9));

	return bytes ? (bytes / unit).toFixed(digits) +
		["", "K", "M", "G", "T", "P", "E"][Math.round(Math.log(unit) / Math.log(1024))] : "0";
}

function showAxes(range, svg) {
	const span = range.most - range.least, seconds = (range.to - range.from) / 1e9 || 1;
	const second = stepFor(seconds, 1), digits = Math.max(0, -Math.floor(Math.log10(second)));

	const unit = unitOf(span), step = stepFor(span, unit);

	for (const bytes of marks(range.least, range.most, step)) {
		const y = yOf(range, bytes);
		const label = make("span", { class: "y" }, inUnits(bytes, unit, step));

		svg.append(make("line", { class: "axis", x1: 0, x2: WIDTH, y1: y, y2: y }));
		label.style.top = y + "%";
		$("series").append(label);
	}
	for (const at of marks(0, seconds, second)) {
		const part = at / seconds;
		const label = make("span", { class: "x" + (at ? part > 0.96 ? " last" : "" : " first") },
			at.toFixed(digits) + " s");

		label.style.left = 100 * part + "%";
		$("series").append(label);
	}
}

// What is told if nobody points at a time: the end, or the peak if little is left.
function standing(track) {
	const last = track.points.length - 1, peak = track.points.findIndex((point) => point.peak);

	return peak >= 0 && track.points[last].total * 2 < track.points[peak].total ? peak : last;
}

// The curve is the most of each step, and layers are what was looked at: whether it rises above.
function isCurveHigher(track, series, range) {
	const least = LEAST_GAP * (range.most - range.least);
	const valueAt = (ns) => track.points.filter((point) => point.time_ns <= ns).at(-1)?.total ?? 0;

	return series && track && series.values.some((bytes, i) =>
		bytes - valueAt(series.start_ns + (i + 1) * series.step_ns) >= least);
}

// What a layer has; if that is nothing, what it had.
function amountOf(layer, at) {
	const most = Math.max(...layer.values);

	return human(layer.values[at], "bytes") +
		(layer.values[at] || !most ? "" : ", at most " + human(most, "bytes"));
}

// The values at a time.
function tell(layers, track, of, range, ns) {
	const series = data.series[of];
	let at = track ? standing(track) : 0, bytes = 0;

	if (track && ns !== null)
		for (at = 0; at + 1 < track.points.length && track.points[at + 1].time_ns <= ns; at++)
			;
	if (track)
		bytes = track.points[at].total;
	else if (series)
		bytes = series.values[ns === null ? series.values.length - 1 : Math.max(0, Math.min(
			series.values.length - 1, Math.floor((ns - series.start_ns) / series.step_ns)))];
	const isPeak = track && track.points[at].peak;

	$("series-at").textContent = (ns === null ? isPeak ? "at the peak" : "at the end" : "at " + ((ns - range.from) / 1e9).toFixed(2) + " s") +
		": " + human(bytes, "bytes") +
		(of === "resident_delta_space" ? ", without what shrank or ended" : "");
	$("series-legend").replaceChildren(...layers.map((layer, i) => {
		const name = make(layer.isRest ? "span" : "button", layer.isRest ? {} :
			{ type: "button", title: "search for it in the stacks" },
			make("span", { class: "name" }, layer.name));

		if (!layer.isRest)
			name.onclick = () => searchFor(literally($("series-by").value === "process" ?
				layer.name.replace(/ \d+$/, "") : layer.name));
		return make("li", {}, make("i", { class: layer.isRest ? "c9" : "c" + i }), name,
			make("b", {}, amountOf(layer, at)));
	}));
	if (isCurveHigher(track, series, range))
		$("series-legend").append(make("li", {}, make("i", { class: "line" }),
			make("span", { class: "name" }, "the most in each moment")));
}

function showSeries() {
	const of = $("series-of").value, track = trackOf(of);
	const kinds = kindsOf(track), by = $("series-by");

	if ([...by.options].map((o) => o.value).join() !== kinds.join()) {
		const chosen = by.value;

		by.replaceChildren();
		for (const kind of kinds)
			option(by, kind, kind);
		by.value = kinds.includes(chosen) ? chosen : kinds[0];
	}
	$("series-by-label").hidden = !kinds.length;
	drawSeries(of, track, kinds.length ? layersOf(track, by.value) : []);
}

function drawSeries(of, track, layers) {
	const range = rangeOf(of), series = data.series[of];
	const svg = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" });
	const rule = make("line", { class: "rule", y1: 0, y2: HEIGHT, visibility: "hidden" });
	let below = track ? track.points.map(() => 0) : [];

	$("series").replaceChildren(svg);
	showAxes(range, svg);
	layers.forEach((layer, i) => {
		const above = below.map((bytes, at) => bytes + layer.values[at]);

		svg.append(make("path", { class: "layer " + (layer.isRest ? "c9" : "c" + i), "data-name": layer.name,
			d: areaOf(range, track.points.map((point) => point.time_ns), below, above,
				of === "resident_delta_space") }));
		below = above;
	});
	if (series)
		svg.append(make("path", { class: "curve", "data-of": of, d: curveOf(range, series) }));
	const peak = track && track.points.find((point) => point.peak);

	if (peak)
		svg.append(make("line", { class: "peak", x1: xOf(range, peak.time_ns), x2: xOf(range, peak.time_ns), y1: 0, y2: HEIGHT }));
	svg.append(rule);
	svg.setAttribute("aria-label", $("series-of").selectedOptions[0].textContent + " over " +
		span(range.to - range.from) + ", at most " + human(range.most, "bytes"));
	svg.onpointermove = (event) => {
		const box = svg.getBoundingClientRect();
		const x = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));

		rule.setAttribute("x1", x * WIDTH);
		rule.setAttribute("x2", x * WIDTH);
		rule.setAttribute("visibility", "visible");
		tell(layers, track, of, range, range.from + x * (range.to - range.from));
	};
	svg.onpointerleave = () => {
		rule.setAttribute("visibility", "hidden");
		tell(layers, track, of, range, null);
	};
	tell(layers, track, of, range, null);
}

function setUpSeries() {
	const there = OF.filter(([of]) => of === "resident_delta_space" ? hasDelta() :
		data.series[of] && data.series[of].values.some((bytes) => bytes));

	$("series-section").hidden = !there.length;
	for (const [of, text] of there)
		option($("series-of"), of, text);
	if (isMany && there.some(([of]) => of === "resident_delta_space"))
		$("series-of").value = "resident_delta_space";
	$("series-of").onchange = $("series-by").onchange = showSeries;
	if (there.length)
		showSeries();
}
