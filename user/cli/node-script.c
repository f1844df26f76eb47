// SPDX-License-Identifier: GPL-2.0-only
/*
 * node-script: a shell script, because node's own debugger asks V8
 */
#include "node-script.h"

#include <stdio.h>

/*
 * V8 samples the objects that live. Functions of node itself tell nobody anything, so what they
 * allocate counts as their caller's. The debugger's prompt is between the lines of the answer.
 * The inspector may be that of another process, which had the port before: that one is only
 * asked for its id.
 */
void mp_node_script_print(void)
{
	fputs("#!/bin/sh\n"
	      "# Shows who allocated the objects that a node keeps, of those of the next 10 s.\n"
	      "# node's inspector listens to this machine from then on, as after any SIGUSR1.\n"
	      "# V8 compiles functions anew, and leaves them apart meanwhile: else small ones would count\n"
	      "# as their callers. What functions of node itself allocate counts as their caller's.\n"
	      "# usage: memprofctl help node | sh -s PID [SECONDS]\n"
	      "pid=${1:?the id of a process of node}\n"
	      "case $(readlink \"/proc/$pid/exe\") in\n"
	      "*/node*) ;;\n"
	      "*)	echo \"$pid is no node\" >&2; exit 1 ;;\n"
	      "esac\n"
	      "kill -USR1 \"$pid\" || exit\n"
	      "echo \"who allocates in the next ${2:-10} s what node $pid keeps:\" >&2\n"
	      "{\n"
	      "	sleep 3\n"
	      "	echo 'mine = Runtime.evaluate({ expression: \"process.pid\" }).then(({ result }) => result.value == '\"$pid\"')'\n"
	      "	echo 'inlines = (yes) => Runtime.evaluate({ expression: `require(\"v8\").setFlagsFromString(\"--${yes ? \"\" : \"no-\"}turbo-inlining\")`, includeCommandLineAPI: true })'\n"
	      "	echo 'mine.then((yes) => yes && inlines(false).then(() => Profiler.enable()).then(() => Profiler.startPreciseCoverage({ callCount: true })).then(() => Profiler.stopPreciseCoverage()).then(() => HeapProfiler.startSampling()))'\n"
	      "	sleep \"${2:-10}\"\n"
	      "	echo 'isOwn = (at) => at.url && !at.url.startsWith(\"node:\")'\n"
	      "	echo 'isBuffer = (at) => at.url == \"node:internal/buffer\" || at.url == \"node:buffer\"'\n"
	      "	echo 'nameOf = (at) => `${at.functionName || \"(no name)\"} ${at.url && `${at.url}:${at.lineNumber + 1}`}`'\n"
	      "	echo 'sum = (node, caller, sums) => { const at = node.callFrame, name = isOwn(at) ? nameOf(at) : caller || nameOf(at); sums[name] ||= { bytes: 0, buffers: 0 }; sums[name].bytes += node.selfSize; sums[name].buffers += isBuffer(at) ? node.selfSize : 0; node.children.forEach((child) => sum(child, isOwn(at) ? name : caller, sums)); return sums; }'\n"
	      "	echo 'show = ({ profile }) => { for (const [name, { bytes, buffers }] of Object.entries(sum(profile.head, null, {})).sort((a, b) => b[1].bytes - a[1].bytes).slice(0, 10).filter(([, { bytes }], i) => i < 3 || bytes >= 1e5)) console.log(`${(bytes / 1048576).toFixed(1)}M ${name}${buffers > bytes / 4 ? \" makes Buffers, whose data is not in this number\" : \"\"}`); }'\n"
	      "	echo 'Promise.all([Runtime.evaluate({ expression: \"process.pid\" }), mine]).then(([{ result }, yes]) => { console.log(`of ${result.value}`); return yes && HeapProfiler.stopSampling().then(show); })'\n"
	      "	sleep 1\n"
	      "	echo 'mine.then((yes) => yes && inlines(true))'\n"
	      "	sleep 1\n"
	      "	echo .exit\n"
	      "} | node inspect -p \"$pid\" | sed 's/^\\(debug> \\)*//' | awk -v pid=\"$pid\" '\n"
	      "	$1 == \"of\" { ok = $2 == pid\n"
	      "		if (!ok) print \"port 9229 is that of node \" $2 \", which has to end first\" }\n"
	      "	ok && $1 ~ /^[0-9.]+M$/'\n", stdout);
}
