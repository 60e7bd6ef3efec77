/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel callchains, equal to those of the kernel's unwinder, at a tenth of its time.
 *
 * The return address in a frame determines where the frame ends. On x86-64 the kernel has tables
 * (ORC) with, for each address, the distance of the caller's frame from the stack pointer or from
 * the frame pointer, and the place of the caller's saved frame pointer. Most of the unwinder's time
 * is spent on searching these tables. Here an address is searched for once, and the result is
 * remembered in one word, which can be written while others read it.
 *
 * Everything that is not that simple is left to the kernel: frames of modules, of other BPF
 * programs, of tracers that replaced the return address, interrupts, and stacks other than the
 * task's. Results are compared with the kernel's: the first ones, and then one of CHECK_EVERY.
 *
 * The starting point is learned: the program's arguments, ctx, are in the frame of the function
 * that calls it, and that function's return address is at a fixed distance from them. See
 * find_first().
 */
#ifndef BPF_UNWIND_BPF_H
#define BPF_UNWIND_BPF_H

#ifdef __bpf__

#include "util/bpf/kernel_types.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "util/bpf/wire.h"
#include "util/bpf/memory.bpf.h"

#define FRAMES_BEFORE_MAX 4 /* frames of the probe, and one more */
#define FIRST_WORDS	  32
#define WALKED_MAX	  48 /* frames; longer callchains are left to the kernel */
#define FIRST_ATTEMPTS	  64 /* attempts to find the first frame, for each kind */
#define TRIALS		  16 /* number of compared results before one is used */
#define CHECK_EVERY	  4096
#define ORC_MAX		  (1u << 24) /* entries of the tables; see unwind.c */
#define USER_MODE	  3	     /* bits of the code segment */
#define REGS_CS		  136	     /* their offset in struct pt_regs */

/* set by unwind.c; `unwinds` only if all the others are known */
const volatile bool unwinds, unwind_check_all;
const volatile uint32_t unwind_limit; /* limit of frames; the kernel's, without skip_frames */
const volatile uint64_t text_begin, text_bytes;
const volatile uint64_t orc_addresses, orc_entries;
const volatile uint32_t orc_nr;
const volatile uint64_t trampolines[BPF_TRAMPOLINES];

/*
 * The remembered data of a return address, from the lowest bits on:
 *   32  the address, less text_begin; 0: empty
 *   16  a distance in bytes, signed
 *   12  the place of the caller's saved frame pointer: words below the caller's frame; 0: none
 *    4  enum next
 */
enum next {
	NEXT_BY_SP = 1, /* the distance of the caller's frame from the return address */
	NEXT_BY_BP,	/* or from the frame pointer */
	NEXT_IS_REGS,	/* there are saved registers */
	NEXT_IS_NONE,
	NEXT_UNKNOWN,
};

struct returns {
	uint64_t entries[BPF_RETURNS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct returns);
} known_returns SEC(".maps");

/* The kernel's callchain, for comparison; only the outermost program of a CPU compares. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, 128 * sizeof(uint64_t));
} unwound SEC(".maps");

/* For each kind: the distance in bytes from ctx to the first return address, << 8, and the number
 * of its frame; 0 if unknown. */
uint32_t first_frames[BPF_KINDS];
uint32_t first_attempts[BPF_KINDS], trials[BPF_KINDS];

uint64_t no_frame_pointer; /* 0, without the verifier knowing it */

/* State of the search for it. */
uint32_t is_finding; /* a program is searching; the others do not wait */
uint64_t found_frames[FRAMES_BEFORE_MAX], found_words[FIRST_WORDS];

/* ---- a return address ------------------------------------------------------------------------ */

/* enum orc_reg and the types of entries, which are not in BTF */
#define ORC_UNDEFINED 0
#define ORC_PREV_SP   1
#define ORC_BP	      4
#define ORC_SP	      5

/* Types since 6.4, and before that, when there was `end` (not needed here: there is no register
 * then). */
