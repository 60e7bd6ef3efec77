// SPDX-License-Identifier: GPL-2.0-or-later
/* bpf_capture_probe(): whether BPF can be used here. */
#include "util/bpf/capture.h"

#include <errno.h>

#ifdef HAVE_LIBBPF

#include <bpf/bpf.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/bpf/libbpf.h"
#include "util/host/running_kernel.h"

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

/* The inode number of the first pid namespace is part of the kernel's interface. */
#define FIRST_PID_NAMESPACE 0xEFFFFFFCU

/* A program of two parts: one needs the rights, the other is what lockdown forbids. */
static int load_trial(bool reads_memory)
{
	const struct bpf_insn insns[] = {
		{BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_10, 0, 0},
		{BPF_ALU64 | BPF_ADD, BPF_REG_1, 0, 0, -8},
		{BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, 8},
		{BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_3, 0, 0, 0},
		{BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_probe_read_kernel},
		{BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0},
		{BPF_JMP | BPF_EXIT, 0, 0, 0, 0},
	};
	const size_t skipped = reads_memory ? 0 : 5;
	int fd = bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "perf_kmem_trial", "GPL",
			       insns + skipped, sizeof(insns) / sizeof(insns[0]) - skipped, NULL);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* facts.bpf.c has such programs. Other features that all programs need are older: cmpxchg (5.12),
 * the current task's type (5.11). */
static int load_system_call(void)
{
	const struct bpf_insn insns[] = {
		{BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0},
		{BPF_JMP | BPF_EXIT, 0, 0, 0, 0},
	};
	struct bpf_prog_load_opts opts = {.sz = sizeof(opts), .prog_flags = BPF_F_SLEEPABLE};
	_cleanup_close_ int fd = bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "perf_kmem_trial", "GPL",
					       insns, sizeof(insns) / sizeof(insns[0]), &opts);

	return fd < 0 ? fd : 0;
}

int bpf_capture_probe(struct error *err)
{
	struct stat st;
	int ret;

	bpf_log_from_libbpf();
	if (access(KERNEL_BTF, F_OK))
		return error_set(err, ENOENT,
				 "this kernel does not describe its types ('" KERNEL_BTF
				 "' is missing: it needs CONFIG_DEBUG_INFO_BTF)");
	if (access(KERNEL_BTF, R_OK))
		return error_set_errno(err, errno, "cannot read '" KERNEL_BTF "'");
	if (!stat("/proc/self/ns/pid", &st) && st.st_ino != FIRST_PID_NAMESPACE)
		return error_set(err, EPERM,
				 "BPF counts processes as outside of this pid namespace");
	ret = load_trial(false);
	if (ret == -EPERM || ret == -EACCES)
		return error_set(err, EPERM,
				 "no permission to use BPF (run it as root, or with CAP_BPF and "
				 "CAP_PERFMON)");
	if (ret == -ENOSYS)
		return error_set(err, ENOSYS, "this kernel has no BPF, or it is forbidden here");
	if (ret)
		return error_set_errno(err, -ret, "the kernel does not load BPF programs");
	if (load_system_call() == -EINVAL)
		return error_set(err, ENOTSUP,
				 "the BPF programs need Linux 5.14 or later "
				 "(BPF_PROG_TYPE_SYSCALL); 'perf kmem record --via perf' works "
				 "without BPF");
	ret = load_trial(true);
	if (ret && running_kernel_is_confidential(LOCKDOWN_PATH))
		return error_set(err, EPERM,
				 "the kernel is locked down: BPF programs may not read its memory");
	if (ret)
		return error_set_errno(
			err, -ret, "the kernel does not load BPF programs that read its memory");
	return 0;
}

#else

int bpf_capture_probe(struct error *err)
{
	return error_set(err, ENOTSUP, "BPF is not built in (it needs libbpf, clang and bpftool)");
}

#endif
