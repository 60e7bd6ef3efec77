// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any text as a configuration file: parsed, and edited as `perf config` would.
 *
 * Parsable text must still parse after an edit, with every other entry unchanged.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/base/strbuf.h"
#include "util/cli/config.h"
#include "util/cli/config_edit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each entry of `a` with a different key is in `b`, in the same order. */
static void check_others(const struct config *a, const struct config *b, const char *key)
{
	size_t at = 0;

	for (size_t i = 0; i < a->nr; i++) {
		const struct config_entry *entry = &a->entries[i];

		if (!strcmp(entry->key, key))
			continue;
		while (at < b->nr && !strcmp(b->entries[at].key, key))
			at++;
		if (at == b->nr || strcmp(entry->key, b->entries[at].key) ||
		    strcmp(entry->value, b->entries[at].value))
			abort();
		at++;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(config_deinit) struct config cfg = CONFIG_INIT;
	_cleanup_(config_deinit) struct config edited = CONFIG_INIT;
	_cleanup_(strbuf_deinit) struct strbuf out = STRBUF_INIT;
	const char *key = "kmem.default", *text = (const char *)data;
	struct error err = ERROR_INIT;
	uint64_t number;

	if (config_parse(&cfg, "FILE", text, size, &err)) {
		if (!err.msg[0])
			abort();
		return 0;
	}
	for (size_t i = 0; i < cfg.nr; i++) {
		const struct config_entry *entry = &cfg.entries[i];

		if (entry->offset >= entry->value_end || entry->value_end > entry->end ||
		    entry->end > size || !config_get(&cfg, entry->key))
			abort();
		config_entry_u64(entry, 1, 1000, &number, &err);
	}
	/* once with the last key of the file, whatever it is, once with a fixed one */
	for (int round = 0; round < 2; round++) {
		char *canonical = NULL;

		if (round && cfg.nr)
			key = cfg.entries[cfg.nr - 1].key;
		if (config_key_canonical(key, &canonical, &err))
			continue;
		strbuf_reset(&out);
		config_deinit(&edited);
		if (config_edit("FILE", text, size, canonical, " # \\ \"x\n", &out, &err))
			abort();
		if (config_parse(&edited, "FILE", out.buf, out.len, &err))
			abort();
		check_others(&cfg, &edited, canonical);
		free(canonical);
	}
	return 0;
}
