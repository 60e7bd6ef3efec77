/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct symbol: a function and its addresses.
 *
 * Names are printable (util/base/printable.h), and limited in length.
 */
#ifndef BASE_SYMBOL_H
#define BASE_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* KSYM_NAME_LEN of the kernel (since 6.1, "kallsyms: increase maximum kernel symbol length to
 * 512"), including the NUL. Longer names are truncated. */
#define SYMBOL_NAME_MAX 512

struct symbol {
	uint64_t start;
	uint64_t end;
	const char *name;
	const char *module; /* NULL: the kernel itself */
	char type;	    /* as in /proc/kallsyms */
};

/* The addresses of the kernel's code, or of a module's, and the build-id of its file. */
struct code_map {
	uint64_t start, end;
	const uint8_t *build_id;
	size_t build_id_size; /* 0: unknown */
};

/*
 * Whether the name is a mapping symbol ("$a", "$d", "$t", "$x", "$x.12", "$xrv64i2p0"). These mark
 * the start of code or data on arm and RISC-V and are not functions.
 */
static inline bool symbol_is_mapping(const char *name, size_t len)
{
	if (len < 2 || name[0] != '$')
		return false;
	return name[1] == 'x' || ((name[1] == 'a' || name[1] == 'd' || name[1] == 't') &&
				  (len == 2 || name[2] == '.'));
}

/* Length without suffixes such as .isra.0 or .constprop.0, which differ between compilers. */
static inline size_t symbol_bare_length(const char *name)
{
	size_t len = strcspn(name, ".");

	return len ? len : strlen(name);
}

#endif
