// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/usersym/user_stacks.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/label.h"
#include "util/base/path.h"
#include "util/base/strbuf.h"
#include "util/machine/callchain.h"
#include "util/source/unpacking.h"

/* A frame: the number of its place and, if it called another frame, a mark that its address is
 * after the call. */
#define FRAME	     (1ull << 62)
#define FRAME_CALLER (1ull << 32)

#define NO_FILE UINT64_MAX /* place of an address without a known mapping */

/* Parts of unpacked_held_max().  A place may also have a name and a row of a report. */
#define BYTES_PER_FRAME 16
#define BYTES_PER_PLACE 256

/* Number of remembered stacks; a process whose maps change needs each stack again. */
#define KNOWN_MAX (1u << 20)

#define NOBODY "none" /* kernel threads, interrupts of the idle task */

struct process_row {
	uint64_t pid, changes;
};

struct known_row {
	uint64_t hash, chain; /* number + 1 */
};

struct place {
	uint64_t file, offset;
	uint64_t owner; /* enum owner; not part of the key */
};

/* Class of a frame's code. */
enum owner { OWNER_UNKNOWN, OWNER_SKIPPED, OWNER_RUNTIME, OWNER_PROGRAM };

int user_stacks_new(struct user_stacks **ret_stacks, const struct source_facts *facts,
		    const struct dso_search *search, struct error *err)
{
	struct user_stacks *u = calloc(1, sizeof(*u));

	if (!u)
		return error_nomem(err);
	u->facts = facts;
	u->key = hash_key_random();
	process_maps_init(&u->maps);
	table_init(&u->processes, sizeof(struct process_row), sizeof(uint64_t));
	table_init(&u->known, sizeof(struct known_row), sizeof(uint64_t));
	table_init(&u->places, sizeof(struct place), offsetof(struct place, owner));
	frame_chains_init(&u->chains);
	if (user_skip_init(&u->skip, err) ||
	    user_names_init(&u->names, &u->maps, facts, search, err)) {
		user_stacks_free(u);
		return -ENOMEM;
	}
	*ret_stacks = u;
	return 0;
}

int user_stacks_skip(struct user_stacks *u, const char *regex, struct error *err)
{
	return user_skip_add(&u->skip, regex, err);
}

void user_stacks_free(struct user_stacks *u)
{
	if (!u)
		return;
	unwinder_free(u->unwinder);
	user_names_deinit(&u->names);
	user_skip_deinit(&u->skip);
	frame_chains_deinit(&u->chains);
	table_deinit(&u->places);
	table_deinit(&u->known);
	table_deinit(&u->processes);
	process_maps_deinit(&u->maps);
	free(u->keys);
	free(u);
}

/* ---- address spaces ---- */

static int note_change(struct user_stacks *u, uint32_t pid)
{
	uint64_t key = pid;
	struct process_row *row = table_insert(&u->processes, &key);

	if (!row)
		return -ENOMEM;
	row->changes++;
	if (u->unwinder)
		unwinder_forget(u->unwinder, pid);
	return 0;
}

int user_stacks_map(struct user_stacks *u, const struct source_map *map)
{
	int ret = process_maps_map(&u->maps, map);

	return ret ? ret : note_change(u, map->pid);
}

int user_stacks_process(struct user_stacks *u, enum source_process_change change, uint32_t pid,
			uint32_t parent_pid)
{
	int ret = process_maps_change(&u->maps, change, pid, parent_pid);

	return ret ? ret : note_change(u, pid);
}

/* ---- chains ---- */

/* The number of the place. TABLE_NO_ROW if out of memory. */
static uint32_t number_of(struct user_stacks *u, const struct place *place)
{
	const struct place unknown = {.file = NO_FILE};
	const struct place *known;

	if (u->places.nr < unpacked_held_max(u->facts->stored_bytes) / BYTES_PER_PLACE)
		return table_insert_number(&u->places, place);
	known = table_find(&u->places, place);
	if (known)
		return table_index(&u->places, known);
	u->nr_left_out++;
	return table_insert_number(&u->places, &unknown);
}

