/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command line options from a table: parsing, and the usage text.
 *
 * A table is a constant array of OPT_*() entries that ends with OPT_END(). It describes members of
 * a struct. options_parse() fills in the struct; members keep their value unless the option is
 * given. A table can include others, for members of that struct (OPT_INCLUDE), so options shared by
 * several commands are listed once. Nothing is copied or allocated: strings point into argv.
 * Options take effect, and callbacks are called, in command line order.
 *
 * Supported: --name=value, --name value, -nvalue, -n value, bundles (-fv), unique prefixes of long
 * names (--cal for --caller), --no-name, and "--", which ends the options. Errors name the option
 * as it was typed, and end with (see '<command> --help').
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/base/error.h"

struct option;

/* One occurrence of an option on the command line. */
struct option_use {
	const struct option *opt;
	void *into;	 /* the struct of its table */
	const char *arg; /* NULL if it takes none, its optional one is absent, or unset */
	bool unset;	 /* --no-name; only with OPTION_NEGATABLE */
};

/*
 * Returns 0, or -errno with err filled; options_parse() puts "option '--name': " before the
 * message.
 */
typedef int option_fn(const struct option_use *use, struct error *err);

/* Makes the i-th option of a list that is kept elsewhere; returns false after the last one. */
typedef bool option_make_fn(unsigned int i, struct option *ret_opt);

enum option_type {
	OPTION_END,
	OPTION_GROUP,
	OPTION_BOOL,   /* bool; --no-name clears */
	OPTION_COUNT,  /* int, incremented each time; --no-name sets it to 0 */
	OPTION_STRING, /* const char * */
	OPTION_U64,    /* uint64_t, min <= v <= max */
	OPTION_SIZE,   /* uint64_t in bytes, K/M/G/T suffix, min <= v <= max */
	OPTION_CALLBACK,
	OPTION_INCLUDE,
	OPTION_EACH,
};

enum option_flags {
	OPTION_NOARG = 1 << 0,	   /* a callback without an argument */
	OPTION_OPTARG = 1 << 1,	   /* callbacks: the argument is optional: -nvalue, --name=value */
	OPTION_NEXT_WORD = 1 << 4, /* with OPTARG: also the next word, unless it is an option */
	OPTION_HIDDEN = 1 << 2,	   /* not in the usage, and only by its full name */
	OPTION_NEGATABLE = 1 << 3, /* --no-name: callback, STRING (NULL), U64 and SIZE (0) */
};

struct option {
	enum option_type type;
	char short_name;       /* 0: none */
	const char *long_name; /* NULL: none */
	const char *argh;      /* the argument as shown in the usage: "<file>" */
	const char *help;
	unsigned int flags;
	uint64_t min, max;
	size_t offset; /* offset of its member */
	option_fn *callback;
	const struct option *table; /* for OPTION_INCLUDE */
	option_make_fn *make;	    /* for OPTION_EACH */
};

/* The offset of member m of T, checked to have this type. */
#define OPTION_MEMBER_(T, m, type)                                                                 \
	(offsetof(T, m) +                                                                          \
	 0 * sizeof(char[__builtin_types_compatible_p(__typeof__(((T *)NULL)->m), type) ? 1        \
											: -1]))

/* s, l: short and long names; T, m: the struct and its member; a: argument in the usage; h: help */
#define OPTION_(t, s, l, a, h)                                                                     \
	.type = (t), .short_name = (s), .long_name = (l), .argh = (a), .help = (h)

#define OPT_BOOL(s, l, T, m, h)                                                                    \
	{                                                                                          \
		OPTION_(OPTION_BOOL, s, l, NULL, h), .offset = OPTION_MEMBER_(T, m, bool)          \
	}
#define OPT_COUNT(s, l, T, m, h)                                                                   \
	{                                                                                          \
		OPTION_(OPTION_COUNT, s, l, NULL, h), .offset = OPTION_MEMBER_(T, m, int)          \
	}
#define OPT_STRING(s, l, T, m, a, h)                                                               \
	{                                                                                          \
		OPTION_(OPTION_STRING, s, l, a, h), .offset = OPTION_MEMBER_(T, m, const char *)   \
	}
#define OPTION_NUMBER_(t, s, l, T, m, a, h, lo, hi)                                                \
	{                                                                                          \
		OPTION_(t, s, l, a, h), .offset = OPTION_MEMBER_(T, m, uint64_t), .min = (lo),     \
					.max = (hi)                                                \
	}
#define OPT_U64_BOUNDED(s, l, T, m, a, h, lo, hi)                                                  \
	OPTION_NUMBER_(OPTION_U64, s, l, T, m, a, h, lo, hi)
#define OPT_U64(s, l, T, m, a, h) OPT_U64_BOUNDED(s, l, T, m, a, h, 0, UINT64_MAX)
#define OPT_SIZE_BOUNDED(s, l, T, m, a, h, lo, hi)                                                 \
	OPTION_NUMBER_(OPTION_SIZE, s, l, T, m, a, h, lo, hi)
#define OPT_SIZE(s, l, T, m, a, h) OPT_SIZE_BOUNDED(s, l, T, m, a, h, 0, UINT64_MAX)

