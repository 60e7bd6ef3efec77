// SPDX-License-Identifier: GPL-2.0-or-later
/* A hostile slabinfo. */
#include "tests/fuzz/consume_rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	consume_rows("slabinfo", data, size);
	return 0;
}