/* 0 if out of memory. */
static uint64_t make_frame(struct user_stacks *u, uint32_t pid, uint64_t address, bool is_caller)
{
	struct place place = {.file = NO_FILE, .offset = address};
	struct mapped_address at;
	uint32_t number;

	if (process_maps_find(&u->maps, pid, address - is_caller, &at))
		place = (struct place){at.file, at.offset + is_caller, OWNER_UNKNOWN};
	number = number_of(u, &place);
	if (number == TABLE_NO_ROW)
		return 0;
	return FRAME | (is_caller ? FRAME_CALLER : 0) | number;
}

uint64_t user_stacks_frame(struct user_stacks *u, uint32_t pid, uint64_t address)
{
	return make_frame(u, pid, address, false);
}

/* Add the frames that the kernel found by frame pointers. */
static size_t chain_addresses(const struct sample *sample, uint64_t *addresses)
{
	struct callchain c = callchain_make(sample->callchain, sample->nr_callchain, sample->swap);
	uint64_t address;
	size_t nr = 0;

	while (nr < USER_FRAMES_MAX && callchain_next(&c, &address))
		if (c.context == CONTEXT_USER)
			addresses[nr++] = address;
	return nr;
}

static int need_unwinder(struct user_stacks *u)
{
	struct error err = ERROR_INIT;

	if (u->unwinder || u->no_unwinder)
		return 0;
	u->no_unwinder = unwinder_why_not(u->facts->arch);
	if (u->no_unwinder)
		return 0;
	return unwinder_new(&u->unwinder, &u->maps, &u->names, &err);
}

static uint64_t hash_of(const struct user_stacks *u, const struct sample *sample,
			const uint64_t *addresses, size_t nr)
{
	const uint64_t pid = sample->pid;
	const struct process_row *row = table_find(&u->processes, &pid);
	const struct sample_user *user = &sample->user;
	uint64_t parts[5] = {pid, row ? row->changes : 0, nr};

	if (nr) {
		parts[3] = hash_bytes(&u->key, addresses, nr * sizeof(*addresses));
	} else {
		parts[3] = hash_bytes(&u->key, user->regs,
				      8 * (size_t)__builtin_popcountll(user->mask));
		parts[4] = hash_bytes(&u->key, user->stack, user->stack_size);
	}
	return hash_bytes(&u->key, parts, sizeof(parts));
}

static uint32_t make_chain(struct user_stacks *u, uint32_t pid, const uint64_t *addresses,
			   size_t nr)
{
	uint64_t frames[USER_FRAMES_MAX];

	for (size_t i = 0; i < nr; i++) {
		frames[i] = make_frame(u, pid, addresses[i], i > 0);
		if (!frames[i])
			return INTERN_NONE;
	}
	u->chains.frames_max = unpacked_held_max(u->facts->stored_bytes) / BYTES_PER_FRAME;
	return frame_chains_add(&u->chains, frames, nr);
}

static void forget_known(struct user_stacks *u)
{
	table_deinit(&u->known);
	table_init(&u->known, sizeof(struct known_row), sizeof(uint64_t));
}

uint32_t user_stacks_chain(struct user_stacks *u, const struct sample *sample)
{
	uint64_t addresses[USER_FRAMES_MAX], hash;
	size_t nr = chain_addresses(sample, addresses);
	struct known_row *row;
	uint32_t chain;

	if (!nr && !sample->user.regs)
		return frame_chains_add(&u->chains, NULL, 0);
	hash = hash_of(u, sample, addresses, nr);
	if (u->known.nr >= KNOWN_MAX)
		forget_known(u);
	row = table_insert(&u->known, &hash);
	if (!row)
		return INTERN_NONE;
	if (row->chain)
		return (uint32_t)(row->chain - 1);
	if (!nr) {
		if (need_unwinder(u))
			return INTERN_NONE;
		if (u->unwinder)
			nr = unwinder_frames(u->unwinder, sample->pid, &sample->user, sample->swap,
					     addresses, USER_FRAMES_MAX);
	}
	chain = make_chain(u, sample->pid, addresses, nr);
	if (chain != INTERN_NONE)
		row->chain = chain + 1ull;
	return chain;
}

