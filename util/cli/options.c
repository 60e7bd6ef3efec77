// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/base/units.h"
#include "util/cli/similar.h"
#include "util/cli/subcommand.h"

/* An option as written on the command line; text is not NUL-terminated. */
struct typed {
	const char *dashes;
	const char *text;
	int len;
};

#define TYPED_FMT     "'%s%.*s'"
#define TYPED_ARGS(t) (t)->dashes, (t)->len > 80 ? 80 : (t)->len, (t)->text

static bool takes_no_argument(const struct option *opt)
{
	return opt->type == OPTION_BOOL || opt->type == OPTION_COUNT || (opt->flags & OPTION_NOARG);
}

static bool is_negatable(const struct option *opt)
{
	return opt->type == OPTION_BOOL || opt->type == OPTION_COUNT ||
	       (opt->flags & OPTION_NEGATABLE);
}

/* An option that was found, and the struct that it is for. */
struct found {
	struct option opt;
	void *into;
};

static bool find_short(const struct option *table, void *into, char c, struct found *ret_found)
{
	const struct option *opt;
	struct option_walk w;

	option_walk_init(&w, table, into);
	while ((opt = option_walk_next(&w, &into)))
		if (opt->type != OPTION_GROUP && opt->short_name == c) {
			if (ret_found)
				*ret_found = (struct found){*opt, into};
			return true;
		}
	return false;
}

static int number(const struct option *opt, uint64_t *ret_number, const struct typed *typed,
		  const char *arg, struct error *err)
{
	bool size = opt->type == OPTION_SIZE;
	uint64_t v = 0;
	int ret = size ? units_parse_size(arg, &v) : units_parse_u64(arg, &v);

	if (!ret && v >= opt->min && v <= opt->max) {
		*ret_number = v;
		return 0;
	}
	if (ret == -EINVAL)
		return error_set(err, EINVAL, "option " TYPED_FMT " needs a %s, not '%.200s'",
				 TYPED_ARGS(typed), size ? "size such as 512K" : "number", arg);
	if (opt->max != UINT64_MAX)
		return error_set(err, EINVAL,
				 "option " TYPED_FMT " needs a %s from %" PRIu64 " to %" PRIu64
				 ", not '%.200s'",
				 TYPED_ARGS(typed), size ? "size" : "number", opt->min, opt->max,
				 arg);
	if (ret == -ERANGE)
		return error_set(err, EINVAL, "option " TYPED_FMT ": '%.200s' is too big",
				 TYPED_ARGS(typed), arg);
	return error_set(err, EINVAL,
			 "option " TYPED_FMT " needs a %s of at least %" PRIu64 ", not '%.200s'",
			 TYPED_ARGS(typed), size ? "size" : "number", opt->min, arg);
}

static int apply(const struct found *found, const struct typed *typed, const char *arg, bool unset,
		 struct error *err)
{
	const struct option *opt = &found->opt;
	void *member = (char *)found->into + opt->offset;
	int ret;

	switch (opt->type) {
	case OPTION_BOOL:
		*(bool *)member = !unset;
		return 0;
	case OPTION_COUNT:
		*(int *)member = unset ? 0 : *(int *)member + 1;
		return 0;
	case OPTION_STRING:
		*(const char **)member = unset ? NULL : arg;
		return 0;
	case OPTION_U64:
	case OPTION_SIZE:
		if (!unset)
			return number(opt, member, typed, arg, err);
		*(uint64_t *)member = 0;
		return 0;
	case OPTION_CALLBACK:
		ret = opt->callback(opt, found->into, arg, unset, err);
		if (ret)
			error_prefix(err, "option " TYPED_FMT, TYPED_ARGS(typed));
		return ret;
	case OPTION_END:
	case OPTION_GROUP:
	case OPTION_INCLUDE:
	case OPTION_EACH:
		break;
	}
	return error_set(err, EINVAL, "option " TYPED_FMT " is not an option", TYPED_ARGS(typed));
}

/* The cursor over the command line: pos is the current argument. */
struct cursor {
	const struct options *options;
	void *into;
	const char **argv;
	int argc;
	int pos;
	int deferred; /* words for the subcommand so far, from argv[1] on */
};

