// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/output/event_spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/cleanup.h"
#include "util/base/units.h"

static const struct {
	const char *value;
	enum callchain_mode mode;
} call_graph_values[] = {
	{"no", CALLCHAIN_NONE},
	{"kernel", CALLCHAIN_KERNEL},
	{"user", CALLCHAIN_USER},
};

static int parse_frames(struct event_spec *spec, const char *text, struct error *err)
{
	uint64_t n;

	if (units_parse_u64_bounded(text, 1, UINT16_MAX, &n))
		return error_set(err, EINVAL,
				 "event '%s:%s': max-stack is a number of frames, not '%s'",
				 spec->system, spec->name, text);
	spec->max_stack = (unsigned int)n;
	return 0;
}

static int parse_term(struct event_spec *spec, const char *term, struct error *err)
{
	static const char key[] = "call-graph=", frames_key[] = "max-stack=";

	if (!strcmp(term, "failed") || !strcmp(term, "optional")) {
		*(*term == 'f' ? &spec->failed_only : &spec->optional) = true;
		return 0;
	}
	if (!strncmp(term, frames_key, sizeof(frames_key) - 1))
		return parse_frames(spec, term + sizeof(frames_key) - 1, err);
	if (strncmp(term, key, sizeof(key) - 1))
		return error_set(
			err, EINVAL,
			"event '%s:%s': unknown term '%s'; known: call-graph=, max-stack=, "
			"failed, optional",
			spec->system, spec->name, term);
	term += sizeof(key) - 1;
	for (size_t i = 0; i < sizeof(call_graph_values) / sizeof(call_graph_values[0]); i++) {
		if (!strcmp(term, call_graph_values[i].value)) {
			spec->callchain = call_graph_values[i].mode;
			return 0;
		}
	}
	return error_set(err, EINVAL, "event '%s:%s': call-graph is no, kernel or user, not '%s'",
			 spec->system, spec->name, term);
}

/* Whether these are modifiers of a hardware or software event, as in "task-clock:u": stock has a
 * letter for each. */
static bool are_modifiers(const char *name)
{
	return !name[strspn(name, "ukhHGpPSDIWeRb")];
}

/* "system:name" or "system:name/terms/"; text may be modified. */
static int parse_spec(struct event_spec *spec, char *text, struct error *err)
{
	char *terms = strchr(text, '/'), *colon, *term;
	size_t len;

	if (terms) {
		*terms++ = '\0';
		len = strlen(terms);
		if (!len || terms[len - 1] != '/')
			return error_set(err, EINVAL,
					 "event '%s': the terms '%s' do not end in '/'", text,
					 terms);
		terms[len - 1] = '\0';
	}
	colon = strchr(text, ':');
	if (!colon || colon == text || strchr(colon + 1, ':') || are_modifiers(colon + 1))
		return error_set(err, EINVAL,
				 "'%s' is not an event: write SYSTEM:NAME, such as kmem:kmalloc",
				 text);
	*colon = '\0';
	spec->callchain = CALLCHAIN_DEFAULT;
	spec->system = strdup(text);
	spec->name = strdup(colon + 1);
	if (!spec->system || !spec->name)
		return error_nomem(err);
	while ((term = strsep(&terms, ","))) {
		int ret = parse_term(spec, term, err);

		if (ret)
			return ret;
	}
	return 0;
}

int event_spec_list_parse(struct event_spec_list *l, const char *text, struct error *err)
{
	_cleanup_free_ char *copy = strdup(text);
	char *start = copy;

	if (!copy)
		return error_nomem(err);
	l->nr_before = l->nr;
	while (start) {
		struct event_spec *specs;
		char *end = start;
		int in_terms = 0, ret;

		for (; *end && (in_terms || *end != ','); end++)
			if (*end == '/')
				in_terms = !in_terms;
		if (*end)
			*end++ = '\0';
		else
			end = NULL;
		specs = reallocarray(l->specs, l->nr + 1, sizeof(*specs));
		if (!specs)
			return error_nomem(err);
		l->specs = specs;
		/* Count it before it is parsed: deinit frees what a failure leaves behind. */
		specs[l->nr] = (struct event_spec){0};
		ret = parse_spec(&specs[l->nr++], start, err);
		if (ret)
			return ret;
		start = end;
	}
	return 0;
}

int event_spec_list_filter(struct event_spec_list *l, const char *filter, struct error *err)
{
	if (!l->nr)
		return error_set(err, EINVAL, "no event before the filter '%s'", filter);
	for (size_t i = l->nr_before; i < l->nr; i++) {
		free(l->specs[i].filter);
		l->specs[i].filter = strdup(filter);
		if (!l->specs[i].filter)
			return error_nomem(err);
	}
	return 0;
}

void event_spec_list_deinit(struct event_spec_list *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		free(l->specs[i].system);
		free(l->specs[i].name);
		free(l->specs[i].filter);
	}
	free(l->specs);
	*l = (struct event_spec_list)EVENT_SPEC_LIST_INIT;
}
