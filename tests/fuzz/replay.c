// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main() for a fuzz target without libFuzzer: passes it each file named on the command line, byte
 * for byte, with nothing after its last byte, so that ASan notices a read beyond it.
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
	struct strbuf file = STRBUF_INIT;

	for (int i = 1; i < argc; i++) {
		uint8_t *exact;
		int ret;

		strbuf_reset(&file);
		ret = strbuf_read_file(&file, argv[i]);
		if (ret) {
			fprintf(stderr, "%s: %s\n", argv[i], strerror(-ret));
			return EXIT_FAILURE;
		}
		exact = malloc(file.len);
		if (!exact && file.len)
			return EXIT_FAILURE;
		if (file.len)
			memcpy(exact, file.buf, file.len);
		fprintf(stderr, "%s (%zu bytes)\n", argv[i], file.len);
		LLVMFuzzerTestOneInput(exact, file.len);
		free(exact);
	}
	strbuf_deinit(&file);
	return EXIT_SUCCESS;
}
