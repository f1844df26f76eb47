// SPDX-License-Identifier: GPL-2.0-only
// What resident memory is made of, and sizes and lifetimes of blocks: as far as they are
// known.
const PARTS = [
	["c2", "live_touched_space", "living blocks"],
	["c6", "allocator_held_space", null],
	["c1", "stack_resident_space", "stacks"],
	["c0", "file_mapped_space", "files"],
	["c4", "shmem_mapped_space", "shared memory"],
	["c9", "unattributed_space", "other"],
];
const MOST_PARTS = 15;

// Blocks from before the recording are not known: they are a part of what has no living block.
const heldText = () => data.origin.older ? "held by the allocator, or older than this recording" :
	"held by the allocator";

function partsOf(table, row) {
	const heap = value(table, row, "allocator_space");
	const parts = PARTS.map(([colour, key, text]) =>
		({ colour: colour, text: text || heldText(), bytes: value(table, row, key) }));

	// without allocations only the size of the whole heap is known
	if (heap && !parts[0].bytes && !parts[1].bytes)
		parts[1] = { colour: "c6", text: "allocator", bytes: heap };
	const free = Math.min(value(table, row, "malloc_free_space"), parts[1].bytes);

	if (free) {
		parts[1].bytes -= free;
		parts.splice(2, 0, { colour: "c3", text: "free inside malloc", bytes: free });
	}
	return parts.filter((p) => p.bytes > 0);
}

// Rows with parts; a row of which only the sum is known says nothing here, nor does what has ended
// beside what runs.
function partRows(table) {
	return table.rows.filter((row) => value(table, row, "resident_space") > 0 &&
			(haveEnded || !row.note) && partsOf(table, row).some((part) => part.colour !== "c9"))
		.sort((a, b) => value(table, b, "resident_space") - value(table, a, "resident_space"));
}

function railOf(table, row, most) {
	const rail = make("div", { class: "rail" });

	for (const part of partsOf(table, row)) {
		const bar = make("i", { class: part.colour, title: part.text + ": " + human(part.bytes, "bytes") +
			(row.bound && part.text === "living blocks" ? " at most" : "") });

		bar.style.width = 100 * part.bytes / most + "%";
		rail.append(bar);
	}
	return rail;
}

function showParts() {
	const table = tables[$("parts-by").value], rows = partRows(table);
	const most = Math.max(1, ...rows.map((row) => value(table, row, "resident_space")));
	const used = new Map(rows.flatMap((row) => partsOf(table, row)).map((p) => [p.text, p.colour]));

	$("parts-legend").replaceChildren(...[...used].map(([text, colour]) =>
		make("li", {}, make("i", { class: colour }), text)));
	$("parts").replaceChildren(...rows.slice(0, MOST_PARTS).map((row) => {
		const name = nameOf(table, row) + (row.note ? " [" + row.note + "]" : "");
		const current = value(table, row, "cgroup_current_space");

		return make("div", { class: "part" },
			make("span", { class: "name", title: name }, name), railOf(table, row, most),
			make("span", { class: "sum" }, human(value(table, row, "resident_space"), "bytes") +
				(current ? " of " + human(current, "bytes") : "")));
	}));
	if (rows.length > MOST_PARTS)
		$("parts").append(make("p", { class: "note" }, rows.length - MOST_PARTS + " smaller ones are not shown"));
}

function setUpParts() {
	const kinds = data.difference ? [] : ["process", "cgroup"].filter((kind) => tables[kind] &&
		partRows(tables[kind]).length);

	for (const kind of kinds)
		option($("parts-by"), kind, kind);
	$("parts-by").onchange = showParts;
	$("parts-section").hidden = !kinds.length;
	if (kinds.length)
		showParts();
}

function binsOf(title, bins, text) {
	const first = bins.findIndex((n) => n > 0), last = bins.findLastIndex((n) => n > 0);
	const most = Math.max(...bins), list = make("div", { class: "bins" });

	for (let i = first; i <= last; i++) {
		const bar = make("i", { class: "c2" });

		bar.style.width = 100 * bins[i] / most + "%";
		list.append(make("span", { class: "end" }, text(i)), bar,
			make("span", { title: bins[i] }, human(bins[i], "count")));
	}
	return make("div", {}, make("h3", {}, title), list);
}

function setUpHistograms() {
	const box = make("div", { class: "charts" }), { sizes, lifetimes } = data.histograms || {};

	if (sizes && sizes.some((n) => n))
		box.append(binsOf("allocations by size", sizes, (i) => "< " + human(2 ** i, "bytes")));
	if (lifetimes && lifetimes.some((n) => n))
		box.append(binsOf("freed blocks by age", lifetimes, (i) => "< " + duration(2 ** i)));
	$("histograms").append(box);
	$("histograms-section").hidden = !box.children.length;
}
