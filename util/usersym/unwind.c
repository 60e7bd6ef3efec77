// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/usersym/unwind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/machine/user_regs.h"

#if defined(HAVE_LIBUNWIND) && (defined(__x86_64__) || defined(__aarch64__))

#include <elf.h>
#include <libunwind.h>

#include "util/base/bytes.h"
#include "util/usersym/unwind_tables.h"
#include "util/usersym/user_skip.h"

/* Limits for one stack: reads of the copy, of tables, of programs (which may loop). */
#define READS_MAX 200000

/* Recently used files: their tables are searched first. */
#define MODULES 16

#if defined(__x86_64__)
#define HERE	     "x86_64"
#define HERE_MACHINE EM_X86_64
#define HERE_IP	     USER_REG_X86_IP
#define HERE_SP	     USER_REG_X86_SP
/* in libunwind's order: ax dx cx bx si di bp sp, r8 to r15, ip */
static const int8_t reg_numbers[] = {0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8};
#else
#define HERE	     "aarch64"
#define HERE_MACHINE EM_AARCH64
#define HERE_IP	     USER_REG_ARM64_PC
#define HERE_SP	     USER_REG_ARM64_SP
static const int8_t reg_numbers[] = {0,	 1,  2,	 3,  4,	 5,  6,	 7,  8,	 9,  10,
				     11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
				     22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
#endif

/* libunwind's search in a table of .eh_frame_hdr. No header of libunwind declares it, but remote
 * unwinders use it. */
extern int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t as, unw_word_t ip,
					      unw_dyn_info_t *di, unw_proc_info_t *pi,
					      int need_unwind_info, void *arg);

/* A file, and the difference of its mapped addresses to its own. */
struct module {
	const struct unwind_tables *tables;
	uint64_t bias;
};

struct unwinder {
	const struct process_maps *maps;
	struct user_names *names;
	unw_addr_space_t space;
	struct unwind_tables **tables; /* by number of the file */
	uint32_t nr_tables;
	struct module modules[MODULES]; /* of process `pid` */
	unsigned int nr_modules;
	uint32_t pid;
	/* valid while a stack is unwound */
	const struct sample_user *user;
	bool swap;
	uint64_t stack_start;
	uint32_t reads;
	bool guesses; /* an address had no table: further frames would be guesses */
};

const char *unwinder_why_not(const char *arch)
{
	return !arch || !strcmp(arch, HERE) ? NULL
					    : "stacks of another kind of machine are not unwound";
}

static bool find_register(const struct unwinder *u, unsigned int number, uint64_t *ret)
{
	return user_regs_find(u->user, number, u->swap, ret);
}

/* ---- files ---- */

static int grow_tables(struct unwinder *u, uint32_t file)
{
	uint32_t nr = file >= 2 * u->nr_tables ? file + 1 : 2 * u->nr_tables;
	struct unwind_tables **v = reallocarray(u->tables, nr, sizeof(struct unwind_tables *));

	if (!v)
		return -ENOMEM;
	memset(v + u->nr_tables, 0, (nr - u->nr_tables) * sizeof(struct unwind_tables *));
	u->tables = v;
	u->nr_tables = nr;
	return 0;
}

/* NULL if the file was not found, or is of another machine. */
static const struct unwind_tables *tables_of(struct unwinder *u, uint32_t file)
{
	struct unwind_tables *t;
	struct dso *dso;

	if (file >= u->nr_tables && grow_tables(u, file))
		return NULL;
	t = u->tables[file];
	if (!t) {
		t = calloc(1, sizeof(*t));
		dso = t ? user_names_dso(u->names, file) : NULL;
		if (!dso) {
			free(t);
			return NULL;
		}
		u->tables[file] = t;
		/* out of memory: no table */
		if (dso->has_file && dso->file.machine == HERE_MACHINE)
			unwind_tables_init(t, &dso->file);
	}
	return t->file.bytes ? t : NULL;
}

