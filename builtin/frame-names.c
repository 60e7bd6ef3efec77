// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/frame-names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/symbol/unwind.h"
#include "util/tracepoint/tracing_data.h"

void frame_names_init(struct frame_names *n, const struct source_facts *facts,
		      const char *kallsyms_path)
{
	*n = (struct frame_names){
		.facts = facts, .kallsyms_path = kallsyms_path, .module = STRBUF_INIT};
	process_maps_init(&n->maps);
}

void frame_names_deinit(struct frame_names *n)
{
	if (n->has_kernel)
		symbols_deinit(&n->kernel);
	unwinder_free(n->unwinder);
	if (n->has_user)
		user_names_deinit(&n->user);
	process_maps_deinit(&n->maps);
	strbuf_deinit(&n->module);
	free(n->kallsyms);
}

int frame_names_take_formats(struct frame_names *n, const struct tracing_data *formats,
			     struct error *err)
{
	if (!formats->kallsyms.len || n->kallsyms)
		return 0;
	n->kallsyms = strndup(formats->kallsyms.text, formats->kallsyms.len);
	if (!n->kallsyms)
		return error_nomem(err);
	n->kallsyms_len = strlen(n->kallsyms);
	return 0;
}

static int open_kernel(struct frame_names *n, struct error *err)
{
	int ret = symbols_init(&n->kernel, n->facts, steal_ptr(&n->kallsyms), n->kallsyms_len,
			       n->kallsyms_path, err);

	if (ret)
		return ret;
	n->has_kernel = true;
	if (n->kernel.note[0])
		log_warn("%s", n->kernel.note);
	if (!symbols_any(&n->kernel))
		log_warn("kernel functions are addresses: %s", n->kernel.why_not);
	return 0;
}

int frame_names_kernel(struct frame_names *n, uint64_t address, struct frame_name *ret_name,
		       struct error *err)
{
	const struct symbol *sym;

	if (!n->has_kernel && open_kernel(n, err))
		return -err->code;
	sym = symbols_find(&n->kernel, address);
	*ret_name = (struct frame_name){.address = address};
	if (sym || !n->facts->kernel_end ||
	    (address >= n->facts->kernel_start && address < n->facts->kernel_end))
		ret_name->dso = "[kernel.kallsyms]";
	if (!sym)
		return 0;
	ret_name->symbol = sym->name;
	ret_name->offset = address - sym->start;
	if (!sym->module)
		return 0;
	strbuf_reset(&n->module);
	strbuf_addf(&n->module, "[%s]", sym->module);
	ret_name->dso = n->module.buf;
	return n->module.failed ? error_nomem(err) : 0;
}

static int open_user(struct frame_names *n, struct error *err)
{
	if (!n->has_user && user_names_init(&n->user, &n->maps, n->facts, NULL, err))
		return -err->code;
	n->has_user = true;
	return 0;
}

int frame_names_map(struct frame_names *n, const struct source_map *map)
{
	if (n->unwinder)
		unwinder_forget(n->unwinder, map->pid);
	return process_maps_map(&n->maps, map);
}

int frame_names_process(struct frame_names *n, enum source_process_change change, uint32_t pid,
			uint32_t parent_pid)
{
	if (n->unwinder)
		unwinder_forget(n->unwinder, pid);
	return process_maps_change(&n->maps, change, pid, parent_pid);
}

static int open_unwinder(struct frame_names *n, struct error *err)
{
	const char *why_not = unwinder_why_not(n->facts->arch);

	if (n->unwinder || n->cannot_unwind)
		return 0;
	n->cannot_unwind = why_not != NULL;
	if (why_not) {
		log_warn("user stacks are not unwound: %s", why_not);
		return 0;
	}
	if (open_user(n, err))
		return -err->code;
	return unwinder_new(&n->unwinder, &n->maps, &n->user, err);
}

int frame_names_unwind(struct frame_names *n, const struct sample *sample,
		       uint64_t frames[FRAME_NAMES_MAX], size_t *ret_nr, struct error *err)
{
	size_t nr = 0;

	if (sample->user.regs && open_unwinder(n, err))
		return -err->code;
	if (sample->user.regs && n->unwinder)
		nr = unwinder_frames(n->unwinder, sample->pid, &sample->user, sample->swap, frames,
				     FRAME_NAMES_MAX);
	for (size_t i = 1; i < nr; i++)
		frames[i]--;
	*ret_nr = nr;
	return 0;
}

int frame_names_user(struct frame_names *n, uint32_t pid, uint64_t address,
		     struct frame_name *ret_name, struct error *err)
{
	struct mapped_address at;
	struct user_name name;

	*ret_name = (struct frame_name){.address = address};
	if (!process_maps_find(&n->maps, pid, address, &at))
		return 0;
	if (open_user(n, err))
		return -err->code;
	if (user_names_find(&n->user, at, &name))
		return error_nomem(err);
	*ret_name = (struct frame_name){name.symbol, name.offset, at.offset, name.dso};
	return 0;
}
