/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * enum area_use: what an area of vmalloc space is for, as the functions that allocated it show.
 */
#ifndef EVENT_AREA_USE_H
#define EVENT_AREA_USE_H

#define AREA_USES(USE)                                                                             \
	USE(OTHER, "other")                                                                        \
	USE(STACK, "kernel stack")                                                                 \
	USE(MODULE, "module")                                                                      \
	USE(BPF_JIT, "BPF JIT")                                                                    \
	USE(BPF, "BPF")                                                                            \
	USE(IOREMAP, "ioremap")                                                                    \
	USE(VMALLOC, "vmalloc")                                                                    \
	USE(VMAP, "vmap")                                                                          \
	USE(MAP_RAM, "vm_map_ram")                                                                 \
	USE(UNPURGED, "unpurged") /* freed; only /proc/vmallocinfo lists them */

#define AREA_USE_ENUM(id, name) AREA_##id,
enum area_use { AREA_USES(AREA_USE_ENUM) AREA_USE_NR };

static inline const char *area_use_name(enum area_use use)
{
#define AREA_USE_NAME(id, name) [AREA_##id] = (name),
	static const char *const names[AREA_USE_NR] = {AREA_USES(AREA_USE_NAME)};

	return names[use];
}

#endif
