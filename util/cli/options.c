// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/base/units.h"
#include "util/cli/similar.h"

/* An option as it stands on the command line; text is not NUL-terminated. */
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

static const struct option *find_short(const struct options *options, char c)
{
	for (const struct option *opt = options->table; opt->type != OPTION_END; opt++) {
		if (opt->type != OPTION_GROUP && opt->short_name == c)
			return opt;
	}
	return NULL;
}

static int number(const struct option *opt, const struct typed *typed, const char *arg,
		  struct error *err)
{
	bool size = opt->type == OPTION_SIZE;
	uint64_t v = 0;
	int ret = size ? units_parse_size(arg, &v) : units_parse_u64(arg, &v);

	if (!ret && v >= opt->min && v <= opt->max) {
		*opt->value.number = v;
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

static int apply(const struct option *opt, const struct typed *typed, const char *arg, bool unset,
		 struct error *err)
{
	int ret;

	switch (opt->type) {
	case OPTION_BOOL:
		*opt->value.flag = !unset;
		return 0;
	case OPTION_COUNT:
		*opt->value.count = unset ? 0 : *opt->value.count + 1;
		return 0;
	case OPTION_STRING:
		*opt->value.string = unset ? NULL : arg;
		return 0;
	case OPTION_U64:
	case OPTION_SIZE:
		if (!unset)
			return number(opt, typed, arg, err);
		*opt->value.number = 0;
		return 0;
	case OPTION_CALLBACK:
		ret = opt->callback(opt, arg, unset, err);
		if (ret)
			error_prefix(err, "option " TYPED_FMT, TYPED_ARGS(typed));
		return ret;
	case OPTION_END:
	case OPTION_GROUP:
		break;
	}
	return error_set(err, EINVAL, "option " TYPED_FMT " is not an option", TYPED_ARGS(typed));
}

/* The cursor over the command line: pos is the argument in hand. */
struct cursor {
	const struct options *options;
	const char **argv;
	int argc;
	int pos;
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

/* What a long name, whole or a prefix, was found to stand for. */
struct match {
	const struct option *opt; /* NULL: nothing, or --help */
	bool unset;
	bool help;
	bool exact;
	int count;
	char names[160]; /* of the candidates, for the error */
};

static void match_add(struct match *m, const struct option *opt, bool unset, const char *no,
		      const char *name, bool exact)
{
	size_t used;

	if (m->exact)
		return;
	if (exact)
		m->count = 0;
	if (!m->count)
		m->names[0] = '\0';
	m->opt = opt;
	m->help = !opt;
	m->unset = unset;
	m->exact = exact;
	m->count++;
	used = strlen(m->names);
	snprintf(m->names + used, sizeof(m->names) - used, "%s'--%s%s'", used ? ", " : "", no,
		 name);
}

/* Compare a name with what was typed: 2 the same, 1 typed is a prefix of it, 0 neither. */
static int compare(const char *name, const char *text, size_t len)
{
	if (strncmp(name, text, len))
		return 0;
	return name[len] ? 1 : 2;
}

static void match_long(const struct options *options, const char *text, size_t len, struct match *m)
{
	bool has_help = false;
	int how;

	memset(m, 0, sizeof(*m));
	for (const struct option *opt = options->table; opt->type != OPTION_END; opt++) {
		int whole_only = opt->flags & OPTION_HIDDEN ? 2 : 1;
		const char *name = opt->long_name;

		if (opt->type == OPTION_GROUP || !name)
			continue;
		if (!strcmp(name, "help"))
			has_help = true;
		how = compare(name, text, len);
		if (how >= whole_only)
			match_add(m, opt, false, "", name, how == 2);
		if (!is_negatable(opt))
			continue;
		if (!strncmp(name, "no-", 3)) {
			how = compare(name + 3, text, len);
			if (how >= whole_only)
				match_add(m, opt, true, "", name + 3, how == 2);
		} else if (len > 3 && !strncmp(text, "no-", 3)) {
			how = compare(name, text + 3, len - 3);
			if (how >= whole_only)
				match_add(m, opt, true, "no-", name, how == 2);
		}
	}
	how = compare("help", text, len);
	if (!has_help && how)
		match_add(m, NULL, false, "", "help", how == 2);
}

/* The visible long name that is most like the typed one, or NULL. */
static const char *similar_long(const struct options *options, const char *text, size_t len)
{
	const char *best = NULL;
	char typed[SIMILAR_MAX + 1];
	unsigned int best_distance = SIMILAR_MAX;

	if (len > SIMILAR_MAX)
		return NULL;
	memcpy(typed, text, len);
	typed[len] = '\0';
	for (const struct option *opt = options->table; opt->type != OPTION_END; opt++) {
		unsigned int d;

		if (opt->type == OPTION_GROUP || !opt->long_name || (opt->flags & OPTION_HIDDEN))
			continue;
		d = similar_distance(typed, opt->long_name);
		if (d < best_distance && d < strlen(opt->long_name) && similar_is_close(typed, d)) {
			best = opt->long_name;
			best_distance = d;
		}
	}
	return best;
}

static int unknown_long(const struct options *options, const struct typed *typed, struct error *err)
{
	const char *similar = similar_long(options, typed->text, typed->len);

	if (similar)
		return error_set(err, EINVAL, "unknown option " TYPED_FMT ", did you mean '--%s'?",
				 TYPED_ARGS(typed), similar);
	return error_set(err, EINVAL, "unknown option " TYPED_FMT, TYPED_ARGS(typed));
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
	match_long(cur->options, text, len, &m);
	if (!m.count)
		return unknown_long(cur->options, &typed, err);
	if (m.count > 1)
		return error_set(err, EINVAL, "option " TYPED_FMT " is ambiguous, it may be %s",
				 TYPED_ARGS(&typed), m.names);
	if (arg && (m.help || m.unset || takes_no_argument(m.opt)))
		return error_set(err, EINVAL, "option " TYPED_FMT " takes no argument",
				 TYPED_ARGS(&typed));
	if (m.help)
		return OPTIONS_HELP;
	if (!arg && !m.unset && !takes_no_argument(m.opt) && !(m.opt->flags & OPTION_OPTARG)) {
		ret = next_argument(cur, &typed, &arg, err);
		if (ret)
			return ret;
	}
	return apply(m.opt, &typed, arg, m.unset, err);
}

static int unknown_short(const char *word, const char *p, struct error *err)
{
	/* a whole UTF-8 character, not its first byte */
	int n = 1;

	while (((unsigned char)p[n] & 0xc0) == 0x80)
		n++;
	if (word[2])
		return error_set(err, EINVAL, "unknown option '-%.*s' in '%.80s'", n, p, word);
	return error_set(err, EINVAL, "unknown option '-%.*s'", n, p);
}

/* One word of short options: -f, -fv, -l5, -l 5. */
static int parse_short(struct cursor *cur, struct error *err)
{
	const char *word = cur->argv[cur->pos];
	struct match m;

	/* -caller is --caller with a dash lost, never -c with the argument "aller" */
	if (strlen(word) > 3) {
		match_long(cur->options, word + 1, strlen(word + 1), &m);
		if (m.exact)
			return error_set(err, EINVAL, "unknown option '%.80s', did you mean '-%s'?",
					 word, word);
	}
	for (const char *p = word + 1; *p; p++) {
		const struct option *opt = find_short(cur->options, *p);
		struct typed typed = {"-", p, 1};
		const char *arg = NULL;
		bool last = true;
		int ret;

		if (!opt && *p == 'h')
			return OPTIONS_HELP;
		if (!opt)
			return unknown_short(word, p, err);
		if (takes_no_argument(opt)) {
			last = false;
		} else if (p[1]) {
			arg = p + 1;
		} else if (!(opt->flags & OPTION_OPTARG)) {
			ret = next_argument(cur, &typed, &arg, err);
			if (ret)
				return ret;
		}
		ret = apply(opt, &typed, arg, false, err);
		if (ret || last)
			return ret;
	}
	return 0;
}

int options_parse(const struct options *options, int argc, const char **argv, unsigned int flags,
		  int *ret_argc, struct error *err)
{
	struct cursor cur = {.options = options, .argv = argv, .argc = argc, .pos = 1};
	int left = 0;

	for (; cur.pos < argc; cur.pos++) {
		const char *word = argv[cur.pos];
		int ret;

		if (word[0] != '-' || !word[1]) {
			if (flags & OPTIONS_STOP_AT_NON_OPTION)
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
	while (cur.pos < argc)
		argv[left++] = argv[cur.pos++];
	if (left < argc)
		argv[left] = NULL;
	*ret_argc = left;
	return 0;
}
