/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct elf_file: an open ELF file of any class and byte order: what identifies it, and where in
 * memory its parts belong.
 *
 * An address in it is the one that it was linked for; elf_file_address() makes one of an offset in
 * the file, which is what a recording tells.  The file may say anything: what it says is bounded by
 * its size when it is read.  Without libelf, nothing can be opened.
 */
#ifndef SYMBOL_ELF_FILE_H
#define SYMBOL_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/base/error.h"
#include "util/host/running_kernel.h"

/* An image in memory, such as the vdso, is not larger. Bytes. */
#define ELF_IMAGE_MAX (64u << 20)

struct elf_segment {
	uint64_t offset, size; /* in the file */
	uint64_t address;
};

struct elf_file {
	struct Elf *elf;      /* libelf's */
	int fd;		      /* -1: an image in memory */
	void *image;	      /* owned; NULL: a file */
	const uint8_t *bytes; /* all of it; NULL: it cannot be had in one piece */
	size_t size;
	uint16_t machine, type; /* EM_*, ET_* */
	bool big_endian;
	struct elf_segment *segments; /* what is loaded, as the file lists it */
	size_t nr_segments;
	uint8_t build_id[BUILD_ID_MAX];
	size_t build_id_size; /* 0: it has none */
	dev_t device;
	ino_t inode; /* 0: an image */
	int64_t modified_s;
};

/* Errors: it cannot be opened, is not a regular file, or is not an ELF file. */
int elf_file_open(struct elf_file *f, const char *path, struct error *err);

/* Takes over the image (heap), also on failure. name: for messages. */
int elf_file_open_image(struct elf_file *f, void *image, size_t size, const char *name,
			struct error *err);
void elf_file_close(struct elf_file *f);

/* False: nothing from this offset is loaded. */
bool elf_file_address(const struct elf_file *f, uint64_t offset, uint64_t *ret_address);

/* What is loaded at these addresses, valid until the file is closed; NULL: not all of it is in the
 * file. */
const uint8_t *elf_file_bytes(const struct elf_file *f, uint64_t address, uint64_t size);

/* The content of a section, valid until the file is closed, and the address that it is loaded at;
 * NULL: it has none. */
const uint8_t *elf_file_section(const struct elf_file *f, const char *name, size_t *ret_size,
				uint64_t *ret_address);

/* The address of a symbol in .symtab; false: there is none of this name. */
bool elf_file_symbol(const struct elf_file *f, const char *name, uint64_t *ret_address);

/*
 * The name of the file with its debug information, if it says one, valid until it is closed, and
 * the CRC-32 of that file; NULL: it does not.
 */
const char *elf_file_debuglink(const struct elf_file *f, uint32_t *ret_crc);

/*
 * Does this section end as a table of strings must?  To find out whether a string of another one
 * ends, libelf goes over all of the table, for each string.
 */
bool elf_file_has_strings(const struct elf_file *f, size_t index);

/* Has it a section of this name that has content (a debug file has those of others without)? */
bool elf_file_has_section(const struct elf_file *f, const char *name);

#endif
