// SPDX-License-Identifier: GPL-2.0-only
// The sums of a part of a history, between two of its times: what came in these intervals, and
// what there was at the end. They are the numbers of memprofctl report --history.
const OTHERS = "[others]";

// Of levels also the change is of interest. A report calls it so.
const CHANGES = {
	inuse_space: { key: "inuse_delta_space", heading: "LIVE-DELTA", description: "change of LIVE in the range" },
	resident_space: { key: "resident_change", heading: "RSS-CHANGE", description: "change of RSS in the range" },
};

// The cells of each row and metric: interval, value, interval, value and so on.
function listsOf(table) {
	const nr = table.metrics.length, lists = new Array(table.rows.length / 3 * nr);

	for (let i = 0; i < table.cells.length; i += 4) {
		const at = table.cells[i] * nr + table.cells[i + 2];

		(lists[at] = lists[at] || []).push(table.cells[i + 1], table.cells[i + 3]);
	}
	return lists;
}

function levelAt(list, time) {
	let level = 0;

	for (let i = 0; list && i < list.length && list[i] <= time; i += 2)
		level = list[i + 1];
	return level;
}

function flowIn(list, from, to) {
	let sum = 0;

	for (let i = 0; list && i < list.length && list[i] <= to; i += 2)
		if (list[i] > from)
			sum += list[i + 1];
	return sum;
}

// A table's metrics that have any value, and how each is found in the cells of a row.
function columnsOfPast(table) {
	const nr = table.metrics.length, columns = [];

	table.metrics.forEach((metric, at) => {
		const has = table.lists.some((list, i) => i % nr === at && list);
		const change = CHANGES[metric.key];

		if (!has)
			return;
		columns.push({ metric: metric, get: (row, from, to) => {
			const list = table.lists[row * nr + at];

			return metric.level ? levelAt(list, to) : flowIn(list, from, to);
		} });
		if (change)
			columns.push({ metric: { ...metric, ...change, level: false }, get: (row, from, to) => {
				const list = table.lists[row * nr + at];

				return levelAt(list, to) - levelAt(list, from);
			} });
	});
	return columns;
}

if (past)
	for (const table of [past.command, past.callsite, past.node]) {
		table.lists = listsOf(table);
		table.columns = columnsOfPast(table);
		table.nr = table.rows.length / 3;
	}

const pastName = (number) => past.names[number] || "";

// Who or what a row of the past is.
function identify(kind, row) {
	const [a, b, c] = past[kind].rows.slice(3 * row, 3 * row + 3);

	if (!row)
		return { comm: kind === "command" ? OTHERS : "", cgroup: "", container: "",
			name: kind === "callsite" ? OTHERS : "" };
	return kind === "command" ? { comm: pastName(a), cgroup: pastName(b), container: pastName(c), name: "" } :
		{ comm: pastName(b), cgroup: pastName(c), container: "", name: pastName(a) };
}

function pastRows(kind, from, to) {
	const table = past[kind], rows = [];

	for (let i = 0; i < table.nr; i++) {
		const values = table.columns.map((column) => column.get(i, from, to));

		if (values.some((v) => v))
			rows.push({ pid: 0, sum: false, bound: false, note: "", values: values, ...identify(kind, i) });
	}
	return rows;
}

// Commands, added up by cgroup.
function cgroupRows(commands) {
	const found = new Map();

	for (const row of commands) {
		const sum = found.get(row.cgroup);

		if (sum)
			sum.values = sum.values.map((v, i) => v + row.values[i]);
		else
			found.set(row.cgroup, { ...row, comm: "" });
	}
	return [...found.values()];
}

const metricsOf = (table) => table.columns.map((column) => column.metric);

