// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bpf/switch.h"

#ifdef HAVE_LIBBPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void bpf_switch_on(bool *enabled)
{
	__atomic_store_n(enabled, true, __ATOMIC_SEQ_CST);
}

void bpf_switch_off(bool *enabled)
{
	const struct timespec pause = {.tv_nsec = 50000000};

	__atomic_store_n(enabled, false, __ATOMIC_SEQ_CST);
	/* programs run in RCU read-side sections, for which this waits; nohz_full does not have it
	 */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		nanosleep(&pause, NULL);
}

int bpf_program_missed(const struct bpf_program *program, uint64_t *ret_missed)
{
	struct bpf_prog_info info = {0};
	uint32_t size = sizeof(info);
	int ret = bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size);

	if (!ret)
		*ret_missed = info.recursion_misses;
	return ret;
}

#endif