#define ORC_TYPE_END	  1
#define ORC_TYPE_CALL	  2
#define ORC_TYPE_REGS	  3
#define ORC_OLD_TYPE_CALL 0
#define ORC_OLD_TYPE_REGS 1

static __always_inline enum next next_of(uint32_t flags)
{
	bool is_old = bpf_core_field_exists(((struct orc_entry *)0)->end);
	uint32_t type = flags >> 8 & (is_old ? 3 : 7), sp_reg = flags & 15;

	if (is_old ? sp_reg == ORC_UNDEFINED : type == ORC_TYPE_END)
		return NEXT_IS_NONE;
	if (type == (is_old ? ORC_OLD_TYPE_REGS : ORC_TYPE_REGS))
		return sp_reg == ORC_SP ? NEXT_IS_REGS : NEXT_UNKNOWN;
	if (type != (is_old ? ORC_OLD_TYPE_CALL : ORC_TYPE_CALL))
		return NEXT_UNKNOWN;
	if (sp_reg == ORC_SP)
		return NEXT_BY_SP;
	return sp_reg == ORC_BP ? NEXT_BY_BP : NEXT_UNKNOWN;
}

/* The data of the kernel's tables for it, without the address. */
__noinline uint64_t look_up_return(uint64_t address)
{
	uint64_t low = 0;
	uint16_t entry[3] = {0}; /* struct orc_entry: two offsets, and flags */
	uint64_t next, saved = 0;
	int32_t bp_offset;

	/* the last entry at or before the call; the kernel's search ends there, too */
	for (uint32_t step = ORC_MAX / 2; step; step /= 2) {
		uint64_t at = orc_addresses + (low + step) * 4;
		uint64_t begins = at + (int64_t)(int32_t)read_u32(at);
		uint64_t is_before = (begins - address & low + step - orc_nr) >> 63;

		/* without a branch: the verifier would have to follow too many paths */
		asm volatile("" : "+r"(is_before));
		low += is_before * step;
	}
	if (bpf_probe_read_kernel(entry, sizeof(entry), (void *)(orc_entries + low * 6ull)))
		return (uint64_t)NEXT_UNKNOWN << 60;
	next = next_of(entry[2]);
	for (int i = 0; i < BPF_TRAMPOLINES; i++)
		if (address == trampolines[i])
			next = NEXT_UNKNOWN;
	bp_offset = (int16_t)entry[1];
	switch (entry[2] >> 4 & 15) {
	case ORC_UNDEFINED:
		break;
	case ORC_PREV_SP:
		if (bp_offset < 0 && !(bp_offset & 7)) {
			saved = (uint32_t)-bp_offset >> 3; /* at most 4096 */
			if (saved < 4096)
				break;
		}
		/* fallthrough */
	default:
		saved = 0;
		if (next == NEXT_BY_SP || next == NEXT_BY_BP)
			next = NEXT_UNKNOWN;
	}
	return next << 60 | saved << 48 | (uint64_t)entry[0] << 32;
}

/* An address in the kernel's text, as an offset from its beginning. */
static __always_inline uint64_t known_return(struct returns *known, uint64_t offset)
{
	uint32_t i = (uint32_t)(offset * 0x9e3779b1u >> 16) % BPF_RETURNS;
	uint64_t e = known->entries[i];

	if ((uint32_t)e == offset)
		return e;
	e = known->entries[i ^ 1];
	if ((uint32_t)e == offset)
		return e;
	e = look_up_return(text_begin + offset) | offset;
	known->entries[i ^ 1] = known->entries[i];
	known->entries[i] = e;
	return e;
}

/* ---- a callchain ----------------------------------------------------------------------------- */

/*
 * The frames from the first one on, and their number; 0: the kernel's unwinder is needed. The
 * number is returned in memory, so that the verifier does not follow each of its possible values.
 */
