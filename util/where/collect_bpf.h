/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF maps and programs of this machine, whose memory is that of slab, vmalloc and per-CPU
 * allocations.
 */
#ifndef WHERE_COLLECT_BPF_H
#define WHERE_COLLECT_BPF_H

#include <stdint.h>

#include "util/base/strbuf.h"
#include "util/base/table.h"

/*
 * Append a line for each map and program, until deadline_ns; none without the permission to list
 * them (CAP_SYS_ADMIN). owners: a table of struct bpf_owner.
 */
void collect_bpf(uint64_t deadline_ns, const struct table *owners, struct strbuf *sb);

#endif
