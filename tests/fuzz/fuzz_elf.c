// SPDX-License-Identifier: GPL-2.0-or-later
/* A hostile ELF file with hostile DWARF: its symbols, packed ones too, the lines at some of their
 * addresses, and the table of how its functions are unwound. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/usersym/elf_functions.h"
#include "util/usersym/mini_debug.h"
#include "util/usersym/source_lines.h"
#include "util/usersym/unwind_tables.h"

#define LOOKUPS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_up(struct source_lines *lines, const struct elf_symbols *symbols)
{
	struct source_frame frames[SOURCE_FRAMES_MAX];
	size_t step = symbols->nr / LOOKUPS_MAX + 1, length = 0;

	source_lines_find(lines, 0, frames);
	source_lines_find(lines, UINT64_MAX, frames);
	for (size_t i = 0; i < symbols->nr; i += step) {
		const struct elf_symbol *sym = &symbols->v[i];
		size_t nr = source_lines_find(lines, sym->start + (i & 31), frames);

		for (size_t j = 0; j < nr; j++) {
			length += frames[j].function ? strlen(frames[j].function) : 0;
			length += frames[j].file ? strlen(frames[j].file) : 0;
		}
	}
	if (length == SIZE_MAX)
		abort(); /* never; but the strings must be read */
}

/* Is the table that was made of .eh_frame sorted, and what it leads to in the section? */
static void check_tables(const struct elf_file *file)
{
	struct unwind_tables tables;

	if (unwind_tables_init(&tables, file))
		return;
	for (uint64_t i = 0; tables.made && i < tables.nr; i++) {
		const struct eh_frame_entry *e = &tables.made[i];
		uint64_t at = tables.entries + i * sizeof(*e);

		if (e->fde < 0 || (size_t)e->fde >= file->size || (i && e->start < e[-1].start) ||
		    unwind_tables_bytes(&tables, at, sizeof(*e)) != (const uint8_t *)e ||
		    unwind_tables_bytes(&tables, at, sizeof(*e) * (tables.nr - i) + 1))
			abort();
	}
	unwind_tables_deinit(&tables);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source_lines *lines;
	struct elf_symbols symbols;
	struct elf_file file, mini;
	uint64_t address;
	bool has_mini;
	void *image = malloc(size + 1);

	if (!image)
		return 0;
	memcpy(image, data, size);
	if (elf_file_open_image(&file, image, size, "fuzz", NULL))
		return 0;
	elf_file_debuglink(&file);
	elf_file_address(&file, size / 2, &address);
	check_tables(&file);
	has_mini = !mini_debug_open(&mini, &file, "fuzz", NULL);
	if (!elf_functions_read(&symbols, &file, NULL, has_mini ? &mini : NULL, NULL)) {
		if (!source_lines_open(&file, "fuzz", &lines, NULL)) {
			look_up(lines, &symbols);
			source_lines_close(lines);
		}
		elf_symbols_deinit(&symbols);
	}
	if (has_mini)
		elf_file_close(&mini);
	elf_file_close(&file);
	return 0;
}
