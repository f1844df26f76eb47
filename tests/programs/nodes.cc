// SPDX-License-Identifier: GPL-2.0-only
/*
 * nodes: keep_nodes() fills a map of 200000 nodes of 90 bytes, so that the pages are touched
 * first inside malloc()
 */
#include <map>
#include <string>

static std::map<int, std::string> nodes;

__attribute__((noinline)) static void keep_nodes(void)
{
	for (int i = 0; i < 200000; i++)
		nodes[i] = "longer than what fits into the string";
}

int main(void)
{
	keep_nodes();
	return 0;
}
