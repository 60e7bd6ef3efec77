// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/profile/chain_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* As a place's frame: after the last function. */
#define CHAIN_END UINT16_MAX

/* Steps for each chain: to examine it, and to put it into its part of a group. */
#define CHAIN_STEPS  2
#define DIVIDE_STEPS 12

struct making {
	struct call_tree *tree;
	const struct chain_tree_options *options;
	struct chain_place *chains, *divided;
	uint32_t *functions; /* the next function of each chain, by its index in `chains` */
};

/* Chains that are equal so far. */
struct group {
	size_t first, nr;
	uint64_t weight, nr_samples;
	uint32_t node;
	uint32_t depth;
};

/* Those of them that continue with the same function. */
struct part {
	uint64_t function; /* the key; FUNCTION_NONE: chains that end */
	uint64_t weight, nr_samples;
	size_t nr;
	size_t first; /* set when the group is divided */
	bool is_shown;
};

static const struct profile_row *row_of(const struct making *m, const struct chain_place *at)
{
	return profile_row(m->options->functions->profile, at->row);
}

static struct profile_chain chain_of(const struct making *m, const struct chain_place *at)
{
	return profile_chain(m->options->functions->profile, row_of(m, at));
}

/* ---- walking a chain ------------------------------------------------------------------------- */

static int functions_at(const struct making *m, const struct profile_chain *chain, size_t frame,
			const uint32_t **ret_functions, size_t *ret_nr)
{
	*ret_nr =
		functions_of(m->options->functions, function_place_in(chain, frame), ret_functions);
	return *ret_nr ? 0 : -ENOMEM;
}

/* Move to the first function of the next frame. */
static int next_frame(const struct making *m, const struct profile_chain *chain,
		      struct chain_place *at)
{
	const bool inwards = m->options->caller_first;
	const uint32_t *functions;
	size_t nr;

	if (inwards ? !at->frame : at->frame + 1u >= chain->nr) {
		at->frame = CHAIN_END;
		return 0;
	}
	at->frame = (uint16_t)(inwards ? at->frame - 1 : at->frame + 1);
	at->level = 0;
	if (!inwards)
		return 0;
	if (functions_at(m, chain, at->frame, &functions, &nr))
		return -ENOMEM;
	at->level = (uint16_t)(nr - 1);
	return 0;
}

static int step(const struct making *m, const struct profile_chain *chain, struct chain_place *at)
{
	const uint32_t *functions;
	size_t nr;

	if (m->options->caller_first) {
		if (!at->level)
			return next_frame(m, chain, at);
		at->level--;
		return 0;
	}
	if (functions_at(m, chain, at->frame, &functions, &nr))
		return -ENOMEM;
	if (at->level + 1u == nr)
		return next_frame(m, chain, at);
	at->level++;
	return 0;
}

/* Move to the next function that is not left out. */
static int advance(const struct making *m, struct chain_place *at)
{
	const struct profile_chain chain = chain_of(m, at);
	const uint32_t *functions;
	size_t nr;

	for (;;) {
		if (step(m, &chain, at))
			return -ENOMEM;
		if (!m->options->hide_unresolved || at->frame == CHAIN_END)
			return 0;
		if (functions_at(m, &chain, at->frame, &functions, &nr))
			return -ENOMEM;
		if (!function_is_unknown(m->options->functions, functions[at->level]))
			return 0;
	}
}

static int advance_all(struct making *m, size_t first, size_t nr)
{
	call_tree_spend(m->tree->limits, CHAIN_STEPS * nr);
	for (size_t i = first; i < first + nr; i++)
		if (advance(m, &m->chains[i]))
			return -ENOMEM;
	return 0;
}

/* ---- equal parts of chains ------------------------------------------------------------------- */

/* Store the next function of each chain of a group in m->functions. ret_alike: whether all are
 * equal. */
