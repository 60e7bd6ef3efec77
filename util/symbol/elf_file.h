/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct elf_file: an open ELF file of any class and byte order: its identity, and the addresses of
 * its parts.
 *
 * Addresses are link-time addresses; elf_file_address() turns a file offset, which recordings have,
 * into one. A hostile file costs at most time and memory proportional to its size. Without libelf,
 * nothing can be opened.
 */
#ifndef SYMBOL_ELF_FILE_H
#define SYMBOL_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/base/error.h"
#include "util/host/running_kernel.h"

/* Limit of an image in memory, such as the vdso. Bytes. */
#define ELF_IMAGE_MAX (64u << 20)

struct elf_segment {
	uint64_t offset, size; /* in the file */
	uint64_t address;
};

struct elf_file {
	struct Elf *elf;      /* libelf's */
	int fd;		      /* -1: an image in memory */
	void *image;	      /* owned; NULL for a file */
	const uint8_t *bytes; /* the whole file; NULL if it cannot be mapped in one piece */
	size_t size;
	uint16_t machine, type; /* EM_*, ET_* */
	bool big_endian;
	struct elf_segment *segments; /* loadable segments, in the file's order */
	size_t nr_segments;
	uint8_t build_id[BUILD_ID_MAX];
	size_t build_id_size; /* 0 if there is none */
	dev_t device;
	ino_t inode; /* 0 for an image */
	int64_t modified_s;
};

/* Errors: it cannot be opened, or is not a regular file or not an ELF file. */
int elf_file_open(struct elf_file *f, const char *path, struct error *err);

/* Open an image (on the heap), which is taken over, also on failure. name: for messages. */
int elf_file_open_image(struct elf_file *f, void *image, size_t size, const char *name,
			struct error *err);
void elf_file_close(struct elf_file *f);

/* Returns false if no segment contains this offset. */
bool elf_file_address(const struct elf_file *f, uint64_t offset, uint64_t *ret_address);

/* The contents of these addresses, valid until the file is closed. NULL unless all of it is in the
 * file. */
const uint8_t *elf_file_bytes(const struct elf_file *f, uint64_t address, uint64_t size);

/* The contents of a section, valid until the file is closed, and its address. NULL if there is no
 * such section. */
const uint8_t *elf_file_section(const struct elf_file *f, const char *name, size_t *ret_size,
				uint64_t *ret_address);

/* Whether a symbol of this type (STT_*) is a function in ARM's Thumb state: bit 0 of its value is
 * set, and is not part of its address. */
bool elf_file_is_thumb(const struct elf_file *f, unsigned int type, uint64_t value);

/* The address of a symbol in .symtab. Returns false if there is no such symbol. */
bool elf_file_symbol(const struct elf_file *f, const char *name, uint64_t *ret_address);

/* The name of the debug file from .gnu_debuglink, valid until the file is closed. NULL if there is
 * none. */
const char *elf_file_debuglink(const struct elf_file *f);

/*
 * Whether the section ends with a NUL, as a table of strings must. Otherwise libelf walks the whole
 * table for each string.
 */
bool elf_file_has_strings(const struct elf_file *f, size_t index);

/* Whether there is a section of this name with contents (a debug file has the other sections
 * without contents). */
bool elf_file_has_section(const struct elf_file *f, const char *name);

#endif
