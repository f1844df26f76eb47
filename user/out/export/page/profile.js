// SPDX-License-Identifier: GPL-2.0-only
// What the page is made of: tables, totals, and who the processes are.
const tables = {};

function readTables() {
	for (const table of data.tables)
		tables[table.kind] = table;
}

readTables();

const column = (table, key) => table ? table.metrics.findIndex((m) => m.key === key) : -1;

function value(table, row, key) {
	const at = column(table, key);

	return at < 0 ? 0 : row.values[at];
}

function nameOf(table, row) {
	if (table.kind === "process")
		return row.comm + (row.pid ? " " + row.pid : "");
	return table.kind === "cgroup" ? row.container || row.cgroup : row.name;
}

const totalOf = (key) => data.totals.find((total) => total.key === key) ||
	{ key: key, value: 0, unit: "bytes", estimate: false };

const processRows = (tables.process || tables.command || { rows: [] }).rows;
const programs = new Set(processRows.map((row) => row.comm));
const isMany = processRows.length > 1;

// Sums of a column by a text of the rows, highest first.
function sums(table, key, text) {
	const found = new Map();

	for (const row of table ? table.rows : []) {
		const name = text(row);
		const sum = found.get(name) || { name: name, value: 0, rows: 0 };

		sum.value += value(table, row, key) || 0;
		sum.rows++;
		found.set(name, sum);
	}
	return [...found.values()].sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
}