static int read_functions(struct making *m, const struct group *g, bool *ret_alike)
{
	const uint32_t *functions;
	size_t nr;

	*ret_alike = true;
	for (size_t i = g->first; i < g->first + g->nr; i++) {
		const struct chain_place *at = &m->chains[i];
		const struct profile_chain chain = chain_of(m, at);

		m->functions[i] = FUNCTION_NONE;
		if (at->frame != CHAIN_END) {
			if (functions_at(m, &chain, at->frame, &functions, &nr))
				return -ENOMEM;
			m->functions[i] = functions[at->level];
		}
		*ret_alike &= m->functions[i] == m->functions[g->first];
	}
	return 0;
}

static uint64_t age_of(const struct making *m, size_t first, uint32_t depth)
{
	return (uint64_t)m->chains[first].row << 16 | depth;
}

static int add_node(struct making *m, struct group *g, uint32_t function)
{
	g->depth++;
	g->node = call_tree_add(m->tree, g->node, function, g->weight, g->nr_samples,
				age_of(m, g->first, g->depth));
	return g->node == CALL_TREE_NONE ? -ENOMEM : 0;
}

static bool same_place(const struct function_place *a, const struct function_place *b)
{
	return a->frame == b->frame && a->is_caller == b->is_caller;
}

/* The number of equal frames, from one of x and one of y on; more may follow. */
static size_t same_from(const struct profile_chain *x, size_t at_x, const struct profile_chain *y,
			size_t at_y, bool inwards)
{
	if (at_x < x->kernel.nr && at_y < y->kernel.nr)
		return frame_chain_shared(&x->kernel, at_x, &y->kernel, at_y, inwards);
	if (at_x >= x->kernel.nr && at_y >= y->kernel.nr)
		return frame_chain_shared(&x->user, at_x - x->kernel.nr, &y->user,
					  at_y - y->kernel.nr, inwards);
	return 0; /* user-space frames are not kernel addresses */
}

static size_t min_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The number of frames after a place of x that are equal to those of y; at most max. The innermost
 * frame is never among them, because its functions may differ from those of the same frame
 * elsewhere. */
static size_t count_same(const struct making *m, const struct profile_chain *x, size_t at_x,
			 const struct profile_chain *y, size_t at_y, size_t max)
{
	const bool inwards = m->options->caller_first;
	size_t nr = 0, nr_runs = 0, more;

	if (inwards)
		max = min_of(max, min_of(at_x ? at_x - 1 : 0, at_y ? at_y - 1 : 0));
	else
		max = min_of(max, min_of(x->nr - 1 - at_x, y->nr - 1 - at_y));
	for (; nr < max; nr += more, nr_runs++) {
		more = inwards ? same_from(x, at_x - nr - 1, y, at_y - nr - 1, true)
			       : same_from(x, at_x + nr + 1, y, at_y + nr + 1, false);
		if (!more)
			break;
	}
	call_tree_spend(m->tree->limits, CHAIN_STEPS + nr_runs);
	return min_of(nr, max);
}

/* Whether all chains of a group are at the same place, and the number of equal frames after it.
 * Comparing frames is much faster than comparing the functions of each. */
static bool are_together(const struct making *m, const struct group *g, size_t *ret_nr_frames)
{
	const struct chain_place *first = &m->chains[g->first];
	const struct profile_chain chain = chain_of(m, first);
	struct function_place place;
	size_t nr = PROFILE_FRAMES_MAX;

	if (first->frame == CHAIN_END)
		return false;
	place = function_place_in(&chain, first->frame);
	for (size_t i = g->first; i < g->first + g->nr; i++) {
		const struct chain_place *at = &m->chains[i];
		const struct profile_chain other = chain_of(m, at);
		struct function_place others;

		if (at->level != first->level || at->frame == CHAIN_END)
			return false;
		others = function_place_in(&other, at->frame);
		if (!same_place(&place, &others))
			return false;
		nr = count_same(m, &chain, first->frame, &other, at->frame, nr);
	}
	*ret_nr_frames = nr;
	return true;
}

