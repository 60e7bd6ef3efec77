// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls access("") below 28 functions of its own, along one of many paths: for samples with user
 * stacks of 30 frames.  The kernel allocates memory for the name, finds it empty and fails.
 *
 *	deep CALLS PATHS
 *
 * At each level one of four functions is called; PATHS numbers decide which.  Without the C
 * library's function, the innermost frame has a line, and frame pointers miss none.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ACCESS_NOTHING(result)                                                                     \
	__asm__ volatile("syscall"                                                                 \
			 : "=a"(result)                                                            \
			 : "a"(SYS_access), "D"(""), "S"(F_OK)                                     \
			 : "rcx", "r11", "memory")
#else
#define ACCESS_NOTHING(result) ((result) = access("", F_OK))
#endif

#define LEVEL_0(n)                                                                                 \
	static __attribute__((noinline)) long f0_##n(uint64_t path)                                \
	{                                                                                          \
		long result;                                                                       \
                                                                                                   \
		ACCESS_NOTHING(result);                                                            \
		return result + (long)(path & 1) + (n);                                            \
	}

#define FUNCTION(level, below, n)                                                                  \
	static __attribute__((noinline)) long f##level##_##n(uint64_t path)                        \
	{                                                                                          \
		switch (path >> (2 * (level)) & 3) {                                               \
		case 0:                                                                            \
			return f##below##_0(path) + (n);                                           \
		case 1:                                                                            \
			return f##below##_1(path) + (n);                                           \
		case 2:                                                                            \
			return f##below##_2(path) + (n);                                           \
		default:                                                                           \
			return f##below##_3(path) + (n);                                           \
		}                                                                                  \
	}

#define LEVEL(level, below)                                                                        \
	FUNCTION(level, below, 0)                                                                  \
	FUNCTION(level, below, 1) FUNCTION(level, below, 2) FUNCTION(level, below, 3)

LEVEL_0(0)
LEVEL_0(1)
LEVEL_0(2)
LEVEL_0(3)
LEVEL(1, 0)
LEVEL(2, 1)
LEVEL(3, 2)
LEVEL(4, 3)
LEVEL(5, 4)
LEVEL(6, 5)
LEVEL(7, 6)
LEVEL(8, 7)
LEVEL(9, 8)
LEVEL(10, 9)
LEVEL(11, 10)
LEVEL(12, 11)
LEVEL(13, 12)
LEVEL(14, 13)
LEVEL(15, 14)
LEVEL(16, 15)
LEVEL(17, 16)
LEVEL(18, 17)
LEVEL(19, 18)
LEVEL(20, 19)
LEVEL(21, 20)
LEVEL(22, 21)
LEVEL(23, 22)
LEVEL(24, 23)
LEVEL(25, 24)
LEVEL(26, 25)
FUNCTION(27, 26, 0)

int main(int argc, char **argv)
{
	unsigned long calls = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	unsigned long paths = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	long sum = 0;

	for (unsigned long i = 0; i < calls; i++) {
		uint64_t path = (i % paths + 1) * 0x9e3779b97f4a7c15u;

		sum += f27_0(path ^ path >> 29);
	}
	return sum == 0;
}
