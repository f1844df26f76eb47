// SPDX-License-Identifier: GPL-2.0-only
// threads.cc: says "waits" and waits for a line, then has maps, strings and vectors in four
// threads; says "ready" when it has about 75 MiB, and ends with its input
#include <cstdio>
#include <map>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

static std::vector<std::map<int, std::string>> maps(4);
static std::vector<std::vector<char>> vectors(4);

static void work(int number)
{
	std::map<int, std::string> &kept = maps[number];

	for (int i = 0; i < 15000; i++) {
		kept[i] = std::string(50 + (i * (number + 1)) % 1600, 'x');
		if (i % 3 == 0)
			kept.erase(i - 9);
	}
	vectors[number].assign(10 << 20, 1);
}

int main()
{
	std::vector<std::thread> threads;

	puts("waits");
	fflush(stdout);
	getchar();

	for (int i = 0; i < 4; i++)
		threads.emplace_back(work, i);
	for (std::thread &thread : threads)
		thread.join();
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
}
