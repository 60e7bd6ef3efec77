// SPDX-License-Identifier: GPL-2.0-or-later
/* A hostile vmallocinfo. */
#include "tests/fuzz/consume_rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	consume_rows("vmallocinfo", data, size);
	return 0;
}
