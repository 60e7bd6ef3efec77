// SPDX-License-Identifier: GPL-2.0-or-later
/* options_parse(): turns the words of a command line into values of members and callbacks. */
#include "util/cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/base/units.h"
#include "util/cli/option_match.h"
#include "util/cli/option_values.h"
#include "util/cli/similar.h"
#include "util/cli/subcommand.h"

static int number(const struct option *opt, uint64_t *ret_number, const struct typed_option *typed,
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

/* Append to the error of a callback which word may have been meant. */
static void suggest(const struct option *opt, const char *arg, struct error *err)
{
	char similar[SIMILAR_MAX + 1];
	size_t n = strlen(err->msg);

	if (arg && *arg && !option_takes_list(opt) && !strstr(err->msg, "did you mean") &&
	    option_values_similar(opt, arg, similar, sizeof(similar)))
		snprintf(err->msg + n, sizeof(err->msg) - n, ", did you mean '%s'?", similar);
}

static int apply(const struct found_option *found, const struct typed_option *typed,
		 const char *arg, bool unset, struct error *err)
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
		ret = opt->callback(&(struct option_use){opt, found->into, arg, unset}, err);
		if (ret) {
			suggest(opt, arg, err);
			error_prefix(err, "option " TYPED_FMT, TYPED_ARGS(typed));
		}
		return ret;
	case OPTION_END:
	case OPTION_GROUP:
	case OPTION_INCLUDE:
	case OPTION_EACH:
		break;
	}
	return error_set(err, EINVAL, "option " TYPED_FMT " is not an option", TYPED_ARGS(typed));
}

/* The position on the command line; pos is the current argument. */
struct cursor {
	const struct options *options;
	void *into;
	const char **argv;
	int argc;
	int pos;
	int deferred; /* number of words kept for the subcommand, from argv[1] on */
};

static int use_option(const struct cursor *cur, const struct found_option *found,
		      const struct typed_option *typed, const char *arg, bool unset,
		      struct error *err)
{
	int ret = apply(found, typed, arg, unset, err);

	if (!ret && cur->options->used)
		cur->options->used(cur->into,
				   &(struct option_use){&found->opt, found->into, arg, unset});
	return ret;
}

/* Take the argument of an option that needs one from the next word. */
static int next_argument(struct cursor *cur, const struct typed_option *typed, const char **ret_arg,
			 struct error *err)
{
	if (cur->pos + 1 >= cur->argc)
		return error_set(err, EINVAL, "option " TYPED_FMT " needs an argument",
				 TYPED_ARGS(typed));
	*ret_arg = cur->argv[++cur->pos];
	return 0;
}

/* Whether the option may be used without an argument here. */
static bool may_lack_argument(const struct cursor *cur, const struct option *opt)
{
	if (!(opt->flags & OPTION_NEXT_WORD))
		return opt->flags & OPTION_OPTARG;
	return cur->pos + 1 >= cur->argc || cur->argv[cur->pos + 1][0] == '-';
}

/* Keep the current word for the subcommand. */
static void defer_word(struct cursor *cur)
{
	cur->argv[1 + cur->deferred++] = cur->argv[cur->pos];
}

/* Keep a long option of the subcommands, with its argument, for them. */
static int defer_long(struct cursor *cur, const struct typed_option *typed, bool has_arg,
		      struct error *err)
{
	const char *arg;
	struct option_match m;
	int ret;

	option_match_subcommands(cur->options->subcommands, typed->text, (size_t)typed->len, &m);
	if (!m.nr)
		return option_error_unknown_long(cur->options, typed, err);
	if (m.differ)
		return option_error_ambiguous(&m, typed, err);
	defer_word(cur);
	if (has_arg || m.unset || option_takes_no_argument(&m.found.opt) ||
	    (m.found.opt.flags & OPTION_OPTARG))
		return 0;
	ret = next_argument(cur, typed, &arg, err);
	if (!ret)
		defer_word(cur);
	return ret;
}

/* Whether a sibling has an option of exactly this name. */
static bool siblings_have(const struct options *options, const char *text, size_t len)
{
	struct option_match m;

	option_match_subcommands(options->siblings, text, len, &m);
	return m.exact;
}

