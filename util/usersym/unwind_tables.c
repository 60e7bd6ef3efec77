// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/usersym/unwind_tables.h"

#include <errno.h>
#include <stdlib.h>

#ifdef HAVE_LIBELF
#include <gelf.h>

#include "util/base/bytes.h"

/* .eh_frame_hdr: encodings of its values (DW_EH_PE_*); linkers use no others. */
#define HEADER_VERSION	1
#define ENCODED_SIZE	0x0f
#define ENCODED_UDATA4	0x03
#define ENCODED_TABLE	0x3b /* i32 relative to the header */
#define ENCODED_OMITTED 0xff
#define ENTRY_BYTES	8

#define SEGMENTS_MAX 1024

/* The size of a pointer of this encoding; 0 if unknown. */
static size_t encoded_bytes(uint8_t encoding)
{
	switch (encoding & ENCODED_SIZE) {
	case 0x00: /* size of an address; 4 bytes are unusual */
	case 0x04:
	case 0x0c:
		return 8;
	case 0x03:
	case 0x0b:
		return 4;
	case 0x02:
	case 0x0a:
		return 2;
	default:
		return 0;
	}
}

/* u8 version, u8 encodings of: a pointer, a count, the table; pointer, count, table */
static void read_header(struct unwind_tables *t, uint64_t address, uint64_t offset, uint64_t size)
{
	struct bytes b;
	uint8_t version, pointer, count, table;
	uint64_t nr, left;

	if (offset > t->file.size || size > t->file.size - offset || size < 12)
		return;
	b = bytes_make(t->file.bytes + offset, size,
		       t->file.big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
	version = bytes_u8(&b);
	pointer = bytes_u8(&b);
	count = bytes_u8(&b);
	table = bytes_u8(&b);
	if (version != HEADER_VERSION || pointer == ENCODED_OMITTED || !encoded_bytes(pointer) ||
	    count != ENCODED_UDATA4 || table != ENCODED_TABLE)
		return;
	bytes_take(&b, encoded_bytes(pointer));
	nr = bytes_u32(&b);
	left = bytes_left(&b);
	if (b.failed || nr > left / ENTRY_BYTES)
		return;
	t->header = address;
	t->entries = address + (size - left);
	t->nr = nr;
}

/* A table of our own appears at its address in this process plus MADE_AT, which lies neither in
 * user space nor in the kernel. */
#define MADE_AT (1ull << 60)

static int make_table(struct unwind_tables *t)
{
	uint64_t address = 0;
	size_t size = 0, nr = 0;
	const uint8_t *section = elf_file_section(&t->file, ".eh_frame", &size, &address);
	bool swap = t->file.big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

	if (!section)
		return 0;
	if (eh_frame_read(section, size, address, swap, &t->made, &nr))
		return -ENOMEM;
	t->header = address;
	t->entries = MADE_AT + (uintptr_t)t->made;
	t->nr = nr;
	return 0;
}

int unwind_tables_init(struct unwind_tables *t, const struct elf_file *f)
{
	size_t nr = 0;

	*t = (struct unwind_tables){.file = *f};
	if (!f->bytes || elf_getphdrnum(f->elf, &nr))
		return 0;
	for (size_t i = 0; i < nr && i < SEGMENTS_MAX && !t->header; i++) {
		GElf_Phdr h;

		if (gelf_getphdr(f->elf, (int)i, &h) && h.p_type == PT_GNU_EH_FRAME)
			read_header(t, h.p_vaddr, h.p_offset, h.p_filesz);
	}
	return t->nr ? 0 : make_table(t);
}

#else

int unwind_tables_init(struct unwind_tables *t, const struct elf_file *f)
{
	*t = (struct unwind_tables){.file = *f};
	return 0;
}

#endif

void unwind_tables_deinit(struct unwind_tables *t)
{
	free(t->made);
	*t = (struct unwind_tables){.made = NULL};
}

const uint8_t *unwind_tables_bytes(const struct unwind_tables *t, uint64_t address, size_t size)
{
	uint64_t in = address - t->entries, made_size = t->made ? t->nr * sizeof(*t->made) : 0;

	if (in < made_size)
		return size <= made_size - in ? (const uint8_t *)t->made + in : NULL;
	return elf_file_bytes(&t->file, address, size);
}
