/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of a control group's path: the container, the pod and the systemd unit that it belongs to.
 *
 * Nothing is asked of a container engine, so this works for recordings of other machines, too. The
 * names that engines give to control groups are theirs to choose; these are known:
 *
 *   container   a component that ends with 64 hexadecimal digits, or with these and ".scope"
 *               (Docker, Podman, containerd, CRI-O); "lxc.payload.NAME" (LXC);
 *               "systemd-nspawn@NAME.service"
 *   pod         a component that ends with "pod" and a UID of Kubernetes, with or without ".slice"
 *               (kubelet with either cgroup driver); Podman's "libpod_pod_ID.slice"
 *   unit        a component with a suffix of systemd's units
 *
 * The innermost component counts, as a container may run others.
 */
#ifndef MACHINE_CGROUP_PARTS_H
#define MACHINE_CGROUP_PARTS_H

#include <stddef.h>

enum cgroup_part { CGROUP_PATH, CGROUP_CONTAINER, CGROUP_POD, CGROUP_UNIT, CGROUP_PARTS };

enum {
	CGROUP_ID_CHARS = 12, /* of a container's id, as 'docker ps' prints it */
	CGROUP_PART_MAX = 256,
};

/*
 * Write the name of the part to `name`, with a NUL. A UID of a pod gets hyphens, as 'kubectl'
 * prints it. Returns its length; 0 if the path has no such part. Not for CGROUP_PATH.
 */
size_t cgroup_part_name(const char *path, enum cgroup_part part, char name[CGROUP_PART_MAX]);

#endif
