// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/output/synthesize.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "util/base/cleanup.h"
#include "util/base/log.h"
#include "util/base/table.h"
#include "util/host/cgroup_tree.h"
#include "util/host/running_kernel.h"
#include "util/host/tasks.h"
#include "util/perfdata/format.h"
#include "util/symbol/elf_file.h"

/* header, fixed part, string padded to 8, sample_id */
static int add_record(struct strbuf *out, uint32_t type, uint16_t misc, const void *fixed,
		      size_t fixed_len, const char *s, const struct sample_id *id)
{
	static const char zeros[8];
	size_t all = s ? strlen(s) : 0, len = all < PATH_MAX ? all : PATH_MAX - 1;
	size_t padded = s ? (len + 8) / 8 * 8 : 0;
	struct perf_event_header h = {
		.type = type,
		.misc = misc,
		.size = (uint16_t)(sizeof(h) + fixed_len + padded + sizeof(*id)),
	};

	strbuf_add(out, &h, sizeof(h));
	strbuf_add(out, fixed, fixed_len);
	if (s) {
		strbuf_add(out, s, len);
		strbuf_add(out, zeros, padded - len);
	}
	strbuf_add(out, id, sizeof(*id));
	return out->failed ? -ENOMEM : 0;
}

/* PERF_RECORD_MMAP2 */
struct mmap2 {
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	union {
		struct {
			uint32_t maj, min;
			uint64_t ino, ino_generation;
		};
		struct {
			uint8_t build_id_size, reserved[3];
			uint8_t build_id[20];
		};
	};
	uint32_t prot, flags;
};
_Static_assert(sizeof(struct mmap2) == 64, "as the kernel has it");

/* Size 0: the build-id is unknown, and the record is not changed. */
static void set_build_id(struct mmap2 *m, const uint8_t *id, size_t size, uint16_t *misc)
{
	if (!size)
		return;
	memset(m->reserved, 0, sizeof(m->reserved));
	m->build_id_size = (uint8_t)size;
	memcpy(m->build_id, id, size);
	*misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
}

/* ---- the kernel and its modules ---- */

/* The build-id has id_size bytes; 0 if unknown. */
static int add_kernel_mmap(struct strbuf *out, uint64_t start, uint64_t len, uint64_t pgoff,
			   const char *name, const uint8_t *id, size_t id_size)
{
	struct mmap2 m = {
		.pid = (uint32_t)-1,
		.addr = start,
		.len = len,
		.pgoff = pgoff,
		.prot = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE,
	};
	const struct sample_id none = {0};
	uint16_t misc = PERF_RECORD_MISC_KERNEL;

	set_build_id(&m, id, id_size, &misc);
	return add_record(out, PERF_RECORD_MMAP2, misc, &m, sizeof(m), name, &none);
}

static int add_module(void *out, const struct running_module *m)
{
	char bracketed[132];

	snprintf(bracketed, sizeof(bracketed), "[%s]", m->name);
	return add_kernel_mmap(out, m->start, m->end - m->start, 0, bracketed, m->build_id,
			       m->build_id_size);
}

int synthesize_kernel(struct strbuf *out, const struct kernel_symbols *ks)
{
	uint8_t id[BUILD_ID_MAX];

	if (!ks->start)
		return 0;
	/* pgoff is the address of the symbol named after "]": readers undo KASLR with it. */
	if (add_kernel_mmap(out, ks->start, (ks->end ? ks->end : UINT64_MAX) - ks->start, ks->start,
			    "[kernel.kallsyms]_text", id, running_kernel_build_id(id)))
		return -ENOMEM;
	return running_modules_for_each(MODULES_PATH, add_module, out);
}

/* ---- tasks ---- */

int synthesize_comm(struct strbuf *out, uint32_t pid, uint32_t tid, const char *comm,
		    const struct sample_id *id)
{
	struct {
		uint32_t pid, tid;
	} fixed = {pid, tid};

	return add_record(out, PERF_RECORD_COMM, 0, &fixed, sizeof(fixed), comm, id);
}

/* PERF_RECORD_FORK and _EXIT */
struct task_record {
	uint32_t pid, ppid;
	uint32_t tid, ptid;
	uint64_t time;
};

int synthesize_fork(struct strbuf *out, uint32_t pid, uint32_t tid, const struct sample_id *id)
{
	const struct task_record fixed = {pid, id->pid, tid, id->tid, id->time};

	return add_record(out, PERF_RECORD_FORK, 0, &fixed, sizeof(fixed), NULL, id);
}

int synthesize_exit(struct strbuf *out, const struct sample_id *id)
{
	const struct task_record fixed = {id->pid, id->pid, id->tid, id->tid, id->time};

	return add_record(out, PERF_RECORD_EXIT, 0, &fixed, sizeof(fixed), NULL, id);
}

/* ---- mappings of processes ------------------------------------------------------------------- */

/* A file, and its build-id. */
struct identity_row {
	uint64_t device, inode; /* the key */
	uint64_t size; /* size of the build-id; 0 if there is none, or it could not be read */
	uint8_t build_id[BUILD_ID_MAX];
};

struct processes {
	struct strbuf *out;
	enum synthesize_maps maps;
	struct table identities;
};

