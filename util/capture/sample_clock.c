// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/capture/sample_clock.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/host/ring_buffer.h"

static int open_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.comm = 1,
		.exclude_kernel = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void tell_name(void)
{
	char name[16];

	prctl(PR_GET_NAME, name);
	prctl(PR_SET_NAME, name);
}

/* The time is the last field, after a name of variable length. */
static int take_time(struct ring_buffer *rb, uint64_t *ret_ns)
{
	struct perf_event_header header;
	struct iovec pieces[2];
	uint64_t len;
	int nr;

	len = ring_buffer_take(rb, pieces, &nr);
	if (len < sizeof(header) || nr != 1)
		return -ENODATA;
	memcpy(&header, pieces[0].iov_base, sizeof(header));
	if (header.type != PERF_RECORD_COMM || header.size > len ||
	    header.size < sizeof(header) + sizeof(*ret_ns))
		return -ENODATA;
	memcpy(ret_ns, (const char *)pieces[0].iov_base + header.size - sizeof(*ret_ns),
	       sizeof(*ret_ns));
	return 0;
}

int sample_clock_read(uint64_t *ret_ns)
{
	_cleanup_close_ int fd = open_event();
	struct ring_buffer rb;
	int ret;

	if (fd < 0)
		return fd;
	ret = ring_buffer_init(&rb, fd, (uint64_t)sysconf(_SC_PAGESIZE), false);
	if (ret)
		return ret;
	tell_name();
	ret = take_time(&rb, ret_ns);
	ring_buffer_deinit(&rb);
	return ret;
}
