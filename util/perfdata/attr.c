// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/perfdata/attr.h"

#include <errno.h>

static uint64_t reverse_bits(uint64_t v)
{
	uint64_t r = 0;

	for (int i = 0; i < 64; i++)
		r |= (v >> i & 1) << (63 - i);
	return r;
}

int attr_parse(struct bytes *b, uint64_t stride, bool big_endian, struct event_attr *ret_attr,
	       struct error *err)
{
	struct bytes peek = *b, in;
	struct event_attr a = {0};
	uint64_t size;

	a.type = bytes_u32(&peek);
	a.size = bytes_u32(&peek);
	size = a.size ? a.size : ATTR_SIZE_VER0;
	if (peek.failed || size < ATTR_SIZE_VER0 || (stride && size > stride))
		return error_set(err, EINVAL, "event attribute of %u bytes does not fit", a.size);
	in = bytes_sub(b, stride ? stride : size);
	if (in.failed)
		return error_set(err, EINVAL, "event attribute of %u bytes runs over the end",
				 a.size);
	in.end = in.pos + size;

	bytes_take(&in, 8); /* type, size */
	a.config = bytes_u64(&in);
	a.sample_period = bytes_u64(&in);
	a.sample_type = bytes_u64(&in);
	a.read_format = bytes_u64(&in);
	a.flags = bytes_u64(&in);
	if (big_endian)
		a.flags = reverse_bits(a.flags);
	a.wakeup = bytes_u32(&in);
	bytes_take(&in, 4 + 8); /* bp_type, config1: the end of version 0 */
	if (bytes_left(&in) >= 8)
		bytes_take(&in, 8); /* config2 */
	if (bytes_left(&in) >= 8)
		a.branch_sample_type = bytes_u64(&in);
	if (bytes_left(&in) >= 8)
		a.sample_regs_user = bytes_u64(&in);
	if (bytes_left(&in) >= 16) {
		a.sample_stack_user = bytes_u32(&in);
		a.clockid = (int32_t)bytes_u32(&in);
		a.sample_regs_intr = bytes_u64(&in);
	}
	if (bytes_left(&in) >= 8) {
		bytes_take(&in, 4); /* aux_watermark */
		a.sample_max_stack = bytes_u16(&in);
	}
	*ret_attr = a;
	return 0;
}
