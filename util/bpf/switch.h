/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flag by which programs that are attached are switched on and off, and how often the kernel
 * did not call one.
 */
#ifndef BPF_SWITCH_H
#define BPF_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

struct bpf_program;

void bpf_switch_on(bool *enabled);

/* After this no program is running that saw it switched on. */
void bpf_switch_off(bool *enabled);

/* How often it was skipped because it was running on that CPU already. 0 or -errno. */
int bpf_program_missed(const struct bpf_program *program, uint64_t *ret_missed);

#endif
