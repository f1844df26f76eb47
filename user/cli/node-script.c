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
	      "# Shows who allocated the objects and Buffers that a node keeps, of those of the next 10 s.\n"
	      "# node's inspector listens to this machine meanwhile, and on if this is interrupted or node\n"
	      "# has no time to close it.\n"
	      "# V8 compiles functions anew, and leaves them apart meanwhile: else small ones would count\n"
	      "# as their callers. What functions of node itself allocate counts as their caller's.\n"
	      "# By how much the data of Buffers grew is known, and is divided by the number of those made.\n"
	      "# node stops for two full collections: what could be let go would count else.\n"
	      "# A sample is taken each KB: a node that allocates 100 MB a second has a fifth less time.\n"
	      "# usage: memprofctl help node | sh -s PID [SECONDS]\n"
	      "pid=${1:?the id of a process of node}\n"
	      "exe=$(readlink \"/proc/$pid/exe\")\n"
	      "case ${exe##*/} in\n"
	      "node | nodejs | node[0-9]* | 'node (deleted)') ;;\n"
	      "*)	echo \"$pid is no node\" >&2; exit 1 ;;\n"
	      "esac\n"
	      "# who listens to port 9229 (240D)?\n"
	      "has() { ls -l \"/proc/$1/fd\" 2>/dev/null | grep -qF \"socket:[$socket]\"; }\n"
	      "socket=$(awk '$2 ~ /:240D$/ && $4 == \"0A\" { print $10; exit }' \"/proc/$pid/net/tcp\" \"/proc/$pid/net/tcp6\" 2>/dev/null)\n"
	      "close=yes\n"
	      "if [ -n \"$socket\" ] && has \"$pid\"; then\n"
	      "	close=\n"
	      "elif [ -n \"$socket\" ]; then\n"
	      "	owner='one of another user'\n"
	      "	for of in /proc/[0-9]*; do\n"
	      "		has \"${of#/proc/}\" && owner=${of#/proc/} && break\n"
	      "	done\n"
	      "	echo \"port 9229 is taken by process $owner: if it is a node, require('inspector').close() in it frees the port\" >&2\n"
	      "	exit 1\n"
	      "fi\n"
	      "answer=$(mktemp) || exit\n"
	      "trap 'rm -f \"$answer\"' EXIT\n"
	      "kill -USR1 \"$pid\" || exit\n"
	      "echo \"who allocates in the next ${2:-10} s what node $pid keeps:\" >&2\n"
	      "{\n"
	      "	sleep 3\n"
	      "	echo 'mine = Runtime.evaluate({ expression: \"process.pid\" }).then(({ result }) => result.value == '\"$pid\"')'\n"
	      "	echo 'inlines = (yes) => Runtime.evaluate({ expression: `require(\"v8\").setFlagsFromString(\"--${yes ? \"\" : \"no-\"}turbo-inlining\")`, includeCommandLineAPI: true })'\n"
	      "	echo 'dataOfBuffers = () => HeapProfiler.collectGarbage().then(() => Runtime.evaluate({ expression: \"process.memoryUsage().arrayBuffers\" })).then(({ result }) => result.value)'\n"
	      "	echo 'before = mine.then((yes) => yes && dataOfBuffers())'\n"
	      "	echo 'mine.then((yes) => yes && inlines(false).then(() => Profiler.enable()).then(() => Profiler.startPreciseCoverage({ callCount: true })).then(() => Profiler.stopPreciseCoverage()).then(() => HeapProfiler.startSampling({ samplingInterval: 1024 })))'\n"
	      "	sleep \"${2:-10}\"\n"
	      "	echo 'isOwn = (at) => at.url && !at.url.startsWith(\"node:\")'\n"
	      "	echo 'isBuffer = (at) => at.url == \"node:internal/buffer\" || at.url == \"node:buffer\"'\n"
	      "	echo 'nameOf = (at) => `${at.functionName || \"(no name)\"} ${at.url && `${at.url}:${at.lineNumber + 1}`}`'\n"
	      "	echo 'sum = (node, caller, sums) => { const at = node.callFrame, name = isOwn(at) ? nameOf(at) : caller || nameOf(at); sums[name] ||= { name, bytes: 0, buffers: 0 }; sums[name].bytes += node.selfSize; sums[name].buffers += isBuffer(at) ? node.selfSize : 0; node.children.forEach((child) => sum(child, isOwn(at) ? name : caller, sums)); return sums; }'\n"
	      "	echo 'withData = (rows, grown) => { const all = rows.reduce((sum, { buffers }) => sum + buffers, 0); return rows.map(({ name, bytes, buffers }) => { const data = all ? Math.max(0, grown) * buffers / all : 0; return { name, has: data <= bytes ? \"\" : all < 8192 ? \" in Buffers, by a few of them\" : \" in Buffers, by their number\", bytes: bytes + data }; }).concat(!all && grown > 1e6 ? [{ name: \"in Buffers, whose makers were not seen: try more seconds\", has: \"\", bytes: grown }] : []); }'\n"
	      "	echo 'show = ({ profile }, grown) => { for (const { name, bytes, has } of withData(Object.values(sum(profile.head, null, {})), grown).sort((a, b) => b.bytes - a.bytes).slice(0, 10).filter(({ bytes }, i) => !i || bytes >= 1e5)) console.log(`${(bytes / 1048576).toFixed(1)}M ${name}${has}`); }'\n"
	      "	echo 'Promise.all([Runtime.evaluate({ expression: \"process.pid\" }), mine, before, mine.then((yes) => yes && dataOfBuffers())]).then(([{ result }, yes, had, has]) => { console.log(`of ${result.value}`); return yes && HeapProfiler.stopSampling().then((samples) => show(samples, has - had)).then(() => console.log(\"that is all\")); })'\n"
	      "	# a large heap is not collected in a second\n"
	      "	for second in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do\n"
	      "		sleep 1\n"
	      "		! grep -q 'that is all' \"$answer\" || break\n"
	      "	done\n"
	      "	echo 'mine.then((yes) => yes && inlines(true))'\n"
	      "	[ -z \"$close\" ] ||\n"
	      "		echo 'mine.then((yes) => yes && Runtime.evaluate({ expression: `(({ close }) => setTimeout(() => { try { close(); } catch {} }, 2000).unref())(require(\"inspector\"))`, includeCommandLineAPI: true }))'\n"
	      "	sleep 1\n"
	      "	echo .exit\n"
	      "} | node inspect -p \"$pid\" | tee \"$answer\" | sed 's/^\\(debug> \\)*//' | awk -v pid=\"$pid\" '\n"
	      "	$1 == \"of\" { seen = 1; ok = $2 == pid\n"
	      "		if (!ok) print \"port 9229 is that of node \" $2 \", which has to end first\" }\n"
	      "	ok && $1 ~ /^[0-9.]+M$/ { print; n++ }\n"
	      "	END { if (!n && (ok || !seen)) print \"node \" pid \" gave no answer: it is too busy, or its inspector was closed; try again\" }'\n"
	      "# its inspector closes now\n"
	      "[ -z \"$close\" ] || sleep 2\n", stdout);
}