/* ---- names ---- */

static struct place *place_of(const struct user_stacks *u, uint64_t frame)
{
	return table_row(&u->places, (uint32_t)frame);
}

/*
 * The distance of the frame's address from its instruction: the address is after a call or, if the
 * process is in a system call, after the instruction that called the kernel.
 */
static unsigned int behind(struct user_stacks *u, const struct place *place, uint64_t frame)
{
	struct dso *dso;

	if (frame & FRAME_CALLER)
		return 1;
	dso = user_names_dso(&u->names, (uint32_t)place->file);
	return dso && dso->has_file && is_after_syscall(&dso->file, place->offset);
}

bool user_stacks_name(struct user_stacks *u, uint64_t frame, struct user_name *ret_name)
{
	const struct place *place = place_of(u, frame);
	struct mapped_address at = {(uint32_t)place->file, place->offset};
	unsigned int less;

	*ret_name = (struct user_name){.address = place->offset};
	if (place->file == NO_FILE)
		return true;
	less = behind(u, place, frame);
	at.offset -= less;
	if (user_names_find(&u->names, at, ret_name))
		return false;
	ret_name->address += less;
	ret_name->offset += less;
	return true;
}

bool user_stacks_lines(struct user_stacks *u, uint64_t frame, const struct user_frame **ret_lines,
		       size_t *ret_nr)
{
	const struct place *place = place_of(u, frame);
	struct mapped_address at = {(uint32_t)place->file, place->offset};

	*ret_nr = 0;
	if (place->file == NO_FILE)
		return true;
	at.offset -= behind(u, place, frame);
	return !user_names_lines(&u->names, at, ret_lines, ret_nr);
}

/* ---- the frame that made the kernel allocate ---- */

bool user_stacks_file_number(const struct user_stacks *u, uint64_t frame, uint32_t *ret_file)
{
	const struct place *place = place_of(u, frame);

	if (place->file == NO_FILE)
		return false;
	*ret_file = (uint32_t)place->file;
	return true;
}

bool user_stacks_file(const struct user_stacks *u, uint64_t frame, struct mapped_file *ret_file)
{
	uint32_t file;

	if (!user_stacks_file_number(u, frame, &file))
		return false;
	*ret_file = process_maps_file(&u->maps, file);
	return true;
}

static bool is_of_runtime(const struct user_stacks *u, const struct mapped_file *file,
			  const struct user_name *name)
{
	if (file->is_private)
		return !name->symbol || user_skip_generated(&u->skip, name->symbol);
	return runtime_of_path(file->path) < NR_RUNTIMES || runtime_uses_library(file->path);
}

/* If out of memory, the caller will find out. */
static enum owner owner_of(struct user_stacks *u, uint64_t frame)
{
	struct mapped_file file;
	struct user_name name;

	/* in programs without frame pointers the kernel may follow any value */
	if (!user_stacks_file(u, frame, &file) || user_skip_library(&u->skip, file.path))
		return OWNER_SKIPPED;
	if (!user_stacks_name(u, frame, &name))
		return OWNER_PROGRAM;
	if (name.symbol && user_skip_function(&u->skip, name.symbol))
		return OWNER_SKIPPED;
	return is_of_runtime(u, &file, &name) ? OWNER_RUNTIME : OWNER_PROGRAM;
}

static enum owner owner(struct user_stacks *u, uint64_t frame)
{
	struct place *place = place_of(u, frame);

	if (place->owner == OWNER_UNKNOWN)
		place->owner = owner_of(u, frame);
	return (enum owner)place->owner;
}

bool user_stacks_skipped(struct user_stacks *u, uint64_t frame)
{
	return owner(u, frame) == OWNER_SKIPPED;
}

/* Generated code has names, but no lines. */
static bool is_generated(const struct user_stacks *u, uint64_t frame)
{
	struct mapped_file file;

	return user_stacks_file(u, frame, &file) && file.is_private;
}