static const struct module *find_module(struct unwinder *u, uint64_t address)
{
	struct mapped_address at;
	struct module m;
	uint64_t own;

	if (!process_maps_find(u->maps, u->pid, address, &at))
		return NULL;
	m.tables = tables_of(u, at.file);
	if (!m.tables || !elf_file_address(&m.tables->file, at.offset, &own))
		return NULL;
	m.bias = address - own;
	for (unsigned int i = 0; i < u->nr_modules && i < MODULES; i++)
		if (u->modules[i].tables == m.tables && u->modules[i].bias == m.bias)
			return &u->modules[i];
	u->modules[u->nr_modules % MODULES] = m;
	return &u->modules[u->nr_modules++ % MODULES];
}

/* Code that a run-time system generates, and that system's assembly, have no unwind table. They
 * have frame pointers, which libunwind follows where there is no table. */
static bool keeps_frame_pointers(const struct unwinder *u, uint64_t ip)
{
	struct mapped_address at;
	struct mapped_file file;

	if (!process_maps_find(u->maps, u->pid, ip, &at))
		return false;
	file = process_maps_file(u->maps, at.file);
	return file.is_private || runtime_of_path(file.path) < NR_RUNTIMES;
}

/* ---- libunwind's callbacks ---- */

static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi, int need,
			  void *arg)
{
	struct unwinder *u = arg;
	const struct module *m = find_module(u, ip);
	unw_dyn_info_t di;
	int ret;

	u->guesses = false;
	if (!m || !m->tables->nr) {
		u->guesses = !keeps_frame_pointers(u, ip);
		return -UNW_ENOINFO;
	}
	memset(&di, 0, sizeof(di));
	di.format = UNW_INFO_FORMAT_REMOTE_TABLE;
	di.start_ip = 0;
	di.end_ip = UINT64_MAX;
	di.u.rti.segbase = m->tables->header + m->bias;
	di.u.rti.table_data = m->tables->entries + m->bias;
	di.u.rti.table_len = m->tables->nr * 2 * sizeof(int32_t) / sizeof(unw_word_t);
	ret = UNW_OBJ(dwarf_search_unwind_table)(as, ip, &di, pi, need, arg);
	if (ret < 0)
		u->guesses = !keeps_frame_pointers(u, ip);
	return ret;
}

static void put_unwind_info(unw_addr_space_t as, unw_proc_info_t *pi, void *arg)
{
	(void)as, (void)pi, (void)arg;
}

static int get_dyn_info_list_addr(unw_addr_space_t as, unw_word_t *list, void *arg)
{
	(void)as, (void)list, (void)arg;
	return -UNW_ENOINFO;
}

/* Read from a file: mostly tables, which may be mapped apart from the code, or in no known map. */
static const uint8_t *find_in_modules(struct unwinder *u, uint64_t address)
{
	const struct module *m;
	const uint8_t *p = NULL;

	for (unsigned int i = 0; !p && i < u->nr_modules && i < MODULES; i++)
		p = unwind_tables_bytes(u->modules[i].tables, address - u->modules[i].bias,
					sizeof(unw_word_t));
	if (p)
		return p;
	m = find_module(u, address);
	return m ? unwind_tables_bytes(m->tables, address - m->bias, sizeof(unw_word_t)) : NULL;
}

static int access_mem(unw_addr_space_t as, unw_word_t address, unw_word_t *value, int write,
		      void *arg)
{
	struct unwinder *u = arg;
	uint64_t in = address - u->stack_start;
	const uint8_t *p;

	(void)as;
	if (write || u->reads++ >= READS_MAX)
		return -UNW_EINVAL;
	if (in < u->user->stack_size && u->user->stack_size - in >= sizeof(*value)) {
		*value = load_u64(u->user->stack + in, u->swap);
		return 0;
	}
	p = find_in_modules(u, address);
	if (!p)
		return -UNW_EINVAL;
	*value = load_u64(p, false);
	return 0;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t number, unw_word_t *value, int write,
		      void *arg)
{
	(void)as;
	if (write || number < 0 || (size_t)number >= sizeof(reg_numbers) ||
	    !find_register(arg, (unsigned int)reg_numbers[number], value))
		return -UNW_EBADREG;
	return 0;
}

static int access_fpreg(unw_addr_space_t as, unw_regnum_t number, unw_fpreg_t *value, int write,
			void *arg)
{
	(void)as, (void)number, (void)value, (void)write, (void)arg;
	return -UNW_EBADREG;
}

