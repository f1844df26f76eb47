// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: prints a verb's table of options, or the metrics
 *
 * It writes to standard output; main() reports errors.
 */
#include "usage.h"
#include "metric.h"
#include "runtimes.h"

#include <stdio.h>
#include <string.h>

/* Width of the column of options */
#define WIDTH	26

static void print_option(const struct mp_option *option)
{
	char left[64];

	snprintf(left, sizeof(left), "%c%c%s--%s%s%s",
		 option->letter ? '-' : ' ',
		 option->letter ? option->letter : ' ',
		 option->letter ? ", " : "  ",
		 option->name, option->arg ? " " : "",
		 option->arg ? option->arg : "");
	printf(strlen(left) > WIDTH ? "  %s\n  %*s %s\n" : "  %s%*s %s\n", left,
	       strlen(left) > WIDTH ? WIDTH : WIDTH - (int)strlen(left), "",
	       option->help);
}

void mp_usage_languages(void)
{
	struct mp_obscurity found;
	size_t i;

	puts("How reports name the functions of a program, and what shows a runtime's own heap:\n\n"
	     "C, C++, Rust\n  nothing is needed; lines need -g");
	for (i = 0; mp_runtimes_next(i, &found); i++) {
		puts(found.runtime);
		if (found.remedy)
			printf("  %s\n", found.remedy);
		if (found.heap)
			printf("  %s\n", found.heap);
	}
}

/*
 * V8 samples the objects that live. Its prompt is between the lines of the answer. The inspector
 * may be that of another process, which had the port before.
 */
void mp_usage_node(void)
{
	fputs("#!/bin/sh\n"
	      "# Shows who allocated the objects that a node keeps, of those of the next 10 s.\n"
	      "# node's inspector listens to this machine from then on, as after any SIGUSR1.\n"
	      "# V8 compiles functions anew, and leaves them apart meanwhile: else small ones would count\n"
	      "# as their callers.\n"
	      "# usage: memprofctl help node | sh -s PID [SECONDS]\n"
	      "pid=${1:?the id of a process of node}\n"
	      "case $(readlink \"/proc/$pid/exe\") in\n"
	      "*/node*) ;;\n"
	      "*)	echo \"$pid is no node\" >&2; exit 1 ;;\n"
	      "esac\n"
	      "kill -USR1 \"$pid\" || exit\n"
	      "{\n"
	      "	sleep 3\n"
	      "	echo 'inlines = (yes) => Runtime.evaluate({ expression: `require(\"v8\").setFlagsFromString(\"--${yes ? \"\" : \"no-\"}turbo-inlining\")`, includeCommandLineAPI: true })'\n"
	      "	echo 'inlines(false).then(() => Profiler.enable()).then(() => Profiler.startPreciseCoverage({ callCount: true })).then(() => Profiler.stopPreciseCoverage()).then(() => HeapProfiler.startSampling())'\n"
	      "	sleep \"${2:-10}\"\n"
	      "	echo 'Promise.all([Runtime.evaluate({ expression: \"process.pid\" }), HeapProfiler.stopSampling()]).then(([{ result }, { profile }]) => { const sums = {}, add = (node) => { const at = node.callFrame, name = `${at.functionName || \"(no name)\"} ${at.url}:${at.lineNumber + 1}`; sums[name] = (sums[name] || 0) + node.selfSize; node.children.forEach(add); }; add(profile.head); console.log(`of ${result.value}`); for (const [name, bytes] of Object.entries(sums).sort((a, b) => b[1] - a[1]).slice(0, 10)) console.log(`${(bytes / 1048576).toFixed(1)}M ${name}`); })'\n"
	      "	sleep 1\n"
	      "	echo 'inlines(true)'\n"
	      "	sleep 1\n"
	      "	echo .exit\n"
	      "} | node inspect -p \"$pid\" | sed 's/^\\(debug> \\)*//' | awk -v pid=\"$pid\" '\n"
	      "	$1 == \"of\" { ok = $2 == pid\n"
	      "		if (!ok) print \"port 9229 is that of node \" $2 \", which has to end first\" }\n"
	      "	ok && $1 ~ /^[0-9.]+M$/'\n", stdout);
}

void mp_usage_metrics(void)
{
	int i;

	for (i = 0; i < MP_NR_METRICS; i++)
		if (i <= MP_NODE_0 || i > MP_NODE_7)
			printf("  %-12s %-20s %s\n", mp_metrics[i].heading,
			       mp_metrics[i].key, mp_metrics[i].description);
	puts("N1 to N7 (node_1_space to node_7_space) are the same of the other NUMA nodes.");
}

void mp_usage_print(const struct mp_command *command, bool all)
{
	const struct mp_option *option;
	bool metrics = false;

	printf("usage: memprofctl %s%s%s\n\n%s\n\noptions:\n", command->name,
	       command->usage[0] ? " " : "", command->usage, command->summary);
	for (option = command->options; option->name; option++) {
		if (all || !option->rare)
			print_option(option);
		metrics |= option->values &&
			   !strcmp(option->values, MP_VALUES_METRICS);
	}
	if (metrics)
		puts("\n`memprofctl help metrics` shows what can be a METRIC.");
}