/* A run-time system allocates for the code that it generated: its frames inside of a generated
 * function are passed over. */
uint64_t user_stacks_caller(struct user_stacks *u, const struct frame_chain *frames)
{
	size_t runtime = frames->nr; /* its innermost frame */

	for (size_t i = 0; i < frames->nr; i++) {
		const uint64_t frame = frame_chain_at(frames, i);
		const enum owner o = owner(u, frame);

		if (o == OWNER_PROGRAM && (runtime == frames->nr || is_generated(u, frame)))
			return frame;
		if (o == OWNER_PROGRAM)
			break;
		if (o == OWNER_RUNTIME && runtime == frames->nr)
			runtime = i;
	}
	return frame_chain_at(frames, runtime < frames->nr ? runtime : 0);
}

/* ---- keys ---- */

static struct user_keys *keys_of(struct user_stacks *u, uint32_t chain)
{
	size_t cap = u->cap_keys ? u->cap_keys : 64;
	struct user_keys *v;

	while (cap <= chain)
		cap *= 2;
	if (cap > u->cap_keys) {
		v = reallocarray(u->keys, cap, sizeof(*v));
		if (!v)
			return NULL;
		memset(v + u->cap_keys, 0, (cap - u->cap_keys) * sizeof(*v));
		u->keys = v;
		u->cap_keys = cap;
	}
	return &u->keys[chain];
}

static int add_symbol(struct user_stacks *u, struct user_keys *keys,
		      const struct frame_chain *frames, struct strbuf *text)
{
	struct user_name name;

	(void)keys;
	if (!user_stacks_name(u, user_stacks_caller(u, frames), &name))
		return -ENOMEM;
	if (name.symbol)
		return strbuf_addstr(text, name.symbol);
	return strbuf_addf(text, "0x%" PRIx64 " [%s]", name.address,
			   name.dso ? path_base(name.dso) : label_unknown);
}

static int add_dso(struct user_stacks *u, struct user_keys *keys, const struct frame_chain *frames,
		   struct strbuf *text)
{
	struct user_name name;

	(void)keys;
	if (!user_stacks_name(u, user_stacks_caller(u, frames), &name))
		return -ENOMEM;
	return strbuf_addstr(text, name.dso ? name.dso : label_unknown);
}

/* The innermost source line of a frame that is not skipped: functions of headers may be inlined.
 * NULL if there is none. Returns false if out of memory. */
static bool find_line(struct user_stacks *u, uint64_t frame, const struct user_frame **ret_line)
{
	const struct user_frame *lines;
	size_t nr;

	*ret_line = NULL;
	if (!user_stacks_lines(u, frame, &lines, &nr))
		return false;
	for (size_t i = 0; i < nr && !*ret_line; i++)
		if (lines[i].file && lines[i].line && !user_skip_source(&u->skip, lines[i].file) &&
		    !(lines[i].function && user_skip_function(&u->skip, lines[i].function)))
			*ret_line = &lines[i];
	return true;
}

/* The file and line where a generated function begins, if its name has them. Node.js writes
 * "JS:*name /path:line:column", or a URL instead of the path. */
static int add_generated(struct strbuf *text, const char *name)
{
	const char *path = strstr(name, " file:///"), *column = strrchr(name, ':');

	path = path ? path + strlen(" file://") : strstr(name, " /");
	if (!path || strncmp(name, "JS:", 3) || column < path)
		return strbuf_addstr(text, name);
	path += *path == ' ';
	return strbuf_addf(text, "%.*s", (int)(column - path), path);
}

/*
 * The innermost line known: frames of libraries without debug information are passed over. Without
 * any line, the function stands for it, or its file.
 */
static int add_line(struct user_stacks *u, struct user_keys *keys, const struct frame_chain *frames,
		    struct strbuf *text)
{
	const uint64_t caller = user_stacks_caller(u, frames);
	struct user_name name;

