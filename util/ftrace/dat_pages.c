// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/ftrace/dat_pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* trace-cmd packs ten pages at a time. */
#define BLOCK_MAX (64u << 20)

/* Account for the memory needed while reading: the largest block, and a page. */
static bool take_held(const struct dat_pages *p, struct dat_limits *limits)
{
	uint64_t bytes = p->page_size;

	for (size_t i = 0; i < p->nr_blocks; i++)
		if (p->blocks[i].raw_size + (uint64_t)p->page_size > bytes)
			bytes = p->blocks[i].raw_size + (uint64_t)p->page_size;
	if (bytes > limits->held)
		return false;
	limits->held -= bytes;
	return true;
}

static int find_blocks(struct dat_pages *p, const struct trace_dat_cpu *cpu,
		       struct dat_limits *limits)
{
	struct bytes b = bytes_make(p->dat->data + cpu->pos, cpu->size, p->dat->swap);
	uint32_t nr = bytes_u32(&b), most = (uint32_t)(bytes_left(&b) / 8);

	p->cut = nr > most;
	if (!nr || !most)
		return 0;
	p->blocks = calloc(nr < most ? nr : most, sizeof(*p->blocks));
	if (!p->blocks)
		return -ENOMEM;
	while (p->nr_blocks < nr && p->nr_blocks < most) {
		uint32_t size = bytes_u32(&b), raw_size = bytes_u32(&b);
		const uint8_t *in = bytes_take(&b, size);

		if (!in || raw_size > BLOCK_MAX || raw_size > limits->unpacked) {
			p->cut = true;
			break;
		}
		limits->unpacked -= raw_size;
		p->blocks[p->nr_blocks++] = (struct dat_block){p->size, in, size, raw_size};
		p->size += raw_size;
	}
	if (!take_held(p, limits)) {
		p->cut = true;
		p->nr_blocks = p->size = 0;
	}
	p->unpacked = p->nr_blocks;
	return 0;
}

int dat_pages_init(struct dat_pages *p, const struct trace_dat *dat,
		   const struct trace_dat_cpu *cpu, struct dat_limits *limits)
{
	uint32_t page_size = dat->buffers[cpu->buffer].page_size;

	*p = (struct dat_pages){.dat = dat, .page_size = page_size};
	if (cpu->packed)
		return find_blocks(p, cpu, limits);
	p->flat = dat->data + cpu->pos;
	p->size = cpu->size;
	return 0;
}

void dat_pages_deinit(struct dat_pages *p)
{
	free(p->blocks);
	free(p->block);
	*p = (struct dat_pages){0};
}

/* The block that contains this byte. */
static size_t block_of(const struct dat_pages *p, uint64_t pos)
{
	size_t low = 0, high = p->nr_blocks;

	if (p->unpacked < p->nr_blocks && pos >= p->blocks[p->unpacked].start &&
	    pos - p->blocks[p->unpacked].start < p->blocks[p->unpacked].raw_size)
		return p->unpacked;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (p->blocks[middle].start <= pos)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static int unpack(struct dat_pages *p, size_t i)
{
	const struct dat_block *b = &p->blocks[i];
	uint8_t *block;
	int ret;

	if (p->unpacked == i)
		return 0;
	p->unpacked = p->nr_blocks;
	block = realloc(p->block, b->raw_size ? b->raw_size : 1);
	if (!block)
		return -ENOMEM;
	p->block = block;
	ret = unpack_block(p->dat->packing, b->in, b->size, block, b->raw_size);
	if (!ret)
		p->unpacked = i;
	return ret;
}

/* A page may lie in two blocks. */
static ssize_t read_packed(struct dat_pages *p, uint64_t pos, uint8_t *page, uint32_t size)
{
	uint32_t done = 0;

	while (done < size) {
		size_t i = block_of(p, pos + done);
		uint64_t at = pos + done - p->blocks[i].start;
		uint32_t n;
		int ret = unpack(p, i);

		if (ret == -ENOMEM)
			return ret;
		if (ret || at >= p->blocks[i].raw_size)
			break;
		n = (uint32_t)(p->blocks[i].raw_size - at);
		n = n < size - done ? n : size - done;
		memcpy(page + done, p->block + at, n);
		done += n;
	}
	return done;
}

static ssize_t read_page(void *ctx, uint64_t i, uint8_t *page, uint32_t page_size)
{
	struct dat_pages *p = ctx;
	uint64_t pos = i * page_size, left = pos < p->size ? p->size - pos : 0;
	uint32_t size = left < page_size ? (uint32_t)left : page_size;

	if (!p->flat)
		return read_packed(p, pos, page, size);
	memcpy(page, p->flat + pos, size);
	return size;
}

struct ring_pages dat_pages_ring(struct dat_pages *p)
{
	return (struct ring_pages){
		.nr = (p->size + p->page_size - 1) / p->page_size, .read = read_page, .ctx = p};
}
