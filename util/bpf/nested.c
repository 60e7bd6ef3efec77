// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/bpf/nested.h"

#ifdef HAVE_LIBBPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <unistd.h>

#include "util/base/cleanup.h"
#include "util/bpf/kmem.skel.h"

int bpf_nested_find(struct kmem_bpf *skel, struct bpf_program *const programs[BPF_KINDS],
		    struct error *err)
{
	_cleanup_close_ int fd = -1;
	struct bpf_link *link;
	char unused[64];
	ssize_t n;

	for (int kind = 0; kind < BPF_KINDS; kind++) {
		struct bpf_prog_info info = {0};
		uint32_t size = sizeof(info);
		int ret = programs[kind] ? bpf_obj_get_info_by_fd(bpf_program__fd(programs[kind]),
								  &info, &size)
					 : 0;

		if (ret)
			return error_set_errno(err, -ret, "cannot read the id of a BPF program");
		skel->bss->program_ids[kind] = info.id; /* 0 is nobody's */
	}
	link = bpf_program__attach_iter(skel->progs.find_active, NULL);
	if (!link)
		return error_set_errno(err, errno, "cannot attach to the list of BPF programs");
	fd = bpf_iter_create(bpf_link__fd(link));
	bpf_link__destroy(link);
	if (fd < 0)
		return error_set_errno(err, -fd, "cannot walk the list of BPF programs");
	/* reading is what calls the program, which prints nothing */
	do
		n = read(fd, unused, sizeof(unused));
	while (n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)));
	return n ? error_set_errno(err, errno, "cannot walk the list of BPF programs") : 0;
}

#endif