static int resume(unw_addr_space_t as, unw_cursor_t *cursor, void *arg)
{
	(void)as, (void)cursor, (void)arg;
	return -UNW_EINVAL;
}

static int get_proc_name(unw_addr_space_t as, unw_word_t ip, char *name, size_t size,
			 unw_word_t *offset, void *arg)
{
	(void)as, (void)ip, (void)name, (void)size, (void)offset, (void)arg;
	return -UNW_EINVAL;
}

/* ---- an unwinder ---- */

int unwinder_new(struct unwinder **ret_unwinder, const struct process_maps *maps,
		 struct user_names *names, struct error *err)
{
	static unw_accessors_t accessors = {
		.find_proc_info = find_proc_info,
		.put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = get_dyn_info_list_addr,
		.access_mem = access_mem,
		.access_reg = access_reg,
		.access_fpreg = access_fpreg,
		.resume = resume,
		.get_proc_name = get_proc_name,
	};
	struct unwinder *u = calloc(1, sizeof(*u));

	if (!u)
		return error_nomem(err);
	*u = (struct unwinder){
		.maps = maps, .names = names, .space = unw_create_addr_space(&accessors, 0)};
	if (!u->space) {
		free(u);
		return error_nomem(err);
	}
	unw_set_caching_policy(u->space, UNW_CACHE_GLOBAL);
	*ret_unwinder = u;
	return 0;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	unw_destroy_addr_space(u->space);
	for (uint32_t i = 0; i < u->nr_tables; i++) {
		if (u->tables[i])
			unwind_tables_deinit(u->tables[i]);
		free(u->tables[i]);
	}
	free(u->tables);
	free(u);
}

void unwinder_forget(struct unwinder *u, uint32_t pid)
{
	if (pid != u->pid || !u->nr_modules)
		return;
	u->nr_modules = 0;
	unw_flush_cache(u->space, 0, 0);
}

/* Stack pointers must increase, so that the walk ends. */
static size_t step_through(struct unwinder *u, uint64_t *frames, size_t nr, size_t max)
{
	unw_cursor_t cursor;
	unw_word_t ip, sp, before = u->stack_start;

	if (unw_init_remote(&cursor, u->space, u))
		return nr;
	while (nr < max && unw_step(&cursor) > 0) {
		if (u->guesses || unw_get_reg(&cursor, UNW_REG_IP, &ip) ||
		    unw_get_reg(&cursor, UNW_REG_SP, &sp) || !ip || sp < before ||
		    (sp == before && nr > 1))
			break;
		frames[nr++] = ip;
		before = sp;
	}
	return nr;
}

size_t unwinder_frames(struct unwinder *u, uint32_t pid, const struct sample_user *user, bool swap,
		       uint64_t *ret_frames, size_t max)
{
	if (pid != u->pid)
		unwinder_forget(u, u->pid);
	u->pid = pid;
	u->user = user;
	u->swap = swap;
	u->reads = 0;
	u->guesses = false;
	if (!max || !find_register(u, HERE_IP, ret_frames))
		return 0;
	if (user->is_32bit || !user->stack || !find_register(u, HERE_SP, &u->stack_start))
		return 1;
	return step_through(u, ret_frames, 1, max);
}

#else

#ifdef HAVE_LIBUNWIND
#define WHY_NOT "this perf does not unwind on its architecture"
#else
#define WHY_NOT "this perf was built without libunwind"
#endif

const char *unwinder_why_not(const char *arch)
{
	(void)arch;
	return WHY_NOT;
}

int unwinder_new(struct unwinder **ret_unwinder, const struct process_maps *maps,
		 struct user_names *names, struct error *err)
{
	(void)ret_unwinder, (void)maps, (void)names;
	return error_set(err, ENOTSUP, WHY_NOT);
}

void unwinder_free(struct unwinder *u)
{
	(void)u;
}

void unwinder_forget(struct unwinder *u, uint32_t pid)
{
	(void)u, (void)pid;
}

size_t unwinder_frames(struct unwinder *u, uint32_t pid, const struct sample_user *user, bool swap,
		       uint64_t *ret_frames, size_t max)
{
	(void)u, (void)pid, (void)user, (void)swap, (void)ret_frames, (void)max;
	return 0;
}

#endif