/* Add the functions of this number of further frames, which all chains have; then they are at the
 * last one. */
static int follow_common(struct making *m, struct group *g, size_t nr_frames)
{
	const bool inwards = m->options->caller_first;
	struct chain_place at = m->chains[g->first];
	const struct profile_chain chain = chain_of(m, &at);
	const size_t last = inwards ? at.frame - nr_frames : at.frame + nr_frames;
	const uint32_t *functions;
	size_t nr;

	while (g->depth < CHAIN_MAX) {
		call_tree_spend(m->tree->limits, 2);
		if (advance(m, &at))
			return -ENOMEM;
		if (at.frame == CHAIN_END || (inwards ? at.frame < last : at.frame > last))
			break;
		if (functions_at(m, &chain, at.frame, &functions, &nr) ||
		    add_node(m, g, functions[at.level]))
			return -ENOMEM;
	}
	if (functions_at(m, &chain, last, &functions, &nr))
		return -ENOMEM;
	for (size_t i = g->first; i < g->first + g->nr; i++) {
		struct chain_place *to = &m->chains[i];

		to->frame = (uint16_t)(inwards ? to->frame - nr_frames : to->frame + nr_frames);
		to->level = (uint16_t)(inwards ? 0 : nr - 1);
	}
	return 0;
}

/* All are at the same place, and have this number of equal frames after it. */
static int follow(struct making *m, struct group *g, size_t nr_frames)
{
	const struct chain_place *first = &m->chains[g->first];
	const struct profile_chain chain = chain_of(m, first);
	const uint32_t *functions;
	size_t nr;

	if (functions_at(m, &chain, first->frame, &functions, &nr) ||
	    add_node(m, g, functions[first->level]) ||
	    (nr_frames && follow_common(m, g, nr_frames)))
		return -ENOMEM;
	return advance_all(m, g->first, g->nr);
}

/* ---- dividing groups ------------------------------------------------------------------------- */

static int grow(struct making *m, struct group g);

/* The weights of the parts of a group. */
static int weigh_parts(const struct making *m, const struct group *g, struct table *parts)
{
	for (size_t i = g->first; i < g->first + g->nr; i++) {
		const struct profile_row *row = row_of(m, &m->chains[i]);
		const uint64_t function = m->functions[i];
		struct part *part = table_insert(parts, &function);

		if (!part)
			return -ENOMEM;
		part->weight += row->period;
		part->nr_samples += row->nr;
		part->nr++;
	}
	return 0;
}

/* Keep the chains of the parts to show, sorted by part. */
static void keep_shown(struct making *m, const struct group *g, const struct table *parts)
{
	size_t end = g->first;

	for (uint32_t i = 0; i < parts->nr; i++) {
		struct part *part = table_row(parts, i);

		part->first = end;
		end += part->is_shown ? part->nr : 0;
	}
	for (size_t i = g->first; i < g->first + g->nr; i++) {
		const uint64_t function = m->functions[i];
		struct part *part = table_find(parts, &function);

		if (part->is_shown)
			m->divided[part->first++] = m->chains[i];
	}
	memcpy(m->chains + g->first, m->divided + g->first, (end - g->first) * sizeof(*m->chains));
}

/* Mark the parts to show. Returns their number. */
static size_t choose_shown(const struct making *m, const struct group *g, const struct table *parts)
{
	const uint64_t end = FUNCTION_NONE;
	const struct part *ends = table_find(parts, &end);
	const uint64_t min = call_tree_min(m->options->shape, m->options->whole,
					   g->weight - (ends ? ends->weight : 0));
	uint32_t nr = 0, nr_others = parts->nr - (ends != NULL);

	if (ends)
		call_tree_end(m->tree, g->node, ends->weight, ends->nr_samples);
	for (uint32_t i = 0; i < parts->nr; i++) {
		struct part *part = table_row(parts, i);

		part->is_shown = part->function != FUNCTION_NONE && part->weight >= min;
		nr += part->is_shown;
	}
	call_tree_leave_out(m->tree, g->node, nr_others - nr);
	return nr;
}

