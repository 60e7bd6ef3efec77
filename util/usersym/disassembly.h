/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct disassembly: machine code as text, an instruction a line, by objdump.
 *
 * objdump is a child that gets the bytes of the code and nothing else, through a file without a
 * name: no ELF file is parsed by it, and no name or path that a file contains comes near a command
 * line.  So it knows no symbols; disassembly_target() finds the address that a text ends with, for
 * whoever does.  The texts are printable, and belong to the struct.
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
	uint64_t address; /* of the first */
	uint16_t machine; /* EM_* */
	bool big_endian;
};

struct instruction {
	uint64_t address;
	const char *text;
};

struct disassembly {
	struct instruction *v; /* by address */
	size_t nr, cap;
	struct strbuf text; /* of objdump; instructions point into it */
};

#define DISASSEMBLY_INIT                                                                           \
	{                                                                                          \
		.text = STRBUF_INIT                                                                \
	}

/*
 * objdump: the program; NULL: "objdump".  style: what its -M takes; NULL: its default.  Errors: it
 * cannot be run, or does not know the machine; -ENOMEM.
 */
int disassemble(struct disassembly *d, const struct code_bytes *code, const char *objdump,
		const char *style, struct error *err);
void disassembly_deinit(struct disassembly *d);

/* Does the text end with an address, as a jump, a call and a comment do? Then *ret_len is the
 * length of what comes before it. */
bool disassembly_target(const char *text, uint64_t *ret_address, size_t *ret_len);

#endif
