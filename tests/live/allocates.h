/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by allocates.c, its library and allocates.cc, for tests/live/user_stacks. */
#ifndef LIVE_ALLOCATES_H
#define LIVE_ALLOCATES_H

#ifdef __cplusplus
extern "C" {
#endif

/* Makes n eventfds, and closes them, on the line that its source marks. */
int from_library(int n);

/* On the line where it is used, with no function of the C library in between. */
#if defined(__x86_64__)
#define call_kernel(number, a, b)                                                                  \
	__extension__({                                                                            \
		long ret_;                                                                         \
		__asm__ volatile("syscall"                                                         \
				 : "=a"(ret_)                                                      \
				 : "a"((long)(number)), "D"((long)(a)), "S"((long)(b))             \
				 : "rcx", "r11", "memory");                                        \
		ret_;                                                                              \
	})
#else
#include <unistd.h>
#define call_kernel(number, a, b) syscall(number, a, b)
#endif

#ifdef __cplusplus
}
#endif
#endif
