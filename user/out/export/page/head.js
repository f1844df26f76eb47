// SPDX-License-Identifier: GPL-2.0-only
// The head of the page: whose numbers these are, and the sums.
const SOURCES = {
	kmod: "the kernel module", perf: "perf's events", smaps: "sizes in /proc",
	preload: "a library in the process",
};

function sourceText() {
	const { source, samplers } = data.origin;

	return (SOURCES[source] || (data.origin.streams ? "perf's events" : "")) +
		(samplers && source !== "preload" ? " and a library in the process" : "");
}

function dateText() {
	return data.origin.begin_ms ? new Date(data.origin.begin_ms).toISOString()
		.slice(0, 19).replace("T", " ") + " UTC" : "";
}

// The command that was run; or the processes, if there are few; or what was asked for.
function targetText() {
	const { target, title } = data.origin;
	const named = processRows.filter((row) => !row.sum);

	if (past)
		return "memory of " + title;
	if (target || data.difference)
		return target || title;
	if (processRows.length === 1 && named.length === 1)
		return named[0].comm + " (" + named[0].pid + ")";
	if (programs.size === 1)
		return processRows[0].comm + " (" + processRows.length + " processes)";
	const gone = processRows.filter((row) => row.note === "exited").length;

	return !processRows.length ? title : !gone || gone === processRows.length ? processRows.length + " processes" :
		(processRows.length - gone) + " processes, and " + gone + " that ended,";
}

// What follows the range of a history.
function showSums() {
	$("headline").textContent = past ? pastHeadline() : headline();
	$("cards").replaceChildren(...data.totals.map((total) => make("div", { class: "card", "data-of": total.key,
			title: total.description + ": " + exact(total.value, total.unit) },
		make("dt", {}, total.heading + (total.estimate ? ", an estimate" : "")),
		make("dd", {}, signed(total.value, total.unit)))));
}

function showHead() {
	const { host, kernel, machine, about, command, title, from } = data.origin;
	const target = targetText(), date = dateText();
	const where = host && !data.difference ? " on " + host : "";

	document.title = target + where + (date ? ", " + date.slice(0, 10) : "") + " – memprof";
	$("title").textContent = target + where;
	$("about").textContent = [date, data.difference ? "" : span(data.origin.span_ns),
		data.difference ? "" : sourceText(),
		data.difference ? host : "", kernel ? "Linux " + kernel + (machine ? " " + machine : "") : "", about]
		.filter((text) => text).join(" · ");
	showSums();
	$("footer").textContent = data.footer;
	$("warnings").replaceChildren(...data.warnings.map((text) => make("p", {}, text)));
	$("warnings").hidden = !data.warnings.length;
	for (const [name, text] of [["host", host], ["begin", date], ["command", command],
				    ["read from", from || (past || data.difference ? title : "a session")]])
		if (text)
			$("origin").append(make("dt", {}, name), make("dd", {}, text));
}

// Light or dark: the system's, until one is chosen.
function theme(name) {
	document.documentElement.dataset.theme = name;
}

function showTheme() {
	const dark = matchMedia("(prefers-color-scheme: dark)");

	theme(dark.matches ? "dark" : "light");
	dark.onchange = () => theme(dark.matches ? "dark" : "light");
	$("theme").onclick = () =>
		theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
}
