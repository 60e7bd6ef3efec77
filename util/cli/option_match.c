// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/cli/option_match.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/cli/similar.h"
#include "util/cli/subcommand.h"

bool option_takes_no_argument(const struct option *opt)
{
	return opt->type == OPTION_BOOL || opt->type == OPTION_COUNT || (opt->flags & OPTION_NOARG);
}

static bool is_negatable(const struct option *opt)
{
	return opt->type == OPTION_BOOL || opt->type == OPTION_COUNT ||
	       (opt->flags & OPTION_NEGATABLE);
}

bool option_find_short(const struct option *table, void *into, char c,
		       struct found_option *ret_found)
{
	const struct option *opt;
	struct option_walk w;

	option_walk_init(&w, table, into);
	while ((opt = option_walk_next(&w, &into)))
		if (opt->type != OPTION_GROUP && opt->short_name == c) {
			if (ret_found)
				*ret_found = (struct found_option){*opt, into};
			return true;
		}
	return false;
}

static void match_add(struct option_match *m, const struct option *opt, void *into, bool unset,
		      const char *no, const char *name, bool exact)
{
	bool no_argument = !opt || unset || option_takes_no_argument(opt);

	if (exact && !m->exact)
		m->nr = 0;
	else if (m->exact)
		return;
	/* several subcommands have it */
	for (unsigned int i = 0; i < m->nr && i < CANDIDATES_MAX; i++)
		if (!strcmp(m->candidates[i].no, no) && !strcmp(m->candidates[i].name, name))
			return;
	m->differ =
		m->nr && (m->differ || no_argument != (m->help || m->unset ||
						       option_takes_no_argument(&m->found.opt)));
	m->help = !opt;
	m->unset = unset;
	m->exact = exact;
	if (opt)
		m->found = (struct found_option){*opt, into};
	if (m->nr < CANDIDATES_MAX) {
		m->candidates[m->nr].no = no;
		m->candidates[m->nr].name = name;
	}
	m->nr++;
}

int option_error_ambiguous(const struct option_match *m, const struct typed_option *typed,
			   struct error *err)
{
	char names[160] = "";
	size_t used = 0;

	for (unsigned int i = 0; i < m->nr && i < CANDIDATES_MAX && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s'--%s%s'",
					 i ? ", " : "", m->candidates[i].no, m->candidates[i].name);
	return error_set(err, EINVAL, "option " TYPED_FMT " is ambiguous, it may be %s",
			 TYPED_ARGS(typed), names);
}

/* Compare a name with the typed text: 2 if equal, 1 if the text is a prefix of it, 0 if neither. */
static int compare(const char *name, const char *text, size_t len)
{
	if (strncmp(name, text, len))
		return 0;
	return name[len] ? 1 : 2;
}

/* Add the name's possible meanings in a table to *m. */
static void match_table(const struct option *table, void *into, const char *text, size_t len,
			struct option_match *m)
{
	const struct option *opt;
	struct option_walk w;
	int how;

	option_walk_init(&w, table, into);
	while ((opt = option_walk_next(&w, &into))) {
		int whole_only = opt->flags & OPTION_HIDDEN ? 2 : 1;
		const char *name = opt->long_name;

		if (opt->type == OPTION_GROUP || !name)
			continue;
		how = compare(name, text, len);
		if (how >= whole_only)
			match_add(m, opt, into, false, "", name, how == 2);
		if (!is_negatable(opt))
			continue;
		if (!strncmp(name, "no-", 3)) {
			how = compare(name + 3, text, len);
			if (how >= whole_only)
				match_add(m, opt, into, true, "", name + 3, how == 2);
		} else if (len > 3 && !strncmp(text, "no-", 3)) {
			how = compare(name, text + 3, len - 3);
			if (how >= whole_only)
				match_add(m, opt, into, true, "no-", name, how == 2);
		}
	}
}

void option_match_own(const struct option *table, void *into, const char *text, size_t len,
		      struct option_match *m)
{
	int how = compare("help", text, len);