static int parse_long(struct cursor *cur, struct error *err)
{
	const char *text = cur->argv[cur->pos] + 2;
	size_t len = strcspn(text, "=");
	const char *arg = text[len] ? text + len + 1 : NULL;
	struct typed_option typed = {"--", text, (int)(len > 80 ? 80 : len)};
	struct option_match m;
	int ret;

	if (!len)
		return error_set(err, EOPNOTSUPP, "unknown option '%.80s'", cur->argv[cur->pos]);
	option_match_own(cur->options->table, cur->into, text, len, &m);
	if (!m.nr && cur->options->subcommands)
		return defer_long(cur, &typed, arg != NULL, err);
	/* --percpu of a sibling is not an abbreviation of --percpu-mem */
	if (!m.nr || (!m.exact && siblings_have(cur->options, text, len)))
		return option_error_unknown_long(cur->options, &typed, err);
	if (m.nr > 1)
		return option_error_ambiguous(&m, &typed, err);
	if (arg && (m.help || m.unset || option_takes_no_argument(&m.found.opt)))
		return error_set(err, EINVAL, "option " TYPED_FMT " takes no argument",
				 TYPED_ARGS(&typed));
	if (m.help)
		return OPTIONS_HELP;
	if (!arg && !m.unset && !option_takes_no_argument(&m.found.opt) &&
	    !may_lack_argument(cur, &m.found.opt)) {
		ret = next_argument(cur, &typed, &arg, err);
		if (ret)
			return ret;
	}
	return use_option(cur, &m.found, &typed, arg, m.unset, err);
}

static bool find_deferred(const struct options *options, char c, struct found_option *ret_found)
{
	const struct subcommand *const *commands = options->subcommands;

	for (; commands && *commands; commands++)
		if ((*commands)->options &&
		    option_find_short((*commands)->options->table, NULL, c, ret_found))
			return true;
	return false;
}

/* -caller is --caller with a missing dash, never -c with the argument "aller". */
static bool lost_a_dash(const struct cursor *cur, const char *word)
{
	struct option_match m;

	if (strlen(word) <= 3)
		return false;
	option_match_own(cur->options->table, cur->into, word + 1, strlen(word + 1), &m);
	if (!m.exact)
		option_match_subcommands(cur->options->subcommands, word + 1, strlen(word + 1), &m);
	if (!m.exact)
		option_match_subcommands(cur->options->siblings, word + 1, strlen(word + 1), &m);
	return m.exact;
}

/* One word of short options: -f, -fv, -l5, -l 5. */
static int parse_short(struct cursor *cur, struct error *err)
{
	const char *word = cur->argv[cur->pos];
	bool deferred = false;

	if (lost_a_dash(cur, word))
		return error_set(err, EOPNOTSUPP, "unknown option '%.80s', did you mean '-%s'?",
				 word, word);
	for (const char *p = word + 1; *p; p++) {
		struct typed_option typed = {"-", p, 1};
		struct found_option found;
		bool own = option_find_short(cur->options->table, cur->into, *p, &found);
		const char *arg = NULL;
		bool last = true;
		int ret;

		if (!own && *p == 'h')
			return OPTIONS_HELP;
		if (!own && !find_deferred(cur->options, *p, &found))
			return option_error_unknown_short(cur->options, word, p, err);
		/* the whole word: a command with subcommands has no short options except theirs */
		if (!own && !deferred) {
			defer_word(cur);
			deferred = true;
		}
		if (option_takes_no_argument(&found.opt)) {
			last = false;
		} else if (p[1]) {
			arg = p + 1;
		} else if (!may_lack_argument(cur, &found.opt)) {
			ret = next_argument(cur, &typed, &arg, err);
			if (ret)
				return ret;
			if (!own)
				defer_word(cur);
		}
		ret = own ? use_option(cur, &found, &typed, arg, false, err) : 0;
		if (ret || last)
			return ret;
	}
	return 0;
}

/* Put together the subcommand, the options kept for it, and the arguments after it. */
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

/* ---- walking an option table and its includes ---- */

void option_walk_init(struct option_walk *w, const struct option *table, void *into)
{
	*w = (struct option_walk){.depth = 1};
	w->level[0].at = table;
	w->level[0].into = into;
}

const struct option *option_walk_next(struct option_walk *w, void **ret_into)
{
	while (w->depth) {
		const struct option *opt = w->level[w->depth - 1].at;
		char *into = w->level[w->depth - 1].into;
		char *inner = into ? into + opt->offset : NULL;

		if (opt->type == OPTION_END) {
			w->depth--;
			continue;
		}
		if (opt->type == OPTION_EACH && opt->make(w->nr_made, &w->made)) {
			w->nr_made++;
			*ret_into = inner;
			return &w->made;
		}
		w->nr_made = 0;
		w->level[w->depth - 1].at++;
		if (opt->type == OPTION_INCLUDE && w->depth < OPTION_DEPTH_MAX) {
			w->level[w->depth].at = opt->table;
			w->level[w->depth].into = inner;
			w->depth++;
		} else if (opt->type != OPTION_INCLUDE && opt->type != OPTION_EACH) {
			*ret_into = into;
			return opt;
		}
	}
	return NULL;
}
