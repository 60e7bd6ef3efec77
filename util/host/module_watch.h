/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * struct module_watch: modules that are loaded and unloaded from now on, with the names of their
 * functions.
 *
 * Times come from the tracepoints module:module_load and module:module_free, in a small ring buffer
 * for each CPU. Names come from kallsyms. Names of loaded modules are read at the start, others
 * when their load is drained. Drain soon: a module may be unloaded before its names are read. The
 * kernel forgets __init functions after the initialisation. If their names are read too late, they
 * get the name of their section (/sys/module/NAME/sections).
 *
 * Facts: kernel/module/main.c: module_load fires between the parsing of the module's parameters and
 * its initialisation, module_free after its exit function.
 */
#ifndef HOST_MODULE_WATCH_H
#define HOST_MODULE_WATCH_H

#include <poll.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/base/error.h"
#include "util/base/strbuf.h"
#include "util/host/cpulist.h"
#include "util/host/ring_buffer.h"
#include "util/host/tracefs.h"

#define MODULE_WATCH_LOCAL_CLOCK (-1)

/* Zeroed memory is a watch that is not open. */
struct module_watch {
	struct watched_cpu {
		int fds[2]; /* load, free */
		struct ring_buffer rb;
	} * cpus;
	size_t nr_cpus;
	uint64_t ids[2];	  /* ids of the tracepoints */
	uint32_t name_offsets[2]; /* offset of the field in their samples */
	struct strbuf kallsyms;	  /* functions of modules at the start */
	size_t kernel_bytes;	  /* size of kallsyms up to the kernel's last line; 0: unknown */
	int modules_fd;		  /* kallsyms, read up to that line; -1: not open */
	bool warned_lost;
};

/*
 * Begin to watch. clockid: clock of the times; MODULE_WATCH_LOCAL_CLOCK: the default clock of
 * samples. After an error, the watch is not open; every function accepts such a watch.
 */
int module_watch_open(struct module_watch *w, const struct tracefs *t, int32_t clockid,
		      struct error *err);
void module_watch_close(struct module_watch *w);

/* Read the names of the loaded modules; takes some 50 ms. Returns 0 or -ENOMEM. */
int module_watch_read_names(struct module_watch *w);

/*
 * Append the loads and unloads since the last call, in time order, as lines of facts.modules
 * (util/source/facts.h). Returns 0 or -ENOMEM.
 */
int module_watch_drain(struct module_watch *w, struct strbuf *lines);

/* Fill in nr_cpus descriptors, which are readable when there is something to drain. */
void module_watch_fds(const struct module_watch *w, struct pollfd *fds);

#endif
