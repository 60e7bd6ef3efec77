/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts that all users of libbpf share: its messages, errors of loading, and the kernel's types.
 *
 * libbpf's own messages go to the log, at -vv. Errors for the user are ours.
 */
#ifndef BPF_LIBBPF_H
#define BPF_LIBBPF_H

struct btf;
struct error;

/* Called before the first use of libbpf that can fail. libbpf has one such setting for the
 * process. */
void bpf_log_from_libbpf(void);

/* The error of loading an object's programs. ret: libbpf's. Returns it. */
int bpf_load_error(int ret, struct error *err);

/*
 * The running kernel's types, which take 10 ms to parse and 5 MB, so that all parts share them
 * until they are forgotten. NULL, and errno, if they cannot be read. Used by one thread.
 */
const struct btf *bpf_kernel_types(void);

/* Called when programs are loaded: the types are needed to choose them only. */
void bpf_kernel_types_forget(void);

#endif
