// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/perf/frame-names.h"

#include "util/base/log.h"
#include "util/usersym/unwind.h"

void frame_names_init(struct frame_names *n, const struct source_facts *facts,
		      const char *kallsyms_path, const struct dso_search *search)
{
	*n = (struct frame_names){.facts = facts, .search = search, .module = STRBUF_INIT};
	kernel_names_init(&n->kernel, facts, kallsyms_path);
	process_maps_init(&n->maps);
}

void frame_names_deinit(struct frame_names *n)
{
	kernel_names_deinit(&n->kernel);
	unwinder_free(n->unwinder);
	if (n->has_user)
		user_names_deinit(&n->user);
	process_maps_deinit(&n->maps);
	strbuf_deinit(&n->module);
}

int frame_names_kernel(struct frame_names *n, uint64_t address, struct frame_name *ret_name,
		       struct error *err)
{
	const struct symbol *sym;

	if (kernel_names_open(&n->kernel, err))
		return -err->code;
	sym = symbols_find(&n->kernel.symbols, address);
	*ret_name = (struct frame_name){
		.address = symbols_address(&n->kernel.symbols, address),
		.dso = symbols_dso(&n->kernel.symbols, n->facts, sym, address, &n->module)};
	if (sym) {
		ret_name->symbol = sym->name;
		ret_name->offset = address - sym->start;
	}
	return n->module.failed ? error_nomem(err) : 0;
}

static int open_user(struct frame_names *n, struct error *err)
{
	if (!n->has_user && user_names_init(&n->user, &n->maps, n->facts, n->search, err))
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
