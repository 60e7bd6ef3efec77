/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands of perf, and how each of them talks to the user.
 *
 * A command gets argv with its own name at argv[0] and returns the exit status: 0, EXIT_FAILURE
 * (1), EXIT_PARTIAL (3), EXIT_USAGE (129), or that of the program it ran.  Results go to stdout,
 * which perf.c flushes and checks; a reader that went away (| head) is not an error.  SIGPIPE is
 * caught, so a write to a closed pipe returns EPIPE; programs that are run get its default action.
 * Errors go to stderr, one line each: "perf kmem: <message>".
 */
#ifndef BUILTIN_COMMAND_H
#define BUILTIN_COMMAND_H

#include "util/base/error.h"
#include "util/cli/options.h"
#include "util/cli/subcommand.h"

#define EXIT_PARTIAL  3 /* the result is partial: an input was damaged */
#define EXIT_USAGE    129
#define EXIT_NOT_HERE 127

/* A new command is one line here, and one file in builtin/. */
#define PERF_COMMANDS(COMMAND)                                                                     \
	COMMAND(kmem)                                                                              \
	COMMAND(record)                                                                            \
	COMMAND(list)                                                                              \
	COMMAND(stat)                                                                              \
	COMMAND(script)                                                                            \
	COMMAND(report)                                                                            \
	COMMAND(annotate)                                                                          \
	COMMAND(evlist)                                                                            \
	COMMAND(buildid_list)                                                                      \
	COMMAND(config)                                                                            \
	COMMAND(version)                                                                           \
	COMMAND(help)                                                                              \
	/* a new one: its line above this one */

#define PERF_COMMAND_EXTERN(name) extern const struct subcommand cmd_##name;
PERF_COMMANDS(PERF_COMMAND_EXTERN)

/* The table of them, for the driver and for help. */
extern const struct subcommand *const perf_commands[];

#define BUILTIN_NAME_MAX 160

/* The name used for `perf kmem`: NULL if that was typed, or perf and another command. */
const char *builtin_called_kmem(void);

/* As typed in `perf ... --list-options`: one option per line, nothing else. */
#define BUILTIN_LIST_OPTIONS "--list-options"

/*
 * A command, by the name that it was called by, for messages and usage: under the name perf-kmem,
 * or any other than perf, "perf kmem stat" becomes "perf-kmem stat" and "perf config" "perf-kmem
 * config".  Returns buf.
 */
const char *builtin_called(const char *command, char *buf, size_t size);

/* Print "<command>: <message>" to stderr, printable (util/base/printable.h). Returns EXIT_FAILURE.
 */
int builtin_error(const char *command, const struct error *err);

/*
 * options_parse() for a command, with its errors and its --help printed.  On success *argc and argv
 * are what is left (see options_parse()) and it returns -1; otherwise it returns the exit status.
 */
int builtin_options(const struct options *options, void *into, int *argc, const char **argv,
		    unsigned int flags);

/*
 * The same for a command of stock that we have only in part (hands_over): a command line with an
 * option that we do not have is the next perf's, if there is one.  The command calls
 * next_program_forget() once it knows that it does the work itself.
 */
int builtin_options_or_next(const struct options *options, void *into, int *argc, const char **argv,
			    unsigned int flags);

/* Is there another perf on PATH, to hand over to? */
bool builtin_next_exists(void);

/* Is the word `whole` or an abbreviation of it? Stock requires at least three letters. */
bool builtin_abbreviates(const char *word, const char *whole);

/* What --help prints. */
void builtin_help(const struct options *options);

/* Print the usage to stderr, for a command line without a command. Returns EXIT_USAGE. */
int builtin_usage(const struct options *options);

/* Print "<command>: <message> (see '<command> --help')". Returns EXIT_USAGE. */
int builtin_misused(const struct options *options, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The same about an argument of a command that takes none. */
int builtin_takes_none(const struct options *options, const char *argument);

/* A copy of a command's argv with "perf" before it, for builtin_hand_over(); the caller frees it.
 * NULL: no memory. */
const char **builtin_command_line(int argc, const char **argv);

/*
 * Replace this process by the next perf on PATH, with this command line.  argv[0] is "perf".
 * Returns, after printing an error, only if there is none.
 */
int builtin_hand_over(const char **argv);

#endif
