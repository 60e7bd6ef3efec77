// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/host/machine_id.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/base/strbuf.h"
#include "util/host/sha256.h"

#define ID_SIZE 16

/* Hexadecimal digits, with or without the hyphens of a UUID, and a line end. */
static bool parse_id(const char *text, uint8_t ret[ID_SIZE])
{
	for (unsigned int i = 0; i < ID_SIZE; i++) {
		unsigned int byte;

		text += *text == '-';
		if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]) ||
		    sscanf(text, "%2x", &byte) != 1)
			return false;
		ret[i] = (uint8_t)byte;
		text += 2;
	}
	return !*text || *text == '\n';
}

static bool read_id(const char *path, uint8_t ret[ID_SIZE])
{
	_cleanup_(strbuf_deinit) struct strbuf text = STRBUF_INIT;

	return !strbuf_read_file(&text, path) && parse_id(text.buf, ret);
}

static void format_id(char ret[33], const uint8_t id[ID_SIZE])
{
	for (unsigned int i = 0; i < ID_SIZE; i++)
		snprintf(ret + 2 * (size_t)i, 3, "%02x", id[i]);
}

/* As systemd derives it: a UUID of version 4 in the bytes of an HMAC. */
static void derive(uint8_t id[ID_SIZE])
{
	uint8_t application[ID_SIZE], hash[SHA256_SIZE];

	parse_id(MACHINE_ID_APPLICATION, application);
	sha256_hmac(id, ID_SIZE, application, sizeof(application), hash);
	memcpy(id, hash, ID_SIZE);
	id[6] = (id[6] & 0x0f) | 0x40;
	id[8] = (id[8] & 0x3f) | 0x80;
}

void machine_id_read(struct machine_id *ret, const char *machine, const char *boot)
{
	uint8_t id[ID_SIZE];

	*ret = (struct machine_id){.machine = ""};
	if (read_id(machine, id)) {
		derive(id);
		format_id(ret->machine, id);
	}
	if (read_id(boot, id))
		format_id(ret->boot, id);
}
