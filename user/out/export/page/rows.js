// SPDX-License-Identifier: GPL-2.0-only
// The rows of the report: processes, cgroups and callsites.
const FEW_ROWS = 12, MOST_ROWS = 1000;
const KINDS = { process: "processes", command: "commands", cgroup: "cgroups", callsite: "callsites" };
// What the report's tables show; the other columns are there on request.
const COLUMNS = {
	process: ["resident_space", "resident_delta_space", "resident_anon", "inuse_space", "peak_space", "at_exit_space",
		"alloc_objects", "alloc_space", "temporary_objects", "growth_space", "touched_space",
		"minor_faults", "major_faults"],
	command: ["resident_space", "resident_change", "inuse_space", "inuse_delta_space", "alloc_space",
		"growth_space", "touched_space", "minor_faults", "major_faults"],
	cgroup: ["inuse_space", "inuse_delta_space", "resident_change", "peak_space", "growth_space", "faults", "resident_space",
		"resident_anon", "touched_space", "cgroup_current_space", "cgroup_peak_space"],
	callsite: ["inuse_space", "inuse_delta_space", "peak_space", "at_peak_space", "at_exit_space", "alloc_objects",
		"alloc_space", "temporary_objects", "growth_space", "faults", "touched_space"],
};

let sorted = null, descending = true, all = false;

// Whether processes of one name have different command lines: these tell them apart.
function needsTitles(table) {
	const titles = new Map();

	return table.rows.some((r) => {
		const known = r.title && titles.get(r.comm);

		if (r.title)
			titles.set(r.comm, r.title);
		return known && known !== r.title;
	});
}

function textColumns(table) {
	const note = (r) => r.note ? " [" + r.note + "]" : "";
	const texts = {
		process: [["COMM", (r) => r.comm + note(r)], ["PID", (r) => r.pid || ""],
			["TITLE", (r) => needsTitles(table) && r.title || ""], ["CGROUP", (r) => r.container || r.cgroup]],
		command: [["COMM", (r) => r.comm], ["CGROUP", (r) => r.container || r.cgroup]],
		cgroup: [["CGROUP", (r) => (r.container || r.cgroup) + note(r)]],
		callsite: [["CALLSITE", (r) => r.name], ["COMM", (r) => r.comm]],
	}[table.kind];

	// what is compared has no pid and no cgroup of its own; one program needs no column
	return texts.filter(([heading, get], i) => !i || (table.rows.some((r) => get(r)) &&
			!(table.kind === "callsite" && programs.size < 2)))
		.map(([heading, get]) => ({ heading: heading, get: get, text: heading !== "PID" }));
}

function columnsOf(table) {
	const some = $("all-columns").checked ? null : COLUMNS[table.kind];
	const metrics = table.metrics.map((m, i) => ({ heading: m.heading, key: m.key, unit: m.unit,
		get: (r) => r.values[i], title: m.description + (m.estimate ? " (an estimate)" : "") }))
		.filter((c) => !some || some.includes(c.key));

	if (some)
		metrics.sort((a, b) => some.indexOf(a.key) - some.indexOf(b.key));
	return textColumns(table).concat(metrics);
}

function compare(column) {
	const sign = descending ? -1 : 1;

	return (a, b) => {
		const x = column.get(a), y = column.get(b);

		return (data.difference && column.unit ? Math.abs(x) - Math.abs(y) :
			x > y ? 1 : x < y ? -1 : 0) * sign;
	};
}

function headOf(column) {
	const button = make("button", { type: "button" }, column.heading);

	button.onclick = () => {
		descending = column.heading === sorted ? !descending : !column.text;
		sorted = column.heading;
		showTable();
	};
	return make("th", { class: column.text ? "text" : "", title: column.title || "", scope: "col",
		"aria-sort": column.heading === sorted ? descending ? "descending" : "ascending" : "none" }, button);
}

