/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands of perf, and their interface to the user.
 *
 * A command gets argv with its own name at argv[0]. It returns the exit status: 0, EXIT_FAILURE
 * (1), EXIT_ALERT (2), EXIT_PARTIAL (3), EXIT_USAGE (129), or that of the program it ran. Results
 * go to stdout, which perf.c flushes and checks. A closed pipe (| head) is not an error: SIGPIPE is
 * caught, so a write returns EPIPE; programs that are run get its default action. Errors go to
 * stderr, one line each: "perf kmem: <message>".
 */
#ifndef BUILTIN_COMMAND_H
#define BUILTIN_COMMAND_H

#include "util/base/error.h"
#include "util/cli/options.h"
#include "util/cli/subcommand.h"

#define EXIT_ALERT    2 /* the condition of --alert held */
#define EXIT_PARTIAL  3 /* the result is partial: an input was damaged */
#define EXIT_USAGE    129
#define EXIT_NOT_HERE 127

/* A new command is a line here and a file in builtin/perf. */
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
	/* add new ones above this line */

#define PERF_COMMAND_EXTERN(name) extern const struct subcommand cmd_##name;
PERF_COMMANDS(PERF_COMMAND_EXTERN)

/* The table of commands, for the driver and for help. */
extern const struct subcommand *const perf_commands[];

#define BUILTIN_NAME_MAX 160

/* The name by which `perf kmem` was called, or NULL: as `perf kmem` or another command of perf. */
const char *builtin_called_kmem(void);

/*
 * A command for messages and usage, by the name that it was called by: if the program is perf-kmem,
 * or has any name other than perf, "perf kmem stat" becomes "perf-kmem stat", and "perf config"
 * "perf-kmem config". Returns buf.
 */
const char *builtin_called(const char *command, char *buf, size_t size);

/* Print "<command>: <message>" to stderr, printable (util/base/printable.h). Returns EXIT_FAILURE.
 */
int builtin_error(const char *command, const struct error *err);

/* Print "[ <command>: <message> ]" to stderr, for news other than errors. */
void builtin_say(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * options_parse() for a command; prints its errors and its --help. On success *argc and argv are
 * the remaining arguments and it returns -1; otherwise it returns the exit status.
 */
int builtin_options(const struct options *options, void *into, int *argc, const char **argv,
		    unsigned int flags);

/*
 * The same for a command of stock of which we have a part (hands_over): a command line with an
 * unknown option goes to the next perf on PATH, if there is one. The command calls
 * next_program_forget() once it is certain to do the work itself.
 */
int builtin_options_or_next(const struct options *options, void *into, int *argc, const char **argv,
			    unsigned int flags);

/* Whether there is another perf on PATH to hand over to. */
bool builtin_next_exists(void);

/* Whether the word is `whole` or an abbreviation of it. Stock requires at least three letters. */
bool builtin_abbreviates(const char *word, const char *whole);

/* The text of --help. */
void builtin_help(const struct options *options);

/* Print the usage to stderr, for a command line without a command. Returns EXIT_USAGE. */
int builtin_usage(const struct options *options);

/* Print "<command>: <message> (see '<command> --help')". Returns EXIT_USAGE. */
int builtin_misused(const struct options *options, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The same for an argument of a command that takes none. */
int builtin_takes_none(const struct options *options, const char *argument);

/* A copy of a command's argv, preceded by "perf", for builtin_hand_over(). The caller frees it.
 * NULL if out of memory. */
const char **builtin_command_line(int argc, const char **argv);

/*
 * Replace this process by the next perf on PATH, with this command line, whose argv[0] is "perf".
 * Returns only if there is none, after printing an error.
 */
int builtin_hand_over(const char **argv);

#endif
