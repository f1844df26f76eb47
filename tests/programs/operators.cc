// SPDX-License-Identifier: GPL-2.0-only
// operators.cc: calls operator new and delete in a thread, or jemalloc's own functions,
// 4,000 times each.
#include <cstddef>
#include <cstdio>
#include <new>
#include <string>
#include <thread>

struct alignas(64) Aligned {
	char bytes[128];
};

template <class T> static T *touched(T *p)
{
	*(volatile char *)p = 1;
	return p;
}

static void use_operators()
{
	for (int i = 0; i < 1000; i++) {
		delete[] touched(new char[100]);
		/* the C++ library calls its operators by slots of its own */
		touched(std::string(100, 'x').data());
		delete touched(new Aligned);
		delete[] touched(new (std::nothrow) char[7]);
	}
}

extern "C" {
void *mallocx(size_t size, int flags) __attribute__((weak));
void *rallocx(void *p, size_t size, int flags) __attribute__((weak));
void dallocx(void *p, int flags) __attribute__((weak));
void sdallocx(void *p, size_t size, int flags) __attribute__((weak));
}

static void use_jemallocs_own()
{
	for (int i = 0; i < 1000; i++) {
		dallocx(rallocx(touched(mallocx(100, 0)), 100000, 0), 0);
		sdallocx(touched(mallocx(100, 0)), 100, 0);
		dallocx(touched(mallocx(200, 0)), 0);
	}
}

// With an argument: jemalloc's own
int main(int argc, char **)
{
	if (argc > 1 && !mallocx) {
		puts("there is no mallocx");
		return 1;
	}
	std::thread(argc > 1 ? use_jemallocs_own : use_operators).join();
	puts("operators done");
}
