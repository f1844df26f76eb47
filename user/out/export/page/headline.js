// SPDX-License-Identifier: GPL-2.0-only
// The page in a sentence or two. It says only what the numbers hold, and of estimates
// that they are some.
const SHARE_TO_NAME = 0.05;

function subject() {
	const rows = processRows;

	if (rows.length === 1 && !rows[0].sum)
		return rows[0].comm;
	if (programs.size === 1)
		return "all processes of " + rows[0].comm + " together";
	return rows.some((row) => row.sum) ? "all processes together" :
		rows.length + " processes together";
}

const amount = (total) => (total.estimate ? "about " : "") + human(total.value, total.unit);

// A callsite without numbers that only a debugger needs.
const inWords = (name) => name.replace(/^(.+)\+0x[0-9a-f]+ (.+)\+0x[0-9a-f]+$/, "$1, $2")
	.replace(/^(.+) ([^ ]+:\d+)$/, "$1, $2");

// Where the most of it is: a callsite, if it is a part worth naming.
function place(total) {
	const found = sums(tables.callsite, total.key, (row) => inWords(row.name))
		.filter((sum) => !/^\[(dropped|unknown)/.test(sum.name))[0];

	if (!found || found.value <= 0 || found.value < SHARE_TO_NAME * total.value)
		return null;
	return { name: found.name, share: share(Math.min(found.value, total.value), total.value) };
}

function from(total, verb) {
	const where = place(total);

	return where ? "; " + where.share + " of it " + verb + " " + where.name : "";
}

// Of several processes, the one that has most of it, by its title where there is one.
const LEAST_PART = 0.5;

function whose(total) {
	const rows = isMany ? [...processRows].sort((a, b) => value(tables.process, b, total.key) -
		value(tables.process, a, total.key)) : [];
	const [top] = rows, most = top ? value(tables.process, top, total.key) : 0;

	if (!top || !top.pid || top.sum || most < LEAST_PART * total.value)
		return "";
	return ". " + share(Math.min(most, total.value), total.value) + " of it is of process " + top.pid + " (" +
		(top.title || top.comm) + ")";
}

// A name at the begin stays as it is.
const sentence = (text, isName) => (isName ? text.charAt(0) : text.charAt(0).toUpperCase()) +
	text.slice(1) + ".";

// A peak that is known, and is that of one moment.
function peakTotal() {
	const at = totalOf("at_peak_space");

	if (at.value || isMany || !processRows.length)
		return at;
	const metric = tables.process.metrics[column(tables.process, "peak_space")];

	return metric ? { key: "peak_space", value: value(tables.process, processRows[0], "peak_space"),
		unit: "bytes", estimate: metric.estimate } : at;
}

const haveEnded = processRows.length > 0 && processRows.every((row) => row.note && row.note !== "table full");

function ofAllocations(who, time) {
	const peak = peakTotal(), live = totalOf("inuse_space"), exit = totalOf("at_exit_space");
	const left = live.value ? live : exit;
	const plural = isMany;
	const unfreed = haveEnded ? " was not freed when " + (plural ? "they" : "it") + " ended" : " is not freed";

	if (left.value && left.value * 2 >= peak.value)
		return (haveEnded && data.origin.target ? who + " ended with " + amount(left) + " not freed" :
			"of what " + who + " allocated in " + time + ", " + amount(left) + unfreed) +
			(data.keepers ? "" : from(left, "from")) + whose(left);
	if (peak.value) {
		const where = left.value < SHARE_TO_NAME * peak.value ? "" : from(left, "from");
		const rest = left.value ? amount(left) + (haveEnded ? unfreed : " is left at the end") + where :
			haveEnded ? "at the end " + (peak.estimate ? "no sampled block" : "nothing") + " was left" :
			(peak.estimate ? "no sampled block" : "nothing") + " is left at the end";
		const at = peak.key === "at_peak_space" ? from(peak, "from") : "";

		return who + " held " + amount(peak) + " at " + (plural ? "their" : "its") + " peak" +
			at + (at ? ". " + rest.charAt(0).toUpperCase() + rest.slice(1) : "; " + rest);
	}
	return who + " allocated " + amount(totalOf("alloc_space")) + " in " + time +
		from(totalOf("alloc_space"), "in") + whose(totalOf("alloc_space"));
}

// memprofctl grows while it reads symbols: no answer to who grows.
const isOurs = (comm) => ["memprofctl", "memprof-collect", "memprof-zygote"].includes(comm);
const isRunning = (row) => !row.note && !isOurs(row.comm);

// Of several processes. What has exited does not count in sums.
function ofAll(time) {
	const all = processRows.reduce((sum, row) => sum + (row.note ? 0 :
		value(tables.process, row, "resident_delta_space")), 0);

	return "All that runs has " + human(Math.abs(all), "bytes") +
		(all < 0 ? " less" : " more") + " RSS than " + time + " before.";
}

function ofFaults(who, time) {
	const touched = totalOf("touched_space"), growth = totalOf("growth_space");
	const resident = totalOf("resident_space");
	const total = touched.value ? touched : growth.value > 0 ? growth : resident;
	const verb = total === touched ? " touched " + amount(touched) + " in " + time :
		total === growth ? " enlarged " + (isMany ? "their address spaces" : "its address space") +
			" by " + amount(growth) + " in " + time :
		(isMany ? " have " : " has ") + amount(resident) + " resident";

	if (!total.value)
		return null;
	if (programs.size < 2)
		return who + verb + from(total, "in");
	const top = sums(tables.process, total.key, (row) => row.comm)[0];

	return who + verb + "; " + share(top.value, total.value) + " of it is " + top.name + "'s" +
		(top.rows > 1 ? " (" + top.rows + " processes)" : "");
}

function ofDifference() {
	const metric = data.flame.metrics[data.flame.chosen];
	const total = data.totals.find((t) => t.key === metric.key);
	const top = sums(tables.callsite, metric.key, (row) => inWords(row.name))[0];
	const text = !total || !total.value ? metric.heading + " is the same as before in all" :
		metric.heading + " is " + (total.estimate ? "about " : "") +
		human(Math.abs(total.value), total.unit) + (total.value > 0 ? " more" : " less") + " than before";

	return text + (top && top.value ? "; the largest difference is " + signed(top.value, metric.unit) +
		" in " + top.name : "");
}

// What explains an RSS far above the living blocks, if it is a part worth naming. Where each
// block is known, pages that blocks keep are told from pages without any.
const HELD_TO_NAME = 0.25;
const LEAST_TO_LEAD = 2 ** 20;

function sumOf(key) {
	const table = tables.process;

	return table && column(table, key) >= 0 ?
		processRows.reduce((sum, row) => sum + value(table, row, key), 0) : 0;
}

function ofHeld(whose) {
	const held = sumOf("allocator_held_space"), pinned = sumOf("pinned_space");
	const free = Math.min(sumOf("malloc_free_space"), held);
	const trim = Math.min(sumOf("malloc_trim_space"), free);
	const resident = totalOf("resident_space").value;
	const text = " of " + whose + " is heap beyond the living blocks";

	if (!held || !resident || held < HELD_TO_NAME * resident ||
	    data.keepers.includes("which it maps itself"))
		return "";
	if (free > held / 2)
		return " " + human(held, "bytes") + text + ", of which at least " +
			human(free, "bytes") + " is free inside malloc" + (trim > free / 2 ?
			": malloc_trim(0) would give " + human(trim, "bytes") + " back." :
			", most of it on pages that living blocks keep.");
	return " " + human(held, "bytes") + text + (pinned ? ": " + human(pinned, "bytes") +
		" of it is on pages that living blocks keep." :
		", freed and kept by the allocator" + (data.origin.older ? ", or older than this recording." : "."));
}

// Who keeps what it allocates, in the words of the report
const ofKeepers = () => data.keepers ? data.keepers + ". " : "";

// Of one process RSS has a first and a last value.
function ofResidence() {
	const series = data.series.resident_space;

	if (isMany || !series || series.values.length < 2)
		return "";
	const now = totalOf("resident_space").value || series.values.at(-1);
	const first = human(series.values[0], "bytes"), last = human(now, "bytes");

	if (!series.values.at(-1) || first === last)
		return "";
	// who grew by how much is told already, without the library's own memory
	return data.keepers.includes(" grew by ") ? " Its RSS is " + last + "." :
		" Its RSS went from " + first + " to " + last + ".";
}

function headline() {
	const time = span(data.origin.span_ns);

	if (data.difference)
		return sentence(ofDifference(), true);
	// blocks of malloc() tell nothing of a heap that is not malloc()'s; of what was killed, all is told
	if (data.keepers.includes("runtime's own heap") || data.keepers.includes(" was killed by "))
		return ofKeepers() + ofResidence();
	// beside the leak of one process, what all have is no answer
	if (data.keepers && isMany)
		return ofKeepers() + (totalOf("alloc_space").value ? "" : ofAll(time));
	const text = totalOf("alloc_space").value ? ofAllocations(subject(), time) :
		ofFaults(subject(), time);

	if (!text)
		return "Nothing was measured in " + time + ".";
	const told = sentence(text, text.startsWith(subject()) && !isMany) + ofResidence();
	// what was allocated is no answer if it is next to nothing
	const first = totalOf("alloc_space").value && peakTotal().value < LEAST_TO_LEAD ?
		ofHeld("the RSS of " + subject()) : "";

	return ofKeepers() + (first ? first.trim() + " " + told :
		told + ofHeld((isMany ? "their" : "its") + " RSS"));
}