	if (!user_stacks_name(u, caller, &name))
		return -ENOMEM;
	if (name.symbol && is_generated(u, caller) && owner(u, caller) == OWNER_PROGRAM)
		return add_generated(text, name.symbol);
	for (size_t i = 0; i < frames->nr; i++) {
		const uint64_t frame = frame_chain_at(frames, i);
		const struct user_frame *line;

		if (user_stacks_skipped(u, frame))
			continue;
		if (!find_line(u, frame, &line))
			return -ENOMEM;
		if (line)
			return strbuf_addf(text, "%s:%" PRIu32, line->file, line->line);
	}
	keys->no_line = true;
	if (!name.dso)
		return strbuf_addstr(text, label_unknown);
	if (name.symbol)
		strbuf_addf(text, "%s ", name.symbol);
	return strbuf_addf(text, "[%s]", path_base(name.dso));
}

/* *known: the key, as in struct user_keys. */
static uint32_t make_key(struct user_stacks *u, uint32_t chain, struct intern *strings,
			 size_t known_at,
			 int (*add)(struct user_stacks *u, struct user_keys *keys,
				    const struct frame_chain *frames, struct strbuf *text))
{
	struct user_keys *keys = keys_of(u, chain);
	uint32_t *known = keys ? (uint32_t *)(void *)((char *)keys + known_at) : NULL;
	struct strbuf text = STRBUF_INIT;
	struct frame_chain frames;
	uint32_t number;

	if (!known)
		return INTERN_NONE;
	if (*known)
		return *known - 1;
	frames = user_stacks_frames(u, chain);
	if (frames.nr ? add(u, keys, &frames, &text) : strbuf_addstr(&text, NOBODY)) {
		strbuf_deinit(&text);
		return INTERN_NONE;
	}
	number = intern_add_str(strings, text.buf);
	strbuf_deinit(&text);
	if (number != INTERN_NONE)
		*known = number + 1;
	return number;
}

uint32_t user_stacks_symbol(struct user_stacks *u, uint32_t chain, struct intern *strings)
{
	return make_key(u, chain, strings, offsetof(struct user_keys, symbol), add_symbol);
}

uint32_t user_stacks_dso(struct user_stacks *u, uint32_t chain, struct intern *strings)
{
	return make_key(u, chain, strings, offsetof(struct user_keys, dso), add_dso);
}

uint32_t user_stacks_line(struct user_stacks *u, uint32_t chain, struct intern *strings)
{
	uint32_t number = make_key(u, chain, strings, offsetof(struct user_keys, line), add_line);

	if (number != INTERN_NONE)
		u->keys[chain].nr_lines++;
	return number;
}

size_t user_stacks_unknown(struct user_stacks *u, size_t nr,
			   void (*fn)(void *ctx, const char *why_not), void *ctx)
{
	size_t found = 0;

	/* a name may not have been looked up yet */
	for (uint32_t i = 0; i < u->places.nr; i++) {
		const struct place *place = table_row(&u->places, i);

		if (place->file != NO_FILE)
			user_names_dso(&u->names, (uint32_t)place->file);
	}
	for (uint32_t i = 0; i < process_maps_nr_files(&u->maps); i++) {
		const char *why_not = user_names_why_not(&u->names, i);

		if (why_not && found++ < nr)
			fn(ctx, why_not);
	}
	return found;
}

static const struct {
	uint16_t machine;
	uint8_t size, code[4];
} calls[] = {
	{EM_X86_64, 2, {0x0f, 0x05}}, /* syscall */
	{EM_X86_64, 2, {0xcd, 0x80}}, /* int $0x80 */
	{EM_386, 2, {0xcd, 0x80}},
	{EM_AARCH64, 4, {0x01, 0x00, 0x00, 0xd4}}, /* svc #0 */
};

bool is_after_syscall(const struct elf_file *f, uint64_t offset)
{
	for (size_t i = 0; f->bytes && i < sizeof(calls) / sizeof(calls[0]); i++)
		if (calls[i].machine == f->machine && offset >= calls[i].size &&
		    offset <= f->size &&
		    !memcmp(f->bytes + offset - calls[i].size, calls[i].code, calls[i].size))
			return true;
	return false;
}
