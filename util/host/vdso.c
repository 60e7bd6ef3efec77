// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/host/vdso.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "util/base/cleanup.h"

/* Its end is only in /proc/self/maps. */
static size_t size_from(uintptr_t start)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/maps", "re");
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		unsigned long from, to;

		if (sscanf(line, "%lx-%lx", &from, &to) == 2 && from == start && to > from)
			return to - from;
	}
	return 0;
}

int vdso_copy(void **ret_image, size_t *ret_size)
{
	uintptr_t start = getauxval(AT_SYSINFO_EHDR);
	size_t size = start ? size_from(start) : 0;
	void *image;

	if (!size)
		return -ENOENT;
	image = malloc(size);
	if (!image)
		return -ENOMEM;
	memcpy(image, (const void *)start, size);
	*ret_image = image;
	*ret_size = size;
	return 0;
}
