// SPDX-License-Identifier: GPL-2.0-or-later
// The same in C++: a template of a class in a namespace.
#include <cstdlib>
#include <sys/syscall.h>
#include <unistd.h>

#include "allocates.h"

namespace live
{
template <typename T> struct maker {
	__attribute__((noinline)) T make(int n)
	{
		T sum = 0;

		while (n--) {
			T fd = call_kernel(SYS_eventfd2, 1, 0); // LINE cxx

			sum += fd;
			close(static_cast<int>(fd));
		}
		return sum;
	}
};
} // namespace live

int main(int argc, char **argv)
{
	live::maker<long> maker;

	return maker.make(argc > 1 ? std::atoi(argv[1]) : 0) == 1;
}
