/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct disassembly: machine code as text, one instruction a line, by objdump.
 *
 * objdump is a child process that gets only the bytes of the code, through an unlinked file: it
 * parses no ELF file, and no name or path from a file reaches a command line. So the text has no
 * symbols; disassembly_target() finds the address at the end of a line, for callers that name it.
 * The texts are printable, and belong to the struct.
 */
#ifndef USERSYM_DISASSEMBLY_H
#define USERSYM_DISASSEMBLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/base/error.h"
#include "util/base/strbuf.h"

struct code_bytes {
	const uint8_t *bytes;
	size_t size;
	uint64_t address; /* address of the first instruction */
	uint16_t machine; /* EM_* */
	bool big_endian;
	bool is_thumb; /* ARM: code of the Thumb instruction set */
};

struct instruction {
	uint64_t address;
	const char *text;
};

struct disassembly {
	struct instruction *v; /* sorted by address */
	size_t nr, cap;
	struct strbuf text; /* of objdump; instructions point into it */
};

#define DISASSEMBLY_INIT                                                                           \
	{                                                                                          \
		.text = STRBUF_INIT                                                                \
	}

/*
 * objdump: the program; NULL: "objdump". style: argument of its -M; NULL: its default. Errors: it
 * cannot be run, or does not support the machine; -ENOMEM.
 */
int disassemble(struct disassembly *d, const struct code_bytes *code, const char *objdump,
		const char *style, struct error *err);
void disassembly_deinit(struct disassembly *d);

/* Whether the text ends with an address, as jumps, calls and comments do. *ret_len is the length of
 * the text before it then. */
bool disassembly_target(const char *text, uint64_t *ret_address, size_t *ret_len);

#endif
