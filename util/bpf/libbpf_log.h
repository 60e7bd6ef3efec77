/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where libbpf's own messages go: the log, at -vv.  Errors that matter to the user are ours.
 */
#ifndef BPF_LIBBPF_LOG_H
#define BPF_LIBBPF_LOG_H

/* Before the first use of libbpf that can fail. libbpf has one such setting for the process. */
void bpf_log_from_libbpf(void);

#endif