// Sums of commands; of callsites, if processes that exited had more.
function pastTotals(commands, callsites) {
	const sumOf = (metrics, rows, key) => {
		const at = metrics.findIndex((m) => m.key === key);

		return at < 0 ? 0 : rows.reduce((sum, row) => sum + row.values[at], 0);
	};

	return metricsOf(past.command).filter((m) => m.unit === "bytes" && m.key !== "resident_anon")
		.map((m) => ({ ...m, value: m.key === "growth_space" || m.key in CHANGES || !m.level ?
			sumOf(metricsOf(past.command), commands, m.key) :
			Math.max(sumOf(metricsOf(past.command), commands, m.key),
				sumOf(metricsOf(past.callsite), callsites, m.key)) }))
		.filter((total) => total.value);
}

// Frames of commands, and of what no stack has: of each its number, by name.
const REST = "[no callsite]";
const ownFrames = new Map();

function addOwnFrame(name) {
	const { frames, texts } = data.flame;

	if (ownFrames.has(name))
		return;
	ownFrames.set(name, frames.length / 4);
	frames.push(texts.push(name) - 1, texts.push("") - 1, 0, texts.length - 1);
}

// Sums of each column by command, of the nodes below its frame.
function ownSums(nodes) {
	const { columns, nr } = past.node, step = 2 + columns.length, tops = [0], found = new Map();

	for (let i = 1; i < nr; i++) {
		const caller = nodes[i * step + 1];

		tops[i] = caller ? tops[caller] : i;
		const name = data.flame.texts[data.flame.frames[4 * nodes[tops[i] * step]]];
		const sum = found.get(name) || new Array(columns.length).fill(0);

		for (let at = 0; at < columns.length; at++)
			sum[at] += nodes[i * step + 2 + at];
		found.set(name, sum);
	}
	return found;
}

// What the processes of a command have more than its stacks.
function addRests(nodes, commands) {
	const columns = past.node.columns, step = 2 + columns.length, own = ownSums(nodes), wanted = new Map();
	const places = columns.map((column) => past.command.columns.findIndex((one) =>
		one.metric.key === column.metric.key));

	for (const row of commands) {
		const sum = wanted.get(row.comm) || new Array(columns.length).fill(0);

		places.forEach((place, at) => sum[at] += place < 0 ? 0 : row.values[place]);
		wanted.set(row.comm, sum);
	}
	for (const [name, sum] of wanted) {
		const rest = sum.map((v, at) => Math.max(0, v - Math.max(0, (own.get(name) || [])[at] || 0)));

		if (!rest.some((v) => v))
			continue;
		nodes.push(ownFrames.get(name), 0, ...rest.map(() => 0));
		nodes.push(ownFrames.get(REST), nodes.length / step - 1, ...rest);
	}
}

// No frame has a negative width, so what shrank is left out.
function pastNodes(from, to, commands) {
	const { rows, columns, nr } = past.node, nodes = [];

	for (let i = 0; i < nr; i++) {
		nodes.push(rows[3 * i + 1], rows[3 * i]);
		for (const column of columns)
			nodes.push(Math.max(0, column.get(i, from, to)));
	}
	addRests(nodes, commands);
	return nodes;
}

// Makes what the page shows of the intervals between two times.
function fillRange(from, to) {
	const commands = pastRows("command", from, to), callsites = pastRows("callsite", from, to);

	data.tables = [
		{ kind: "command", metrics: metricsOf(past.command), rows: commands, hidden: 0 },
		{ kind: "cgroup", metrics: metricsOf(past.command), rows: cgroupRows(commands), hidden: 0 },
		{ kind: "callsite", metrics: metricsOf(past.callsite), rows: callsites, hidden: 0 },
	];
	data.totals = pastTotals(commands, callsites);
	data.flame.metrics = metricsOf(past.node);
	data.flame.nodes = pastNodes(from, to, commands);
}

if (past) {
	addOwnFrame(REST);
	for (let row = 0; row < past.command.nr; row++)
		addOwnFrame(identify("command", row).comm);
	fillRange(0, past.times.length - 1);
	// what grew, or else what was touched
	data.flame.chosen = Math.max(0, ["inuse_delta_space", "touched_space", "growth_space"]
		.map((key) => data.flame.metrics.findIndex((m) => m.key === key)).find((at) => at >= 0) ?? 0);
}
