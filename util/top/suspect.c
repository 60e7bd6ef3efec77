// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/top/suspect.h"

#include <stdio.h>

#include "util/leak/leak_column.h"

/* The bits of a rank, which is the highest byte of a suspect. */
#define JUDGED	     (1u << 7)
#define ACCUSED	     (1u << 6)
#define BEHAVIOUR_AT 2
#define LEVEL_MASK   3u
#define GROWTH_BITS  56

_Static_assert(LEAK_BEHAVIOURS <= 16, "a behaviour has four bits");

uint8_t suspect_rank(const struct leak_row *r)
{
	const bool accused = r->use == LEAK_KERNEL && leak_behaviour_is_leak(r->behaviour);
	const enum leak_level level = leak_level(r->evidence.confidence);

	return (uint8_t)(JUDGED | (accused ? ACCUSED : 0) |
			 (LEAK_BEHAVIOURS - 1u - r->behaviour) << BEHAVIOUR_AT |
			 (LEAK_LOW - level));
}

uint64_t suspect_value(uint8_t rank, int64_t growth)
{
	const uint64_t most = (1ull << GROWTH_BITS) - 1, bytes = growth > 0 ? (uint64_t)growth : 0;

	return (uint64_t)rank << GROWTH_BITS | (bytes < most ? bytes : most);
}

static enum leak_behaviour behaviour_of(uint8_t rank)
{
	return (enum leak_behaviour)(LEAK_BEHAVIOURS - 1u - (rank >> BEHAVIOUR_AT & 15u));
}

static enum leak_level level_of(uint8_t rank)
{
	return (enum leak_level)(LEAK_LOW - (rank & LEVEL_MASK));
}

const char *suspect_text(char buf[SUSPECT_TEXT], uint64_t suspect)
{
	const uint8_t rank = (uint8_t)(suspect >> GROWTH_BITS);
	bool unsure;

	if (!rank)
		return "";
	unsure = leak_behaviour_is_leak(behaviour_of(rank)) && level_of(rank) != LEAK_HIGH;
	snprintf(buf, SUSPECT_TEXT, "%s%s", leak_behaviour_name(behaviour_of(rank)),
		 unsure ? "?" : "");
	return buf;
}

enum value_role suspect_role(uint64_t suspect)
{
	const uint8_t rank = (uint8_t)(suspect >> GROWTH_BITS);

	return rank & ACCUSED && level_of(rank) == LEAK_HIGH
		       ? leak_behaviour_role(behaviour_of(rank))
		       : ROLE_PLAIN;
}
