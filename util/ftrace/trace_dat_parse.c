// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/ftrace/trace_dat_parse.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/ftrace/trace_dat_v6.h"
#include "util/ftrace/trace_dat_v7.h"

int trace_dat_parse(struct trace_dat *t, const uint8_t *data, uint64_t size, uint64_t held_max,
		    struct error *err)
{
	struct bytes b;
	const char *version;
	int ret;

	*t = (struct trace_dat){.data = data, .size = size, .held_max = held_max};
	if (!trace_dat_is(data, size))
		return error_set(err, EINVAL, "it is not a trace.dat");
	b = trace_dat_bytes(t, sizeof(TRACE_DAT_MAGIC) - 1);
	version = bytes_cstr(&b);
	t->formats.big_endian = bytes_u8(&b) != 0;
	t->formats.long_size = bytes_u8(&b);
	b.swap = t->swap = t->formats.big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	t->formats.page_size = bytes_u32(&b);
	if (b.failed || !version)
		return trace_dat_error_short(t, err);
	if (strcmp(version, "6") != 0 && strcmp(version, "7") != 0)
		return error_set(err, ENOTSUP,
				 "it has version '%.16s' of the format; 6 and 7 are known",
				 version);
	if (t->formats.long_size != 4 && t->formats.long_size != 8)
		return error_set(err, EINVAL, "it says that a long has %u bytes",
				 t->formats.long_size);
	if (!tracing_page_size_valid(t->formats.page_size))
		return error_set(err, EINVAL, "it says that a page has %" PRIu32 " bytes",
				 t->formats.page_size);
	t->version = (unsigned int)(version[0] - '0');
	ret = t->version == 6 ? trace_dat_parse_6(t, &b, err) : trace_dat_parse_7(t, &b, err);
	if (!ret && trace_dat_drop_overlaps(t))
		ret = error_nomem(err);
	return ret;
}
