// SPDX-License-Identifier: GPL-2.0-or-later
/* A hostile page_owner_stacks. */
#include "tests/fuzz/consume_rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	consume_rows("page_owner_stacks", data, size);
	return 0;
}
