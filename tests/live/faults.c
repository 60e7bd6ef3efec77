// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Faults in pages on known lines, for tests/live/annotate: faults PAGES.
 *
 * In one function, PAGES pages on one line and half as many on another.
 */
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE 4096

static __attribute__((noinline)) void touch_pages(volatile char *pages, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		pages[i * PAGE] = 1; /* LINE every */
	pages += nr * PAGE;
	for (size_t i = 0; i < nr / 2; i++)
		pages[i * PAGE + 1] += 2; /* LINE half */
}

int main(int argc, char **argv)
{
	size_t nr = argc > 1 ? (size_t)atoi(argv[1]) : 1, size = 2 * nr * PAGE;
	char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return 1;
	madvise(pages, size, MADV_NOHUGEPAGE);
	touch_pages(pages, nr);
	return 0;
}