function cellOf(table, row, column, most) {
	const got = column.get(row);
	const cell = make("td", { class: (column.text ? "text" : "") +
			(column.heading === "TITLE" ? " long" : "") +
			(column.heading === sorted && column.unit ? " sorted" : ""),
		title: column.unit ? got ?? "" : column.heading === "CGROUP" ? row.cgroup :
			column.heading === "TITLE" ? got : "" });

	if (column.heading === sorted && column.unit && got > 0)
		cell.style.backgroundSize = 100 * got / most + "% 100%";
	if (!["COMM", "CALLSITE"].includes(column.heading) || !got) {
		cell.append(column.unit ? signed(got, column.unit) : String(got));
		return cell;
	}
	const button = make("button", { type: "button", title: got + "\nsearch for it in the stacks" }, got);

	button.onclick = () => searchFor("^" + literally(column.heading === "COMM" ? row.comm :
		row.name.replace(/\+0x[0-9a-f]+ .*$/, "")));
	cell.append(button);
	return cell;
}

function showTable() {
	const table = tables[$("kind").value], term = $("filter").value;

	if (!table)
		return;
	const columns = columnsOf(table), match = matcher(term);
	const rows = table.rows.filter((r) => !term ||
		[r.comm, r.title, r.cgroup, r.container, r.name, r.pid].some((t) => t && match(String(t))));
	const by = columns.find((c) => c.heading === sorted);
	const limit = all || term ? MOST_ROWS : FEW_ROWS;
	const most = by && by.unit ? Math.max(1, ...rows.map((r) => by.get(r) || 0)) : 1;

	if (by)
		rows.sort(compare(by));
	// as in the report: who grows is a question about what runs, and was not as large before
	if (by && by.key === "resident_delta_space" && descending)
		rows.sort((a, b) => !!b.leads - !!a.leads || isRunning(b) - isRunning(a));
	$("table").tHead.replaceChildren(make("tr", {}, ...columns.map(headOf)));
	$("table").tBodies[0].replaceChildren(...rows.slice(0, limit).map((row) =>
		make("tr", { class: row.note ? "gone" : row.leads ? "leads" : "" },
			...columns.map((c) => cellOf(table, row, c, most)))));
	$("rows-title").textContent = table.kind.charAt(0).toUpperCase() + KINDS[table.kind].slice(1);
	$("count").textContent = rows.length + " of " + table.rows.length + " rows" +
		(rows.length > limit ? ", the first " + limit + " shown" : "") +
		(table.hidden ? "; " + table.hidden + " more are in other formats" : "");
	if (rows.some((r) => r.leads) && by && by.key === "resident_delta_space")
		$("count").textContent += "; in bold: grew, runs for longer than the others, and was not as large before";
	$("more").hidden = rows.length <= limit || limit === MOST_ROWS;
	$("more").textContent = "show " + Math.min(rows.length, MOST_ROWS) + " rows";
}

// The column by which rows are sorted at first: the flame graph's, or what there is.
function sortBest() {
	const table = tables[$("kind").value];
	const flame = data.flame.metrics.length ? data.flame.metrics[data.flame.chosen].key : "";
	// who grows, of several, or if nobody knows who allocates
	const best = table && table.kind !== "callsite" && (isMany || flame === "touched_space") &&
		column(table, "resident_delta_space") >= 0 ? "resident_delta_space" : flame;
	const found = [best, "inuse_space", "at_peak_space", "alloc_space", "touched_space", "growth_space",
		"resident_space"].map((key) => table && table.metrics.find((m) => m.key === key)).find((m) => m);

	sorted = found ? found.heading : null;
	descending = true;
}

function setUpRows() {
	const rowsOf = (kind) => tables[kind] ? tables[kind].rows.length : 0;

	for (const table of data.tables)
		if (table.rows.length)
			option($("kind"), table.kind, KINDS[table.kind] + (past ? "" : " (" + table.rows.length + ")"));
	// who, if there are several; else where
	$("kind").value = rowsOf("callsite") && (!isMany || data.difference) ? "callsite" :
		tables.command ? "command" : "process";
	if (!$("kind").value)
		$("kind").selectedIndex = 0;
	$("rows-section").hidden = !$("kind").options.length;
	if (isMany && !data.difference)
		$("flame-section").before($("rows-section"));
	$("kind").onchange = () => {
		all = false;
		sortBest();
		showTable();
	};
	$("filter").oninput = $("all-columns").onchange = showTable;
	$("more").onclick = () => {
		all = true;
		showTable();
	};
	if ($("kind").options.length) {
		sortBest();
		showTable();
	}
}
