/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The callback that sends libbpf's own messages to the log, at -vv. Errors for the user are ours.
 */
#ifndef BPF_LIBBPF_LOG_H
#define BPF_LIBBPF_LOG_H

struct error;

/* Called before the first use of libbpf that can fail. libbpf has one such setting for the
 * process. */
void bpf_log_from_libbpf(void);

/* The error of loading an object's programs. ret: libbpf's. Returns it. */
int bpf_load_error(int ret, struct error *err);

#endif