/* The argument of an option that needs one, from the next word. */
static int next_argument(struct cursor *cur, const struct typed *typed, const char **ret_arg,
			 struct error *err)
{
	if (cur->pos + 1 >= cur->argc)
		return error_set(err, EINVAL, "option " TYPED_FMT " needs an argument",
				 TYPED_ARGS(typed));
	*ret_arg = cur->argv[++cur->pos];
	return 0;
}

#define CANDIDATES_MAX 8

/* What a long name, complete or a prefix, was found to mean. */
struct match {
	struct found found; /* unless it is --help */
	bool unset;
	bool help;
	bool exact;
	bool differ; /* some take an argument and some do not */
	unsigned int nr;
	struct {
		const char *no, *name;
	} candidates[CANDIDATES_MAX];
};

static void match_add(struct match *m, const struct option *opt, void *into, bool unset,
		      const char *no, const char *name, bool exact)
{
	bool no_argument = !opt || unset || takes_no_argument(opt);

	if (exact && !m->exact)
		m->nr = 0;
	else if (m->exact)
		return;
	/* several subcommands have it */
	for (unsigned int i = 0; i < m->nr && i < CANDIDATES_MAX; i++)
		if (!strcmp(m->candidates[i].no, no) && !strcmp(m->candidates[i].name, name))
			return;
	m->differ = m->nr && (m->differ || no_argument != (m->help || m->unset ||
							   takes_no_argument(&m->found.opt)));
	m->help = !opt;
	m->unset = unset;
	m->exact = exact;
	if (opt)
		m->found = (struct found){*opt, into};
	if (m->nr < CANDIDATES_MAX) {
		m->candidates[m->nr].no = no;
		m->candidates[m->nr].name = name;
	}
	m->nr++;
}

static int error_ambiguous(const struct match *m, const struct typed *typed, struct error *err)
{
	char names[160] = "";
	size_t used = 0;

	for (unsigned int i = 0; i < m->nr && i < CANDIDATES_MAX && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s'--%s%s'",
					 i ? ", " : "", m->candidates[i].no, m->candidates[i].name);
	return error_set(err, EINVAL, "option " TYPED_FMT " is ambiguous, it may be %s",
			 TYPED_ARGS(typed), names);
}

/* Compare a name with what was typed: 2 if equal, 1 if typed is a prefix of it, 0 if neither. */
static int compare(const char *name, const char *text, size_t len)
{
	if (strncmp(name, text, len))
		return 0;
	return name[len] ? 1 : 2;
}

/* Add to *m what the name may mean in a table. */
static void match_table(const struct option *table, void *into, const char *text, size_t len,
			struct match *m)
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

/* In the table itself, which always has --help. */
static void match_own(const struct cursor *cur, const char *text, size_t len, struct match *m)
{
	int how = compare("help", text, len);

	memset(m, 0, sizeof(*m));
	match_table(cur->options->table, cur->into, text, len, m);
	if (how)
		match_add(m, NULL, NULL, false, "", "help", how == 2);
}

/* In the tables of subcommands. */
static void match_subcommands(const struct subcommand *const *commands, const char *text,
			      size_t len, struct match *m)
{
	memset(m, 0, sizeof(*m));
	for (; commands && *commands; commands++)
		if ((*commands)->options)
			match_table((*commands)->options->table, NULL, text, len, m);
}

/* The visible long name of a table most similar to the typed one, if closer than *best. */
static void similar_in(const struct option *table, const char *typed, unsigned int *best_distance,
		       const char **best)
{
	const struct option *opt;
	struct option_walk w;
	void *into;

	option_walk_init(&w, table, NULL);
	while ((opt = option_walk_next(&w, &into))) {
		unsigned int d;

		if (!option_is_shown(opt) || !opt->long_name)
			continue;
		d = similar_distance(typed, opt->long_name);
		if (d < *best_distance && d < strlen(opt->long_name) &&
		    similar_is_close(typed, d)) {
			*best = opt->long_name;
			*best_distance = d;
		}
	}
}