static __always_inline void walk(const void *ctx, uint32_t first, uint32_t max, uint64_t *to,
				 volatile uint32_t *ret_nr)
{
	uint64_t at, bp = no_frame_pointer;
	uint32_t key = 0;
	struct returns *known = bpf_map_lookup_elem(&known_returns, &key);

	*ret_nr = 0;
	if (!known)
		return;
	/* read back as a number: the verifier knows it as a pointer otherwise */
	*(volatile uint64_t *)to = (uint64_t)ctx;
	at = *(volatile uint64_t *)to + (first >> 8);
	for (uint32_t i = 0; i < max && i < WALKED_MAX; i++) {
		uint64_t address = read_u64(at), e, frame;

		if (address - text_begin - 1 >= text_bytes)
			return;
		e = known_return(known, address - text_begin);
		to[i] = address;
		if (i + 1 == max || i + 1 == unwind_limit) {
			*ret_nr = i + 1;
			return;
		}
		frame = (int64_t)(e << 16) >> 48;
		switch (e >> 60) {
		case NEXT_BY_SP:
			frame += at + 8;
			break;
		case NEXT_BY_BP:
			if (!bp)
				return;
			frame += bp;
			break;
		case NEXT_IS_REGS:
			if (read_u64(at + 8 + frame + REGS_CS) & USER_MODE)
				*ret_nr = i + 1;
			return;
		case NEXT_IS_NONE:
			*ret_nr = i + 1;
			return;
		default:
			return;
		}
		if (e >> 48 & 0xfff)
			bp = read_u64(frame - (e >> 48 & 0xfff) * 8);
		at = frame - 8;
	}
}

/* ---- where to begin -------------------------------------------------------------------------- */

/*
 * The innermost frames are those of the program and its callers, up to the function that has the
 * arguments: their addresses are before the arguments. So the first frame of the callchain whose
 * address is behind the arguments is the starting point, if that address occurs only once there,
 * and the addresses of the frames before it do not: earlier calls may have left copies. On all
 * kernels seen so far it is the first frame of an event. If that is wrong, callchains are wrong;
 * none is used before TRIALS of them were right.
 */
__noinline uint32_t find_first(void)
{
	for (uint32_t f = 0; f < FRAMES_BEFORE_MAX; f++) {
		uint64_t address = found_frames[f], nr = 0, where = 0;

		for (uint32_t i = 0; i < FIRST_WORDS; i++) {
			uint64_t differ = found_words[i] ^ address, negative = -differ, same;

			/* no branch, as above; clang 19 makes one of the shift, too */
			asm volatile("" : "+r"(negative));
			differ |= negative;
			asm volatile("" : "+r"(differ));
			same = differ >> 63;
			asm volatile("" : "+r"(same));
			same = 1 - same;
			nr += same;
			where += same * i;
		}
		if (!address || nr > 1)
			return 0;
		if (nr)
			return f ? (uint32_t)where << 11 | f : 0;
	}
	return 0;
}

static __always_inline void learn_first(void *ctx, uint32_t kind, uint32_t skip)
{
	uint32_t first;

	if (first_attempts[kind] >= FIRST_ATTEMPTS ||
	    __sync_val_compare_and_swap(&is_finding, 0, 1))
		return;
	first_attempts[kind]++;
	if (bpf_get_stack(ctx, found_frames, sizeof(found_frames), 0) == sizeof(found_frames) &&
	    !bpf_probe_read_kernel(found_words, sizeof(found_words), ctx)) {
		first = find_first();
		trials[kind] = 0;
		first_frames[kind] = (first & 0xff) == skip ? first : 0;
	}
	is_finding = 0;
}

/* ---- an event's callchain -------------------------------------------------------------------- */

