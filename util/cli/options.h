/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command line options from a table: parsing, and the usage text.
 *
 * A table is an array of OPT_*() entries that ends in OPT_END(); it points to
 * the caller's variables, which keep their value unless the option is given.
 * Nothing is copied or allocated: strings stay argv's.  Options take effect,
 * and callbacks run, in command line order.  Understood: --name=value, --name
 * value, -nvalue, -n value, bundles (-fv), unique prefixes of long names (--cal
 * for --caller), --no-name, and "--", which ends the options.
 * Errors name the option as it was typed, and end in (see '<command> --help').
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/base/error.h"

struct option;

/*
 * Takes one occurrence of an option.  arg is NULL when the option takes none,
 * when its optional one is absent, and when unset (--no-name, only with
 * OPTION_NEGATABLE).  Returns 0, or -errno with err filled; options_parse() puts
 * "option '--name': " before the message.
 */
typedef int option_fn(const struct option *opt, const char *arg, bool unset, struct error *err);

enum option_type {
	OPTION_END,
	OPTION_GROUP,
	OPTION_BOOL,	 /* bool *; --no-name clears */
	OPTION_COUNT,	 /* int *, one more each time; --no-name zeroes */
	OPTION_STRING,	 /* const char ** */
	OPTION_U64,	 /* uint64_t *, min <= v <= max */
	OPTION_SIZE,	 /* uint64_t * in bytes, K/M/G/T suffix, min <= v <= max */
	OPTION_CALLBACK, /* callback, with opt->data */
};

enum option_flags {
	OPTION_NOARG = 1 << 0, /* a callback without argument */
	OPTION_OPTARG =
		1 << 1, /* a callback's argument may be absent; only -nvalue, --name=value */
	OPTION_HIDDEN = 1 << 2, /* not in the usage, and only under its whole name */
	OPTION_NEGATABLE =
		1 << 3, /* --no-name also for a callback, STRING (NULL), U64 and SIZE (0) */
};

struct option {
	enum option_type type;
	char short_name;       /* 0: none */
	const char *long_name; /* NULL: none */
	union {
		bool *flag;
		int *count;
		const char **string;
		uint64_t *number;
	} value;
	const char *argh; /* the argument as the usage shows it: "<file>" */
	const char *help;
	unsigned int flags;
	uint64_t min, max;
	option_fn *callback;
	void *data;
};

/* s, l: short and long name; v: the variable; a: argument in the usage; h: help text */
#define OPTION_(t, s, l, a, h)                                                                     \
	.type = (t), .short_name = (s), .long_name = (l), .argh = (a), .help = (h)

#define OPT_BOOL(s, l, v, h)                                                                       \
	{                                                                                          \
		OPTION_(OPTION_BOOL, s, l, NULL, h), .value.flag = (v)                             \
	}
#define OPT_COUNT(s, l, v, h)                                                                      \
	{                                                                                          \
		OPTION_(OPTION_COUNT, s, l, NULL, h), .value.count = (v)                           \
	}
#define OPT_STRING(s, l, v, a, h)                                                                  \
	{                                                                                          \
		OPTION_(OPTION_STRING, s, l, a, h), .value.string = (v)                            \
	}
#define OPT_U64_BOUNDED(s, l, v, a, h, lo, hi)                                                     \
	{                                                                                          \
		OPTION_(OPTION_U64, s, l, a, h), .value.number = (v), .min = (lo), .max = (hi)     \
	}
#define OPT_U64(s, l, v, a, h) OPT_U64_BOUNDED(s, l, v, a, h, 0, UINT64_MAX)
#define OPT_SIZE_BOUNDED(s, l, v, a, h, lo, hi)                                                    \
	{                                                                                          \
		OPTION_(OPTION_SIZE, s, l, a, h), .value.number = (v), .min = (lo), .max = (hi)    \
	}
#define OPT_SIZE(s, l, v, a, h) OPT_SIZE_BOUNDED(s, l, v, a, h, 0, UINT64_MAX)

/* d: opt->data of the callback; with an argument, with none, with an optional one (-z3, --zip=3) */
#define OPT_CALLBACK_FLAGS(s, l, d, a, h, fn, fl)                                                  \
	{                                                                                          \
		OPTION_(OPTION_CALLBACK, s, l, a, h), .flags = (fl), .callback = (fn), .data = (d) \
	}
#define OPT_CALLBACK(s, l, d, a, h, fn)	       OPT_CALLBACK_FLAGS(s, l, d, a, h, fn, 0)
#define OPT_FLAG_CALLBACK(s, l, d, h, fn)      OPT_CALLBACK_FLAGS(s, l, d, NULL, h, fn, OPTION_NOARG)
#define OPT_OPTARG_CALLBACK(s, l, d, a, h, fn) OPT_CALLBACK_FLAGS(s, l, d, a, h, fn, OPTION_OPTARG)

/* Accepted, but not shown: OPT_HIDDEN(OPTION_BOOL, 'x', "xyz", .value.flag = &x) */
#define OPT_HIDDEN(t, s, l, ...)                                                                   \
	{                                                                                          \
		OPTION_(t, s, l, NULL, NULL), .flags = OPTION_HIDDEN, __VA_ARGS__                  \
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

struct options {
	const char *command;	  /* "perf kmem stat" */
	const char *const *usage; /* "perf kmem stat [<options>]", ..., NULL */
	const struct option *table;
};

enum options_flags {
	OPTIONS_STOP_AT_NON_OPTION = 1 << 0, /* the first argument that is no option ends them */
};

/* options_parse() saw --help (or -h, unless the table has an 'h'); parsing stopped there. */
#define OPTIONS_HELP 1

/*
 * Parse argv[1..argc-1]; argv[0] is the command's own name.  What is left, the
 * arguments that are no options, moves to argv[0..*ret_argc-1] in its order, with
 * a NULL after it: with OPTIONS_STOP_AT_NON_OPTION that is a subcommand's argv.
 * Returns 0, OPTIONS_HELP, or -EINVAL (or the callback's error).
 */
int options_parse(const struct options *options, int argc, const char **argv, unsigned int flags,
		  int *ret_argc, struct error *err);

/* Write the usage lines and the options, wrapped to so many columns (terminal_columns()). */
void options_usage(const struct options *options, FILE *out, int columns);

#endif
