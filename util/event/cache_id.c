// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/event/cache_id.h"

uint32_t cache_id_of(const char *name, size_t len)
{
	const size_t tail = len < CACHE_ID_TAIL ? len : CACHE_ID_TAIL;
	char end[CACHE_ID_TAIL] = "";

	if (len)
		memcpy(end + CACHE_ID_TAIL - tail, name + len - tail, tail);
	return cache_id_ending(end + CACHE_ID_TAIL, len);
}
