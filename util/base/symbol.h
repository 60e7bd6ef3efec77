/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct symbol: a function and the addresses that belong to it.
 *
 * Names are printable (util/base/printable.h), and of a bounded length.
 */
#ifndef BASE_SYMBOL_H
#define BASE_SYMBOL_H

#include <stdint.h>

/* KSYM_NAME_LEN of the kernel (since 6.1, "kallsyms: increase maximum kernel symbol length to
 * 512"), including the NUL: longer names are cut. */
#define SYMBOL_NAME_MAX 512

struct symbol {
	uint64_t start;
	uint64_t end;
	const char *name;
	const char *module; /* NULL: the kernel itself */
	char type;	    /* as in /proc/kallsyms */
};

#endif