/* Whether it equals the kernel's, if the kernel has one. */
static __always_inline bool is_right(void *ctx, uint32_t max, uint32_t skip, const uint64_t *frames,
				     uint32_t nr)
{
	uint32_t key = 0;
	uint64_t *kernel = bpf_map_lookup_elem(&unwound, &key), differ = 0;
	long got = kernel ? bpf_get_stack(ctx, kernel, max * 8, skip) : -1;

	if (got < 0 || !kernel)
		return true;
	if (got != nr * 8l)
		return false;
	for (uint32_t i = 0; i < max && i < nr; i++)
		differ |= kernel[i] ^ frames[i];
	return !differ;
}

static __always_inline bool is_to_check(uint32_t kind, const struct bpf_ring_head *ring)
{
	return unwind_check_all || trials[kind] < TRIALS || !(ring->walked % CHECK_EVERY);
}

/* Returns false if the kernel's callchain must be used. */
static __always_inline bool check(void *ctx, uint32_t kind, struct bpf_ring_head *ring,
				  uint32_t max, uint32_t skip, const uint64_t *frames, uint32_t nr)
{
	if (ring->depth != 1)
		return trials[kind] >= TRIALS;
	if (is_right(ctx, max, skip, frames, nr)) {
		trials[kind]++;
		return true;
	}
	first_frames[kind] = 0;
	if (trials[kind] >= TRIALS) {
		first_attempts[kind] = FIRST_ATTEMPTS; /* do not try again */
		ring->walked_wrong++;
	}
	return false;
}

/* Set by attached.c: the function that a probe's kind is on. */
uint64_t probe_functions[BPF_KINDS];
#define PROBE_ENTRY_BYTES 32 /* the call of the probe is at most this far into the function */

/* Number of frames above the probed function's, plus 1; 0: unknown. A constant of each program. */
uint32_t probe_skip[BPF_KINDS];
#define PROBE_FRAMES_MAX 12

static __always_inline bool is_in_probed(uint32_t kind, uint64_t address)
{
	return address - probe_functions[kind] - 1 < PROBE_ENTRY_BYTES;
}

/* The kernel's callchain from the probed function on. */
static __always_inline uint32_t get_probe_frames(void *ctx, uint32_t kind, uint32_t max,
						 uint64_t *to)
{
	uint32_t key = 0, skip = probe_skip[kind];
	uint64_t *kernel;
	long got;

	if (!skip) {
		kernel = bpf_map_lookup_elem(&unwound, &key);
		if (!kernel || bpf_get_stack(ctx, kernel, PROBE_FRAMES_MAX * 8, 0) < 0)
			return 0;
		for (uint32_t i = 0; i < PROBE_FRAMES_MAX; i++)
			if (is_in_probed(kind, kernel[i]))
				skip = i + 1;
		probe_skip[kind] = skip;
	}
	got = skip ? bpf_get_stack(ctx, to, max * 8, (skip - 1) & 0xff) : 0;
	return got < 0 ? 0 : (uint32_t)got / 8;
}

/* The kernel frames of this event, at most `max`, a constant. Returns their number. */
static __always_inline uint32_t get_frames(void *ctx, uint32_t kind, struct bpf_ring_head *ring,
					   uint32_t max, uint32_t skip, uint64_t *to,
					   volatile uint32_t *scratch)
{
	uint32_t first, nr;
	long got;

	if (BPF_BIT(kind) & BPF_PROBE_KINDS)
		return get_probe_frames(ctx, kind, max, to);
	/* the argument of extfrag is not on the stack */
	if (unwinds && kind != BPF_EXTFRAG) {
		first = first_frames[kind];
		if (!first) {
			learn_first(ctx, kind, skip);
		} else {
			walk(ctx, first, max, to, scratch);
			nr = *scratch;
			if (nr && (!is_to_check(kind, ring) ||
				   check(ctx, kind, ring, max, skip, to, nr))) {
				ring->walked++;
				return nr;
			}
		}
	}
	ring->not_walked++;
	got = bpf_get_stack(ctx, to, max * 8, skip);
	return got < 0 ? 0 : (uint32_t)got / 8;
}

#endif

#endif
