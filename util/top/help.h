/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of top's help, in lines of at most 80 characters.
 */
#ifndef TOP_HELP_H
#define TOP_HELP_H

extern const char top_help[];

#endif
