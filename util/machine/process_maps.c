// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/machine/process_maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "util/base/hash.h"

/*
 * The maps of a process: a treap by address with shared nodes. A node with several owners is copied
 * before it is changed; its children then get one more owner. Priorities are random, so the depth
 * is logarithmic whatever the order of the maps.
 */
struct map_node {
	uint64_t start, end; /* the end address, exclusive */
	uint64_t offset;     /* file offset of start */
	uint32_t file;
	uint32_t priority;
	uint32_t child[2];
	uint32_t owners; /* in a free node: the next free one */
};

struct process_row {
	uint64_t pid;
	uint32_t root;
	uint32_t in_ended; /* number of its entries in the ring */
	bool has_ended;
};

/* The identity of a file; its path follows. */
struct file_key {
	uint64_t inode;
	uint32_t major, minor;
	uint32_t private_pid;
	uint8_t is_private;
	uint8_t build_id_size;
	uint8_t build_id[BUILD_ID_MAX];
	uint8_t pad[6];
};

_Static_assert(sizeof(struct file_key) == 48, "it is compared as bytes");

void process_maps_init(struct process_maps *p)
{
	*p = (struct process_maps){.nr_nodes = 1, .random = hash_key_random().v[0] | 1};
	table_init(&p->processes, sizeof(struct process_row), sizeof(uint64_t));
	intern_init(&p->files);
}

void process_maps_deinit(struct process_maps *p)
{
	table_deinit(&p->processes);
	intern_deinit(&p->files);
	free(p->nodes);
	free(p->first_pids);
	*p = (struct process_maps){0};
}

/* ---- nodes ---- */

/* A number for a new node, or 0 (the empty tree) if out of memory. */
static uint32_t take_node(struct process_maps *p)
{
	uint32_t n = p->free_node;

	if (n) {
		p->free_node = p->nodes[n].owners;
		return n;
	}
	if (p->nr_nodes >= p->cap_nodes) {
		uint32_t cap = p->cap_nodes ? p->cap_nodes * 2 : 1024;
		struct map_node *nodes =
			cap > p->cap_nodes ? reallocarray(p->nodes, cap, sizeof(*nodes)) : NULL;

		if (!nodes) {
			p->failed = true;
			return 0;
		}
		p->nodes = nodes;
		p->cap_nodes = cap;
	}
	return p->nr_nodes++;
}

static void release(struct process_maps *p, uint32_t n)
{
	struct map_node *node;

	if (!n || --(node = &p->nodes[n])->owners)
		return;
	release(p, node->child[0]);
	release(p, node->child[1]);
	node->owners = p->free_node;
	p->free_node = n;
}

/* A copy of the node with one owner; the caller's reference moves to it. 0 if out of memory. */
static uint32_t own(struct process_maps *p, uint32_t n)
{
	uint32_t copy;

	if (p->nodes[n].owners == 1)
		return n;
	copy = take_node(p);
	if (copy) {
		p->nodes[copy] = p->nodes[n];
		p->nodes[copy].owners = 1;
		for (int i = 0; i < 2; i++)
			if (p->nodes[n].child[i])
				p->nodes[p->nodes[n].child[i]].owners++;
	}
	p->nodes[n].owners--;
	return copy;
}

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016 */
static uint32_t next_random(struct process_maps *p)
{
	p->random ^= p->random >> 12;
	p->random ^= p->random << 25;
	p->random ^= p->random >> 27;
	return (uint32_t)(p->random * 0x2545f4914f6cdd1dull >> 32);
}

static uint32_t new_node(struct process_maps *p, struct map_node content)
{
	uint32_t n = take_node(p);

	if (!n)
		return 0;
	content.priority = next_random(p);
	content.owners = 1;
	content.child[0] = content.child[1] = 0;
	p->nodes[n] = content;
	return n;
}

/* ---- trees: each function takes over its arguments' references ---- */

/* Split the tree into maps that start before the address, and the rest. */
static void split(struct process_maps *p, uint32_t n, uint64_t address, uint32_t *ret_before,
		  uint32_t *ret_rest)
{
	uint32_t side, part;

	*ret_before = *ret_rest = 0;
	n = n ? own(p, n) : 0;
	if (!n)
		return;
	side = p->nodes[n].start < address;
	if (side) {
		split(p, p->nodes[n].child[1], address, &part, ret_rest);
		*ret_before = n;
	} else {
		split(p, p->nodes[n].child[0], address, ret_before, &part);
		*ret_rest = n;
	}
	p->nodes[n].child[side] = part;
}

