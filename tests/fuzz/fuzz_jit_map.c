// SPDX-License-Identifier: GPL-2.0-or-later
/* A hostile /tmp/perf-PID.map, whose names are then demangled. */
#include <stdint.h>
#include <stdlib.h>

#include "util/usersym/demangle.h"
#include "util/usersym/jit_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf text = STRBUF_INIT, name = STRBUF_INIT;
	struct elf_symbols symbols;

	strbuf_add(&text, data, size);
	if (!jit_map_parse(&symbols, &text, NULL)) {
		for (size_t i = 0; i < symbols.nr; i++) {
			const struct elf_symbol *sym = &symbols.v[i];

			if (sym->start >= sym->end || (i && sym[-1].end > sym->start) ||
			    elf_symbols_find(&symbols, sym->start) != sym)
				abort();
			strbuf_reset(&name);
			demangle(&name, sym->name);
			if (name.len > DEMANGLED_MAX)
				abort();
		}
		elf_symbols_deinit(&symbols);
	}
	strbuf_deinit(&name);
	strbuf_deinit(&text);
	return 0;
}
