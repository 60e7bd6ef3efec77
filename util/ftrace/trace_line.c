// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/ftrace/trace_line.h"

#include <stdio.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* At most 19 digits, so that it cannot overflow. Returns the end of the number; NULL if there are
 * no digits. */
static const char *read_number(const char *at, const char *end, uint64_t *ret)
{
	uint64_t v = 0;
	int digits = 0;

	for (; at < end && is_digit(*at) && digits < 19; at++, digits++)
		v = v * 10 + (uint64_t)(*at - '0');
	*ret = v;
	return digits && (at == end || !is_digit(*at)) ? at : NULL;
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

static const char *skip_word(const char *at, const char *end)
{
	while (at < end && *at != ' ' && *at != '\t')
		at++;
	return at;
}

/* "25088.513499:" or, for a clock that does not count seconds, "12345:". Returns NULL for other
 * texts. */
static const char *read_time(const char *at, const char *end, uint64_t *ret_ns)
{
	uint64_t whole, part = 0;
	int digits = 0;

	at = read_number(at, end, &whole);
	if (!at)
		return NULL;
	if (at < end && *at == '.') {
		for (at++; at < end && is_digit(*at) && digits < 9; at++, digits++)
			part = part * 10 + (uint64_t)(*at - '0');
		if (!digits || whole > UINT32_MAX)
			return NULL;
		for (; digits < 9; digits++)
			part *= 10;
		whole = whole * 1000000000 + part;
	}
	*ret_ns = whole;
	return at < end && *at == ':' ? at + 1 : NULL;
}

/* Parse the text before "[CPU]": "COMM-PID", and perhaps "(TGID)". */
static bool parse_task(struct trace_line *l, const char *at, const char *end)
{
	const char *dash;
	uint64_t pid;

	while (end > at && end[-1] == ' ')
		end--;
	if (end > at && end[-1] == ')') {
		while (end > at && *end != '(')
			end--;
		while (end > at && end[-1] == ' ')
			end--;
	}
	for (dash = end; dash > at && is_digit(dash[-1]);)
		dash--;
	if (dash == at || dash[-1] != '-' || !read_number(dash, end, &pid) || pid > INT32_MAX)
		return false;
	l->comm = (struct text_part){at, (size_t)(dash - 1 - at)};
	l->pid = (uint32_t)pid;
	return true;
}

/* Parse the text after it: flags, which an option may disable, the time, the event. */
static bool parse_rest(struct trace_line *l, const char *at, const char *end)
{
	const char *after, *colon;

	l->flags = (struct text_part){NULL, 0};
	at = skip_blanks(at, end);
	after = read_time(at, end, &l->time_ns);
	if (!after) {
		l->flags = (struct text_part){at, (size_t)(skip_word(at, end) - at)};
		after = read_time(skip_blanks(at + l->flags.len, end), end, &l->time_ns);
	}
	if (!after)
		return false;
	at = skip_blanks(after, end);
	if ((size_t)(end - at) >= 13 && !memcmp(at, "<stack trace>", 13)) {
		l->kind = TRACE_LINE_STACK;
		return true;
	}
	colon = memchr(at, ':', (size_t)(end - at));
	if (!colon || skip_word(at, colon) != colon)
		return false;
	l->kind = TRACE_LINE_EVENT;
	l->name = (struct text_part){at, (size_t)(colon - at)};
	at = skip_blanks(colon + 1, end);
	l->fields = (struct text_part){at, (size_t)(end - at)};
	return true;
}

/* A thread's name may resemble the start of such a line, but is too short for all of it. */
static bool parse_event(struct trace_line *l, const char *at, const char *end)
{
	const char *bracket = skip_blanks(at, end), *start = bracket;

	while ((bracket = memchr(bracket, '[', (size_t)(end - bracket)))) {
		const char *close;
		uint64_t cpu;

		close = read_number(++bracket, end, &cpu);
		if (close && close < end && *close == ']' && cpu <= INT32_MAX &&
		    parse_task(l, start, bracket - 1) && parse_rest(l, close + 1, end)) {
			l->cpu = (int32_t)cpu;
			return true;
		}
	}
	return false;
}

/* "# entries-in-buffer/entries-written: 135301/135301   #P:2" */
static bool parse_comment(struct trace_line *l, const char *text, const char *end)
{
	static const char head[] = "# entries-in-buffer/entries-written: ";
	uint64_t in_buffer, written;
	const char *at;

	if ((size_t)(end - text) < sizeof(head) || memcmp(text, head, sizeof(head) - 1) != 0)
		return false;
	at = read_number(text + sizeof(head) - 1, end, &in_buffer);
	if (!at || at == end || *at != '/' || !read_number(at + 1, end, &written))
		return false;
	l->kind = TRACE_LINE_WRITTEN;
	l->nr = written > in_buffer ? written - in_buffer : 0;
	return true;
}

/* "CPU:1 [LOST 42 EVENTS]", "CPU:1 [LOST EVENTS]" */
static bool parse_lost(struct trace_line *l, const char *at, const char *end)
{
	uint64_t cpu;

	if ((size_t)(end - at) < 4 || memcmp(at, "CPU:", 4) != 0)
		return false;
	at = read_number(at + 4, end, &cpu);
	if (!at || (size_t)(end - at) < 7 || memcmp(at, " [LOST ", 7) != 0)
		return false;
	l->kind = TRACE_LINE_LOST;
	l->cpu = cpu <= INT32_MAX ? (int32_t)cpu : -1;
	if (!read_number(at + 7, end, &l->nr))
		l->nr = 1;
	return true;
}

void trace_line_parse(struct trace_line *l, const char *text, size_t len)
{
	const char *end = text + len, *at = skip_blanks(text, end);

	*l = (struct trace_line){.kind = TRACE_LINE_OTHER, .cpu = -1};
	if (end - at >= 3 && !memcmp(at, "=> ", 3)) {
		at = skip_blanks(at + 3, end);
		l->kind = TRACE_LINE_FRAME;
		l->fields = (struct text_part){at, (size_t)(end - at)};
		return;
	}
	if (parse_comment(l, text, end) || parse_lost(l, at, end))
		return;
	if (!parse_event(l, text, end))
		*l = (struct trace_line){.kind = TRACE_LINE_OTHER, .cpu = -1};
}

bool trace_line_field(const struct trace_line *l, const char *name, struct text_part *ret_value)
{
	const char *at = l->fields.at, *end = at + l->fields.len;
	size_t len = strlen(name);

	while (at < end) {
		const char *word_end = skip_word(at, end), *next = skip_blanks(word_end, end);

		if ((size_t)(word_end - at) > len && at[len] == '=' && !memcmp(at, name, len)) {
			if (next < end && *next == '[') {
				/* since 5.14 there may be a build id: "[ext4 5be5...]" */
				const char *close = memchr(next, ']', (size_t)(end - next));

				if (close)
					word_end = close + 1;
			}
			at += len + 1;
			*ret_value = (struct text_part){at, (size_t)(word_end - at)};
			return true;
		}
		at = next;
	}
	return false;
}
