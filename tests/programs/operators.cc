// SPDX-License-Identifier: GPL-2.0-only
// operators.cc: calls operator new and delete in a thread, 4,000 times each.
#include <cstdio>
#include <new>
#include <thread>

struct alignas(64) Aligned {
	char bytes[128];
};

template <class T> static T *touched(T *p)
{
	*reinterpret_cast<volatile char *>(p) = 1;
	return p;
}

static void use_operators()
{
	for (int i = 0; i < 1000; i++) {
		delete[] touched(new char[100]);
		delete touched(new int);
		delete touched(new Aligned);
		delete[] touched(new (std::nothrow) char[7]);
	}
}

int main()
{
	std::thread(use_operators).join();
	puts("operators done");
}
