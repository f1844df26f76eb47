// SPDX-License-Identifier: GPL-2.0-only
/*
 * A unit of a large program: containers of many types, inlined into each other.
 * Compiled often, with another UNIT each time.
 */
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace unit {
namespace {

template <int N> struct Key {
	std::string name;
	std::vector<long> path;
	bool operator<(const Key &other) const
	{
		return name < other.name ||
		       (name == other.name && path < other.path);
	}
	bool operator==(const Key &other) const { return name == other.name; }
};

template <int N> struct Hash {
	size_t operator()(const Key<N> &key) const
	{
		return std::hash<std::string>()(key.name) + N;
	}
};

template <int N> struct Store {
	std::map<Key<N>, std::vector<std::unique_ptr<Key<N>>>> tree;
	std::unordered_map<Key<N>, std::shared_ptr<Key<N>>, Hash<N>> table;
	std::set<Key<N>> set;

	void add(const std::string &name)
	{
		Key<N> key{ name + std::to_string(N), { N, 1, 2 } };

		tree[key].push_back(std::make_unique<Key<N>>(key));
		table.emplace(key, std::make_shared<Key<N>>(key));
		set.insert(key);
	}

	size_t sum()
	{
		std::vector<Key<N>> all(set.begin(), set.end());
		std::function<bool(const Key<N> &, const Key<N> &)> less =
			[this](const Key<N> &a, const Key<N> &b) {
				return tree[a].size() < tree[b].size();
			};

		std::sort(all.begin(), all.end(), less);
		return std::accumulate(all.begin(), all.end(), table.size(),
				       [](size_t n, const Key<N> &key) {
					       return n + key.name.size();
				       });
	}
};

template <int N> size_t run(const std::string &name)
{
	Store<N> store;

	store.add(name);
	return store.sum() + run<N - 1>(name);
}

template <> size_t run<0>(const std::string &name)
{
	return name.size();
}

}
}

#define GLUE(a, b) a##b
#define NAME(unit) GLUE(unit_, unit)

extern "C" size_t NAME(UNIT)(const char *name)
{
	return unit::run<DEPTH>(name);
}
