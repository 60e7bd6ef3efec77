// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/eventfd.h>
#include <unistd.h>

#include "allocates.h"

static __attribute__((noinline)) int in_library(int n)
{
	int sum = 0;

	while (n--) {
		int fd = eventfd(1, 0); /* LINE library */

		sum += fd;
		close(fd);
	}
	return sum;
}

int from_library(int n)
{
	return in_library(n) + 1;
}