/* Divide a group; *ret_groups has the parts, and the caller frees it. */
static int make_groups(struct making *m, const struct group *g, const struct table *parts,
		       struct group **ret_groups, size_t *ret_nr)
{
	const size_t nr = choose_shown(m, g, parts);
	struct group *groups = calloc(nr + 1, sizeof(*groups));
	size_t at = 0;

	*ret_groups = groups;
	*ret_nr = nr;
	if (!groups)
		return -ENOMEM;
	keep_shown(m, g, parts);
	for (uint32_t i = 0; i < parts->nr; i++) {
		const struct part *part = table_row(parts, i);

		if (!part->is_shown)
			continue;
		groups[at] = (struct group){.first = part->first - part->nr,
					    .nr = part->nr,
					    .weight = part->weight,
					    .nr_samples = part->nr_samples,
					    .node = g->node,
					    .depth = g->depth};
		if (add_node(m, &groups[at++], (uint32_t)part->function))
			return -ENOMEM;
	}
	return 0;
}

static int divide(struct making *m, const struct group *g)
{
	struct table parts;
	struct group *groups = NULL;
	size_t nr = 0;
	int ret;

	call_tree_spend(m->tree->limits, DIVIDE_STEPS * g->nr);
	table_init(&parts, sizeof(struct part), sizeof(uint64_t));
	ret = weigh_parts(m, g, &parts);
	if (!ret)
		ret = make_groups(m, g, &parts, &groups, &nr);
	table_deinit(&parts);
	for (size_t i = 0; i < nr && !ret; i++) {
		ret = advance_all(m, groups[i].first, groups[i].nr);
		if (!ret)
			ret = grow(m, groups[i]);
	}
	free(groups);
	return ret;
}

static int grow(struct making *m, struct group g)
{
	while (g.depth < CHAIN_MAX && call_tree_has_room(m->tree)) {
		size_t nr_frames;
		bool alike;

		if (are_together(m, &g, &nr_frames)) {
			if (follow(m, &g, nr_frames))
				return -ENOMEM;
			continue;
		}
		if (read_functions(m, &g, &alike))
			return -ENOMEM;
		if (!alike)
			return divide(m, &g);
		if (m->functions[g.first] == FUNCTION_NONE)
			break;
		if (add_node(m, &g, m->functions[g.first]) || advance_all(m, g.first, g.nr))
			return -ENOMEM;
	}
	call_tree_end(m->tree, g.node, g.weight, g.nr_samples);
	return 0;
}

int chain_tree_make(struct call_tree *tree, const struct chain_tree_options *options,
		    const struct chain_place *chains, size_t nr)
{
	struct making m = {.tree = tree, .options = options};
	struct group all = {.nr = nr};
	int ret = -ENOMEM;

	if (!nr)
		return 0;
	for (size_t i = 0; i < nr; i++) {
		all.weight += row_of(&m, &chains[i])->period;
		all.nr_samples += row_of(&m, &chains[i])->nr;
	}
	all.node = call_tree_add(tree, CALL_TREE_NONE, 0, all.weight, all.nr_samples, 0);
	m.chains = calloc(nr, sizeof(*m.chains));
	m.divided = calloc(nr, sizeof(*m.divided));
	m.functions = calloc(nr, sizeof(*m.functions));
	if (m.chains && m.divided && m.functions && all.node != CALL_TREE_NONE) {
		memcpy(m.chains, chains, nr * sizeof(*chains));
		ret = grow(&m, all);
	}
	free(m.chains);
	free(m.divided);
	free(m.functions);
	return ret;
}
