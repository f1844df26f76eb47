// SPDX-License-Identifier: GPL-2.0-only
// A service for pictures: it answers requests from a cache, and forgets to free some.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

static std::map<int, std::string> cache;
static std::vector<char *> sessions;

static std::string template_of(int page)
{
	return std::string(2000 + page % 5 * 400, '<');
}

__attribute__((noinline)) static std::string render(int page)
{
	std::string text = template_of(page);

	for (int i = 0; i < 4; i++)
		text += "<p>" + std::to_string(page * i) + "</p>";
	return text;
}

__attribute__((noinline)) static const std::string &cached(int page)
{
	auto found = cache.find(page);

	if (found == cache.end())
		found = cache.emplace(page, render(page)).first;
	return found->second;
}

__attribute__((noinline)) static void remember(size_t size)
{
	char *session = static_cast<char *>(malloc(size));

	memset(session, 1, size);
	sessions.push_back(session);	// and never again
}

__attribute__((noinline)) static void answer(int request)
{
	std::string body = cached(request % 4000);

	if (request % 3 == 0)
		remember(900 + request % 7 * 100);
}

int main(int argc, char **argv)
{
	const auto end = std::chrono::steady_clock::now() +
			 std::chrono::seconds(argc > 1 ? atoi(argv[1]) : 5);

	for (int i = 0; std::chrono::steady_clock::now() < end; i++) {
		answer(i);
		if (i % 20 == 0)
			std::this_thread::sleep_for(std::chrono::milliseconds(1));
	}
	return 0;
}