/* Open the file as the process has it, even if it was deleted; otherwise the file of that name. */
static int open_mapped(struct elf_file *f, const struct mmap2 *m, const char *path)
{
	_cleanup_free_ char *name = NULL;

	if (asprintf(&name, "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, m->pid, m->addr,
		     m->addr + m->len) < 0) {
		name = NULL;
		return -ENOMEM;
	}
	if (!elf_file_open(f, name, NULL))
		return 0;
	free(name);
	if (asprintf(&name, "/proc/%u/root%s", m->pid, path) < 0) {
		name = NULL;
		return -ENOMEM;
	}
	if (elf_file_open(f, name, NULL))
		return -ENOENT;
	if (f->inode == m->ino)
		return 0;
	elf_file_close(f);
	return -ENOENT;
}

/* Replace the inode by the build-id, if the file has one. */
static int identify(struct processes *p, struct mmap2 *m, const char *path, uint16_t *misc)
{
	const uint64_t key[2] = {(uint64_t)m->maj << 32 | m->min, m->ino};
	uint32_t before = p->identities.nr;
	struct identity_row *row = table_insert(&p->identities, key);
	struct elf_file f;

	if (!row)
		return -ENOMEM;
	if (p->identities.nr > before && !open_mapped(&f, m, path)) {
		memcpy(row->build_id, f.build_id, sizeof(row->build_id));
		row->size = f.build_id_size;
		elf_file_close(&f);
	}
	set_build_id(m, row->build_id, row->size, misc);
	return 0;
}

/* A task_map_fn: code and, if requested, other mapped files. */
static int add_mmap(void *ctx, uint32_t pid, const struct task_map *map)
{
	struct processes *p = ctx;
	struct mmap2 m = {
		.pid = pid,
		.tid = pid,
		.addr = map->start,
		.len = map->end - map->start,
		.pgoff = map->file_offset,
		.maj = map->major,
		.min = map->minor,
		.ino = map->inode,
		.flags = map->perms[3] == 's' ? MAP_SHARED : MAP_PRIVATE,
	};
	const struct sample_id id = {.pid = pid, .tid = pid};
	const char *path = *map->path ? map->path : "//anon";
	bool code = map->perms[2] == 'x';
	uint16_t misc = PERF_RECORD_MISC_USER;

	if (!code && (p->maps != SYNTHESIZE_DATA_MAPS || map->perms[0] != 'r' || !m.ino))
		return 0;
	m.prot = code ? PROT_READ | PROT_EXEC : PROT_READ;
	if (!code)
		misc |= PERF_RECORD_MISC_MMAP_DATA;
	if (m.ino && path[0] == '/' && identify(p, &m, path, &misc))
		return -ENOMEM;
	return add_record(p->out, PERF_RECORD_MMAP2, misc, &m, sizeof(m), path, &id);
}

/* A task_fn. */
static int add_thread(void *ctx, uint32_t pid, uint32_t tid, const char *comm)
{
	const struct sample_id id = {.pid = pid, .tid = tid};

	return synthesize_comm(ctx, pid, tid, comm, &id);
}

/* A process_fn. */
static int add_process(void *ctx, uint32_t pid)
{
	struct processes *p = ctx;
	int ret = threads_for_each(pid, add_thread, p->out);

	return !ret && p->maps ? task_maps_for_each(pid, add_mmap, p) : ret;
}

int synthesize_tasks(struct strbuf *out, const pid_t *pids, size_t nr_pids,
		     enum synthesize_maps maps)
{
	struct processes p = {.out = out, .maps = maps};
	int ret = 0;

	table_init(&p.identities, sizeof(struct identity_row), 2 * sizeof(uint64_t));
	for (size_t i = 0; i < nr_pids && !ret; i++)
		ret = add_process(&p, (uint32_t)pids[i]);
	if (!nr_pids)
		ret = processes_for_each(add_process, &p);
	table_deinit(&p.identities);
	return ret;
}

int synthesize_cgroup(struct strbuf *out, uint64_t cgroup, const char *path,
		      const struct sample_id *id)
{
	return add_record(out, PERF_RECORD_CGROUP, 0, &cgroup, sizeof(cgroup), path, id);
}

static int add_cgroup(void *ctx, uint64_t id, const char *path)
{
	const struct sample_id none = {0};

	return synthesize_cgroup(ctx, id, path, &none);
}

int synthesize_cgroups(struct strbuf *out)
{
	struct error why = ERROR_INIT;
	struct cgroup_tree t;
	int ret = cgroup_tree_init(&t, &why);

	if (ret) {
		log_info("%s: control groups are recorded by number", why.msg);
		return 0;
	}
	ret = cgroup_tree_for_each(&t, add_cgroup, out);
	cgroup_tree_deinit(&t);
	return ret;
}

int synthesize_lost(struct strbuf *out, const struct evlist *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		const struct evsel *e = &l->evsels[i];

		for (size_t j = 0; j < e->nr_fds; j++) {
			struct sample_id id = {.cpu = (uint32_t)e->fds[j].cpu, .id = e->fds[j].id};
			uint64_t lost = e->fds[j].lost - e->fds[j].lost_told;

			if (lost && add_record(out, PERF_RECORD_LOST_SAMPLES, 0, &lost,
					       sizeof(lost), NULL, &id))
				return -ENOMEM;
		}
	}
	return 0;
}

int synthesize_finished_round(struct strbuf *out)
{
	struct perf_event_header h = {.type = PERF_RECORD_FINISHED_ROUND, .size = sizeof(h)};

	return strbuf_add(out, &h, sizeof(h));
}