	memset(m, 0, sizeof(*m));
	match_table(table, into, text, len, m);
	if (how)
		match_add(m, NULL, NULL, false, "", "help", how == 2);
}

void option_match_subcommands(const struct subcommand *const *commands, const char *text,
			      size_t len, struct option_match *m)
{
	memset(m, 0, sizeof(*m));
	for (; commands && *commands; commands++)
		if ((*commands)->options)
			match_table((*commands)->options->table, NULL, text, len, m);
}

/* Try the visible long names of a table. */
static void similar_in(const struct option *table, struct similar *similar)
{
	const struct option *opt;
	struct option_walk w;
	void *into;

	option_walk_init(&w, table, NULL);
	while ((opt = option_walk_next(&w, &into)))
		if (option_is_shown(opt) && opt->long_name)
			similar_try(similar, opt->long_name, strlen(opt->long_name));
}

static const char *similar_long(const struct options *options, const char *text, size_t len)
{
	const struct subcommand *const *commands = options->subcommands;
	struct similar similar;

	similar_init(&similar, text, len);
	similar_in(options->table, &similar);
	for (; commands && *commands; commands++)
		if ((*commands)->options)
			similar_in((*commands)->options->table, &similar);
	return similar.best;
}

bool options_has(const struct option *table, const char *name)
{
	const struct option *opt;
	struct option_walk w;
	void *into;

	option_walk_init(&w, table, NULL);
	while ((opt = option_walk_next(&w, &into)))
		if (opt->type != OPTION_GROUP && opt->long_name && !strcmp(opt->long_name, name))
			return true;
	return false;
}

/*
 * If siblings have the option, by its long name or, if that is NULL, by its letter, set the error
 * that lists them. Returns 0 if none has it.
 */
static int error_of_siblings(const struct options *options, const struct typed_option *typed,
			     const char *name, char letter, struct error *err)
{
	const struct subcommand *const *c;
	const char *self = "this", *before = NULL;
	char whose[128] = "";
	size_t used = 0;

	for (c = options->siblings; c && *c; c++) {
		const struct options *o = (*c)->options;

		if (o == options || (o && o->table == options->table))
			self = (*c)->name;
		else if (o && (name ? options_has(o->table, name)
				    : option_find_short(o->table, NULL, letter, NULL))) {
			if (before && used < sizeof(whose))
				used += (size_t)snprintf(whose + used, sizeof(whose) - used, "%s%s",
							 used ? ", " : "", before);
			before = (*c)->name;
		}
	}
	if (!before)
		return 0;
	return error_set(err, EINVAL, "option " TYPED_FMT " is for %s%s%s, not for %s",
			 TYPED_ARGS(typed), whose, used ? " and " : "", before, self);
}

int option_error_unknown_long(const struct options *options, const struct typed_option *typed,
			      struct error *err)
{
	const char *similar = similar_long(options, typed->text, (size_t)typed->len);
	struct option_match m;
	int ret;

	option_match_subcommands(options->siblings, typed->text, (size_t)typed->len, &m);
	if (m.nr == 1) {
		ret = error_of_siblings(options, typed, m.found.opt.long_name, 0, err);
		if (ret)
			return ret;
	}
	if (similar)
		return error_set(err, EOPNOTSUPP,
				 "unknown option " TYPED_FMT ", did you mean '--%s'?",
				 TYPED_ARGS(typed), similar);
	return error_set(err, EOPNOTSUPP, "unknown option " TYPED_FMT, TYPED_ARGS(typed));
}

int option_error_unknown_short(const struct options *options, const char *word, const char *p,
			       struct error *err)
{
	struct typed_option typed = {"-", p, 1};
	int ret = error_of_siblings(options, &typed, NULL, *p, err);
	/* print a whole UTF-8 character, not its first byte */
	int n = 1;

	if (ret)
		return ret;
	while (((unsigned char)p[n] & 0xc0) == 0x80)
		n++;
	if (word[2])
		return error_set(err, EOPNOTSUPP, "unknown option '-%.*s' in '%.80s'", n, p, word);
	return error_set(err, EOPNOTSUPP, "unknown option '-%.*s'", n, p);
}
