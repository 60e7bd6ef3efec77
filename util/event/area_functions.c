// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/event/area_functions.h"

#include <stdlib.h>

#include "util/base/pattern.h"

/* Longer than all known functions: longer names are cut, and can only match a beginning. */
#define FUNCTION_MAX 64

/* The first match counts. */
static const struct {
	const char *regex;
	bool skipped;
	enum area_use use;
} functions[] = {
	/* between alloc_vmap_area() and the caller */
	{"^_{0,3}(alloc_vmap_area|(get|alloc)_vm_area)(_|$)", true, AREA_OTHER},
	/* vmalloc_node_range_noprof, kvmalloc_node, vzalloc, kvrealloc ... */
	{"^_{0,3}k?v(m|z|c|re)alloc(_|$)", true, AREA_VMALLOC},
	{"^vmap(_pfn)?$", true, AREA_VMAP},
	{"^(vm_map_ram|vb_alloc|new_vmap_block)$", true, AREA_MAP_RAM},
	{"^dma_common_(pages|contiguous)_remap$", true, AREA_VMAP},
	{"^_{0,3}((generic|early|arch|acpi_os)_)?ioremap(_|$)", true, AREA_IOREMAP},
	{"^(devm_io(re)?map|devm_memremap|memremap|pci_ioremap|pcim?_iomap|of_iomap)(_|$)", true,
	 AREA_IOREMAP},
	/* memory for code, whoever writes it */
	{"^(execmem_|module_alloc$|module_memory_alloc$)", true, AREA_OTHER},
	{"^bpf_(jit_alloc_exec|jit_binary_(pack_)?alloc|prog_pack_alloc)$", true, AREA_BPF_JIT},
	{"^_{0,3}bpf_map_area_(mmapable_)?alloc$", true, AREA_BPF},
	/*
	 * Callers. /proc/vmallocinfo has the return address of the function that calls vmalloc():
	 * for kernel stacks, a caller of copy_process(), into which the compiler inlines the others
	 * (kernel/fork.c: alloc_thread_stack_node()).
	 */
	{"^(alloc_thread_stack_node|dup_task_struct|copy_process|kernel_clone|_do_fork|fork_idle|"
	 "create_io_thread|vhost_task_create|kernel_thread|user_mode_thread|"
	 "irq_init_percpu_irqstack)$",
	 false, AREA_STACK},
	{"^(load_module|layout_and_allocate|move_module)$", false, AREA_MODULE},
	{"^(bpf_int_jit_compile|arch_(alloc_bpf_trampoline|prepare_bpf_trampoline)|"
	 "bpf_(dispatcher|trampoline|image)_)",
	 false, AREA_BPF_JIT},
	{"^_{0,3}bpf_", false, AREA_BPF},
	/* map_alloc() of the kinds of BPF maps, behind bpf_map_area_alloc(): kernel/bpf, net/core
	 */
	{"^((array|htab|queue_stack|stack|ringbuf|bloom|dev|cpu|xsk|sock|arena)_map|sock_hash|"
	 "reuseport_array|trie)_alloc$|^prealloc_elems_and_freelist$",
	 false, AREA_BPF},
};

#define NR_FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

int area_functions_init(struct area_functions *f, struct error *err)
{
	int ret = 0;

	*f = (struct area_functions){.regexes = calloc(NR_FUNCTIONS, sizeof(*f->regexes))};
	if (!f->regexes)
		return error_nomem(err);
	while (!ret && f->nr < NR_FUNCTIONS) {
		ret = pattern_compile(&f->regexes[f->nr], functions[f->nr].regex, err);
		f->nr += !ret;
	}
	return ret;
}

void area_functions_deinit(struct area_functions *f)
{
	for (size_t i = 0; i < f->nr; i++)
		regfree(&f->regexes[i]);
	free(f->regexes);
	*f = (struct area_functions){.nr = 0};
}

enum area_use area_functions_find(const struct area_functions *f, const char *name, size_t len,
				  bool *ret_skipped)
{
	char bare[FUNCTION_MAX];
	size_t n = 0;

	while (n < len && n < sizeof(bare) - 1 && name[n] != '+' && name[n] != '.' &&
	       name[n] != ' ') {
		bare[n] = name[n];
		n++;
	}
	bare[n] = '\0';
	for (size_t i = 0; i < f->nr; i++) {
		if (regexec(&f->regexes[i], bare, 0, NULL, 0))
			continue;
		*ret_skipped = functions[i].skipped;
		return functions[i].use;
	}
	*ret_skipped = false;
	return AREA_OTHER;
}