/* Join two trees. All of a lies before b. */
static uint32_t join(struct process_maps *p, uint32_t a, uint32_t b)
{
	uint32_t n, below;

	if (!a || !b)
		return a | b;
	if (p->nodes[a].priority >= p->nodes[b].priority) {
		n = own(p, a);
		if (!n)
			return b;
		below = join(p, p->nodes[n].child[1], b);
		p->nodes[n].child[1] = below;
	} else {
		n = own(p, b);
		if (!n)
			return a;
		below = join(p, a, p->nodes[n].child[0]);
		p->nodes[n].child[0] = below;
	}
	return n;
}

/* Cut the last map of the tree at the address. *ret_over is its part above `keep_from`, or 0. */
static uint32_t cut_last(struct process_maps *p, uint32_t root, uint64_t address,
			 uint64_t keep_from, uint32_t *ret_over)
{
	uint32_t n = root, parent = 0;
	struct map_node over;

	*ret_over = 0;
	while (n && p->nodes[n].child[1])
		n = p->nodes[n].child[1];
	if (!n || p->nodes[n].end <= address)
		return root;
	over = p->nodes[n];
	for (n = root; n; n = p->nodes[n].child[1]) {
		n = own(p, n);
		if (parent)
			p->nodes[parent].child[1] = n;
		else
			root = n;
		if (!n)
			return root;
		parent = n;
	}
	p->nodes[parent].end = address;
	if (over.end > keep_from) {
		over.offset += keep_from - over.start;
		over.start = keep_from;
		*ret_over = new_node(p, over);
	}
	return root;
}

/* Insert a map, replacing the maps that it covers. */
static uint32_t replace(struct process_maps *p, uint32_t root, const struct map_node *map)
{
	uint32_t before, covered, rest, over, over_covered;

	split(p, root, map->start, &before, &rest);
	split(p, rest, map->end, &covered, &rest);
	before = cut_last(p, before, map->start, map->end, &over);
	covered = cut_last(p, covered, map->end, map->end, &over_covered);
	release(p, covered);
	before = join(p, before, new_node(p, *map));
	return join(p, join(p, before, join(p, over, over_covered)), rest);
}

/* ---- files ---- */

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* Whether the kernel uses this name for memory without a file, or for a file that cannot be
 * opened. */
static bool is_private_memory(const struct source_map *map)
{
	static const char *const names[] = {"//anon", "[heap]",	     "[stack",
					    "[anon",  "anon_inode:", "/memfd:",
					    "/SYSV",  "/dev/zero",   "/anon_hugepage"};

	if (!map->path[0] || map->flags & MAP_HUGETLB)
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (starts_with(map->path, names[i]))
			return true;
	return false;
}

/* The number of the map's file, or INTERN_NONE. */
static uint32_t file_of(struct process_maps *p, const struct source_map *map)
{
	struct file_key key = {.is_private = is_private_memory(map)};
	size_t path_len = strlen(map->path);
	uint32_t file;
	uint8_t *bytes;

	if (key.is_private) {
		key.private_pid = map->pid;
	} else {
		key.inode = map->inode;
		key.major = map->major;
		key.minor = map->minor;
		key.build_id_size = (uint8_t)map->build_id_size;
		if (map->build_id_size)
			memcpy(key.build_id, map->build_id, map->build_id_size);
	}
	bytes = malloc(sizeof(key) + path_len);
	if (!bytes)
		return INTERN_NONE;
	memcpy(bytes, &key, sizeof(key));
	memcpy(bytes + sizeof(key), map->path, path_len);
	file = intern_add(&p->files, bytes, sizeof(key) + path_len);
	free(bytes);
	return file;
}

static int note_first_pid(struct process_maps *p, uint32_t file, uint32_t pid, bool is_new)
{
	if (!is_new)
		return 0;
	if (file >= p->cap_first_pids) {
		size_t cap = p->cap_first_pids ? p->cap_first_pids * 2 : 256;
		uint32_t *pids = reallocarray(p->first_pids, cap, sizeof(*pids));

		if (!pids)
			return -ENOMEM;
		p->first_pids = pids;
		p->cap_first_pids = cap;
	}
	p->first_pids[file] = pid;
	return 0;
}

