# SPDX-License-Identifier: GPL-2.0-only
#
# Which rooms of user space each unit test tests. A test sees the headers of these
# rooms and of the rooms below them, and is linked with nothing else.
# tests-ROOM[+ROOM]... := TEST...


tests-base := test-demangle test-replay test-text test-trend
tests-binary := test-binary test-finder test-isolate test-perf-map test-probe-point \
	test-symbol-cache test-symbols test-unwind test-wrappers
tests-capture := test-captures test-history test-prober test-record-options test-triggers
tests-cli := test-agent test-agent-limits test-browse test-export
tests-daemon := test-cli test-collector test-control test-push test-scrape
tests-engine := test-areas test-heap test-heap-processes test-heap-sums test-order test-python-stack \
	test-spaces
tests-inject := test-exclusions test-refusal
tests-model := test-blame test-blocks test-cgroup-path test-cold test-freed test-profile test-timeline
tests-out := test-callsites test-difference-table test-human test-json test-series test-table
tests-procfs := test-cgroup test-chunks test-page-idle test-page-nodes test-page-walk test-listening test-process-memory test-residence
tests-sections := test-calls test-section-calls test-sections
tests-source := test-cpu-rings test-decode test-format test-open test-recorded-pages test-region \
	test-perf-writer test-python-event test-section-event test-site-maps test-sizes \
	test-tallies
tests-view := test-arrange test-difference test-growers test-growth test-intervals \
	test-judge-callers test-keepers test-profile-sum test-renamed test-rollup test-runtimes
tests-binary+out := test-containers test-sites
tests-engine+view := test-merge test-merge-timeline
