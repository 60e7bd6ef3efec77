# SPDX-License-Identifier: GPL-2.0-or-later
"""Areas of vmalloc space: whose they are, and what for, by the names in the callchain (Documentation/figures.md)."""
import re

OTHER, VMALLOC, VMAP = 'other', 'vmalloc', 'vmap'
VAGUE = OTHER, VMALLOC, VMAP  # how an area was made, and not what for

# Functions between a caller and alloc_vmap_area, with the purpose that they show.
PLUMBING = [(re.compile(pattern), purpose) for pattern, purpose in (
    (r'_{0,3}(alloc_vmap_area|get_vm_area|alloc_vm_area)(_|$)|execmem_|module(_memory)?_alloc$', OTHER),
    (r'_{0,3}k?v(m|z|c|re)alloc(_|$)', VMALLOC),
    (r'vmap(_pfn)?$|dma_common_(pages|contiguous)_remap$', VMAP),
    (r'(vm_map_ram|vb_alloc|new_vmap_block)$', 'vm_map_ram'),
    (r'_{0,3}((generic|early|arch|acpi_os)_)?ioremap(_|$)', 'ioremap'),
    (r'(devm_iomap|devm_ioremap|devm_memremap|memremap|pci_ioremap|pcim?_iomap|of_iomap)(_|$)', 'ioremap'),
    (r'bpf_(jit_alloc_exec|jit_binary(_pack)?_alloc|prog_pack_alloc)$', 'BPF JIT'),
    (r'_{0,3}bpf_map_area_(mmapable_)?alloc$', 'BPF'))]
# Callers that show a purpose.
CALLERS = [(re.compile(pattern), purpose) for pattern, purpose in (
    (r'(alloc_thread_stack_node|dup_task_struct|copy_process|irq_init_percpu_irqstack|kernel_clone|_do_fork|fork_idle|'
     r'create_io_thread|vhost_task_create|kernel_thread|user_mode_thread)$', 'kernel stack'),
    (r'(load_module|layout_and_allocate|move_module)$', 'module'),
    (r'bpf_int_jit_compile|arch_(alloc|prepare)_bpf_trampoline|bpf_(dispatcher|trampoline|image)_', 'BPF JIT'),
    (r'_{0,3}bpf_', 'BPF'),
    (r'((array|htab|queue_stack|stack|ringbuf|bloom|dev|cpu|xsk|sock|arena)_map|sock_hash|reuseport_array|trie)_alloc$', 'BPF'),
    (r'prealloc_elems_and_freelist$', 'BPF'))]


def found(table, name):
    return next((purpose for pattern, purpose in table if pattern.match(name)), None)


def caller(symbols, frames):
    """(call site or 0, purpose): the innermost purpose counts, but any is better than a vague one."""
    purpose = OTHER
    for ip in frames:
        symbol = symbols.find(ip)
        name = symbol.name.split('.')[0] if symbol else ''
        skipped = found(PLUMBING, name)
        if purpose in VAGUE:
            more = skipped or found(CALLERS, name)
            purpose = more if more and more != OTHER else purpose
        if not skipped and not symbols.is_plumbing(ip):
            return ip, purpose
    return 0, purpose


def listed(lines):
    """(function or None, offset, module or 'kernel', purpose, bytes, live) of each area of /proc/vmallocinfo."""
    shown = {'ioremap': 'ioremap', 'vmap': VMAP, 'dma-coherent': VMAP, 'vmalloc': VMALLOC}
    for line in lines:
        _, size, *words = line.split()
        if words and words[0] in ('unpurged', 'vm_map_ram'):
            yield None, 0, 'unknown', words[0], int(size), words[0] != 'unpurged'
            continue
        name, offset = re.fullmatch(r'(\S+)\+0x([0-9a-f]+)/0x[0-9a-f]+', words[0]).groups()
        module = words[1][1:-1] if words[1:] and words[1][0] == '[' else 'kernel'
        purpose = next((shown[word] for word in words if word in shown), OTHER)
        bare = name.split('.')[0]
        if purpose in VAGUE:
            more = found(PLUMBING, bare) or found(CALLERS, bare)
            purpose = more if more and more != OTHER else purpose
        yield name, int(offset, 16), module, purpose, int(size), True
