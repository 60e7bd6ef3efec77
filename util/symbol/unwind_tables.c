// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/symbol/unwind_tables.h"

#ifdef HAVE_LIBELF
#include <gelf.h>

#include "util/base/bytes.h"

/* .eh_frame_hdr: how its values are written (DW_EH_PE_*); linkers use no other ways. */
#define HEADER_VERSION	1
#define ENCODED_SIZE	0x0f
#define ENCODED_UDATA4	0x03
#define ENCODED_TABLE	0x3b /* i32 relative to the header */
#define ENCODED_OMITTED 0xff
#define ENTRY_BYTES	8

#define SEGMENTS_MAX 1024

/* The bytes that a pointer written in this way takes; 0: it is not known. */
static size_t encoded_bytes(uint8_t encoding)
{
	switch (encoding & ENCODED_SIZE) {
	case 0x00: /* as long as an address, of which 4 are unusual */
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

	if (offset > t->size || size > t->size - offset || size < 12)
		return;
	b = bytes_make(t->bytes + offset, size,
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

void unwind_tables_init(struct unwind_tables *t, const struct elf_file *f)
{
	size_t nr = 0, size = 0;
	const char *bytes = elf_rawfile(f->elf, &size);

	*t = (struct unwind_tables){.file = *f, .bytes = (const uint8_t *)bytes, .size = size};
	if (!bytes || elf_getphdrnum(f->elf, &nr))
		return;
	for (size_t i = 0; i < nr && i < SEGMENTS_MAX && !t->header; i++) {
		GElf_Phdr h;

		if (gelf_getphdr(f->elf, (int)i, &h) && h.p_type == PT_GNU_EH_FRAME)
			read_header(t, h.p_vaddr, h.p_offset, h.p_filesz);
	}
}

#else

void unwind_tables_init(struct unwind_tables *t, const struct elf_file *f)
{
	*t = (struct unwind_tables){.file = *f};
}

#endif

const uint8_t *unwind_tables_bytes(const struct unwind_tables *t, uint64_t address, size_t size)
{
	for (size_t i = 0; t->bytes && i < t->file.nr_segments; i++) {
		const struct elf_segment *s = &t->file.segments[i];
		uint64_t in = address - s->address;

		if (address < s->address || in >= s->size)
			continue;
		/* what comes behind the segment is mapped with it, to the end of the page */
		if (s->offset > t->size || in > t->size - s->offset ||
		    size > t->size - s->offset - in)
			return NULL;
		return t->bytes + s->offset + in;
	}
	return NULL;
}
