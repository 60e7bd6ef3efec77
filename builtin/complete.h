/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completion of command lines, for the scripts of all shells: perf --complete <words>.
 *
 * The words are those of the command line after the program's name, the last of which is being
 * typed and may be empty. Prints the candidates, one per line. A first line that begins with ':'
 * says what the shell does itself:
 *
 *   :files        complete a file name
 *   :command <n>  complete the command line that begins with word n (from 0)
 *   :list         the candidates can be continued with a comma: add no space
 */
#ifndef BUILTIN_COMPLETE_H
#define BUILTIN_COMPLETE_H

#define BUILTIN_COMPLETE "--complete"

/* argv: the words. Returns the exit status. */
int builtin_complete(int argc, const char **argv);

#endif
