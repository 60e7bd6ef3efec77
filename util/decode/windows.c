// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/decode/windows.h"

bool windows_before(const struct time_window *v, size_t nr, uint64_t time_ns)
{
	for (size_t i = 0; i < nr; i++)
		if (time_ns <= v[i].stop_ns)
			return false;
	return nr;
}

/* The first gapless part of the span that is covered. Returns false if there is none. */
static bool next_piece(const struct time_window *v, size_t nr, struct source_span span,
		       struct source_span *ret_piece)
{
	struct source_span piece = {span.stop_ns, 0};
	bool grows = false;

	for (size_t i = 0; i < nr; i++) {
		if (v[i].stop_ns < span.start_ns || v[i].start_ns > piece.start_ns)
			continue;
		piece.start_ns = v[i].start_ns > span.start_ns ? v[i].start_ns : span.start_ns;
		grows = true;
	}
	if (!grows)
		return false;
	piece.stop_ns = piece.start_ns;
	while (grows) {
		grows = false;
		for (size_t i = 0; i < nr; i++)
			if (v[i].start_ns <= piece.stop_ns && v[i].stop_ns > piece.stop_ns) {
				piece.stop_ns = v[i].stop_ns;
				grows = true;
			}
	}
	if (piece.stop_ns > span.stop_ns)
		piece.stop_ns = span.stop_ns;
	*ret_piece = piece;
	return true;
}

struct source_span windows_clip(const struct time_window *v, size_t nr, struct source_span span)
{
	struct source_span piece, all = {span.start_ns, span.start_ns};

	if (!nr)
		return span;
	for (bool first = true; next_piece(v, nr, span, &piece); first = false) {
		if (first)
			all.start_ns = piece.start_ns;
		all.stop_ns = piece.stop_ns;
		if (piece.stop_ns == span.stop_ns)
			break;
		span.start_ns = piece.stop_ns + 1;
	}
	return all;
}

uint64_t windows_length_ns(const struct time_window *v, size_t nr, struct source_span span)
{
	struct source_span piece;
	uint64_t sum = 0;

	if (!nr)
		return span.stop_ns - span.start_ns;
	while (span.start_ns < span.stop_ns && next_piece(v, nr, span, &piece)) {
		sum += piece.stop_ns - piece.start_ns;
		if (piece.stop_ns == span.stop_ns)
			break;
		span.start_ns = piece.stop_ns + 1;
	}
	return sum;
}