/* Callbacks with an argument, without one, with an optional one (-z3, --zip=3). */
#define OPT_CALLBACK_FLAGS(s, l, a, h, fn, fl)                                                     \
	{                                                                                          \
		OPTION_(OPTION_CALLBACK, s, l, a, h), .flags = (fl), .callback = (fn)              \
	}
#define OPT_CALLBACK(s, l, a, h, fn)	    OPT_CALLBACK_FLAGS(s, l, a, h, fn, 0)
#define OPT_FLAG_CALLBACK(s, l, h, fn)	    OPT_CALLBACK_FLAGS(s, l, NULL, h, fn, OPTION_NOARG)
#define OPT_OPTARG_CALLBACK(s, l, a, h, fn) OPT_CALLBACK_FLAGS(s, l, a, h, fn, OPTION_OPTARG)

/* Accepted, but not shown: OPT_HIDDEN(OPTION_BOOL, 'x', "xyz", struct T, xyz) */
#define OPT_HIDDEN(t, s, l, T, m, ...)                                                             \
	{                                                                                          \
		OPTION_(t, s, l, NULL, NULL), .offset = offsetof(T, m), .flags = OPTION_HIDDEN,    \
					      ##__VA_ARGS__                                        \
	}

/* All options of another table: for the same struct, or for the one in member m. */
#define OPT_INCLUDE(t)                                                                             \
	{                                                                                          \
		.type = OPTION_INCLUDE, .table = (t)                                               \
	}
#define OPT_INCLUDE_FOR(T, m, t)                                                                   \
	{                                                                                          \
		.type = OPTION_INCLUDE, .offset = offsetof(T, m), .table = (t)                     \
	}

/* Options made from a list that is kept elsewhere, for the struct or array in member m. */
#define OPT_EACH(T, m, fn)                                                                         \
	{                                                                                          \
		.type = OPTION_EACH, .offset = offsetof(T, m), .make = (fn)                        \
	}

/* A title line in the usage; "" is an empty line. */
#define OPT_GROUP(title)                                                                           \
	{                                                                                          \
		.type = OPTION_GROUP, .help = (title)                                              \
	}
#define OPT_END()                                                                                  \
	{                                                                                          \
		.type = OPTION_END                                                                 \
	}

struct subcommand;

struct options {
	const char *command;	  /* "perf kmem stat" */
	const char *const *usage; /* "perf kmem stat [<options>]", ..., NULL */
	const struct option *table;
	/*
	 * Subcommands of a command (as for subcommand_find()). Their options may precede the
	 * subcommand's name; they are moved after it, and parsed by the subcommand.
	 */
	const struct subcommand *const *subcommands;
	/* For a subcommand: all subcommands of its command. An option that only others have is
	 * refused with a message that names them. */
	const struct subcommand *const *siblings;
	const char *note; /* text at the end of the usage; may be NULL */
	/* Called with the struct of `table` after an option took effect; the use is valid during
	 * the call, its argument as long as argv. May be NULL. */
	void (*used)(void *into, const struct option_use *use);
};

enum options_flags {
	OPTIONS_STOP_AT_NON_OPTION = 1 << 0, /* options end at the first other argument */
};

/* options_parse() found --help (or -h, unless the table has an 'h') and stopped there. */
#define OPTIONS_HELP 1

/*
 * Parse argv[1..argc-1] into `into`, the struct of the table. argv[0] is the command's name. The
 * remaining arguments, which are not options, move to argv[0..*ret_argc-1] in the same order,
 * followed by NULL. If options end at the first argument (OPTIONS_STOP_AT_NON_OPTION, and always
 * with subcommands), this is a subcommand's argv. Returns 0, OPTIONS_HELP, -EOPNOTSUPP for an
 * option that the table does not have, or -EINVAL (or the callback's error).
 */
int options_parse(const struct options *options, void *into, int argc, const char **argv,
		  unsigned int flags, int *ret_argc, struct error *err);

/* Whether the table has an option with that long name. */
bool options_has(const struct option *table, const char *long_name);

/* Write the usage lines, the options and the subcommands, wrapped to this number of columns
 * (terminal_columns()). */
void options_usage(const struct options *options, FILE *out, int columns);

/* Deeper nesting of includes is a mistake in the table. */
#define OPTION_DEPTH_MAX 4

/* Walks a table and its includes, with titles, in order. */
struct option_walk {
	struct {
		const struct option *at;
		char *into; /* NULL: the table is only read */
	} level[OPTION_DEPTH_MAX];
	unsigned int depth; /* levels in use */
	unsigned int nr_made;
	struct option made;
};

void option_walk_init(struct option_walk *w, const struct option *table, void *into);

/* Returns the next entry, valid until the next call, and the struct that it sets. NULL after the
 * last one. */
const struct option *option_walk_next(struct option_walk *w, void **ret_into);

/* Whether it is an option, neither a title nor hidden. */
static inline bool option_is_shown(const struct option *opt)
{
	return opt->type != OPTION_GROUP && !(opt->flags & OPTION_HIDDEN);
}

#endif
