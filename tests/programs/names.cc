// SPDX-License-Identifier: GPL-2.0-or-later
/* Names that are mangled: namespaces, templates, methods, operators, lambdas. */
#include <map>
#include <string>
#include <vector>

namespace shop
{
template <typename T> struct basket {
	std::vector<T> items;

	__attribute__((noinline)) void put(const T &item)
	{
		items.push_back(item);
	}
	__attribute__((noinline)) bool operator<(const basket &other) const
	{
		return items.size() < other.items.size();
	}
};

static __attribute__((noinline)) int count(const std::map<std::string, basket<int>> &all)
{
	auto add = [](int n, const basket<int> &b) { return n + static_cast<int>(b.items.size()); };
	int n = 0;

	for (const auto &entry : all)
		n = add(n, entry.second);
	return n;
}
} // namespace shop

int main(int argc, char **argv)
{
	std::map<std::string, shop::basket<int>> all;

	for (int i = 0; i < argc; i++)
		all[argv[i]].put(i);
	return shop::count(all) < argc || all.begin()->second < all.rbegin()->second;
}
