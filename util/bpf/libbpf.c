// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bpf/libbpf.h"

#ifdef HAVE_LIBBPF

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/base/error.h"
#include "util/base/log.h"

/* A message may have many lines: the verifier's output is one message. */
static int __attribute__((format(printf, 2, 0)))
to_log(enum libbpf_print_level level, const char *fmt, va_list args)
{
	char text[16384];
	char *rest = text, *line;

	if (level == LIBBPF_DEBUG || log_level() < LOG_DEBUG)
		return 0;
	vsnprintf(text, sizeof(text), fmt, args);
	while ((line = strsep(&rest, "\n")))
		if (*line)
			log_debug("%s", line);
	return 0;
}

int bpf_load_error(int ret, struct error *err)
{
	const int kernel_enotsupp = 524; /* not in errno.h */

	if (ret == -kernel_enotsupp)
		return error_set(err, ENOTSUP,
				 "the BPF programs need the kernel's JIT compiler (sysctl "
				 "net.core.bpf_jit_enable=1)");
	return error_set_errno(err, -ret, "cannot load the BPF programs (-vv says more)");
}

void bpf_log_from_libbpf(void)
{
	libbpf_set_print(to_log);
}

static struct btf *kernel_types;

const struct btf *bpf_kernel_types(void)
{
	bpf_log_from_libbpf();
	if (!kernel_types)
		kernel_types = btf__load_vmlinux_btf();
	return kernel_types;
}

void bpf_kernel_types_forget(void)
{
	btf__free(kernel_types);
	kernel_types = NULL;
}

#endif
