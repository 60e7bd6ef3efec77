// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Wants more memory than there is, for tests/guest/pressed.
 *
 *	pressing reclaim|keep|fragment MIB
 *
 * reclaim touches this much memory, which the kernel may take back at any time. keep holds it.
 * fragment keeps every second page of the free memory, then touches this much in huge pages.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sysinfo.h>

#define PAGE  4096ul
#define PIECE (4ul << 20)

#define MARGIN (64ul << 20)

static char *map(size_t bytes)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return p;
}

static char *touched(size_t bytes)
{
	char *p = map(bytes);

	for (size_t i = 0; i < bytes; i += PAGE)
		p[i] = 1;
	return p;
}

static void touch_pieces(size_t bytes, int advice)
{
	for (size_t i = 0; i < bytes; i += PIECE)
		madvise(touched(PIECE), PIECE, advice);
}

static void fragment(void)
{
	struct sysinfo info;
	size_t bytes;
	char *p;

	sysinfo(&info);
	bytes = info.freeram * info.mem_unit;
	/* some is needed to live on */
	if (bytes <= MARGIN) {
		fputs("pressing: too little memory is free\n", stderr);
		exit(1);
	}
	bytes -= MARGIN;
	p = touched(bytes);
	for (size_t i = 0; i < bytes; i += 2 * PAGE)
		madvise(p + i, PAGE, MADV_DONTNEED);
}

int main(int argc, char *argv[])
{
	const char *how = argc == 3 ? argv[1] : "";
	size_t bytes = argc == 3 ? strtoul(argv[2], NULL, 10) << 20 : 0;

	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	if (!strcmp(how, "reclaim")) {
		touch_pieces(bytes, MADV_FREE);
	} else if (!strcmp(how, "keep")) {
		touch_pieces(bytes, MADV_NORMAL);
	} else if (!strcmp(how, "fragment")) {
		char *p;

		fragment();
		prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
		p = map(bytes);
		madvise(p, bytes, MADV_HUGEPAGE);
		for (size_t i = 0; i < bytes; i += PAGE)
			p[i] = 1;
	} else {
		fprintf(stderr, "usage: pressing reclaim|keep|fragment MIB\n");
		return 2;
	}
	return 0;
}