static const char *similar_long(const struct options *options, const char *text, size_t len)
{
	const struct subcommand *const *commands = options->subcommands;
	const char *best = NULL;
	char typed[SIMILAR_MAX + 1];
	unsigned int best_distance = SIMILAR_MAX;

	if (len > SIMILAR_MAX)
		return NULL;
	memcpy(typed, text, len);
	typed[len] = '\0';
	similar_in(options->table, typed, &best_distance, &best);
	for (; commands && *commands; commands++)
		if ((*commands)->options)
			similar_in((*commands)->options->table, typed, &best_distance, &best);
	return best;
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
 * If siblings have the option, by its long name or, if that is NULL, by its letter: the error that
 * says which ones do.  0: none does.
 */
static int error_of_siblings(const struct options *options, const struct typed *typed,
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
				    : find_short(o->table, NULL, letter, NULL))) {
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

static int unknown_long(const struct options *options, const struct typed *typed, struct error *err)
{
	const char *similar = similar_long(options, typed->text, (size_t)typed->len);
	struct match m;
	int ret;

	match_subcommands(options->siblings, typed->text, (size_t)typed->len, &m);
	if (m.nr == 1) {
		ret = error_of_siblings(options, typed, m.found.opt.long_name, 0, err);
		if (ret)
			return ret;
	}
	if (similar)
		return error_set(err, EINVAL, "unknown option " TYPED_FMT ", did you mean '--%s'?",
				 TYPED_ARGS(typed), similar);
	return error_set(err, EINVAL, "unknown option " TYPED_FMT, TYPED_ARGS(typed));
}

/* Keep the current word for the subcommand. */
static void defer_word(struct cursor *cur)
{
	cur->argv[1 + cur->deferred++] = cur->argv[cur->pos];
}

/* A long option of the subcommands: keep it for them, with its argument. */
static int defer_long(struct cursor *cur, const struct typed *typed, bool has_arg,
		      struct error *err)
{
	const char *arg;
	struct match m;
	int ret;

	match_subcommands(cur->options->subcommands, typed->text, (size_t)typed->len, &m);
	if (!m.nr)
		return unknown_long(cur->options, typed, err);
	if (m.differ)
		return error_ambiguous(&m, typed, err);
	defer_word(cur);
	if (has_arg || m.unset || takes_no_argument(&m.found.opt) ||
	    (m.found.opt.flags & OPTION_OPTARG))
		return 0;
	ret = next_argument(cur, typed, &arg, err);
	if (!ret)
		defer_word(cur);
	return ret;
}

static int parse_long(struct cursor *cur, struct error *err)
{
	const char *text = cur->argv[cur->pos] + 2;
	size_t len = strcspn(text, "=");
	const char *arg = text[len] ? text + len + 1 : NULL;
	struct typed typed = {"--", text, (int)(len > 80 ? 80 : len)};
	struct match m;
	int ret;

	if (!len)
		return error_set(err, EINVAL, "unknown option '%.80s'", cur->argv[cur->pos]);
	match_own(cur, text, len, &m);
	if (!m.nr && cur->options->subcommands)
		return defer_long(cur, &typed, arg != NULL, err);
	if (!m.nr)
		return unknown_long(cur->options, &typed, err);
	if (m.nr > 1)
		return error_ambiguous(&m, &typed, err);
	if (arg && (m.help || m.unset || takes_no_argument(&m.found.opt)))
		return error_set(err, EINVAL, "option " TYPED_FMT " takes no argument",
				 TYPED_ARGS(&typed));
	if (m.help)
		return OPTIONS_HELP;
	if (!arg && !m.unset && !takes_no_argument(&m.found.opt) &&
	    !(m.found.opt.flags & OPTION_OPTARG)) {
		ret = next_argument(cur, &typed, &arg, err);
		if (ret)
			return ret;
	}
	return apply(&m.found, &typed, arg, m.unset, err);
}

static int unknown_short(const struct options *options, const char *word, const char *p,
			 struct error *err)
{
	struct typed typed = {"-", p, 1};
	int ret = error_of_siblings(options, &typed, NULL, *p, err);
	/* a whole UTF-8 character, not its first byte */
	int n = 1;

	if (ret)
		return ret;
	while (((unsigned char)p[n] & 0xc0) == 0x80)
		n++;
	if (word[2])
		return error_set(err, EINVAL, "unknown option '-%.*s' in '%.80s'", n, p, word);
	return error_set(err, EINVAL, "unknown option '-%.*s'", n, p);
}

static bool find_deferred(const struct options *options, char c, struct found *ret_found)
{
	const struct subcommand *const *commands = options->subcommands;

	for (; commands && *commands; commands++)
		if ((*commands)->options &&
		    find_short((*commands)->options->table, NULL, c, ret_found))
			return true;
	return false;
}

/* -caller is --caller with a missing dash, never -c with the argument "aller". */
static bool lost_a_dash(const struct cursor *cur, const char *word)
{
	struct match m;

	if (strlen(word) <= 3)
		return false;
	match_own(cur, word + 1, strlen(word + 1), &m);
	if (!m.exact)
		match_subcommands(cur->options->subcommands, word + 1, strlen(word + 1), &m);
	if (!m.exact)
		match_subcommands(cur->options->siblings, word + 1, strlen(word + 1), &m);
	return m.exact;
}

/* One word of short options: -f, -fv, -l5, -l 5. */
static int parse_short(struct cursor *cur, struct error *err)
{
	const char *word = cur->argv[cur->pos];
	bool deferred = false;

	if (lost_a_dash(cur, word))
		return error_set(err, EINVAL, "unknown option '%.80s', did you mean '-%s'?", word,
				 word);
	for (const char *p = word + 1; *p; p++) {
		struct typed typed = {"-", p, 1};
		struct found found;
		bool own = find_short(cur->options->table, cur->into, *p, &found);
		const char *arg = NULL;
		bool last = true;
		int ret;

		if (!own && *p == 'h')
			return OPTIONS_HELP;
		if (!own && !find_deferred(cur->options, *p, &found))
			return unknown_short(cur->options, word, p, err);
		/* the whole word: a command with subcommands has no short options besides theirs */
		if (!own && !deferred) {
			defer_word(cur);
			deferred = true;
		}
		if (takes_no_argument(&found.opt)) {
			last = false;
		} else if (p[1]) {
			arg = p + 1;
		} else if (!(found.opt.flags & OPTION_OPTARG)) {
			ret = next_argument(cur, &typed, &arg, err);
			if (ret)
				return ret;
			if (!own)
				defer_word(cur);
		}
		ret = own ? apply(&found, &typed, arg, false, err) : 0;
		if (ret || last)
			return ret;
	}
	return 0;
}

/* What remains is the subcommand, the options kept for it, and what comes after it. */
static int gather(struct cursor *cur)
{
	int left = 0;

	if (cur->pos < cur->argc) {
		cur->argv[0] = cur->argv[cur->pos++];
		left = 1 + cur->deferred;
	}
	return left;
}

int options_parse(const struct options *options, void *into, int argc, const char **argv,
		  unsigned int flags, int *ret_argc, struct error *err)
{
	bool stop = options->subcommands || flags & OPTIONS_STOP_AT_NON_OPTION;
	struct cursor cur = {
		.options = options, .into = into, .argv = argv, .argc = argc, .pos = 1};
	int left = 0;

	for (; cur.pos < argc; cur.pos++) {
		const char *word = argv[cur.pos];
		int ret;

		if (word[0] != '-' || !word[1]) {
			if (stop)
				break;
			argv[left++] = word;
			continue;
		}
		if (!strcmp(word, "--")) {
			cur.pos++;
			break;
		}
		ret = word[1] == '-' ? parse_long(&cur, err) : parse_short(&cur, err);
		if (ret < 0 && err && options->command) {
			size_t n = strlen(err->msg);

			snprintf(err->msg + n, sizeof(err->msg) - n, " (see '%s --help')",
				 options->command);
		}
		if (ret)
			return ret;
	}
	if (options->subcommands)
		left = gather(&cur);
	while (cur.pos < argc)
		argv[left++] = argv[cur.pos++];
	if (left < argc)
		argv[left] = NULL;
	*ret_argc = left;
	return 0;
}