struct mapped_file process_maps_file(const struct process_maps *p, uint32_t file)
{
	const uint8_t *bytes = intern_get(&p->files, file, NULL);
	struct mapped_file f = {.path = (const char *)bytes + sizeof(struct file_key)};
	struct file_key key;

	memcpy(&key, bytes, sizeof(key));
	f.pid = p->first_pids[file];
	f.is_private = key.is_private;
	f.major = key.major;
	f.minor = key.minor;
	f.inode = key.inode;
	f.build_id_size = key.build_id_size;
	memcpy(f.build_id, key.build_id, sizeof(f.build_id));
	return f;
}

/* ---- processes ---- */

static struct process_row *find_process(const struct process_maps *p, uint32_t pid)
{
	uint64_t key = pid;

	return table_find(&p->processes, &key);
}

/* Set the tree of a process, which takes it over. */
static int set_root(struct process_maps *p, uint32_t pid, uint32_t root)
{
	uint64_t key = pid;
	struct process_row *row = table_insert(&p->processes, &key);

	if (!row) {
		release(p, root);
		return -ENOMEM;
	}
	release(p, row->root);
	row->root = root;
	row->has_ended = false;
	return 0;
}

int process_maps_map(struct process_maps *p, const struct source_map *map)
{
	struct map_node node = {
		.start = map->start, .end = map->start + map->length, .offset = map->file_offset};
	uint64_t key = map->pid;
	size_t nr_files = p->files.nr;
	struct process_row *row;

	if (node.end < node.start)
		node.end = UINT64_MAX;
	if (node.end == node.start)
		return 0;
	node.file = file_of(p, map);
	if (node.file == INTERN_NONE ||
	    note_first_pid(p, node.file, map->pid, p->files.nr > nr_files))
		return -ENOMEM;
	if (is_private_memory(map))
		node.offset = node.start;
	row = table_insert(&p->processes, &key);
	if (!row)
		return -ENOMEM;
	row->has_ended = false;
	row->root = replace(p, row->root, &node);
	return p->failed ? -ENOMEM : 0;
}

static int copy_process(struct process_maps *p, uint32_t pid, uint32_t parent_pid)
{
	const struct process_row *parent = find_process(p, parent_pid);
	uint32_t root = parent ? parent->root : 0;

	if (root)
		p->nodes[root].owners++;
	return root || find_process(p, pid) ? set_root(p, pid, root) : 0;
}

/* Drop the process that ended first from the ring. */
static void end_process(struct process_maps *p, uint32_t pid)
{
	struct process_row *row = find_process(p, pid), *oldest;
	uint32_t *at = &p->ended[p->nr_ended % PROCESS_MAPS_ENDED_MAX];

	if (!row)
		return;
	row->has_ended = true;
	row->in_ended++;
	oldest = p->nr_ended >= PROCESS_MAPS_ENDED_MAX ? find_process(p, *at) : NULL;
	*at = pid;
	p->nr_ended++;
	if (p->nr_ended == 2 * PROCESS_MAPS_ENDED_MAX)
		p->nr_ended = PROCESS_MAPS_ENDED_MAX;
	if (!oldest || --oldest->in_ended || !oldest->has_ended)
		return;
	release(p, oldest->root);
	table_remove(&p->processes, oldest);
}

int process_maps_change(struct process_maps *p, enum source_process_change change, uint32_t pid,
			uint32_t parent_pid)
{
	switch (change) {
	case PROCESS_FORKED:
		return copy_process(p, pid, parent_pid);
	case PROCESS_EXITED:
		end_process(p, pid);
		return 0;
	case PROCESS_NEW:
	case PROCESS_EXEC:
		return find_process(p, pid) ? set_root(p, pid, 0) : 0;
	}
	return 0;
}

bool process_maps_find(const struct process_maps *p, uint32_t pid, uint64_t address,
		       struct mapped_address *ret_address)
{
	const struct process_row *row = find_process(p, pid);
	const struct map_node *best = NULL;

	for (uint32_t n = row ? row->root : 0; n;) {
		const struct map_node *node = &p->nodes[n];

		if (node->start <= address)
			best = node;
		n = node->child[node->start <= address];
	}
	if (!best || address >= best->end)
		return false;
	*ret_address = (struct mapped_address){best->file, best->offset + (address - best->start)};
	return true;
}
